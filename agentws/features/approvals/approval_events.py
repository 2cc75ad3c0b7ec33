"""Reads the journal events of approvals, of all writers that this machine knows: from the journals, never a cache."""

from __future__ import annotations

from agentws.core.journal import read, select
from agentws.core.stores import writer_trust
from agentws.core.text import origin
from agentws.errors import AgentwsError
from agentws.features.approvals.plan.request_state import ASKED, CONSUMED, FAMILY, Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores

UNREAD = ""
"""Replaces the id in a use that cannot be read, so that it may be of any approval."""


def by_id(stores: Stores, notices: list[str]) -> dict[str, list[Fact]]:
    """Return the events of each approval by its id, the oldest first; `notices` receives what could not be read.

    A use counts even if its line was altered or its writer has no vouch: else the approval could be used again.
    """
    result: dict[str, list[Fact]] = {}
    files = stores.whole.files
    reader = select.Reader(files, select.Wanted(kinds=[FAMILY]), quotes=True)
    trust = writer_trust.of(stores)
    streams = [reader.behind(writer, 0) for writer in [*trust.known, *sorted(trust.unknown)]]
    for event in select.merged(streams):
        if (event.wrong or event.writer in trust.unknown) and event.kind != CONSUMED:
            continue
        body = _body(files, event, notices)
        name = body.get("id")
        if isinstance(name, str) or event.kind == CONSUMED:
            id = name if isinstance(name, str) else UNREAD
            result.setdefault(id, []).append(Fact(event.kind, body, event.at, event.cursor))
    notices += reader.notices
    return result


def strange(stores: Stores) -> dict[str, str]:
    """Return the ids of the requests that only writers made which this machine does not know, each with its source."""
    trust = writer_trust.of(stores)
    if not trust.strangers:
        return {}
    files = stores.whole.files
    reader = select.Reader(files, select.Wanted(kinds=[ASKED]), quotes=True)
    result: dict[str, str] = {}
    for event in select.merged([reader.behind(writer, 0) for writer in sorted(trust.unknown)]):
        if isinstance(id := _body(files, event, []).get("id"), str):
            result[id] = f"{origin.OTHER}:{event.writer}"
    if result:
        known = select.merged([reader.behind(writer, 0) for writer in trust.known])
        for id in {_body(files, event, []).get("id") for event in known if not event.wrong}:
            result.pop(str(id), None)
    return result


def _body(files: Files, event: Event, notices: list[str]) -> dict[str, Any]:
    try:
        return read.body(files, event) or {}
    except AgentwsError as error:
        notices.append(f"{event.cursor}: {error.message}")
        return {}
