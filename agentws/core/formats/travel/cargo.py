"""Cargo: the files of a workspace that may travel, without risky mode bits, git hooks and unsafe git settings. Pure.

A git repository is recognised by its content, wherever in the tree it is. Specified in docs/format/git.md.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, TreeEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentws.core.formats.travel.inventory import Inventory

RIGHTS = 0o755
"""What is left of a mode: nothing that lends somebody's rights, nothing that lets others write."""
_LENT = 0o6000
_MOST_NAMED = 12
_LOCAL = f"/{layout.LOCAL}/"
"""Of a workspace that lies deeper in this one: its key may lie there."""
_CONFIGS = ("config", "config.worktree")
_PLAIN_MODE = 0o644
_PARTS = ("head", "objects", "refs", "commondir")
"""In small letters, as all names here: there are disks that make no difference."""
_HOOKS, _TEMPLATE = "hooks/", ".sample"
_UNFINISHED = "rebase-merge/git-rebase-todo"
_SETTINGS = (".mcp.json", ".cursor/hooks.json", ".cursor/mcp.json", ".vscode/tasks.json", ".envrc")
"""Settings of programs that are none of our hosts."""


class Cargo:
    """The cargo, files that may travel: `entries`; `stripped` says what stays or was rewritten; `texts` by path."""

    __slots__ = ("entries", "stripped", "texts")

    def __init__(self) -> None:
        self.entries: Inventory = {}
        self.stripped: list[str] = []
        self.texts: dict[str, bytes] = {}
        """What the files hold whose content is another one than in the tree."""


def load(entries: Mapping[str, TreeEntry], read: Callable[[TreeEntry], bytes], digest: Callable[[bytes], str]) -> Cargo:
    """Return the cargo of a tree, its files that may travel; `read` returns a file's content, for git settings."""
    made = Cargo()
    repositories = repositories_of(entries)
    for path, entry in entries.items():
        if _LOCAL in f"{path}/".lower():
            if path.lower().endswith(f"/{layout.LOCAL}"):
                made.stripped.append(f"{path}: belongs to one machine only")
            continue
        within = _within(path, repositories)
        if within is not None and _is_hook(within[1], entry):
            made.stripped.append(f"{path}: a hook of git")
        elif within is not None and within[1] in _CONFIGS and entry.kind in (FILE, LINK):
            _settings(made, entry, within[0], read, digest)
        else:
            made.entries[path] = _bare(entry)
            if entry.kind == FILE and entry.mode & _LENT:
                made.stripped.append(f"{path}: the setuid or setgid bit")
    return made


def is_settings(path: str) -> bool:
    """Return True for a path in the cargo that would be a git settings file, if it is in a repository."""
    return path.rpartition("/")[2].lower() in _CONFIGS


def repositories_of(paths: Iterable[str]) -> set[str]:
    """Return the cargo's folders (`""` is the root) that git would take for a repository or a part of one."""
    held: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name.lower() in _PARTS:
            held.setdefault(folder, set()).add(name.lower())
    shared = any("commondir" in names for names in held.values())
    return {folder for folder, names in held.items() if _is_one(names, shared)}


def what_runs(entries: Mapping[str, TreeEntry], settings: Iterable[str]) -> list[str]:
    """Return the paths in the cargo that a person should check before starting anything in the moved workspace.

    Executable files, settings by which other programs run something, and an unfinished git rebase. `settings` are those
    of hosts.
    """
    repositories = repositories_of(entries)
    named = (*_SETTINGS, *settings)
    files = {path: entry for path, entry in entries.items() if entry.kind == FILE}
    return [path for path, entry in files.items() if _runs(entry, _within(path, repositories), named)]


def _runs(entry: TreeEntry, within: tuple[str, str] | None, settings: Sequence[str]) -> bool:
    inner = within[1] if within is not None else ""
    if inner == _UNFINISHED or _is_setting(entry.path, settings):
        return True
    return bool(entry.mode & 0o111) and not (inner.startswith(_HOOKS) and inner.endswith(_TEMPLATE))


def _is_one(names: set[str], shared: bool) -> bool:
    if "head" in names and len(names) > 1:
        return True
    return shared and {"objects", "refs"} <= names


def _within(path: str, repositories: set[str]) -> tuple[str, str] | None:
    """Return (innermost repository with this path, the path in it in lower case); None outside of repositories."""
    if not repositories:
        return None
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in repositories:
            return folder, (path[len(folder) + 1 :] if folder else path).lower()
    return None


def _is_hook(path: str, entry: TreeEntry) -> bool:
    if path == "hooks":
        return entry.kind != FOLDER
    return path.startswith(_HOOKS) and not (entry.kind == FILE and path.endswith(_TEMPLATE))


def _is_setting(path: str, settings: Iterable[str]) -> bool:
    path = f"/{path.lower()}"
    return any(f"/{each}" in path if each.endswith("/") else path.endswith(f"/{each}") for each in settings)


def _settings(
    made: Cargo,
    entry: TreeEntry,
    git_dir: str,
    read: Callable[[TreeEntry], bytes],
    digest: Callable[[bytes], str],
) -> None:
    if entry.kind == LINK:
        text, left = b"", ["a link"]
    else:
        old = read(entry) if entry.size <= gitconfig.LIMIT_BYTES else b""
        text, left = gitconfig.fresh(old, git_dir)
        left += ["too large"] if entry.size > gitconfig.LIMIT_BYTES else []
    mode = _PLAIN_MODE if entry.kind == LINK else entry.mode & RIGHTS & ~0o111
    made.entries[entry.path] = TreeEntry(entry.path, FILE, mode, entry.mtime_ns, len(text), digest(text))
    made.texts[entry.path] = text
    if left:
        more = f" and {len(left) - _MOST_NAMED:,} more" if len(left) > _MOST_NAMED else ""
        made.stripped.append(f"{entry.path}: {', '.join(left[:_MOST_NAMED])}{more}")


def _bare(entry: TreeEntry) -> TreeEntry:
    rights = 0o777 if entry.kind == LINK else RIGHTS
    if entry.mode & rights == entry.mode:
        return entry
    return TreeEntry(entry.path, entry.kind, entry.mode & rights, entry.mtime_ns, entry.size, entry.content)
