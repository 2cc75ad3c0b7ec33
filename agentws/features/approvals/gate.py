"""The gate before a tool runs: applies the rules to this very call, and asks a person or finds their yes.

It runs at each tool call: if there are no rules, it only looks at three files.
"""

from __future__ import annotations

import os

from agentws.core import Result
from agentws.core.formats import layout
from agentws.errors import AgentwsError
from agentws.features.approvals import rules_cache as ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval
    from agentws.features.approvals.plan.rules import Rule, Verdict

UNCHECKED = "The rules of what may be done could not be checked, so this is not done. Tell your user."


class Answer(Result):
    """The gate's answer on a tool call: whether the tool `may` run (None: no rule applies, True: a person said yes).

    `confirms`: the host itself has to ask; `says` is for the agent. `about` is the id of the request about this call.
    `request` was made now, and nobody was notified yet.
    """

    __slots__ = ("about", "confirms", "may", "request", "says")

    def __init__(self, may: bool | None = None, says: str = "", *, confirms: bool = False) -> None:
        self.may = may
        self.says = says
        self.confirms = confirms
        self.about = ""
        self.request: Approval | None = None


def gate(
    stores: Stores, tool: str, given: Any = None, *, folder: str = "", is_whole: bool = True, confirms: bool = False
) -> Answer:
    """Return whether a call of `tool` with the input `given` may run; `folder` is where it is made.

    A call that needs a yes is asked about once; after the yes it may run once. Rules that cannot be read deny
    everything. `confirms`: the host can ask its user by itself; `is_whole`: this is all of the input.
    """
    try:
        rules = rules_of(stores)
        return _answer(stores, rules, tool, given, folder, is_whole, confirms) if rules else Answer()
    except AgentwsError as error:
        return Answer(may=False, says=f"{UNCHECKED} {error.message} {error.hint or ''}".rstrip())


def gate_alone(
    config: str | None,
    tool: str,
    given: Any = None,
    *,
    folder: str = "",
    is_whole: bool = True,
    root: str | None = None,
    is_cut: bool = False,
) -> Answer:
    """Return the answer of this machine's rules if no workspace can be asked; a call that needs a yes is denied.

    So is every call if the workspace at `root` (None: around the present folder) may have rules of its own. `is_cut`:
    the time ran out, or the gate failed; then every call is denied if there are any rules.
    """
    try:
        rules = _rules_of(ask_rules.texts(config))
        if _may_have_rules(root) or (is_cut and rules):
            return Answer(may=False, says=UNCHECKED)
        verdict = _judged(rules, tool, given, folder, is_whole) if rules else None
    except AgentwsError:
        return Answer(may=False, says=UNCHECKED)
    if verdict is None or not verdict.do:
        return Answer()
    if verdict.do == "deny":
        return Answer(may=False, says=_denied(verdict))
    return Answer(may=False, says=f"{UNCHECKED} It matched: {words}." if (words := verdict.matched()) else UNCHECKED)


def _may_have_rules(root: str | None) -> bool:
    from agentws.core.disk import locate

    place = locate.find(root)
    return place is not None and os.path.lexists(f"{place}/{layout.RULES_SIGNATURE}")


def judged(stores: Stores, tool: str, given: Any = None, *, folder: str = "") -> Verdict:
    """Return the verdict of the rules on a tool call; nothing is asked, used or recorded."""
    return _judged(rules_of(stores), tool, given, folder, True)


def rules_of(stores: Stores) -> list[Rule]:
    """Return every rule that counts for this workspace; DamagedError if a file cannot be read as rules."""
    if stores.whole.files.exists(layout.RULES):
        from agentws.features.approvals import rule_files

        texts = rule_files.texts(stores)
    else:
        texts = ask_rules.texts(stores.environment.config)
    return _rules_of(texts) if texts else []


def _rules_of(texts: list[tuple[str, str]]) -> list[Rule]:
    sources = [(where, rows) for where, text in texts if (rows := ask_rules.rows(text, where))]
    if not sources:
        return []
    from agentws.features.approvals.plan import rules as _rules

    ranks = {layout.RULES: 1, ask_rules.FILE: 2}
    return [rule for where, rows in sources for rule in _rules.parse(rows, where, ranks.get(where, 0))]


def _judged(rules: list[Rule], tool: str, given: Any, folder: str, is_whole: bool) -> Verdict:
    from agentws.features.approvals.plan import rules as _rules

    return _rules.judge(rules, tool, given, folder=folder, home=os.path.expanduser("~"), is_whole=is_whole)


def _answer(
    stores: Stores, rules: list[Rule], tool: str, given: Any, folder: str, is_whole: bool, confirms: bool
) -> Answer:
    verdict = _judged(rules, tool, given, folder, is_whole)
    if not verdict.do:
        return Answer()
    if verdict.do == "deny" or not is_whole:
        return Answer(may=False, says=_denied(verdict))
    if verdict.do == "confirm" and confirms:
        from agentws.features.approvals import ask

        return Answer(says=ask.why(verdict), confirms=True)
    from agentws.features.approvals import ask

    may, says, about, request = ask.answer(stores, tool, given, verdict, folder)
    answer = Answer(may, says)
    answer.about, answer.request = about, request
    return answer


def _denied(verdict: Verdict) -> str:
    rule = verdict.rule
    why = f": {rule.why}" if rule and rule.why else ""
    where = rule.where if rule else "a rule"
    if verdict.is_unclear:
        return f"The input is too long or is no JSON, and a rule may forbid it{why}. ({where}) Write a shorter call."
    words = f"; it matched: {matched}" if (matched := verdict.matched()) else ""
    return f"This is never done here{why}. ({where}{words}) Do not try another way; tell your user."
