"""A stream of events, `agentws event --stdin`: records each line, one acknowledgement a line, flushed in groups."""

from __future__ import annotations

import os
import sys

from agentws.core.formats.json import plainjson
from agentws.core.terminal import output
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.terminal.invocation import Run

_AT_ONCE_BYTES = 1 << 18
_MOST_BYTES = 32 << 20
_MOST_LINES = 1024


def events(run: Run, *, others: Sequence[object]) -> None:
    """Record the stream of events on standard input until it ends; an invalid line is answered with what is wrong.

    UsageError at the end if there was an invalid line.
    """
    if any(other is not None for other in others):
        raise UsageError("--stdin cannot be used with other options: each line is a complete event.")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("--stdin needs piped input.")
    workspace = run.workspace()
    number, wrong = 1, 0
    for lines in _groups(sys.stdin.fileno()):
        acknowledged, notices = workspace.journal.record_lines(lines, first=number)
        output.notices(notices, quiet=run.quiet)
        output.text("".join(plainjson.dumps(each, separators=(",", ":")) + "\n" for each in acknowledged))
        number += len(lines)
        wrong += sum("error" in each for each in acknowledged)
    if wrong:
        raise UsageError(
            f"{wrong} of {number - 1} lines were not recorded.", hint="The printed acknowledgements give the reasons."
        )


def _groups(fd: int) -> Iterator[list[bytes]]:
    """Yield the lines that are available at once, at most about a thousand; the last one may lack its newline."""
    parts: list[bytes] = []
    while data := os.read(fd, _AT_ONCE_BYTES):
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*parts, lines[0]))
            parts.clear()
        parts.append(rest)
        for start in range(0, len(lines), _MOST_LINES):
            yield lines[start : start + _MOST_LINES]
        if sum(map(len, parts)) > _MOST_BYTES:
            parts[1:] = [b"\0"]  # so it is no JSON, and is answered as such where it ends
    if any(parts):
        yield [b"".join(parts)]
