"""backup verify: read every file of a backup from the medium, and verify its journal."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from agentws.core.disk.files import Files
from agentws.core.formats.travel.backup import Manifest
from agentws.core.formats.travel.inventory import FILE
from agentws.core.journal.sealing import verify as _verify
from agentws.errors import AgentwsError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.store import part
from agentws.features.copies.transfer.verified_copy import Progress

_SPOILED = "was damaged in this backup when something was forgotten in it"


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of verifying a backup: `findings` are (path, problem).

    `original` are problems that the workspace had when the backup was made.
    """

    name: str
    place: str
    files: int
    bytes: int
    events: int
    findings: tuple[tuple[str, str], ...] = ()
    original: tuple[str, ...] = ()

    @property
    def well(self) -> bool:
        """Return whether the backup has no findings."""
        return not self.findings

    @property
    def is_unread(self) -> bool:
        """Return whether the disk failed to read a file."""
        return any(what == os.strerror(errno.EIO).lower() for _, what in self.findings)


def verify_backup(to: str, *, at: str | None = None, progress: Progress | None = None) -> Verified:
    """Verify the newest backup at the destination `to`, or the one called `at`, against its manifest.

    MissingFileError if there is no backup, DamagedError if the manifest cannot be read.
    """
    with destinations.one_backup(to, at) as (place, name):
        manifest = place.manifest(name)
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
        (*(findings if findings or original else journal), *spoiled(manifest)),
        tuple(sorted(original)) + tuple(f"{path}: {what}" for path, what in journal if original),
    )


def _files(tree: str, manifest: Manifest, progress: Progress | None) -> list[tuple[str, str]]:
    read, total = 0, manifest.header.bytes
    files = []
    for path, entry in manifest.entries.items():
        what = part.what_differs(tree, entry)
        if what:
            files.append((path, what))
        read += entry.size if entry.kind == FILE else 0
        if progress:
            progress(read, max(total, read))
    return files


def spoiled(manifest: Manifest) -> list[tuple[str, str]]:
    """Return findings for files that were damaged when text was forgotten in them, so that their digests match."""
    return [(path, _SPOILED) for path in manifest.header.spoiled]


def chains(tree: str, agent: str) -> list[tuple[str, str]]:
    """Return what is wrong with the journal in a folder: chains, blobs, purges and seals."""
    try:
        journal_findings = _verify.verify(Files(tree), agent).findings
    except AgentwsError as error:
        return [("journal", error.message)]
    return [
        (f"{journal_finding.path}:{journal_finding.line}", journal_finding.what) for journal_finding in journal_findings
    ]
