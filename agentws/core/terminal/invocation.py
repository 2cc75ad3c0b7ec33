"""An invocation of a verb: its common options, the workspace and the other paths that they name."""

from __future__ import annotations

import os
import stat
import sys

from agentws.core import environment
from agentws.core.formats.json import plainjson
from agentws.core.terminal import output
from agentws.errors import MissingFileError, NeedsYouError, NotForAudienceError, NoWorkspaceError, UsageError
from agentws.workspace import Environment, Workspace, read_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


_BEGINNINGS = ("{", "[", '"')


class Run:
    """The common options of an invocation; `patience_s` limits how long it waits for other processes.

    `is_behind`: the directory was given after the verb.
    """

    def __init__(self) -> None:
        self.directory: str | None = None
        self.is_behind = False
        self.as_json = False
        self.quiet = False
        self.debug = False
        self.again = False
        self.patience_s: float | None = None

    def environment(self) -> Environment:
        """Return the environment with which this invocation opens the workspace."""
        result = read_environment()
        result.patience_s = self.patience_s
        result.again = self.again
        result.by_command = True
        return result

    def workspace(self, *, moment: str | None = None) -> Workspace:
        """Return the invocation's workspace; `moment` (as for `--now`) fixes the time and hides what came later."""
        where = self.directory or environment.workspace()
        surroundings = self.environment()
        if self.is_behind and surroundings.by_agent:
            # Hosts allow commands by their beginning, so the part after the verb must not change the workspace.
            named = os.path.realpath(os.path.expanduser(self.directory or ""))
            try:
                is_meant = self._open(environment.workspace(), surroundings).root == named
            except NoWorkspaceError:
                is_meant = False
            if not is_meant:
                raise UsageError(
                    "After the command, -C may only name the current workspace.",
                    hint="Put -C before the command: agentws -C DIR boot",
                )
        opened = self._open(where, surroundings)
        output.place_in(opened.root)
        if moment is None:
            return opened
        return self._open(where, surroundings.as_it_was(opened.moment(moment)))

    def check_main_audience(self) -> None:
        """Raise NotForAudienceError if others hear this invocation, by the environment or the workspace."""
        try:
            audience = self.workspace().stores.audience()
        except NoWorkspaceError:
            audience = self.environment().audience or "main"
        if audience != "main":
            raise NotForAudienceError

    def done(
        self,
        schema: str,
        fields: dict[str, object],
        lines: Iterable[str],
        notices: Iterable[str],
        *,
        look: str = output.PLAIN,
    ) -> None:
        """End the invocation: print the result as JSON or as lines, and the notices."""
        output.notices(notices, quiet=self.quiet)
        if self.as_json:
            output.data(schema, fields)
        else:
            output.lines(lines, look)

    def result(
        self,
        schema: str,
        record: object,
        names: str,
        lines: Iterable[str],
        *,
        notices: Iterable[str] | None = None,
        look: str = output.PLAIN,
        **values: object,
    ) -> None:
        """End the invocation: print a record's fields (`names` and `values` as in output.fields), or lines; notices.

        `notices` are the record's by default.
        """
        fields = output.fields(record, names, **values) if self.as_json else {}
        self.done(schema, fields, lines, getattr(record, "notices", ()) if notices is None else notices, look=look)

    @staticmethod
    def _open(where: str | None, surroundings: Environment) -> Workspace:
        return Workspace.open(where, environment=surroundings) if where else Workspace.find(environment=surroundings)


def check_read(unread: Sequence[str]) -> None:
    """Raise NeedsYouError if a listing lacks files that cannot be read; the notices say why."""
    if unread:
        what = "1 file" if len(unread) == 1 else f"{len(unread)} files"
        raise NeedsYouError(f"{what} could not be read (see above).", hint="Correct the file, or its permissions.")


def argument(text: str) -> str:
    """Return the invocation's argument `text`, or all of standard input for `-`."""
    if text != "-":
        return text
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`-` needs piped input.", hint="For example: agentws … - < FILE")
    # Some programs put a byte-order mark before a text that they pipe.
    return sys.stdin.buffer.read().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def said(words: list[str]) -> str:
    """Return the invocation's words as one text; standard input for `-`, or without words if it is a file or a pipe."""
    if words:
        return argument(words[0]) if len(words) == 1 else " ".join(words)
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        mode = 0
    if stat.S_ISFIFO(mode) or stat.S_ISREG(mode):
        return argument("-")
    raise UsageError("Missing text.", hint='agentws log "a note", or pipe one in: echo "a note" | agentws log')


def _json(text: str | None, option: str) -> Any:
    if text is None:
        return None
    try:
        return plainjson.loads(text)
    except ValueError as error:
        raise UsageError(
            f"{option} is not JSON: {error}.", hint="""For example: {"url": "…", "status": 200}"""
        ) from error


def json_or_text(text: str | None, option: str, notices: list[str]) -> Any:
    """Return the invocation's value of a JSON option, or its text if it is no JSON; None if it was not given.

    Text that looks like JSON but is invalid causes a notice.
    """
    if text is None:
        return None
    try:
        return plainjson.loads(text)
    except ValueError as error:
        if text.lstrip().startswith(_BEGINNINGS):
            notices.append(f"{option} is not JSON ({error}): recorded as text.")
        return text


def json_object(text: str | None, option: str) -> dict[str, Any] | None:
    """Return the object of an invocation's JSON option, None if it was not given; UsageError for anything else."""
    result = _json(text, option)
    if result is not None and not isinstance(result, dict):
        raise UsageError(f"{option} must be a JSON object.", hint="""For example: {"url": "…", "status": 200}""")
    return result


def path_meant(path: str) -> str:
    """Return the absolute path of a file given on the command line."""
    return os.path.abspath(os.path.expanduser(path))


def unambiguous(text: str, option: str, example: str) -> Any:
    """Return the value of an invocation's JSON option, `-` for standard input; UsageError for a name given twice."""
    try:
        return plainjson.unambiguous(argument(text))
    except ValueError as error:
        raise UsageError(f"{option} is not JSON: {error}.", hint=f"For example: {example}") from error


def file_text(path: str, limit_bytes: int) -> str:
    """Return the text of a file given by its path on the command line; MissingFileError if it is unreadable."""
    return file_bytes(path, limit_bytes).decode("utf-8", "replace")


def file_bytes(path: str, limit_bytes: int) -> bytes:
    """Return the beginning of a file given by its path on the command line, or all of standard input for `-`.

    MissingFileError if it is unreadable.
    """
    if path == "-":
        return argument(path).encode("utf-8", "surrogateescape")
    try:
        with open(path_meant(path), "rb") as file:
            return file.read(limit_bytes)
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror}.") from error


def resolved(place: str, root: str) -> str:
    """Return a path or FILE:LINE, given relative to the current folder, relative to the workspace's root.

    Unchanged if no such file is within the workspace.
    """
    name, colon, line = place.rpartition(":")
    path = name if colon and line.isdigit() else place
    full = os.path.realpath(os.path.expanduser(path))
    inside = os.path.exists(full) and full.startswith(f"{os.path.realpath(root)}/")
    if not inside:
        return place
    within = os.path.relpath(full, os.path.realpath(root))
    return f"{within}:{line}" if path is name else within
