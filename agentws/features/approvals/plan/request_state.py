"""The standing of an approval request: its status by the events of known writers, and the answer that counts. Pure."""

from __future__ import annotations

from datetime import datetime

from agentws.core import Result
from agentws.core.formats.documents import approval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from agentws.core.formats.documents.approval import Request

ASKED, DECIDED, CONSUMED, LAPSED, REFUSED = (
    "approval.asked", "approval.decided", "approval.used", "approval.expired", "approval.refused"
)  # fmt: skip
FAMILY = "approval.*"
UNDONE = "undone"
"""The text of `approval.expired` for a request that `undo` took back."""
UNANSWERED = "Nobody has answered yet."
AS_IT_WAS = "Undo the edit, or delete the file, and answer then: the journal knows what was asked."
_RECORDED = (approval.KEY, approval.TYPED)
"""Proofs that only record an answer."""


class Fact(Result):
    """An event of an approval: its `kind` and `body`, when (`at`) and where (`cursor`) it was recorded."""

    __slots__ = ("at", "body", "cursor", "kind")

    def __init__(self, kind: str, body: dict[str, Any], at: str, cursor: str) -> None:
        self.kind = kind
        self.body = body
        self.at = at
        self.cursor = cursor

    def text(self, key: str) -> str:
        """Return a value in the body of an approval's event if it is a text, else an empty text."""
        value = self.body.get(key)
        return value if isinstance(value, str) else ""


class ApprovalState(Result):
    """The `status` of an approval request by its events, and the answer that counts (`decision`) or why not (`reason`).

    `is_told`: the journal knows the request; `used_by` is the cursor of the event for which it was used.
    """

    __slots__ = ("decision", "is_told", "reason", "status", "used_by")

    def __init__(
        self, status: str, decision: Fact | None = None, reason: str = "", *, is_told: bool = True, used_by: str = ""
    ) -> None:
        self.status = status
        self.decision = decision
        self.reason = reason
        self.is_told = is_told
        self.used_by = used_by


def of(request: Request, facts: Sequence[Fact], now: datetime, missing_proof: Callable[[Fact], str]) -> ApprovalState:
    """Return the standing of an approval request by its events, in the order in which they are known.

    `missing_proof` returns what an approval lacks to count, empty for nothing. An approval that does not count blocks
    no other.
    """
    asked = [fact for fact in facts if fact.kind == ASKED]
    is_told, decided = bool(asked), [fact for fact in facts if fact.kind == DECIDED]
    used = {fact.cursor.partition(":")[0] for fact in facts if fact.kind == CONSUMED}
    if len(used) > 1:
        return ApprovalState(approval.DISPUTED, _first(decided), "It was used on two machines.", is_told=is_told)
    if used:
        by = {fact.text("by") for fact in facts if fact.kind == CONSUMED}
        return ApprovalState(
            approval.USED, _first(decided), "It was used already, and counts once.", is_told=is_told,
            used_by=by.pop() if len(by) == 1 else "",
        )  # fmt: skip
    if asked and not any(is_same(request, fact) for fact in asked):
        return ApprovalState(approval.DISPUTED, _first(decided), edited(request))
    judged = [(fact, missing_proof(fact) if _is_yes(fact) else "") for fact in decided]
    answers = [fact for fact, reason in judged if not reason]
    decision = _first(answers)
    if len({_answer(answer) for answer in answers}) > 1:
        return ApprovalState(approval.DISPUTED, decision, "Two machines recorded different answers.", is_told=is_told)
    if decision is not None and not _is_yes(decision):
        return ApprovalState(approval.REJECTED, decision, "It was rejected.", is_told=is_told)
    lapsed = [fact for fact in facts if fact.kind == LAPSED]
    if lapsed or is_past(request.text("expires"), now):
        is_undone = any(fact.text("text") == UNDONE for fact in lapsed)
        reason = "It was taken back with `agentws undo`." if is_undone else "It has expired."
        return ApprovalState(approval.EXPIRED, decision, reason, is_told=is_told)
    if decision is None:
        reason = judged[-1][1] if judged else UNANSWERED
        return ApprovalState(approval.PENDING, None, reason, is_told=is_told)
    return ApprovalState(approval.APPROVED, decision, is_told=is_told)


def command(request: Request) -> str:
    """Return the command by which a person approves a request at their terminal."""
    return f"agentws ask approve {request.id}{' --key KEY' if request.risk == approval.HIGH else ''}"


def edited(request: Request) -> str:
    """Return the reason for distrusting an approval's file that was edited."""
    return f"{request.path} is not what was asked: it was edited."


def _first(facts: Sequence[Fact]) -> Fact | None:
    return facts[0] if facts else None


def over_since(facts: Sequence[Fact]) -> str:
    """Return the moment since which a request is used, rejected or expired by its events, empty if it is open."""
    ends = [fact.at for fact in facts if fact.kind in (CONSUMED, LAPSED)]
    decided = [fact for fact in facts if fact.kind == DECIDED]
    if not ends and decided and not any(map(_is_yes, decided)):
        ends = [fact.at for fact in decided]
    return max(ends, default="")


def is_open(facts: Sequence[Fact]) -> bool:
    """Return whether an approval request was made and is neither used, rejected nor expired, by its events."""
    return any(fact.kind == ASKED for fact in facts) and not over_since(facts)


def is_same(request: Request, asked: Fact) -> bool:
    """Return whether the approval's file still says what was asked."""
    facts = approval.facts(request)
    return all(facts.get(key) == asked.body.get(key) for key in ("text", "action_digest", "risk", "expires"))


def is_past(expires: str, now: datetime) -> bool:
    """Return whether a request's `expires` has passed; a text that is not a moment counts as past.

    A moment without a zone counts as past too: an agent could shift it by the zone of its workspace.
    """
    if not expires:
        return False
    try:
        moment = datetime.fromisoformat(expires)
        return moment.tzinfo is None or moment <= now
    except (ValueError, OverflowError):
        return True


def weak_proof(risk: str, proof: str, why: str, *, typed_counts: bool) -> str:
    """Return why an answer's proof is too weak for this risk, empty if it is not; `why` is what the proof lacks."""
    if proof == approval.SIGNED:
        return ""
    reason = "The answer was recorded, not proved" if proof in _RECORDED else "Nothing proves that a person answered"
    reason += f": {why}." if why else "."
    if risk == approval.HIGH:
        return f"{reason} A high risk needs a signature that the agent cannot make."
    if proof not in _RECORDED:
        return reason
    return "" if typed_counts else f"{reason} Your settings do not accept that."


def answered(decision: Fact | None, request: Request) -> tuple[object, str]:
    """Return (action, digest) of the action that an approval's answer is about: the edited one, else as asked."""
    if decision is not None and "edited" in decision.body:
        action = decision.body["edited"]
        return action, approval.digest_of(action)
    return request.action, request.action_digest


def _is_yes(fact: Fact) -> bool:
    return fact.text("verdict") == approval.APPROVED


def _answer(fact: Fact) -> tuple[str, str]:
    return fact.text("verdict"), fact.text("action_digest")
