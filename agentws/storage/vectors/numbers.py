"""Vectors that come from outside: as many as were asked for, all of one size, of finite numbers."""

from __future__ import annotations

from math import isfinite

from agentws.errors import OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 1 << 14


def checked(rows: Sequence[object], count: int, *, hint: str) -> list[list[float]]:
    """Return the rows as numbers. OutsideProgramError where they are something else."""
    found: list[list[float]] = []
    for row in rows:
        if not isinstance(row, list) or not 0 < len(row) <= _LARGEST or not all(map(_is_number, row)):
            raise OutsideProgramError("The embedder answered with something else than lists of numbers.", hint=hint)
        found.append([float(value) for value in row])
    if len(found) != count or len({len(row) for row in found}) > 1:
        raise OutsideProgramError(
            f"The embedder answered with {len(found)} vectors, not {count} of one size.", hint=hint
        )
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
