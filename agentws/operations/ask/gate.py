"""The gate before a tool runs: what the rules say about this very call, and whether a person has said yes to it.

It runs at each call of a tool: where there are no rules, it is three looks at files.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, ApprovalPendingError, ApprovalRefusedError, DamagedError, MissingFileError
from agentws.formats import layout
from agentws.storage.system import ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.operations.ask.approval import Approval
    from agentws.planning.ask.rules import Rule, Verdict
    from agentws.storage.workspace.stores import Stores

NAMESPACE = "agentws-rules"
UNCHECKED = "The rules of what may be done could not be checked, so nothing is done that they may be about."
_MOST_BYTES = 1 << 18


class Answer:
    """The answer of the gate: whether the tool `may` run (None: nothing is said, True: a person said yes).

    `confirms` where the host itself is to ask; `says` is for the agent, `notices` for whoever watches.
    """

    __slots__ = ("confirms", "may", "notices", "says")

    def __init__(self, may: bool | None = None, says: str = "", *, confirms: bool = False) -> None:
        self.may = may
        self.says = says
        self.confirms = confirms
        self.notices: list[str] = []


def gate(stores: Stores, tool: str, given: Any = None, *, folder: str = "") -> Answer:
    """Return whether a call of `tool` with the input `given` may go on; `folder` is where it is made.

    One that needs a yes is asked for once; after the yes it may go on once. Rules that cannot be read let nothing
    through.
    """
    try:
        rules = rules_of(stores)
        if not rules:
            return Answer()
        from agentws.planning.ask import rules as _rules

        verdict = _rules.judge(rules, tool, given, folder=folder, home=os.path.expanduser("~"))
        if verdict.do == _rules.DENY:
            return Answer(may=False, says=_denied(verdict))
        if verdict.do == _rules.CONFIRM:
            return Answer(says=_why(verdict), confirms=True)
        return _asked(stores, tool, given, verdict) if verdict.do == _rules.ASK else Answer()
    except AgentwsError as error:
        return Answer(may=False, says=f"{UNCHECKED} {error.message} {error.hint or ''}".rstrip())


def is_ruled(config: str | None) -> bool:
    """Return whether this machine has rules, or may have: what is asked where no workspace can be opened."""
    try:
        return any(ask_rules.rows(text, where) for where, text in ask_rules.texts(config))
    except AgentwsError:
        return True


def judged(stores: Stores, tool: str, given: Any = None, *, folder: str = "") -> Verdict:
    """Return what the rules say about a call, and do nothing."""
    from agentws.planning.ask import rules as _rules

    return _rules.judge(rules_of(stores), tool, given, folder=folder, home=os.path.expanduser("~"))


def rules_of(stores: Stores) -> list[Rule]:
    """Every rule that counts here; DamagedError where one file cannot be read as rules."""
    found = ask_rules.texts(stores.environment.config)
    if stores.whole.files.exists(layout.RULES) and (signed := _signed(stores)):
        found.append((layout.RULES, signed))
    if not found:
        return []
    from agentws.planning.ask import rules as _rules

    return [rule for where, text in found for rule in _rules.parse(ask_rules.rows(text, where), where)]


def _signed(stores: Stores) -> str:
    """The rules of the workspace, empty where no key that counts has signed them."""
    from agentws.storage.identity import approvers

    files = stores.whole.files
    data = files.read(layout.RULES, limit_bytes=_MOST_BYTES)
    try:
        signature = files.read(f"{layout.RULES}.sig", limit_bytes=_MOST_BYTES).decode("ascii", "replace")
    except MissingFileError:
        return ""
    pinned = approvers.of(files, stores.manifest.agent_id, stores.environment.state)
    _, why = pinned.proof(signature, data, namespace=NAMESPACE)
    if why:
        return ""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DamagedError(f"{layout.RULES}: not UTF-8.", hint="Correct and sign it.") from error


def _asked(stores: Stores, tool: str, given: Any, verdict: Verdict) -> Answer:
    """The answer where a person must say yes: to be used once, to be waited for, or asked for now."""
    from agentws.operations.ask import ask, use

    rule = verdict.rule
    risk = rule.risk if rule else "low"
    action = bound(tool, given)
    try:
        done = use.use(stores, "", action, risk=risk)
        answer = Answer(may=True, says=f"A person approved this call: {done.id}.")
        answer.notices = done.notices
        return answer
    except ApprovalPendingError as error:
        return Answer(may=False, says=f"{_why(verdict)} {error.message} {error.hint or ''} Then try again.")
    except (MissingFileError, ApprovalRefusedError):
        pass  # nobody was asked about this very call yet, or the answer was used or is past
    request = ask.ask(stores, _question(tool, given, verdict), action=action, risk=risk)
    answer = Answer(may=False, says=_wait(verdict, request))
    answer.notices = request.notices
    return answer


def bound(tool: str, given: Any) -> dict[str, Any]:
    """The action that stands for a call; of an input that is too large or holds a secret, its digest."""
    from agentws.formats import digest
    from agentws.formats.documents import action as _action
    from agentws.formats.json import plainjson
    from agentws.formats.secrets import redaction

    whole = {"tool": tool, "input": plainjson.plain(given)}
    try:
        _action.text(whole)
        if redaction.is_clean([{"action": whole}]):
            return whole
    except AgentwsError:
        pass
    said = plainjson.dumps(whole["input"]).encode("utf-8", "surrogatepass")
    return {"tool": tool, "input_digest": f"sha256:{digest.of(said)}", "bytes": len(said)}


def _question(tool: str, given: Any, verdict: Verdict) -> str:
    """The question to a person, in one line without anything that looks like a secret."""
    from agentws.formats.secrets import secrets

    inputs = given if isinstance(given, dict) else {}
    texts = [value for value in inputs.values() if isinstance(value, str)]
    said = " ".join((texts or [""])[0].split())[:120]
    said = "" if secrets.hide(said)[1] else said
    why = f" ({verdict.rule.why})" if verdict.rule and verdict.rule.why else ""
    return f"May {tool} run{': ' + said if said else ''}?{why}"


def _why(verdict: Verdict) -> str:
    rule = verdict.rule
    return f"This needs a yes from a person{': ' + rule.why if rule and rule.why else ''}."


def _denied(verdict: Verdict) -> str:
    rule = verdict.rule
    why = f": {rule.why}" if rule and rule.why else ""
    return f"This is never done here{why}. ({rule.where if rule else 'a rule'}) Do not try another way; tell your user."


def _wait(verdict: Verdict, request: Approval) -> str:
    return (
        f"{_why(verdict)} Request {request.id} was made. Your user runs, in their own terminal: "
        f"agentws ask approve {request.id}. Do something else meanwhile, or end; then try this very call again."
    )
