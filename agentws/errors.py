"""Every way to fail: what programs need (`code`, `exit_code`) in the class, the words where it is raised.

The table of exit codes in docs/reference/errors.md is generated from this module.
"""


class AgentwsError(Exception):
    """Something went wrong that has no more specific class."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AgentwsError):
    """The words of the call do not fit: an unknown value, a missing argument, a budget that is too small."""

    code = "usage"
    exit_code = 2


class WideFolderError(UsageError):
    """A workspace is asked for in the home folder, in a folder above it, or in `/`, and nobody has agreed."""

    code = "wide-folder"


class AmbiguousError(UsageError):
    """Several open items match what was named, or several tasks or contexts begin so; each is listed."""

    code = "ambiguous"


class NeedsYouError(AgentwsError):
    """Something needs a person: findings, or a question that nobody could answer here."""

    code = "needs-you"
    exit_code = 3


class NotForAudienceError(NeedsYouError):
    """The verb is for the main audience, and this session, or the surroundings, say that others listen."""

    code = "not-for-audience"


class NoWorkspaceError(AgentwsError):
    """There is no workspace here, nor in any folder above."""

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
    """A file changed between reading and writing it; nothing of the other side was overwritten."""

    code = "changed-underneath"
    exit_code = 13


class DamagedError(AgentwsError):
    """A document or the manifest cannot be read as what it should be."""

    code = "damaged"
    exit_code = 14


class MayNotWriteError(AgentwsError):
    """This copy of the workspace may not write: moved away, retired, or not vouched for."""

    code = "may-not-write"
    exit_code = 15


class OutsideProgramError(AgentwsError):
    """A program that agentws called failed: git, ssh, a summarizer."""

    code = "outside-program"
    exit_code = 20


class DiskError(AgentwsError):
    """The disk refused: full, read-only, no permission, or failing. What was there before is intact."""

    code = "disk"


class UnsafeFileError(AgentwsError):
    """The file is not a regular file beneath the workspace: a symbolic link, a FIFO, a device, a folder."""

    code = "unsafe-file"


class MissingFileError(AgentwsError):
    """A file that was asked for is not there."""

    code = "missing-file"


class NothingOpenError(AgentwsError):
    """Nothing that is open matches what was named."""

    code = "nothing-open"


class TooLargeError(AgentwsError):
    """The input is larger than agentws reads or writes at once."""

    code = "too-large"


class SecretRefusedError(AgentwsError):
    """The text looks like it carries a secret; nothing was written."""

    code = "secret-refused"


class NestedWorkspaceError(AgentwsError):
    """A workspace may not be made inside another workspace."""

    code = "nested-workspace"


class NothingToUndoError(AgentwsError):
    """agentws has changed nothing here that could be taken back."""

    code = "nothing-to-undo"


OUTSIDE_THE_CLASSES = (
    (0, "done"),
    (70, "a bug in agentws; run again with --debug and report it"),
    (130, "interrupted (Ctrl-C)"),
    (141, "the reader of our output went away"),
)
"""Exit codes that no class of error carries."""
