"""The verb `agentws event`: its options and its call, and the stream of events on its standard input (`--stdin`).

Each line of the stream is recorded, with one acknowledgement a line, flushed in groups.
"""

from __future__ import annotations

import os
import sys

from agentws.core.formats.json import plainjson
from agentws.core.terminal import invocation, output
from agentws.core.terminal.options import AGAIN, Verb, flag, number, optional, text
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        record_stream(run, others=(kind, text, tool, input, output, call, importance, task, via, session, body))
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
            number("--importance", "N", "Importance, 1 to 10; boot keeps 7 and above.", least=1, most=10),
            text("--task", "SLUG", "Task of the event.", completes="task"),
            text("--via", "SRC", "Source: user, agent:NAME, tool:NAME, net:HOST."),
            text("--session", "ID", "Session of the event. Default: $AGENTWS_SESSION.", completes="session"),
            text("--body", "JSON", "Additional fields, as a JSON object."),
            flag(
                "--stdin",
                "Read one JSON event per line of standard input; print one answer each.",
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


_AT_ONCE_BYTES = 1 << 18
_MOST_BYTES = 32 << 20
_MOST_LINES = 1024


def record_stream(run: Run, *, others: Sequence[object]) -> None:
    """Record the stream of events on standard input until it ends; an invalid line is answered with what is wrong.

    UsageError at the end if there was an invalid line.
    """
    if any(other is not None for other in others):
        raise UsageError("--stdin cannot be used with other options: each line is a complete event.")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("--stdin needs piped input.")
    workspace = run.workspace()
    number, wrong = 1, 0
    for lines in _groups(sys.stdin.fileno()):
        acknowledged, notices = workspace.journal.record_lines(lines, first=number)
        output.notices(notices, quiet=run.quiet)
        output.text("".join(plainjson.dumps(each, separators=(",", ":")) + "\n" for each in acknowledged))
        number += len(lines)
        wrong += sum("error" in each for each in acknowledged)
    if wrong:
        raise UsageError(
            f"{wrong} of {number - 1} lines were not recorded.", hint="The printed acknowledgements give the reasons."
        )


def _groups(fd: int) -> Iterator[list[bytes]]:
    """Yield the lines that are available at once, at most about a thousand; the last one may lack its newline."""
    parts: list[bytes] = []
    while data := os.read(fd, _AT_ONCE_BYTES):
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*parts, lines[0]))
            parts.clear()
        parts.append(rest)
        for start in range(0, len(lines), _MOST_LINES):
            yield lines[start : start + _MOST_LINES]
        if sum(map(len, parts)) > _MOST_BYTES:
            parts[1:] = [b"\0"]  # so it is no JSON, and is answered as such where it ends
    if any(parts):
        yield [b"".join(parts)]
