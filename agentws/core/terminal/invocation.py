"""The invocation: the options of every verb, and the workspace that they name."""

from __future__ import annotations

import os
import stat
import sys

from agentws.core.formats.json import plainjson
from agentws.core.terminal import environment, output
from agentws.errors import NotForAudienceError, NoWorkspaceError, UsageError
from agentws.workspace import Environment, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_BEGINNINGS = ("{", "[", '"')


class Run:
    """The options of every verb, as they were given; `patience_s` bounds how long a verb waits for other processes.

    `is_behind` says that the directory was named behind the verb.
    """

    def __init__(self) -> None:
        self.directory: str | None = None
        self.is_behind = False
        self.as_json = False
        self.quiet = False
        self.debug = False
        self.patience_s: float | None = None

    def environment(self) -> Environment:
        """The surroundings that the workspace is opened with."""
        found = environment.read()
        found.patience_s = self.patience_s
        return found

    def workspace(self, *, moment: str | None = None) -> Workspace:
        """The workspace to work with; `moment` (as `--now` takes it) fixes the time and hides what came later."""
        where = self.directory or environment.workspace()
        surroundings = self.environment()
        if self.is_behind and surroundings.by_agent:
            self._check_meant(surroundings)
        opened = self._open(where, surroundings)
        if moment is None:
            return opened
        return self._open(where, surroundings.as_it_was(opened.moment(moment)))

    def check_main_audience(self) -> None:
        """NotForAudienceError where others listen, as far as the surroundings or a workspace here can tell."""
        try:
            audience = self.workspace().audience()
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
        """Hand the result on: as JSON or as lines, which look so at a terminal, and the notices."""
        output.notices(notices, quiet=self.quiet)
        if self.as_json:
            output.data(schema, fields)
        else:
            output.lines(lines, look)

    def _check_meant(self, surroundings: Environment) -> None:
        """UsageError where an agent names another workspace behind the verb than the one that it works with anyway.

        What hosts are told to allow is how a command begins: behind the verb it may go on as it likes.
        """
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

    @staticmethod
    def _open(where: str | None, surroundings: Environment) -> Workspace:
        return Workspace.open(where, environment=surroundings) if where else Workspace.find(environment=surroundings)


def argument(text: str) -> str:
    """`text`, or all of standard input where it is `-`."""
    if text != "-":
        return text
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("`-` needs piped input.", hint="For example: agentws … - < FILE")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def said(words: list[str]) -> str:
    """The words as one text; all of standard input where they are `-`, or none and a file or a pipe is there."""
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
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{option} is not JSON: {error}.", hint="""For example: {"url": "…", "status": 200}"""
        ) from error


def json_or_text(text: str | None, option: str, notices: list[str]) -> Any:
    """The value of the JSON that an option was given, else the text itself; None where it was not given.

    What looks like JSON and is none is a notice.
    """
    if text is None:
        return None
    try:
        return plainjson.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith(_BEGINNINGS):
            notices.append(f"{option} is not JSON ({error}): recorded as text.")
        return text


def json_object(text: str | None, option: str) -> dict[str, Any] | None:
    """The value of the JSON object that an option was given, None where it was not; UsageError where it is none."""
    found = _json(text, option)
    if found is not None and not isinstance(found, dict):
        raise UsageError(f"{option} must be a JSON object.", hint="""For example: {"url": "…", "status": 200}""")
    return found
