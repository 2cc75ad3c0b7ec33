"""Who looks for findings, each within its own subject; `status` asks those that are quick, `doctor` all of them."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.operations.doctor import documents, durability, handoffs, hooks, location
from agentws.operations.doctor.report import Seen
from agentws.planning.doctor import finding
from agentws.storage.inspect import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.planning.doctor.finding import Finding
    from agentws.storage.workspace.stores import Stores

_DEEP = (documents.findings, hooks.loaded_twice, hooks.findings, durability.archive_findings)
"""They read every document, all that compaction wrote down, or settings of other programs."""
_ALL = (documents.standing, *_DEEP, handoffs.findings, durability.findings, location.findings)


def quick(stores: Stores) -> list[Finding]:
    """What is found without reading every document, the worst first."""
    seen = Seen(stores, scan.look(stores.files), script=None, variables={})
    return finding.worst_first(_asked(seen, [each for each in _ALL if each not in _DEEP]))


def every(seen: Seen) -> list[Finding]:
    """All that is found, in the order of the subjects."""
    return _asked(seen, _ALL)


def _asked(seen: Seen, rounds: Sequence[Callable[[Seen], list[Finding]]]) -> list[Finding]:
    found: list[Finding] = []
    for each in rounds:
        try:
            found += each(seen)
        except AgentwsError as error:
            remedy = error.hint or "Fix that and re-run: the rest of this subject was not checked."
            found.append(finding.of_error("unread", finding.WARNING, error.message, remedy=remedy))
    return _once(found)


def _once(found: list[Finding]) -> list[Finding]:
    """Each finding once, as it was found first."""
    known: dict[tuple[str, str, int, str], Finding] = {}
    for one in found:
        known.setdefault((*one.key, one.says), one)
    return list(known.values())
