"""Rendering of `agentws journal`: events, audit, verification and replay as lines for people and JSON for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.formats.json import plainjson
from agentws.core.terminal import output
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.terminal.moments import Teller
    from agentws.features.journal.audit import Audited
    from agentws.features.journal.listing import Events
    from agentws.features.journal.receipts import RecalledEntry, Receipt, Receipts
    from agentws.features.journal.replay import Replayed


_AT_ONCE = 200
_WIDEST = 60


def who(result: Any) -> str:
    """Return source, session and agent of an event as one word with slashes; for a person's answer, the person."""
    if (person := getattr(result, "decided_by", None)) and person != "agent":
        return str(person)
    within = (result.session, getattr(result, "agent", None))
    return "/".join([str(result.src), *(name for name in within if name)])


def masked(value: Any) -> Any:
    """Return a JSON value of an event without the secrets that its keys reveal: other programs write such events."""
    from agentws.core.formats.secrets import redaction  # some verbs of the journal print no event

    return redaction.without_named(value)


# list and follow


def event_lines(teller: Teller, events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines of `journal list`: one for each event, with aligned kinds."""
    for event in events:
        place, moment = teller.cursor(event.cursor), teller.moment(event.at)
        head = f"{place}  {moment}  {one_line(event.kind):<15}  {one_line(who(event))}"
        # Secrets are removed before the text is cut: half a secret is not recognised.
        words = one_line(summary.of(output.without_secrets(masked(event.body))))
        words = f"({event.wrong}) {words}" if event.wrong else words
        words = f"(retracted by {teller.cursor(event.retracted)}) {words}" if event.retracted else words
        yield f"{head}  {words}".rstrip()


def print_events(events: Events) -> None:
    """Print the JSON of `journal list`: one object with an event on each line, not held in memory as a whole."""
    output.text('{"schema": "agentws/journal-list@1", "events": [')
    lines: list[str] = []
    before = "\n"
    for event in events:
        lines.append(f"{before}  {plainjson.dumps(output.without_secrets(masked(event.plain())))}")
        before = ",\n"
        if len(lines) == _AT_ONCE:
            output.text("".join(lines))
            lines = []
    rest: dict[str, object] = output.fields(events, "after? left_out notices")
    rest |= output.filtered()
    output.text("".join(lines) + "\n], " + plainjson.dumps(rest)[1:] + "\n")


def followed(events: Events, event: Event) -> str:
    """Return an event of `journal follow` as a line of JSON, with the cursor behind it."""
    shown = output.without_secrets(masked(event.plain()))
    return plainjson.dumps({"schema": "agentws/journal-follow@1", **shown, "after": events.after}) + "\n"


VERIFIED = """
    sound writers[writer events segments bytes first last sealed purged] findings[path line what] notes[path line what]
"""
REPLAYED = """
    after events=state.events at=state.last.at *shown
    tasks=state.tasks.values[slug status step reason src=event.src? at=event.at cursor=event.cursor]
    sessions=state.runs.values[session=id writer parent began=first.at ended=ended.at events] handoffs older=state.older
    notices
"""


# audit


def audit_fields(audited: Audited) -> dict[str, object]:
    """Return the fields of `agentws/journal-audit@1`."""
    names = """
        cursor at src session agent agent_type decided_by kind call task what outcome told=result_text
        told_src=result_source took_ms
    """
    took = (None if row.duration_s is None else round(row.duration_s * 1000) for row in audited.rows)
    rows = [output.fields(row, names, took_ms=took_ms) for row, took_ms in zip(audited.rows, took, strict=True)]
    return output.fields(audited, "rows more notices", rows=rows)


def audit_lines(teller: Teller, audited: Audited) -> Iterator[str]:
    """Yield the table of `journal audit`."""
    if not audited.rows:
        yield "No actions found."
        return
    head = ("when", "who", "what", "result", "took")
    yield from output.table([head, *(_cells(teller, row) for row in audited.rows)])


def _cells(teller: Teller, row: Any) -> tuple[str, str, str, str, str]:
    what = row.what if row.kind in ("action", "result", "error") else f"{row.kind}: {row.what}".rstrip(": ")
    via = f"({row.result_source})" if row.result_text and origin.mark(row.result_source) else ""
    result = ": ".join(word for word in (" ".join(filter(None, (row.outcome, via))), row.result_text) if word)
    cells = (teller.moment(row.at), who(row), what, result, _took(row.duration_s))
    first, second, third, fourth, fifth = (summary.cut(one_line(cell), _WIDEST) for cell in cells)
    return first, second, third, fourth, fifth


def _took(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{round(seconds / 60)} min"


# verify


def verify_lines(result: Any) -> Iterator[str]:
    """Yield the lines of `journal verify`: findings, notes, and what was checked for each writer."""
    for each in result.findings:
        yield f"{output.place(each.path, each.line)}: {each.what}"
    for each in result.notes:
        yield f"note: {output.place(each.path, each.line)}: {each.what}"
    for writer in result.writers:
        yield f"{writer.writer}: {_checked(writer)}"
    if not result.writers:
        yield "No events yet."
    elif result.sound:
        yield "Valid: the journal is unchanged."


def _checked(writer: Any) -> str:
    begins = f" from {writer.first:,} on" if writer.first > 1 else ""
    segments = f"{writer.segments:,} segment{'s' * (writer.segments != 1)}"
    text = f"{writer.events:,} event{'s' * (writer.events != 1)}{begins} in {segments} ({writer.bytes:,} bytes)"
    purged = f", {writer.purged:,} of them purged" if writer.purged else ""
    return f"{text}{purged}, {f'sealed up to {writer.sealed:,}' if writer.sealed else 'not sealed yet'}"


# replay, and what session show shares with it

_MOST_TOLD = 10


def state_fields(state: Any) -> dict[str, object]:
    """Return the JSON fields of a replayed state: plan, actions in flight, decisions, errors and files."""
    fields = output.fields(
        state,
        "plan=plan.plain in_flight decisions[.plain] error=error.plain errors[.plain] files",
        in_flight=[{**action.plain(), "call": action.call} for action in state.actions.values()],
    )
    return {name: masked(value) for name, value in fields.items()}


def replay_lines(teller: Teller, replayed: Replayed) -> Iterator[str]:
    """Yield the lines of `journal replay`: the parts of the state, the newest of each last."""
    state = replayed.state
    if state.last is None:
        yield "No events yet."
        return
    yield f"State after {teller.cursor(state.last.cursor)}, {teller.moment(state.last.at)}: {_events(state.events)}"
    yield from state_lines(teller, state, state.decisions)
    tasks = [_task_line(teller, task) for task in state.tasks.values()]
    yield from part("Tasks", tasks, older=state.older["tasks"])
    runs = [_run_line(teller, run) for run in state.runs.values()]
    yield from part("Sessions", runs, older=state.older["sessions"])
    handoffs = list(event_lines(teller, state.handoffs))
    yield from part("Handoffs", handoffs, older=state.older["handoffs"])


def state_lines(teller: Teller, state: Any, decisions: Sequence[Event]) -> Iterator[str]:
    """Yield plan, actions in flight, decisions, last error and files of a replayed state, as far as there are any."""
    yield from part("Plan", [event_line(teller, state.plan)] if state.plan else [])
    actions = [event_line(teller, action) for action in state.actions.values()]
    yield from part("In flight, result unknown", actions, older=state.older["actions"])
    yield from part(
        "Decisions", [event_line(teller, decision) for decision in decisions], older=state.older["decisions"]
    )
    yield from part("Last error, not resolved", [event_line(teller, state.error)] if state.error else [])
    files = [one_line(path) for path in reversed(state.files[:_MOST_TOLD])]
    yield from part("Files", files, older=len(state.files) - len(files))


def event_line(teller: Teller, event: Event) -> str:
    """Return an event of the journal as a line without its kind: cursor, time, session, text."""
    session = f"  {one_line(event.session)}" if event.session else ""
    words = one_line(summary.of(masked(event.body)))
    via = "" if origin.of_line(words) else origin.ending(event.src)
    return f"{teller.cursor(event.cursor)}  {teller.moment(event.at)}{session}  {words}{via}".rstrip()


def part(title: str, lines: Sequence[str], *, older: int = 0) -> Iterator[str]:
    """Yield a section of a list, without its title if it is empty."""
    if not lines:
        return
    shown = lines[-_MOST_TOLD:]
    older += len(lines) - len(shown)
    yield ""
    yield f"{title} (newest last; {older:,} older not shown: use --json)" if older else title
    yield from (f"  {line}" for line in shown)


def _task_line(teller: Teller, task: Any) -> str:
    step = f"  step: {task.step}" if task.step else ""
    reason = f"  ({task.reason}){origin.ending(task.event.src)}" if task.reason else ""
    return one_line(f"{task.slug}  {task.status}{step}{reason}  {teller.moment(task.event.at)}")


def _run_line(teller: Teller, run: Any) -> str:
    end = f"ended {teller.moment(run.ended.at)}" if run.ended else "not ended"
    return one_line(f"{run.id}  began {teller.moment(run.first.at)}, {end}, {_events(run.events)}")


def _events(count: int) -> str:
    return f"{count:,} event{'s' * (count != 1)}"


_MOST_CHARS = 100
RECALLED = "cursor at session tokens purged entries[path line end_line score state text]"


def entry_lines(rows: Iterable[Receipt]) -> Iterator[str]:
    """Yield a line for each recalled memory of these receipts."""
    yield from (f"            {_line(entry)}" for row in rows for entry in row.entries)


def recalled_lines(teller: Teller, receipts: Receipts, *, is_on: bool) -> Iterator[str]:
    """Yield a line for each recall, and its memories below it; `is_on` is whether recall is switched on."""
    if not receipts.rows:
        why = (
            "Only certain matches are, from the next session on."
            if is_on
            else "To add them: agentws config recall.prompt true"
        )
        yield f"No memories were added to a prompt yet. {why}"
        return
    for row in receipts.rows:
        yield "  ".join(filter(None, (teller.moment(row.at), one_line(row.session or ""), _size(row))))
        yield from (f"  {_line(entry)}" for entry in row.entries)


def _size(row: Receipt) -> str:
    return "(purged)" if row.purged else f"{row.tokens or 0} tokens"


def _line(recalled_entry: RecalledEntry) -> str:
    message = (
        " ".join(output.without_secrets(recalled_entry.text).split())
        if recalled_entry.text
        else f"({recalled_entry.state})"
    )
    place = output.place(one_line(recalled_entry.path), recalled_entry.line)
    return f"{place}  {summary.cut(one_line(message), _MOST_CHARS)}"
