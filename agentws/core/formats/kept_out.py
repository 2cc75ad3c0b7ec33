"""identity/kept-out.jsonl: what was forgotten, rejected or superseded, as keyed digests; and the search for it. Pure.

Specified in docs/format/kept-out.md. The text itself is stored nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from agentws.core import Result
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.text import origin, words
from agentws.core.text.words import Token

Reason = Literal["forgotten", "rejected", "superseded", "lifted"]


FORGOTTEN: Reason = "forgotten"
REJECTED: Reason = "rejected"
SUPERSEDED: Reason = "superseded"
LIFTED: Reason = "lifted"
"""Why a text is kept out; LIFTED ends an entry."""
_REASONS: tuple[Reason, ...] = (FORGOTTEN, REJECTED, SUPERSEDED, LIFTED)

_WHOLE = "="
"""Before the digest of a whole text; other digests are met anywhere in a text."""
_DIGITS = 32
_ID_DIGITS = 8
_COUNT_DIGITS = 3
_MOST_WORDS = 32
"""A longer forgotten text is met by its first words: each length costs a digest at each word of every text."""
KEY_BYTES = 32
STAND_IN = "‹forgotten›"
"""Text in an event in place of a forgotten line."""


class Entry(Result):
    """An entry: its id, its reason, when (`at`) and by which writer it was made, and its keyed digests.

    `salt` identifies the key; `words` is the number of words of its first form; `after` is the digest of the entry that
    replaced a superseded one.
    """

    __slots__ = ("after", "at", "by", "digests", "id", "reason", "salt", "words")

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.id = str(fields["id"])
        self.reason = _REASONS[_REASONS.index(fields["reason"])]
        self.at = str(fields["at"])
        self.by = str(fields.get("by", ""))
        self.salt = str(fields.get("salt", ""))
        self.words = int(fields.get("words", 0))
        self.digests = tuple(str(each) for each in fields.get("digests", ()))
        self.after = str(fields.get("after", ""))

    @property
    def day(self) -> str:
        """The day on which the entry was made."""
        return self.at[:10]


class KeptOut:
    """The entries of `kept-out.jsonl` that are in force, and the keys of their digests, by their ids.

    `newest` is the time of the newest line.
    """

    def __init__(self, entries: Sequence[Entry], salts: Mapping[str, str], newest: str = "") -> None:
        self.entries = entries
        self.salts = salts
        self.newest = newest
        self._keys = {name: bytes.fromhex(salt) for name, salt in salts.items()}
        self._known: dict[str, dict[str, Entry]] = {}
        lengths = set[tuple[int, str]]()
        for entry in entries:
            known = self._known.setdefault(entry.salt, {})
            for each in entry.digests:
                known[each] = entry
                if not each.startswith(_WHOLE):
                    lengths.add((int(each.partition(":")[0]), entry.salt))
        self._lengths: dict[str, list[int]] = {}
        usual = sum(length <= _MOST_WORDS for length, _ in lengths)
        for length, name in sorted(lengths)[: max(usual, _MOST_WORDS)]:  # longer ones are of earlier versions
            self._lengths.setdefault(name, []).append(length)

    def among(self, lines: Sequence[str]) -> dict[int, Entry]:
        """Return the forgotten entry that each line with forgotten text contains, by the index of the line."""
        if not self._lengths:
            return {}
        result: dict[int, Entry] = {}
        for tokens in words.readings(lines):
            self._search(tokens, result)
        for index, line in enumerate(lines):
            views = words.views(line)
            next(views)
            for view in views:
                inside: dict[int, Entry] = {}
                for tokens in words.readings([view]):
                    self._search(tokens, inside)
                result.update((index, entry) for entry in inside.values())
        return result

    def whole(self, text: str, *reasons: Reason) -> Entry | None:
        """Return the rejected or superseded entry whose whole text this is, None for none with one of these reasons."""
        tokens = words.of(text)
        for name, known in self._known.items():
            entry = known.get(whole_digest(tokens, self._keys[name]))
            if entry is not None and entry.reason in reasons:
                return entry
        return None

    def after(self, entry: Entry, text: str) -> bool:
        """Return whether `text` is the one that replaced a superseded entry."""
        return entry.salt in self._keys and entry.after == whole_digest(words.of(text), self._keys[entry.salt])

    def _search(self, tokens: Sequence[Token], entries: dict[int, Entry]) -> None:
        for name, lengths in self._lengths.items():
            known, key = self._known[name], self._keys[name]
            for start, (_, begins, _, first, _) in enumerate(tokens):
                if not begins:
                    continue
                for length in lengths:
                    window = tokens[start : start + length]
                    if len(window) < length or not (window[-1][2] or length == _MOST_WORDS):
                        continue
                    entry = known.get(_digest([token[0] for token in window], key))
                    if entry is None:
                        continue
                    if length == _MOST_WORDS < entry.words:
                        window = tokens[start : start + entry.words]
                    elif not window[-1][2]:
                        continue
                    entries.update(dict.fromkeys(range(first, window[-1][4] + 1), entry))


def decode(text: str) -> KeptOut:
    """Return what the file keeps out; lines that are not entries are passed over."""
    salts: dict[str, str] = {}
    newest: dict[str, Entry] = {}
    for row in _rows(text):
        try:
            if "key" in row:
                salt = bytes.fromhex(row["salt"])
                if len(salt) == KEY_BYTES and row["key"] == _name_of(salt):
                    salts[row["key"]] = salt.hex()
                continue
            entry = Entry(row)
            if not entry.at or (entry.reason != LIFTED and not (entry.digests and all(map(_is_digest, entry.digests)))):
                continue
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        if entry.id not in newest or newest[entry.id].at <= entry.at:
            newest.pop(entry.id, None)
            newest[entry.id] = entry
    entries = [entry for entry in newest.values() if entry.reason != LIFTED and entry.salt in salts]
    return KeptOut(entries, salts, max((entry.at for entry in newest.values()), default=""))


def with_remarks(document: str, kept: KeptOut) -> str:
    """Return MEMORY.md with a remark (day, new text) on each superseded entry whose replacement is in it too."""
    if not any(entry.after for entry in kept.entries):
        return document
    from agentws.core.markdown import markdown  # seldom

    lines = document.split("\n")
    units = [unit for unit in markdown.units(document) if unit.kind != markdown.HEADING]
    texts = [" ".join(unit.text[markdown.marker(unit.text) :].split()) for unit in units]
    for unit, text in zip(units, texts, strict=True):
        entry = kept.whole(text, SUPERSEDED)
        new = next((other for other in texts if kept.after(entry, other)), "") if entry is not None else ""
        if entry is not None and new:
            line = lines[unit.end_line - 1].rstrip()
            source = origin.ending(origin.of_line(line))
            source = source if line.endswith(source) else ""
            remark = f" (until {entry.day}, replaced by: {new.removesuffix(origin.ending(origin.of_line(new)))})"
            lines[unit.end_line - 1] = f"{line.removesuffix(source)}{remark}{source}"
    return "\n".join(lines)


def key_line(salt: str, *, at: str) -> tuple[str, str]:
    """Return (the id of a new key, its line), from 64 hexadecimal digits."""
    name = _name_of(bytes.fromhex(salt))
    return name, plainjson.dumps({"v": 1, "at": at, "key": name, "salt": salt})


def entry_fields(
    forms: Iterable[str], reason: Reason, *, key: tuple[str, str], at: str, by: str, after: str | None = None
) -> dict[str, object] | None:
    """Return the fields of an entry for the forms of a text, None if they have no words; `key` is (id, salt).

    Forgotten forms are met anywhere in a text, others as a whole. `after` is the text that replaced a superseded one.
    """
    name, salt = key
    secret = bytes.fromhex(salt)
    tokens = [names for form in forms if (names := words.of(form))]
    if not tokens:
        return None
    if reason == FORGOTTEN:
        digests = [*dict.fromkeys(_digest(each[:_MOST_WORDS], secret) for each in tokens)]
    else:
        digests = [*dict.fromkeys(whole_digest(each, secret) for each in tokens)]
    replaced = {"after": whole_digest(words.of(after), secret)} if after is not None else {}
    # Any other entry has another id: only a lifted one ends it.
    text = "\n".join((reason, *sorted(digests), *replaced.values()))
    fields: dict[str, object] = {
        "v": 1,
        "at": at,
        "id": digest.quick(text.encode())[:_ID_DIGITS],
        "reason": reason,
        "by": by,
        "salt": name,
        "words": len(tokens[0]),
        "digests": digests,
    }
    return fields | replaced


def lifted_fields(entry: Entry, *, at: str, by: str) -> dict[str, object]:
    """Return the fields of a line that ends an entry."""
    return {"v": 1, "at": at, "id": entry.id, "reason": LIFTED, "by": by, "salt": entry.salt}


def message(fields: Mapping[str, object], *, agent: str) -> bytes:
    """Return the statement that the writer of a line signs: the agent's id and all its fields but the signature."""
    plain = {name: value for name, value in sorted(fields.items()) if name != "signature"}
    return f"agentws-kept-out-1 {agent} {plainjson.dumps(plain)}\n".encode()


