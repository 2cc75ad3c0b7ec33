"""ask rules: lists every rule that counts for this workspace, and tests a tool call against them. Reads only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.approvals import gate, rule_files, rules_cache as ask_rules
from agentws.features.approvals.plan import rules as _rules

Rule = _rules.Rule
Verdict = _rules.Verdict


@dataclass(slots=True, repr=False)
class RuleList(Result):
    """The rules that count, as `ask rules` lists them.

    Fields:
        rules: the rules, in the order of their files.
        files: the paths of the files that may hold rules, read or not.
        problems: rules that do not count, or cannot be read, and so keep calls from running.
        verdict: the rules' verdict on the call that is tested, None for none.
        notices: notices for the caller.
    """

    rules: list[Rule]
    files: list[str]
    problems: list[str]
    verdict: Verdict | None = None
    notices: list[str] = field(default_factory=list)


def list_rules(stores: Stores, *, tool: str | None = None, given: Any = None, folder: str = "") -> RuleList:
    """Return the rules that count, and with `tool` their verdict on a call with this input in `folder`."""
    files = [ask_rules.FILE, *([stores.environment.config] if stores.environment.config else []), layout.RULES]
    try:
        rules = gate.rules_of(stores)
    except AgentwsError as error:
        return RuleList([], files, [f"{error.message} Hooks deny every tool. {error.hint or ''}".rstrip()])
    rule_list = RuleList(rules, files, rule_files.unsigned(stores))
    if tool is not None:
        rule_list.verdict = gate.judged(stores, tool, given, folder=folder)
    return rule_list
