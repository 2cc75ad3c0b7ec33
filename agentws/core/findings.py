"""Findings and checks of a workspace for `status` and `doctor`, and the fixes that `--fix` may make. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentws.core import Record, Result

PROBLEM, WARNING, ADVICE = "problem", "warning", "advice"
"""Something is broken, or open to others; something will go wrong or cost; something could be better."""
SEVERITIES = (PROBLEM, WARNING, ADVICE)
NEEDS_YOU = (PROBLEM, WARNING)

CLOSE, OWN, CLEAR, IGNORE, WRITE = "close", "own", "clear", "ignore", "write"
SETTLE, LAUNCH, PUT_BACK, PUT_BACK_FACTS = "settle", "launch", "put-back", "put-back-facts"
"""Kinds of mends: remove rights, close a file to all but its owner, remove our leftover, keep git out of our
folder, write a document that `init` writes, let what was interrupted be finished, make the launcher for the script
`base` again."""


_QUOTED = "'\"'\"'"
_DONE = {
    CLOSE: "closed to others",
    CLEAR: "removed",
    IGNORE: "written",
    WRITE: "written; to undo: agentws undo",
    SETTLE: "done",
    LAUNCH: "rebuilt",
    PUT_BACK_FACTS: "put back; to undo: agentws undo",
    PUT_BACK: "put back at the end of the file; to undo: agentws undo",
}


class Mend(Record, Result):
    """A fix for a finding that is safe to make without asking.

    `path` is a RelPath within `base` (an absolute folder, empty for the workspace); the empty path is the folder
    itself. `bits` are the mode bits to remove, `data` is the content to write.
    """

    kind: str
    path: str = ""
    base: str = ""
    bits: int = 0
    data: bytes = b""


class Check(Record, Result):
    """A check of `doctor` with its finding: whether it is `ok`, what it found, and the remedy if it is not.

    `advises`: it is ok, but even the shortest form should show it.
    """

    name: str
    ok: bool
    says: str
    remedy: str = ""
    advises: bool = False


class Finding(Record, Result):
    """A finding of `status` or `doctor`: `name` is its id for programs, `path` and `line` (0 if unknown) its place.

    `remedy` is a command to run or a sentence; `mends` are the fixes of `--fix`, none if a person is needed.
    """

    name: str
    severity: str
    says: str
    remedy: str
    path: str = ""
    line: int = 0
    mends: Sequence[Mend] = ()

    @property
    def where(self) -> str:
        """The place of the finding: `path:line`, the path alone, or empty."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def mended(self) -> str:
        """The fix that `--fix` made, in words, for a finding that it can fix."""
        return _DONE[self.mends[0].kind] if self.mends else ""

    @property
    def needs_you(self) -> bool:
        """Return True for a finding that is more than advice."""
        return self.severity in NEEDS_YOU

    @property
    def key(self) -> tuple[str, str, int]:
        """The key that identifies the same finding in a later run."""
        return self.name, self.path, self.line


def since(failed: str) -> str:
    """Return a recorded failure `<moment> <message>` for a finding: the moment to the minute, and one line."""
    at, _, message = failed.partition(" ")
    moment = f"{at[:16].replace('T', ' ')} UTC" if at.endswith("Z") else at
    return f"{moment}: {' '.join(message.split())}" if message else moment


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings sorted by severity, those of one severity in their order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def located(message: str) -> tuple[str, int, str]:
    """Return (path, line, rest) of an error's message, for a finding: `path:line: …`, `path: …`, or no path.

    Errors of agentws about a file begin so.
    """
    place, colon, rest = message.partition(": ")
    path, _, number = place.rpartition(":")
    name = path.rpartition(" ")[2]  # the time in "moved, 2026-11-20 12:06: …" is not a line
    if colon and ("/" in name or "." in name) and number.isascii() and number.isdigit():
        return path, int(number), rest
    if colon and " " not in place and ("/" in place or "." in place):
        return place, 0, rest
    return "", 0, message


def of_error(name: str, severity: str, message: str, *, remedy: str) -> Finding:
    """Return a finding made from an error's message, with the path and line at its beginning."""
    path, line, says = located(message)
    return Finding(name, severity, says, remedy=remedy, path=path, line=line)


def quoted(path: str) -> str:
    """Return a finding's path quoted for a shell, and safe from being read as an option."""
    if path.startswith("-"):
        path = f"./{path}"
    plain = path.replace("/", "a").replace("-", "a").replace("_", "a").replace(".", "a")
    if plain.isascii() and plain.isalnum():
        return path
    return "'" + path.replace("'", _QUOTED) + "'"
