"""agentws hook."""

from __future__ import annotations

from agentws.cli.options import Verb, number, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run


def hook(run: Run, *, host: str, event: str, part: int | None, of: int | None) -> None:
    """Answer a hook of the program that the agent runs in: `agentws install` has it called.

    The host's JSON is read from standard input, and what the host wants is printed. Whatever fails, the exit code is 0.
    """
    from agentws.cli.hooks import door

    door.answer(run, host, event, part, of)


VERBS = (
    Verb(
        "hook",
        hook,
        (
            word("host", "HOST", "claude-code, codex, gemini, qwen, copilot, opencode or openclaw.", completes="host"),
            word("event", "EVENT", "Event name of the host."),
            number(
                "--part",
                "K",
                "Print the K-th text of the session start.",
                least=1,
            ),
            number(
                "--of",
                "N",
                "How many texts the host asks for: the last says how to read what has no room in them.",
                least=1,
            ),
        ),
        'echo \'{"session_id": "s1", "source": "startup"}\' | agentws hook claude-code SessionStart',
        "agentws hook claude-code SessionStart --part 2 < start.json      the second text of its boot",
        "agentws hook codex PostToolUse < call.json",
        "agentws hook gemini SessionEnd < end.json      a handoff, then the end of the session",
        is_hot=True,
    ),
)
