"""What boots have shown of MEMORY.md: when an entry was last in a boot that hooks gave to an agent."""

from __future__ import annotations

from datetime import date

from agentws.core import Record, Result
from agentws.core.formats import digest, layout
from agentws.core.formats.audience import SHARED
from agentws.core.journal import recall_marks
from agentws.core.markdown import markdown
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.core.stores.stores import Stores
    from agentws.features.boot.result import Booted

LONG_DAYS = 60
_ENTRIES = "entries"
_MOST_BYTES = 1 << 20


class UnshownEntry(Record, Result):
    """An entry of MEMORY.md that no boot has shown since the day `since` (ISO): its line, and its first line's text."""

    path: str
    line: int
    text: str
    since: str


def receipt(booted: Booted) -> dict[str, object]:
    """Return what the text of a boot contains, all of it or a part: tokens, and tokens by section, as plain values.

    In a part they are counted by lines. `boot` is equal for the parts of one boot, which are `parts`.
    """
    parts = 1 if booted.part is None else booted.parts
    lines = frozenset(booted.text.split("\n"))
    sections = [
        (section.source, round(section.tokens * (parts == 1 or _share(booted.whole[slice(*section.span)], lines))))
        for section in booted.context.sections
    ]
    return {
        "boot": digest.quick(booted.whole.encode("utf-8", "replace")),
        "parts": parts,
        "tokens": booted.tokens,
        "budget": booted.budget,
        "sections": sections,
    }


def _share(text: str, lines: Collection[str]) -> float:
    """Return the part of a text, from 0 to 1, that is in lines of `lines`."""
    return sum(len(line) + 1 for line in text.split("\n") if line in lines) / (len(text) + 1)


def note(stores: Stores, booted: Booted) -> None:
    """Note which entries of MEMORY.md a boot of today shows; for others the day they were first seen stays."""
    if booted.audience == SHARED:
        return  # it leaves out what is private
    before, today = _days(stores), stores.here().day
    days = {mark: today if is_shown else before.get(mark, today) for _, _, mark, is_shown in _entries(stores, booted)}
    if days != before:
        recall_marks.write_shown(stores.files, {_ENTRIES: days})


def unshown(stores: Stores, booted: Booted) -> list[UnshownEntry]:
    """Return the entries of MEMORY.md that neither this boot shows nor any that hooks gave in the last LONG_DAYS."""
    if booted.audience == SHARED or not (days := _days(stores)):
        return []
    oldest = date.fromisoformat(stores.here().day).toordinal() - LONG_DAYS
    return [
        UnshownEntry(layout.MEMORY, line, text, since)
        for line, text, mark, is_shown in _entries(stores, booted)
        if not is_shown and (since := days.get(mark)) and date.fromisoformat(since).toordinal() <= oldest
    ]


def _days(stores: Stores) -> dict[str, str]:
    """Return the day (ISO) by the digest of each known entry."""
    days = recall_marks.read_shown(stores.files).get(_ENTRIES)
    if not isinstance(days, dict):
        return {}
    return {mark: day for mark, day in days.items() if isinstance(day, str) and layout.is_day(day)}


def _entries(stores: Stores, booted: Booted) -> Iterator[tuple[int, str, str, bool]]:
    """Yield (line, first line, digest, whether the boot shows it) of the entries in MEMORY.md."""
    try:
        path = stores.files.real(layout.MEMORY)
        text = stores.files.part(path, _MOST_BYTES)[0].decode("utf-8", "replace")
    except AgentwsError:
        return
    sections = [section for section in booted.context.sections if section.source == path]
    shown = "".join(f"\n{booted.whole[slice(*section.span)]}" for section in sections)
    lines = frozenset(shown.split("\n"))
    for unit in markdown.units(text):
        first = unit.text.split("\n", 1)[0].rstrip()
        if unit.kind == markdown.HEADING or not first:
            continue
        # A remark may follow a line; content from outside is quoted.
        is_shown = first in lines or f"\n{first}" in shown or f"\n> {first}" in shown
        yield unit.line, first, digest.quick(unit.text.encode("utf-8", "replace"))[:16], is_shown
