"""The verb agentws hook, which hosts call."""

from __future__ import annotations

from agentws import features
from agentws.core.terminal.options import Verb, number, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run


def hook(run: Run, *, host: str, event: str, part: int | None, of: int | None) -> None:
    """Answer a hook of the agent program, set up by `agentws install`.

    It reads the host's JSON from standard input. The exit code is always 0.
    """
    from agentws.features.hosts.entry import door

    door.answer(run, host, event, part, of)


VERBS = (
    Verb(
        "hook",
        hook,
        (
            word("host", "HOST", f"{features.one_of(features.with_hooks())}.", completes="host"),
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
                "Number of texts that the host asks for; the last one says how to read the rest.",
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
