"""ask approve and reject: one answer to a request, and never a second one."""

from __future__ import annotations

from agentws.core.formats.documents import action as _action
from agentws.core.formats.documents import approval
from agentws.core.formats.identity.approver import MOST_CHARS
from agentws.core.formats.secrets import secrets
from agentws.core.text import sanitize, utf8
from agentws.errors import ApprovalRefusedError, ChangedUnderneathError, UsageError
from agentws.features.approvals.approval import lacks, proof_of
from agentws.features.approvals.desk import Desk
from agentws.features.approvals.plan import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.documents.approval import Request
    from agentws.core.formats.documents.document import Value
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval

_ANSWER = "A person answers in their own terminal."
_SIGN = "A person signs: --key KEY at their own terminal, or --signature FILE."
_ACCEPT = "A person signs (--key KEY), or lets typed answers count: agentws config --user ask.typed true"
AS_ASKED: Any = object()
"""Stands for the action as it was asked for."""


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
    """Answer a request; of several at once, one wins. With `edit` a person approves another action instead.

    `signature` is what proves the person: the armored text of `ssh-keygen -Y sign` over the statement. `typed` says
    that the person typed the answer at a terminal, which is recorded, not proved. `shown` is what the person saw: a
    file that says something else by now is not answered. ChangedUnderneathError for that, and where it was answered
    before; ApprovalRefusedError for an agent, without enough proof, and where the request expired.
    """
    said = _message(message)
    if not approve and edit is not AS_ASKED:
        raise UsageError("--edit needs an approval, not a rejection.")
    with Desk(stores, "ask approve" if approve else "ask reject") as desk:
        request = desk.get(id)
        _check_open(desk, request)
        _check_shown(request, shown)
        if approve and not signature and _is_agent(stores):
            _refuse(desk, request, "An agent cannot approve.")
        action = request.action if edit is AS_ASKED else edit
        verdict = approval.APPROVED if approve else approval.REJECTED
        body: dict[str, Any] = {
            "verdict": verdict,
            "action_digest": _action.digest_of(action),
            "proof": approval.TYPED if typed else approval.NONE,
            "decided_by": "agent" if _is_agent(stores) else "user",
        }
        if said:
            body["text"] = said
        if edit is not AS_ASKED:
            body["edited"] = action
        if signature:
            body["signature"] = signature.strip()[:MOST_CHARS]
        _judge(desk, request, body)
        desk.record(standing.DECIDED, request, body)
        state: dict[str, Value | None] = {
            "status": verdict,
            "decided": desk.now.isoformat(timespec="seconds"),
            "decided_by": str(body["decided_by"]),
            "proof": str(body["proof"]),
        }
        return desk.done(desk.say(request, f"ask {verdict} {request.id}", state, _answer(body)))


def _judge(desk: Desk, request: Request, body: dict[str, Any]) -> None:
    """Name whose answer it is, by its signature; refuse one that proves less than is needed."""
    decision = standing.Fact(standing.DECIDED, body, "", "")
    proof = proof_of(desk.stores, request, decision)
    body["proof"] = proof.kind
    if proof.by:
        body["decided_by"] = proof.by
    if "signature" in body and proof.kind == approval.NONE:
        _refuse(desk, request, f"The signature does not count: {proof.why}.")
    if body["verdict"] == approval.APPROVED and (why := lacks(desk.stores, request, decision)):
        unsigned = _SIGN if request.risk == approval.HIGH else _ACCEPT if proof.kind == approval.TYPED else _ANSWER
        _refuse(desk, request, why, _ANSWER if "signature" in body else unsigned)


def _check_open(desk: Desk, request: Request) -> None:
    found = desk.approval(request)
    if found.status == approval.PENDING:
        return
    if found.status in (approval.EXPIRED, approval.DISPUTED):
        hint = standing.AS_IT_WAS if found.reason == standing.edited(request) else "Ask again: agentws ask QUESTION"
        raise ApprovalRefusedError(f"{request.id}: {found.reason}", hint=hint)
    when = f" at {found.decided[:19]}Z" if found.decided else ""
    by = f" by {found.decided_by}" if found.decided_by else ""
    raise ChangedUnderneathError(
        f"{request.id} is already {found.status}: answered{by}{when}.", hint=f"To see it: agentws ask show {request.id}"
    )


def _check_shown(request: Request, shown: Approval | None) -> None:
    if shown is not None and approval.facts(shown.request) != approval.facts(request):
        raise ChangedUnderneathError(
            f"{request.path} was edited after it was shown. Nothing was decided.",
            hint=f"To see what it says now: agentws ask show {request.id}",
        )


def _is_agent(stores: Stores) -> bool:
    """Return whether an agent calls, or a session of one, as far as the surroundings tell."""
    here = stores.environment
    return bool(here.by_agent or here.session or here.hosted)


def _refuse(desk: Desk, request: Request, why: str, hint: str = _ANSWER) -> None:
    desk.record(standing.REFUSED, request, {"text": why, "action_digest": request.action_digest})
    raise ApprovalRefusedError(
        f"{request.id}: {why}", hint=f"{hint} Which keys count: agentws ask keys. See: agentws docs approvals"
    )


def _message(message: str) -> str:
    secrets.refuse(message)
    utf8.check(message)
    return sanitize.written(message).strip()


def _answer(body: dict[str, Any]) -> str:
    """The section of a file that tells people the answer."""
    parts = [f"{str(body['verdict']).capitalize()} by {body['decided_by']} ({body['proof']})."]
    if body.get("text"):
        parts.append("\n".join(f"> {line}".rstrip() for line in str(body["text"]).split("\n")))
    if "edited" in body:
        parts.append(approval.fenced(body["edited"]).strip())
    if body.get("signature"):
        parts.append(f"```\n{body['signature']}\n```")
    return "\n\n".join(parts)
