"""Approvals as people read them, and as the fields that scripts rely on."""

from __future__ import annotations

from datetime import datetime

from agentws.formats.json import plainjson
from agentws.formats.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.operations.ask.approval import Approval, ApprovalList
    from agentws.operations.ask.signing import ApproverList

_MOST_QUESTION = 72
_PLAIN = ("used", "rejected", "expired")
"""States that need no reason."""


def approval_fields(one: Approval) -> dict[str, object]:
    """The fields of one approval, the same in each schema."""
    return {
        "id": one.id,
        "question": one.question,
        "status": one.status,
        "risk": one.risk,
        "action": one.action,
        "action_digest": one.action_digest,
        "edited": one.is_edited,
        "task": one.task or None,
        "asked": one.asked or None,
        "expires": one.expires or None,
        "decided": one.decided or None,
        "decided_by": one.decided_by or None,
        "proof": one.proof or None,
        "message": one.message or None,
        "usable": one.is_usable,
        "reason": one.reason or None,
        "session": one.session or None,
        "src": one.src or None,
        "path": one.path,
    }


def done_fields(one: Approval) -> dict[str, object]:
    """The fields of `agentws/ask@1`, `ask-approve@1` and of all others that tell of one approval."""
    return {**approval_fields(one), "notices": one.notices}


def list_fields(found: ApprovalList) -> dict[str, object]:
    """The fields of `agentws/ask-list@1`."""
    return {"approvals": [approval_fields(one) for one in found], "notices": found.notices}


def asked_lines(one: Approval) -> Iterator[str]:
    """Yield where the request is, and what a person runs."""
    yield one.path
    yield f"To answer, a person runs: agentws ask show {one.id}"


def done_lines(one: Approval) -> Iterator[str]:
    """Yield what became of the request, in one line."""
    proof = f" ({one.proof})" if one.proof and one.status == "approved" else ""
    yield f"{one.id}: {one.status}{proof}"


def list_lines(found: ApprovalList) -> Iterator[str]:
    """The approvals, one a line."""
    if not found:
        yield "No approvals. To ask for one: agentws ask QUESTION"
    for one in found:
        until = f" · until {when(one.expires, found.now)}" if one.expires and one.status == "pending" else ""
        risk = " · high risk" if one.risk == "high" else ""
        yield f"{one.id}  {one.status:<8}  {_cut(one.question)}{risk}{until}"


def show_lines(one: Approval, now: datetime) -> Iterator[str]:
    """Yield an approval in full."""
    yield one_line(one.question)
    state = one.status if one.status in _PLAIN else f"{one.status}{f' · {one.reason}' if one.reason else ''}"
    said = (
        ("file", one.path),
        ("state", state),
        ("risk", one.risk),
        ("asked", when(one.asked, now)),
        ("expires", when(one.expires, now)),
        ("task", one.task),
        ("via", one.src),
        ("answer", " · ".join(part for part in (when(one.decided, now), one.decided_by, one.proof) if part)),
        ("message", one_line(one.message)),
        ("digest", one.action_digest),
    )
    yield from (f"  {label:<8} {text}" for label, text in said if text)
    if one.action is not None:
        yield f"  {'action' if not one.is_edited else 'action, as a person changed it'}:"
        yield from json_lines(one.action)


def json_lines(value: object) -> list[str]:
    """A value as lines of JSON, indented."""
    return [f"    {line}" for line in plainjson.dumps(value, indent=2).split("\n")]


def keys_fields(found: ApproverList) -> dict[str, object]:
    """The fields of `agentws/ask-keys@1`."""
    keys = [
        {
            "principal": one.key.principal,
            "kind": one.key.kind or None,
            "fingerprint": one.key.fingerprint or None,
            "where": one.where,
            "counts": not one.why,
            "why": one.why or None,
        }
        for one in found.keys
    ]
    return {"keys": keys, "file": found.file, "problems": found.problems, "notices": found.notices}


def keys_lines(found: ApproverList) -> Iterator[str]:
    """The keys, one a line, what is wrong, and how to pin one."""
    for one in found.keys:
        proves = "by touch" if one.key.is_touched else "this user id cannot use it"
        counts = f"does not count: {one.why}" if one.why else f"counts: {proves}"
        yield f"{one.key.principal}  {one.key.kind}  {one.key.fingerprint}  {counts}"
    yield from found.problems
    if not any(not one.why for one in found.keys):
        folder = found.file.rpartition("/")[0]
        yield ""
        yield "To pin a person's key, run as that person, not as the agent's user:"
        yield f"  sudo install -d -m 755 {folder}"
        yield f'  echo "sam $(cat ~/.ssh/id_ed25519_sk.pub)" | sudo tee -a {found.file}'


def when(text: str, now: datetime) -> str:
    """A moment as the workspace's zone shows it; any other text as it stands."""
    try:
        found = datetime.fromisoformat(text)
        found = found.astimezone(now.tzinfo) if found.tzinfo else found
    except (ValueError, OverflowError):
        return text
    return f"{found:%Y-%m-%d %H:%M}"


def _cut(text: str) -> str:
    said = one_line(text)
    return said if len(said) <= _MOST_QUESTION else f"{said[: _MOST_QUESTION - 1].rstrip()}…"
