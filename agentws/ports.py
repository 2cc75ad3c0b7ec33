"""What is asked of the world where there are two answers. Each port has one contract suite in tests/contracts/."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Protocol

    from agentws.formats.event import Event

    class Clock(Protocol):
        """The time here: the system's, or one that was fixed for a replay or a test."""

        def now(self) -> datetime:
            """The present moment, in the workspace's time zone."""

    class Observer(Protocol):
        """Is told of events: a log, a console, a metrics system."""

        def on_event(self, event: Event) -> None:
            """Called after the event is durable. Whatever this raises becomes a notice; the event is not touched."""

    class TokenCounter(Protocol):
        """How many tokens a text costs, in whole `units`.

        A text's units never exceed the sum of its parts', where it is cut at line starts that begin with neither `/`
        nor an empty line; elsewhere they may by a few.
        """

        name: str
        exact: bool
        """True where the count is a tokenizer's own."""
        trust: str
        """What a count is worth, in words: `exact`, `a bound`, `a declared bound`, `an estimate`."""
        units_per_token: int

        def units(self, text: str) -> int:
            """Units of `text`; tokens are units / units_per_token, rounded up."""

    class History(Protocol):
        """Past states of the documents: kept in git, or not kept."""

        kind: str
        """`branch`, `ref` or `none`."""

        def record(self, files: Mapping[str, bytes], *, message: str, at: datetime) -> str | None:
            """Keep a state of the documents: `files` maps every versioned path to its content.

            Returns the id of the new state, or None where nothing differs from the newest state or no history is
            kept. Raises OutsideProgramError where git fails; the documents themselves are never touched.
            """

        def newest(self) -> tuple[str, datetime, str] | None:
            """Id, time and message of the newest state, None where there is none."""
