"""The features, a folder each, and what each adds to the rest: one table of names.

A feature is imported when a name of it is first needed. It imports the core, and other features only downwards.

hook            asked by          the function in the feature's folder
boot_sources    boot              (reading: BootReading) adds what boot reads of the feature
checks          status, doctor    (seen: Seen) -> Iterable[Check], how each protection is
findings        doctor, status    (seen: Seen) -> Iterable[Finding]; at a glance those that need no document
forget          forget            (stores: Stores, sought: Sought) -> Traces, what the feature keeps of a text
merge_rules     sync              () -> Mapping[str, Merge], how its files are merged
open_items      todo and others   (reader: OpenItemsReader) -> Iterable[Row], what is open beside the notes
steps_begun     journal           (stores: Stores) -> workflows with their events, which are retired all or none
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from agentws.core.disk.files import Files


class Feature:
    """What a feature adds: the module of each command or family, and of each hook.

    Behind the module of a hook come the paths of the workspace of which one must be there, or it has nothing to add.
    """

    __slots__ = ("commands", "hooks")

    def __init__(self, commands: Mapping[str, str] | None = None, **hooks: tuple[str, ...]) -> None:
        self.commands = commands or {}
        self.hooks = hooks


FEATURES = {
    "daily": Feature(
        {
            "log": "command_log",
            "open": "command_open",
            "remember": "command_remember",
            "config": "command_config",
            "docs": "command_docs",
        },
        merge_rules=("merge_rules",),
    ),
    "identity": Feature({"identity": "command"}, merge_rules=("merge_rules",)),
    "journal": Feature({"journal": "command", "event": "command_event", "session": "session.command"}),
    "history": Feature({"history": "command", "diff": "command", "restore": "command", "undo": "command_undo"}),
    "handoff": Feature({"handoff": "command"}),
    "workflow": Feature({"workflow": "command"}, steps_begun=("listing",)),
    "checkpoints": Feature({"checkpoint": "command"}, forget=("traces", "checkpoints"), merge_rules=("merge_rules",)),
    "approvals": Feature({"ask": "command"}, merge_rules=("merge_rules",)),
    "tasks": Feature({"task": "command", "todo": "todo.command", "done": "todo.command", "drop": "todo.command"}),
    "memory": Feature(
        {"curate": "curate.command", "compact": "compact.command", "why": "command_why"},
        forget=("traces",),
        merge_rules=("merge_rules",),
    ),
    "search": Feature(
        {"search": "command", "sql": "command_sql", "index": "command_index"},
        forget=("traces",),
    ),
    "copies": Feature(
        {"backup": "backup.command", "drill": "backup.command_drill", "migrate": "migrate.command"},
        forget=("backup.traces",),
    ),
    "sync": Feature({"sync": "command"}, forget=("traces",), merge_rules=("merge_rules",)),
    "boot": Feature({"boot": "command", "context": "command_context"}),
    "forget": Feature({"forget": "command", "journal": "command_purge"}),
    "hosts": Feature({"install": "command_install", "uninstall": "command_install", "hook": "command_hook"}),
    "automation": Feature({"watch": "watch.command", "schedule": "schedule.command"}),
    "doctor": Feature({"doctor": "command", "status": "command_status"}),
    "init": Feature({"init": "command"}),
}
"""In the order in which commands that ask every feature ask them."""


def command_modules(name: str) -> list[str]:
    """Return the modules of a command, or of a family to which several features add; none if there is no such one."""
    return [
        f"agentws.features.{feature}.{adds.commands[name]}"
        for feature, adds in FEATURES.items()
        if name in adds.commands
    ]


def each(hook: str, files: Files | None = None) -> Iterator[Callable[..., Any]]:
    """Import and yield the function that each feature has for a hook; features without their `files` are left out."""
    for feature, adds in FEATURES.items():
        module, *paths = adds.hooks.get(hook) or ("",)
        if module and (files is None or not paths or any(map(files.exists, paths))):
            yield getattr(__import__(f"agentws.features.{feature}.{module}", fromlist=(hook,)), hook)
