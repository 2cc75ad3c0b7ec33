"""The table of verbs: what can be done with a workspace, as methods of one object."""

from __future__ import annotations

import os

from agentws.errors import NotForAudienceError
from agentws.storage.workspace import environment as _surroundings
from agentws.storage.workspace import stores as _stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from agentws.operations import boot as _boot
    from agentws.operations import context as _context
    from agentws.operations import dashboard as _dashboard
    from agentws.operations import doctor as _doctor
    from agentws.operations import event as _event
    from agentws.operations import event_lines as _event_lines
    from agentws.operations import init as _init
    from agentws.operations import log as _log
    from agentws.operations import open as _open
    from agentws.operations import remember as _remember
    from agentws.operations import session as _session
    from agentws.operations import undo as _undo
    from agentws.operations import why as _why
    from agentws.operations.compact import mode as _compact_mode
    from agentws.operations.compact import run as _compact
    from agentws.operations.compact import undo as _compact_undo
    from agentws.operations.compact import verify as _compact_verify
    from agentws.operations.config import settings as _config
    from agentws.operations.curate import answer as _curate
    from agentws.operations.curate import brief as _curate_brief
    from agentws.operations.curate import prompt as _curate_prompt
    from agentws.operations.curate import review as _curate_review
    from agentws.operations.curate import summarizer as _curate_summarizer
    from agentws.operations.doctor import status as _status
    from agentws.operations.forget import forget as _forget
    from agentws.operations.handoff import ack as _handoff_ack
    from agentws.operations.handoff import listing as _handoff_list
    from agentws.operations.handoff import write as _handoff_write
    from agentws.operations.history import diff as _diff
    from agentws.operations.history import restore as _restore
    from agentws.operations.history import states as _states
    from agentws.operations.hook import call as _hook_call
    from agentws.operations.hook import events as _hook_events
    from agentws.operations.hook import reminder as _hook_reminder
    from agentws.operations.hook import session as _hook_session
    from agentws.operations.identity import retire as _retire
    from agentws.operations.identity import rotate as _rotate
    from agentws.operations.identity import show as _identity
    from agentws.operations.identity import takeover as _takeover
    from agentws.operations.identity import verify as _identity_verify
    from agentws.operations.identity import vouch as _vouch
    from agentws.operations.install import hosts as _hosts
    from agentws.operations.install import install as _install
    from agentws.operations.install import permission as _permission
    from agentws.operations.install import uninstall as _uninstall
    from agentws.operations.journal import audit as _audit
    from agentws.operations.journal import listing as _listing
    from agentws.operations.journal import purge as _purge
    from agentws.operations.journal import renew as _renew
    from agentws.operations.journal import replay as _replay
    from agentws.operations.journal import seal as _seal
    from agentws.operations.journal import verify as _verify
    from agentws.operations.migrate import abort as _migrate_abort
    from agentws.operations.migrate import migrate as _migrate
    from agentws.operations.migrate import take as _migrate_take
    from agentws.operations.schedule import install as _schedule_install
    from agentws.operations.schedule import show as _schedule_show
    from agentws.operations.schedule import steps as _schedule_steps
    from agentws.operations.search import search as _search
    from agentws.operations.task import add as _task_add
    from agentws.operations.task import edit as _task_edit
    from agentws.operations.task import listing as _task_list
    from agentws.operations.task import move as _task_move
    from agentws.operations.todo import closure as _closure
    from agentws.operations.todo import items as _items
    from agentws.ports import Observer

    initialise = _init.init
    """`init` with its full account of what was found and added."""
    take = _migrate_take.take
    """The other half of a migration through a git repository: there is no workspace yet."""

Environment = _stores.Environment
surroundings = _surroundings


_HEARD, _OWN, _MAIN = "heard", "own", "main"
"""How a verb keeps to its audience: it reads what that may hear; it says what it was given, and looks itself; and what
a new verb does until somebody has thought of it: it is for the main audience alone.
"""


class _Verb:
    """A verb that is imported when it is first asked for: whoever boots needs neither `init` nor `undo`."""

    __slots__ = ("audience", "function", "module")

    def __init__(self, module: str, function: str, audience: str = _MAIN) -> None:
        self.module = module
        self.function = function
        self.audience = audience

    def __get__(self, workspace: Workspace | None, kind: object = None) -> object:
        function = getattr(__import__(f"agentws.operations.{self.module}", fromlist=[self.function]), self.function)
        if workspace is None:
            return function
        workspace.begin()
        if self.audience != _OWN and workspace.is_narrowed:
            return self._for_others(function, workspace)
        return function.__get__(workspace)

    def _for_others(self, function: Callable[..., Any], workspace: Workspace) -> object:
        """The verb as a shared audience may have it, where one listens."""
        if workspace.shared is None and workspace.audience() == "main":
            return function.__get__(workspace)
        if self.audience == _MAIN:
            raise NotForAudienceError
        return _counted(function, workspace.heard())


