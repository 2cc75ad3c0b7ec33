"""States that machines synced, as git commits: refs, `told.json` and the write lease. Pure.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.identity import sshsig
from agentws.core.formats.json import plainjson

FOLDER = "refs/agentws/sync/"
LEASES = "refs/agentws/lease/"
TOLD, WORKSPACE = "told.json", "workspace"
FIRST = 1
"""The number of the first epoch."""
_EPOCH_DIGITS = 8
Tree = dict[str, str]
"""The id of the blob at each RelPath of a workspace."""
_HEX = "0123456789abcdef"
_MOST_CHARS = 256
_MOST_PARENTS = 64
MOST_BEFORE = 1_200
_MOST_FORGETS = 64


def ref(agent: str, epoch: int) -> str:
    """Return the ref of an agent's sync states in an epoch."""
    return f"{FOLDER}{agent}/{epoch:0{_EPOCH_DIGITS}d}"


def epoch_of(name: str) -> int | None:
    """Return the epoch in the last part of a sync state's ref; None without one."""
    plain = len(name) == _EPOCH_DIGITS and name.isascii() and name.isdigit()
    return int(name) or None if plain else None


def lease_ref(agent: str) -> str:
    """Return the ref of the write lease: which writer may write to the synced agent."""
    return f"{LEASES}{agent}"


def is_agent(text: str) -> bool:
    """Return whether `text` can be an agent's id, and so part of a sync ref's name."""
    return 0 < len(text) <= 64 and all(char.isascii() and (char.isalnum() or char in "-_") for char in text)


@dataclass(frozen=True)
class Told:
    """The facts about a sync state, in the `told.json` of its commit.

    `by`, `key`: the writer that made it and its public key, empty for nobody; `host`, `at`: place and time; `tree`,
    `parents`: git ids of the folder `workspace` and of the preceding states; `renews`: the last state before a new
    epoch; `forgotten`: the epoch began because something was forgotten; `before`: states whose content it includes
    without following them, newest first; `forgets`: the calls of `forget` that it carried out; `signature`: an SSHSIG,
    empty for none.
    """

    agent: str
    by: str
    key: str
    host: str
    at: str
    epoch: int
    tree: str = ""
    parents: tuple[str, ...] = ()
    renews: str = ""
    forgotten: bool = False
    before: tuple[str, ...] = ()
    forgets: tuple[str, ...] = ()
    signature: str = ""

    def over(self, tree: str, parents: Sequence[str]) -> Told:
        """Return the same facts, unsigned, for the sync state with this tree after these states."""
        return replace(self, tree=tree, parents=tuple(parents), signature="")

    def signed(self, signature: str) -> Told:
        """Return the sync state's facts with this signature."""
        return replace(self, signature=signature)

    def plain(self) -> dict[str, Any]:
        """Return the sync state's facts as a JSON dictionary."""
        fields = {"agentws": 1, "agent": self.agent, "by": self.by, "key": self.key, "host": self.host, "at": self.at}
        fields |= {"epoch": self.epoch, "tree": self.tree, "parents": list(self.parents)}
        fields |= {"before": list(self.before[:MOST_BEFORE])} if self.before else {}
        if self.renews:
            fields |= {"renews": self.renews, "forgotten": self.forgotten}
            fields |= {"forgets": list(self.forgets[-_MOST_FORGETS:])}
        return fields | {"signature": self.signature}

    def data(self) -> bytes:
        """Return the content of a sync state's `told.json`."""
        return plainjson.dumps(self.plain()).encode("ascii") + b"\n"

    def message(self) -> bytes:
        """Return the bytes that the sync commit's signature covers."""
        kept = {name: value for name, value in sorted(self.plain().items()) if name != "signature"}
        text = plainjson.dumps(kept, separators=(",", ":"))
        return f"agentws-sync-1 {self.agent} {self.epoch} {digest.of(text.encode('ascii'))}\n".encode()


@dataclass(frozen=True)
class Lease:
    """The write lease of synced machines: its `holder`, a writer's id (empty for nobody); `count` of its changes."""

    holder: str
    count: int

    def data(self) -> bytes:
        """Return the message of the sync commit that records the lease."""
        return plainjson.dumps({"agentws": 1, "holder": self.holder, "count": self.count}).encode("ascii") + b"\n"


def lease(data: bytes) -> Lease:
    """Return the write lease in a sync commit's message; ValueError without one."""
    decoded = plainjson.loads(data)
    if not isinstance(decoded, dict) or decoded.get("agentws") != 1:
        raise ValueError("no lease")
    holder, count = decoded.get("holder"), decoded.get("count")
    if not isinstance(holder, str) or not _is_word(holder, empty=True) or type(count) is not int or count < 0:
        raise ValueError("no lease")
    return Lease(holder, count)


def told(data: bytes) -> Told:
    """Return the content of a sync commit's `told.json`; ValueError if it is unreadable or invalid."""
    decoded = plainjson.loads(data)
    if not isinstance(decoded, dict) or decoded.get("agentws") != 1:
        raise ValueError("no state of a sync")
    words: dict[str, Any] = {
        name: decoded.get(name) for name in ("agent", "by", "key", "host", "at", "tree", "signature")
    }
    if not all(isinstance(word, str) for word in words.values()) or len(words["signature"]) > sshsig.MOST_CHARS:
        raise ValueError("a field is missing, or not a text")
    if any(len(word) > _MOST_CHARS for name, word in words.items() if name != "signature"):
        raise ValueError("a field is too long")
    if not (words["host"] + words["at"] + words["key"]).isprintable():
        raise ValueError("a field is more than one printable line")
    epoch, parents, renews = decoded.get("epoch"), decoded.get("parents"), decoded.get("renews", "")
    if type(epoch) is not int or not FIRST <= epoch < 10**_EPOCH_DIGITS:
        raise ValueError("no epoch")
    if not isinstance(parents, list) or len(parents) > _MOST_PARENTS or not all(is_id(each) for each in parents):
        raise ValueError("no list of states")
    if not is_agent(words["agent"]) or not _is_word(words["by"], empty=True) or not is_id(words["tree"]):
        raise ValueError("an id is malformed")
    if renews != "" and not is_id(renews):
        raise ValueError("an id is malformed")
    before = decoded.get("before", [])
    if not isinstance(before, list) or len(before) > MOST_BEFORE or not all(is_id(each) for each in before):
        raise ValueError("no list of earlier states")
    forgets = decoded.get("forgets", [])
    if not isinstance(forgets, list) or len(forgets) > _MOST_FORGETS or not all(_is_forget(each) for each in forgets):
        raise ValueError("no list of what was forgotten")
    return Told(
        **words,
        epoch=epoch,
        parents=tuple(parents),
        renews=renews,
        forgotten=decoded.get("forgotten") is True,
        before=tuple(before),
        forgets=tuple(forgets),
    )


def is_id(text: object) -> bool:
    """Return whether a text in a sync state can be the id of a git object."""
    return isinstance(text, str) and len(text) in (40, 64) and not text.strip(_HEX)


def _is_forget(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _MOST_CHARS and text.isascii() and text.isprintable()


def _is_word(text: str, *, empty: bool = False) -> bool:
    return empty if not text else len(text) <= 64 and all(char.isascii() and char.isalnum() for char in text)
