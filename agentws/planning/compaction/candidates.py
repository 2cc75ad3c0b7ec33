"""What may be kept of the daily logs: their reading units, taken apart into sentences that can be read alone."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from agentws.formats import markdown, notes, origin
from agentws.planning.compaction import kinds, lines, readable, sentences, tiers, withheld, wording
from agentws.planning.compaction.units import Day, Entry, Source, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPEAKER = re.compile(r"^\s*[-*+]\s+(?:\d\d:\d\d\s+)?\*\*([^*:\n]{1,40}):\*\*\s+")
_OWN = re.compile(r"^\s*[-*+]\s+(?:\d\d:\d\d\s+)?(?:\[[a-z][\w-]{1,23}\](?!\()\s+)?")
_MARKED_KIND = re.compile(r"^\s*[-*+]\s+(?:\d\d:\d\d\s+)?\[[a-z]")
_NO_SPEAKERS = re.compile(
    r"^(?:to-?dos?|next|status|notes?|done|decisions?|lessons?|questions?|why|how|what|results?|fix|problem|issue|actions?|"
    r"target|urls?|references?|time|dates?|type|details?|impact|context|summary|goals?|tasks?|files?|paths?|root|source|"
    r"links?|methods?|output|input|purpose|reason|outcome|subject|location|priority|owner|name|topic|key|model|theme)\b",
    re.IGNORECASE,
)
_PLAIN_HEADING = re.compile(
    r"\b(?:sessions?|chat|threads?|log|notes?|daily|conversation|journal|heartbeat|morning|evening|afternoon|night|"
    r"summary|updates?|part|day|today|misc|other|entry|key|tagesnotizen|utc|est|edt|pst|pdt|cet|am|pm|memory|checkpoints?|"
    r"context|status|late|very|additions?|appended|end|full|final|confirmation|changes|made|events?|major|"
    r"things|remember|tomorrow|pre-compaction|flush|(?:mon|tues|wednes|thurs|fri|satur|sun)day|fresh|boot|afternoon|"
    r"(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october|jan|feb|mar|apr|jun|jul|aug|sep|oct|"
    r"nov|dec|info|general|earlier|commitments?|new|steps?|purpose|goals?)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_TRAILERS = re.compile(
    r"(?:(?<!\s)\s++(?:#(?:[\w/:-]*+\.)*+[\d/:-]*+[^\W\d][\w/:-]*+|!(?:10|[1-9])|\(via [^\s()]++\))(?=\s|$)"
    r"|(?<!\s)\s*+<!--(?:[^<\n-]|<(?!!--)|-(?!->))*+-->)++"
)
_TRAILING = ("#", " !", "-->", "(via ")
_ENTRY = re.compile(r"^(\d{4}-\d\d-\d\d)\s")
_PINNED = re.compile(r"(?:^|\s)!10(?=\s|$)")
_LONGEST_ABOUT_CHARS = 40
_LONGEST_LABEL_CHARS = 70
_SHORTEST_HEADING_CHARS = 12
_LONGEST_TURN = 60
_MARKED = 7
"""From this importance on, a line is meant to be remembered whatever it speaks of."""
_SPOKEN_SHARE = 0.6
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]*+(?:\)|$)")
_NUMBERED = re.compile(r"\W*(?:\d+|[a-z])\W*", re.IGNORECASE)
_DASHES = " \t-–—:·|,"


def of(days: Sequence[Day], *, private_tags: Sequence[str] = ("private",)) -> list[Unit]:
    """The sentences of all `days`, in order, but for those that memory must not hold; `private_tags` in lower case."""
    found: list[Unit] = []
    for day in days:
        turns, groups = (found[-1].turn + 1, found[-1].group + 1) if found else (0, 0)
        found.extend(_Reader(day, private_tags, turns=turns, groups=groups).units())
    return found


class _Reader:
    """Reads one day; turns and groups are numbered on from where the day before ended."""

    def __init__(self, day: Day, private_tags: Sequence[str], *, turns: int, groups: int) -> None:
        self._day = day
        self._private_tags = private_tags
        self._notes = [
            note for note in notes.read(day.text) if note.unit.kind not in (markdown.FENCE, markdown.HEADING)
        ]
        self._may_be_private = withheld.may_be_private(day.text)
        self._speakers = _speakers(self._notes)
        # Where something is to be filled in, what stands beside it is of the same form; in what is said it is code.
        self._forms = (
            set() if self._speakers else {n.unit.path for n in self._notes if withheld.is_template(n.unit.text)}
        )
        self._turns = turns
        self._groups = groups

    def units(self) -> Iterator[Unit]:
        turn: list[Unit] = []
        under, label, asked = -1, "", False
        for note in self._notes:
            if note.unit.under != under:
                self._groups += 1
                label, under = "", note.unit.under
                asked = False
            who = self._who(note)
            units, label = self._of_note(note, who, label)
            if not who:
                units = readable.joined(units)
            if self._is_withheld(note, who):
                units = []
            if turn and units and not _goes_on(turn, units):
                yield from self._numbered(turn)
                asked = turn[-1].text.endswith("?") and turn[-1].is_spoken
                turn = []
            for unit in units:
                unit.group, unit.after_question = self._groups, asked
            turn += units
        yield from self._numbered(turn)

    def _is_withheld(self, note: notes.Note, who: str) -> bool:
        text, path = note.unit.text, note.unit.path
        if notes.has_label("\n".join((*path, text)), self._private_tags) or withheld.is_quoted(path):
            return True
        if path in self._forms and (len(path) > 1 or withheld.is_template(text)):
            return True
        is_marked = bool(wording.kind(note) == "fact" or (note.importance or 0) >= _MARKED or note.tags)
        if is_marked or (self._may_be_private and withheld.is_private(text, path, who=who)):
            return not is_marked
        return withheld.is_secretive(path) and tiers.kind(wording.kind(note), (), "", text) not in tiers.WEIGHTY

    def _who(self, note: notes.Note) -> str:
        found = _SPEAKER.match(note.unit.text[:80]) if self._speakers else None
        name = found.group(1).strip() if found else ""
        return name if name in self._speakers else ""

    def _numbered(self, turn: list[Unit]) -> list[Unit]:
        self._turns += 1
        for place, unit in enumerate(turn):
            unit.turn, unit.place, unit.size = self._turns, place, len(turn)
        return turn

    def _of_note(self, note: notes.Note, who: str, label: str) -> tuple[list[Unit], str]:
        """(its sentences, the label that stands above what follows it)."""
        heading = "" if who or self._speakers else _about(note.unit.path, self._day.day)
        is_item = note.unit.kind == markdown.ITEM
        inner = label if is_item else ""
        found = []
        for sentence, *span in sentences.of_lines(_body(note, who), note.unit.line):
            text = _plain(sentence, note.unit.head)
            if text.endswith(":") and len(text) <= _LONGEST_LABEL_CHARS:
                inner = "" if who else text.rstrip(":* ")
                label = inner if not is_item else label
            elif says_something(text):
                unit = self._unit(note, text, who, _joined(heading, inner), Source(self._day.path, *span))
                if not who:
                    unit.done = _state(note, sentence, span[0])
                    unit.kind = tiers.kind(_said(note), note.unit.path, inner, text)
                    if unit.done is False:
                        unit.kind = kinds.TODO
                    elif unit.kind == kinds.TODO and notes.marked(sentence):
                        unit.kind = kinds.DONE  # its mark wins over the heading it stands under
                    unit.is_low = tiers.is_low(note.unit.path, text)
                found.append(unit)
        return found, label

    def _unit(self, note: notes.Note, text: str, who: str, about: str, source: Source) -> Unit:
        return Unit(
            text=text,
            day=self._day.day,
            who=who,
            about=about,
            sources=(source,),
            kind=wording.kind(note),
            importance=note.importance,
            done=wording.done(note),
            form=note.unit.kind,
            is_spoken=bool(who),
        )


def _state(note: notes.Note, sentence: str, line: int) -> bool | None:
    """What the marks of a line below an item say, else what those of the item do."""
    below = notes.marked(sentence) if line > note.unit.line else None
    return wording.done(note) if below is None else below


def _said(note: notes.Note) -> str | None:
    """The kind that the line gives itself, or its heading where that one is meant."""
    return wording.kind(note) if _MARKED_KIND.match(note.unit.text) or not tiers.is_vague(note.unit.path) else None


def _goes_on(turn: Sequence[Unit], units: Sequence[Unit]) -> bool:
    """True where the same speaker goes on."""
    same = turn[-1].who == units[0].who != "" and turn[-1].group == units[0].group
    return same and len(turn) + len(units) <= _LONGEST_TURN


def _speakers(items: Sequence[notes.Note]) -> frozenset[str]:
    """Who speaks in a log that is a dialogue, none in one that is not: nearly every item begins with a label."""
    bullets = [note for note in items if note.unit.kind == markdown.ITEM]
    labels = Counter(found.group(1).strip() for note in bullets if (found := _SPEAKER.match(note.unit.text[:80])))
    names = [label for label in labels if not _NO_SPEAKERS.match(label)]
    if not names or sum(labels.values()) < _SPOKEN_SHARE * len(bullets) or len(names) > max(4, len(bullets) // 8):
        return frozenset()
    return frozenset(names)


def _body(note: notes.Note, who: str) -> str:
    text = note.unit.text
    if note.unit.kind != markdown.ITEM:
        return text
    found = _SPEAKER.match(text[:80]) if who else _OWN.match(text[:80])
    return text if found is None else f"{'' if who else '- '}{text[found.end() :]}"


def says_something(text: str) -> bool:
    """Return whether there are words enough in it to weigh."""
    first = _LETTERS.search(text)
    return bool(first and _LETTERS.search(text, first.end())) or len(_WORD.findall(text)) >= 3


def _plain(sentence: str, head: str) -> str:
    """The sentence without marks of lists and emphasis; a row of a table with the names of its columns."""
    text = _row(sentence, head) if sentence.startswith("|") else lines.bare(sentence)
    if any(map(text.__contains__, _TRAILING)):
        text = text.rstrip()
        runs = (run.start() for run in _TRAILERS.finditer(text) if run.end() == len(text))
        text = text[: next(runs, len(text))]
    return text.strip(" \t*_")


def _row(sentence: str, head: str) -> str:
    cells = [lines.bare(cell) for cell in sentence.strip().strip("|").split("|")]
    names = [lines.bare(cell) for cell in head.split("\n", maxsplit=1)[0].strip().strip("|").split("|")] if head else []
    if len(names) != len(cells):
        return " · ".join(cell for cell in cells if cell)
    if _NUMBERED.fullmatch(cells[0]) and len(cells) > 1:
        cells, names = cells[1:], names[1:]
    rest = [f"{name} {cell}" if name else cell for name, cell in zip(names[1:], cells[1:], strict=True) if cell]
    return f"{cells[0]}: {', '.join(rest)}" if rest else cells[0]


@lru_cache(maxsize=4096)
def _about(path: tuple[str, ...], day: str) -> str:
    """What the innermost telling heading says."""
    for step in reversed(path):
        text = lines.bare(step).replace(f"({day})", "").replace(day, "").strip(_DASHES)
        if _LETTERS.search(_PLAIN_HEADING.sub(" ", text)) and wording.kind_of_heading(text) is None:
            return _cut(text, _LONGEST_ABOUT_CHARS)
    return ""


def _cut(text: str, most: int) -> str:
    """A heading of at most `most` characters: without what stands in brackets or behind a dash, then fewer words."""
    for shorter in (text, _ASIDE.sub("", text).strip(_DASHES), _ASIDE.sub("", text).split(" — ", 1)[0].strip(_DASHES)):
        if len(shorter) <= most and _LETTERS.search(_PLAIN_HEADING.sub(" ", shorter)):
            return shorter
    return shorter[: most + 1].rpartition(" ")[0].rstrip(_DASHES + "&+/(") or shorter[:most]


def _joined(heading: str, label: str) -> str:
    """Heading and label; where there is no room for both, the heading gives way: the label says what is meant."""
    if not label:
        return heading
    label = origin.shortened(label, _LONGEST_LABEL_CHARS)
    room = _LONGEST_ABOUT_CHARS - len(label) - 3
    if len(heading) > room:
        heading = _cut(heading, room) if room >= _SHORTEST_HEADING_CHARS else ""
    return " › ".join(part for part in (heading, label) if part)


def besides(days: Sequence[Day], units: Sequence[Unit]) -> list[Unit]:
    """The sentences of days that are only counted, in turns of their own behind those of `units`."""
    found = of(days)
    first = 1 + max((unit.turn for unit in units), default=0)
    for unit in found:
        unit.turn += first
    return found


def of_entries(entries: Sequence[Entry]) -> list[Unit]:
    """Entries that are in memory already, each as a unit that is kept or leaves whole."""
    found = []
    for place, entry in enumerate(entries):
        match = _ENTRY.match(entry.text)
        day = match.group(1) if match else ""
        found.append(
            Unit(
                text=entry.text,
                day=entry.days[-1] if entry.days else day,
                turn=-1 - place,
                group=-1 - place,
                sources=entry.sources,
                kind=entry.kind,
                importance=10 if not origin.is_outside(entry.src) and _PINNED.search(entry.text) else None,
                entry=entry,
                src=entry.src,
            )
        )
    return found
