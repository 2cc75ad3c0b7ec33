"""Rules of what needs a yes in `status` and `doctor`: whether they count, and whether anything keeps to them."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import AgentwsError
from agentws.features.approvals import rules_cache as ask_rules
from agentws.features.doctor.plan.finding import PROBLEM, WARNING, Finding
from agentws.features.doctor.plan.verdict import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.doctor.report import Seen

_LIST = "agentws ask rules"
_SIGN = f"A person must run: ssh-keygen -Y sign -n agentws-rules -f KEY {layout.RULES}"


def checks(seen: Seen) -> list[Check]:
    """Return the check of the rules, none where there are no rules."""
    count, found = _rules(seen)
    if found:
        return [Check("rules", ok=False, says=found[0].says, remedy=found[0].remedy)]
    says = f"{count} rule{'' if count == 1 else 's'} for tools"
    return [Check("rules", ok=True, says=says, remedy=_LIST)] if count else []


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about rules that do not count, or that nothing keeps to."""
    count, found = _rules(seen)
    if count:
        from agentws.features.doctor import hooks

        if not hooks.is_wired(seen):
            says = "There are rules for tools, but no hook serves this workspace, so nothing enforces them."
            found.append(Finding("rules-unkept", WARNING, says, remedy="agentws install HOST"))
    return found


def _rules(seen: Seen) -> tuple[int, list[Finding]]:
    """(how many rules count, what keeps others from it)."""
    if not seen.stores.files.exists(layout.RULES) and not ask_rules.may_be(seen.stores.environment.config):
        return 0, []
    from agentws.features.approvals import rule_files
    from agentws.features.approvals.plan import rules

    try:
        texts = rule_files.texts(seen.stores)
        count = sum(len(rules.parse(ask_rules.rows(text, where), where)) for where, text in texts)
        unsigned = rule_files.unsigned(seen.stores)
    except AgentwsError as error:
        says = f"{error.message} Hooks deny every tool."
        return 0, [Finding("rules-unread", PROBLEM, says, remedy=error.hint or _LIST)]
    return count, [Finding("rules-unsigned", WARNING, one, remedy=_SIGN, path=layout.RULES) for one in unsigned]
