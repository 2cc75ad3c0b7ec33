"""The base class of backup destinations, with the code that all kinds share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Manifest
from agentws.errors import DamagedError
from agentws.features.copies.backup.store.part import Part

SAME_DISK = "{} is on the same disk as the workspace: a lost disk takes both."


class Backups:
    """The backups of one agent at a destination, `place`: a folder, a git repository, a restic repository.

    `medium` is the folder that holds them, if this machine has it. Every failure raises an AgentwsError and leaves
    complete backups as they are.
    """

    def __init__(self, place: str, medium: str) -> None:
        self.place = place
        self.medium = medium

    def names(self) -> list[str]:
        """Return the names of all complete backups, oldest first."""
        raise NotImplementedError

    def header(self, name: str) -> Header:
        """Return the header of a backup; DamagedError if it is unreadable."""
        try:
            header = backup.header(self._first_line(name))
            self._check(header)
        except (KeyError, ValueError) as error:
            raise self._damaged(name, error) from error
        return header

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of a backup; DamagedError if it is unreadable."""
        try:
            manifest = self._decoded(name)
            self._check(manifest.header)
        except (KeyError, ValueError) as error:
            raise self._damaged(name, error) from error
        return manifest

    def tree(self, name: str, only: Sequence[str] | None = None) -> AbstractContextManager[str]:
        """Open a folder with the files of a backup, as the medium returns them; yields its absolute path.

        `only` are the paths to fetch, if others would have to be fetched too. Missing files and those that are no
        files are left out; symbolic links may be.
        """
        raise NotImplementedError

    def begin(self, agent_name: str, owner: str, before: str) -> Part:
        """Begin a backup that may share files with the one called `before` (empty: with none).

        Remains of a killed run of the same `owner` are removed or continued.
        """
        raise NotImplementedError

    def remove(self, name: str) -> None:
        """Remove a backup: it ceases to be one at once, even if removal is interrupted."""
        raise NotImplementedError

    def stays(self) -> str:
        """Return why `agentws forget --copies` cannot remove a text from these backups; empty if it can (a folder).

        One or two sentences, with what a person does instead; known without opening the backups.
        """
        return ""

    def notices(self, root: str) -> tuple[str, ...]:
        """Return a notice if the backups are on the same disk as the workspace at `root`."""
        is_same = os.path.isdir(self.medium) and os.stat(self.medium).st_dev == os.stat(root).st_dev
        return (SAME_DISK.format(self.medium),) if is_same else ()

    def close(self) -> None:
        """Close the destination."""

    # Within

    def _first_line(self, name: str) -> bytes:
        """Return the header of a backup as it is stored; KeyError or ValueError if it is damaged."""
        raise NotImplementedError

    def _decoded(self, name: str) -> Manifest:
        """Return the manifest of a backup as it is stored; KeyError or ValueError if it is damaged."""
        raise NotImplementedError

    def _check(self, header: Header) -> None:
        """Raise ValueError for a header of another agent, where the destination may hold several."""

    def _damaged(self, name: str, error: Exception) -> DamagedError:
        why = str(error).removeprefix(f"{self.place}/")
        return DamagedError(
            f"{self.place}/{name}: unreadable backup: {why}.", hint="Use another one: agentws backup list"
        )
