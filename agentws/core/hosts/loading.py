"""What each agent program loads by itself, how it is recognised, and how much text of ours it takes. Pure.

Facts of late 2026; each host's own documents are the authority.
"""

from __future__ import annotations

from agentws.core.hosts import imports
from agentws.core.text import sizes
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Protocol

    class Folder(Protocol):
        """The workspace as a host sees it."""

        def has(self, path: str) -> bool:
            """Return whether anything stands at `path`."""

        def text(self, path: str) -> str | None:
            """The text of the file at `path`, None where there is none that can be read whole."""


PLAIN = "plain"
"""The host of which nothing is known."""
CHARACTERS, TOKENS = "characters", "tokens"
BYTES_PER_TOKEN = 4
"""By which a host that caps tokens estimates them."""


class Cap:
    """The most that one text from outside may have, `most` of `unit`; a host cuts what is longer.

    `in_all` is for all texts together with the files
    that the host loads itself, 0 for no limit.
    """

    __slots__ = ("in_all", "most", "unit")

    def __init__(self, most: int, unit: str, *, in_all: int = 0) -> None:
        self.most = most
        self.unit = unit
        self.in_all = in_all

    def __str__(self) -> str:
        return f"{self.most:,} {self.unit}"


class Reach:
    """The reading limit of a host: up to `each` of a file and `in_all` of all files, counted by `size`.

    `special` says otherwise of single files. `imports` is how many steps it follows `@path`, each file ending in
    `suffix`.
    """

    __slots__ = ("each", "imports", "in_all", "size", "special", "suffix")

    def __init__(
        self,
        *,
        each: int = 1 << 62,
        in_all: int = 1 << 62,
        size: Callable[[str], int] = len,
        special: Mapping[str, int] | None = None,
        imports: int = 0,
        suffix: str = "",
    ) -> None:
        self.each = each
        self.in_all = in_all
        self.size = size
        self.special = special or {}
        self.imports = imports
        self.suffix = suffix


