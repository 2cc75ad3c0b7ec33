"""The refs of another git repository: listed, and moved by compare-and-swap, also if the answer to a push is lost.

`ask(word, *options, after=...)` runs a git command against that repository; `after` are the arguments after its URL.
"""

from __future__ import annotations

from agentws.errors import AgentwsError, ChangedUnderneathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Ask = Callable[..., bytes]
    Move = tuple[str, str, str]
    """A ref, the commit that it must have now, and the one that it is to have; empty for none."""

_FETCH = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_PUSH = ("--quiet", "--no-verify", "--no-recurse-submodules")
_REFUSED = "(stale info)"
"""Git's English message for a ref that is not as expected; in other languages the remote is asked for its refs."""


def refs(ask: Ask, pattern: str) -> dict[str, str]:
    """Return the commits of the refs that match a pattern."""
    lines = ask("ls-remote", "--refs", after=(pattern,)).decode("utf-8", "replace").split("\n")
    return {name: commit for commit, _, name in (line.partition("\t") for line in lines if line)}


def fetch(ask: Ask, specs: Sequence[str], *options: str) -> None:
    """Fetch refs by these specs into the private repository."""
    ask("fetch", *_FETCH, *options, after=tuple(specs))


def push(ask: Ask, moves: Sequence[Move], *, atomic: bool = False) -> None:
    """Move refs, all or none; with the objects that the new commits need.

    With `atomic`, also a single ref is refused by a server that cannot move several at once.
    """
    moves = [each for each in moves if each[1] != each[2]]
    leases = [f"--force-with-lease={ref}:{old}" for ref, old, _ in moves]
    specs = [f"{new}:{ref}" for ref, _, new in moves]
    ask("push", *_PUSH, *(["--atomic"] if atomic or len(moves) > 1 else []), *leases, after=tuple(specs))


def check_moved(
    error: AgentwsError, moves: Sequence[Move], now: Callable[[], Mapping[str, str] | None], news: str
) -> None:
    """Return if the refs have moved although the push raised `error`: only its answer was lost.

    ChangedUnderneathError, with the message `news`, if one of them had another commit than expected; else raise
    `error`. `now` returns the refs, or None if the repository does not answer.
    """
    is_stale = len(moves) == 1 and _REFUSED in error.message  # then nothing was sent, and the refs need not be asked
    present = None if is_stale else now()
    if present is not None and all(present.get(ref, "") == new for ref, _, new in moves):
        return
    if is_stale or (present is not None and any(present.get(ref, "") != old for ref, old, _ in moves)):
        raise ChangedUnderneathError(news, hint="Re-run the same command.") from error
    raise error
