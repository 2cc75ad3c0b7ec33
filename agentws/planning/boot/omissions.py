"""Omissions of boot, as the last lines of its text: in as much detail as fits, at least one line (P10)."""

from __future__ import annotations

from agentws.formats.markdown.inset import of_line
from agentws.planning.boot import frame_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.tokens.counters import Measure

_DAYS = "memory/"
_MOST_NAMED = 10
_NAMED = 3


class Omission:
    """An omission: content that boot did not show, or not whole.

    `tokens` is exact for what was read and None for what was not even opened; `why` and `read_with` are for people.
    `cut` is False where the agent has all of it anyway.
    """

    __slots__ = ("cut", "read_with", "source", "tokens", "why")

    def __init__(self, source: str, tokens: int | None, why: str, read_with: str, *, cut: bool = True) -> None:
        self.cut = cut
        self.source = source
        self.tokens = tokens
        self.why = why
        self.read_with = read_with


def cat(path: str) -> str:
    """The command that shows the file at `path`, safe to run whatever the file is called."""
    plain = path.translate(dict.fromkeys(map(ord, "_/.-")))
    return f"cat {path}" if plain.isalnum() else "cat '" + path.replace("'", "'\\''") + "'"


def shortest(sources: Sequence[str], *, named: bool) -> str:
    """The longest that the one-line form can get for such files: what is reserved for it."""
    longest = sorted(sources, key=len, reverse=True) or [""]
    return _one_line([Omission(source, 9_999_999, "", "") for source in longest], _NAMED if named else 0)


def footer(omitted: Sequence[Omission], room: int, measure: Measure, *, shared: bool = False) -> str:
    """The most detailed account of `omitted` that costs at most `room` units.

    A `shared` audience is told elsewhere of what is not for it.
    """
    nothing = "Nothing else was left out.\n" if shared else "Nothing was left out.\n"
    if not omitted:
        return nothing
    by_host, cut = elsewhere(omitted), [omission for omission in omitted if omission.cut]
    rows = _rows(cut)
    for count in range(len(rows), 0, -1):
        text = _table(rows, count) + by_host
        if measure(text) <= room:
            return text
    short = [by_host + _one_line(cut, named) for named in range(_NAMED, -1, -1)] if rows else [nothing + by_host]
    return next((text for text in short if measure(text) <= room), _one_line(omitted))


def elsewhere(omitted: Sequence[Omission]) -> str:
    """Return a line for those of `omitted` that the agent has anyway, empty for none."""
    omitted = [omission for omission in omitted if not omission.cut]
    if not omitted:
        return ""
    names = ", ".join(of_line(omission.source) for omission in omitted[:_MOST_NAMED])
    more = f" and {len(omitted) - _MOST_NAMED} more" if len(omitted) > _MOST_NAMED else ""
    why = omitted[0].why
    return f"{why[:1].upper()}{why[1:]}: {names}{more}.\n"


def _one_line(omitted: Sequence[Omission], named: int = 0) -> str:
    """One line for all; so many of the biggest are `named` in it."""
    tokens = sum(omission.tokens or 0 for omission in omitted)
    big = sorted(omitted, key=lambda one: -(one.tokens or 0))[:named]
    names = [of_line(one.source) for one in big]
    if more := len(omitted) - len(names):
        names.append(f"{more} {'more' if names else 'file' if more == 1 else 'files'}")
    return f"Left out: {tokens:,} tokens of {', '.join(names)}: agentws boot --explain\n"


def _rows(omitted: Sequence[Omission]) -> list[tuple[str, int | None, str]]:
    """One row a file, biggest first; the days that were read share one row, deep history stands last."""
    files = [o for o in omitted if not o.source.startswith(_DAYS)]
    days = [o for o in omitted if o.source.startswith(_DAYS) and o.tokens is not None]
    deep = [o for o in omitted if o.source.startswith(_DAYS) and o.tokens is None]
    rows: list[tuple[str, int | None, str]] = [
        (o.source, o.tokens, o.read_with) for o in sorted(files, key=lambda o: -(o.tokens or 0))
    ]
    if len(days) == 1:
        rows.append((days[0].source, days[0].tokens, days[0].read_with))
    elif days:
        names = sorted(day.source for day in days)
        total = sum(day.tokens or 0 for day in days)
        rows.append((f"{len(days)} days, {_stem(names[0])} to {_stem(names[-1])}", total, f"{cat(names[-1])} …"))
    rows += [(o.why, None, o.read_with) for o in deep]
    return rows


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _table(rows: Sequence[tuple[str, int | None, str]], count: int) -> str:
    lines = [
        frame_mark.heading("Left out (still on disk)").rstrip(),
        "| what | tokens | read with |",
        "|---|---|---|",
    ]
    for what, tokens, command in rows[:count]:
        lines.append(f"| {of_line(what)} | {_number(tokens)} | `{of_line(command)}` |")
    others = rows[count:]
    if others:
        total = sum(tokens or 0 for _, tokens, _ in others)
        lines.append(f"| {len(others)} more | {total:,} | `agentws boot --explain` |")
    return "\n".join(lines) + "\n"


def _number(tokens: int | None) -> str:
    return "not counted" if tokens is None else f"{tokens:,}"
