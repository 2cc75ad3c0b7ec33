"""What to show of one file when not all of it fits: whole entries first, shortened ones where they must be.

A file that fits is shown as it is. Else each entry (an item under its headings) has a priority; the best ones are
taken in their short form until the grant is used, then grown to their full form in the same order, and shown in the
order of the file. Cuts fall between entries, or after a sentence, and every shortened entry ends in `…`.
"""

from __future__ import annotations

from datetime import date

from agentws.formats import inset, markdown, notes, origin, quotation
from agentws.formats.lazy import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Measure = Callable[[str], int]
    """Units of a text, under the counter in use."""

_DATE = Pattern(r"\b(20\d\d-[01]\d-[0-3]\d)\b")
_SHORT_CHARS = 160
_NOT_WORTH_CUTTING_CHARS = 90
_LONGEST_HEADING_CHARS = 80
_LONGEST_BLANK_CHARS = 240
_TELLING_HEADING_CHARS = 8
_KINDS = {
    "todo": 3.0,
    "question": 2.5,
    "decision": 2.5,
    "error": 2.0,
    "lesson": 2.0,
    "preference": 2.0,
    "fact": 1.0,
}
_BOUNDARIES = (
    *("boundar", "red line", "never", "rule", "security", "principle", "safety", "non-negotiable", "must"),
    *("mandatory", "critical"),
)
_STRICT = ("NEVER", "ALWAYS", "ONLY", "MUST", "DO NOT", "CRITICAL", "MANDATORY")
_BLANKS = (
    *("to be added", "to be determined", "(unknown)", "(optional)", "tbd", "birth certificate", "make it yours"),
    *("sharper version", "as you learn", "update this as you go", "yours to evolve", "this folder is home"),
)
"""What a template says of itself, or of a field that nobody filled in."""


class Entry:
    """One item that may be shown, in full or short (line ends at the end of both).

    `form` as in formats/markdown.py, `done`, `kind` and `importance` as in formats/notes.py; `path` are its headings.
    `lead` is what must stand before
    the first entry of its group: its heading. `head` is the same for the rows of a table: the table's header. Groups
    follow each other in the order of the file. `is_foreign`: others wrote it, by its mark, or by its form
    (planning/foreign.py).
    """

    __slots__ = (
        *("done", "form", "full", "group", "head", "importance", "is_foreign"),
        *("kind", "path", "priority", "short"),
    )

    def __init__(self, note: notes.Note, priority: float) -> None:
        unit = note.unit
        self.done = note.done
        self.kind = note.kind
        self.importance = note.importance
        self.form = unit.kind
        self.group = unit.under
        self.path = unit.path
        self.head = unit.head
        self.full = unit.text.rstrip("\r\n ") + "\n"
        self.short = _short(self.full, unit.kind)
        if self.short != self.full and inset.has_fence(self.full):
            self.short = inset.lines(self.short)  # a fence that is cut has no end
        self.priority = priority
        self.is_foreign = bool(note.src)

    @property
    def lead(self) -> str:
        """Its headings, as one line."""
        return _heading(self.path)

    def opens(self, seen: set[tuple[int, str]]) -> str:
        """What has to be printed before this entry, given the groups and tables that were `seen` already."""
        lead = "" if (self.group, "") in seen else self.lead
        return lead + ("" if (self.group, self.head) in seen else self.head)

    def mark(self, seen: set[tuple[int, str]]) -> None:
        """Note that the entry's group and table are open now."""
        seen.update(((self.group, ""), (self.group, self.head)))


class Excerpt:
    """What is shown of a file.

    `text` is ready to print; `units` is its cost; `shown` counts the entries in it; `kept` is what it holds of the
    file's entries (no headings), so that what is left out can be counted exactly; `partly` tells whether any entry
    is missing or shortened, `unshown` are the missing ones.
    """

    __slots__ = ("kept", "partly", "shown", "text", "units", "unshown")

    def __init__(
        self, text: str, units: int, *, shown: int, kept: str, partly: bool, unshown: tuple[Entry, ...]
    ) -> None:
        self.text = text
        self.units = units
        self.shown = shown
        self.kept = kept
        self.partly = partly
        self.unshown = unshown


def entries(found: Sequence[notes.Note], *, by_position: bool, tags: Sequence[str] = ()) -> list[Entry]:
    """The entries of a file, in order. `by_position`: later ones weigh more, as in a log; so do those with `tags`."""
    late = 2.0 / len(found) if by_position and found else 0.0
    return [
        Entry(note, _priority(note) + late * index + 3.0 * any(tag in tags for tag in note.tags))
        for index, note in enumerate(found)
    ]


