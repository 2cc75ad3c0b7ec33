"""The features and the hosts, a folder each, and what each adds to the rest: two tables of names.

A feature is imported when a name of it is first needed. It imports the core, and other features only downwards.

hook            asked by          the function in the feature's folder
boot_sources    boot              (reading: BootInputs) adds what boot reads of the feature
checks          status, doctor    (seen: Seen) -> Iterable[Check], how each protection is
findings        status, doctor    (seen: Seen) -> Iterable[Finding], what needs no document to be read
deep_findings   doctor            (seen: Seen) -> Iterable[Finding], what status has no time for
forget          forget            (stores: Stores, sought: Sought) -> Traces, what the feature keeps of a text
hook_rules      doctor            (seen: Seen) -> int, how many rules the hooks of hosts have to enforce
open_items      todo and others   (reader: OpenItemsReader) -> Iterable[Row], what is open beside the notes
steps_begun     journal           (stores: Stores) -> workflows with their events, which are retired all or none
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Protocol

    from agentws.core.hosts.loading import Host

    class Present(Protocol):
        """Files, or what they listed."""

        def exists(self, path: str) -> bool:
            """Return whether anything stands at a path."""

        def listing(self, folder: str) -> list[str]:
            """Return the names in a folder."""


class Feature:
    """Additions of a feature: commands by help group, the help of its families, and the module of each hook.

    A command or family has the module that holds its verbs. A family whose help is empty is a verb by itself too.
    Behind the module of a hook come the paths of the workspace of which one must be there, or it has nothing to add;
    a path that ends in `*` is the beginning of a name.

    `merges` says how sync merges two versions of its files: pattern -> a `Merge` of core/formats/travel/sync_path.py.
    """

    __slots__ = ("families", "groups", "hooks", "merges")

    def __init__(
        self,
        groups: Mapping[str, Mapping[str, str]] | None = None,
        families: Mapping[str, str] | None = None,
        merges: Mapping[str, str] | None = None,
        **hooks: tuple[str, ...],
    ) -> None:
        self.groups = groups or {}
        self.families = families or {}
        self.merges = merges or {}
        self.hooks = hooks

    @property
    def commands(self) -> dict[str, str]:
        """Return the module of each command or family."""
        return {name: module for named in self.groups.values() for name, module in named.items()}


FEATURES = {
    "daily": Feature(
        {
            "Daily": {"log": "command_log", "open": "command_open"},
            "Memory": {"remember": "command_remember"},
            "Maintenance": {"config": "command_config", "docs": "command_docs"},
        },
        merges={f"{layout.DAYS}/{{day}}": "log"},
    ),
    "history": Feature(
        {"History": {"history": "command", "diff": "command", "restore": "command", "undo": "command_undo"}},
    ),
    "journal": Feature(
        {"History": {"journal": "command", "session": "session.command"}, "Plumbing": {"event": "command_event"}},
        families={
            "journal": "Read and verify the record of events.",
            "session": "Start, end and inspect agent sessions.",
        },
        checks=("checks",),
    ),
    "identity": Feature(
        {"Copies": {"identity": "command"}},
        families={"identity": "Show and manage the agent's installations."},
        checks=("checks",),
        merges={layout.SIGNERS: "lines"},
    ),
    "handoff": Feature(
        {"Daily": {"handoff": "command"}},
        families={"handoff": ""},
        boot_sources=("boot", layout.HANDOFFS),
        findings=("checks",),
    ),
    "checkpoints": Feature(
        {"Work": {"checkpoint": "command"}},
        families={"checkpoint": "Save the state of a task, and return to it."},
        checks=("checks", layout.CHECKPOINTS),
        deep_findings=("checks", layout.CHECKPOINTS, layout.RESTORED),
        forget=("traces", layout.CHECKPOINTS),
        merges={f"{layout.CHECKPOINTS}/{{text}}": "kept"},
    ),
    "data": Feature(
        {"Memory": {"data": "command_data", "artifact": "command_artifact"}},
        families={
            "data": "Tables of JSON rows.",
            "artifact": "Files by their digest: weights, embeddings, anything large.",
        },
        deep_findings=("checks", layout.DATA),
        forget=("traces", layout.ARTIFACTS),
        merges={f"{layout.DATA}/": "rows"},
    ),
    "workflow": Feature(
        {"Work": {"workflow": "command"}},
        families={"workflow": "Steps of programs whose results are recorded, and not run twice."},
        checks=("checks", layout.WORKFLOWS),
        steps_begun=("listing",),
    ),
    "approvals": Feature(
        {"Work": {"ask": "command"}},
        families={"ask": ""},
        boot_sources=("boot", layout.APPROVALS),
        checks=("checks",),
        deep_findings=("checks",),
        hook_rules=("checks",),
        # A merge of two signed texts would have no signature.
        merges={f"{layout.APPROVALS}/": "answer", layout.APPROVERS: "whole", layout.RULES: "whole"},
        open_items=("open_items",),
    ),
    "tasks": Feature(
        {
            "Daily": {"todo": "todo.command", "done": "todo.command", "drop": "todo.command"},
            "Work": {"task": "command"},
        },
        families={"task": "Manage work that outlives a session, one file per task."},
        boot_sources=("boot", layout.TASKS),
        checks=("checks", layout.TASK_RUNS),
        open_items=("open_items",),
    ),
    "memory": Feature(
        {"Memory": {"curate": "curate.command", "compact": "compact.command", "why": "command_why"}},
        boot_sources=("boot", layout.DIGEST, layout.SOURCES, "memory/proposed.md"),
        checks=("checks",),
        deep_findings=("checks",),
        forget=("traces",),
        merges={
            layout.MEMORY: "facts",
            layout.DIGEST: "digest",
            layout.SOURCES: "made",
            "memory/proposed.md": "made",
            layout.SUPERSEDED: "made",
            f"{layout.ARCHIVE}/{{month}}": "made",
        },
    ),
    "search": Feature(
        {"Memory": {"search": "command"}, "History": {"sql": "command_sql"}, "Maintenance": {"index": "command_index"}},
        families={"index": "Inspect and rebuild the index of search."},
        forget=("traces",),
    ),
    "copies": Feature(
        {
            "Copies": {"backup": "backup.command", "migrate": "migrate.command"},
            "Plumbing": {"drill": "backup.command_drill"},
        },
        families={"backup": "Copy the workspace to another disk, verify and restore it."},
        checks=("backup.checks",),
        findings=("backup.checks",),
        forget=("backup.traces",),
    ),
    "sync": Feature(
        {"Copies": {"sync": "command"}},
        families={"sync": ""},
        checks=("checks",),
        findings=("checks",),
        forget=("traces",),
        merges={f"{layout.CONFLICTS}/": "record"},
    ),
    "boot": Feature(
        {"Daily": {"boot": "command"}, "Work": {"context": "command_context"}},
        families={"context": "Additional files for boot, by occasion."},
    ),
    "forget": Feature(
        {"Memory": {"forget": "command"}, "History": {"journal": "command_purge"}},
    ),
    "hosts": Feature(
        {
            "Hosts": {"install": "command_install", "uninstall": "command_install", "crash-test": "crash_test.command"},
            "Plumbing": {"hook": "command_hook"},
        },
        findings=("checks", ".agentws/installed"),
        deep_findings=("checks",),
        forget=("traces", ".agentws/installed"),
    ),
    "exam": Feature(
        {"Maintenance": {"exam": "command"}},
        deep_findings=("checks", layout.EXAM),
        merges={layout.EXAM: "whole"},
    ),
    "transfer": Feature(
        {"Memory": {"import": "command_import", "export": "command_export"}},
    ),
    "automation": Feature(
        {"History": {"watch": "watch.command"}, "Maintenance": {"schedule": "schedule.command"}},
        families={"schedule": "Run jobs daily, weekly or every ten minutes."},
    ),
    "doctor": Feature(
        {"Daily": {"status": "command_status"}, "Maintenance": {"doctor": "command"}},
    ),
    "init": Feature(
        {"Maintenance": {"init": "command", "start": "command_start", "demo": "command_demo"}},
    ),
    "mcp": Feature({"Hosts": {"mcp": "command"}}),
    "fleet": Feature(
        {"Copies": {"fleet": "command"}},
        families={"fleet": "Many agents of a team, seen in one PostgreSQL database."},
    ),
    "ui": Feature({"Daily": {"ui": "command"}}),
}
"""In the order in which commands that ask every feature ask them."""


def command_modules(name: str) -> list[str]:
    """Return the modules of a command, or of a family to which several features add; none if there is no such one."""
    return [
        f"agentws.features.{feature}.{adds.commands[name]}"
        for feature, adds in FEATURES.items()
        if name in adds.commands
    ]


def each(hook: str, files: Present | None = None) -> Iterator[Callable[..., Any]]:
    """Import and yield the function that each feature has for a hook; features without their `files` are left out."""
    for feature, adds in FEATURES.items():
        module, *paths = adds.hooks.get(hook) or ("",)
        if module and (files is None or not paths or any(_is_there(files, path) for path in paths)):
            yield getattr(__import__(f"agentws.features.{feature}.{module}", fromlist=(hook,)), hook)


def _is_there(files: Present, path: str) -> bool:
    if not path.endswith("*"):
        return files.exists(path)
    folder, _, start = path[:-1].rpartition("/")
    try:
        return any(name.startswith(start) for name in files.listing(folder))
    except AgentwsError:
        return False  # a folder that may not be read is a separate finding


class Program:
    """An agent program (host): what every start needs to know of it.

    `sessions` are the variables by which it tells its agent's commands their session, the first that is set counting;
    `marks` are others that it sets for them. `has_hooks` is whether it calls `agentws hook`, `starts_mcp` whether it
    starts `agentws mcp`.
    """

    __slots__ = ("has_hooks", "marks", "sessions", "starts_mcp", "title")

    def __init__(
        self,
        title: str,
        *,
        sessions: tuple[str, ...] = (),
        marks: tuple[str, ...] = (),
        has_hooks: bool = True,
        starts_mcp: bool = False,
    ) -> None:
        self.title = title
        self.sessions = sessions
        self.marks = marks
        self.has_hooks = has_hooks
        self.starts_mcp = starts_mcp


HOSTS = {
    "claude-code": Program("Claude Code", sessions=("CLAUDE_CODE_SESSION_ID",), marks=("CLAUDECODE",)),
    "codex": Program("Codex", sessions=("CODEX_SESSION_ID", "CODEX_THREAD_ID"), marks=("CODEX_SANDBOX",)),
    "gemini": Program("Gemini CLI", marks=("GEMINI_CLI",)),
    "qwen": Program("Qwen Code", sessions=("QWEN_CODE_SESSION_ID",), marks=("QWEN_CODE",)),
    "copilot": Program("GitHub Copilot CLI", sessions=("COPILOT_AGENT_SESSION_ID",)),
    "droid": Program("Droid"),
    "opencode": Program("OpenCode", marks=("OPENCODE",)),
    "openclaw": Program("OpenClaw"),
    "pi": Program("Pi", sessions=("PI_SESSION_ID",), marks=("PI_CODING_AGENT",)),
    "agents-md": Program("AGENTS.md", has_hooks=False),
    "mcp-json": Program(".mcp.json", has_hooks=False, starts_mcp=True),
    "cursor": Program("Cursor", has_hooks=False, starts_mcp=True),
    "vscode": Program("Visual Studio Code", has_hooks=False, starts_mcp=True),
    "claude-desktop": Program("Claude Desktop", has_hooks=False, starts_mcp=True),
}
"""Name on the command line → program. All else about it is in its folder, features/hosts/NAME, with `_` for `-`.

