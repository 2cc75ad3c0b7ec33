"""Ships the documents of a workspace as versions: what a shared audience may see, or all that is not private."""

from __future__ import annotations

from datetime import datetime

from agentws.core.formats import digest, layout
from agentws.core.formats.documents import shared
from agentws.core.formats.secrets import secrets
from agentws.core.installation import backups
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.doctor import sessions
from agentws.features.fleet import settings
from agentws.features.fleet.reading import terms_of
from agentws.features.search import reading, sources
from agentws.features.search.plan import unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database

_MOST_BYTES = 1 << 20
"""Of a document; a larger one stays at home, and a batch has at most so many bytes and one document."""


def ship(stores: Stores, fleet: Database, team: str, text: str) -> tuple[int, list[str]]:
    """Ship new versions of the documents, and what `status` shows; returns their number, and notices."""
    place = team, stores.manifest.agent_id
    rows = fleet.rows(
        "SELECT path, digest FROM agentws.documents WHERE (team, agent) = (%s, %s) AND gone IS NULL", place
    )
    known = {str(row[0]): row[1] for row in rows}
    kept, notices, batch, size, added = list[str](), list[str](), list[tuple[str, ...]](), 0, 0
    reader = reading.Reader(stores)
    for path, room, content in _visible(stores, text):
        if len(content) > _MOST_BYTES or secrets.find(content):
            notices.append(f"{path} stays at home: it is too large, or may contain a secret.")
            continue
        kept.append(path)
        named = digest.of(content.encode())
        if known.get(path) == named:
            continue
        if size + len(content) > _MOST_BYTES:
            added += _put(fleet, place, batch)
            batch, size = [], 0
        terms = terms_of(reader.units(path, room, content.encode()))
        batch.append((path, named, content, room, terms))
        size += len(content)
    added += _put(fleet, place, batch)
    crashed = sorted(sessions.find(stores, ()).gone)
    values = (*place, kept, _kept_out(stores), crashed, _backed_up(stores))
    fleet.rows("SELECT agentws.keep_documents(%s, %s, %s::text[], %s, %s::text[], %s)", values)
    return added, notices


def _put(fleet: Database, place: tuple[str, str], batch: list[tuple[str, ...]]) -> int:
    if not batch:
        return 0
    columns = [list(column) for column in zip(*batch, strict=True)]
    return int(str(fleet.row("SELECT agentws.put_documents(%s, %s, %s, %s, %s, %s, %s)", (*place, *columns))[0]))


def _visible(stores: Stores, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, room and text of the documents that may be shipped, without what PostgreSQL has no letter for."""
    tags = shared.labels(stores.manifest.setting("boot.private_tags"))
    view = stores if text == settings.ALL else stores.visible_to(settings.SHARED)
    for path, (room, _) in sorted(sources.of(view).items()):
        if room in (unit.JOURNAL, unit.DATA):
            continue
        try:
            data: bytes | None = sources.content(view.files, path, room)
        except AgentwsError:
            continue  # doctor names it
        if text == settings.ALL and data is not None:
            data = shared.without_private(path, data, tags)
        if data is not None:
            yield path, room, data.decode("utf-8", "replace").replace("\0", " ")


def _kept_out(stores: Stores) -> str:
    try:
        return digest.of(stores.files.read(layout.KEPT_OUT))
    except MissingFileError:
        return ""


def _backed_up(stores: Stores) -> datetime | None:
    known = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    times = [datetime.fromisoformat(backup.at) for backup in known if backup.at]
    return max(times, default=None)
