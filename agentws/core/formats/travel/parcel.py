"""Migration parcels in a git repository: their refs, their commits, their signature and its short code. Pure.

Specified in docs/format/git.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.identity import sshsig
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import inventory
from agentws.core.formats.travel.inventory import TreeEntry

FOLDER = "refs/agentws/migration/"
INCOMING, READY, TAKEN = "incoming", "ready", "taken"
"""A parcel that is being made; one that may be taken; one that somebody takes."""
TOLD, INVENTORY, README = "told.json", "inventory.jsonl", "README.md"
PIECE_BYTES = 16 << 20
"""Larger files travel in pieces: some hosts take no large blobs, and none of it must be held in memory as a whole."""
_MOST_BYTES = 1 << 44
_MOST_NS = 1 << 62

_CLAIM = "claim: "
_ID_DIGITS = 8


def ref(migration: str, state: str) -> str:
    """Return the git ref of a migration's parcel in this state."""
    return f"{FOLDER}{migration}/{state}"


def waiting(refs: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the migrations whose parcels are ready or taken: id → state → commit id."""
    result: dict[str, dict[str, str]] = {}
    for name, commit in refs.items():
        migration, _, state = name.removeprefix(FOLDER).partition("/")
        if name.startswith(FOLDER) and is_id(migration) and state in (READY, TAKEN):
            result.setdefault(migration, {})[state] = commit
    return result


def is_id(text: str) -> bool:
    """Return whether `text` can be a migration id, and so a parcel's name."""
    return len(text) == _ID_DIGITS and not text.strip("0123456789abcdef")


def pieces(content: str, size_bytes: int) -> list[str]:
    """Return the paths of a file's pieces in the parcel's commit, by the file's digest: at least one."""
    count = max(1, -(-size_bytes // PIECE_BYTES))
    return [f"content/{content[:2]}/{content}-{number:05d}" for number in range(count)]


def listed(entries: Iterable[TreeEntry]) -> bytes:
    """Return the inventory as the parcel holds it: a line of JSON per entry."""
    return b"".join(plainjson.dumps(entry.plain(), separators=(",", ":")).encode("ascii") + b"\n" for entry in entries)


def entries(data: bytes) -> list[TreeEntry]:
    """Return the inventory in a parcel; ValueError if invalid, or if it names a place outside of the workspace."""
    known: inventory.Inventory = {}
    for entry in (inventory.decode(plainjson.loads(line)) for line in data.split(b"\n") if line):
        inventory.check(entry, known, most_ns=_MOST_NS)
        if entry.path.partition("/")[0].lower() == ".agentws":
            raise ValueError(f"{entry.path!r} must not be sent")
        if entry.kind == inventory.FILE and not (_is_digest(entry.content) and 0 <= entry.size <= _MOST_BYTES):
            raise ValueError(f"{entry.path!r} has no digest, or no size")
        if entry.kind == inventory.LINK and not entry.content:
            raise ValueError(f"{entry.path!r} has impossible properties")
        known[entry.path] = entry
    return [*known.values()]


def told(data: bytes) -> dict[str, Any]:
    """Return the facts about the migration in a parcel; ValueError if they are unreadable."""
    result = plainjson.loads(data)
    if (
        not isinstance(result, dict)
        or not is_id(str(result.get("migration")))
        or not isinstance(result.get("agent"), str)
    ):
        raise ValueError("no migration described")
    return result


def claim(host: str, secret: str) -> bytes:
    """Return the message of the commit by which a machine takes the parcel."""
    return f"taken on {host}\n\n{_CLAIM}{secret}\n".encode()


def claimed(message: str) -> tuple[str, str]:
    """Return (machine, secret) of the machine that took the parcel, from the commit's message."""
    first, _, rest = message.partition("\n")
    secret = next((line.removeprefix(_CLAIM) for line in rest.split("\n") if line.startswith(_CLAIM)), "")
    return first.removeprefix("taken on "), secret


def readme(migration: str, host: str) -> bytes:
    """Return the README for people who look into the parcel's repository."""
    return (
        f"An agent is on its way here from {host} (migration {migration}).\n\n"
        "Receive it with: `agentws migrate DIR --from URL`, with the URL of this repository.\n"
    ).encode()


def _is_digest(text: str) -> bool:
    return len(text) == 64 and not text.strip("0123456789abcdef")


FIELD = "parcel"
"""The key under which this is recorded for a move."""
_NOBODY = "-"
_BESIDE = (FIELD, "inode", "place", "through", "claim", "token")
"""Keys that the far side adds, and the token, which has its own signature and is spent."""
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_CHARS = 8
_HALF = 4
_LOOKS_LIKE = str.maketrans("OIL", "011")
_COST, _BLOCK = 1 << 14, 8
"""A code is short, so each try of somebody who looks for another parcel with the same one has to take its time."""


class Signed:
    """A parcel's signed digests: that of its `inventory` and that of its facts (`told`), with the signature.

    `by`, `key` and `signature` are empty if nobody could sign.
    """

    __slots__ = ("by", "inventory", "key", "signature", "told")

    def __init__(self, inventory: str, facts: str, *, by: str = "", key: str = "", signature: str = "") -> None:
        self.inventory = inventory
        self.told = facts
        self.by = by
        self.key = key
        self.signature = signature

    def plain(self) -> dict[str, str]:
        """Return the signature as a JSON dictionary."""
        return {name: getattr(self, name) for name in Signed.__slots__}

    def message(self, agent: str, migration: str) -> bytes:
        """Return the bytes that a parcel's signature covers."""
        by, key = self.by or _NOBODY, self.key or _NOBODY
        return f"agentws-parcel-1 {agent} {migration} {by} {key} {self.inventory} {self.told}\n".encode()

    def code(self, agent: str, migration: str) -> str:
        """Return eight characters, in two halves, that identify the parcel and the key that signed it."""
        from hashlib import scrypt

        data = scrypt(self.message(agent, migration), salt=b"agentws-code-1", n=_COST, r=_BLOCK, p=1, dklen=_CODE_CHARS)
        text = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in data)
        return f"{text[:_HALF]}-{text[_HALF:]}"


def of(entries: Iterable[TreeEntry], fields: Mapping[str, Any], *, by: str = "", key: str = "") -> Signed:
    """Return the digests of a parcel with these entries and facts, still without a signature."""
    kept = {name: fields[name] for name in sorted(fields) if name not in _BESIDE}
    text = plainjson.dumps(_sorted(kept), separators=(",", ":"))
    return Signed(digest.of(inventory.canonical(entries)), digest.of(text.encode("ascii")), by=by, key=key)


def read(fields: Mapping[str, Any]) -> Signed | None:
    """Return a parcel's signature; None if missing or unreadable."""
    value = fields.get(FIELD)
    if not isinstance(value, dict):
        return None
    words = [value.get(name) for name in Signed.__slots__]
    if not all(isinstance(word, str) and len(word) <= sshsig.MOST_CHARS for word in words):
        return None
    made = Signed(value["inventory"], value["told"], by=value["by"], key=value["key"], signature=value["signature"])
    return made if not set(made.by + made.inventory + made.told) & set(" \n") and "\n" not in made.key else None


def is_code(text: str) -> bool:
    """Return whether a typed text can be a parcel's code."""
    return len(_bare(text)) == _CODE_CHARS and not _bare(text).strip(_ALPHABET)


def is_same(code: str, typed: str) -> bool:
    """Return whether a typed text is this parcel's code: with or without dash, in either case, `O` for `0`."""
    return _bare(code) == _bare(typed)


def _bare(text: str) -> str:
    return text.strip().replace("-", "").replace(" ", "").upper().translate(_LOOKS_LIKE)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value
