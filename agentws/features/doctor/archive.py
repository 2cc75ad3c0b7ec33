"""Findings about archived files: missing, or not what they were."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import sources
from agentws.errors import AgentwsError
from agentws.features.doctor.plan import durability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.disk.files import Files
    from agentws.core.formats.documents.sources import Folded
    from agentws.features.doctor.plan.finding import Finding
    from agentws.features.doctor.report import Seen


def findings(seen: Seen) -> list[Finding]:
    """A finding where an archived file is gone or another one; `compact --verify` reads all of them."""
    files = seen.stores.files
    known = sources.Sidecar()
    for path in _months(files):
        sources.decode(files.read(path).decode("utf-8", "replace"), known)
    folded = [one for one in known.every() if one.to and not one.is_deleted]
    newest = max(folded, key=lambda one: one.day, default=None)
    return durability.archive([one.to for one in folded if not _is_as_it_was(files, one, whole=one is newest)])


def _months(files: Files) -> Iterator[str]:
    """The files that say what the days of a month were."""
    for year, kind in files.names(layout.ARCHIVE):
        if kind == "folder":
            folder = f"{layout.ARCHIVE}/{year}"
            yield from (f"{folder}/{name}" for name in files.listing(folder) if sources.is_month(name))


def _is_as_it_was(files: Files, folded: Folded, *, whole: bool) -> bool:
    try:
        return folded.is_as_it_was(files.read(folded.to)) if whole else files.size(folded.to) == folded.size
    except AgentwsError:
        return False
