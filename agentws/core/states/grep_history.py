"""Search of git history for text to be forgotten. Read-only: a repository is never rewritten here (P13)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from agentws.core.states import plumbing, repository
from agentws.core.states.plumbing import Ask
from agentws.errors import AgentwsError

IsWanted = Callable[[bytes], bool]


_SUFFIXES = (".md", ".jsonl", ".json", ".toml", ".txt")
_MOST_BYTES = 8 << 20
_MOST_BLOBS = 50_000
_MOST_REFS = 40
_REWRITE = (
    '{{ test -z "$(git stash list)" || ! echo "Apply or drop the stashes first: git stash list" >&2; }} && '
    "git fast-export --use-done-feature --all --signed-tags=strip --tag-of-filtered-object=rewrite --reencode=no"
    " --full-history --sparse -- :/ {without} | git fast-import --force --quiet && git reset -q"
    " && git reflog expire --expire=now --all && git gc --prune=now --quiet"
)
"""Writes every commit again without some files, also merges and those that become empty, then drops what no commit
holds. Files of the work tree stay. Git cannot export older stashes, so the command stops if there is one.
"""


@dataclass(slots=True)
class Past:
    """The matches in git history: the `commits` (newest first) with the text, and the `refs` that lead to them.

    `paths` are the files with the text, in content or name; `said` are the commits with it in their messages. `unread`
    counts files that were too large or too many to be searched.
    """

    commits: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    unread: int = 0

    def rewrite(self, root: str) -> str:
        """Return the shell command that takes the files with the text out of every state of the repository at `root`.

        Empty if only messages have it.
        """
        if not self.paths:
            return ""
        from agentws.core.text import sh  # seldom

        without = " ".join(sh.quote(f":(top,exclude,literal){path}") for path in self.paths)
        return f"cd {sh.quote(root)} && {_REWRITE.format(without=without)}"


def holding(root: str, scratch: str, is_wanted: IsWanted) -> Past | None:
    """Return the matches in the git repository around `root`; None if there is no repository.

    `scratch` is a private folder. OutsideProgramError if git fails.
    """
    git_dir = repository.find(root)
    if git_dir is None:
        return None

    def ask(word: str, *arguments: str, stdin: bytes = b"") -> bytes:
        return plumbing.ask(word, *arguments, cwd=scratch, git_dir=git_dir, stdin=stdin)

    result = Past()
    held, named = _held(ask, result, is_wanted)
    result.said = [*_by_message(ask, is_wanted)]
    if held or named or result.said:
        order = ask("rev-list", "--all", "--reflog").decode().split()
        touching = _touching(ask, order, held, named) if held or named else {}
        result.paths = sorted(set().union(*touching.values()))
        result.commits = [commit for commit in order if commit in touching or commit in result.said]
        result.refs = _refs(ask, set(result.commits))
    return result


def _held(ask: Ask, past: Past, is_wanted: IsWanted) -> tuple[set[str], set[str]]:
    """Return the ids of the blobs with the text, and the paths with it."""
    listed = ask("rev-list", "--all", "--reflog", "--objects").split(b"\n")
    paths = dict(line.decode(errors="surrogateescape").partition(" ")[::2] for line in listed if b" " in line)
    blobs = [oid for oid, path in paths.items() if path.endswith(_SUFFIXES)]
    past.unread += len(blobs[_MOST_BLOBS:])
    sizes = plumbing.sizes(ask, blobs[:_MOST_BLOBS])
    small = {oid: size for oid, size in sizes if oid and size <= _MOST_BYTES}
    past.unread += len(sizes) - len(small)
    named = {paths[oid] for oid in small if is_wanted(paths[oid].encode(errors="surrogateescape"))}
    return {oid for oid, data in plumbing.contents(ask, small) if is_wanted(data)}, named


def _by_message(ask: Ask, is_wanted: IsWanted) -> Iterator[str]:
    """Yield the commits with the text in their messages."""
    for text in ask("rev-list", "--all", "--reflog", "--format=%B%x00").split(b"\0\n"):
        first, _, message = text.partition(b"\n")
        if is_wanted(message):
            yield first.removeprefix(b"commit ").decode()


def _touching(ask: Ask, order: list[str], held: Collection[str], named: Collection[str]) -> dict[str, set[str]]:
    """Return the commits that added one of these blobs, or a file with one of these names; each with the paths.

    A blob is often at several paths: an archived log, a file that was renamed.
    """
    listed = ask(
        "diff-tree", "--stdin", "-r", "-m", "--root", "--no-renames", "-z", stdin="\n".join([*order, ""]).encode()
    )
    words = iter(listed.decode(errors="surrogateescape").split("\0"))
    touching: dict[str, set[str]] = {}
    commit = ""
    for word in words:
        if not word.startswith(":"):
            commit = word.strip()
        elif (path := next(words)) in named or word.split(" ")[3] in held:
            touching.setdefault(commit, set()).add(path)
    return touching


def _refs(ask: Ask, commits: set[str]) -> list[str]:
    """Return the refs that lead to any of these commits."""
    names = ask("rev-parse", "--symbolic-full-name", "--all").decode(errors="surrogateescape").split("\n")
    return [name for name in sorted(set(filter(None, names)))[:_MOST_REFS] if commits & _reached(ask, name)]


def _reached(ask: Ask, name: str) -> set[str]:
    try:
        return set(ask("rev-list", "--end-of-options", name).decode().split())
    except AgentwsError:
        return set()  # a ref to something that is not a commit
