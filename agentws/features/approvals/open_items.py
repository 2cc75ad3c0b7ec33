"""Pending approvals as open items: the questions that wait for a person."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import approval
from agentws.core.notes import closure
from agentws.core.notes.closure import Row
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.open_items import OpenItemsReader


def open_items(reader: OpenItemsReader) -> Iterator[Row]:
    """Yield each pending approval as an open item, by the first bytes of its file; not those that expired."""
    from agentws.features.approvals import pending_approvals

    paths = reader.markdown(layout.APPROVALS)
    waiting = pending_approvals.of(reader.files, paths, reader.stores.clock.now()) if paths else None
    strange = pending_approvals.strange(reader.stores) if waiting and waiting.paths else {}
    for path in waiting.paths if waiting else ():
        try:
            request = approval.decode(reader.files.read(path), id=path.rpartition("/")[2].removesuffix(".md"))
        except AgentwsError as error:
            reader.cannot(error)
            continue
        made = Row(request.id, request.question, path, 1, form=closure.APPROVAL, state="waiting")
        made.since = made.last = request.text("asked")[:10]
        made.due, made.src = request.text("expires")[:10], strange.get(request.id) or request.src
        yield made
