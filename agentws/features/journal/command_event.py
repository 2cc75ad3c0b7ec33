"""The verb `agentws event`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import invocation
from agentws.core.terminal.options import AGAIN, Verb, flag, number, optional, text
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run


def event(
    run: Run,
    *,
    kind: str | None,
    text: str | None,
    tool: str | None,
    input: str | None,
    output: str | None,
    call: str | None,
    importance: int | None,
    task: str | None,
    via: str | None,
    session: str | None,
    body: str | None,
    stdin: bool,
) -> None:
    """Record one durable event in the journal. Print its WRITER:SEQ."""
    if stdin:
        from agentws.core.terminal import stream

        stream.events(run, others=(kind, text, tool, input, output, call, importance, task, via, session, body))
        return
    if kind is None:
        raise UsageError("Missing KIND.", hint='agentws event decision "Chose SQLite", or --stdin for many.')
    notices: list[str] = []
    done = run.workspace().event(
        kind,
        invocation.argument(text) if text is not None else None,
        tool=tool,
        input=invocation.json_or_text(input, "--input", notices),
        output=invocation.json_or_text(output, "--output", notices),
        call=call,
        importance=importance,
        task=task,
        via=via,
        session=session,
        body=invocation.json_object(body, "--body"),
    )
    notices += done.notices
    fields: dict[str, object] = {
        "cursor": done.cursor,
        "seq": done.seq,
        "id": done.id,
        "recorded": done.seq is not None,
        "notices": notices,
    }
    run.done("event", fields, [done.cursor] if done.cursor else [], notices)


VERBS = (
    Verb(
        "event",
        event,
        (
            optional("kind", "[KIND]", "action, result, error, decision, note, or any word.", completes="event-kind"),
            optional("text", "[TEXT]", "Text of the event; `-` reads standard input."),
            text("--tool", "TOOL", "Name of the tool that the action calls."),
            text("--input", "JSON", "Input of the tool: JSON or text."),
            text("--output", "JSON", "Output of the tool: JSON or text."),
            text(
                "--call",
                "ID",
                "Call that an action starts, or that a result or error ends. Default of an action: the printed "
                "WRITER:SEQ, also in its short form.",
            ),
            number("--importance", "N", "Importance, 1 to 10; boot keeps showing 7 and above.", least=1, most=10),
            text("--task", "SLUG", "Task of the event.", completes="task"),
            text("--via", "SRC", "Source: user, agent:NAME, tool:NAME, net:HOST."),
            text("--session", "ID", "Session of the event. Default: $AGENTWS_SESSION.", completes="session"),
            text("--body", "JSON", "Additional body fields, as a JSON object."),
            flag(
                "--stdin",
                "Read one JSON event per line of standard input; print one acknowledgement per event.",
                is_hot=False,
            ),
            AGAIN,
        ),
        'agentws event decision "Chose SQLite" --importance 8',
        'CALL=$(agentws event action --tool web_search --input \'{"query": "weather"}\')',
        "agentws event result --call $CALL --output '\"sunny\"'",
        "agentws event --stdin < events.jsonl",
        is_hot=True,
    ),
)
