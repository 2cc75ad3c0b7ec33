"""Rendering of forget's result: lines for people, and the JSON fields that scripts rely on."""

from __future__ import annotations

from itertools import groupby

from agentws.core.terminal import moments, output
from agentws.core.text import names as _names
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from agentws.features.forget.forget import Forgotten

_MOST_COMMITS = 5
_SHORT = 10
_REWRITE = "git filter-repo --replace-text (then force-push, and replace all other clones)"


def fields(found: Forgotten, *, done: bool, dry_run: bool) -> dict[str, object]:
    """Return the fields of `agentws/forget@1`. After the removal they no longer contain the forgotten text."""
    return {
        "done": done and not found.is_empty,
        "dry_run": dry_run,
        "reason": found.reason,
        "lines": [
            {"path": path, "line": line.line, "why": line.why, "text": None if done else line.text}
            for path, line in found.lines
        ],
        "events": [
            {
                **output.fields(said.line, "cursor at kind waiting"),
                "text": None if done else said.text,
            }
            for said in found.events
        ],
        "copies": list(found.copies),
        "changed": [{"path": path, "before": before, "after": after} for path, before, after in found.changed],
        "event": found.cursor or None,
        "left": [output.fields(left, "place why holds") for left in found.left],
        "history": _history_fields(found),
        "elsewhere": list(found.elsewhere),
        "backups": [one.fields() for one in found.backups],
        **output.fields(found, "unread not_looked_for notices"),
    }


def _history_fields(found: Forgotten) -> dict[str, object] | None:
    past = found.history
    return None if past is None else output.fields(past, "commits refs paths")


def lines(found: Forgotten, *, asks: bool, now: datetime) -> Iterator[str]:
    """Yield the lines of a dry run of forget: the matches, and what will still contain them."""
    if found.is_empty:
        yield _nothing(found)
    for path, group in groupby(found.lines, key=lambda each: each[0]):
        yield from (f"{path}:{line.line}  {one_line(line.text)}{_why(line.why)}" for _, line in group)
    for said in found.events:
        yield f"{said.line.cursor}  {moments.local(said.line.at, now)}  {said.line.kind}  {one_line(said.text)}"
    yield from (f"{path}  old version, kept by agentws on this machine" for path in found.copies)
    yield from _left(found)
    if not found.is_empty:
        yield ""
        yield f"Would forget {found.planned}. This cannot be undone."
        if not asks:
            yield "Nothing was changed."


def _nothing(found: Forgotten) -> str:
    if found.is_left:
        return "Matches were found only in places that agentws cannot change."
    searched = "the files that could be searched" if found.unread else "documents or journals"
    return f"Not found in {searched}."


def _why(why: str) -> str:
    return f"  ({why})" if why != "holds it" else ""


def done_lines(found: Forgotten) -> Iterator[str]:
    """Yield the lines after forget: what was removed, without its text."""
    if found.is_empty:
        yield "No match is left."
        yield from found.not_looked_for
        return
    if found.is_here:
        yield f"Forgot {found.counted}."
    for path, group in groupby(found.lines, key=lambda each: each[0]):
        yield f"  {path}: {_numbers([line.line for _, line in group])}"
    for said in found.events:
        yield f"  {said.line.cursor}" + (" (requested: its writer must purge it)" if said.line.waiting else "")
    yield from (f"  {path}" for path in found.copies)
    yield from _left(found)


def _numbers(numbers: list[int]) -> str:
    return f"line{'s' * (len(numbers) > 1)} {_names.some(map(str, numbers), 10)}"


def _left(found: Forgotten) -> Iterator[str]:
    """Yield the lines about places that still contain forgotten text."""
    if found.left:
        yield ""
        yield "Not changed, check these yourself:"
        yield from (f"  {left.place}  {left.why}" for left in found.left)
    past = found.history
    if past is not None:
        names = ", ".join(commit[:_SHORT] for commit in past.commits[:_MOST_COMMITS])
        more = f" and {len(past.commits) - _MOST_COMMITS} more" if len(past.commits) > _MOST_COMMITS else ""
        yield ""
        files = f" (in {', '.join(past.paths[:_MOST_COMMITS])})" if past.paths else ""
        yield f"Past states in git contain matches: {names}{more}{files}"
        yield f"  reachable from {', '.join(past.refs) or 'the reflog only'}"
        yield f"  agentws does not rewrite git history. To remove the matches: {_REWRITE}"
    if found.left or past is not None or not found.is_empty or found.is_left:
        yield ""
        yield from found.elsewhere
    yield from found.not_looked_for
