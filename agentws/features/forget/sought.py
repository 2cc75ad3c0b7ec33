"""The sought texts of `forget` in the form that features use, and the traces that each feature keeps of them."""

from __future__ import annotations

from agentws import features
from agentws.changes import Write
from agentws.features.forget import documents, events
from agentws.features.forget.plan import strike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.core.stores.purges import PurgedEvent
    from agentws.core.stores.stores import Stores
    from agentws.core.stores.traces import Place, Traces
    from agentws.features.forget.plan.wanted import Wanted


class Sought:
    """The sought texts, which are to be forgotten; implements the protocol in core/stores/traces.py."""

    __slots__ = ("_wanted",)

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted

    @property
    def matching(self) -> Sequence[str]:
        """The sought texts that are matched literally."""
        return self._wanted.matching

    @property
    def subjects(self) -> Sequence[str]:
        """The sought names that are matched in any form."""
        return self._wanted.subjects

    def is_in(self, text: str) -> bool:
        """Return whether a text contains anything sought, to be forgotten."""
        return self._wanted.is_in(text)

    def is_in_value(self, value: object) -> bool:
        """Return whether a JSON value contains anything sought, to be forgotten."""
        return self._wanted.is_in_value(value)

    def is_in_bytes(self, data: bytes) -> bool:
        """Return whether a file's content contains anything sought, to be forgotten."""
        return strike.holds(data, self._wanted)

    def documents(self, copy: Stores, *, run: str) -> tuple[list[Write], set[Place]]:
        """Return the changed documents of a copy, and the places (path, line) of the sought texts removed."""
        matches = documents.find(copy, self._wanted, run=run, dry_run=False)
        changes = [change for change in matches.changes.changes if isinstance(change, Write)]
        return changes, {(path, line.line) for path, line in matches.lines}

    def events(self, copy: Stores, places: Collection[Place], only: Collection[Place]) -> list[PurgedEvent]:
        """Return the events in some segments of a copy with sought texts, or that recalled these places."""
        return [event.line for event in events.find(copy, self._wanted, places, only=only).events]

    def whole_files(self, copy: Stores, held: Collection[str]) -> list[str]:
        """Return the files of a copy that features remove entirely, for the texts sought in it."""
        return [path for traces in of(copy, self) for path in traces.whole_files(held)]


def of(stores: Stores, sought: Sought) -> list[Traces]:
    """Return each feature's traces of the sought texts, if it keeps files in this workspace."""
    return [make(stores, sought) for make in features.each("forget", stores.files)]