class Host:
    """An agent program: its name for people, the files that show it is in use here, and the files it loads itself.

    Of each entry of `loads` it takes the first that is there; those of `main_only` not where others listen. `cap` is
    for each text that it is given, and `tokenizer` counts as its models do, empty where that is not sure.
    """

    __slots__ = ("cap", "loads", "main_only", "name", "reach", "signs", "title", "tokenizer")

    def __init__(
        self,
        name: str,
        title: str,
        *,
        signs: tuple[str, ...] = (),
        loads: tuple[tuple[str, ...], ...] = (),
        main_only: tuple[str, ...] = (),
        reach: Reach | None = None,
        cap: Cap | None = None,
        tokenizer: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.signs = signs
        self.loads = loads
        self.main_only = main_only
        self.reach = reach or Reach()
        self.cap = cap
        self.tokenizer = tokenizer

    def files(self, names: Collection[str]) -> tuple[str, ...]:
        """Return those of `names` that it loads."""
        firsts = (next((name for name in names_ if name in names), "") for names_ in self.loads)
        return tuple(name for name in firsts if name)


class Loaded:
    """The files that a host loads of a workspace: paths of those it loads whole, and the size of all."""

    __slots__ = ("size", "whole")

    def __init__(self) -> None:
        self.whole: set[str] = set()
        self.size = 0


HOSTS = (
    Host(PLAIN, "a program that loads nothing"),
    Host(
        "claude-code",
        "Claude Code",
        signs=("CLAUDE.md", ".claude"),
        loads=(("CLAUDE.md", "AGENTS.md"),),
        reach=Reach(imports=5),
        cap=Cap(10_000, CHARACTERS),
    ),
    Host(
        "codex",
        "Codex",
        signs=(".codex",),
        loads=(("AGENTS.override.md", "AGENTS.md"),),
        reach=Reach(in_all=32 * 1024, size=sizes.utf8_bytes),
        cap=Cap(2_500, TOKENS),
        tokenizer="o200k_base",
    ),
    Host(
        "gemini",
        "Gemini CLI",
        signs=("GEMINI.md", ".gemini"),
        loads=(("GEMINI.md",),),
        reach=Reach(imports=5, suffix=".md"),
    ),
    Host(
        "qwen",
        "Qwen Code",
        signs=("QWEN.md", ".qwen"),
        loads=(("QWEN.md",), ("AGENTS.md",)),
        reach=Reach(imports=5),
    ),
    Host(
        "copilot",
        "GitHub Copilot CLI",
        loads=(("AGENTS.md",), ("CLAUDE.md",), ("GEMINI.md",), (".github/copilot-instructions.md",)),
    ),
    Host("opencode", "OpenCode", signs=("opencode.json", ".opencode"), loads=(("AGENTS.md", "CLAUDE.md"),)),
    Host(
        "openclaw",
        "OpenClaw",
        signs=("IDENTITY.md", "HEARTBEAT.md", "TOOLS.md", "BOOTSTRAP.md"),
        loads=tuple(
            (f"{name}.md",)
            for name in ("AGENTS", "SOUL", "TOOLS", "IDENTITY", "USER", "HEARTBEAT", "BOOTSTRAP", "MEMORY")
        ),
        main_only=("MEMORY.md",),
        reach=Reach(each=20_000, in_all=60_000, size=sizes.utf16_units, special={"USER.md": 4_000}),
        cap=Cap(20_000, CHARACTERS, in_all=60_000),
    ),
)

_NAMED_IN = {"gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json"}
"""Host → the settings that may say instead what it loads, in `context.fileName`."""


def named(name: str) -> Host:
    """The host called `name`; UsageError lists those there are."""
    for host in HOSTS:
        if host.name == name:
            return host
    raise UsageError(f"Unknown host: {name!r}.", hint=f"Choose one of: {', '.join(host.name for host in HOSTS)}.")


def recognised(names: Collection[str]) -> list[tuple[Host, tuple[str, ...]]]:
    """The hosts whose signs are among the `names` of the root folder, each with the files there that it loads."""
    return [(host, host.files(names)) for host in HOSTS if any(sign in names for sign in host.signs)]


def loaded(host: Host, folder: Folder, *, shared: bool = False) -> Loaded:
    """Return what `host` loads of `folder` by itself; `shared` is for a session where others listen."""
    found = Loaded()
    for names in _entries(host, folder):
        path = next((name for name in names if folder.has(name)), "")
        if path and not (shared and path in host.main_only):
            _load(found, path, folder, host.reach)
    return found


def _load(found: Loaded, path: str, folder: Folder, reach: Reach) -> None:
    text = folder.text(path)
    if text is None:
        return
    most = min(reach.special.get(path, reach.each), reach.in_all - found.size)
    size = reach.size(text)
    found.size += max(0, min(size, most))
    if size <= most:
        found.whole.add(path)
    if reach.imports:
        found.whole |= imports.followed(path, text, folder.text, steps=reach.imports, suffix=reach.suffix)


def _entries(host: Host, folder: Folder) -> Sequence[tuple[str, ...]]:
    """`host.loads`, or what the settings of this workspace say instead."""
    settings = _NAMED_IN.get(host.name, "")
    if not settings or not folder.has(settings):
        return host.loads
    names = _context_files(folder.text(settings) or "")
    return host.loads if names is None else [(name,) for name in names]


def _context_files(settings: str) -> list[str] | None:
    """What `context.fileName` says, None where it says nothing. Settings that cannot be read: no file is sure."""
    import json

    try:
        read = json.loads(settings)
        said = read.get("context", {}).get("fileName", read.get("contextFileName"))
    except (ValueError, AttributeError, RecursionError):
        return []
    if said is None:
        return None
    names = [said] if isinstance(said, str) else said
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
