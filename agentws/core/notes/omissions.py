"""Omissions of boot: every file for JSON and `--explain`; in the text, files without a section (P10)."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.markdown import inset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.tokens.counters import Measure

_MOST_NAMED = 10


class Omission(Result):
    """An omission: content that boot did not show, or not in full.

    `tokens` is exact for a file that was read, None for one that was not opened; `why` and `read_with` are for people.
    The text has the size, or else `why`, and the command, unless a gap mark stands for the omission (`is_marked`).
    `cut` is False if the agent has the content anyway.
    """

    __slots__ = ("cut", "is_marked", "read_with", "source", "tokens", "why")

    def __init__(
        self,
        source: str,
        tokens: int | None,
        why: str,
        read_with: str,
        *,
        cut: bool = True,
        is_marked: bool = False,
    ) -> None:
        self.cut = cut
        self.is_marked = is_marked
        self.source = source
        self.tokens = tokens
        self.why = why
        self.read_with = read_with


def cat(path: str) -> str:
    """Return the command that shows a file that boot's omissions name, safe to run for any file name."""
    return f"cat {quoted(f'./{path}' if path.startswith('-') else path)}"


def quoted(word: str) -> str:
    """Return a word quoted for a shell, in the command that shows an omission."""
    plain = word.translate(dict.fromkeys(map(ord, "_/.-")))
    return word if plain.isalnum() else "'" + word.replace("'", "'\\''") + "'"


def footer(omitted: Sequence[Omission], room: int, measure: Measure, *, shared: bool = False) -> str:
    """Return the account of omissions without a gap mark: a line each if they fit in `room` units, else their number.

    A `shared` audience is told elsewhere what is not for it.
    """
    if not any(omission.cut for omission in omitted):
        return elsewhere(omitted) + ("Nothing else was left out.\n" if shared else "Nothing was left out.\n")
    rows = [omission for omission in omitted if omission.cut and not omission.is_marked]
    by_host = elsewhere(omitted)
    if not rows:
        return by_host
    lines = "".join(f"[… {_size(row)}: {inset.of_line(row.read_with)}]\n" for row in rows)
    for text in (f"{lines}{by_host}", f"{_counted(rows)}{by_host}"):
        if measure(text) <= room:
            return text
    return _counted(rows)


def elsewhere(omitted: Sequence[Omission]) -> str:
    """Return a line for those omissions of boot that the agent has anyway, empty without any."""
    omitted = [omission for omission in omitted if not omission.cut]
    if not omitted:
        return ""
    names = ", ".join(inset.of_line(omission.source) for omission in omitted[:_MOST_NAMED])
    more = f" and {len(omitted) - _MOST_NAMED} more" if len(omitted) > _MOST_NAMED else ""
    why = omitted[0].why
    return f"{why[:1].upper()}{why[1:]}: {names}{more}.\n"


def _size(row: Omission) -> str:
    return inset.of_line(row.why) if row.tokens is None else f"{row.tokens:,} tokens"


def _counted(rows: Sequence[Omission]) -> str:
    return f"[… {len(rows)} more: agentws boot --explain]\n"
