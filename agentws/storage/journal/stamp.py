"""The stamp of an event: its moment, its id, its salt."""

from __future__ import annotations

import os
import time

_US = 1_000_000
_CHANCE_BYTES = 10 + 16


def now() -> int:
    """The system's present moment, in microseconds since 1970."""
    return time.time_ns() // 1000


def text(moment_us: int) -> str:
    """A moment as an event tells it: ISO 8601 in UTC, with microseconds."""
    seconds, fraction = divmod(moment_us, _US)
    shown = time.gmtime(seconds)
    return (
        f"{shown.tm_year:04d}-{shown.tm_mon:02d}-{shown.tm_mday:02d}T"
        f"{shown.tm_hour:02d}:{shown.tm_min:02d}:{shown.tm_sec:02d}.{fraction:06d}Z"
    )


def named(moment_us: int, count: int = 1) -> list[tuple[str, str]]:
    """A new id and a new salt for each of so many events of this moment."""
    chances = os.urandom(_CHANCE_BYTES * count)
    each = (chances[at : at + _CHANCE_BYTES] for at in range(0, len(chances), _CHANCE_BYTES))
    return [(_uuid7(moment_us, int.from_bytes(chance[:10], "big")), chance[10:].hex()) for chance in each]


def identifier(moment_us: int) -> str:
    """A new UUID of version 7 (RFC 9562): ids of later moments sort behind those of earlier ones.

    Those of moments before 1970 are of 1970.
    """
    return _uuid7(moment_us, int.from_bytes(os.urandom(10), "big"))


def _uuid7(moment_us: int, chance: int) -> str:
    # There is no number for what is before 1970, and it must not sort behind everything else.
    milliseconds = max(0, moment_us) // 1000 & (1 << 48) - 1
    value = milliseconds << 80 | 7 << 76 | (chance >> 68) << 64 | 2 << 62 | chance & (1 << 62) - 1
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def salt() -> str:
    """16 random bytes, in hexadecimal."""
    return os.urandom(16).hex()
