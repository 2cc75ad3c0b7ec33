"""Answers and uses approvals: `ask approve`, `ask reject`, `ask use`. A request has one answer, an answer one use."""

from __future__ import annotations

from typing import Any

from agentws.core.formats.documents import approval
from agentws.core.formats.documents.approval import Request
from agentws.core.formats.identity.approver import MOST_CHARS, UNCHECKED
from agentws.core.formats.secrets import secrets
from agentws.core.installation import own_records
from agentws.core.stores.stores import Stores
from agentws.core.text import sanitize, utf8
from agentws.errors import AgentwsError, ApprovalPendingError, ApprovalRefusedError, ChangedUnderneathError, UsageError
from agentws.features.approvals import approval_events
from agentws.features.approvals.approval import Approval, missing_proof, proof_of
from agentws.features.approvals.plan import request_state
from agentws.features.approvals.store import ApprovalStore

_ANSWER = "A person answers in their own terminal."
_SIGN = "A person signs: --key KEY at their own terminal, or --signature FILE."
_ACCEPT = "A person signs (--key KEY), or lets typed answers count: agentws config --user ask.typed true"
AS_ASKED: Any = object()
"""The default of `edit`: the action as it was asked for."""


def decide(
    stores: Stores,
    id: str,
    *,
    approve: bool,
    edit: Any = AS_ASKED,
    message: str = "",
    signature: str | None = None,
    typed: bool = False,
    shown: Approval | None = None,
) -> Approval:
    """Answer a request; of several answers at once, one wins. With `edit` a person approves another action instead.

    `signature` proves the person: the armored text of `ssh-keygen -Y sign` over the statement. `typed`: the person
    typed the answer at a terminal, which is recorded, not proved. `shown` is what the person saw: if the file says
    something else by now, it is not answered. ChangedUnderneathError for that, and if the request was answered before;
    ApprovalRefusedError for an agent, without enough proof, and if the request expired.
    """
    text = _message(message)
    if not approve and edit is not AS_ASKED:
        raise UsageError("--edit needs an approval, not a rejection.")
    with ApprovalStore(stores, "ask approve" if approve else "ask reject") as store:
        request = store.get(id)
        _check_open(store, request)
        _check_shown(request, shown)
        if approve and not signature and stores.environment.is_agent:
            _refuse(store, request, "An agent cannot approve.")
        action = request.action if edit is AS_ASKED else edit
        verdict = approval.APPROVED if approve else approval.REJECTED
        body: dict[str, Any] = {
            "verdict": verdict,
            "action_digest": approval.digest_of(action),
            "proof": approval.TYPED if typed else approval.NONE,
            "decided_by": "agent" if stores.environment.is_agent else "user",
        }
        if text:
            body["text"] = text
        if edit is not AS_ASKED:
            body["edited"] = action
        if signature:
            body["signature"] = signature.strip()[:MOST_CHARS]
        _judge(store, request, body)
        store.record(request_state.DECIDED, request, body)
        return store.done(store.say_answer(request, f"ask {verdict} {request.id}", body, store.now))


def _judge(store: ApprovalStore, request: Request, body: dict[str, Any]) -> None:
    """Set whose answer it is, by its signature; refuse an answer whose proof is too weak."""
    decision = request_state.Fact(request_state.DECIDED, body, "", "")
    proof = proof_of(store.stores, request, decision)
    body["proof"] = proof.kind
    if proof.by:
        body["decided_by"] = proof.by
    if "signature" in body and proof.kind == approval.NONE:
        why = f"The signature does not count: {proof.why}."
        if proof.why.startswith(UNCHECKED):  # nothing was judged, so nothing is recorded
            raise ApprovalRefusedError(f"{request.id}: {why}", hint="Once ssh-keygen runs here, try again.")
        _refuse(store, request, why)
    if body["verdict"] == approval.APPROVED and (why := missing_proof(store.stores, request, decision)):
        unsigned = _SIGN if request.risk == approval.HIGH else _ACCEPT if proof.kind == approval.TYPED else _ANSWER
        _refuse(store, request, why, _ANSWER if "signature" in body else unsigned)


def _check_open(store: ApprovalStore, request: Request) -> None:
    answered = store.approval(request)
    if answered.status == approval.PENDING:
        return
    if answered.status in (approval.EXPIRED, approval.DISPUTED):
        hint = (
            request_state.AS_IT_WAS
            if answered.reason == request_state.edited(request)
            else "Ask again: agentws ask QUESTION"
        )
        raise ApprovalRefusedError(f"{request.id}: {answered.reason}", hint=hint)
    when = f" at {answered.decided[:19]}Z" if answered.decided else ""
    by = f" by {answered.decided_by}" if answered.decided_by else ""
    raise ChangedUnderneathError(
        f"{request.id} is already {answered.status}: answered{by}{when}.",
        hint=f"To see it: agentws ask show {request.id}",
    )


