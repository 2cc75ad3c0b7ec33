"""Checks of the numbers that an embedder returns: enough vectors, all of one size, finite numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentws.errors import OutsideProgramError

_LARGEST = 1 << 14
_HIGHEST = 1e15
"""The squares of _LARGEST such numbers still add up in 32 bits."""


class OtherSizeError(OutsideProgramError):
    """The embedder makes vectors of another size than those in the store."""


def checked(rows: Sequence[object], count: int, *, hint: str) -> list[list[float]]:
    """Return the rows of an embedder's answer as lists of numbers. OutsideProgramError if they are something else."""
    result: list[list[float]] = []
    for row in rows:
        if not isinstance(row, list) or not 0 < len(row) <= _LARGEST or not all(map(_is_number, row)):
            raise OutsideProgramError("The embedder answered with something else than lists of numbers.", hint=hint)
        result.append([float(value) for value in row])
    if len(result) != count or len({len(row) for row in result}) > 1:
        raise OutsideProgramError(
            f"The embedder answered with {len(result)} vectors, not {count} of one size.", hint=hint
        )
    return result


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _HIGHEST


def check_size(size: int, *, kept: int) -> None:
    """Raise OtherSizeError if a vector has another size than those in the store."""
    if size != kept:
        raise OtherSizeError(
            f"The embedder answered with {size} numbers, not {kept} as before.", hint="agentws index refresh --vectors"
        )


def plain(vector: Iterable[float]) -> list[float]:
    """Return a vector as a list of numbers."""
    return [float(value) for value in vector]


def similarities(vector: Iterable[float], others: Mapping[str, Iterable[float]]) -> dict[str, float]:
    """Return the cosine of a vector with each of the others by key; OtherSizeError if one has another size."""
    asked = unit(vector)
    result = {}
    for key, other in others.items():
        row = unit(other)
        check_size(len(asked), kept=len(row))
        result[key] = clipped(sum(a * b for a, b in zip(asked, row, strict=True)))
    return result


def clipped(score: float) -> float:
    """Return a similarity from -1 to 1, also where rounding went beyond."""
    return max(-1.0, min(1.0, float(score)))


def unit(vector: Iterable[float]) -> list[float]:
    """Return a vector with the length 1."""
    row = plain(vector)
    length = sum(value * value for value in row) ** 0.5 or 1.0
    return [value / length for value in row]
