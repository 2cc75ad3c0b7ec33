"""Approvals in `status` and `doctor`: how many wait, and which files say what the journal does not."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import AgentwsError
from agentws.features.approvals import rules_cache as ask_rules
from agentws.features.doctor.plan.verdict import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.doctor.plan.finding import Finding
    from agentws.features.doctor.report import Seen


def checks(seen: Seen) -> list[Check]:
    """Return the checks of what waits for a person and of the rules that make calls wait, where there are any."""
    return [*_waiting(seen), *_rules(seen)]


def _rules(seen: Seen) -> list[Check]:
    if not seen.stores.files.exists(layout.RULES) and not ask_rules.may_be(seen.stores.environment.config):
        return []
    from agentws.features.doctor import rules

    return rules.checks(seen)


def _waiting(seen: Seen) -> list[Check]:
    paths = _paths(seen)
    if not paths:
        return []
    from agentws.features.approvals import pending_approvals

    found = pending_approvals.of(seen.stores.files, paths, seen.moment)
    if found.count:
        return [Check("approvals", ok=True, says=str(found), remedy="agentws ask list")]
    return [Check("approvals", ok=True, says="none waits")]


def findings(seen: Seen) -> list[Finding]:
    """Return the findings about files that cannot be read, were edited or forged, or are missing."""
    paths = _paths(seen)
    from agentws.core.formats.documents import approval
    from agentws.features.approvals import approval_events
    from agentws.features.approvals.plan import standing
    from agentws.features.doctor.plan import approvals

    told = approval_events.by_id(seen.stores, [])
    files = seen.stores.files
    facts_of = {id: [standing.Fact(*one) for one in events] for id, events in told.items()}
    open_ = [approval.path_of(id) for id, facts in facts_of.items() if standing.is_open(facts)]
    found: list[Finding] = [approvals.gone(path) for path in sorted(open_) if not files.exists(path)]
    for path in paths:
        name = path.rpartition("/")[2].removesuffix(".md")
        try:
            request = approval.decode(seen.stores.files.read(path), id=name)
        except AgentwsError as error:
            found.append(approvals.unreadable(path, error.message))
            continue
        facts = [standing.Fact(*one) for one in told.get(name, [])]
        found += approvals.judged(request, facts, standing.of(request, facts, seen.moment, lambda _: ""))
    return found


def _paths(seen: Seen) -> list[str]:
    try:
        names = seen.stores.files.names(layout.APPROVALS)
    except AgentwsError:
        return []  # a folder that may not be listed is told by the check of documents
    return [f"{layout.APPROVALS}/{name}" for name, kind in names if kind == "file" and name.endswith(".md")]
