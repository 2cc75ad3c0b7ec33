"""What was forgotten goes from the remote and the other machines too: an epoch that begins with no past."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout
from agentws.operations.sync import applied
from agentws.storage.disk import local_dir
from agentws.storage.disk.change import transaction, undo_record
from agentws.storage.installation import installation, stale_copy
from agentws.storage.search import database
from agentws.storage.workspace import curation, recall_marks, scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.sync.state import Tree
    from agentws.ports import Verbs
    from agentws.storage.installation.remotes import Known
    from agentws.storage.sync.remote import Tip
    from agentws.storage.sync.repo import Repo
    from agentws.storage.workspace.stores import Stores

_SHORTEST = 4
"""A line of fewer bytes says nothing that could be looked for."""
_MOST_LINES = 20_000
_IN_GIT = (
    "Something was forgotten on another machine, and is removed here too. Past states in git still hold it: "
    "see docs/guides/forgetting.md."
)


def is_due(repo: Repo, one: Known, tip: Tip, own: str) -> bool:
    """Return whether the remote still holds what was forgotten here: not where a killed run has renewed it already."""
    if not one.renew:
        return False
    told = repo.told(_root(repo, tip.commit))
    return not (told.forgotten and told.by == own and told.at >= one.renew)


def came(repo: Repo, one: Known, tip: Tip) -> bool:
    """Return whether the remote was renewed elsewhere since this machine was there, because something was forgotten."""
    return bool(one.epoch) and tip.epoch > one.epoch and repo.told(_root(repo, tip.commit)).forgotten


def _root(repo: Repo, commit: str) -> str:
    """The state that an epoch begins with."""
    parents = repo.told(commit).parents
    while parents:
        commit = parents[0]
        parents = repo.told(commit).parents
    return commit


def common(repo: Repo, newest: Tip, old: Tip) -> str:
    """The state of an old epoch that the newest one goes on from, empty where that is not known here."""
    before = repo.told(_root(repo, newest.commit)).renews
    return before if before and repo.has(before) and repo.contains(old.commit, before) else ""


def gone(repo: Repo, before: Tree, after: Tree) -> set[bytes]:
    """The lines of documents that one state holds and another one does not."""
    found: set[bytes] = set()
    for path, oid in before.items():
        if after.get(path) == oid or path.startswith(f"{layout.JOURNAL}/"):
            continue
        kept = _lines(repo.blob(after[path])) if path in after else set()
        found |= _lines(repo.blob(oid)) - kept
        if len(found) > _MOST_LINES:
            break
    return found


def clear(stores: Stores, words: set[bytes]) -> None:
    """Take these lines out of what this machine keeps besides, as `forget` does; killed, it is done again."""

    def is_wanted(data: bytes) -> bool:
        return any(word in data for word in words)

    def strike(data: bytes) -> bytes:
        return b"\n".join(b"" if is_wanted(line) else line for line in data.split(b"\n"))

    if words:
        scrub.scrub(stores.files, is_wanted, strike)
    _drop_records(stores)
    curation.forget(stores.files)
    recall_marks.forget(stores.files)
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    if here is not None and words and stale_copy.names(here.folder, is_wanted):
        stale_copy.forget(here.folder, is_wanted)
    _clear_cache(stores)
    if stores.keeps_history():
        stores.notices.append(_IN_GIT)


def _drop_records(stores: Stores) -> None:
    """What syncs have replaced: journals among it, of which lines may have gone."""
    for record in local_dir.changes(stores.files):
        number = record.get("number")
        is_ours = record.get("verb") == applied.VERB and isinstance(number, int)
        if is_ours and transaction.is_applied(stores.files, int(str(number))):
            undo_record.drop(stores.files, f"{local_dir.UNDO}/{number:06d}")


def _clear_cache(stores: Stores) -> None:
    verbs: Verbs = stores  # type: ignore[assignment]
    said = stores.notices
    try:
        verbs.forget_vectors()
        stores.kept = None
        stores.cache.clear()
        database.forget(stores.cache.folder)
    except (AgentwsError, OSError) as error:
        said.append(f"The cache of this machine was not cleared: {error}. Delete this folder: {stores.cache.folder}")
    stores.notices = said


def _lines(data: bytes) -> set[bytes]:
    return {line for each in data.split(b"\n") if len(line := each.strip()) >= _SHORTEST}
