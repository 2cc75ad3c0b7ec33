"""The note of files held back from sync: the base of each, for the later merge (`.agentws/sync/apart.json`)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping

from agentws.core.disk.files import Files
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import sync_state
from agentws.core.formats.travel.sync_state import Tree
from agentws.core.states.private import FOLDER
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.sync.store.repo import Repo

FILE = f"{FOLDER}/apart.json"
_LIMIT_BYTES = 1 << 26


def read(files: Files) -> Tree:
    """Return the base blob of each held-back file, by path; empty for a file without a base."""
    try:
        decoded = plainjson.loads(files.read(FILE, limit_bytes=_LIMIT_BYTES))
    except (MissingFileError, ValueError):
        return {}
    value = decoded.get("files") if isinstance(decoded, dict) else None
    if not isinstance(value, dict):
        return {}
    return {path: oid for path, oid in value.items() if oid == "" or sync_state.is_id(oid)}


def keep(files: Files, present: Tree, base: Mapping[str, str], apart: Collection[str]) -> Tree:
    """Add the bases of the files held back from now on to the note, durably, before the head moves; return the note.

    Entries already `present` in the note stay; `settle` removes them after the merge.
    """
    noted = {**{path: base.get(path, "") for path in apart}, **present}
    _write(files, noted, present)
    return noted


def settle(files: Files, present: Tree, apart: Collection[str]) -> None:
    """Remove the files from the note that are no longer held back (`apart`)."""
    _write(files, {path: oid for path, oid in present.items() if path in apart}, present)


def base(repo: Repo, present: Tree, common: Tree, apart: Collection[str]) -> Tree:
    """Return the merge base, in which files that are no longer held back have their noted base blobs."""
    merged = dict(common)
    for path, oid in present.items():
        if path not in apart:
            merged.pop(path, None)
            with contextlib.suppress(AgentwsError):  # it went with an epoch: nothing is taken for removed then
                if oid:
                    repo.blob(oid)
                    merged[path] = oid
    return merged


def _write(files: Files, noted: Tree, present: Tree) -> None:
    if noted != present:
        data = plainjson.dumps({"agentws": 1, "files": dict(sorted(noted.items()))}).encode() + b"\n"
        files.replace(FILE, data, expects=files.digest(FILE))
