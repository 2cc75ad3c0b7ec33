"""The stamp of a new event: its time, its id, its salt."""

from __future__ import annotations

import os
import time

_US = 1_000_000
_ID_DIGITS = 20
_CHANCE_BYTES = _ID_DIGITS // 2 + 16
_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The digit with a UUID's variant and two random bits."""


def now() -> int:
    """Return the system's present time, in microseconds since 1970."""
    return time.time_ns() // 1000


def text(moment_us: int) -> str:
    """Return a time as events hold it: ISO 8601 in UTC, with microseconds."""
    seconds, fraction = divmod(moment_us, _US)
    shown = time.gmtime(seconds)
    return (
        f"{shown.tm_year:04d}-{shown.tm_mon:02d}-{shown.tm_mday:02d}T"
        f"{shown.tm_hour:02d}:{shown.tm_min:02d}:{shown.tm_sec:02d}.{fraction:06d}Z"
    )


def named(moment_us: int, count: int = 1) -> list[tuple[str, str]]:
    """Return a new id and a new salt for each of `count` events of this time."""
    digits, prefix = os.urandom(_CHANCE_BYTES * count).hex(), _uuid7_prefix(moment_us)
    each = (digits[at : at + 2 * _CHANCE_BYTES] for at in range(0, len(digits), 2 * _CHANCE_BYTES))
    return [(_uuid7(prefix, chance), chance[_ID_DIGITS:]) for chance in each]


def identifier(moment_us: int) -> str:
    """Return a new UUID of version 7 (RFC 9562), which sorts by time.

    Times before 1970 count as 1970.
    """
    return _uuid7(_uuid7_prefix(moment_us), os.urandom(_ID_DIGITS // 2).hex())


def derived(moment_us: int, chance: str) -> str:
    """Return the id of an event of this time that is made of `chance`, 20 hexadecimal digits or more."""
    return _uuid7(_uuid7_prefix(moment_us), chance)


def _uuid7_prefix(moment_us: int) -> str:
    """Return the milliseconds and the version, the beginning of a UUID."""
    # There is no number for what is before 1970, and it must not sort behind everything else.
    digits = f"{max(0, moment_us) // 1000 & (1 << 48) - 1:012x}"
    return f"{digits[:8]}-{digits[8:]}-7"


def _uuid7(prefix: str, chance: str) -> str:
    """Return the UUID with this prefix; it uses 74 bits of `chance`, hexadecimal digits."""
    return f"{prefix}{chance[:3]}-{_VARIANT[chance[3]]}{chance[4:7]}-{chance[7:19]}"


def salt() -> str:
    """Return 16 random bytes, in hexadecimal."""
    return os.urandom(16).hex()
