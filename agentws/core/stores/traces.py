"""Traces of text to be forgotten: the interface by which `forget` removes what a feature keeps other than documents.

`forget` makes the Traces of each feature (hook `forget`) and calls their methods in the order of this file. A step that
was interrupted by a kill is repeated. Backup copies that hold such text are named, as fields and as sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.core.text.names import some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Protocol

    from agentws.changes import Write
    from agentws.core.stores.purges import PurgedEvent
    from agentws.core.stores.stores import Stores

    Place = tuple[str, int]

    class Sought(Protocol):
        """The texts to forget, and what in a copy of the workspace holds them."""

        @property
        def matching(self) -> Sequence[str]:
            """The texts that are met word for word."""

        @property
        def subjects(self) -> Sequence[str]:
            """The names that are met in any form."""

        def is_in(self, text: str) -> bool:
            """Return whether a text holds any of it."""

        def is_in_value(self, value: object) -> bool:
            """Return whether any text, number or key within a JSON value holds any of it."""

        def is_in_bytes(self, data: bytes) -> bool:
            """Return whether a file holds any of it."""

        def documents(self, copy: Stores, *, run: str) -> tuple[list[Write], set[Place]]:
            """Return the documents of a copy without it, and the places (path, line) that it stood at."""

        def events(self, copy: Stores, places: Collection[Place], only: Collection[Place]) -> list[PurgedEvent]:
            """Return the events of these segments (writer, number) of a copy that hold it or recalled these places."""

        def whole_files(self, copy: Stores, held: Collection[str]) -> list[str]:
            """Return the files of a copy that features remove as a whole; `held` are the paths of all with matches."""


class Traces:
    """The traces of text that one feature keeps. A feature overrides the steps that concern it."""

    def __init__(self, stores: Stores, sought: Sought) -> None:
        self.stores = stores
        self.sought = sought

    def find(self, unread: list[str]) -> list[tuple[str, str]]:
        """Return the traces that are files to remove as a whole, (path, reason); unreadable ones go into `unread`."""
        return []

    def find_copies(self, *, reaches: bool) -> Sequence[HeldCopies]:
        """Return the traces in copies outside of the workspace; `reaches`: they are to be changed."""
        return ()

    def announce(self, lines: Iterable[bytes]) -> list[str]:
        """Announce that `forget` is about to remove these lines of documents; return notices."""
        return []

    def remove(self) -> list[str]:
        """Remove the traces that the feature keeps, after documents and journal were changed; return notices."""
        return []

    def clear_copies(self, reason: str, *, run: str) -> tuple[Sequence[HeldCopies], list[str]]:
        """Remove the traces from copies outside of the workspace; return the result of each, and notices."""
        return (), []

    def left_elsewhere(self) -> list[str]:
        """Return sentences about traces in files outside of the workspace, which a person has to edit."""
        return []

    def clear_cache(self, notices: list[str]) -> None:
        """Remove the traces in this machine's caches of the workspace; OSError if something remains."""

    def whole_files(self, held: Collection[str]) -> list[str]:
        """Return the files to remove as a whole from a copy of the workspace: `held` ones have traces."""
        return []


_FIX = "Fix this, then re-run the command with --copies."
_COMPARE = "To compare: agentws backup verify DEST --at NAME"
_SEARCH = "To search them: re-run with --copies."


@dataclass(slots=True)
class HeldCopies:
    """The backup copies with text to be forgotten: in `place`, backups with these `names`, in so many `files`.

    `cleared` are the backups from which the text was removed, `left` (backup: path, why) what keeps it, `spoiled`
    (backup: path) what was damaged before, `git` says that some contain git history, which is not searched. `stays`
    says why nothing can be removed there, `is_searched` whether it was searched, and `absent` why it could not be
    reached or changed (empty: it could).
    """

    to: str
    place: str = ""
    names: list[str] = field(default_factory=list)
    files: int = 0
    cleared: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    spoiled: list[str] = field(default_factory=list)
    git: bool = False
    stays: str = ""
    is_searched: bool = False
    absent: str = ""

    @property
    def is_held(self) -> bool:
        """Return whether a backup copy there still holds the text, or may."""
        unseen = self.absent or (self.stays and not self.is_searched)
        return bool(self.left or unseen or set(self.names) - set(self.cleared))

    @property
    def clears(self) -> bool:
        """Return whether the text can be removed from these backup copies, now or when they are reachable."""
        return bool(self.absent or (self.names and not self.stays))

    def fields(self) -> dict[str, object]:
        """Return the fields about held copies that scripts rely on."""
        return {
            "to": self.to,
            "names": list(self.names),
            "cleared": list(self.cleared),
            "files": self.files,
            "left": list(self.left),
            "spoiled": list(self.spoiled),
            "why": self.absent or self.stays or None,
            "searched": self.is_searched,
        }

    def words(self, *, how: str) -> Iterator[str]:
        """Yield sentences about the held copies; `how` says how to remove the text that is still there."""
        if self.absent and self.place:
            yield f"Backups in {self.to} were not all changed, and may contain matches ({self.absent}). {_FIX}"
        elif self.absent:
            yield f"Backups in {self.to} cannot be reached now and may contain matches ({self.absent}). {how}"
        elif self.stays and not self.is_searched:
            yield f"Backups in {self.to} were not searched, and may contain matches. {_SEARCH}"
        elif self.stays and self.names:
            yield f"Backups contain matches: {some(self.names)} in {self.place}. {self.stays}"
        elif self.cleared:
            plural = "s" * (self.files != 1)
            yield f"Removed from {self.files:,} file{plural} of backups in {self.place}: {some(self.cleared)}."
        elif self.names:
            yield f"Backups contain matches: {some(self.names)} in {self.place}. {how}".rstrip()
        if self.left:
            yield f"Not changed in backups: {some(self.left)}. To remove these: delete the backup, after a new one."
        if self.spoiled:
            yield f"Damaged already in backups: {some(self.spoiled)}. {_COMPARE}"
        if self.git:
            yield f"Past states in git inside backups in {self.place} are not searched or changed."
