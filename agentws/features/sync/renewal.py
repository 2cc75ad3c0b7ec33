"""Renew a remote after `forget`: remove forgotten text there and on other machines by a new epoch without a past."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import conflict
from agentws.core.installation import own_records, stale_copy
from agentws.core.installation.remotes import Known
from agentws.core.stores import scrub
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.search.store import database
from agentws.features.sync import applied, lineage, records
from agentws.features.sync.state import State, Tree
from agentws.features.sync.store.remote import Tip
from agentws.features.sync.store.repo import Repo

_BY = "/"
_ARCHIVE = "/archive/"
_SHORTEST = 4
"""Fewest bytes of a line that is searched for."""
_BEFORE = (b"\n", b'"', b"\\n", b" ", b"\t")
_BEHIND = (b"\n", b"\r", b'"', b"\\", b" \n", b" \r", b"\t")
_MOST_LINES = 20_000
_IN_GIT = (
    "Something was forgotten on another machine, and is removed here too. Past states in git still hold it: "
    "see docs/guides/forgetting.md."
)


def is_due(repo: Repo, remote: Known, tip: Tip, own: str) -> bool:
    """Return whether a remote must be renewed: it may hold forgotten text, and neither an interrupted run nor another
    machine has renewed it already.
    """
    return bool(remote.renew) and not {*pending(remote, own)} <= {*carried_out(repo, tip.commit)}


def pending(remote: Known, own: str) -> tuple[str, ...]:
    """Return the calls of `forget` that a remote must be renewed for, each as WRITER/CALL; `own` is our writer id."""
    return tuple(each if _BY in each else f"{own}{_BY}{each}" for each in remote.renew.split())


def carried_out(repo: Repo, commit: str) -> tuple[str, ...]:
    """Return the calls of `forget` whose text the epoch of this state no longer holds."""
    return repo.told(_root(repo, commit)).forgets


def came(repo: Repo, remote: Known, tip: Tip) -> bool:
    """Return whether another machine renewed the remote after a `forget` since our last sync with it."""
    return bool(remote.epoch) and tip.epoch > remote.epoch and repo.told(_root(repo, tip.commit)).forgotten


def is_unmet(remote: Known, tip: Tip) -> bool:
    """Return whether the remote is to be met as if its epoch were new: an older copy was restored here since."""
    return not remote.commit and remote.epoch == tip.epoch > 1


def is_begun(repo: Repo, tip: Tip) -> bool:
    """Return whether our files follow the beginning of the remote's epoch, and so what was forgotten before it."""
    head = repo.head()
    return head is not None and _root(repo, tip.commit) in lineage.states(repo, head)


def _root(repo: Repo, commit: str) -> str:
    """Return the first commit of the epoch of this commit."""
    parents = repo.told(commit).parents
    while parents:
        commit = parents[0]
        parents = repo.told(commit).parents
    return commit


def common(repo: Repo, newest: Tip, old: Tip) -> str:
    """Return the commit of an old epoch that the newest epoch replaced; empty if it is not known here."""
    before = repo.told(_root(repo, newest.commit)).renews
    return before if before and repo.has(before) and repo.contains(old.commit, before) else ""


def gone(repo: Repo, before: Tree, after: Tree) -> set[bytes]:
    """Return the lines of documents in `before` that no file changed in `after` holds; moved lines are not counted."""
    changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
    lines: set[bytes] = set()
    stands: set[bytes] = set()
    for path in (each for each in changed if not each.startswith(f"{layout.JOURNAL}/")):
        stands |= _lines(repo.blob(after[path])) if path in after else set()
        if path in before and len(lines) <= _MOST_LINES:
            lines |= _lines(repo.blob(before[path]))
    return lines - stands


def gone_by_forgetting(repo: Repo, base: Tree, sides: tuple[Tree, Tree], forgets: tuple[bool, bool]) -> set[bytes]:
    """Return the lines that a side which `forgets` has lost, in the files in which it has forgotten something."""
    from agentws.features.sync.plan.plan import Blobs
    from agentws.features.sync.plan.state import forgotten as touched_files  # seldom

    result: set[bytes] = set()
    touched = touched_files.both(base, *sides, Blobs(repo.blob))
    for after, by, is_meant in zip(sides, touched, forgets, strict=True):
        if is_meant:
            now = {path: oid for path, oid in after.items() if base.get(path) != oid}
            before = {path: oid for path, oid in base.items() if after.get(path) != oid and by.holds(path)}
            result |= gone(repo, before, now)
    return result


