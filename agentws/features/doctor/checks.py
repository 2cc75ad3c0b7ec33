"""The finders of `doctor`, each within its own subject; `status` asks the quick ones, `doctor` all of them."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.features.doctor import documents, durability, handoffs, location, sync
from agentws.features.doctor.plan import finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from agentws.features.doctor.plan.finding import Finding
    from agentws.features.doctor.report import Seen

    Round: TypeAlias = Callable[[Seen], list[Finding]]

_QUICK = (handoffs.findings, durability.findings, location.findings, sync.findings)


def quick(seen: Seen) -> list[Finding]:
    """Return the findings that need no document to be read, the worst first."""
    return finding.worst_first(_asked(seen, [documents.standing, *_QUICK]))


def every(seen: Seen) -> list[Finding]:
    """Return all findings, in the order of the subjects."""
    return _asked(seen, [documents.standing, *_deep(), *_QUICK])


def _deep() -> list[Round]:
    """Those that read every document, all that compaction wrote down, or settings of other programs."""
    from agentws.features.doctor import (  # more than a glance needs
        approvals,
        archive,
        checkpoints,
        contents,
        hooks,
        rules,
    )

    return [
        contents.findings,
        hooks.loaded_twice,
        hooks.findings,
        archive.findings,
        approvals.findings,
        rules.findings,
        checkpoints.findings,
    ]


def _asked(seen: Seen, rounds: Sequence[Round]) -> list[Finding]:
    found: list[Finding] = []
    for each in rounds:
        try:
            found += each(seen)
        except AgentwsError as error:
            remedy = error.hint or "Fix the cause and re-run: this check was not completed."
            found.append(finding.of_error("unread", finding.WARNING, error.message, remedy=remedy))
    return found
