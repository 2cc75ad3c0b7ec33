"""Today: whether all is well, what waits for the person, what is open, what runs."""

from __future__ import annotations

from functools import partial

from agentws.core.disk import clock
from agentws.core.formats.json import plainjson, values
from agentws.core.journal import reference
from agentws.core.stores import writer_trust
from agentws.errors import ChangedUnderneathError, UsageError
from agentws.features.approvals.decide import AS_ASKED
from agentws.features.approvals.plan import request_state
from agentws.features.fleet import membership
from agentws.features.identity.show import NOBODY
from agentws.features.tasks.todo.closure import check_open
from agentws.features.ui.page import Notice, Page, all_once, check_seen, seen, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.features.approvals.approval import Approval
    from agentws.features.identity.show import KnownWriter
    from agentws.features.journal.session.listing import SessionRow
    from agentws.workspace import Workspace

_SESSIONS = 6
_ITEMS = 40


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the verdict, what waits for the person, the newest sessions; functions for what may take its time."""
    status = workspace.status()
    now = workspace.stores.clock.now()
    sessions = workspace.session.list(limit=_SESSIONS)
    return {
        "status": status,
        "in_flight": [*status.in_flight, *_without_session(workspace)],
        "approvals": [_request(workspace, each) for each in workspace.approvals.list(pending=True)],
        "conflicts": len(workspace.sync.conflicts().records),
        "has_fleet": bool(membership.read(workspace.stores.environment).url),
        "strangers": list(_strangers(workspace)),
        "sessions": [_session(row, clock.local(row.run.newest.at, now)) for row in reversed(sessions.rows)],
        "notices": list(dict.fromkeys([*status.notices, *sessions.notices])),
        "todos": lambda: workspace.todos(limit=0 if query.get("all") else _ITEMS),
    }


def _without_session(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield (tool, call) of each action without a result and without a session: nothing shows whether it still runs."""
    stores = workspace.stores
    for writer, ref in reference.open_calls(stores.files, writer_trust.known(stores)):
        entry = reference.at(stores.files, writer, ref)
        if entry is not None and entry.session is None and entry.call:
            yield str((entry.body or {}).get("tool") or "an action"), entry.call


def _session(row: SessionRow, at: str) -> Mapping[str, object]:
    started = row.run.started
    return {"row": row, "at": at, "text": ((started.body if started else None) or {}).get("text") or row.run.id}


def _request(workspace: Workspace, approval: Approval) -> Mapping[str, object]:
    statement = workspace.approvals.statement(approval)
    return {
        "shown": approval,
        "action": action_text(approval.action),
        "expires": clock.local(approval.expires, workspace.stores.clock.now()),
        "reason": "" if approval.reason == request_state.UNANSWERED else approval.reason,
        "statement": statement,
        "seen": seen(statement),
    }


def action_text(action: object) -> str:
    """Return an action as lines of JSON; empty without one."""
    return "" if action is None else values.dumps(action, indent=2)


def _strangers(workspace: Workspace) -> Iterator[KnownWriter]:
    """Yield the other writers that nobody vouched for, without those lacking a key that this machine knows anyway."""
    if not workspace.stores.adopted:
        return
    unknown = {stranger.writer for stranger in writer_trust.of(workspace.stores).strangers}
    for each in workspace.identity.show().writers:
        if each.trusted_by == NOBODY and not each.here and (each.fingerprint or each.writer in unknown):
            yield each


def _close(workspace: Workspace, form: Mapping[str, str], *, is_done: bool = True) -> Notice:
    closing = (workspace.done if is_done else workspace.drop)(form.get("ref", ""))
    return Notice(f"{'Done' if is_done else 'Dropped'}: {closing.closed[0].row.text}", "To undo: agentws undo")


def _approve(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    """Approve a request by the same proof as `agentws ask approve`: its id typed by the person, or a signature."""
    shown = _as_seen(workspace, form)
    action = edited(form.get("edit", ""), action_text(shown.action))
    signature = form.get("signature", "").replace("\r\n", "\n").strip()
    if not signature and form.get("typed", "").strip() != shown.id:
        raise UsageError(f"Type {shown.id} to approve. Nothing was changed.", hint=f"Or sign it: {shown.command}")
    done = workspace.approvals.decide(
        shown.id,
        approve=True,
        edit=action,
        message=form.get("message", ""),
        signature=signature or None,
        typed=not signature,
        shown=shown,
    )
    return Notice(f"Approved{', another action' * done.is_edited}: {done.question}", f"{done.id}, once ({done.proof})")


def edited(text: str, shown: str) -> object:
    """Return the action to approve instead of the one that was `shown`; AS_ASKED if a person left that as it was."""
    text = text.replace("\r\n", "\n").strip()
    if not text or text == visible(shown).strip():
        return AS_ASKED
    if visible(shown) != shown:
        raise UsageError("The page does not show the whole action.", hint="agentws ask approve ID --edit JSON")
    try:
        return plainjson.unambiguous(text)
    except ValueError as error:
        raise UsageError(f"The action is not JSON: {error}. Nothing was changed.") from error


def _vouch(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    """Vouch for a writer as `agentws identity vouch` does, for the key that the page showed."""
    writer = form.get("writer", "")
    key = workspace.identity.vouch(writer, dry_run=True)
    if key.fingerprint != form.get("fingerprint"):
        raise ChangedUnderneathError(f"{writer} has another key by now. Nothing was changed.")
    done = workspace.identity.vouch(writer, key=key.key or None)
    return Notice(f"Vouched for {done.writer}.", " ".join(done.notices))


def _decline(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    shown = _as_seen(workspace, form)
    done = workspace.approvals.decide(shown.id, approve=False, message=form.get("message", ""), shown=shown)
    return Notice(f"Declined: {done.question}", done.id)


def _settle(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    """Record the result of an action that a crash left unknown."""
    workspace.done(call=form.get("call", ""), note=form.get("note", ""))
    return Notice(f"Recorded: {form.get('call')} happened.")


def _fail(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    call, note = form.get("call", ""), form.get("note", "")
    check_open(workspace.stores, call)
    workspace.event("error", note or "It did not happen.", call=call)
    return Notice(f"Recorded: {call} did not happen.")


def _as_seen(workspace: Workspace, form: Mapping[str, str]) -> Approval:
    """Return the request of a form, as the page showed it. UsageError if the form names none."""
    if not form.get("id"):
        raise UsageError("The form names no request.")
    shown = workspace.approvals.show(form["id"])
    check_seen(workspace.approvals.statement(shown), form, shown.path)
    return shown


PAGE = Page(
    "today",
    "Today",
    view,
    actions={
        "done": _close,
        "drop": partial(_close, is_done=False),
        "approve": _approve,
        "decline": _decline,
        "settle": _settle,
        "fail": _fail,
        "vouch": _vouch,
    },
    exported=all_once,
)
