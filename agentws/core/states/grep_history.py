"""Search of git history for text to be forgotten. Read-only: a repository is never rewritten here (P13)."""

from __future__ import annotations

from agentws.core.states import plumbing, repository
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Ask = Callable[..., bytes]
    IsWanted = Callable[[bytes], bool]

_SUFFIXES = (".md", ".jsonl", ".json", ".toml", ".txt")
_MOST_BYTES = 8 << 20
_MOST_BLOBS = 50_000
_MOST_REFS = 40
_MOST_PATHS = 40
_AT_ONCE, _AT_ONCE_BYTES = 256, 8 << 20
_BATCH = "%(objectname) %(objecttype) %(objectsize)"


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
    small = list(_small(ask, blobs[:_MOST_BLOBS]))
    found.unread += len(blobs[:_MOST_BLOBS]) - len(small)
    return {
        oid: paths[oid]
        for oid, data in _contents(ask, small)
        if is_wanted(data) or is_wanted(paths[oid].encode(errors="surrogateescape"))
    }


def _small(ask: Ask, oids: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the blobs among these that are small enough to search, with their sizes in bytes."""
    if not oids:
        return
    told = ask("cat-file", f"--batch-check={_BATCH}", stdin="\n".join(oids).encode() + b"\n")
    for line in told.decode().split("\n"):
        oid, _, rest = line.partition(" ")
        kind, _, size = rest.partition(" ")
        if kind != "blob" or int(size) <= _MOST_BYTES:
            yield from [(oid, int(size))] if oid else []


def _contents(ask: Ask, sized: list[tuple[str, int]]) -> Iterator[tuple[str, bytes]]:
    for oids in _together(sized):
        yield from _blobs(ask("cat-file", "--batch", stdin="\n".join(oids).encode() + b"\n"))


def _together(sized: list[tuple[str, int]]) -> Iterator[list[str]]:
    """Yield the blobs in batches of limited number and size."""
    oids: list[str] = []
    together = 0
    for oid, size in sized:
        if oids and (len(oids) == _AT_ONCE or together + size > _AT_ONCE_BYTES):
            yield oids
            oids, together = [], 0
        oids.append(oid)
        together += size
    if oids:
        yield oids


def _blobs(told: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of each blob in the output of `cat-file --batch`."""
    at = 0
    while at < len(told):
        end = told.index(b"\n", at)
        oid, kind, *size = told[at:end].decode().split(" ")
        at = end + 1
        if size:
            if kind == "blob":
                yield oid, told[at : at + int(size[0])]
            at += int(size[0]) + 1


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
    lines = "".join(f"{commit}:{path}\n" for commit, path in asked).encode(errors="surrogateescape")
    told = ask("cat-file", f"--batch-check={_BATCH}", stdin=lines).decode(errors="replace").split("\n") if asked else []
    return [commit for (commit, _), line in zip(asked, told, strict=False) if line.partition(" ")[0] in held]


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
