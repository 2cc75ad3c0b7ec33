"""Names and counts in messages: compares names, shortens lists of them, and counts things."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_CHARS = 120


def key(name: str) -> str:
    """Return what spellings of a name share that differ only in case or in Unicode's normal form (macOS writes NFD)."""
    if name.isascii():
        return name.casefold()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def some(names: "Iterable[str]", most: int = 3) -> str:
    """Return the first `most` names, long ones shortened in the middle, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(_short, every[:most])) + more


def many(count: int, word: str, words: str = "") -> str:
    """Return a count with its noun: `1 file`, `2,400 files`; `words` is the plural, by default with an `s`."""
    return f"{count:,} {word if count == 1 else words or f'{word}s'}"


def _short(name: str) -> str:
    half = _LONGEST_CHARS // 2
    return name if len(name) <= _LONGEST_CHARS else f"{name[:half]}…{name[-half:]}"
