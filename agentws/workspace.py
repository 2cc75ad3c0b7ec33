"""The table of verbs: what can be done with a workspace, as methods of one object."""

from __future__ import annotations

import os

from agentws.operations import boot as _boot
from agentws.operations import context as _context
from agentws.operations import init as _init
from agentws.operations import log as _log
from agentws.operations import status as _status
from agentws.operations import undo as _undo
from agentws.storage import clock as _clock
from agentws.storage import stores as _stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

Environment = _stores.Environment


class Workspace(_stores.Stores):
    """An agent's workspace. Open one with `open`, `find` or `init`; each verb is a method and returns what it did.

    Errors are subclasses of AgentwsError, each with a `code`, an `exit_code` and often a `hint`.
    """

    __slots__ = ()

    boot = _boot.boot
    log = _log.log
    status = _status.status
    undo = _undo.undo
    contexts = _context.list_contexts
    context = _context.show_context
    new_context = _context.new_context
    use_context = _context.use_context

    def moment(self, text: str) -> datetime:
        """The moment that `text` names: ISO 8601, `today`, `yesterday`, `3d`, `2h`; UsageError where it is none."""
        return _clock.moment(text, now=self.clock.now())

    @classmethod
    def open(cls, path: str, *, environment: Environment | None = None) -> Workspace:
        """The workspace at `path`: adopted, or (for reading) any folder with an agent's files."""
        return _stores.open_at(path, environment or Environment(), cls)

    @classmethod
    def find(cls, *, environment: Environment | None = None) -> Workspace:
        """The workspace that holds the present folder."""
        return _stores.open_at(None, environment or Environment(), cls)

    @classmethod
    def init(
        cls,
        path: str,
        *,
        environment: Environment | None = None,
        name: str | None = None,
        template: str | None = None,
        git: bool = True,
    ) -> Workspace:
        """Make the folder `path` a workspace, or adopt what is there, and open it."""
        environment = environment or Environment()
        root = os.path.realpath(os.path.expanduser(path))
        initialise(root, environment, name=name, template=template, git=git)
        return cls.open(root, environment=environment)


initialise = _init.init
"""`init` with its full account of what was found and added."""
