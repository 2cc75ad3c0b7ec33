"""The commands of the command line, for `--help`: panels, and the help of each family; code is in agentws/features."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.options import Verb

PANELS = {
    "Daily": ("boot", "log", "todo", "done", "drop", "handoff", "open", "status"),
    "Memory": ("search", "remember", "curate", "compact", "why", "forget"),
    "Work": ("task", "ask", "checkpoint", "workflow", "context"),
    "History": ("undo", "history", "diff", "restore", "watch"),
    "Hosts": ("install", "uninstall", "sync", "migrate", "backup", "drill", "identity"),
    "Maintenance": ("init", "doctor", "config", "schedule", "journal", "sql", "docs", "crash-test"),
    "Plumbing": ("hook", "event", "session", "index"),
}
"""The verbs and families of each panel; what is plumbing, programs call, and the list does not show it."""
PLUMBING = "Plumbing"
FAMILIES = {
    "task": "Manage work that outlives a session, one file per task.",
    "checkpoint": "Save the state of a task, and return to it.",
    "workflow": "Steps of programs whose results are recorded, and not run twice.",
    "context": "Additional files for boot, by occasion.",
    "index": "Inspect and rebuild the index of search.",
    "session": "Start, end and inspect agent sessions.",
    "journal": "Read and verify the record of events.",
    "schedule": "Run jobs once a day or once a week.",
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


def all_verbs() -> Iterator[Verb]:
    """Return all commands (verbs)."""
    for name in names():
        yield from of(name).values()
