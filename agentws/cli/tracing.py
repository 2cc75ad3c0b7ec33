"""One call of a hook, and what went wrong in it: a host is never told, so it is said on stderr and in the journal."""

from __future__ import annotations

from agentws.cli import output
from agentws.cli.deadline import OutOfTime, Within
from agentws.errors import AgentwsError, LockHeldError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.cli.asked import Run
    from agentws.operations.hook.hearing import Heard


class Hook:
    """One call of a hook: what was `heard`, and where to say what was odd."""

    __slots__ = ("heard", "run")

    def __init__(self, run: Run, heard: Heard) -> None:
        self.run = run
        self.heard = heard

    def say(self, notices: Iterable[str]) -> None:
        """Say on stderr what was odd."""
        output.notices(notices, quiet=self.run.quiet)

    def trace(self, error: BaseException) -> None:
        """Say what went wrong, on stderr, and in the journal where that can be."""
        words = _words(error)
        self.say([f"{self.heard.event} of {self.heard.host}: {words}"])
        if isinstance(error, LockHeldError):
            return  # who holds the journal holds it still
        try:
            with Within(self.heard.trace_s):
                self.run.workspace().record_failure(self.heard, words)
        except (Exception, OutOfTime):
            return  # the journal is what fails; it has been said on stderr


def _words(error: BaseException) -> str:
    if isinstance(error, AgentwsError):
        return f"{error.message} {error.hint or ''}".rstrip()
    if isinstance(error, OutOfTime):
        return "there was no time to finish it."
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted."
    return f"this is a bug in agentws: {type(error).__name__}: {error}"
