"""What the mirrors beside the newest backup add to it: events whose chain goes on from its own, newer documents.

Nothing is believed of a mirror but what follows from the backup: a segment has to contain, or to follow, the newest
line of its writer there, a blob is called by its digest, a document has the digest that `mirror.json` tells.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.travel import mirror
from agentws.core.journal import read
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store.mirror import documents, medium
from agentws.features.copies.backup.store.mirror.overlay import Overlay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.formats.journal.chain import Stretch
    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.formats.travel.mirror import State
    from agentws.features.copies.backup.store.mirror.medium import Medium

_FILE_MODE = 0o600


def newer(place: str, name: str, manifest: Manifest) -> Overlay:
    """Return what the mirrors in the folder of an agent's backups add to `manifest`, that of the backup `name`.

    At a destination that is no folder, nothing: it takes no mirror.
    """
    found = Overlay(manifest.header.heads)
    mirrors: list[tuple[Medium, State]] = []
    for one in (each for each in medium.all_of(place) if not each.is_bare):
        try:
            state = one.state()
        except AgentwsError:
            state = None
        if state is None or state.agent != manifest.header.agent:
            found.wrong.append(f"{one.place}/{mirror.FOLDER}/{one.owner}: unreadable mirror")
            continue
        found.wrong += [f"{path} of the mirror: not a document" for path in state.odd]
        events = sum(_events(found, one, state, writer, manifest) for writer in state.segments)
        found.events += events
        mirrors.append((one, state))
        if events or state.follows == name:
            found.at = max(found.at, state.at)
    documents.take(found, mirrors, name, manifest)
    return found


def _events(found: Overlay, one: Medium, state: State, writer: str, manifest: Manifest) -> int:
    """Take the segments of a writer, as far as their chain goes on from the backup; how many events are newer."""
    head = found.heads.get(writer, (0, chain.genesis(manifest.header.agent, writer)))
    last: tuple[int, str] | None = None
    for number in sorted(state.segments[writer]):
        path = segment.path(writer, number)
        try:
            data = b"".join(block for _, block in read.blocks(one.tree, writer, number))
            if not data:
                continue
            lines = chain.unbroken(data, last)
            if last is None or last[0] < head[0]:
                _check_passes(lines, head)
        except (ValueError, AgentwsError) as error:
            found.wrong.append(f"{path} of the mirror: {error}")
            break
        last = lines.last
        if lines.hashes and last[0] > head[0]:
            found.add(path, data[: lines.end], _FILE_MODE, one.tree.status(path).st_mtime_ns, one)
            found.heads[writer] = last
        if lines.wrong:
            found.wrong.append(f"{path} of the mirror: damaged after event {last[0]}")
            break
    if found.heads.get(writer, head) != head:
        _blobs(found, one, writer, manifest)
    return max(0, last[0] - head[0]) if last else 0


def _check_passes(lines: Stretch, head: tuple[int, str]) -> None:
    """Raise ValueError unless these lines, the first of a mirror, end before the backup's newest line or contain it."""
    hashes = [lines.before[1], *lines.hashes]
    index = head[0] - lines.before[0]
    if index >= len(hashes) and lines.wrong:
        raise ValueError(lines.wrong)
    if index < 0 or (index < len(hashes) and hashes[index] != head[1]):
        raise ValueError("it does not go on from the backup")


def _blobs(found: Overlay, one: Medium, writer: str, manifest: Manifest) -> None:
    folder = segment.blob_path(writer, "")[:-1]
    for name in one.tree.listing(folder):
        path = f"{folder}/{name}"
        if path in manifest.entries or path in found.entries or not mirror.blob_of(path):
            continue
        data = one.tree.read(path)
        if digest.of(data) == name:
            found.add(path, data, _FILE_MODE, one.tree.status(path).st_mtime_ns, one)
