"""The beginning of a migration, and its end where it is given up: what the journal tells of it."""

from __future__ import annotations

from agentws.storage.disk import migration_state
from agentws.storage.identity import writers
from agentws.storage.installation import installation
from agentws.storage.journal import stamp, verify
from agentws.storage.journal.entry import Entry
from agentws.storage.workspace import seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.journal.event import Body
    from agentws.storage.disk.migration_state import Underway
    from agentws.storage.workspace.stores import Stores

BEGAN, ABORTED = "migration.began", "migration.aborted"


def begin(stores: Stores, to: str, via: str) -> tuple[Underway, list[str]]:
    """A migration that begins, told in the journal, and the journal sealed; the caller puts it down. And notices."""
    begun = migration_state.new(to, stores.clock.now().isoformat(timespec="seconds"), via)
    heads = writers.heads(writers.all_of(stores.files))
    _tell(stores, BEGAN, {"v": 1, "text": f"begins to move to {to}", "dest": to, "migration": begun.id, "head": heads})
    notices = seals.quietly(stores)
    return begun, notices


def aborted(stores: Stores, known: Underway) -> None:
    """Tell that the migration was given up, and know of none any more."""
    _tell(stores, ABORTED, {"v": 1, "text": f"does not move to {known.to}", "dest": known.to, "migration": known.id})
    migration_state.forget(stores.files)


def damage(stores: Stores) -> list[str]:
    """What is wrong with the journals before they travel: chains, blobs and seals. They travel as they are."""
    found = verify.verify(
        stores.files,
        stores.manifest.agent_id,
        installation.find(stores.files, stores.manifest.agent_id, stores.environment.state),
    ).findings
    told = [f"{each.path}:{each.line}: {each.what}. It travels as it is." for each in found[:3]]
    return [*told, *([f"… and {len(found) - 3} more. See: agentws journal verify"] if len(found) > 3 else [])]


def _tell(stores: Stores, kind: str, body: Body) -> None:
    fixed = stores.environment.now
    at = stamp.now() if fixed is None else round(fixed.timestamp() * 1_000_000)
    journal = stores.journal()
    journal.append([Entry(kind, body, id=stamp.identifier(at), at=stamp.text(at), salt=stamp.salt())])
