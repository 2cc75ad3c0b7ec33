"""backup verify: every file of a backup read from the medium, and the journal in it verified."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.disk.files import Files
from agentws.core.formats.travel.inventory import FILE
from agentws.core.journal.sealing import verify as _verify
from agentws.errors import AgentwsError
from agentws.features.copies.backup import listing
from agentws.features.copies.backup.store import part
from agentws.features.copies.backup.store.mirror import newest, overlay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.formats.travel.backup import Manifest

    Progress = Callable[[int, int], None]


_SPOILED = "was damaged in this backup when something was forgotten in it"


@dataclass(frozen=True, slots=True)
class Verified:
    """A backup that was read: `findings` are (path, what is wrong with it in the backup).

    `original` says what was wrong before it was copied: with that it is as whole as what it was made of. Mirrors beside
    the newest backup add `mirrored_events` and `mirrored_documents`, verified too.
    """

    name: str
    place: str
    files: int
    bytes: int
    events: int
    findings: tuple[tuple[str, str], ...] = ()
    original: tuple[str, ...] = ()
    mirrored_events: int = 0
    mirrored_documents: int = 0

    @property
    def well(self) -> bool:
        """Return whether the backup is what was copied."""
        return not self.findings


def verify_backup(to: str, *, at: str | None = None, progress: Progress | None = None) -> Verified:
    """Read a backup at the destination `to`, the newest or the one called `at`, and compare it with its manifest.

    Of the newest, its mirrors are read, too. MissingFileError where there is none, DamagedError where the manifest
    cannot be read.
    """
    with listing.one_backup(to, at) as (place, name, chosen):
        manifest = place.manifest(name)
        newer = overlay.Overlay(manifest.header.heads) if chosen else newest.newer(place.place, name, manifest)
        with place.tree(name) as tree:
            findings = _files(tree, manifest, progress)
            journal = [] if findings else chains(tree, manifest.header.agent)
    original = set(manifest.header.damage)
    return Verified(
        name,
        place.place,
        manifest.header.files,
        manifest.header.bytes,
        manifest.header.events,
        (
            *(findings if findings or original else journal),
            *spoiled(manifest),
            *(("mirror", words) for words in newer.wrong),
        ),
        tuple(sorted(original)) + tuple(f"{path}: {what}" for path, what in journal if original),
        newer.events,
        newer.documents,
    )


def _files(tree: str, manifest: Manifest, progress: Progress | None) -> list[tuple[str, str]]:
    read, total = 0, manifest.header.bytes
    found = []
    for path, entry in manifest.entries.items():
        what = part.what_differs(tree, entry)
        if what:
            found.append((path, what))
        read += entry.size if entry.kind == FILE else 0
        if progress:
            progress(read, max(total, read))
    return found


def spoiled(manifest: Manifest) -> list[tuple[str, str]]:
    """What was damaged in a backup before a forgetting replaced it, so that its digest is that of the damage."""
    return [(path, _SPOILED) for path in manifest.header.spoiled]


def chains(tree: str, agent: str) -> list[tuple[str, str]]:
    """What is wrong with the journal in a folder: each chain, blob, purge and seal."""
    try:
        found = _verify.verify(Files(tree), agent).findings
    except AgentwsError as error:
        return [("journal", error.message)]
    return [(f"{one.path}:{one.line}", one.what) for one in found]
