"""The table of verbs, in groups: each verb is a function of a feature, imported when it is first asked for."""

from __future__ import annotations

from agentws.core.stores import stores as _stores
from agentws.errors import NotForAudienceError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from agentws.core.stores.stores import Stores

HEARD, OWN, MAIN = "heard", "own", "main"
"""How a verb treats a shared audience: it reads only what that audience may see (HEARD), it decides itself (OWN), or it
is refused (MAIN, the default).
"""


class Verb:
    """A verb that is imported when it is first asked for: `boot` needs neither `init` nor `undo`."""

    __slots__ = ("audience", "function", "module")

    def __init__(self, module: str, function: str, audience: str = MAIN) -> None:
        self.module = module
        self.function = function
        self.audience = audience

    def loaded(self) -> Callable[..., Any]:
        """Return the function of the verb, which takes the stores first."""
        result: Callable[..., Any] = getattr(
            __import__(f"agentws.features.{self.module}", fromlist=[self.function]), self.function
        )
        return result

    def __get__(self, group: Group | None, kind: object = None) -> object:
        function = self.loaded()
        if group is None:
            return function
        stores = group.stores
        stores.begin()
        verb = function.__get__(stores)
        if self.audience != OWN and stores.is_narrowed and (stores.shared is not None or stores.audience() != "main"):
            if self.audience == MAIN:
                raise NotForAudienceError
            verb = _counted(function, stores.visible_to())
        return verb if stores.environment.by_command else _called(verb, function)


def _take_in(stores: Stores) -> None:
    Verb("hosts.hook.call_files", "take_in").loaded()(stores)


_stores.Stores.taker = _take_in


