"""The commands of the command line, for `--help`: panels, and the help of each family; code is in agentws/features."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.options import Verb

FIRST = (
    *("init", "boot", "log", "todo", "done", "remember", "search", "handoff", "task"),
    *("compact", "migrate", "install", "import", "status", "undo", "demo"),
)
"""The commands that `agentws --help` shows, in this order; `agentws help --all` shows the panels."""
PANELS = {
    "Daily": ("boot", "log", "todo", "done", "drop", "handoff", "open", "status"),
    "Memory": ("search", "remember", "curate", "compact", "why", "forget", "import", "export"),
    "Work": ("task", "ask", "checkpoint", "workflow", "context"),
    "History": ("undo", "history", "diff", "restore", "watch", "journal", "session", "sql"),
    "Copies": ("backup", "sync", "migrate", "identity"),
    "Hosts": ("install", "uninstall", "crash-test"),
    "Maintenance": ("start", "init", "demo", "doctor", "exam", "config", "schedule", "index", "docs"),
    "Plumbing": ("hook", "event", "drill"),
}
"""The commands and families of each panel. Plumbing is what programs call, or an old name: no help lists it."""
PLUMBING = "Plumbing"
LISTS = ("list", "status", "show")
"""A family called without a command does the first of these that it has."""
FAMILIES = {
    "task": "Manage work that outlives a session, one file per task.",
    "checkpoint": "Save the state of a task, and return to it.",
    "workflow": "Steps of programs whose results are recorded, and not run twice.",
    "context": "Additional files for boot, by occasion.",
    "index": "Inspect and rebuild the index of search.",
    "session": "Start, end and inspect agent sessions.",
    "journal": "Read and verify the record of events.",
    "schedule": "Run jobs daily, weekly or every ten minutes.",
    "backup": "Copy the workspace to another disk, verify and restore it.",
    "identity": "Show and manage the agent's installations.",
    "handoff": "",
    "sync": "",
    "ask": "",
}
"""Each family of verbs, and what the help says of it; where it is empty, the family is a verb by itself too."""


def names() -> Iterator[str]:
    """Return the names of all commands: single verbs and families."""
    from agentws import features  # `--version` asks for no command

    for names in PANELS.values():
        yield from filter(features.command_modules, names)


def of(name: str) -> dict[str, Verb]:
    """Return the commands (verbs) of a family by full name, or a single one; empty for an unknown name."""
    from agentws import features

    modules = [__import__(module, fromlist=("VERBS",)) for module in features.command_modules(name)]
    verbs = (verb for module in modules for verb in module.VERBS)
    return {verb.name: verb for verb in verbs if verb.name == name or verb.name.startswith(f"{name} ")}


def list_of(family: str) -> str:
    """Return the command that lists what a family has, such as `task list`; empty if `family` alone is a command."""
    verbs = of(family)
    own = verbs.get(family)
    if own is not None and not any(word.is_required for word in own.words):
        return ""
    return next(name for word in LISTS if (name := f"{family} {word}") in verbs)


def all_verbs() -> Iterator[Verb]:
    """Return all commands (verbs)."""
    for name in names():
        yield from of(name).values()
