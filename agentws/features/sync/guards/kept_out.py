"""Keep forgotten text out of a merged state, and take from other machines only entries that known writers signed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentws.core.formats import kept_out as _format, layout
from agentws.core.formats.identity import sshsig
from agentws.core.formats.kept_out import Entry, KeptOut
from agentws.core.formats.travel import conflict
from agentws.core.installation import keys
from agentws.core.stores import kept_out
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.sync import records
from agentws.features.sync.guards import trust
from agentws.features.sync.plan.plan import Blobs, Value
from agentws.features.sync.plan.state import archive
from agentws.features.sync.state import State, Tree
from agentws.features.sync.store.repo import Repo

Lines = dict[str, dict[str, Any]]

_MOST_BAD = 100
"""How many entries with bad signatures are checked: anybody who can write to the remote may add some."""


def settle(stores: Stores, repo: Repo, state: State, commit: str) -> list[str]:
    """Merge the entries of both sides into a merged state, and empty its lines with forgotten text; return notices.

    `commit` is the other side's state.
    """
    ours, theirs = (_text(repo, tree) for tree in (state.ours.tree, state.theirs))
    merged = _united(stores, repo, commit, ours, theirs)
    if merged:
        state.put(repo, layout.KEPT_OUT, merged.encode())
    kept = _format.decode(merged)
    is_new = {entry.id for entry in kept.entries} != {entry.id for entry in _format.decode(ours).entries}
    entries: list[Entry] = []
    is_archived = False
    for path in [*state.result] if is_new else [path for path, value in state.plan.changes.items() if value]:
        if path in state.result and path not in state.ours.apart:
            struck = _strike(repo, state, kept, path, is_new=is_new)
            entries += struck
            is_archived |= bool(struck) and path.startswith(f"{layout.ARCHIVE}/")
    if is_archived:
        _restate(repo, state)
    return [kept_out.left_out(entries)] if entries else []


def _strike(repo: Repo, state: State, kept: KeptOut, path: str, *, is_new: bool) -> list[Entry]:
    """Empty the lines of a merged file that hold forgotten text, or remove its conflict record; return the entries."""
    if conflict.is_record(path):
        entries: list[Entry] = []

        def without(text: bytes) -> bytes:
            left, more = kept_out.blanked(kept, text)
            entries.extend(more)
            return left

        records.strike(repo, state, path, without)
        return entries
    if path == layout.KEPT_OUT or not layout.is_document(path) or path.startswith("identity/"):
        return []
    old = state.ours.tree.get(path)
    before = repo.blob(old) if old and not is_new else b""
    now = repo.blob(state.result[path])
    data, entries = kept_out.blanked(kept, now, before)
    data = kept_out.remarked(kept, data) if layout.usual(path) == layout.MEMORY else data
    if data != now:
        state.put(repo, path, data)
    return entries


def _restate(repo: Repo, state: State) -> None:
    """Let the records of compaction match the archived days whose lines were emptied."""
    result: dict[str, Value] = {**state.result}
    archive.settle(result, {}, state.ours.tree, state.theirs, Blobs(repo.blob))
    for path, value in result.items():
        if isinstance(value, bytes):
            state.put(repo, path, value)


def _united(stores: Stores, repo: Repo, commit: str, ours: str, theirs: str) -> str:
    """Return all our lines, and those of theirs that count."""
    mine = _format.lines(ours)
    new = {line: fields for line, fields in _format.lines(theirs).items() if line not in mine}
    taken = dict(_known(stores, repo, commit, new))
    used = {fields.get("salt") for fields in taken.values()}
    taken |= {line: fields for line, fields in new.items() if fields.get("key") in used}
    return _format.in_order(mine | taken) if theirs else ours


def _known(stores: Stores, repo: Repo, commit: str, new: Lines) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield those of these entries that a writer known here has made, by its signature."""
    bad = 0
    for line, fields in new.items():
        if "key" in fields or bad > _MOST_BAD:
            continue
        if _is_signed(stores, repo, commit, fields):
            yield line, fields
        else:
            bad += 1


def _is_signed(stores: Stores, repo: Repo, commit: str, fields: dict[str, Any]) -> bool:
    by, signature = fields.get("by"), fields.get("signature")
    if not isinstance(by, str) or not isinstance(signature, str):
        return isinstance(by, str) and trust.is_keyless(stores, by)
    try:
        key = sshsig.parse(signature).key
        if not trust.knows(stores, repo, commit, by, key):
            return False
        return keys.verify(signature, _format.message(fields, agent=stores.manifest.agent_id), public=key)
    except (AgentwsError, ValueError):
        return False


def _text(repo: Repo, tree: Tree) -> str:
    return repo.blob(tree[layout.KEPT_OUT]).decode("utf-8", "replace") if layout.KEPT_OUT in tree else ""
