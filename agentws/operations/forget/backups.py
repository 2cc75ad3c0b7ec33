"""The backups that still hold what is forgotten: found by their contents, each content read once."""

from __future__ import annotations

import gzip
import zlib
from contextlib import closing

from agentws.errors import AgentwsError
from agentws.formats.journal import segment
from agentws.formats.text.names import some
from agentws.formats.travel.inventory import FILE, TreeEntry
from agentws.formats.travel.mirror import FOLDER
from agentws.planning.forget import strike
from agentws.storage.backup import reach
from agentws.storage.backup.mirror import medium
from agentws.storage.disk import content
from agentws.storage.disk.files import Files
from agentws.storage.installation import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.planning.forget.wanted import Wanted
    from agentws.ports import Backups
    from agentws.storage.workspace.stores import Stores

_REMEDY = "After forgetting, make a new backup (agentws backup create), then delete these folders."
_GIT = ".git/"
_PIECE = 1 << 20
_LONGEST = 8 << 20
"""Of a line that is longer the pieces are looked at by themselves, and overlap."""
_OVERLAP = 1 << 15


def holding(stores: Stores, wanted: Wanted) -> Iterator[str]:
    """Say for each known destination which of its backups hold it, or that it could not be looked at."""
    for one in backups.read(stores.files, stores.manifest.agent_id, stores.environment.state):
        try:
            agent = stores.manifest
            # What is fetched must not stay in the cache of this machine, which was cleared.
            with closing(reach.at(reach.named(one.to), agent.agent_id, agent.name, known=True)) as place:
                found = _held(place, wanted)
        except (AgentwsError, OSError):
            yield f"Backups in {one.to} cannot be read now and may contain matches. Re-run when they can be."
            continue
        if found:
            yield f"Backups contain matches: {some(found)} in {place.place}. {_REMEDY}"


def _held(place: Backups, wanted: Wanted) -> list[str]:
    """The names of the backups that hold it, or that cannot be read."""
    known: dict[str, bool] = {}
    found = []
    for name in place.names():
        try:
            entries = place.manifest(name).entries.values()
        except AgentwsError:
            found.append(name)
            continue
        with place.tree(name) as tree:
            held = [_holds(Files(tree), entry, wanted, known) for entry in entries if entry.kind == FILE]
        if any(held) or any(wanted.is_in(entry.path) for entry in entries):
            found.append(name)
    mirrors = [
        (one, TreeEntry(path, FILE, 0, 0, 0, f"{one.owner}/{path}"))
        for one in medium.all_of(place.place)
        for path in one.paths()
    ]
    found += dict.fromkeys(f"{FOLDER}/{one.owner}" for one, entry in mirrors if _holds(one.tree, entry, wanted, known))
    return found


def _holds(files: Files, entry: TreeEntry, wanted: Wanted, known: dict[str, bool]) -> bool:
    if entry.path.startswith(_GIT):
        return False  # packed: past states in git are told of by themselves
    if entry.content not in known:
        try:
            known[entry.content] = any(strike.holds(piece, wanted) for piece in _pieces(files, entry.path))
        except (AgentwsError, OSError, EOFError, zlib.error):
            known[entry.content] = True  # what cannot be read may hold it
    return known[entry.content]


def _pieces(files: Files, path: str) -> Iterator[bytes]:
    if not path.endswith(segment.GZ):
        yield from content.pieces(files, path)
        return
    with open(files.open(path), "rb") as raw, gzip.open(raw) as stream:
        before = b""
        while piece := stream.read(_PIECE):
            whole, _, before = (before + piece).rpartition(b"\n")
            yield whole
            if len(before) > _LONGEST:
                yield before
                before = before[-_OVERLAP:]
        yield before
