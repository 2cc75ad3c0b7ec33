"""Keep forgotten text out of a merged state, and take from other machines only entries that known writers signed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats import kept_out as _format
from agentws.core.formats import layout
from agentws.core.formats.identity import sshsig
from agentws.core.formats.travel import conflict
from agentws.core.installation import keys
from agentws.core.stores import kept_out
from agentws.errors import AgentwsError
from agentws.features.sync import records
from agentws.features.sync.guards import trust
from agentws.features.sync.plan.plan import Blobs
from agentws.features.sync.plan.state import archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.core.formats.kept_out import Entry, KeptOut
    from agentws.core.stores.stores import Stores
    from agentws.features.sync.plan.plan import Value
    from agentws.features.sync.state import State, Tree
    from agentws.features.sync.store.repo import Repo

    Lines = dict[str, dict[str, Any]]

_MOST_BAD = 100
"""How many entries with bad signatures are checked: anybody who can write to the remote may add some."""


def settle(stores: Stores, repo: Repo, found: State, commit: str) -> list[str]:
    """Merge the entries of both sides into a merged state, and empty its lines with forgotten text; return notices.

    `commit` is the other side's state.
    """
    ours, theirs = (_text(repo, tree) for tree in (found.ours.tree, found.theirs))
    merged = _united(stores, repo, commit, ours, theirs)
    if merged:
        found.put(repo, layout.KEPT_OUT, merged.encode())
    kept = _format.decode(merged)
    is_new = {entry.id for entry in kept.entries} != {entry.id for entry in _format.decode(ours).entries}
    entries: list[Entry] = []
    is_archived = False
    for path in [*found.result] if is_new else [path for path, value in found.plan.changes.items() if value]:
        if path in found.result and path not in found.ours.apart:
            struck = _strike(repo, found, kept, path, is_new=is_new)
            entries += struck
            is_archived |= bool(struck) and path.startswith(f"{layout.ARCHIVE}/")
    if is_archived:
        _restate(repo, found)
    return [kept_out.left_out(entries)] if entries else []


def _strike(repo: Repo, found: State, kept: KeptOut, path: str, *, is_new: bool) -> list[Entry]:
    """Empty the lines of a merged file that hold forgotten text, or remove its conflict record; return the entries."""
    if conflict.is_record(path):
        entries: list[Entry] = []

        def without(text: bytes) -> bytes:
            left, more = kept_out.blanked(kept, text)
            entries.extend(more)
            return left

        records.strike(repo, found, path, without)
        return entries
    if path == layout.KEPT_OUT or not layout.is_document(path) or path.startswith("identity/"):
        return []
    old = found.ours.tree.get(path)
    before = repo.blob(old) if old and not is_new else b""
    now = repo.blob(found.result[path])
    data, entries = kept_out.blanked(kept, now, before)
    data = kept_out.remarked(kept, data) if layout.usual(path) == layout.MEMORY else data
    if data != now:
        found.put(repo, path, data)
    return entries


def _restate(repo: Repo, found: State) -> None:
    """Let the records of compaction match the archived days whose lines were emptied."""
    result: dict[str, Value] = {**found.result}
    archive.settle(result, {}, found.ours.tree, found.theirs, Blobs(repo.blob))
    for path, value in result.items():
        if isinstance(value, bytes):
            found.put(repo, path, value)


def _united(stores: Stores, repo: Repo, commit: str, ours: str, theirs: str) -> str:
    """Return all our lines, and those of theirs that count."""
    mine = _format.lines(ours)
    new = {line: told for line, told in _format.lines(theirs).items() if line not in mine}
    taken = dict(_known(stores, repo, commit, new))
    used = {told.get("salt") for told in taken.values()}
    taken |= {line: told for line, told in new.items() if told.get("key") in used}
    return _format.in_order(mine | taken) if theirs else ours


def _known(stores: Stores, repo: Repo, commit: str, new: Lines) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield those of these entries that a writer known here has made, by its signature."""
    bad = 0
    for line, told in new.items():
        if "key" in told or bad > _MOST_BAD:
            continue
        if _is_signed(stores, repo, commit, told):
            yield line, told
        else:
            bad += 1


def _is_signed(stores: Stores, repo: Repo, commit: str, told: dict[str, Any]) -> bool:
    by, signature = told.get("by"), told.get("signature")
    if not isinstance(by, str) or not isinstance(signature, str):
        return isinstance(by, str) and trust.is_keyless(stores, by)
    try:
        key = sshsig.parse(signature).key
        if not trust.knows(stores, repo, commit, by, key):
            return False
        return keys.verify(signature, _format.message(told, agent=stores.manifest.agent_id), public=key)
    except (AgentwsError, ValueError):
        return False


def _text(repo: Repo, tree: Tree) -> str:
    return repo.blob(tree[layout.KEPT_OUT]).decode("utf-8", "replace") if layout.KEPT_OUT in tree else ""
