"""A call of a tool that needs a yes: the request about it is made once, and used once."""

from __future__ import annotations

from agentws.core.formats.documents import action as _action
from agentws.core.formats.documents import approval
from agentws.errors import AgentwsError
from agentws.features.approvals import ask, use
from agentws.features.approvals.desk import Desk
from agentws.features.approvals.plan import rules, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.documents.approval import Request
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval
    from agentws.features.approvals.plan.rules import Verdict

    Answered = tuple[bool, str, Approval | None]

_MOST_SHOWN = 120
_TELLING = ("command", "cmd", "file_path", "path", "url")
"""What of an input a question shows, before anything that an agent says of its call."""
_STANDING = (approval.PENDING, approval.APPROVED, approval.REJECTED, approval.DISPUTED)
"""What a request is that another one about the same call would be no use beside."""


def answer(stores: Stores, tool: str, given: Any, verdict: Verdict, folder: str = "") -> Answered:
    """(may it run, what the agent is told, the request that was made): allowed once after a yes, else denied."""
    action = bound(tool, given, folder)
    digest = _action.digest_of(action)
    risk = verdict.rule.risk if verdict.rule else approval.LOW
    with Desk(stores, "a hook") as desk:
        found = _standing(desk, digest, risk)
        if found is None:
            request = ask.make(desk, _question(tool, given, verdict), action=action, risk=risk)
            return False, _wait(verdict, request, "was made"), desk.done(request)
        if found.is_usable and found.action_digest == digest:
            done = use.consume(desk, found.request, digest, risk)
            return True, f"A person approved this call: {done.id}.", None
        if found.status == approval.PENDING:
            reason = "" if found.reason.startswith("Nobody") else f" {found.reason}"
            return False, f"{_wait(verdict, found.request, 'waits for an answer')}{reason}", None
        return False, f"{why(verdict)} {_against(found, digest)} ({found.id})", None


def _standing(desk: Desk, digest: str, risk: str) -> Approval | None:
    """The request about this call that counts now, None where one is to be made."""
    found = [(request, desk.approval(request)) for request in desk.known()]
    alike = [one for request, one in found if digest in (one.action_digest, request.action_digest)]
    used = max((one.asked for one in alike if one.status == approval.USED), default="")
    alike = [one for one in alike if one.status != approval.REJECTED or one.asked > used]  # a later yes ends a no
    open_ = [one for one in alike if one.status in _STANDING and (risk != approval.HIGH or one.risk == approval.HIGH)]
    return max(
        open_,
        key=lambda one: (one.is_usable and one.action_digest == digest, one.status == approval.PENDING, one.asked),
        default=None,
    )


def _against(found: Approval, digest: str) -> str:
    """What stands against a call about which a person was asked, in sentences."""
    said = f" They said: {found.message}" if found.message else ""
    if found.is_usable and found.action_digest != digest:
        from agentws.core.formats.documents import readable

        return f"A person approved another call instead: {readable.dumps(found.action)}{said}"
    return f"{found.reason}{said}"


def bound(tool: str, given: Any, folder: str = "") -> dict[str, Any]:
    """The action that stands for a call in a folder; of an input that is too large or holds a secret, its digest."""
    from agentws.core.formats import digest
    from agentws.core.formats.json import plainjson
    from agentws.core.formats.secrets import redaction

    told = rules.bare(tool, plainjson.plain(given))
    place = {"folder": folder} if folder else {}
    whole = {"tool": tool, **place, "input": told}
    try:
        _action.text(whole)
        if redaction.is_clean([{"action": whole}]):
            return whole
    except AgentwsError:
        pass
    said = plainjson.dumps(told).encode("utf-8", "surrogatepass")
    return {"tool": tool, **place, "input_digest": f"sha256:{digest.of(said)}", "bytes": len(said)}


def why(verdict: Verdict) -> str:
    """Why a person must say yes, in a sentence."""
    rule = verdict.rule
    matched = f" (It matched: {words}.)" if (words := verdict.matched()) else ""
    return f"This needs a yes from a person{': ' + rule.why if rule and rule.why else ''}.{matched}"


def _question(tool: str, given: Any, verdict: Verdict) -> str:
    """The question to a person, in one line without anything that looks like a secret."""
    from agentws.core.formats.secrets import secrets

    inputs = given if isinstance(given, dict) else {}
    names = sorted(inputs, key=lambda name: name not in _TELLING)
    texts = [text for name in names if (text := _words(inputs[name]))]
    said = " ".join((texts or [""])[0][: 4 * _MOST_SHOWN].split())[:_MOST_SHOWN]
    said = "" if secrets.hide(said)[1] else said
    reason = f" ({verdict.rule.why[:_MOST_SHOWN]})" if verdict.rule and verdict.rule.why else ""
    return f"May {tool[:_MOST_SHOWN]} run{': ' + said if said else ''}?{reason}"


def _words(value: object) -> str:
    """A text, or the words of a command in parts; empty for anything else."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""


def _wait(verdict: Verdict, request: Request, state: str) -> str:
    return (
        f"{why(verdict)} Request {request.id} {state}. Your user runs, in their own terminal: "
        f"{standing.command(request)}. Do something else meanwhile, or end; then try this very call again."
    )
