"""`Approval`: a request with its answer, the proof of that, and whether the answer can be used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agentws.core import Result
from agentws.core.disk.system import user_settings
from agentws.core.formats.documents import approval
from agentws.core.formats.documents.approval import Request
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.features.approvals.plan import request_state
from agentws.features.approvals.plan.request_state import ApprovalState, Fact


class Approval(Result):
    """An approval: a request and its answer, as callers get it.

    Fields:
        id, question, risk, task, session, src: as it was asked; texts, empty if unset.
        action, action_digest: the action that counts: the edited one if a person changed it (`is_edited`).
        status: pending, approved, rejected, expired, used or disputed, by the journal.
        asked, expires, decided: moments, ISO 8601; empty for none.
        decided_by, proof, message: the answer: whose it is, what proves that, the message with it.
        is_gone: whether its file is missing, so that all is from the journal.
        is_strange: whether only a writer asked it that this machine does not know: `src` names that writer.
        is_usable: whether `use_approval` would accept it; `reason` says why not.
        used_by: the cursor of the event for which it was used; empty if none was named.
        path: the file, a RelPath. notices: notices for the caller. request: the file as it was read.
    """

    __slots__ = (
        "action", "action_digest", "asked", "decided", "decided_by", "expires", "id", "is_edited", "is_gone",
        "is_strange", "is_usable", "message", "notices", "path", "proof", "question", "reason", "request", "risk",
        "session", "src", "status", "task", "used_by",
    )  # fmt: skip

    def __init__(self, request: Request, state: ApprovalState) -> None:
        decision = state.decision
        self.request = request
        self.id = request.id
        self.path = request.path
        self.question = request.question
        self.risk = request.risk
        self.asked, self.expires = request.text("asked"), request.text("expires")
        self.task, self.session, self.src = request.text("task"), request.text("session"), request.src
        self.action, self.action_digest = request_state.answered(decision, request)
        self.is_edited = decision is not None and "edited" in decision.body
        self.status = state.status
        self.decided = decision.at if decision else ""
        self.decided_by = decision.text("decided_by") if decision else ""
        self.proof = decision.text("proof") if decision else ""
        self.message = decision.text("text") if decision else ""
        self.reason = state.reason
        self.is_usable = state.status == approval.APPROVED and not state.reason
        self.used_by = state.used_by
        self.is_gone = self.is_strange = False
        self.notices: list[str] = []

    def mark_strange(self, src: str) -> None:
        """Mark the request as one of a writer that this machine does not know: an answer to it cannot be used."""
        self.is_strange, self.is_usable, self.src = True, False, src
        self.reason = f"It was asked by a writer that nobody vouched for. A person runs: {writer_trust.VERIFY}"

    @property
    def command(self) -> str:
        """The command by which a person approves the request at their terminal."""
        return request_state.command(self.request)


class ApprovalList(list[Approval]):
    """Approvals, pending ones first, then the newest; `unread` says which files cannot be read, as `notices` do."""

    def __init__(self, approvals: Sequence[Approval], now: datetime, notices: list[str], unread: list[str]) -> None:
        super().__init__(approvals)
        self.now = now
        self.notices = notices
        self.unread = unread


def latest(stores: Stores) -> datetime:
    """Return the moment by which a request expires: of AGENTWS_NOW and the system's clock the later one counts.

    An agent can set that variable, and must not revive with it what has expired.
    """
    from agentws.core.disk.clock import SystemClock

    now = stores.clock.now()
    return max(now, SystemClock("UTC").now().astimezone(now.tzinfo)) if stores.environment.by_variable else now


def state_of(stores: Stores, request: Request, facts: Sequence[Fact], now: datetime) -> ApprovalState:
    """Return the standing of an approval request; an approval without enough proof does not count."""
    return request_state.of(request, facts, now, lambda decision: missing_proof(stores, request, decision))


def missing_proof(stores: Stores, request: Request, decision: Fact) -> str:
    """Return what an approval lacks to count for this request, empty for nothing; it is checked again each time."""
    _, digest = request_state.answered(decision, request)
    if decision.text("action_digest") != digest:
        return "The answer is about another action: the file was edited."
    proof = proof_of(stores, request, decision)
    counts = request.risk == approval.LOW and user_settings.read(stores.environment.config).typed_counts
    return request_state.weak_proof(request.risk, proof.kind, proof.why, typed_counts=counts)


class Proof:
    """The proof of an approval's answer: its `kind`, `by` whom the answer is, and `why` the proof is not stronger."""

    __slots__ = ("by", "kind", "why")

    def __init__(self, kind: str, *, by: str = "", why: str = "") -> None:
        self.kind = kind
        self.by = by
        self.why = why


def proof_of(stores: Stores, request: Request, decision: Fact) -> Proof:
    """Return the proof of an approval's answer, from its signature and the pinned keys only."""
    signature = decision.text("signature")
    if not signature:
        return Proof(approval.TYPED if decision.text("proof") == approval.TYPED else approval.NONE)
    agent, verdict = stores.manifest.agent_id, decision.text("verdict")
    statement = approval.statement(agent, request, verdict, decision.text("action_digest"))
    from agentws.core.identity import approvers

    trusted = approvers.of(stores.whole.files, agent, stores.environment.state)
    key, why = trusted.proof(signature, statement.encode("utf-8", "surrogateescape"))
    if key is None:
        return Proof(approval.NONE, why=why)
    by = f"{key.principal} {key.fingerprint}"
    return Proof(approval.KEY if why else approval.SIGNED, by=by, why=why)