def _called(verb: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the verb for a call from Python: an error of the call names parameters of the function."""
    from functools import wraps

    @wraps(verb)
    def call(*arguments: object, **named: object) -> object:
        try:
            return verb(*arguments, **named)
        except (AttributeError, TypeError, UsageError) as error:
            from agentws import arguments as _arguments

            _arguments.explain(error, function, arguments, named)
            raise

    return call


def _counted(function: Callable[..., Any], heard: Stores) -> Callable[..., Any]:
    """Return the verb, whose notices say how many things were not for its audience."""

    def call(*arguments: object, **named: object) -> object:
        result = function(heard, *arguments, **named)
        if isinstance(value := getattr(result, "notices", None), list):
            value += heard.not_told()
        return result

    return call


class Group:
    """The verbs of one subject, for one workspace: `workspace.tasks`."""

    __slots__ = ("stores",)

    def __init__(self, stores: Stores) -> None:
        self.stores = stores

    @classmethod
    def _of(cls, workspace: Group) -> Self:
        """Return the group of a workspace."""
        return cls(workspace.stores)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.stores.root!r}>"


class Search(Group):
    """The index of all texts: `agentws search`, `sql` and `index`."""

    __slots__ = ()

    __call__ = Verb("search.search", "search", HEARD)
    open = Verb("search.search", "searcher", HEARD)
    retrieve = Verb("search.retrieve", "retrieve", HEARD)
    texts = Verb("search.search", "texts", OWN)
    sql = Verb("search.sql", "sql")
    status = Verb("search.index", "status")
    refresh = Verb("search.index", "refresh")
    rebuild = Verb("search.index", "rebuild")
    vectors = Verb("search.embedding", "vector_status")
    refresh_vectors = Verb("search.embedding", "refresh_vectors")
    forget_vectors = Verb("search.embedding", "forget_vectors")


class Handoff(Group):
    """Notes for the next session: `agentws handoff`."""

    __slots__ = ()

    __call__ = Verb("handoff.write", "write", OWN)
    list = Verb("handoff.listing", "list_handoffs", HEARD)
    show = Verb("handoff.listing", "show_handoff", HEARD)
    accept = Verb("handoff.close", "accept")
    ack = Verb("handoff.close", "ack_handoff", OWN)


class Session(Group):
    """Sessions of the agent: `agentws session`."""

    __slots__ = ()

    __call__ = Verb("journal.session", "session", OWN)
    start = Verb("journal.session", "start_session", OWN)
    end = Verb("journal.session", "end_session", OWN)
    find = Verb("journal.session", "find_session", HEARD)
    list = Verb("journal.session.listing", "list_sessions", HEARD)
    started = Verb("journal.session.listing", "started_sessions", HEARD)
    show = Verb("journal.session.listing", "show_session", HEARD)


class Workflow(Group):
    """Programs whose steps run once: `agentws workflow`."""

    __slots__ = ()

    __call__ = Verb("workflow.flow", "workflow")
    list = Verb("workflow.listing", "list_workflows")
    show = Verb("workflow.listing", "show")
    resolve = Verb("workflow.questions", "resolve")


class Sync(Group):
    """This copy and the others of the agent: `agentws sync`."""

    __slots__ = ()

    __call__ = Verb("sync.run", "sync")
    list = Verb("sync.known", "known")
    conflicts = Verb("sync.conflicts", "conflicts")
    resolve = Verb("sync.conflicts", "resolve")
    lease = Verb("sync.lease", "lease")
    detach = Verb("sync.known", "detach")


class Tasks(Group):
    """Work that outlives a session: `agentws task`."""

    __slots__ = ()

    add = Verb("tasks.add", "add", OWN)
    list = Verb("tasks.listing", "list_tasks", HEARD)
    show = Verb("tasks.listing", "show", HEARD)
    start = Verb("tasks.move", "start", OWN)
    step = Verb("tasks.move", "step", OWN)
    wait = Verb("tasks.move", "wait", OWN)
    pause = Verb("tasks.pause", "pause", OWN)
    resume = Verb("tasks.pause", "resume", OWN)
    rollback = Verb("tasks.rollback", "rollback", OWN)
    done = Verb("tasks.move", "finish", OWN)
    cancel = Verb("tasks.move", "cancel", OWN)
    edit = Verb("tasks.edit", "edit", OWN)
    rename = Verb("tasks.edit", "rename", OWN)
    due = Verb("tasks.due", "due")
    run_due = Verb("tasks.run", "run_due")


class Approvals(Group):
    """Requests that a person decides: `agentws ask`."""

    __slots__ = ()

    list = Verb("approvals.store", "list_approvals", HEARD)
    show = Verb("approvals.store", "show", HEARD)
    decide = Verb("approvals.decide", "decide", OWN)
    use = Verb("approvals.decide", "use", OWN)
    statement = Verb("approvals.signing", "statement", HEARD)
    sign = Verb("approvals.signing", "sign")
    keys = Verb("approvals.signing", "keys")
    rules = Verb("approvals.rules", "list_rules")
    expire = Verb("approvals.expiry", "expire")
    notify = Verb("approvals.ask", "send")


class Journal(Group):
    """The record of events: `agentws journal`."""

    __slots__ = ()

    list = Verb("journal.listing", "events", HEARD)
    follow = Verb("journal.listing", "follow", HEARD)
    audit = Verb("journal.audit", "audit", HEARD)
    replay = Verb("journal.replay", "replay", HEARD)
    fold = Verb("journal.fold", "fold", HEARD)
    verify = Verb("journal.verify", "verify")
    seal = Verb("journal.seal", "seal")
    retract = Verb("journal.retract", "retract")
    renew = Verb("journal.renew", "renew")
    purge = Verb("forget.purge", "purge")
    compact = Verb("journal.compaction", "compact")
    record_lines = Verb("journal.event_lines", "record_lines", OWN)


class History(Group):
    """Earlier states and moments: `agentws history`, `diff`, `restore`, `undo`, `watch`, `why --then`."""

    __slots__ = ()

    __call__ = Verb("history.states", "history")
    states = Verb("history.states", "recent_states")
    diff = Verb("history.diff", "diff")
    restore = Verb("history.restore", "restore")
    changes = Verb("history.undo.apply", "list_changes")
    then = Verb("memory.then", "then")
    redo = Verb("history.undo.apply", "redo")
    watch = Verb("automation.watch.watch", "watch")


class Copies(Group):
    """Backups and moves: `agentws backup`, `migrate`."""

    __slots__ = ()

    create = Verb("copies.backup.create", "create")
    list = Verb("copies.backup.destinations", "known_backups")
    drill = Verb("copies.backup.drill", "drill")
    detach = Verb("copies.backup.destinations", "detach")
    migrate = Verb("copies.migrate.migrate", "migrate")
    abort_migration = Verb("copies.migrate.abort", "abort")


class Checkpoints(Group):
    """Saved states of a task: `agentws checkpoint`."""

    __slots__ = ()

    open = Verb("checkpoints.handle", "checkpoint", OWN)
    save = Verb("checkpoints.save", "save", OWN)
    list = Verb("checkpoints.listing", "list_checkpoints", OWN)
    show = Verb("checkpoints.listing", "show", OWN)
    restore = Verb("checkpoints.restore", "restore", OWN)
    diff = Verb("checkpoints.restore", "diff", OWN)
    prune = Verb("checkpoints.prune", "prune")


class Data(Group):
    """Tables and logs of JSON rows, and files by their digest: `agentws data` and `artifact`."""

    __slots__ = ()

    get = Verb("data.tables", "get")
    set = Verb("data.tables", "set_row")
    append = Verb("data.tables", "append")
    query = Verb("data.tables", "query")
    list = Verb("data.tables", "list_tables")
    rows = Verb("data.row_log", "rows")
    row_logs = Verb("data.row_log", "row_logs")
    add_artifact = Verb("data.artifacts", "add")
    list_artifacts = Verb("data.artifacts", "list_artifacts")
    find_artifact = Verb("data.artifacts", "find")
    open_artifact = Verb("data.artifacts", "open_artifact")
    get_artifact = Verb("data.artifacts", "get")


class Exam(Group):
    """Questions that boot and search must answer: `agentws exam`."""

    __slots__ = ()

    __call__ = Verb("exam.apply", "exam")
    suggest = Verb("exam.suggest", "suggest")


class Memory(Group):
    """MEMORY.md, its sources and what is kept out: `agentws compact`, `curate`, `why`, `forget`."""

    __slots__ = ()

    list = Verb("memory.why", "memories")
    why = Verb("memory.why", "why")
    compact = Verb("memory.compaction", "compact")
    verify = Verb("memory.compact.records", "verify")
    undo = Verb("memory.compact.records", "undo_compaction")
    brief = Verb("memory.curate.brief", "brief")
    curate = Verb("memory.curate.answer", "curate")
    review = Verb("memory.curate.answer", "review")
    decide = Verb("memory.curate.answer", "decide")
    ask = Verb("memory.curate.answer", "ask")
    forget = Verb("forget.forget", "forget")
    kept_out = Verb("forget.kept_out", "entries")
    lift = Verb("forget.kept_out", "lift")
    import_from = Verb("transfer.importer", "import_from")
    export = Verb("transfer.exporter", "export")


class Identity(Group):
    """The agent's installations and whom they trust: `agentws identity`."""

    __slots__ = ()

    show = Verb("identity.show", "show")
    verify = Verb("identity.verify", "verify")
    vouch = Verb("identity.vouch", "vouch")
    request_vouch = Verb("identity.vouch", "request")
    take_over = Verb("identity.takeover", "take_over")
    retire = Verb("identity.retire", "retire")
    revive = Verb("identity.retire", "revive")
    rotate = Verb("identity.rotate", "rotate")


class Hosts(Group):
    """Agent programs: `agentws install`, `uninstall`."""

    __slots__ = ()

    list = Verb("hosts.install.hosts", "list_hosts")
    install = Verb("hosts.install.install", "install")
    uninstall = Verb("hosts.install.uninstall", "uninstall")
    is_allowed = Verb("hosts.install.permission", "is_allowed")


class Schedule(Group):
    """Jobs that run once a day or a week: `agentws schedule`."""

    __slots__ = ()

    show = Verb("automation.schedule.install", "show")
    install = Verb("automation.schedule.install", "install")
    remove = Verb("automation.schedule.install", "remove")
    carry_out = Verb("automation.schedule.install", "carry_out")


class Contexts(Group):
    """Additional files for boot: `agentws context`."""

    __slots__ = ()

    list = Verb("boot.context", "list_contexts", HEARD)
    show = Verb("boot.context", "show_context", HEARD)
    new = Verb("boot.context", "new_context")
    use = Verb("boot.context", "use_context")


class Config(Group):
    """The settings of agentws.toml: `agentws config`."""

    __slots__ = ()

    list = Verb("daily.config.settings", "settings")
    set = Verb("daily.config.settings", "set_setting")


class Plumbing(Group):
    """What hooks, the page and the command line need; not for other programs, and it may change."""

    __slots__ = ()

    unshown = Verb("boot.shown", "unshown", OWN)
    may_seal_aside = Verb("journal.seal", "may_seal_aside", OWN)
    seal_aside = Verb("journal.seal", "seal_aside", OWN)
    backup_aside = Verb("copies.backup.background", "backup_aside", OWN)
    ship_aside = Verb("fleet.background", "ship_aside", OWN)
    sync_at_start = Verb("sync.hooked", "sync_at_start", OWN)
    sync_aside = Verb("sync.hooked", "sync_aside", OWN)
    locate = Verb("daily.open", "locate")
    entries = Verb("memory.entries", "entries")
    revise = Verb("memory.entries", "revise")
    task_text = Verb("tasks.edit", "task_text", HEARD)
    rewrite_task = Verb("tasks.edit", "rewrite", OWN)
    record_call = Verb("hosts.hook.events", "record_call", OWN)
    record_refusal = Verb("hosts.hook.events", "record_refusal", OWN)
    lacks_start = Verb("hosts.hook.events", "lacks_start", OWN)
    repeated_call = Verb("hosts.hook.events", "repeated_call", OWN)
    refuse_repeated = Verb("hosts.hook.events", "refuse_repeated", OWN)
    let_calls_wait = Verb("hosts.hook.call_files", "let_wait", OWN)
    no_longer_wait = Verb("hosts.hook.call_files", "no_longer", OWN)
    record_failure = Verb("hosts.hook.events", "record_failure", OWN)
    begin_once = Verb("hosts.hook.session", "begin_once", OWN)
    is_running = Verb("hosts.hook.session", "is_running", OWN)
    stands_elsewhere = Verb("hosts.hook.session", "stands_elsewhere", OWN)
    has_failed = Verb("hosts.hook.session", "has_failed", OWN)
    has_work = Verb("hosts.hook.session", "has_work", OWN)
    has_open_handoff = Verb("hosts.hook.session", "has_open_handoff", OWN)
    only_talked = Verb("hosts.hook.session", "only_talked", OWN)
    is_changing = Verb("hosts.hook.session", "is_changing", OWN)
    is_last_part = Verb("hosts.hook.session", "is_last_part", OWN)
    note_failures = Verb("hosts.transcripts", "note_failures", OWN)
    note_boot = Verb("hosts.hook.resumed", "note", OWN)
    boot_news = Verb("hosts.hook.resumed", "news", OWN)
    remind_of_boot = Verb("hosts.hook.reminder", "remind", OWN)
    is_boot_due = Verb("hosts.hook.reminder", "is_due", OWN)
    forget_boot = Verb("hosts.hook.reminder", "forget", OWN)
    is_nudge_due = Verb("hosts.hook.reminder", "is_nudge_due", OWN)
    nudged = Verb("hosts.hook.reminder", "nudged", OWN)
    forget_nudge = Verb("hosts.hook.reminder", "forget_nudge", OWN)
    is_handoff_due = Verb("hosts.hook.parting", "is_handoff_due", OWN)
    note_asked = Verb("hosts.hook.parting", "note_asked", OWN)
    forget_asked = Verb("hosts.hook.parting", "forget_asked", OWN)
    lines_for_memory = Verb("hosts.hook.parting", "lines_for_memory", OWN)
    recall = Verb("search.recall.recall", "recall", OWN)
    note_told_boot = Verb("search.recall.recall", "note_boot", OWN)
    forget_told = Verb("search.recall.recall", "forget", OWN)
    recalled = Verb("journal.receipts", "recalled", HEARD)
    gate = Verb("approvals.gate", "gate", OWN)
    ask_for_curation = Verb("memory.curate.brief", "ask_for_curation", OWN)
    pause_task = Verb("tasks.move", "pause", OWN)
    resume_task = Verb("tasks.move", "resume", OWN)