def whole_digest(tokens: Sequence[str], key: bytes) -> str:
    """Return the keyed digest of a whole text."""
    return f"{_WHOLE}{_digest(tokens, key)}"


def _digest(tokens: Sequence[str], key: bytes) -> str:
    joined = "\x1f".join(tokens).encode("utf-8", "surrogateescape")
    return f"{len(tokens)}:{digest.quick(joined, key)[:_DIGITS]}"


def _is_digest(text: str) -> bool:
    count, _, value = text.removeprefix(_WHOLE).partition(":")
    is_count = count.isascii() and count.isdecimal() and len(count) <= _COUNT_DIGITS and count[:1] != "0"
    return is_count and len(value) == _DIGITS and not value.strip("0123456789abcdef")


def _name_of(salt: bytes) -> str:
    return digest.quick(salt)[:_ID_DIGITS]


def later(now: str, newest: str) -> str:
    """Return a time for a new line that is behind the `newest` one, of a clock that may be ahead."""
    if now > newest:
        return now
    from datetime import UTC, datetime, timedelta  # seldom

    try:
        moment = datetime.fromisoformat(newest.removesuffix("Z")).replace(tzinfo=UTC) + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return now
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


def lines(text: str) -> dict[str, dict[str, Any]]:
    """Return the fields of each line that is a JSON object, by the line; empty fields for any other."""
    return {line: next(_rows(line), {}) for line in text.split("\n") if line.strip()}


def in_order(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the file with these lines, in the order of their times; a key comes before its entries."""
    order = sorted(rows, key=lambda line: (str(rows[line].get("at", "")), "key" not in rows[line], line))
    return "".join(f"{line}\n" for line in order)


def _rows(text: str) -> Iterator[dict[str, Any]]:
    return filter(None, map(plainjson.fields_of, filter(str.strip, text.split("\n"))))
