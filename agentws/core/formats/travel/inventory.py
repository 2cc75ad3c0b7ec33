"""The inventory of a tree: each folder, file and link with what a copy must preserve; and how two differ. Pure.

As a list of JSON: [path, kind, mode, mtime in nanoseconds, size, digest of a file or target of a link]. Paths that are
no UTF-8 hold lone surrogates, as the system's functions give and take them.

Cargo is what of it may travel: without risky mode bits, git hooks and unsafe git settings. A git repository is
recognised by its content, wherever in the tree it is. Specified in docs/format/git.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.git import gitconfig

FOLDER, FILE, LINK, OTHER = "d", "f", "l", "?"
"""OTHER is a FIFO, a socket or a device: nothing that could be sent."""

_SECOND_NS = 1_000_000_000
_RIGHTS, _MOST_MODE = 0o777, 0o7777
_BLOCK_BYTES = 4096
_SLACK_BYTES = 16 << 20


class TreeEntry:
    """An inventory's folder, file or link; `content` is the digest of a file or the target of a link."""

    __slots__ = ("content", "kind", "mode", "mtime_ns", "path", "size")

    def __init__(self, path: str, kind: str, mode: int, mtime_ns: int, size: int, content: str) -> None:
        self.path = path
        self.kind = kind
        self.mode = mode
        self.mtime_ns = mtime_ns
        self.size = size
        self.content = content

    def is_same(self, other: TreeEntry) -> bool:
        """Return whether this entry of an inventory equals the one it must become elsewhere.

        Times of files are compared by the second, since not every file system keeps more; those of folders not at all.
        """
        if (self.kind, self.content, self.size) != (other.kind, other.content, other.size):
            return False
        if self.kind == LINK:
            return True
        if self.mode & _RIGHTS != other.mode & _RIGHTS:
            return False
        return self.kind == FOLDER or self.mtime_ns // _SECOND_NS == other.mtime_ns // _SECOND_NS

    def is_content_of(self, other: TreeEntry) -> bool:
        """Return whether the copy `other` has this content, on a medium that need not keep modes and times."""
        return self.kind == other.kind and (self.kind != FILE or self.content == other.content)

    def plain(self) -> list[Any]:
        """Return the inventory's entry as a JSON list."""
        return [self.path, self.kind, self.mode, self.mtime_ns, self.size, self.content]


def canonical(entries: Iterable[TreeEntry]) -> bytes:
    """Return the canonical inventory, equal at both ends: a line of JSON per entry, sorted by path.

    Times of folders and links are left out, those of files given by the second, as `is_same` compares them.
    """
    from agentws.core.formats.json import plainjson

    lines = []
    for entry in sorted(entries, key=lambda entry: entry.path.split("/")):
        mode = _RIGHTS if entry.kind == LINK else entry.mode & _RIGHTS
        at = entry.mtime_ns // _SECOND_NS if entry.kind == FILE else 0
        size = 0 if entry.kind == FOLDER else entry.size
        lines.append(plainjson.dumps([entry.path, entry.kind, mode, at, size, entry.content], separators=(",", ":")))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


Inventory = dict[str, TreeEntry]
"""The entries of a tree by their paths; folders come before what they hold."""


def decode(row: Sequence[Any]) -> TreeEntry:
    """Return the inventory's entry in a JSON list; ValueError for any other list."""
    path, kind, mode, mtime_ns, size, content = row[:6]
    words = isinstance(path, str) and isinstance(kind, str) and isinstance(content, str)
    if not words or not all(type(number) is int for number in (mode, mtime_ns, size)):
        raise ValueError("not an inventory entry")
    return TreeEntry(path, kind, mode, mtime_ns, size, content)


def check(entry: TreeEntry, before: Mapping[str, TreeEntry], *, most_ns: int) -> None:
    """Raise ValueError for an entry that leads out of its tree, is there twice, or that no file system has.

    Each entry's folder is listed before it, so none is written through a link.
    """
    above, within, _ = entry.path.rpartition("/")
    is_in_folder = not within or (above in before and before[above].kind == FOLDER)
    if "\0" in entry.path or not is_in_folder or any(part in ("", ".", "..") for part in entry.path.split("/")):
        raise ValueError(f"{entry.path!r} is not a path in a workspace")
    if entry.path in before:
        raise ValueError(f"{entry.path!r} is listed twice")
    if entry.kind not in (FOLDER, FILE, LINK):
        raise ValueError(f"{entry.path!r} cannot be sent")
    try:
        is_name = b"\0" not in f"{entry.path}{entry.content}".encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        is_name = False
    if not is_name or not 0 <= entry.mode <= _MOST_MODE or abs(entry.mtime_ns) > most_ns:
        raise ValueError(f"{entry.path!r} has impossible properties")


class Delta(Record):
    """Changes of a copy: the entries to send (folders before their content), and the paths to remove first."""

    send: list[TreeEntry]
    gone: list[str]

    def __bool__(self) -> bool:
        return bool(self.send or self.gone)

    @property
    def bytes(self) -> int:
        """The number of bytes in the files to be sent."""
        return sum(entry.size for entry in self.send if entry.kind == FILE)

    @property
    def files(self) -> int:
        """The number of entries to be sent, without folders."""
        return sum(entry.kind != FOLDER for entry in self.send)


def between(
    source: Inventory, copy: Mapping[str, TreeEntry], same: Callable[[TreeEntry, TreeEntry], bool] = TreeEntry.is_same
) -> Delta:
    """Return the changes that make the copy the `same` as the source. FIFOs, sockets and devices are left out."""
    wanted = {path: entry for path, entry in source.items() if entry.kind != OTHER}
    send, gone = [], [path for path in copy if path not in wanted]
    for path, entry in wanted.items():
        there = copy.get(path)
        if there is not None and there.kind != entry.kind:
            gone.append(path)
        if there is None or not same(entry, there):
            send.append(entry)
    return Delta(send, _outermost(gone))


def _outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths without those beneath another one of them."""
    outermost: list[str] = []
    for path in sorted(paths, key=lambda path: path.split("/")):
        if not outermost or not path.startswith(f"{outermost[-1]}/"):
            outermost.append(path)
    return outermost


def unsent(source: Inventory) -> list[str]:
    """Return the paths of FIFOs, sockets and devices, which cannot be sent."""
    return [path for path, entry in source.items() if entry.kind == OTHER]


def needed_bytes(source: Inventory) -> int:
    """Return the disk space that the whole copy needs, with some reserve."""
    blocks = sum(-(-entry.size // _BLOCK_BYTES) + 1 for entry in source.values())
    return blocks * _BLOCK_BYTES + _SLACK_BYTES


RIGHTS = 0o755
"""Bits of a mode that are kept: no setuid or setgid, no write permission for others."""
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
_SETTINGS = (".cursor/hooks.json", ".vscode/tasks.json", ".envrc")
"""Settings of programs other than our hosts."""


class Cargo:
    """The cargo, files that may travel: `entries`; `stripped` says what stays or was rewritten; `texts` by path."""

    def __init__(self) -> None:
        self.entries: Inventory = {}
        self.stripped: list[str] = []
        self.texts: dict[str, bytes] = {}
        """Content of the files that differ from the tree."""


def load_cargo(
    entries: Mapping[str, TreeEntry], read: Callable[[TreeEntry], bytes], digest: Callable[[bytes], str]
) -> Cargo:
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
