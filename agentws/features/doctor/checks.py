"""The findings of `doctor`: its own, and those of each feature; `status` asks for those that need no document."""

from __future__ import annotations

from agentws import features
from agentws.core import findings as finding
from agentws.errors import AgentwsError
from agentws.features.doctor import documents, durability, location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from agentws.core.findings import Finding
    from agentws.core.stores.seen import Seen

    Round: TypeAlias = Callable[[Seen], Iterable[Finding]]


def quick(seen: Seen) -> list[Finding]:
    """Return the findings that need no document to be read, the worst first."""
    return finding.worst_first(_asked(seen, (documents.standing, *_shallow(seen))))


def every(seen: Seen) -> list[Finding]:
    """Return all findings, in the order of the subjects."""
    from agentws.features.doctor import contents  # more than a glance needs

    deep = features.each("deep_findings", seen.stores.files)
    return _asked(seen, (documents.standing, contents.findings, *deep, *_shallow(seen)))


def _shallow(seen: Seen) -> Iterator[Round]:
    yield from (durability.findings, location.findings)
    yield from features.each("findings", seen.stores.files)


def _asked(seen: Seen, rounds: Iterable[Round]) -> list[Finding]:
    found: list[Finding] = []
    for each in rounds:
        try:
            found += each(seen)
        except AgentwsError as error:
            remedy = error.hint or "Fix the cause and re-run: this check was not completed."
            found.append(finding.of_error("unread", finding.WARNING, error.message, remedy=remedy))
    return found
