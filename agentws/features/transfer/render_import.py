"""Lines about an import, for people."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.formats import layout
from agentws.core.text.names import many
from agentws.features.transfer.imported import Imported

_MOST_SHOWN = 10


def lines(done: Imported) -> Iterator[str]:
    """Yield what an import has done: counts, what it left out, and where it wrote."""
    verb = "Would import" if done.dry_run else "Imported"
    yield f"{verb} from {done.source}: {many(done.read, 'item')} read"
    for name, count in _counts(done):
        if count:
            yield f"  {count:>6}  {name}"
    yield from left_out(done)
    if done.paths:
        days = sum(not path.startswith(layout.IMPORTED) for path in done.paths)
        places = [many(days, "daily log")] if days else []
        if pages := [path for path in done.paths if path.startswith(layout.IMPORTED)]:
            more = f" and {many(len(pages) - 1, 'more page')}" if len(pages) > 1 else ""
            places.append(min(pages, key=lambda path: (len(path), path)) + more)
        yield f"{'Would write' if done.dry_run else 'Written'}: {', '.join(places)}"
    if done.paths and not done.dry_run:
        yield "To take it back: agentws undo. To adopt a line as your own: agentws remember --from FILE:LINE"


def left_out(done: Imported) -> Iterator[str]:
    """Yield lines about what an import did not take over: items with their reasons, secrets, forgotten text."""
    for item in done.rest[:_MOST_SHOWN]:
        yield f"  not imported: {item.where}: {item.reason}"
    if len(done.rest) > _MOST_SHOWN:
        yield f"  not imported: {sum(done.reasons.values()) - _MOST_SHOWN} more; to list them: --json"
    if done.secrets:
        yield f"Masked secrets: {done.secrets}"
    if done.forgotten:
        yield f"Left out: {many(done.forgotten, 'line')} with forgotten text"
    if not done.is_complete:
        yield "Not all was read: one undo could not take back more. To go on, import it again."


def _counts(result: Imported) -> list[tuple[str, int]]:
    """Return the table of an import: every item that was read is in one row."""
    return [
        ("session request added" if result.sessions == 1 else "session requests added", result.sessions),
        ("log line added" if result.lines == 1 else "log lines added", result.lines),
        ("memory added" if result.memories == 1 else "memories added", result.memories),
        ("known from an earlier import", result.known),
        *sorted(result.reasons.items()),
    ]
