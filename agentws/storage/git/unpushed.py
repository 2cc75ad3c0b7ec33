"""What the repository of a workspace has that no other is known to have: read from its refs, without running git."""

from __future__ import annotations

from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

_GIT = ".git"
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_MOST_BYTES = 1 << 18
_MOST_REMOTES = 8
_SHORT = 7
_HEX = "0123456789abcdef"


def of(files: Files) -> str:
    """One sentence where the branch in use is not known to be the same at any remote; empty where it is, and where
    there is no remote, or nothing can be told.
    """
    head = _line(files, f"{_GIT}/HEAD")
    if not head.startswith(f"ref: {_HEADS}"):
        return ""
    branch = head.removeprefix(f"ref: {_HEADS}")
    packed = _packed(files)
    here = _commit(files, _HEADS + branch, packed)
    there = {name: _commit(files, f"{_REMOTES}{name}/{branch}", packed) for name in _remotes(files, packed)}
    if not here or not there or here in there.values():
        return ""
    known = ", ".join(f"{name} is known to have {commit[:_SHORT] or 'nothing of it'}" for name, commit in there.items())
    return f"The workspace's branch {branch} is at {here[:_SHORT]}, {known}: perhaps committed here and not pushed."


def _remotes(files: Files, packed: dict[str, str]) -> list[str]:
    """The names of the remotes of which any ref is known."""
    try:
        found = {name for name, kind in files.names(f"{_GIT}/{_REMOTES.rstrip('/')}") if kind == "folder"}
    except AgentwsError:
        found = set()
    found |= {ref.removeprefix(_REMOTES).partition("/")[0] for ref in packed if ref.startswith(_REMOTES)}
    return sorted(found)[:_MOST_REMOTES]


def _commit(files: Files, ref: str, packed: dict[str, str]) -> str:
    found = _line(files, f"{_GIT}/{ref}")
    return found if _is_commit(found) else packed.get(ref, "")


def _packed(files: Files) -> dict[str, str]:
    lines = [line.split(" ") for line in _text(files, f"{_GIT}/packed-refs").split("\n")]
    return {words[1]: words[0] for words in lines if len(words) == 2 and _is_commit(words[0])}


def _is_commit(word: str) -> bool:
    return len(word) in (40, 64) and not word.strip(_HEX)


def _line(files: Files, path: str) -> str:
    return _text(files, path).partition("\n")[0].strip()


def _text(files: Files, path: str) -> str:
    try:
        return files.part(path, _MOST_BYTES)[0].decode("utf-8", "replace")
    except AgentwsError:
        return ""
