"""ask rules: every rule that counts here, and what they would say about a call. Reads only."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import AgentwsError
from agentws.features.approvals import gate, rule_files
from agentws.features.approvals import rules_cache as ask_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.plan import rules as _rules

    Rule = _rules.Rule
    Verdict = _rules.Verdict


class RuleList:
    """The rules that count.

    Fields:
        rules: the rules, in the order of their files.
        files: the paths of the files that may hold rules, read or not.
        problems: what does not count, or cannot be read, and so keeps calls from running.
        verdict: what the rules say about the call that was asked about, None for none.
        notices: what else is to be said.
    """

    __slots__ = ("files", "notices", "problems", "rules", "verdict")

    def __init__(self, rules: list[Rule], files: list[str], problems: list[str]) -> None:
        self.rules = rules
        self.files = files
        self.problems = problems
        self.verdict: Verdict | None = None
        self.notices: list[str] = []


def list_rules(stores: Stores, *, tool: str | None = None, given: Any = None, folder: str = "") -> RuleList:
    """Return the rules that count, and with `tool` what they say about a call with this input in `folder`."""
    files = [ask_rules.FILE, *([stores.environment.config] if stores.environment.config else []), layout.RULES]
    try:
        rules = gate.rules_of(stores)
    except AgentwsError as error:
        return RuleList([], files, [f"{error.message} Hooks deny every tool. {error.hint or ''}".rstrip()])
    found = RuleList(rules, files, rule_files.unsigned(stores))
    if tool is not None:
        found.verdict = gate.judged(stores, tool, given, folder=folder)
    return found
