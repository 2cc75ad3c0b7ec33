"""What boot, log, todo, event and hook do once their words are understood: call the verb, hand the result on.

Both doors end here.
"""

from __future__ import annotations

from agentws.cli import invocation
from agentws.cli import output as _output
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.cli.invocation import Run

JSON, MESSAGES = "json", "messages"
FORMATS = ("markdown", JSON, MESSAGES)


def boot(
    run: Run,
    *,
    budget: int | None,
    tokenizer: str | None,
    audience: str,
    name: str | None,
    host: str | None,
    part: int | None,
    format: str | None,
    now: str | None,
    explain: bool,
    strict: bool,
) -> None:
    """Print the start-up context, as text, as JSON, as messages, or as an account of its tokens."""
    form = _form(run, format, part)
    booted = run.workspace(moment=now).boot(
        budget=budget, tokenizer=tokenizer, audience=audience, context_name=name, host=host, part=part
    )
    if form == JSON:
        from agentws.cli.render import everyday as render

        _output.data("boot", render.boot_fields(booted))
    elif form == MESSAGES:
        _output.values(booted.messages)
    elif explain:
        from agentws.cli.render import everyday as render

        render.explain(booted)
    else:
        _output.text(booted.text)
    if strict and booted.cut:
        raise NeedsYouError("Not everything fitted.", hint="See what was left out: agentws boot --explain")


def _form(run: Run, asked_for: str | None, part: int | None) -> str:
    """The form that is asked for, one of FORMATS."""
    form = asked_for or (JSON if run.as_json else FORMATS[0])
    if form not in FORMATS:
        raise UsageError(f"No format is called {form!r}.", hint=f"Choose one of: {', '.join(FORMATS)}.")
    if run.as_json and form != JSON:
        raise UsageError(f"--json and --format {form} are two formats.", hint="Leave one of them out.")
    if form == MESSAGES and part is not None:
        raise UsageError("Messages are the whole text, never a part of it.", hint="Leave out --part.")
    return form


def log(
    run: Run,
    *,
    text: str,
    kind: str | None,
    importance: int | None,
    tag: Sequence[str] | None,
    via: str | None,
    task: str | None,
    closes: Sequence[str] | None,
) -> None:
    """Write one line, and print where it stands."""
    done = run.workspace().log(
        invocation.argument(text),
        kind=kind,
        importance=importance,
        tags=tuple(tag or ()),
        via=via,
        task=task,
        closes=tuple(closes or ()),
    )
    run.done("log", {**done.plain(), "notices": done.notices}, [f"{done.path}:{done.line}"], done.notices)


def todo(
    run: Run,
    *,
    text: str | None,
    due: str | None,
    for_whom: str | None,
    via: str | None,
    stale: bool,
    limit: int,
) -> None:
    """Write one thing to do, and print its reference and where it stands; without a text list what is open."""
    if text is None or stale:
        from agentws.cli.render import todo as todo_render

        todo_render.list_open(run, [text, due, for_whom, via], stale=stale, limit=limit)
        return
    if text.strip() == "list":
        raise UsageError("`list` is no thing to do.", hint="`agentws todo` alone lists what is open.")
    done = run.workspace().todo(invocation.argument(text), due=due, for_whom=for_whom, via=via)
    fields = {**done.plain(), "ref": done.ref, "notices": done.notices}
    run.done("todo", fields, [f"{done.ref} {done.path}:{done.line}"], done.notices)


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
    """Record one event and print its cursor; or all of standard input, with an acknowledgement for each."""
    if stdin:
        from agentws.cli import stream

        stream.events(run, others=(kind, text, tool, input, output, call, importance, task, via, session, body))
        return
    if kind is None:
        raise UsageError("Name the kind of event.", hint='agentws event decision "Chose SQLite", or --stdin for many.')
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


def hook(run: Run, *, host: str, event: str, part: int | None, of: int | None) -> None:
    """Answer the hook of a host: its JSON is on standard input, and what it wants goes to standard output."""
    from agentws.cli.hooks import door

    door.answer(run, host, event, part, of)
