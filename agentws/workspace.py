"""The public class: a workspace, with its verbs as methods.

workspace.pyi tells type checkers and editors what each verb takes; tools/reference.py makes it from these tables.
"""

from __future__ import annotations

import os

from agentws import features, verbs
from agentws.core import environment as _surroundings
from agentws.core.stores import stores as _stores
from agentws.verbs import HEARD, OWN, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.ports import Observer

Environment = _surroundings.Environment


def read_environment() -> Environment:
    """Return the environment of this process, with the variables that hosts set."""
    programs = features.HOSTS.values()
    return _surroundings.read(
        [program.sessions for program in programs], [mark for program in programs for mark in program.marks]
    )


class Workspace(verbs.Group):
    """An agent's workspace. Open one with `open`, `find` or `init`; each verb is a method and returns what it did.

    Verbs of one subject are in a group: `workspace.tasks.add("Roof")`. `stores` is what the verbs work on.
    Errors are subclasses of AgentwsError, each with a `code`, an `exit_code` and often a `hint`.
    """

    __slots__ = ()

    boot = Verb("boot.apply", "boot", OWN)
    log = Verb("daily.log", "log", OWN)
    todo = Verb("daily.log", "todo", OWN)
    todos = Verb("tasks.todo.items", "todos", HEARD)
    done = Verb("tasks.todo.closure", "done", OWN)
    drop = Verb("tasks.todo.closure", "drop", OWN)
    remember = Verb("daily.remember", "remember", OWN)
    event = Verb("journal.event", "event", OWN)
    status = Verb("doctor.status", "status")
    doctor = Verb("doctor.apply", "doctor")
    undo = Verb("history.undo.apply", "undo")
    ask = Verb("approvals.ask", "ask", OWN)

    search = property(verbs.Search._of)
    handoff = property(verbs.Handoff._of)
    session = property(verbs.Session._of)
    workflow = property(verbs.Workflow._of)
    sync = property(verbs.Sync._of)
    tasks = property(verbs.Tasks._of)
    approvals = property(verbs.Approvals._of)
    journal = property(verbs.Journal._of)
    history = property(verbs.History._of)
    copies = property(verbs.Copies._of)
    checkpoints = property(verbs.Checkpoints._of)
    data = property(verbs.Data._of)
    memory = property(verbs.Memory._of)
    identity = property(verbs.Identity._of)
    hosts = property(verbs.Hosts._of)
    schedule = property(verbs.Schedule._of)
    contexts = property(verbs.Contexts._of)
    exam = property(verbs.Exam._of)
    config = property(verbs.Config._of)
    plumbing = property(verbs.Plumbing._of)

    @property
    def root(self) -> str:
        """The folder of the workspace, as an absolute path."""
        return self.stores.root

    @property
    def notices(self) -> list[str]:
        """The notices of the last verb in this thread, where its result has none of its own."""
        return self.stores.notices

    def moment(self, text: str) -> datetime:
        """The moment that `text` names: ISO 8601, `today`, `yesterday`, `3d`, `2h`; UsageError where it is none."""
        from agentws.core.disk import clock

        return clock.moment(text, now=self.stores.clock.now())

    def observe(self, observer: Observer) -> None:
        """Tell `observer` of each event that this object records from now on, after the event is durable.

        Ready ones: agentws.adapters.observers. One that fails is a notice, and never costs an event.
        """
        self.stores.observers.append(observer)

    @classmethod
    def open(cls, path: str, *, environment: Environment | None = None) -> Workspace:
        """The workspace at `path`: adopted, or (for reading) any folder with an agent's files.

        Where no `environment` is given, it is what the environment variables say, as for the command line: where the
        state is, the zone, the session.
        """
        return cls(_stores.open_at(path, environment or read_environment()))

    @classmethod
    def find(cls, *, environment: Environment | None = None) -> Workspace:
        """The workspace that holds the present folder; `environment` as for `open`."""
        return cls(_stores.open_at(None, environment or read_environment()))

    @classmethod
    def init(
        cls,
        path: str,
        *,
        environment: Environment | None = None,
        name: str | None = None,
        template: str | None = None,
        git: bool = True,
        private: bool | None = None,
    ) -> Workspace:
        """Make the folder `path` a workspace, or adopt what is there, and open it; `environment` as for `open`.

        With `private`, `git add` in a repository around it passes over it.
        """
        environment = environment or read_environment()
        root = os.path.realpath(os.path.expanduser(path))
        FUNCTIONS["initialise"].loaded()(root, environment, name=name, template=template, git=git, private=private)
        return cls.open(root, environment=environment)


FUNCTIONS = {
    "initialise": Verb("init.apply", "init"),
    "take": Verb("copies.migrate.take", "take"),
    "hear": Verb("hosts.hook.call", "hear"),
    "gate_alone": Verb("approvals.gate", "gate_alone"),
    "statement_of": Verb("approvals.signing", "statement_of"),
    "list_backups": Verb("copies.backup.destinations", "list_backups"),
    "verify_backup": Verb("copies.backup.verify", "verify_backup"),
    "restore_backup": Verb("copies.backup.restore", "restore_backup"),
    "remove_backup": Verb("copies.backup.remove", "remove_backup"),
    "join": Verb("sync.join", "join"),
}
"""What needs no workspace: `init` with its full account, the other half of a migration by git, a hook's call,
backups, for whoever has lost theirs, and an agent that is to come to this machine.
"""


def __getattr__(name: str) -> object:
    """One of FUNCTIONS, imported when it is asked for."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return FUNCTIONS[name].loaded()
