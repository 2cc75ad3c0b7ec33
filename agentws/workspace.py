"""The table of verbs: what can be done with a workspace, as methods of one object."""

from __future__ import annotations

import os

from agentws.storage import stores as _stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.operations import boot as _boot
    from agentws.operations import context as _context
    from agentws.operations import event as _event
    from agentws.operations import event_lines as _event_lines
    from agentws.operations import init as _init
    from agentws.operations import log as _log
    from agentws.operations import remember as _remember
    from agentws.operations import session as _session
    from agentws.operations import status as _status
    from agentws.operations import undo as _undo
    from agentws.operations.handoff import closing as _closing
    from agentws.operations.handoff import listing as _handoffs
    from agentws.operations.handoff import writing as _writing
    from agentws.operations.journal import audit as _audit
    from agentws.operations.journal import listing as _listing
    from agentws.operations.journal import purge as _purge
    from agentws.operations.journal import renew as _renew
    from agentws.operations.journal import replay as _replay
    from agentws.operations.journal import seal as _seal
    from agentws.operations.journal import verify as _verify
    from agentws.operations.task import adding as _adding
    from agentws.operations.task import listing as _tasks
    from agentws.operations.task import moving as _moving
    from agentws.operations.task import waking as _waking
    from agentws.ports import Observer

    initialise = _init.init
    """`init` with its full account of what was found and added."""

Environment = _stores.Environment


class _Verb:
    """A verb that is imported when it is first asked for: whoever boots needs neither `init` nor `undo`."""

    __slots__ = ("function", "module")

    def __init__(self, module: str, function: str) -> None:
        self.module = module
        self.function = function

    def __get__(self, workspace: object, kind: object = None) -> object:
        function = getattr(__import__(f"agentws.operations.{self.module}", fromlist=[self.function]), self.function)
        return function if workspace is None else function.__get__(workspace)


class Workspace(_stores.Stores):
    """An agent's workspace. Open one with `open`, `find` or `init`; each verb is a method and returns what it did.

    Errors are subclasses of AgentwsError, each with a `code`, an `exit_code` and often a `hint`.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        boot = _boot.boot
        log = _log.log
        event = _event.event
        record_lines = _event_lines.record_lines
        remember = _remember.remember
        session = _session.session
        start_session = _session.start_session
        end_session = _session.end_session
        sessions = _session.list_sessions
        show_session = _session.show_session
        status = _status.status
        undo = _undo.undo
        events = _listing.events
        follow = _listing.follow
        audit = _audit.audit
        verify_journal = _verify.verify
        seal_journal = _seal.seal
        purge_journal = _purge.purge
        renew_journal = _renew.renew
        replay_journal = _replay.replay
        contexts = _context.list_contexts
        context = _context.show_context
        new_context = _context.new_context
        use_context = _context.use_context
        handoff = _writing.write
        handoffs = _handoffs.list_handoffs
        show_handoff = _handoffs.show_handoff
        ack_handoff = _closing.ack_handoff
        add_task = _adding.add
        tasks = _tasks.list_tasks
        task = _tasks.show
        start_task = _moving.start
        step_task = _moving.step
        wait_task = _moving.wait
        pause_task = _moving.pause
        resume_task = _moving.resume
        finish_task = _moving.finish
        cancel_task = _moving.cancel
        wake_tasks = _waking.due
    else:
        boot = _Verb("boot", "boot")
        log = _Verb("log", "log")
        event = _Verb("event", "event")
        record_lines = _Verb("event_lines", "record_lines")
        remember = _Verb("remember", "remember")
        session = _Verb("session", "session")
        start_session = _Verb("session", "start_session")
        end_session = _Verb("session", "end_session")
        sessions = _Verb("session.listing", "list_sessions")
        show_session = _Verb("session.showing", "show_session")
        status = _Verb("status", "status")
        undo = _Verb("undo", "undo")
        events = _Verb("journal.listing", "events")
        follow = _Verb("journal.listing", "follow")
        audit = _Verb("journal.audit", "audit")
        verify_journal = _Verb("journal.verify", "verify")
        seal_journal = _Verb("journal.seal", "seal")
        purge_journal = _Verb("journal.purge", "purge")
        renew_journal = _Verb("journal.renew", "renew")
        replay_journal = _Verb("journal.replay", "replay")
        contexts = _Verb("context", "list_contexts")
        context = _Verb("context", "show_context")
        new_context = _Verb("context", "new_context")
        use_context = _Verb("context", "use_context")
        handoff = _Verb("handoff.writing", "write")
        handoffs = _Verb("handoff.listing", "list_handoffs")
        show_handoff = _Verb("handoff.listing", "show_handoff")
        ack_handoff = _Verb("handoff.closing", "ack_handoff")
        add_task = _Verb("task.adding", "add")
        tasks = _Verb("task.listing", "list_tasks")
        task = _Verb("task.listing", "show")
        start_task = _Verb("task.moving", "start")
        step_task = _Verb("task.moving", "step")
        wait_task = _Verb("task.moving", "wait")
        pause_task = _Verb("task.moving", "pause")
        resume_task = _Verb("task.moving", "resume")
        finish_task = _Verb("task.moving", "finish")
        cancel_task = _Verb("task.moving", "cancel")
        wake_tasks = _Verb("task.waking", "due")

    def moment(self, text: str) -> datetime:
        """The moment that `text` names: ISO 8601, `today`, `yesterday`, `3d`, `2h`; UsageError where it is none."""
        from agentws.storage import clock

        return clock.moment(text, now=self.clock.now())

    def observe(self, observer: Observer) -> None:
        """Tell `observer` of each event that this object records from now on, after the event is durable.

        Ready ones: agentws.adapters.observers. One that fails is a notice, and never costs an event.
        """
        self.observers.append(observer)

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
        from agentws.operations import init

        init.init(root, environment, name=name, template=template, git=git)
        return cls.open(root, environment=environment)


def __getattr__(name: str) -> object:
    """Import `initialise` when it is asked for."""
    if name != "initialise":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentws.operations import init

    return init.init