def _check_shown(request: Request, shown: Approval | None) -> None:
    if shown is not None and approval.facts(shown.request) != approval.facts(request):
        raise ChangedUnderneathError(
            f"{request.path} was edited after it was shown. Nothing was decided.",
            hint=f"To see what it says now: agentws ask show {request.id}",
        )


def _refuse(store: ApprovalStore, request: Request, why: str, hint: str = _ANSWER) -> None:
    store.record(request_state.REFUSED, request, {"text": why, "action_digest": request.action_digest})
    raise ApprovalRefusedError(
        f"{request.id}: {why}", hint=f"{hint} Which keys count: agentws ask keys. See: agentws docs approvals"
    )


def _message(message: str) -> str:
    secrets.refuse(message)
    utf8.check(message)
    return sanitize.written(message).strip()


_ANOTHER = "A person approved another action instead."
_AGAIN = "Do not do it. Ask again: agentws ask QUESTION"


def use(stores: Stores, id: str, action: Any = None, *, risk: str = approval.LOW, by: str = "") -> Approval:
    """Consume an approval for this action; on return that is durable, and the action may be done once.

    An empty id takes the approval about this action, if there is one. `risk` is the least that the caller needs: an
    approval of a low risk does not do for a high one. `by` is the cursor of the event for which it is used, if there is
    one, by which a caller that died afterwards recognises its own use. ApprovalPendingError while nobody has answered;
    ApprovalRefusedError for anything else that is against it.
    """
    digest = approval.digest_of(action)
    with ApprovalStore(stores, "ask use") as store:
        return store.done(consume(store, store.get(id) if id else store.about(digest, risk), digest, risk, by))


def consume(store: ApprovalStore, request: Request, digest: str, risk: str, by: str = "") -> Request:
    """Consume the approval of a request for the action with this digest; return the request, now marked as used."""
    answered = store.approval(request)
    if answered.status == approval.PENDING:
        # There may be an answer that does not count: then the reason says what it lacks.
        why = (
            "nobody has answered yet"
            if answered.reason == request_state.UNANSWERED
            else answered.reason.removesuffix(".")
        )
        raise ApprovalPendingError(
            f"{request.id}: {why}: {request.question}",
            hint=f"A person runs, in their own terminal: {request_state.command(request)}",
        )
    with own_records.ApprovalTurn(*store.stores.machine):
        why = (
            _against(answered, digest, risk) or _unread(store, request) or _remembered(store.stores, request.id, digest)
        )
        if why:
            _remember_own_use(store, request, digest)
            store.record(request_state.REFUSED, request, {"text": why, "action_digest": digest})
            hint = f"Do not do it. To see the other: agentws ask show {request.id}" if why == _ANOTHER else _AGAIN
            raise ApprovalRefusedError(f"{request.id}: {why}", hint=hint)
        store.record(request_state.CONSUMED, request, {"action_digest": digest, **({"by": by} if by else {})})
        _remember(store, request.id, digest)
    return store.say(request, f"ask use {request.id}", {"status": approval.USED})


def _remembered(stores: Stores, id: str, digest: str) -> str:
    """Return why an approval counts as used although the journal has no use: this workspace is an older copy."""
    used = own_records.read_approvals(*stores.machine)
    if f"{id} {digest}" not in used:
        return ""
    return "It was used on this machine, and the journal does not know: this is an older copy of the workspace."


def _remember(store: ApprovalStore, id: str, digest: str) -> None:
    stores = store.stores
    try:
        own_records.add_approval(*stores.machine, id, digest)
    except AgentwsError as error:
        store.notices.append(f"The use stands in the journal alone: {error.message}")


def _remember_own_use(store: ApprovalStore, request: Request, digest: str) -> None:
    """Remember a use of this installation that the journal has and a killed `ask use` did not remember."""
    stores = store.stores
    own = stores.installation()
    uses = [fact for fact in store.facts.get(request.id, ()) if fact.kind == request_state.CONSUMED]
    is_own = own is not None and any(
        fact.cursor.startswith(f"{own.writer}:") and fact.text("action_digest") == digest for fact in uses
    )
    if is_own and not _remembered(stores, request.id, digest):
        _remember(store, request.id, digest)


def _unread(store: ApprovalStore, request: Request) -> str:
    """Return why it is unknown whether an approval was used: a use since it was asked cannot be read; else empty."""
    asked = min((fact.at for fact in store.facts.get(request.id, ()) if fact.kind == request_state.ASKED), default="")
    later = [fact.cursor for fact in store.facts.get(approval_events.UNREAD, ()) if fact.at >= asked]
    return f"A use in the journal cannot be read ({later[0]}), and may have been of this approval." if later else ""


def _against(request: Approval, digest: str, risk: str) -> str:
    """Return why an approval cannot be used, empty if it can."""
    if not request.is_usable:
        return request.reason or f"It is {request.status}."
    if request.action_digest != digest:
        is_edited = request.request.action_digest == digest
        return _ANOTHER if is_edited else "This is not the action that was approved."
    if risk == approval.HIGH and request.risk != approval.HIGH:
        return "It was asked with a low risk, and this needs a high one."
    return ""
