"""`Hook`: a hook call, and the trace of its failure on stderr and in the journal, never as an error of the host.

If a boot fails, the agent gets a text that says so.
"""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.errors import AgentwsError, LockHeldError
from agentws.features.hosts.entry.deadline import OutOfTime, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentws.core.terminal.invocation import Run
    from agentws.features.approvals.gate import Answer
    from agentws.features.hosts.hook.call import Heard


class Hook:
    """A hook call: the call as `heard`, and where to report about it.

    `delivered` runs once the reply was written, to note what was given; `afterwards` is longer work after it.
    `gated` is the rules' decision on a tool that is about to run, None before they were asked.
    """

    __slots__ = ("afterwards", "delivered", "gated", "heard", "run")

    def __init__(self, run: Run, heard: Heard) -> None:
        self.run = run
        self.heard = heard
        self.afterwards: Callable[[], object] | None = None
        self.delivered: Callable[[], object] | None = None
        self.gated: Answer | None = None

    def say(self, notices: Iterable[str]) -> None:
        """Print the notices about this hook call on stderr."""
        output.notices(notices, quiet=self.run.quiet)

    def apology(self, error: BaseException, part: int | None) -> str:
        """Return the text for the agent in place of a boot that failed, empty if the hook was not to bring one.

        Without it the agent would begin without its memory, unnoticed: hosts show nobody what is on stderr.
        """
        if not self.heard.wants_boot or (part not in (None, 1) and not isinstance(error, OutOfTime)):
            return ""
        import shlex

        from agentws.core.terminal import console_script
        from agentws.core.text import sanitize

        missing = "Your start-up context" if part in (None, 1) else f"Part {part} of your start-up context, if any,"
        words = [console_script.path() or "agentws", *self._where(), "boot"]
        if self.heard.call.audience != "main":
            words += ["--audience", self.heard.call.audience]
        return sanitize.inert(
            f"{missing} is missing. agentws failed to create it: {_words(error)}\n"
            f"First of all, run this command and read its output: {shlex.join(words)}\n"
            "If this command fails too, tell your user.\n"
        )

    def _where(self) -> tuple[str, ...]:
        return ("-C", self.run.directory) if self.run.directory else ()

    def trace(self, error: BaseException) -> None:
        """Report a failure of this hook call on stderr, and in the journal if possible."""
        words = _words(error)
        self.say([f"{self.heard.event} of {self.heard.host}: {words}"])
        if isinstance(error, LockHeldError):
            return  # the journal is still locked
        try:
            with Within(self.heard.trace_s):
                self.run.workspace().plumbing.record_failure(self.heard, words)
        except (Exception, OutOfTime):
            return  # the journal itself fails; stderr has the report


def _words(error: BaseException) -> str:
    if isinstance(error, AgentwsError):
        return f"{error.message} {error.hint or ''}".rstrip()
    if isinstance(error, OutOfTime):
        return "the time limit was reached."
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted."
    return f"this is a bug in agentws: {type(error).__name__}: {error}"
