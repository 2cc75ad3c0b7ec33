"""The verb agentws why."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.journal import summary
from agentws.core.terminal import output, paths
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.memory.why import MemoryList, Why


def why(run: Run, *, place: str) -> None:
    """Show where a line came from: the command and session that wrote it, the log lines behind a memory."""
    workspace = run.workspace()
    resolved = paths.resolved(place, workspace.root)
    if layout.usual(resolved.removeprefix("./")) == layout.MEMORY:
        listed = workspace.memory.list()
        run.done("why-list", list_fields(listed), list_lines(listed), listed.notices, look=output.ROWS)
    else:
        found = workspace.memory.why(resolved)
        run.done("why", why_fields(found), why_lines(found, workspace.stores.clock.now()), found.notices)


VERBS = (
    Verb(
        "why",
        why,
        (
            optional(
                "place",
                "[FILE:LINE]",
                "Line to explain. Default: all entries that compaction or curate made.",
                default="MEMORY.md",
            ),
        ),
        "agentws why MEMORY.md:12               the log lines behind a memory",
        "agentws why memory/2026-11-02.md:31    what became of a line, or who asked for it",
        "agentws why                            these entries, with how many sources each has",
    ),
)


_LONGEST = 100


def list_fields(found: MemoryList) -> dict[str, object]:
    """Return the fields of `agentws/why-list@1`."""
    entries = [output.fields(one, "line text day run sources src?") for one in found.entries]
    return {"path": found.path, "entries": entries, "notices": found.notices}


def list_lines(found: MemoryList) -> Iterator[str]:
    """Yield the entries that `why` lists without a place, one a line."""
    if not found.entries:
        yield f"No entry of {found.path} comes from compaction."
    places = [f"{one.path}:{one.line}" for one in found.entries]
    counts = [f"{one.sources} source{'s' * (one.sources != 1)}" for one in found.entries]
    wide, long = max(map(len, places), default=0), max(map(len, counts), default=0)
    for one, place, count in zip(found.entries, places, counts, strict=True):
        yield f"{place:<{wide}}  {count:<{long}}  {one.day}  {summary.cut(one_line(one.text), _LONGEST)}"


def why_fields(found: Why) -> dict[str, object]:
    """Return the fields of `agentws/why@1`."""
    return {
        **output.fields(found, "path line text run? day? left_in? src"),
        "stated_from": {"ref": found.stated_from, "src": found.stated_src} if found.stated_from else None,
        **output.fields(found, "kind? first? confirmed state? reason? until?"),
        "about": {"path": found.about, "state": found.freshness or None} if found.about else None,
        "sources": [_source_fields(one) for one in found.sources],
        "became": found.became,
        "written_by": output.fields(found, "verb change sure=is_sure session?") if found.verb else None,
        "events": [
            {"cursor": one.cursor, "at": one.at, "kind": one.kind, "text": summary.of(one.body)} for one in found.events
        ],
        "says": found.says,
        "notices": found.notices,
    }


def _source_fields(one: Any) -> dict[str, object]:
    return output.fields(one, "path now line end_line=end day? state src text")


def why_lines(found: Why, now: datetime) -> Iterator[str]:
    """Yield the lines that `why` prints about the origin of a line."""
    text = one_line(found.text)
    yield text if origin.of_line(text) else f"{text}{origin.ending(found.src)}"
    yield from _origin(found.src)
    yield from _held(found)
    if found.run:
        yield f"Written by the compaction of {found.run}, from:"
    if found.stated_from:
        where = one_line(found.stated_from)
        heard = f" as its own statement, from {where} ({one_line(found.stated_src)})."
        who = "a person" if origin.class_of(found.src) == origin.USER else "the agent"
        yield f"Stated by {who}{heard if origin.is_outside(found.stated_src) else f', from {where}.'}"
    if found.left_in:
        yield f"Removed from MEMORY.md by the compaction of {found.left_in}."
    for source in found.sources:
        yield from _source(source)
    if found.verb and found.is_sure:
        yield f"Written by `agentws {found.verb}` (change {found.change} of this machine)."
        if found.session:
            yield f"To see who asked for it: agentws session show {one_line(found.session)}"
    yield from (f"Became {place}." for place in found.became)
    if found.events:
        yield "Journal events about this file:"
    for one in found.events:
        yield f"  {one.cursor}  {clock.local(one.at, now)}  {one.kind}  {summary.of(one.body)}"
    yield from found.says


_FRESH = {"fresh": "not changed since", "drifted": "changed since", "gone": "deleted"}


def _held(found: Why) -> Iterator[str]:
    """Yield since and until when an entry held, and whether the file that it is about has changed."""
    if found.first:
        said = f"First said {found.first}"
        is_later = bool(found.confirmed) and found.confirmed[-1] != found.first
        yield said + (f", last confirmed {found.confirmed[-1]}." if is_later else ".")
    if found.about:
        state = found.freshness or "unknown"
        yield f"About {one_line(found.about)}: {state}, {_FRESH.get(found.freshness, 'could not be read')}."
    if found.state:
        reason = f": {one_line(found.reason)}" if found.reason else ""
        yield f"{found.state.capitalize()}{reason}." + (f" It held until {found.until}." if found.until else "")


def _origin(src: str) -> Iterator[str]:
    if origin.is_outside(src):
        yield f"Origin: {one_line(src)}, from outside, not verified."


def _source(one: Any) -> Iterator[str]:
    whose = f"  {one_line(one.src)}" if origin.is_outside(one.src) else ""
    yield f"  {one.now}:{one.line}" + (f"-{one.end}" if one.end > one.line else "") + f"  {one.day}  {one.state}{whose}"
    yield from (f"    {line}" for line in one.text.split("\n") if line.strip())
