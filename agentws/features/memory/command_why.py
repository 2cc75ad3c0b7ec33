"""The verb agentws why."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.journal import summary
from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, optional
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.memory.why import MemoryList, Why
    from agentws.workspace import Workspace


def why(run: Run, *, place: str, then: bool) -> None:
    """Show where a line came from: its command and session, the log lines behind a memory."""
    workspace = run.workspace()
    resolved = invocation.resolved(place, workspace.root)
    if then:
        _show_then(run, workspace, resolved)
    elif layout.usual(resolved.removeprefix("./")) == layout.MEMORY:
        listed = workspace.memory.list()
        run.result("why-list", listed, _LIST, list_lines(listed), look=output.ROWS)
    else:
        result = workspace.memory.why(resolved)
        run.result(
            "why",
            result,
            _WHY,
            why_lines(result, workspace.stores.clock.now()),
            stated_from=result if result.stated_from else None,
            about=result if result.about else None,
            written_by=result if result.verb else None,
            events=[
                output.fields(event, "cursor at kind text", text=summary.of(event.body)) for event in result.events
            ],
        )


def _show_then(run: Run, workspace: Workspace, ref: str) -> None:
    from agentws.features.memory import render_then

    answer = workspace.history.then(ref)
    sections, boot = answer.given, None
    tokens = sum(count for _, count in sections)
    if answer.booted and (run.as_json or not sections):
        booted = run.workspace(moment=answer.booted).boot()
        tokens = tokens or booted.tokens
        sections = sections or [(section.source, section.tokens) for section in booted.context.sections]
        boot = output.fields(booted, render_then.BOOT)
        answer.notices += booted.notices
    fields = render_then.fields(answer, boot) if run.as_json else {}
    shown = render_then.lines(answer, sections, tokens, workspace.stores.clock.now())
    run.done("why-then", fields, shown, answer.notices)


_LIST = "path entries[line text day run sources src?] notices"
_WHY = """
    path line text run? day? left_in? src stated_from[ref=stated_from src=stated_src] kind? first? confirmed state?
    reason? until? about[path=about state=freshness?] sources[path now line end_line=end day? state src text] became
    written_by[verb change sure=is_sure session?] events says notices
"""
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
            flag("--then", "Show its moment: boot, requests, approvals, actions; also of an event or approval."),
        ),
        "agentws why MEMORY.md:12               the log lines behind a memory",
        "agentws why memory/2026-11-02.md:31    what became of a line, or who asked for it",
        "agentws why                            these entries, with how many sources each has",
        "agentws why --then memory/2026-11-02.md:31    what was known and done at that moment",
    ),
)


_LONGEST = 100


def list_lines(memory_list: MemoryList) -> Iterator[str]:
    """Yield the entries that `why` lists without a place, one a line."""
    if not memory_list.entries:
        yield f"No entry of {output.place(memory_list.path)} comes from compaction."
    places = [output.place(entry.path, entry.line) for entry in memory_list.entries]
    counts = [f"{entry.sources} source{'s' * (entry.sources != 1)}" for entry in memory_list.entries]
    wide, long = max(map(len, places), default=0), max(map(len, counts), default=0)
    for entry, place, count in zip(memory_list.entries, places, counts, strict=True):
        yield f"{place:<{wide}}  {count:<{long}}  {entry.day}  {summary.cut(one_line(entry.text), _LONGEST)}"


def why_lines(answer: Why, now: datetime) -> Iterator[str]:
    """Yield the lines that `why` prints about the origin of a line."""
    text = one_line(answer.text)
    yield text if origin.of_line(text) else f"{text}{origin.ending(answer.src)}"
    if origin.is_outside(answer.src):
        yield f"Origin: {one_line(answer.src)}, from outside, not verified."
    yield from _held(answer)
    if answer.run:
        yield f"Written by the compaction of {answer.run}, from:"
    if answer.stated_from:
        where = one_line(answer.stated_from)
        heard = f" as its own statement, from {where} ({one_line(answer.stated_src)})."
        who = "a person" if origin.class_of(answer.src) == origin.USER else "the agent"
        yield f"Stated by {who}{heard if origin.is_outside(answer.stated_src) else f', from {where}.'}"
    if answer.left_in:
        yield f"Removed from MEMORY.md by the compaction of {answer.left_in}."
    for source in answer.sources:
        yield from _source(source)
    if answer.verb and answer.is_sure:
        # Of an appended line, the record does not know which verb appended it: log, todo, done or drop.
        by = "Logged by agentws" if answer.verb == "log" else f"Written by `agentws {answer.verb}`"
        yield f"{by} (change {answer.change} of this machine)."
        if answer.session:
            yield f"To see who asked for it: agentws session show {one_line(answer.session)}"
    yield from (f"Became {output.place(path)}." for path in answer.became)
    if answer.events:
        yield "Journal events about this file:"
    for event in answer.events:
        yield f"  {event.cursor}  {clock.local(event.at, now)}  {event.kind}  {summary.of(event.body)}"
    yield from answer.says


_FRESH = {"fresh": "not changed since", "drifted": "changed since", "gone": "deleted"}


def _held(answer: Why) -> Iterator[str]:
    """Yield since and until when an entry held, and whether the file that it is about has changed."""
    if answer.first:
        message = f"First said {answer.first}"
        is_later = bool(answer.confirmed) and answer.confirmed[-1] != answer.first
        yield message + (f", last confirmed {answer.confirmed[-1]}." if is_later else ".")
    if answer.about:
        state = answer.freshness or "unknown"
        yield f"About {one_line(answer.about)}: {state}, {_FRESH.get(answer.freshness, 'could not be read')}."
    if answer.state:
        reason = f": {one_line(answer.reason)}" if answer.reason else ""
        yield f"{answer.state.capitalize()}{reason}." + (f" It held until {answer.until}." if answer.until else "")


def _source(item: Any) -> Iterator[str]:
    whose = f"  {one_line(item.src)}" if origin.is_outside(item.src) else ""
    yield (
        f"  {output.place(item.now, item.line)}"
        + (f"-{item.end}" if item.end > item.line else "")
        + f"  {item.day}  {item.state}{whose}"
    )
    yield from (f"    {line}" for line in item.text.split("\n") if line.strip())
