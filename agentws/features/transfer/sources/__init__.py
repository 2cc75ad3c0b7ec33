"""The sources of imports, a module for each kind of format; the table says which module reads which source."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from agentws.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agentws.features.transfer.plan.items import Item
    from agentws.features.transfer.sources.reader import Input


@dataclass(frozen=True, slots=True)
class Place:
    """Places to look for a source: the `variables` of the environment, and the absolute folder of the `project`."""

    variables: Mapping[str, str]
    project: str

    @property
    def home(self) -> str:
        """The user's home."""
        return self.variables.get("HOME", "").rstrip("/")

    def of_host(self, host: str, *paths: str) -> list[str]:
        """Return these paths below the folder of an agent program; none where it has no folder."""
        from agentws.features import hosts

        home = hosts.settings(host).home(self.variables)
        return [f"{home}/{path}" for path in paths] if home else []


def _nowhere(place: Place) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Source:
    """A source of imports.

    `title` is the program's name, `suffixes` the endings of its files. `read` yields what a file holds; `usual` returns
    the folders and files to read without a PATH.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Input], Iterator[Item]]
    usual: Callable[[Place], list[str]] = _nowhere


_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "markdown": "notes",
    "gemini": "gemini",
    "qwen": "gemini",
    "openclaw": "openclaw",
    "chatgpt": "chats",
    "claude": "chats",
    "basic-memory": "notes",
    "mem0": "records",
    "mcp-memory": "records",
    "memfs": "notes",
    "claude-mem": "claude_mem",
    "agentws": "own",
}


def names() -> list[str]:
    """Return the names of all sources."""
    return list(_MODULES)


def source(name: str) -> Source:
    """Return a source by its name; UsageError lists the known ones."""
    if name not in _MODULES:
        raise UsageError(f"Unknown source: {name!r}.", hint=f"Choose one of: {', '.join(_MODULES)}.")
    result: Source = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name.replace("-", "_").upper())
    return result