def without(stores: Stores, repo: Repo, ours: Tree, theirs: Tree, base: Tree | None = None) -> tuple[Tree, set[bytes]]:
    """Return the remote's tree without the lines that were forgotten here, and these lines.

    Without a common `base` a merge would add them again. With one, only lines that the base lacks are taken out,
    or those of a file that does not exist here; the merge removes the others, and those of archived files.
    """
    known = own_records.read_forgotten(*stores.machine)
    own_ids = {*ours.values()}
    names = {path.rpartition("/")[2] for path in ours} if base is not None else set()
    made, gone = dict(theirs), set[bytes]()
    for path, oid in theirs.items() if known.digests else ():
        if oid in own_ids or not layout.is_document(path):
            continue
        is_gone = path not in ours
        if base is not None and (_ARCHIVE in path or (is_gone and path.rpartition("/")[2] in names)):
            continue
        lines = repo.blob(oid).split(b"\n")
        words = {line.strip() for line in lines if line.strip() and known.holds(line)}
        if words and base is not None and path in base and not is_gone:
            words -= {line.strip() for line in repo.blob(base[path]).split(b"\n")}
        if words:
            after = [b"" if line.strip() in words else line for line in lines]
            made[path] = repo.store([b"\n".join(after)])[0]
            gone |= words
    return made, gone


def strike_known(stores: Stores, repo: Repo, state: State, theirs: Tree) -> bool:
    """Remove the lines that were forgotten here from a merged state, but those in `theirs`; return whether any was.

    The lines of archived files keep their numbers.
    """
    known = own_records.read_forgotten(*stores.machine)
    paths = [path for path in state.result if layout.is_document(path)] if known.digests else []
    stays, is_struck = set[bytes](), False
    for oid in {oid for path, oid in theirs.items() if layout.is_document(path)} if paths else ():
        stays |= {line.strip() for line in repo.blob(oid).split(b"\n")}
    for path in (each for each in paths if each not in state.ours.apart):
        lines = repo.blob(state.result[path]).split(b"\n")
        words = {line for line in lines if line.strip() and line.strip() not in stays and known.holds(line)}
        if words:
            left = (b"" if line in words else line for line in lines if line not in words or _ARCHIVE in path)
            state.put(repo, path, b"\n".join(left))
            is_struck = True
    return is_struck


def strike_records(repo: Repo, state: State, words: set[bytes]) -> None:
    """Take lines that were forgotten on one side out of the conflict records of a merged state."""

    def without(text: bytes) -> bytes:
        return b"".join(line for line in text.splitlines(keepends=True) if line.strip() not in words)

    for path in [each for each in state.result if conflict.is_record(each)] if words else []:
        records.strike(repo, state, path, without)


def clear(stores: Stores, words: set[bytes]) -> None:
    """Remove forgotten lines from this machine's caches and records, as `forget` does; safe to repeat after a kill."""
    # Also escaped as in a JSON string: non-ASCII characters, quotation marks and backslashes.
    forms = words | {plainjson.dumps(word.decode("utf-8", "surrogateescape"))[1:-1].encode() for word in words}

    def is_wanted(data: bytes) -> bool:
        return any(_has_line(data, form) for form in forms)

    def strike(data: bytes) -> bytes:
        return b"\n".join(b"" if is_wanted(line) else line for line in data.split(b"\n"))

    if words:
        scrub.scrub(stores.files, is_wanted, strike)
    applied.drop_records(stores)
    from agentws.core.journal import recall_marks
    from agentws.features.memory.curate import curation

    curation.forget(stores.files)
    recall_marks.forget(stores.files)
    own = stores.installation()
    if own is not None and words and stale_copy.names(own.folder, is_wanted):
        stale_copy.forget(own.folder, is_wanted)
    _clear_cache(stores)
    if stores.keeps_history():
        stores.notices.append(_IN_GIT)


def _clear_cache(stores: Stores) -> None:
    from agentws.features.search import embedding  # seldom

    try:
        embedding.forget_vectors(stores)
        stores.kept = None
        stores.cache.clear()
        database.forget(stores.cache.folder)
    except (AgentwsError, OSError) as error:
        stores.notices.append(
            f"The cache of this machine was not cleared: {error}. Delete this folder: {stores.cache.folder}"
        )


def _has_line(data: bytes, line: bytes) -> bool:
    """Return whether `data` contains a whole line, also within JSON; part of a longer line does not count."""
    at = data.find(line)
    while at >= 0:
        end = at + len(line)
        begins = data[max(0, at - 2) : at].endswith(_BEFORE) if at else True
        if begins and (end == len(data) or data.startswith(_BEHIND, end)):
            return True
        at = data.find(line, at + 1)
    return False


def _lines(data: bytes) -> set[bytes]:
    return {line for each in data.split(b"\n") if len(line := each.strip()) >= _SHORTEST}
