"""How the time that a pattern takes grows with the text. Run as a program, it feeds patterns and names the slow ones.

A text of a few thousand characters tells suspects; what counts is how the processor's time grows from a text to one
four times as long, the best of several runs. A limit of the processor's time ends what would never end.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections import deque
from collections.abc import Iterable

from tests.patterns.attack import attacks
from tests.patterns.collected import Found

SHORT = 4_000
"""Characters of the first, quick look: a linear pattern takes some 0.1 ms, a quadratic one 1.3 ms and more."""
_SUSPECT_SECONDS = 0.0007
_SIZES = (1_000, 4_000, 16_000)
_TELLS_SECONDS = 0.02
"""Where the first look takes so long, the two shorter texts tell already how it grows."""
_GROWTH = 9.0
"""Four times the text may take four times as long; sixteen times is what a square takes."""
_LEAST_SECONDS = 0.01
"""What the longer text takes at least: below that it does not matter, and clocks are coarse."""
_ENOUGH_SECONDS = 2


def slow(found: Found, most: int) -> str | None:
    """The call that takes more than linear time, and the text's beginning; None where none does."""
    pattern = re.compile(found.source, found.flags)
    texts = (attacks(found.source, found.flags, size, most) for size in (SHORT, *_SIZES))
    for short, *longer in zip(*texts, strict=True):
        for method in found.methods:
            if (seconds := _seconds(pattern, method, short)) < _SUSPECT_SECONDS:
                continue
            both = longer[:2] if seconds > _TELLS_SECONDS else longer[1:]
            # Twice, since another process may have taken the cache or the core away just then.
            if all(_grows(pattern, method, both) for _ in range(2)):
                return f"{method} on {short[:40]!r}"
    return None


def _grows(pattern: re.Pattern[str], method: str, texts: list[str]) -> bool:
    shorter = min(_seconds(pattern, method, texts[0]) for _ in range(2))
    if shorter > 0.5:
        return True
    longer = _seconds(pattern, method, texts[1])
    return longer > _LEAST_SECONDS and longer > _GROWTH * shorter


def _seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    began = time.thread_time()
    if method == "finditer":
        deque(pattern.finditer(text), maxlen=0)
    else:
        getattr(pattern, method)(text)
    return time.thread_time() - began


def main(lines: Iterable[str]) -> None:
    """Write, for each pattern given as a line of JSON, its number when it is begun, and what of it is slow."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = int(sys.argv[1])
    for number, line in enumerate(lines):
        where, source, flags, methods, is_bytes = json.loads(line)
        print(json.dumps([number, None]), flush=True)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _ENOUGH_SECONDS, hard))
        found = Found(where, source.encode("latin-1") if is_bytes else source, flags, tuple(methods))
        if (text := slow(found, most)) is not None:
            print(json.dumps([number, text]), flush=True)


if __name__ == "__main__":
    main(sys.stdin)
