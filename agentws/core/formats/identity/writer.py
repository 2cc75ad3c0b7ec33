"""Writers of the journal: lines of `identity/writers.jsonl`, and the keys of `identity/allowed_signers`.

Both are documents: people may add to them, and unknown lines are kept. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import digest
from agentws.core.formats.identity import sshsig
from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Heads = Mapping[str, Mapping[str, object]]

_NAMESPACES = "namespaces="
_PATTERN = "*?!"


class WriterLine:
    """A line of `writers.jsonl`: a `writer`, its public `key` (may be empty), and the name of its machine.

    `after` are the heads of the other writers that it knew. `vouched_by` is the writer who vouched for it, `took_over`
    the proof with which it took over the writing; each None if nobody did. `told` is the whole line.
    """

    __slots__ = ("after", "at", "host", "key", "told", "took_over", "vouched_by", "writer")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        after = fields.get("after")
        self.writer = str(fields["writer"])
        self.key, self.host, self.at = (_word(fields.get(name)) for name in ("key", "host", "at"))
        self.after: Heads = after if isinstance(after, dict) else {}
        self.vouched_by = Vouch.of(fields.get("vouched_by"))
        took = fields.get("took_over")
        self.took_over: Mapping[str, Any] | None = took if isinstance(took, dict) else None
        self.told = fields


class Arrival(Record):
    """A token by which a migrated copy proves, on its first use, that it may write: part of a vouch.

    It is for the copy that a `migration` brings to `place` (may be empty), and can be used once, up to the day `until`.
    The new writer shows the `word`; the vouch names it by its digest. The field is not called a token or secret, since
    its line would then be taken for one and kept out of history and clones.
    """

    migration: str
    word: str
    until: str
    place: str

    @classmethod
    def of(cls, value: object) -> Arrival | None:
        """Return the arrival token in a writer's vouch, None without one."""
        if not isinstance(value, dict):
            return None
        words = [value.get(name) for name in ("migration", "word", "until", "place")]
        return cls(*words) if all(isinstance(word, str) for word in words) else None  # type: ignore[arg-type]

    def plain(self) -> dict[str, str]:
        """Return the arrival token as a line of `writers.jsonl` holds it."""
        return {name: getattr(self, name) for name in ("migration", "word", "until", "place")}

    def message(self, agent: str) -> bytes:
        """Return the signed statement about the new writer's token: it names the `word` by its digest."""
        word = digest.of(self.word.encode())
        words = f"agentws-arrival-1 {agent} {self.migration} {word} {self.until} {plainjson.dumps(self.place)}"
        return words.encode() + b"\n"


class Vouch(Record):
    """A vouch for a new writer: the writer `by` (or RECOVERY), its public `key`, and its `signature`.

    The signature is over `vouch_message`, or over the message of the `arrival` if there is one.
    """

    by: str
    key: str
    signature: str
    arrival: Arrival | None = None

    @classmethod
    def of(cls, value: object) -> Vouch | None:
        """Return the vouch in a line of `writers.jsonl`, None without one."""
        if not isinstance(value, dict):
            return None
        by, key, signature = (value.get(name) for name in ("by", "key", "signature"))
        if not (isinstance(by, str) and isinstance(key, str) and isinstance(signature, str)):
            return None
        arrival = Arrival.of(value.get("arrival"))
        return None if value.get("arrival") and arrival is None else cls(by, key, signature, arrival)

    def plain(self) -> dict[str, object]:
        """Return the vouch as a line of `writers.jsonl` holds it."""
        fields: dict[str, object] = {"by": self.by, "key": self.key, "signature": self.signature}
        return fields | ({"arrival": self.arrival.plain()} if self.arrival else {})


RECOVERY = "recovery"
"""The name in `allowed_signers` of a key that belongs to no writer: kept apart, to sign one in when all are lost."""


def line(
    *,
    writer: str,
    key: str,
    host: str,
    at: str,
    after: Heads,
    vouched_by: Vouch | None = None,
    took_over: Mapping[str, object] | None = None,
) -> str:
    """Return the line (without newline) by which a writer joins: its key, and the heads of the others it knew."""
    fields: dict[str, object] = {"agentws": 1, "writer": writer, "key": key or None, "host": host, "at": at}
    fields |= {"after": after, "vouched_by": vouched_by.plain() if vouched_by else None}
    return plainjson.dumps(fields | ({"took_over": took_over} if took_over else {}), separators=(",", ":"))