def _counted(function: Callable[..., Any], heard: Workspace) -> object:
    """The verb, which says how many things were not for its audience."""

    def call(*arguments: object, **named: object) -> object:
        result = function(heard, *arguments, **named)
        if isinstance(told := getattr(result, "notices", None), list):
            told += heard.not_told()
        return result

    return call


class Workspace(_stores.Stores):
    """An agent's workspace. Open one with `open`, `find` or `init`; each verb is a method and returns what it did.

    Errors are subclasses of AgentwsError, each with a `code`, an `exit_code` and often a `hint`.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        boot = _boot.boot
        log = _log.log
        log_closed = _log.log_closed
        todo = _log.todo
        todos = _items.todos
        done = _closure.done
        drop = _closure.drop
        event = _event.event
        record_lines = _event_lines.record_lines
        remember = _remember.remember
        search = _search.search
        searcher = _search.searcher
        why = _why.why
        memories = _why.memories
        forget = _forget.forget
        session = _session.session
        start_session = _session.start_session
        end_session = _session.end_session
        find_session = _session.find_session
        sessions = _session.list_sessions
        show_session = _session.show_session
        status = _status.status
        dashboard = _dashboard.dashboard
        doctor = _doctor.doctor
        undo = _undo.undo
        redo = _undo.redo
        changes = _undo.list_changes
        history = _states.history
        diff = _diff.diff
        restore = _restore.restore
        compact = _compact.compact
        curation_brief = _curate_brief.brief
        curate = _curate.curate
        curation_review = _curate_review.review
        decide_curation = _curate_review.decide
        ask_summarizer = _curate_summarizer.ask
        verify_compaction = _compact_verify.verify
        undo_compaction = _compact_undo.undo_compaction
        compaction_mode = _compact_mode.compaction_mode
        identity = _identity.show
        verify_identity = _identity_verify.verify
        vouch_writer = _vouch.vouch
        request_vouch = _vouch.request
        take_over = _takeover.take_over
        retire = _retire.retire
        revive = _retire.revive
        rotate_key = _rotate.rotate
        hosts = _hosts.list_hosts
        install = _install.install
        is_allowed = _permission.is_allowed
        uninstall = _uninstall.uninstall
        events = _listing.events
        follow = _listing.follow
        audit = _audit.audit
        verify_journal = _verify.verify
        seal_journal = _seal.seal
        may_seal_aside = _seal.may_seal_aside
        seal_aside = _seal.seal_aside
        purge_journal = _purge.purge
        renew_journal = _renew.renew
        replay_journal = _replay.replay
        contexts = _context.list_contexts
        context = _context.show_context
        settings = _config.settings
        locate = _open.locate
        set_setting = _config.set_setting
        new_context = _context.new_context
        use_context = _context.use_context
        handoff = _handoff_write.write
        handoffs = _handoff_list.list_handoffs
        show_handoff = _handoff_list.show_handoff
        accept_handoff = _handoff_ack.accept
        ack_handoff = _handoff_ack.ack_handoff
        add_task = _task_add.add
        tasks = _task_list.list_tasks
        task = _task_list.show
        start_task = _task_move.start
        task_text = _task_edit.task_text
        edit_task = _task_edit.edit
        rewrite_task = _task_edit.rewrite
        rename_task = _task_edit.rename
        step_task = _task_move.step
        wait_task = _task_move.wait
        pause_task = _task_move.pause
        resume_task = _task_move.resume
        finish_task = _task_move.finish
        cancel_task = _task_move.cancel
        wake_tasks = _task_move.due
        record_call = _hook_events.record_call
        record_failure = _hook_events.record_failure
        begin_once = _hook_session.begin_once
        is_running = _hook_session.is_running
        stands_elsewhere = _hook_session.stands_elsewhere
        has_work = _hook_session.has_work
        is_changing = _hook_session.is_changing
        is_last_part = _hook_session.is_last_part
        remind_of_boot = _hook_reminder.remind
        is_boot_due = _hook_reminder.is_due
        forget_boot = _hook_reminder.forget
        is_nudge_due = _hook_reminder.is_nudge_due
        nudged = _hook_reminder.nudged
        forget_nudge = _hook_reminder.forget_nudge
        ask_for_curation = _curate_prompt.ask_for_curation
        migrate = _migrate.migrate
        abort_migration = _migrate_abort.abort
        install_schedule = _schedule_install.install
        remove_schedule = _schedule_install.remove
        carry_out_schedule = _schedule_steps.carry_out
        scheduled = _schedule_show.show
    else:
        boot = _Verb("boot", "boot", _OWN)
        log = _Verb("log", "log", _OWN)
        log_closed = _Verb("log", "log_closed", _OWN)
        todo = _Verb("log", "todo", _OWN)
        todos = _Verb("todo.items", "todos", _HEARD)
        done = _Verb("todo.closure", "done", _OWN)
        drop = _Verb("todo.closure", "drop", _OWN)
        event = _Verb("event", "event", _OWN)
        record_lines = _Verb("event_lines", "record_lines", _OWN)
        remember = _Verb("remember", "remember", _OWN)
        search = _Verb("search.search", "search", _HEARD)
        searcher = _Verb("search.search", "searcher", _HEARD)
        why = _Verb("why", "why")
        memories = _Verb("why", "memories")
        forget = _Verb("forget.forget", "forget")
        session = _Verb("session", "session", _OWN)
        start_session = _Verb("session", "start_session", _OWN)
        end_session = _Verb("session", "end_session", _OWN)
        find_session = _Verb("session", "find_session", _HEARD)
        sessions = _Verb("session.listing", "list_sessions", _HEARD)
        show_session = _Verb("session.show", "show_session", _HEARD)
        status = _Verb("doctor.status", "status")
        dashboard = _Verb("dashboard", "dashboard", _HEARD)
        doctor = _Verb("doctor", "doctor")
        undo = _Verb("undo", "undo")
        redo = _Verb("undo", "redo")
        changes = _Verb("undo", "list_changes")
        history = _Verb("history.states", "history")
        diff = _Verb("history.diff", "diff")
        restore = _Verb("history.restore", "restore")
        compact = _Verb("compact.run", "compact")
        curation_brief = _Verb("curate.brief", "brief")
        curate = _Verb("curate.answer", "curate")
        curation_review = _Verb("curate.review", "review")
        decide_curation = _Verb("curate.review", "decide")
        ask_summarizer = _Verb("curate.summarizer", "ask")
        verify_compaction = _Verb("compact.verify", "verify")
        undo_compaction = _Verb("compact.undo", "undo_compaction")
        compaction_mode = _Verb("compact.mode", "compaction_mode")
        identity = _Verb("identity.show", "show")
        verify_identity = _Verb("identity.verify", "verify")
        vouch_writer = _Verb("identity.vouch", "vouch")
        request_vouch = _Verb("identity.vouch", "request")
        take_over = _Verb("identity.takeover", "take_over")
        retire = _Verb("identity.retire", "retire")
        revive = _Verb("identity.retire", "revive")
        rotate_key = _Verb("identity.rotate", "rotate")
        hosts = _Verb("install.hosts", "list_hosts")
        install = _Verb("install.install", "install")
        is_allowed = _Verb("install.permission", "is_allowed")
        uninstall = _Verb("install.uninstall", "uninstall")
        events = _Verb("journal.listing", "events", _HEARD)
        follow = _Verb("journal.listing", "follow", _HEARD)
        audit = _Verb("journal.audit", "audit", _HEARD)
        verify_journal = _Verb("journal.verify", "verify")
        seal_journal = _Verb("journal.seal", "seal")
        may_seal_aside = _Verb("journal.seal", "may_seal_aside", _OWN)
        seal_aside = _Verb("journal.seal", "seal_aside", _OWN)
        purge_journal = _Verb("journal.purge", "purge")
        renew_journal = _Verb("journal.renew", "renew")
        replay_journal = _Verb("journal.replay", "replay", _HEARD)
        contexts = _Verb("context", "list_contexts", _HEARD)
        context = _Verb("context", "show_context", _HEARD)
        settings = _Verb("config.settings", "settings")
        locate = _Verb("open", "locate")
        set_setting = _Verb("config.settings", "set_setting")
        new_context = _Verb("context", "new_context")
        use_context = _Verb("context", "use_context")
        handoff = _Verb("handoff.write", "write", _OWN)
        handoffs = _Verb("handoff.listing", "list_handoffs", _HEARD)
        show_handoff = _Verb("handoff.listing", "show_handoff", _HEARD)
        accept_handoff = _Verb("handoff.ack", "accept")
        ack_handoff = _Verb("handoff.ack", "ack_handoff", _OWN)
        add_task = _Verb("task.add", "add", _OWN)
        tasks = _Verb("task.listing", "list_tasks", _HEARD)
        task = _Verb("task.listing", "show", _HEARD)
        start_task = _Verb("task.move", "start", _OWN)
        task_text = _Verb("task.edit", "task_text", _HEARD)
        edit_task = _Verb("task.edit", "edit", _OWN)
        rewrite_task = _Verb("task.edit", "rewrite", _OWN)
        rename_task = _Verb("task.edit", "rename", _OWN)
        step_task = _Verb("task.move", "step", _OWN)
        wait_task = _Verb("task.move", "wait", _OWN)
        pause_task = _Verb("task.move", "pause", _OWN)
        resume_task = _Verb("task.move", "resume", _OWN)
        finish_task = _Verb("task.move", "finish", _OWN)
        cancel_task = _Verb("task.move", "cancel", _OWN)
        wake_tasks = _Verb("task.move", "due")
        record_call = _Verb("hook.events", "record_call", _OWN)
        record_failure = _Verb("hook.events", "record_failure", _OWN)
        begin_once = _Verb("hook.session", "begin_once", _OWN)
        is_running = _Verb("hook.session", "is_running", _OWN)
        stands_elsewhere = _Verb("hook.session", "stands_elsewhere", _OWN)
        has_work = _Verb("hook.session", "has_work", _OWN)
        is_changing = _Verb("hook.session", "is_changing", _OWN)
        is_last_part = _Verb("hook.session", "is_last_part", _OWN)
        remind_of_boot = _Verb("hook.reminder", "remind", _OWN)
        is_boot_due = _Verb("hook.reminder", "is_due", _OWN)
        forget_boot = _Verb("hook.reminder", "forget", _OWN)
        is_nudge_due = _Verb("hook.reminder", "is_nudge_due", _OWN)
        nudged = _Verb("hook.reminder", "nudged", _OWN)
        forget_nudge = _Verb("hook.reminder", "forget_nudge", _OWN)
        ask_for_curation = _Verb("curate.prompt", "ask_for_curation", _OWN)
        migrate = _Verb("migrate.migrate", "migrate")
        abort_migration = _Verb("migrate.abort", "abort")
        install_schedule = _Verb("schedule.install", "install")
        remove_schedule = _Verb("schedule.install", "remove")
        carry_out_schedule = _Verb("schedule.steps", "carry_out")
        scheduled = _Verb("schedule.show", "show")

    def moment(self, text: str) -> datetime:
        """The moment that `text` names: ISO 8601, `today`, `yesterday`, `3d`, `2h`; UsageError where it is none."""
        from agentws.storage.disk import clock

        return clock.moment(text, now=self.clock.now())

    def unknown_writers(self) -> set[str]:
        """The writers that this machine does not know: nobody has to believe them that a session was shared."""
        from agentws.storage.workspace import writer_trust

        return writer_trust.of(self).unknown

    def observe(self, observer: Observer) -> None:
        """Tell `observer` of each event that this object records from now on, after the event is durable.

        Ready ones: agentws.adapters.observers. One that fails is a notice, and never costs an event.
        """
        self.observers.append(observer)

    @classmethod
    def open(cls, path: str, *, environment: Environment | None = None) -> Workspace:
        """The workspace at `path`: adopted, or (for reading) any folder with an agent's files.

        Where no `environment` is given, it is what the environment variables say, as for the command line: where the
        state is, the zone, the session.
        """
        return _stores.open_at(path, environment or surroundings.read(), cls)

    @classmethod
    def find(cls, *, environment: Environment | None = None) -> Workspace:
        """The workspace that holds the present folder; `environment` as for `open`."""
        return _stores.open_at(None, environment or surroundings.read(), cls)

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
        environment = environment or surroundings.read()
        root = os.path.realpath(os.path.expanduser(path))
        from agentws.operations import init

        init.init(root, environment, name=name, template=template, git=git, private=private)
        return cls.open(root, environment=environment)


def hear(host: str, event: str) -> _hook_call.Heard:
    """A call of a hook of this host, before anything of it is read; UsageError lists the hosts there are."""
    from agentws.operations.hook import call as hearing

    return hearing.hear(host, event)


def __getattr__(name: str) -> object:
    """Import `initialise` and `take` when they are asked for."""
    if name == "take":
        from agentws.operations.migrate import take as taking

        return taking.take
    if name != "initialise":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agentws.operations import init

    return init.init
