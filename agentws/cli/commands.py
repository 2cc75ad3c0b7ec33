"""The commands of the command line: `agentws/features` says which there are, in which group."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.options import Verb

FIRST = (
    *("init", "boot", "log", "todo", "done", "remember", "search", "handoff", "task"),
    *("compact", "migrate", "install", "import", "status", "undo", "demo"),
)
"""The commands that `agentws --help` shows, in this order; `agentws help --all` shows all groups."""
GROUPS = ("Daily", "Memory", "Work", "History", "Copies", "Hosts", "Maintenance", "Plumbing")
"""The panels of `agentws help --all` in this order; features add commands to them. Plumbing, which programs call, is in
no help."""
PLUMBING = "Plumbing"
LISTS = ("list", "status", "show")
"""A family called without a command does the first of these that it has."""


def panels() -> dict[str, list[str]]:
    """Return the commands and families of each group."""
    from agentws import features  # `--version` asks for no command

    return {
        group: list(dict.fromkeys(name for adds in features.FEATURES.values() for name in adds.groups.get(group, ())))
        for group in GROUPS
    }


def families() -> dict[str, str]:
    """Return the help text of each family; a family with an empty text is a command itself."""
    from agentws import features

    return {name: text for adds in features.FEATURES.values() for name, text in adds.families.items()}


def names() -> Iterator[str]:
    """Return the names of all commands: single verbs and families."""
    for names in panels().values():
        yield from names


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
