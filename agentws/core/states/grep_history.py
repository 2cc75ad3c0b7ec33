"""Search of git history for text to be forgotten. Read-only: a repository is never rewritten here (P13)."""

from __future__ import annotations

from agentws.core.states import plumbing, repository
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentws.core.states.plumbing import Ask

    IsWanted = Callable[[bytes], bool]

_SUFFIXES = (".md", ".jsonl", ".json", ".toml", ".txt")
_MOST_BYTES = 8 << 20
_MOST_BLOBS = 50_000
_MOST_REFS = 40
_MOST_PATHS = 40


class Past:
    """The matches in git history: the `commits` (newest first) with the text, and the `refs` that lead to them.

    `paths` are the files with the text, in content or name; a commit may also have it in its message. `unread` counts
    files that were too large or too many to be searched.
    """

    __slots__ = ("commits", "paths", "refs", "unread")

    def __init__(self) -> None:
        self.commits: list[str] = []
        self.paths: list[str] = []
        self.refs: list[str] = []
        self.unread = 0


def holding(root: str, scratch: str, is_wanted: IsWanted) -> Past | None:
    """Return the matches in the git repository around `root`; None if there is no repository.

    `scratch` is a private folder. OutsideProgramError if git fails.
    """
    git_dir = repository.find(root)
    if git_dir is None:
        return None

    def ask(word: str, *arguments: str, stdin: bytes = b"") -> bytes:
        return plumbing.ask(word, *arguments, cwd=scratch, git_dir=git_dir, stdin=stdin)

    found = Past()
    held = _held(ask, found, is_wanted)
    found.paths = sorted(set(held.values()))
    said = set(_said(ask, is_wanted))
    touching = set(_touching(ask, held, found.paths)) if held else set()
    if said or touching:
        order = ask("rev-list", "--all", "--reflog").decode().split()
        found.commits = [commit for commit in order if commit in said | touching]
        found.refs = _refs(ask, set(found.commits))
    return found


def _held(ask: Ask, found: Past, is_wanted: IsWanted) -> dict[str, str]:
    """Return (blob id → path) of the blobs with the text."""
    listed = ask("rev-list", "--all", "--reflog", "--objects").split(b"\n")
    paths = dict(line.decode(errors="surrogateescape").partition(" ")[::2] for line in listed if b" " in line)
    blobs = [oid for oid, path in paths.items() if path.endswith(_SUFFIXES)]
    found.unread += len(blobs[_MOST_BLOBS:])
    sizes = plumbing.sizes(ask, blobs[:_MOST_BLOBS])
    small = {oid: size for oid, size in sizes if oid and size <= _MOST_BYTES}
    found.unread += len(sizes) - len(small)
    return {
        oid: paths[oid]
        for oid, data in plumbing.contents(ask, small)
        if is_wanted(data) or is_wanted(paths[oid].encode(errors="surrogateescape"))
    }


def _said(ask: Ask, is_wanted: IsWanted) -> Iterator[str]:
    """Yield the commits with the text in their messages."""
    for text in ask("rev-list", "--all", "--reflog", "--format=%B%x00").split(b"\0\n"):
        first, _, message = text.partition(b"\n")
        if is_wanted(message):
            yield first.removeprefix(b"commit ").decode()


def _touching(ask: Ask, held: dict[str, str], paths: list[str]) -> list[str]:
    """Return the commits that added a file with the text."""
    words = [f":(top,literal){path}" for path in paths[:_MOST_PATHS]]
    touching = ask("rev-list", "--all", "--reflog", "--full-history", "--", *words).decode().split()
    asked = [(commit, path) for commit in touching for path in paths[:_MOST_PATHS] if "\n" not in path]
    sizes = plumbing.sizes(ask, [f"{commit}:{path}" for commit, path in asked])
    return [commit for (commit, _), (oid, _) in zip(asked, sizes, strict=True) if oid in held]


def _refs(ask: Ask, commits: set[str]) -> list[str]:
    """Return the refs that lead to any of these commits."""
    names = ask("rev-parse", "--symbolic-full-name", "--all").decode(errors="surrogateescape").split("\n")
    return [name for name in _first(filter(None, names)) if commits & _reached(ask, name)]


def _first(names: Iterable[str]) -> list[str]:
    return sorted(set(names))[:_MOST_REFS]


def _reached(ask: Ask, name: str) -> set[str]:
    try:
        return set(ask("rev-list", "--end-of-options", name).decode().split())
    except AgentwsError:
        return set()  # a ref to something that is no commit
