"""Names within a sentence: a message stays one that is read, however many there are."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_CHARS = 120


def some(names: "Iterable[str]", most: int = 3) -> str:
    """The first of these names, the middle left out of a very long one, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(_short, every[:most])) + more


def _short(name: str) -> str:
    half = _LONGEST_CHARS // 2
    return name if len(name) <= _LONGEST_CHARS else f"{name[:half]}…{name[-half:]}"