def quote(entries: Sequence[Entry], found: Sequence[notes.Note], text: str) -> None:
    """Let entries say what `text` says in their lines, where what comes from outside is quoted."""
    lines = text.split("\n")
    for entry, note in zip(entries, found, strict=True):
        said = "\n".join(lines[note.unit.line - 1 : note.unit.end_line]).rstrip("\r\n ") + "\n"
        if said != entry.full:
            entry.full = said
            entry.short = _short(said, entry.form)
            if entry.short != said and inset.has_fence(said):
                entry.short = inset.lines(entry.short, quotes=False)


def whole(text: str, entries: Sequence[Entry], measure: Measure) -> Excerpt:
    """The file as it is."""
    shown = text.strip("\n") + "\n"
    return Excerpt(shown, measure(shown), shown=len(entries), kept=text, partly=False, unshown=())


def everything(entries: Sequence[Entry], measure: Measure) -> Excerpt:
    """Every one of `entries` in full, under its headings: for a file of which others may see a part only."""
    return of(entries, {index: entry.full for index, entry in enumerate(entries)}, measure)


def best(entries: Sequence[Entry], grant: int, measure: Measure, *, at_least: bool = False) -> Excerpt:
    """The best entries that cost at most `grant` units.

    `at_least`: where not even one short entry fits, the best one is cut to fit rather than nothing shown.
    """
    order = sorted(range(len(entries)), key=lambda index: -entries[index].priority)
    chosen: dict[int, str] = {}
    spent = 0
    seen: set[tuple[int, str]] = set()
    for index in order:
        entry = entries[index]
        cost = measure(entry.opens(seen)) + measure(entry.short)
        if spent + cost <= grant:
            chosen[index] = entry.short
            entry.mark(seen)
            spent += cost
    for index in order:
        more = measure(entries[index].full) - measure(entries[index].short)
        if index in chosen and spent + more <= grant:
            chosen[index] = entries[index].full
            spent += more
    if not chosen and at_least and entries:
        cut = clip(entries[order[0]].short, grant, measure)
        if cut:
            rest = tuple(entry for index, entry in enumerate(entries) if index != order[0])
            return Excerpt(cut, measure(cut), shown=1, kept=cut, partly=True, unshown=rest)
    return of(entries, chosen, measure)


def clip(text: str, grant: int, measure: Measure) -> str:
    """What of `text` costs at most `grant` units: all of it, or whole words of its beginning and `…`, or nothing."""
    if measure(text) <= grant:
        return text
    text = inset.lines(text, quotes=False)
    words = text.rstrip().split(" ")
    end = f"…{origin.ending(origin.within(text))}\n"
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(" ".join(words[:middle]) + end) <= grant:
            low = middle
        else:
            high = middle - 1
    kept = " ".join(words[:low]).rstrip(" ,;:-*#|")
    return f"{kept}{end}" if kept else ""


def of(
    entries: Sequence[Entry], chosen: dict[int, str], measure: Measure, *, elsewhere: dict[int, str] | None = None
) -> Excerpt:
    """The excerpt that shows `chosen` (index → the text to show of that entry), under its headings.

    What is shown `elsewhere` of the entries counts as shown, but is not in the text.
    """
    elsewhere = elsewhere or {}
    shown = chosen.keys() | elsewhere.keys()
    text = "".join(_under_headings(entries, chosen))
    return Excerpt(
        text,
        measure(text),
        shown=len(shown),
        kept="".join(chosen.get(index, "") + elsewhere.get(index, "") for index in sorted(shown)),
        partly=any(chosen.get(index) != entry.full for index, entry in enumerate(entries)),
        unshown=tuple(entry for index, entry in enumerate(entries) if index not in shown),
    )


def _under_headings(entries: Sequence[Entry], chosen: dict[int, str]) -> Iterator[str]:
    """The chosen texts, each group under its heading; a line that is alone in its group has it before itself."""
    groups: dict[int, list[int]] = {}
    for index in sorted(chosen):
        groups.setdefault(entries[index].group, []).append(index)
    for group in groups.values():
        first = entries[group[0]]
        alone = len(group) == 1 and first.lead and not first.head and chosen[group[0]].count("\n") == 1
        if alone:
            says = chosen[group[0]]
            if quotation.is_quoted(says):
                yield f"{first.lead}{says}"
                continue
            yield inset.lines(f"- {first.lead[4:].rstrip()} › {says[markdown.marker(says) :].lstrip()}")
            continue
        seen: set[tuple[int, str]] = set()
        for index in group:
            yield entries[index].opens(seen)
            yield chosen[index]
            entries[index].mark(seen)


