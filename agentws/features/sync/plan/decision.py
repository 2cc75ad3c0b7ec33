"""Carry out a person's decision about a sync conflict (`--take`) in the text of the file. Pure."""

from __future__ import annotations

from agentws.errors import ChangedUnderneathError, UsageError

ONE, TWO, BOTH, NEITHER = "1", "2", "both", "neither"
TAKES = (ONE, TWO, BOTH, NEITHER)


def wanted(take: str, sides: tuple[str | None, str | None]) -> list[str]:
    """Return the sides of a conflict that a decision (the `--take` word) keeps. UsageError for any other word."""
    if take not in TAKES:
        raise UsageError(f"--take {take!r} is not a side.", hint=f"Choose one of: {', '.join(TAKES)}.")
    chosen = {ONE: sides[:1], TWO: sides[1:], BOTH: sides, NEITHER: ()}[take]
    return [side for side in chosen if side]


def decided(text: str, sides: tuple[str | None, str | None], take: str, *, path: str, keeps_lines: bool = False) -> str:
    """Return the text of a file after a decision: with the chosen sides of the conflict only.

    With `keeps_lines` removed lines become empty ones, so that the lines of an archived file keep their numbers.
    ChangedUnderneathError if the text has neither side, or no place for a chosen side.
    """
    keep = wanted(take, sides)
    parts = [side for side in sides if side]
    standing = {side: place for side in parts if (place := _place(text, side)) is not None}
    missing = [side for side in keep if side not in standing]
    going = [side for side in standing if side not in keep]
    if (parts and not standing) or len(missing) > len(going):
        raise ChangedUnderneathError(
            f"{path}: edited since the conflict was found; nothing was changed.",
            hint="Edit the file by hand, then run the command without --take.",
        )
    for side in going:
        new = missing.pop(0) if missing else None
        text = _emptied(text, side, new) if keeps_lines else _replaced(text, side, new)
    return text


def stands(text: str, side: str) -> bool:
    """Return whether a text has the whole lines of a side, whatever their audience tags."""
    return bool(side) and _place(text, side) is not None


def without(text: str, side: str) -> str:
    """Return a text without the whole lines of a side, if it has them."""
    return _replaced(text, side, None) if stands(text, side) else text


def _replaced(text: str, old: str, new: str | None) -> str:
    at, end = _place(text, old) or (0, 0)
    if new is not None:
        from agentws.features.sync.plan.units import tags  # seldom needed: when a conflict is resolved

        return text[:at] + tags.narrowed(None, text[at:end], new)[1] + text[end:]
    if not old.endswith("\n"):
        end += len(_line_end(text, end))
    is_blank_before = text[:at].replace("\r", "").endswith("\n\n") or not at
    while is_blank_before and _line_end(text, end):  # blank lines around the removed text are not doubled
        end += len(_line_end(text, end))
    return text[:at] + text[end:]


def _emptied(text: str, old: str, new: str | None) -> str:
    """Return the text with the `new` side instead of the `old` one, and as many lines as before."""
    from agentws.features.sync.plan.units import tags  # seldom needed, as below

    at, end = _place(text, old) or (0, 0)
    gone = text[at:end].count("\n")
    if new is None:
        return text[:at] + ("\r\n" if "\r\n" in text else "\n") * gone + text[end:]
    lines = tags.narrowed(None, text[at:end], new)[1]
    return text[:at] + lines + "\n" * (gone - lines.count("\n")) + text[end:]


def _place(text: str, lines: str) -> tuple[int, int] | None:
    """Return (start, end) of these whole lines in a text, ignoring audience tags if they are not found as they are:
    a person may have set tags since.
    """
    at = text.find(lines)
    while at >= 0:
        end = at + len(lines)
        if (not at or text[at - 1] == "\n") and (end == len(text) or _line_end(text, end) or lines.endswith("\n")):
            return at, end
        at = text.find(lines, at + 1)
    return _tagged(text, lines)


def _tagged(text: str, lines: str) -> tuple[int, int] | None:
    from agentws.features.sync.plan.units import tags  # seldom needed: when a conflict is resolved

    first, newline, rest = lines.partition("\n")
    wanted = tags.plain(first)
    at = 0
    for line in text.split("\n"):
        end = at + len(line) - line.endswith("\r")
        if tags.plain(text[at:end]) == wanted and (not newline or text.startswith(newline + rest, end)):
            stop = end + len(newline + rest)
            if stop == len(text) or _line_end(text, stop) or lines.endswith("\n"):
                return at, stop
        at += len(line) + 1
    return None


def _line_end(text: str, at: int) -> str:
    return next((end for end in ("\n", "\r\n") if text.startswith(end, at)), "")
