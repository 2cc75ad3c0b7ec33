"""Memory's checks for `status` and `doctor`: the last compaction, repeated failures, and archived logs that changed."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.disk.files import Files
from agentws.core.findings import PROBLEM, Check, Finding
from agentws.core.formats import layout
from agentws.core.formats.documents import sources
from agentws.core.formats.documents.sources import Folded
from agentws.core.stores import marks
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.core.text.names import some
from agentws.errors import AgentwsError

_MOST_BYTES = 1 << 16


def checks(seen: Seen) -> list[Check]:
    """Return the check of compaction for `status`: one failure may pass, two in a row fail it."""
    stores = seen.stores
    failures = marks.failures(stores.files, marks.COMPACTION)
    if len(failures) >= marks.LOUD:
        says = f"failed {len(failures)} times in a row, last {failures[-1]}"
        return [Check("compaction", ok=False, says=says, remedy="Fix the cause, then: agentws compact")]
    run = _last(stores)
    says = f"last run {run}" if run else "never run (agentws compact --dry-run)"
    return [Check("compaction", ok=True, says=says)]


def _last(stores: Stores) -> str:
    try:
        tail, _ = stores.files.part(sources.PATH, _MOST_BYTES, from_end=True)
    except AgentwsError:
        return ""
    return next(reversed(sources.decode(tail.decode("utf-8", "replace")).runs), "")


def deep_findings(seen: Seen) -> list[Finding]:
    """Return the doctor's finding about missing or changed archived logs; `compact --verify` reads all of them."""
    files = seen.stores.files
    known = sources.Sidecar()
    for path in months(files):
        sources.decode(files.read(path).decode("utf-8", "replace"), known)
    folded = [origins for origins in known.every() if origins.to and not origins.is_deleted]
    newest = max(folded, key=lambda origins: origins.day, default=None)
    paths = [origins.to for origins in folded if not _is_as_it_was(files, origins, whole=origins is newest)]
    if not paths:
        return []
    says = f"archived files changed or missing: {some(paths)}"
    remedy = "To list each line: agentws compact --verify. Restore the files from a backup, or: agentws history FILE"
    return [Finding("archive-damaged", PROBLEM, says, remedy=remedy, path=paths[0])]


def months(files: Files) -> Iterator[str]:
    """Yield the files that record the archived days of each month."""
    for year, kind in files.names(layout.ARCHIVE):
        if kind == "folder":
            folder = f"{layout.ARCHIVE}/{year}"
            yield from (f"{folder}/{name}" for name in files.listing(folder) if sources.is_month(name))


def _is_as_it_was(files: Files, folded: Folded, *, whole: bool) -> bool:
    try:
        return folded.is_as_it_was(files.read(folded.to)) if whole else files.size(folded.to) == folded.size
    except AgentwsError:
        return False
