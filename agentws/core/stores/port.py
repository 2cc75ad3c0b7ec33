"""The stores of a workspace as the modules see them that the stores call; it exists for the type checker alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from agentws.core.disk.cache import Cache
    from agentws.core.disk.files import Files
    from agentws.core.environment import Environment
    from agentws.core.formats.manifest import Manifest
    from agentws.core.installation.installation import Installation
    from agentws.core.installation.stale_copy import RecordedChange
    from agentws.core.journal.append import Appender
    from agentws.core.ports import Clock

    class Stores(Protocol):
        """The stores of a workspace (core/stores/stores.py), as the modules see them that these stores call."""

        root: str
        manifest: Manifest
        environment: Environment
        cache: Cache
        notices: list[str]

        @property
        def files(self) -> Files:
            """The files."""

        @property
        def whole(self) -> Stores:
            """The stores without the view for a shared audience."""

        @property
        def clock(self) -> Clock:
            """The clock, in the workspace's zone."""

        def now_text(self) -> str:
            """Return the present time as the journal writes it."""

        def installation(self) -> Installation | None:
            """Return this installation of the workspace, None before its first write."""

        def appender(self) -> Appender:
            """Return the journal of this installation."""

        def by(self) -> dict[str, object]:
            """Return who changes the stores, and when."""

        def check_adopted(self) -> None:
            """Raise an error if this version cannot write the workspace."""

        def check_writable(self) -> None:
            """Raise an error if this installation may not write."""

        def missing_change(self) -> RecordedChange | None:
            """Return this installation's newest change if the workspace lacks it."""

        def sign_in(self, *, older: RecordedChange | None, in_history: bool = True) -> None:
            """Make this installation's writer."""

        def record(self, verb: str) -> None:
            """Record the present documents as one state of history."""

        def keeps_history(self) -> bool:
            """Return whether states are recorded in history."""

        def history_failure(self) -> str:
            """Return when and why history was last not recorded."""
