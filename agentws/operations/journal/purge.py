"""journal purge: the body of an event is forgotten; that there was one, when, and of what kind, stays provable."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats import layout
from agentws.formats.text.names import some
from agentws.storage.disk import local_dir
from agentws.storage.git import repository
from agentws.storage.installation import backups, remotes
from agentws.storage.journal import read
from agentws.storage.workspace import purges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.storage.workspace.purges import PurgedEvent
    from agentws.storage.workspace.stores import Stores

_MOST_REASON = 1_000


class Purged:
    """The purged bodies, or those of a dry run: one Line an event, in the order in which they were named."""

    __slots__ = ("dry_run", "lines", "notices", "reason")

    def __init__(self, lines: list[PurgedEvent], reason: str, *, dry_run: bool, notices: list[str]) -> None:
        self.lines = lines
        self.reason = reason
        self.dry_run = dry_run
        self.notices = notices


def purge(stores: Stores, cursors: Sequence[str], *, reason: str, dry_run: bool = False) -> Purged:
    """Forget the bodies of the events at these cursors (`WRITER:SEQ`), and say in the journal why.

    UsageError for a cursor that is none or an event that holds the journal together, MissingFileError for one that is
    not there: then nothing was written. What a kill has left half done is finished by doing it again.
    """
    if not reason.strip() or len(reason) > _MOST_REASON:
        raise UsageError(
            f"--reason must have 1 to {_MOST_REASON:,} characters.", hint='--reason "a password was printed"'
        )
    if not cursors:
        raise UsageError("Name the events to purge.", hint="To find them: agentws journal list")
    places = dict.fromkeys(read.cursor(stores.files, each) for each in cursors)
    lines = [purges.named(stores, *place) for place in places]
    done = Purged(lines, reason, dry_run=dry_run, notices=list(stores.notices))
    if not dry_run:
        stores.check_writable()
        agent, own = stores.manifest.agent_id, stores.environment.state
        synced = remotes.forgotten(stores.files, agent, own, at=stores.now_text())
        done.notices += [f"The remotes still hold it ({some(synced)}): agentws sync"] if synced else []
        done.notices += purges.forget(stores, lines, reason=reason)
    done.notices += _elsewhere(stores, dry_run=dry_run)
    return done


def _elsewhere(stores: Stores, *, dry_run: bool) -> list[str]:
    """Where the words may live on; the mirrors of the newest work lose them now."""
    notices = []
    known = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
    if known and not dry_run:
        from agentws.storage.backup.mirror import known as mirrors  # only where there is a backup

        notices += mirrors.renew(stores)
    if known:
        places = some([one.to for one in known])
        notices.append(
            f"Backups in {places} keep the content. Make a new one (agentws backup create), then delete the older ones."
        )
    if stores.files.names(local_dir.QUARANTINE):
        notices.append(
            f"{local_dir.QUARANTINE} contains data saved after crashes. Check whether the purged text is in there, too."
        )
    if repository.find(stores.root) is not None and not stores.files.exists(f"{layout.JOURNAL}/.gitignore"):
        notices.append("If git tracks the journal, past states in git still contain the purged text.")
    return notices
