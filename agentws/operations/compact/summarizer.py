"""A summarizer: a program of the user's own, asked after a run as any author is (operations/curate)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.storage.system import user_settings

if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

BUILTIN = "builtin"
_SETTING = "compaction.summarizer"


def wanted(stores: Stores, command: str | None, settings: str | None) -> tuple[str, list[str]]:
    """The command line of the summarizer, empty for none, and notices.

    `command` is what the caller names; without it, what the user's own `settings` file does. The workspace's settings
    never name one. DamagedError where that file cannot be read.
    """
    found = user_settings.read(settings)
    line = found.summarizer if command is None else command.strip()
    return "" if line == BUILTIN else line, [*found.notices, *_not_from_here(stores)]


def ask(stores: Stores, command: str | None, settings: str | None) -> list[str]:
    """Ask the summarizer, where there is one, to answer a brief of MEMORY.md; return notices."""
    line, _ = wanted(stores, command, settings)
    if not line:
        return []
    told: list[str] = stores.ask_summarizer(  # type: ignore[attr-defined]  # the verbs of the workspace that these are
        line, timeout_s=user_settings.read(settings).timeout_s
    )
    return told


def _not_from_here(stores: Stores) -> list[str]:
    if _SETTING not in stores.manifest.unknown_settings:
        return []
    return [
        f"{layout.MANIFEST} names a summarizer, which is ignored. "
        f"Set your own: agentws config --user {_SETTING} COMMAND, or pass --summarizer."
    ]
