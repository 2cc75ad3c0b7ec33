"""The canonical JSON of an approval's action: one text for each value, whose digest names the action.

Specified in docs/format/approval.md.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.errors import TooLargeError, UsageError

MOST_BYTES = 60_000
"""The size of the largest action: it is part of one event, and read by a person."""
MOST_DEPTH = 40
ALGORITHM = "sha256:"


def text(value: object) -> str:
    """Return the canonical JSON of an approval's action: ASCII, sorted keys, no blanks. UsageError, TooLargeError.

    UsageError where JSON has no such value.
    """
    try:
        result = plainjson.dumps(_ordered(value, "action", 1), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"The action is not JSON: {error}.") from error
    if len(result) > MOST_BYTES:
        raise TooLargeError(
            f"The action has {len(result):,} bytes, {MOST_BYTES:,} at most.",
            hint="Put what is large into a file, and its digest into the action.",
        )
    return result


def digest_of(value: object) -> str:
    """Return `sha256:` and the digest of the action's canonical JSON."""
    return ALGORITHM + digest.of(text(value).encode("ascii"))


def _ordered(value: object, where: str, depth: int) -> object:
    """The value with the keys of every object in order; UsageError names the place of what JSON does not know."""
    if depth > MOST_DEPTH:
        raise UsageError(f"{where[:80]}: nested more than {MOST_DEPTH} deep, or within itself.")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise UsageError(f"{where[:80]}: the keys of an object must be texts.")
        return {key: _ordered(value[key], f"{where}.{key}", depth + 1) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_ordered(item, f"{where}[{at}]", depth + 1) for at, item in enumerate(value)]
    if isinstance(value, float) and value - value != 0:
        raise UsageError(f"{where[:80]}: {value!r} is not a number of JSON.")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(f"{where[:80]}: {type(value).__name__} is not a value of JSON.")
