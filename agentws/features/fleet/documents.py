"""Ships the documents of a workspace as versions: what a shared audience may see, or all that is not private."""

from __future__ import annotations

from datetime import datetime

from agentws.core.formats import digest
from agentws.core.formats.documents import shared
from agentws.core.formats.secrets import secrets
from agentws.core.installation import backups
from agentws.core.stores import kept_out
from agentws.errors import AgentwsError
from agentws.features.doctor import sessions
from agentws.features.fleet import settings
from agentws.features.fleet.reading import kept_out_digest, terms_of
from agentws.features.search import reading, sources
from agentws.features.search.plan import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database
    from agentws.features.fleet.vectors import Sender
    from agentws.features.search.plan.unit import Unit

_MOST_BYTES = 1 << 20
"""Of a document; a larger one stays at home, and a batch has at most so many bytes and one document."""


def ship(
    stores: Stores, fleet: Database, team: str, text: str, sender: Sender | None = None, *, again: bool = False
) -> tuple[int, list[str], bool]:
    """Ship new versions of the documents, and what `status` shows; returns their number, notices, and whether the
    database has judged all texts by the list of forgotten ones. `sender` sends vectors, `again` those of all.
    """
    place = team, stores.manifest.agent_id
    rows = fleet.rows(
        "SELECT path, digest FROM agentws.documents WHERE (team, agent) = (%s, %s) AND gone IS NULL", place
    )
    known = {str(row[0]): row[1] for row in rows}
    kept, notices, batch, size, added = list[str](), list[str](), list[tuple[str, ...]](), 0, 0
    reader, wholes, hidden = reading.Reader(stores), list[str](), [text, kept_out_digest(stores)]
    entries: dict[str, list[Unit]] = {}
    for path, room, content, is_whole in _visible(stores, text, hidden):
        if len(content) > _MOST_BYTES or secrets.find(content) or kept_out.holds(stores, content):
            notices.append(f"{path} stays at home: it is too large, or may contain a secret or forgotten text.")
            continue
        kept.append(path)
        wholes += [path] if is_whole else []
        named = digest.of(content.encode())
        is_known = known.get(path) == named
        if is_known and not (again and sender):
            continue
        if size + len(content) > _MOST_BYTES:
            added += _put(fleet, place, batch, entries, sender)
            batch, entries, size = [], {}, 0
        entries[path] = list(reader.units(path, room, content.encode()))
        batch += [] if is_known else [(path, named, content, room, terms_of(entries[path]))]
        size += len(content)
    added += _put(fleet, place, batch, entries, sender)
    crashed = sorted(sessions.find(stores, ()).gone)
    forgotten = kept_out.read(stores)
    told = kept_out_digest(stores), len(forgotten.entries) if forgotten is not None else 0
    (is_forgotten,) = fleet.row(
        "SELECT agentws.keep_documents(%s, %s, %s::text[], %s::text[], %s, %s, %s, %s::text[], %s)",
        (*place, kept, wholes, digest.of("\n".join(hidden).encode()), *told, crashed, _backed_up(stores)),
    )
    return added, notices, bool(is_forgotten)


def _put(
    fleet: Database,
    place: tuple[str, str],
    batch: list[tuple[str, ...]],
    entries: dict[str, list[Unit]],
    sender: Sender | None,
) -> int:
    columns = [list(column) for column in zip(*batch, strict=True)]
    put = "SELECT agentws.put_documents(%s, %s, %s, %s, %s, %s, %s)"
    added = int(str(fleet.row(put, (*place, *columns))[0])) if batch else 0
    for path, units in entries.items():
        if sender is not None:
            sender.send(path, [(0, unit) for unit in units])
    return added


def _visible(stores: Stores, text: str, hidden: list[str]) -> Iterator[tuple[str, str, str, bool]]:
    """Yield path, room and text of the documents that may be shipped, without what PostgreSQL has no letter for, and
    whether they are whole. The digests of all that have something tagged private are added to `hidden`.
    """
    tags = shared.labels(stores.manifest.setting("boot.private_tags"))
    view = stores if text == settings.ALL else stores.visible_to(settings.SHARED)
    shown = sources.of(view)
    for path, (room, _) in sorted(sources.of(stores).items()):
        if room in (unit.JOURNAL, unit.DATA):
            continue
        try:
            whole = sources.content(stores.files, path, room)
            data = shared.without_private(path, whole, tags)
            hidden += [digest.of(whole)] if data != whole else []
            if text != settings.ALL and path in shown:
                data = sources.content(view.files, path, room)
        except AgentwsError:
            continue  # doctor names it, or nobody else may see it
        if data is not None and path in shown:
            yield path, room, shared.in_place(whole, data).decode("utf-8", "replace").replace("\0", " "), data == whole


def _backed_up(stores: Stores) -> datetime | None:
    known = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    times = [datetime.fromisoformat(backup.at) for backup in known if backup.at]
    return max(times, default=None)
