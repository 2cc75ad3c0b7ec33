"""The handover of a migration: under the write locks, send the last difference and write the tombstone."""

from __future__ import annotations

from agentws.core.disk import lock, tombstone
from agentws.core.formats import layout
from agentws.core.identity import writers
from agentws.core.installation import keys
from agentws.core.journal import stamp
from agentws.core.journal.entry import PendingEvent
from agentws.core.journal.sealing import verify
from agentws.core.markdown import conflict
from agentws.core.stores import seals
from agentws.errors import AgentwsError, ChangedUnderneathError, DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentws.core.disk.tombstone import Underway
    from agentws.core.formats.identity.tombstone import Tombstone
    from agentws.core.formats.journal.event import Body
    from agentws.core.formats.travel.inventory import Inventory
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.transfer.verified_copy import VerifiedCopy


_ROUNDS = 5


def is_buried(stores: Stores, migration: str) -> bool:
    """Return whether this workspace has the tombstone of this migration."""
    stone = tombstone.read(stores.files)
    return stone is not None and stone.rest.get(tombstone.MIGRATION) == migration


def hand_over(
    stores: Stores, copying: VerifiedCopy, migration: str, to: str, sign: Callable[[Inventory], None]
) -> None:
    """Send the last difference, sign the copy, make it durable, and write the tombstone here.

    After this no copy may write: this one no longer, the new one not yet. Writers wait for the locks meanwhile.
    """
    files = stores.files
    with (
        lock.Lock(files, lock.TRANSACTION, note="migrate"),
        lock.Lock(files, lock.HISTORY, note="migrate"),
        lock.Lock(files, lock.APPEND),
    ):
        for _ in range(_ROUNDS):
            copying.level()
            sign(copying.here)
            copying.settle()
            if not is_buried(stores, migration):
                tombstone.write(files, _stone(stores, migration, to))
            # Editors ask no lock. What one of them has written before the stone stood must not stay behind.
            if not copying.look():
                return
            tombstone.take_back(files)
    raise ChangedUnderneathError(
        "Files change faster than they can be handed over; the agent is still here.",
        hint="Stop the programs that change them, then re-run.",
    )


def take_back(stores: Stores, migration: str) -> bool:
    """Remove the tombstone of this migration, durably; False if it is not here."""
    with lock.Lock(stores.files, lock.APPEND):
        return is_buried(stores, migration) and tombstone.take_back(stores.files)


def _stone(stores: Stores, migration: str, to: str) -> Tombstone:
    from agentws.core.formats.identity import tombstone as _tombstone

    own = stores.installation()
    at = stores.clock.now().isoformat(timespec="seconds")
    stone = _tombstone.Tombstone(
        to=to,
        at=at,
        head=writers.heads(writers.all_of(stores.files)),
        by=own.writer if own else "",
        rest={tombstone.MIGRATION: migration},
    )
    try:
        key = keys.find(own.folder, socket=own.socket) if own else None
        if key is not None:
            stone.signature = key.sign(_tombstone.message(stores.manifest.agent_id, stone))
    except AgentwsError:
        pass  # unsigned it holds as well
    return stone


_BEGAN, _ABORTED = "migration.began", "migration.aborted"


def begin(stores: Stores, to: str, via: str) -> tuple[Underway, list[str]]:
    """Begin a migration, recorded in the sealed journal; return its state, for the caller to store, and notices."""
    begun = tombstone.new_migration(to, stores.clock.now().isoformat(timespec="seconds"), via)
    heads = writers.heads(writers.all_of(stores.files))
    _tell(stores, _BEGAN, {"v": 1, "text": f"starts to move to {to}", "dest": to, "migration": begun.id, "head": heads})
    notices = seals.quietly(stores)
    return begun, notices


def aborted(stores: Stores, known: Underway) -> None:
    """Record in the journal that the migration was cancelled, and delete its state."""
    _tell(
        stores, _ABORTED, {"v": 1, "text": f"cancelled the move to {known.to}", "dest": known.to, "migration": known.id}
    )
    tombstone.forget_migration(stores.files)


def damage(stores: Stores) -> list[str]:
    """Return notices of damage in the journals, which are sent unchanged: chains, blobs and seals."""
    journal_findings = verify.verify(
        stores.files,
        stores.manifest.agent_id,
        stores.installation(),
    ).findings
    parts = [f"{each.path}:{each.line}: {each.what}. The file is sent unchanged." for each in journal_findings[:3]]
    return [
        *parts,
        *(
            [f"… and {len(journal_findings) - 3} more. See: agentws journal verify"]
            if len(journal_findings) > 3
            else []
        ),
    ]


def conflicts(stores: Stores, paths: Iterable[str]) -> list[str]:
    """Return notices of unresolved merge conflicts in the documents among `paths`, which are sent unchanged."""
    result = []
    for path in paths:
        if layout.is_document(path) and path.endswith(".md"):
            try:
                conflict.check(path, stores.files.read(path).decode("utf-8", "replace"))
            except DamagedError as error:
                result.append(f"{error.message} The file is sent unchanged.")
            except AgentwsError:
                continue  # the copying itself reports it
    return result


def _tell(stores: Stores, kind: str, body: Body) -> None:
    fixed = stores.environment.now
    at = stamp.now() if fixed is None else round(fixed.timestamp() * 1_000_000)
    journal = stores.appender()
    journal.append([PendingEvent(kind, body, id=stamp.identifier(at), at=stamp.text(at), salt=stamp.salt())])
