"""History: recorded states, what changed between two, restore with a preview, and undo."""

from __future__ import annotations

from functools import partial

from agentws.core.formats.secrets import redaction
from agentws.errors import AgentwsError, MissingFileError, NothingToUndoError, UsageError
from agentws.features.history.undo.apply import INIT
from agentws.features.ui.page import Notice, Page, changed, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.features.history.undo.apply import Undone
    from agentws.workspace import Workspace

_STATES, _CHANGES, _PATHS = 30, 8, 6
_MOST = 3000
_MOST_LINES = 2000
"""So many lines of a patch are shown, without the two that name the file."""
_NOW = "now"


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the states of a `file` or of all documents; for `since` a diff; for `at` the preview of a restore."""
    file, limit = query.get("file", ""), number(query, "limit", _STATES, most=_MOST)
    values: dict[str, object] = {"file": file, "diff": None, "preview": None, "undo": None, "redo": None}
    values |= {"changes": [], "states": [], "more": 0, "notices": [], "none": None}
    if not file and not query.get("since"):
        values |= {"changes": workspace.history.changes().rows[:_CHANGES]}
        values |= {"undo": _tried(workspace, redo=False), "redo": _tried(workspace, redo=True)}
    try:
        values |= _states(workspace, file, limit)
    except AgentwsError as error:
        if isinstance(error, MissingFileError | UsageError):
            raise
        return {**values, "none": Notice.of(error)}
    if query.get("since"):
        values["diff"] = _diff(workspace, file, query["since"], query.get("until", _NOW) or _NOW)
    elif file and query.get("at"):
        values["preview"] = preview = workspace.history.restore(file, at=query["at"], dry_run=True)
        values["patch"] = _patch(workspace, preview.path, preview.patch)
    return values


def _states(workspace: Workspace, file: str, limit: int) -> dict[str, object]:
    if file:
        listed = workspace.history(file, limit=limit)
        return {
            "states": listed.changes,
            "edited": listed.edited,
            "more": limit + _STATES if listed.earlier else 0,
            "notices": listed.notices,
        }
    recent = workspace.history.states(limit=limit)
    return {
        "states": recent.states,
        "few": _PATHS,
        "more": limit + _STATES if recent.has_earlier else 0,
        "notices": recent.notices,
    }


def _diff(workspace: Workspace, file: str, since: str, until: str) -> dict[str, object]:
    compared = workspace.history.diff(file or None, since=since, until=None if until == _NOW else until)
    return {
        "since": compared.state.id,
        "at": compared.at,
        "until": until,
        "differs": [{"of": each, "patch": _patch(workspace, each.path, each.patch)} for each in compared.differs],
        "notices": compared.notices,
    }


def _patch(workspace: Workspace, path: str, patch: Sequence[str]) -> list[str]:
    """Return the lines of a patch; secrets are masked, also a part of one that is whole in the present file."""
    try:
        now = workspace.stores.visible_to().files.read(path).decode("utf-8", "surrogateescape")
    except MissingFileError:
        now = ""
    lines = patch[2:_MOST_LINES]
    texts = redaction.lines_without([line[1:] for line in lines], now)
    return [line[:1] + text for line, text in zip(lines, texts, strict=True)]


def _tried(workspace: Workspace, *, redo: bool) -> Mapping[str, object] | None:
    """Return what undo or redo would do now; None if there is nothing."""
    try:
        done = _run(workspace, redo=redo, dry_run=True)
    except NothingToUndoError:
        return None
    except AgentwsError as error:
        return {"error": Notice.of(error), "done": None}
    return {"done": done, "error": None}


def _run(workspace: Workspace, *, redo: bool, dry_run: bool, number: int = 0) -> Undone:
    return (workspace.history.redo if redo else workspace.undo)(dry_run=dry_run, yes=not dry_run, number=number)


def _undo(workspace: Workspace, form: Mapping[str, str], *, redo: bool = False) -> Notice:
    """Undo the change that the page showed, also if another session made it: the person has read whose it is."""
    change = changed(form)
    shown = _run(workspace, redo=redo, dry_run=True, number=change)
    # Of the setup itself, undo says how to do that.
    done = workspace.undo() if shown.verb == INIT else _run(workspace, redo=redo, dry_run=False, number=change)
    word, other = ("Redone", "undo") if redo else ("Undone", "undo --redo")
    return Notice(f"{word}: {done.verb} ({', '.join(done.paths)})", f"To take that back: agentws {other}")


def _restore(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    """Restore a file as the preview showed it; ChangedUnderneathError if it has changed since."""
    file, at = form.get("file", ""), form.get("at", "")
    known = workspace.history.restore(file, at=at, dry_run=True)
    known.before, known.after = form.get("before", ""), form.get("after", "")
    done = workspace.history.restore(file, at=at, known=known)
    return Notice(
        f"Restored {done.to} as it was on {done.at:%Y-%m-%d %H:%M}.", "To undo: agentws undo, or the button of History."
    )


def _exported(query: Mapping[str, str], since: str) -> Mapping[str, str] | None:
    return query if not query or query.keys() == {"since", "until"} else None


PAGE = Page(
    "history",
    "History",
    view,
    actions={"undo": _undo, "redo": partial(_undo, redo=True), "restore": _restore},
    exported=_exported,
)
