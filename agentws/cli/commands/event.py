"""agentws event."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import options, typer_glue, verbs

EXAMPLES = typer_glue.examples(
    'agentws event decision "Chose SQLite" --importance 8',
    """CALL=$(agentws event action --tool web_search --input '{"query": "weather"}')""",
    """agentws event result --call $CALL --output '"sunny"'""",
    "agentws event --stdin < events.jsonl",
)

_option = typer_glue.option_of(options.EVENT)


def event(
    context: typer.Context,
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="action, result, error, decision, note, or any word.")
    ] = None,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What happened; `-` reads standard input.")
    ] = None,
    tool: Annotated[str | None, _option("tool")] = None,
    input: Annotated[str | None, _option("input")] = None,
    output: Annotated[str | None, _option("output")] = None,
    call: Annotated[str | None, _option("call")] = None,
    importance: Annotated[int | None, _option("importance")] = None,
    task: Annotated[str | None, _option("task")] = None,
    via: Annotated[str | None, _option("via")] = None,
    session: Annotated[str | None, _option("session")] = None,
    body: Annotated[str | None, _option("body")] = None,
    stdin: Annotated[bool, _option("stdin")] = False,
) -> None:
    """Record one durable event in the journal, and print its WRITER:SEQ."""
    verbs.event(
        typer_glue.of(context),
        kind=kind,
        text=text,
        tool=tool,
        input=input,
        output=output,
        call=call,
        importance=importance,
        task=task,
        via=via,
        session=session,
        body=body,
        stdin=stdin,
    )
