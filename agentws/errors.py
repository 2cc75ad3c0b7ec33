"""Every way to fail: what programs need (`code`, `exit_code`) in the class, the words where it is raised.

The table of exit codes in docs/reference/errors.md is generated from this module.
"""


class AgentwsError(Exception):
    """A failure without a more specific class."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.notice

    @property
    def notice(self) -> str:
        """Return the error in one line: what happened, and what to do."""
        return f"{self.message} {self.hint}" if self.hint else self.message


class UsageError(AgentwsError):
    """Invalid usage: an unknown value, a missing argument, a budget below the minimum."""

    code = "usage"
    exit_code = 2


class WideFolderError(UsageError):
    """An unconfirmed workspace in the home folder, in a parent of it, or in `/`."""

    code = "wide-folder"


class AmbiguousError(UsageError):
    """Several open items, tasks or contexts match; each is listed."""

    code = "ambiguous"


class NeedsYouError(AgentwsError):
    """A person must act: on findings, or on a question that needs a terminal."""

    code = "needs-you"
    exit_code = 3


class NotForAudienceError(NeedsYouError):
    """A command for the main audience in a session that others read."""

    code = "not-for-audience"

    def __init__(
        self,
        message: str = "This command needs the main audience: others read this session.",
        *,
        hint: str | None = "Run the command in a session of the main audience, or in your own terminal.",
    ) -> None:
        super().__init__(message, hint=hint)


class ApprovalPendingError(NeedsYouError):
    """A person has not answered yet whether the action is approved."""

    code = "approval-pending"


class UnknownResultError(NeedsYouError):
    """An identical call was running when a session crashed, and its result is unknown: check before you repeat it.

    `call` is the id of that call: `workspace.event("result", call=error.call)` says that it was done.
    """

    code = "unknown-result"

    def __init__(self, message: str, *, call: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.call = call


class NoWorkspaceError(AgentwsError):
    """No workspace in this folder or any parent."""

    code = "no-workspace"
    exit_code = 10


class LockHeldError(AgentwsError):
    """Another process is changing this workspace."""

    code = "lock-held"
    exit_code = 11


class FormatVersionError(AgentwsError):
    """The workspace's format is too old or too new for this version."""

    code = "format-version"
    exit_code = 12


class ChangedUnderneathError(AgentwsError):
    """A file changed between reading and writing; the other change was kept."""

    code = "changed-underneath"
    exit_code = 13


class DamagedError(AgentwsError):
    """An unreadable or altered document, manifest or journal."""

    code = "damaged"
    exit_code = 14


class MayNotWriteError(AgentwsError):
    """This copy of the workspace may not write: moved away, retired, or not vouched for."""

    code = "may-not-write"
    exit_code = 15


class ApprovalRefusedError(AgentwsError):
    """The action is not approved: rejected, expired, used, changed, or not proved to be a person's word."""

    code = "approval-refused"
    exit_code = 16


class ForgottenError(AgentwsError):
    """The text contains something that was forgotten; nothing was written."""

    code = "forgotten"
    exit_code = 17


class OutsideProgramError(AgentwsError):
    """A program that agentws called failed: git, ssh, a summarizer."""

    code = "outside-program"
    exit_code = 20


class RemoteAwayError(OutsideProgramError):
    """A remote is out of reach for now: no network, no answer in time, a disk that is not mounted."""

    code = "remote-away"


class DiskError(AgentwsError):
    """The disk refused: full, read-only, permission denied, or failing. Existing data is intact."""

    code = "disk"


class UnsafeFileError(AgentwsError):
    """Not a regular file in the workspace: a symbolic link, a FIFO, a device, a folder."""

    code = "unsafe-file"


class MissingFileError(AgentwsError):
    """A requested file, event, session or task does not exist."""

    code = "missing-file"


class NothingOpenError(AgentwsError):
    """No open item matches."""

    code = "nothing-open"


class TooLargeError(AgentwsError):
    """The input is larger than agentws reads or writes at once."""

    code = "too-large"


class SecretRefusedError(AgentwsError):
    """The text may contain a secret; nothing was written."""

    code = "secret-refused"


class NestedWorkspaceError(AgentwsError):
    """A workspace inside another workspace is not allowed."""

    code = "nested-workspace"


class NothingToUndoError(AgentwsError):
    """There is no change by agentws to undo."""

    code = "nothing-to-undo"


OUTSIDE_THE_CLASSES = (
    (0, "done"),
    (70, "a bug in agentws; re-run with --debug and report it"),
    (129, "ended by SIGHUP: the terminal was closed"),
    (130, "interrupted (Ctrl-C)"),
    (141, "the program that read the output closed it"),
    (143, "ended by SIGTERM"),
)
"""Exit codes that no class of error carries."""