def _heading(path: tuple[str, ...]) -> str:
    if not path:
        return ""
    # A heading of one short word ("Status", "Blocker") says little without the one above it.
    telling = len(path) == 1 or len(path[-1]) > _TELLING_HEADING_CHARS
    heading = path[-1] if telling else " › ".join(path[-2:])
    day = dated(path)
    if day and day not in heading:
        heading = f"{heading} ({day})"
    if len(heading) > _LONGEST_HEADING_CHARS:
        heading = heading[:_LONGEST_HEADING_CHARS].rstrip() + "…"
    return f"### {heading}\n"


def _priority(note: notes.Note) -> float:
    if note.src:
        return 0.0  # how it is worded gives it no weight
    first = note.unit.text.lstrip(" \t-*+>0123456789.)")
    priority = _KINDS.get(note.kind or "", 0.0)
    if note.importance is not None:
        priority += (note.importance - 5) * 0.8
    if note.done is False:
        priority += 3.0
    elif note.done:
        priority -= 1.0
    if first.startswith("**"):
        priority += 0.8
    above = " ".join(step[:200] for step in note.unit.path).lower()
    if any(word in above for word in _BOUNDARIES) or any(word in note.unit.text[:80] for word in _STRICT):
        priority += 1.5
    if "⚠" in note.unit.text[:40] or "⚠" in above:
        priority += 1.5
    if note.unit.kind == markdown.FENCE:
        priority -= 1.5
    if _says_little(note.unit.text.strip()):
        priority -= 2.0
    return priority


def _says_little(text: str) -> bool:
    """True for a label whose list stands elsewhere, and for what a template left behind."""
    if len(text) > _LONGEST_BLANK_CHARS:
        return False
    lowered = text.lower()
    return (
        "\n" not in text and (text.endswith((":", ":**")) or (text[:1] == text[-1:] == "_" and len(text) > 2))
    ) or any(blank in lowered for blank in _BLANKS)


def _short(full: str, kind: str) -> str:
    """The bold lead, the first sentence or the first line of an entry, with `…` where anything follows."""
    first, _, below = full.partition("\n")
    first = first.rstrip()
    if first.rstrip("*_ ").endswith(":") and below.strip():
        # A label alone says nothing: what it stands for is on the next line.
        first += "\n" + below.strip("\n").split("\n", 1)[0].rstrip()
    if kind in (markdown.FENCE, markdown.ROW) or len(full) <= _NOT_WORTH_CUTTING_CHARS:
        return full
    lead = _bold_lead(first) or _sentence(first)
    if len(lead) > _SHORT_CHARS:
        lead = lead[:_SHORT_CHARS].rpartition(" ")[0] or lead[:_SHORT_CHARS]
    if lead.rstrip() == full.rstrip():
        return full
    ending = origin.ending(origin.within(full))
    return f"{lead.rstrip(' ,;:')} …{'' if ending in lead else ending}\n"


def _bold_lead(line: str) -> str:
    start = markdown.marker(line)
    if not line[start:].startswith("**"):
        return ""
    end = line.find("**", start + 2)
    # "**Status:** blocked" leads with a label, which says nothing without what follows.
    is_label = line[end - 1 : end] == ":" or line[end + 2 : end + 3] == ":"
    return line[: end + 2] if line[start:end].count(" ") >= 2 and not is_label else ""


def _sentence(line: str) -> str:
    at = markdown.marker(line) + 12
    while at < len(line):
        if (
            line[at] in ".!?"
            and line[at + 1 : at + 2] in (" ", "")
            and (line[at - 1].isalpha() or line[at - 1] in ")`*")
        ):
            return line[: at + 1]
        at += 1
    return line


def dated(path: tuple[str, ...]) -> str:
    """The last date (ISO) in the innermost heading that has one, empty without any."""
    for step in reversed(path):
        for day in reversed(_DATE.findall(step) if "20" in step and "-" in step else ()):
            if _is_day(day):
                return str(day)
    return ""


def _is_day(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