All that start `agentws mcp` are in features/hosts/mcp_clients.py.
"""


def with_hooks() -> list[str]:
    """Return the names of the hosts that have hooks."""
    return [name for name, program in HOSTS.items() if program.has_hooks]


def one_of(names: Iterable[str]) -> str:
    """Return the names as a help text lists them, with "or" before the last."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def has_module(name: str, module: str) -> bool:
    """Return whether a host's folder has this module; an MCP client has no folder."""
    from importlib.util import find_spec

    return not HOSTS[name].starts_mcp and find_spec(f"{host_module(name).__name__}.{module}") is not None


def host_module(name: str, module: str = "") -> Any:
    """Import a module of a host's folder, without `module` the folder itself; an MCP client is both in one object."""
    if HOSTS[name].starts_mcp:
        return __import__("agentws.features.hosts.mcp_clients", fromlist=("CLIENTS",)).CLIENTS[name]
    return __import__(f"agentws.features.hosts.{name.replace('-', '_')}{module and f'.{module}'}", fromlist=("host",))


def host(name: str) -> Host:
    """Return the description of a host."""
    described: Host = host_module(name).host()
    described.name, described.title = name, HOSTS[name].title
    return described


def all_hosts() -> Iterator[Host]:
    """Yield the description of each host."""
    yield from map(host, HOSTS)


def settings_that_run() -> list[str]:
    """Return the settings in a project by which any host runs a program, as `cargo.what_runs` takes them."""
    return [path for described in all_hosts() for path in described.runs]
