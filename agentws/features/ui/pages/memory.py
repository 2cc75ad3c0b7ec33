"""Memory: what MEMORY.md says, since when, from where, what it replaced; and what waits to be added."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.text import origin
from agentws.errors import AgentwsError, ChangedUnderneathError, UsageError
from agentws.features.ui.page import Notice, Page, all_once, changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.features.memory.curate.answer import Proposed
    from agentws.features.memory.entries import Entry
    from agentws.workspace import Workspace

_AT_ONCE = 100
_CANDIDATES = 5
_VERBS = ("remember", "memory revise", "curate", "compact")
"""The changes of MEMORY.md that a button undoes."""


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the entries of MEMORY.md by section, the candidates, and the newest change if it can be undone here."""
    try:  # first: it takes the most memory
        candidates, why_none = workspace.memory.review(dry_run=True).proposed, ""
    except AgentwsError as error:
        candidates, why_none = [], f"The candidates could not be read: {error.message}"
    entries = workspace.plumbing.entries()
    words = query.get("find", "").casefold().split()
    rows = [row for row in entries.rows if all(word in row.text.casefold() for word in words)]
    offer_all = bool(query.get("candidates"))
    shown = rows if query.get("all") else rows[:_AT_ONCE]
    return {
        "path": entries.path,
        "sections": _sections(shown),
        "count": len(entries.rows),
        "matching": len(rows),
        "left_out": len(rows) - len(shown),
        "find": query.get("find", ""),
        "editing": query.get("edit", ""),
        "candidates": [{"shown": each, "id": _id(each)} for each in candidates[: None if offer_all else _CANDIDATES]],
        "offered": len(candidates),
        "why_none": why_none,
        "newest": _newest(workspace),
        "notices": list(dict.fromkeys(entries.notices)),
    }


def _sections(entries: list[Entry]) -> list[tuple[str, list[Mapping[str, object]]]]:
    """Return (headings below the title, entries) of each section, in order."""
    sections: list[tuple[str, list[Mapping[str, object]]]] = []
    for entry in entries:
        title = " › ".join(entry.headings[1:])
        if not sections or sections[-1][0] != title:
            sections.append((title, []))
        sections[-1][1].append({"entry": entry, "src": _whose(entry.src)})
    return sections


def _whose(src: str) -> str:
    """Return whose words an entry is, for people; empty if unknown."""
    names = {origin.USER: "a person", origin.AGENT: "the agent", origin.UNKNOWN: ""}
    return names.get(src, f"{src}, from outside" if origin.is_outside(src) else src)


def _newest(workspace: Workspace) -> Mapping[str, object] | None:
    """Return the newest change that was not undone if it is one of MEMORY.md by these verbs, else None."""
    row = next((row for row in workspace.history.changes().rows if not row.is_undone), None)
    return {"number": row.number, "verb": row.verb} if row is not None and row.verb in _VERBS else None


# Actions


def _edit(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    text = form.get("text", "").strip()
    if not text:
        raise UsageError("The text is empty. Nothing was changed.", hint="To remove the entry: the button below it.")
    done = workspace.plumbing.revise(form.get("digest", ""), text)
    return Notice(f"Now: {done.after}", f"Before: {done.before}")


def _remove(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    done = workspace.plumbing.revise(form.get("digest", ""))
    return Notice(f"Removed: {done.before}", f"It is kept in {layout.SUPERSEDED}.")


def _undo(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    done = workspace.undo(number=changed(form))
    return Notice(f"Undid: {done.verb} ({', '.join(done.paths)})")


def _accept(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    candidate = _candidate(workspace, form)
    text = " ".join(form.get("text", candidate.text).split())
    if not text:
        raise UsageError("The text is empty. Nothing was changed.", hint="To refuse the candidate: Decline.")
    candidate.edited = text if text != candidate.text else ""
    return _decided(workspace, candidate, "y", f"Now in {layout.MEMORY}: {text}")


def _decline(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    candidate = _candidate(workspace, form)
    return _decided(workspace, candidate, "n", f"Declined: {candidate.text}")


def _decided(workspace: Workspace, candidate: Proposed, decision: str, text: str) -> Notice:
    candidate.decision = decision
    done = workspace.memory.decide([candidate])
    if done.refused:
        raise UsageError(f"Not accepted: {done.refused[0][1]}.", hint="Change the text, or decline it.")
    return Notice(text, "It will not be offered again.")


def _candidate(workspace: Workspace, form: Mapping[str, str]) -> Proposed:
    offered = workspace.memory.review().proposed
    candidate = next((each for each in offered if _id(each) == form.get("id")), None)
    if candidate is None:
        raise ChangedUnderneathError("This candidate is no longer offered. Nothing was decided.")
    return candidate


def _id(candidate: Proposed) -> str:
    return candidate.entry or min(candidate.digests, default="")


PAGE = Page(
    "memory",
    "Memory",
    view,
    exported=all_once,
    actions={"edit": _edit, "remove": _remove, "undo": _undo, "accept": _accept, "decline": _decline},
)
