"""Rendering of `agentws why --then`: lines for people, JSON fields for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from agentws.core.disk import clock
from agentws.core.formats.journal import summary
from agentws.core.formats.journal.event import Event
from agentws.core.formats.secrets import redaction
from agentws.core.stores.provenance import EntrySource
from agentws.core.terminal import moments, output
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line
from agentws.features.approvals.approval import Approval
from agentws.features.journal.audit import AuditRow
from agentws.features.memory.then import Then

_ACTION = "[cursor at src session kind what outcome result=result_text result_src=result_source]"
NAMES = f"""
    ref text src at? is_exact session? is_sure sources=lines[path now line end_line=end day? state src text]
    booted? boot given[source tokens]
    requests recalled[cursor at tokens entries[path line end_line score state text]]
    waiting approvals[id question status asked? decided? decided_by? proof? path] before{_ACTION} after{_ACTION} notices
"""
BOOT = "text tokens budget sections=context.sections[source tokens]"


def fields(answer: Then, boot: dict[str, object] | None) -> dict[str, object]:
    """Return the fields of `agentws/why-then@1`. `boot` has the fields BOOT of the boot at `answer.booted`."""
    requests = [output.fields(each, "cursor at text", text=_request(each)) for each in answer.requests]
    return output.fields(answer, NAMES, requests=requests, boot=boot)


def lines(answer: Then, sections: Sequence[tuple[str, int]], tokens: int, now: datetime) -> Iterator[str]:
    """Yield the lines of `why --then`: the line, its session, what was known, asked, allowed and done.

    `sections` are (source, tokens) of the boot at `answer.booted`, `tokens` those of all of it.
    """
    text = one_line(answer.text)
    yield text if origin.of_line(text) else f"{text}{origin.ending(answer.src)}"
    if not answer.at:
        yield f"{output.place(answer.ref)}: its moment is unknown."
    else:
        at = clock.local(answer.at, now)
        yield f"{output.place(answer.ref)}, {at if answer.is_exact else f'{at[:10]}, time unknown'}"
    if answer.session:
        yield f"Session {one_line(answer.session)}{'' if answer.is_sure else ', the only one that ran then'}"
    yield from _part("Made from", [_source(each) for each in answer.lines])
    if answer.booted:
        booted = clock.local(answer.booted, now)
        title = f"Boot of {booted}, {tokens:,} tokens: agentws boot --now "
        boot = [f"{tokens:>6,}  {one_line(source)}" for source, tokens in sections]
        yield from _part(f"{title}{booted.replace(' ', 'T')}", boot)
    requests = [f"{clock.local(each.at, now)}  {one_line(_request(each))}" for each in answer.requests]
    yield from _part("Asked before", requests)
    recalled = [entry for receipt in answer.recalled for entry in receipt.entries]
    yield from _part("Recalled before", [output.place(entry.path, entry.line) for entry in recalled])
    approvals = [_approval(each, waited=each.id in answer.waiting) for each in answer.approvals]
    yield from _part("Approvals", approvals)
    yield from _part("Done before", [_action(row, now) for row in answer.before])
    yield from _part("Done after", [_action(row, now) for row in answer.after])


def _request(asked: Event) -> str:
    return summary.of(redaction.without_named(asked.body))


def _approval(asked: Approval, *, waited: bool) -> str:
    status = f"waited then, {asked.status}" if waited and asked.status != "pending" else asked.status
    return f"{asked.id}  {status}{f' ({asked.proof})' if asked.proof else ''}  {one_line(asked.question)}"


def _part(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield ""
        yield title
        yield from (f"  {entry}" for entry in entries)


def _source(source: EntrySource) -> str:
    return f"{output.place(source.now, source.line)}  {source.state}  {summary.cut(one_line(source.text))}"


def _action(row: AuditRow, now: datetime) -> str:
    what = row.what if row.kind == "action" else f"{row.kind}: {row.what}"
    result = ": ".join(filter(None, (row.outcome, row.result_text)))
    took = f" ({moments.span(row.duration_s)})" if row.duration_s is not None and row.duration_s >= 1 else ""
    return f"{clock.local(row.at, now)}  {one_line(what)}{f'  → {one_line(result)}' if result else ''}{took}"
