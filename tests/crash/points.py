"""The points at which a run is killed or refused, and the name of the point in what a check says of it."""

from __future__ import annotations

import contextlib
import errno
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from tests.crash import harness
from tests.crash.harness import AFTER, BEFORE, ERRNOS, HALF, ZEROS, Act, Fail, Kill, Outcome
from tests.thorough import THOROUGH


class Stage(Protocol):
    """What is set up once, copied for each point."""

    whole: Outcome

    def fresh(self) -> str:
        """Return the root of a new copy."""


def kills(changing: Sequence[str], *more: str, follow: Callable[[bytes], bytes] = bytes) -> list[Kill]:
    """Return every way to be killed: before each operation, after the last one, and with each write torn.

    `more` are further ways to tear a write.
    """
    torn = [
        Kill(at, how, follow) for at, name in enumerate(changing) if "write" in name for how in (HALF, ZEROS, *more)
    ]
    return [*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn]


def refusals(every: Sequence[str], name: str, alike: Sequence[str] = ()) -> list[Fail]:
    """Return a failure of each operation; in the thorough form with every errno that it can have, once and for good.

    Of the operations that are `alike`, and in the quick form of all, each fails in one way. Which one is decided by the
    place and `name` alone, so that a failure can be met again.
    """
    points: list[Fail] = []
    for at, kind in enumerate(every):
        codes = [(code, False) for code, kinds in ERRNOS.items() if kind in kinds]
        codes += [(code, True) for code in (errno.ENOSPC, errno.EDQUOT) if kind in ("write", "pwrite")]
        ways = [Fail(at, code, sticky=sticky, short=short) for code, short in codes for sticky in (False, True)]
        if ways and (kind in alike or not THOROUGH):
            ways = [ways[zlib.crc32(f"{name} {at}".encode()) % len(ways)]]
        points += ways
    return points


@contextlib.contextmanager
def named(where: object, outcome: Outcome | None = None) -> Iterator[None]:
    """Say of a check that fails where that was, with the error of the run if it had one."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}\n{(outcome and outcome.error and outcome.error[3]) or ''}") from error


def killed(stage: Stage, act: Act, kills: Iterable[Kill], check: Callable[[str, list[Any]], object]) -> None:
    """Kill `act` at each point; `check` gets the root that it leaves, and what was acknowledged."""
    for point in kills:
        root = stage.fresh()
        outcome = harness.run(act, root, point)

        assert outcome.killed, point
        with named(f"{point} ({stage.whole.changing[point.at]})"):
            check(root, outcome.acks)
