"""The table of verbs: what can be done with a workspace, as methods of one object.

workspace.pyi tells type checkers and editors what each verb takes; tools/reference.py makes it from this table.
"""

from __future__ import annotations

import os

from agentws import features
from agentws.core.stores import environment as _surroundings
from agentws.core.stores import stores as _stores
from agentws.errors import NotForAudienceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from agentws.core.ports import Observer

Environment = _stores.Environment
surroundings = _surroundings


def read_environment() -> Environment:
    """Return the surroundings that the environment variables tell, those that hosts set included."""
    programs = features.HOSTS.values()
    return surroundings.read(
        [program.sessions for program in programs], [mark for program in programs for mark in program.marks]
    )


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

    def loaded(self) -> Callable[..., Any]:
        """The function of the verb."""
        found: Callable[..., Any] = getattr(
            __import__(f"agentws.features.{self.module}", fromlist=[self.function]), self.function
        )
        return found

    def __get__(self, workspace: Workspace | None, kind: object = None) -> object:
        function = self.loaded()
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

    boot = _Verb("boot.apply", "boot", _OWN)
    log = _Verb("daily.log", "log", _OWN)
    log_closed = _Verb("daily.log", "log_closed", _OWN)
    todo = _Verb("daily.log", "todo", _OWN)
    todos = _Verb("tasks.todo.items", "todos", _HEARD)
    item_states = _Verb("tasks.todo.items", "item_states", _HEARD)
    done = _Verb("tasks.todo.closure", "done", _OWN)
    drop = _Verb("tasks.todo.closure", "drop", _OWN)
    event = _Verb("journal.event", "event", _OWN)
    record_lines = _Verb("journal.event_lines", "record_lines", _OWN)
    remember = _Verb("daily.remember", "remember", _OWN)
    search = _Verb("search.search", "search", _HEARD)
    searcher = _Verb("search.search", "searcher", _HEARD)
    retrieve = _Verb("search.retrieve", "retrieve", _HEARD)
    index_status = _Verb("search.index", "status")
    refresh_index = _Verb("search.index", "refresh")
    rebuild_index = _Verb("search.index", "rebuild")
    refresh_vectors = _Verb("search.embedding", "refresh_vectors")
    vector_status = _Verb("search.embedding", "vector_status")
    forget_vectors = _Verb("search.embedding", "forget_vectors")
    sql = _Verb("search.sql", "sql")
    why = _Verb("memory.why", "why")
    memories = _Verb("memory.why", "memories")
    forget = _Verb("forget.forget", "forget")
    kept_out = _Verb("forget.kept_out", "entries")
    lift = _Verb("forget.kept_out", "lift")
    session = _Verb("journal.session", "session", _OWN)
    start_session = _Verb("journal.session", "start_session", _OWN)
    end_session = _Verb("journal.session", "end_session", _OWN)
    find_session = _Verb("journal.session", "find_session", _HEARD)
    sessions = _Verb("journal.session.listing", "list_sessions", _HEARD)
    show_session = _Verb("journal.session.show", "show_session", _HEARD)
    status = _Verb("doctor.status", "status")
    doctor = _Verb("doctor.apply", "doctor")
    undo = _Verb("history.undo.apply", "undo")
    redo = _Verb("history.undo.apply", "redo")
    changes = _Verb("history.undo.apply", "list_changes")
    history = _Verb("history.states", "history")
    recent_states = _Verb("history.states", "recent_states")
    diff = _Verb("history.diff", "diff")
    restore = _Verb("history.restore", "restore")
    watch = _Verb("automation.watch.watch", "watch")
    compact = _Verb("memory.compaction", "compact")
    curation_brief = _Verb("memory.curate.brief", "brief")
    curate = _Verb("memory.curate.answer", "curate")
    curation_review = _Verb("memory.curate.answer", "review")
    decide_curation = _Verb("memory.curate.answer", "decide")
    ask_summarizer = _Verb("memory.curate.answer", "ask")
    verify_compaction = _Verb("memory.compact.records", "verify")
    undo_compaction = _Verb("memory.compact.records", "undo_compaction")
    compact_journal = _Verb("journal.compaction", "compact")
    identity = _Verb("identity.show", "show")
    verify_identity = _Verb("identity.verify", "verify")
    vouch_writer = _Verb("identity.vouch", "vouch")
    request_vouch = _Verb("identity.vouch", "request")
    take_over = _Verb("identity.takeover", "take_over")
    retire = _Verb("identity.retire", "retire")
    revive = _Verb("identity.retire", "revive")
    rotate_key = _Verb("identity.rotate", "rotate")
    hosts = _Verb("hosts.install.hosts", "list_hosts")
    install = _Verb("hosts.install.install", "install")
    is_allowed = _Verb("hosts.install.permission", "is_allowed")
    uninstall = _Verb("hosts.install.uninstall", "uninstall")
    events = _Verb("journal.listing", "events", _HEARD)
    follow = _Verb("journal.listing", "follow", _HEARD)
    audit = _Verb("journal.audit", "audit", _HEARD)
    verify_journal = _Verb("journal.verify", "verify")
    seal_journal = _Verb("journal.seal", "seal")
    may_seal_aside = _Verb("journal.seal", "may_seal_aside", _OWN)
    seal_aside = _Verb("journal.seal", "seal_aside", _OWN)
    create_backup = _Verb("copies.backup.create", "create")
    known_backups = _Verb("copies.backup.listing", "known_backups")
    detach_backup = _Verb("copies.backup.destinations", "detach")
    backup_aside = _Verb("copies.backup.aside", "backup_aside", _OWN)
    drill = _Verb("copies.backup.drill", "drill")
    sync = _Verb("sync.run", "sync")
    known_remotes = _Verb("sync.known", "known")
    detach_remote = _Verb("sync.known", "detach")
    conflicts = _Verb("sync.conflicts", "conflicts")
    resolve_conflict = _Verb("sync.conflicts", "resolve")
    lease = _Verb("sync.lease", "lease")
    sync_at_start = _Verb("sync.hooked", "sync_at_start", _OWN)
    sync_aside = _Verb("sync.hooked", "sync_aside", _OWN)
    purge_journal = _Verb("forget.purge", "purge")
    retract = _Verb("journal.retract", "retract")
    fold = _Verb("journal.fold", "fold", _HEARD)
    renew_journal = _Verb("journal.renew", "renew")
    replay_journal = _Verb("journal.replay", "replay", _HEARD)
    contexts = _Verb("boot.context", "list_contexts", _HEARD)
    context = _Verb("boot.context", "show_context", _HEARD)
    settings = _Verb("daily.config.settings", "settings")
    locate = _Verb("daily.open", "locate")
    set_setting = _Verb("daily.config.settings", "set_setting")
    new_context = _Verb("boot.context", "new_context")
    use_context = _Verb("boot.context", "use_context")
    handoff = _Verb("handoff.write", "write", _OWN)
    handoffs = _Verb("handoff.listing", "list_handoffs", _HEARD)
    show_handoff = _Verb("handoff.listing", "show_handoff", _HEARD)
    accept_handoff = _Verb("handoff.close", "accept")
    ack_handoff = _Verb("handoff.close", "ack_handoff", _OWN)
    save_checkpoint = _Verb("checkpoints.save", "save", _OWN)
    checkpoints = _Verb("checkpoints.listing", "list_checkpoints", _OWN)
    show_checkpoint = _Verb("checkpoints.listing", "show", _OWN)
    restore_checkpoint = _Verb("checkpoints.restore", "restore", _OWN)
    diff_checkpoints = _Verb("checkpoints.restore", "diff", _OWN)
    checkpoint = _Verb("checkpoints.handle", "checkpoint", _OWN)
    pause = _Verb("tasks.pause", "pause", _OWN)
    resume = _Verb("tasks.pause", "resume", _OWN)
    rollback_task = _Verb("tasks.rollback", "rollback", _OWN)
    prune_checkpoints = _Verb("checkpoints.prune", "prune")
    add_task = _Verb("tasks.add", "add", _OWN)
    tasks = _Verb("tasks.listing", "list_tasks", _HEARD)
    task = _Verb("tasks.listing", "show", _HEARD)
    start_task = _Verb("tasks.move", "start", _OWN)
    task_text = _Verb("tasks.edit", "task_text", _HEARD)
    edit_task = _Verb("tasks.edit", "edit", _OWN)
    note_task_edits = _Verb("tasks.edit", "note_edits")
    rewrite_task = _Verb("tasks.edit", "rewrite", _OWN)
    rename_task = _Verb("tasks.edit", "rename", _OWN)
    step_task = _Verb("tasks.move", "step", _OWN)
    wait_task = _Verb("tasks.move", "wait", _OWN)
    pause_task = _Verb("tasks.move", "pause", _OWN)
    resume_task = _Verb("tasks.move", "resume", _OWN)
    finish_task = _Verb("tasks.move", "finish", _OWN)
    cancel_task = _Verb("tasks.move", "cancel", _OWN)
    wake_tasks = _Verb("tasks.due", "due")
    run_due_tasks = _Verb("tasks.run", "run_due")
    ask = _Verb("approvals.ask", "ask", _OWN)
    approvals = _Verb("approvals.desk", "list_approvals", _HEARD)
    approval = _Verb("approvals.desk", "show", _HEARD)
    decide = _Verb("approvals.decide", "decide", _OWN)
    use_approval = _Verb("approvals.decide", "use", _OWN)
    approval_statement = _Verb("approvals.signing", "statement", _HEARD)
    sign_approval = _Verb("approvals.signing", "sign")
    approver_keys = _Verb("approvals.signing", "keys")
    expire_approvals = _Verb("approvals.expiry", "expire")
    record_call = _Verb("hosts.hook.events", "record_call", _OWN)
    record_refusal = _Verb("hosts.hook.events", "record_refusal", _OWN)
    repeated_call = _Verb("hosts.hook.events", "repeated_call", _OWN)
    refuse_repeated = _Verb("hosts.hook.events", "refuse_repeated", _OWN)
    record_failure = _Verb("hosts.hook.events", "record_failure", _OWN)
    begin_once = _Verb("hosts.hook.session", "begin_once", _OWN)
    is_running = _Verb("hosts.hook.session", "is_running", _OWN)
    stands_elsewhere = _Verb("hosts.hook.session", "stands_elsewhere", _OWN)
    has_work = _Verb("hosts.hook.session", "has_work", _OWN)
    only_talked = _Verb("hosts.hook.session", "only_talked", _OWN)
    is_changing = _Verb("hosts.hook.session", "is_changing", _OWN)
    is_last_part = _Verb("hosts.hook.session", "is_last_part", _OWN)
    remind_of_boot = _Verb("hosts.hook.reminder", "remind", _OWN)
    is_boot_due = _Verb("hosts.hook.reminder", "is_due", _OWN)
    forget_boot = _Verb("hosts.hook.reminder", "forget", _OWN)
    is_nudge_due = _Verb("hosts.hook.reminder", "is_nudge_due", _OWN)
    nudged = _Verb("hosts.hook.reminder", "nudged", _OWN)
    forget_nudge = _Verb("hosts.hook.reminder", "forget_nudge", _OWN)
    is_handoff_due = _Verb("hosts.hook.parting", "is_handoff_due", _OWN)
    note_asked = _Verb("hosts.hook.parting", "note_asked", _OWN)
    forget_asked = _Verb("hosts.hook.parting", "forget_asked", _OWN)
    lines_for_memory = _Verb("hosts.hook.parting", "lines_for_memory", _OWN)
    recall = _Verb("search.recall.recall", "recall", _OWN)
    note_told_boot = _Verb("search.recall.told", "note_boot", _OWN)
    forget_told = _Verb("search.recall.told", "forget", _OWN)
    recalled = _Verb("journal.receipts", "recalled", _HEARD)
    notify = _Verb("approvals.ask", "send")
    gate = _Verb("approvals.gate", "gate", _OWN)
    ask_rules = _Verb("approvals.rules", "list_rules")
    workflow = _Verb("workflow.flow", "workflow")
    workflows = _Verb("workflow.listing", "list_workflows")
    show_workflow = _Verb("workflow.listing", "show")
    resolve_step = _Verb("workflow.resolve", "resolve")
    ask_for_curation = _Verb("memory.curate.brief", "ask_for_curation", _OWN)
    migrate = _Verb("copies.migrate.migrate", "migrate")
    abort_migration = _Verb("copies.migrate.abort", "abort")
    install_schedule = _Verb("automation.schedule.install", "install")
    remove_schedule = _Verb("automation.schedule.install", "remove")
    carry_out_schedule = _Verb("automation.schedule.install", "carry_out")
    scheduled = _Verb("automation.schedule.show", "show")

    def moment(self, text: str) -> datetime:
        """The moment that `text` names: ISO 8601, `today`, `yesterday`, `3d`, `2h`; UsageError where it is none."""
        from agentws.core.disk import clock

        return clock.moment(text, now=self.clock.now())

    def unknown_writers(self) -> set[str]:
        """The writers that this machine does not know: nobody has to believe them that a session was shared."""
        from agentws.core.stores import writer_trust

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
        return _stores.open_at(path, environment or read_environment(), cls)

    @classmethod
    def find(cls, *, environment: Environment | None = None) -> Workspace:
        """The workspace that holds the present folder; `environment` as for `open`."""
        return _stores.open_at(None, environment or read_environment(), cls)

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
    "initialise": _Verb("init.apply", "init"),
    "take": _Verb("copies.migrate.take", "take"),
    "hear": _Verb("hosts.hook.call", "hear"),
    "gate_alone": _Verb("approvals.gate", "gate_alone"),
    "statement_of": _Verb("approvals.signing", "statement_of"),
    "list_backups": _Verb("copies.backup.listing", "list_backups"),
    "verify_backup": _Verb("copies.backup.verify", "verify_backup"),
    "restore_backup": _Verb("copies.backup.restore", "restore_backup"),
    "remove_backup": _Verb("copies.backup.remove", "remove_backup"),
    "join": _Verb("sync.join", "join"),
}
"""What needs no workspace: `init` with its full account, the other half of a migration by git, a hook's call,
backups, for whoever has lost theirs, and an agent that is to come to this machine.
"""


def __getattr__(name: str) -> object:
    """One of FUNCTIONS, imported when it is asked for."""
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return FUNCTIONS[name].loaded()
