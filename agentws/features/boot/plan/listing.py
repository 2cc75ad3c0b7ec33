"""Boot's sections that list items of many files: open items, next steps, handoffs. Pure."""

from __future__ import annotations

from itertools import groupby

from agentws.core.formats import layout
from agentws.core.markdown import markdown, notes
from agentws.core.notes import entry as _entry, open_items, reading, sources
from agentws.core.notes.entry import WAITING
from agentws.core.notes.request import ACTIVITY, DAY, DIGEST, EARLIER, HANDOFF, MEMORY, NEXT, OPEN, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.notes.open_items import NextList, OpenItem
    from agentws.core.notes.request import Request
    from agentws.features.boot.plan.section import Section

_READ = (DAY, MEMORY, DIGEST)
_WAITS = "⏳"
TODO = "agentws todo"
_LEAST_SAID_CHARS = 8
_TITLE = "Handoffs not acknowledged"


def handoffs(request: Request) -> tuple[list[Source], list[Source]]:
    """Return the handoffs that boot only lists, not shows in full, and a source with a line for each of them.

    Only the newest one is shown in full, unless it is old.
    """
    every = [source for source in request.sources if source.role == HANDOFF]
    listed = [source for place, source in enumerate(every) if place or source.is_old]
    visible = [source for source in listed if not request.hides(source)]
    text = "".join(f"- {source.title}: {source.read_with}\n" for source in visible)
    lines = Source("handoffs/", EARLIER, text, title=_TITLE, brief=_TITLE, read_with="agentws handoff list")
    return listed, [lines] if text else []


def nothing_twice(request: Request) -> list[Source]:
    """Return boot's sources without lines of recent activity that the shown handoff contains."""
    shown = next((source for source in request.sources if source.role == HANDOFF), None)
    if shown is None or shown.is_old:
        return list(request.sources)

    def without(activity: Source) -> Source:
        rows = activity.text.split("\n")
        return activity.with_text("\n".join(line for line in rows if not _says(shown.text, line)))

    return [without(source) if source.role == ACTIVITY else source for source in request.sources]


def _says(handoff: str, line: str) -> bool:
    """Return whether a handoff contains the words of a line of activity, without its day, time, kind and importance."""
    first, _, words = line.lstrip("- ").partition(" ")
    words = words.partition(" ")[2] if "-" in first else words
    if words.startswith("["):
        words = words.partition("] ")[2]
    if words[:-2].endswith(" !") or words[:-1].endswith(" !"):
        words = words.rpartition(" !")[0]
    return len(words) >= _LEAST_SAID_CHARS and words in handoff


def is_archived(source: Source) -> bool:
    """Return whether a source is an archived log."""
    return source.role == DAY and source.path.startswith(f"{layout.ARCHIVE}/2")


def items(request: Request, sections: Sequence[Section]) -> tuple[list[OpenItem], list[Source]]:
    """Return the open items that boot lists, and the sources of its sections `Open` and `Next`."""
    files = []
    for section in sections:
        source = section.source
        if source.role in _READ and not is_archived(source):
            entries = reading.read(
                source.text, path=source.path, day=source.brief if source.role == DAY else "", words=request.words
            )
            if request.shared:
                visible = {line for block in section.page.blocks for line in block.lines}
                entries = [entry for entry in entries if entry.line in visible]
            files.append(entries)
    collected = open_items.of(files, today=request.today, words=request.words)
    text = "".join(_lines(collected.open, request))
    listed = []
    if text:
        path = f"{layout.DAYS}/, {layout.MEMORY}"
        listed.append(Source(path, OPEN, text, title="Open", brief="the open items", read_with=TODO))
    if collected.next is not None:
        listed += _next(collected.next, sections, request.today)
    return collected.open, listed


def _next(following: NextList, sections: Sequence[Section], today: str) -> list[Source]:
    """Return the source of the newest list of what comes next, as its file has it.

    Its open items are left out, since the list of open items has them, and what is done. The title has the headings of
    the list, which may state a condition, and its age.
    """
    gone = {line for entry in following.entries if entry.state for line in range(entry.line, entry.end_line + 1)}
    for source in (section.source for section in sections):
        if source.path == following.path:
            lines = source.text.split("\n")
            kept = [lines[at - 1] for at in range(following.start(lines), following.end_line + 1) if at not in gone]
            indent = min((len(line) - len(line.lstrip()) for line in kept if line.strip()), default=0)
            text = "\n".join(line[indent:] for line in kept).strip("\n")
            title = f"Next, of {following.day}, {sources.distance(following.day, today)}"
            full = " · ".join((title, *(heading for heading in following.headings if following.day not in heading)))
            return [Source(source.path, NEXT, f"{text}\n", title=full, brief=title)]
    return []


def _lines(items: Sequence[OpenItem], request: Request) -> Iterator[str]:
    """Yield a line for each open item, and one for a heading that several have: below it theirs are indented."""
    for (before, heading, label), same in groupby(items, key=lambda item: _around(item, request)):
        group = list(same)
        is_shared = bool(heading) and len(group) > 1
        if is_shared:
            yield f"- {before}{heading}:{label}\n"
        for item in group:
            text = _text(item)
            behind = f"{'' if label in text else label} ^{item.ref}\n"
            text = _entry.dated(text, item.due, request.today)
            yield f"  - {text}{behind}" if is_shared else f"- {before}{heading and f'{heading}: '}{text}{behind}"


def _around(item: OpenItem, request: Request) -> tuple[str, str, str]:
    """Return what boot's list says around the text of an open item: since when, whether it waits; heading; label."""
    since = f"{_entry.short(item.since, request.today)} " if item.since else ""
    sign = f"{_WAITS} " if item.state == WAITING and _WAITS not in _text(item) else ""
    label = next((f" #{tag}" for tag in item.entry.tags if notes.has_label(f"#{tag}", request.private_labels)), "")
    return f"{since}{sign}", item.heading, label


def _text(item: OpenItem) -> str:
    words, first = item.entry.body, item.entry.first
    if not any(map(str.isalnum, words)):  # one of signs alone is shown as it is in the file
        words = first[markdown.marker(first) :]
    return " ".join(words.split()).replace(f" ^{item.ref}", "")
