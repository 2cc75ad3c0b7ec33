"""agentws hook."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import options, typer_glue, verbs

EXAMPLES = typer_glue.examples(
    """echo '{"session_id": "s1", "source": "startup"}' | agentws hook claude-code SessionStart""",
    "agentws hook claude-code SessionStart --part 2 < start.json      the second text of its boot",
    "agentws hook codex PostToolUse < call.json",
    "agentws hook gemini SessionEnd < end.json      a handoff, then the end of the session",
)

_option = typer_glue.option_of(options.HOOK)


def hook(
    context: typer.Context,
    host: Annotated[
        str, typer.Argument(metavar="HOST", help="claude-code, codex, gemini, qwen, copilot, opencode or openclaw.")
    ],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="What the host calls the event.")],
    part: Annotated[int | None, _option("part")] = None,
    of: Annotated[int | None, _option("of")] = None,
) -> None:
    """Answer a hook of the program that the agent runs in: `agentws install` has it called.

    The host's JSON is read from standard input, and what the host wants is printed. Whatever fails, the exit code is 0.
    """
    verbs.hook(typer_glue.of(context), host=host, event=event, part=part, of=of)
