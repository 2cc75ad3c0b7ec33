"""Match regular expressions in a child process with a time limit, since Python cannot stop a slow expression.

The program reads a JSON array of (expression, texts) and writes a JSON array with a result for each: the index of the
first matching text, -1 without a match, null if time ran out, or the error of an invalid expression.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Sequence

MOST_SECONDS = 2.0
"""Processor time for one expression, to compile and to match it."""
_MOST_SLOW = 5
"""All expressions together have the time of this many slow ones."""


class _TimeUpError(Exception):
    """An expression took all of its time."""


def first_matches(
    wanted: Sequence[tuple[str, Sequence[str]]], *, seconds: float = MOST_SECONDS
) -> list[int | str | None]:
    """Return a result for each (expression, texts): the index of the first matching text, -1 without a match.

    None if time ran out; the error of an invalid expression. OutsideProgramError if the process fails.
    """
    from agentws.core import environment
    from agentws.core.disk import spawn
    from agentws.errors import OutsideProgramError

    given = json.dumps({"seconds": seconds, "wanted": wanted}).encode()
    # The child limits its processor time itself; this limit is for a machine that is too busy to run it.
    longest_s = 60 + 10 * seconds * _MOST_SLOW
    argv = [sys.executable, "-I", "-W", "ignore", __file__]
    try:
        status, output, errors = spawn.run(argv, env=environment.variables(), stdin=given, timeout_s=longest_s)
    except (OSError, TimeoutError) as error:
        raise OutsideProgramError(f"The process that matches expressions did not run: {error}.") from error
    if status:
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise OutsideProgramError(f"The process that matches expressions failed: {last or status}.")
    answers: list[int | str | None] = json.loads(output)
    return answers


def _stop(*_: object) -> None:
    raise _TimeUpError


def _first_match(expression: str, texts: Sequence[str], seconds: float) -> int | str | None:
    if seconds <= 0:
        return None
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        pattern = re.compile(expression, re.MULTILINE)
        return next((number for number, text in enumerate(texts) if pattern.search(text)), -1)
    except _TimeUpError:
        return None
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _serve() -> None:
    signal.signal(signal.SIGVTALRM, _stop)
    given = json.load(sys.stdin.buffer)
    seconds = given["seconds"]
    end = time.process_time() + _MOST_SLOW * seconds
    answers = [
        _first_match(expression, texts, min(seconds, end - time.process_time()))
        for expression, texts in given["wanted"]
    ]
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    _serve()
