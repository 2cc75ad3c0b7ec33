"""The check of compaction in `status`: its last run, and repeated failures."""

from __future__ import annotations

from agentws.core.formats.documents import sources
from agentws.core.stores import marks
from agentws.errors import AgentwsError
from agentws.features.doctor.plan.verdict import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores

_MOST_BYTES = 1 << 16


def check(stores: Stores) -> Check:
    """Return the check of compaction: one failure may pass, two in a row fail it."""
    failures = marks.failures(stores.files, marks.COMPACTION)
    if len(failures) >= marks.LOUD:
        says = f"failed {len(failures)} times in a row, last {failures[-1]}"
        return Check("compaction", ok=False, says=says, remedy="Fix the cause, then: agentws compact")
    run = _last(stores)
    says = f"last run {run}" if run else "never run (agentws compact --dry-run)"
    return Check("compaction", ok=True, says=says)


def _last(stores: Stores) -> str:
    try:
        tail, _ = stores.files.part(sources.PATH, _MOST_BYTES, from_end=True)
    except AgentwsError:
        return ""
    return next(reversed(sources.decode(tail.decode("utf-8", "replace")).runs), "")