def voided(*, migration: str, by: str, at: str) -> str:
    """Return the line (without newline) of `writers.jsonl` that voids the arrival tokens of a cancelled migration."""
    fields = {"agentws": 1, "voided": migration, "by": by, "at": at}
    return plainjson.dumps(fields, separators=(",", ":"))


def void(text: str) -> set[str]:
    """Return the migrations whose arrival tokens the lines of `writers.jsonl` make invalid."""
    named = (plainjson.fields_of(each).get("voided") for each in text.split("\n") if '"voided"' in each)
    return {migration for migration in named if isinstance(migration, str)}


def vouch_message(agent: str, writer: str, key: str, after: Heads) -> bytes:
    """Return the signed statement by which one writer vouches for another: agent, writer, key, known heads."""
    heads = " ".join(f"{name}:{fields.get('seq')}:{fields.get('hash')}" for name, fields in sorted(after.items()))
    return f"agentws-vouch-1 {agent} {writer} {key} {heads}".rstrip().encode() + b"\n"


def lines(text: str) -> list[WriterLine]:
    """Return the lines of `writers.jsonl` about writers, in order; other lines are skipped."""
    writer_lines = []
    for each in filter(str.strip, text.split("\n")):
        fields = plainjson.fields_of(each)
        if isinstance(fields.get("writer"), str):
            after = fields.get("after")
            sound = not isinstance(after, dict) or all(isinstance(item, dict) for item in after.values())
            writer_lines += [WriterLine(fields)] if sound else []
    return writer_lines


def news(heads: Heads, text: str) -> dict[str, dict[str, object]]:
    """Return those of `heads` that no line of `writers.jsonl` names yet, ordered by writer id.

    If all are named, the last one is returned all the same: a line that names nobody is the first writer's.
    """
    known: dict[str, Mapping[str, object]] = {}
    for each in lines(text):
        known.update(each.after)
    changed = [name for name in sorted(heads) if known.get(name) != heads[name]]
    return {name: dict(heads[name]) for name in changed or sorted(heads)[-1:]}


def joined(text: str) -> set[tuple[str, str]]:
    """Return (writer, key) of each line of `writers.jsonl` by which a writer joined; other lines are skipped."""
    return {(each.writer, each.key) for each in lines(text) if each.key}


def signer(writer: str, key: str) -> str:
    """Return the `allowed_signers` line (without newline) that makes `ssh-keygen -Y verify` accept a writer's key."""
    return f'{writer} namespaces="{sshsig.NAMESPACE}" {key}'


def fingerprint(key: str) -> str:
    """Return the fingerprint of a writer's public key, as `ssh-keygen -l` prints it; ValueError for any other text."""
    import binascii

    sshsig.raw_key(key)
    blob = binascii.a2b_base64(key.partition(" ")[2])
    text = binascii.b2a_base64(bytes.fromhex(digest.of(blob)), newline=False).decode("ascii")
    return f"SHA256:{text.rstrip('=')}"


def signers(text: str) -> dict[str, set[str]]:
    """Return the keys that each writer may sign with, from `allowed_signers`.

    Lines with patterns for names, or with options other than `namespaces`, are skipped: only ssh-keygen can judge them.
    """
    result: dict[str, set[str]] = {}
    for each in text.split("\n"):
        names, key = _allowed(_words(each))
        for name in names:
            result.setdefault(name, set()).add(key)
    return result


def _allowed(words: list[str]) -> tuple[list[str], str]:
    """Return (names, key) of one line of `allowed_signers`; no names for a line that is not understood."""
    if sshsig.KIND not in words[1:-1]:
        return [], ""
    at = words.index(sshsig.KIND, 1)
    key = f"{sshsig.KIND} {words[at + 1]}"
    names = words[0].strip('"').split(",")
    options = ",".join(words[1:at])
    if options and not _is_for_us(options):
        return [], ""
    try:
        sshsig.raw_key(key)
    except ValueError:
        return [], ""
    return [name for name in names if name and not any(char in name for char in _PATTERN)], key


def _is_for_us(options: str) -> bool:
    name, value = options[: len(_NAMESPACES)], options[len(_NAMESPACES) :]
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
    return name.lower() == _NAMESPACES and quoted and sshsig.NAMESPACE in value[1:-1].split(",")


def _words(text: str) -> list[str]:
    """The words of a line; white space between quotes divides nothing. None of a comment."""
    words, word, quoted = [], "", False
    for char in "" if text.lstrip().startswith("#") else text + " ":
        quoted ^= char == '"'
        if char in " \t\r" and not quoted:
            words += [word] if word else []
            word = ""
        else:
            word += char
    return words


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
