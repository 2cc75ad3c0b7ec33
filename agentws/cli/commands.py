"""The verbs, a module each or a module for a family: what stands where, in the order and the panels of `--help`."""

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
    "Maintenance": ("init", "doctor", "config", "schedule", "journal", "sql", "docs"),
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
MODULES = {
    "boot": "boot.command",
    "log": "daily.command_log",
    "todo": "tasks.todo.command",
    "done": "tasks.todo.command",
    "drop": "tasks.todo.command",
    "handoff": "handoff.command",
    "open": "daily.command_open",
    "status": "doctor.command_status",
    "search": "search.command",
    "remember": "daily.command_remember",
    "curate": "memory.curate.command",
    "compact": "memory.compact.command",
    "why": "memory.command_why",
    "forget": "forget.command",
    "task": "tasks.command",
    "ask": "approvals.command",
    "checkpoint": "checkpoints.command",
    "workflow": "workflow.command",
    "context": "boot.command_context",
    "undo": "history.command_undo",
    "history": "history.command",
    "diff": "history.command",
    "restore": "history.command",
    "watch": "automation.watch.command",
    "install": "hosts.command_install",
    "uninstall": "hosts.command_install",
    "sync": "sync.command",
    "migrate": "copies.migrate.command",
    "backup": "copies.backup.command",
    "drill": "copies.backup.command_drill",
    "identity": "identity.command",
    "init": "init.command",
    "doctor": "doctor.command",
    "config": "daily.command_config",
    "schedule": "automation.schedule.command",
    "journal": "journal.command",
    "sql": "search.command_sql",
    "docs": "daily.command_docs",
    "hook": "hosts.command_hook",
    "event": "journal.command_event",
    "session": "journal.session.command",
    "index": "search.command_index",
}
"""Verb or family → the module of `agentws.features` that has its options and calls it, imported when asked for."""


def names() -> Iterator[str]:
    """Every verb that stands alone, and every family."""
    for names in PANELS.values():
        yield from names


def of(name: str) -> dict[str, Verb]:
    """The verbs of a family by their full names, or the one that stands alone; empty where none is called so."""
    if not any(name in names for names in PANELS.values()):
        return {}
    module = __import__(f"agentws.features.{MODULES[name]}", fromlist=("VERBS",))
    return {verb.name: verb for verb in module.VERBS if verb.name == name or verb.name.startswith(f"{name} ")}


def all_verbs() -> Iterator[Verb]:
    """Every verb there is."""
    for name in names():
        yield from of(name).values()
