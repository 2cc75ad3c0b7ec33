"""Traces of text to be forgotten: the interface by which `forget` removes what a feature keeps besides documents.

`forget` makes the Traces of each feature (hook `forget`) and calls their methods in the order of this file. A step that
was interrupted by a kill is repeated.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Protocol

    from agentws.changes import Write
    from agentws.core.stores.held_copies import HeldCopies
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

    def renew_copies(self) -> list[str]:
        """Update the copies that follow the workspace, so that traces vanish there; return notices."""
        return []

    def clear_copies(self, reason: str, *, run: str) -> tuple[Sequence[HeldCopies], list[str]]:
        """Remove the traces from copies outside of the workspace; return the result of each, and notices."""
        return (), []

    def left_in_copies(self) -> list[str]:
        """Return sentences about traces left in copies that follow the workspace."""
        return []

    def left_elsewhere(self) -> list[str]:
        """Return sentences about traces in files outside of the workspace, which a person has to edit."""
        return []

    def clear_cache(self, notices: list[str]) -> None:
        """Remove the traces in this machine's caches of the workspace; OSError if something remains."""

    def whole_files(self, held: Collection[str]) -> list[str]:
        """Return the files to remove as a whole from a copy of the workspace: `held` ones have traces."""
        return []
