"""session: one run of the agent, as its events say it; for a library's caller also the place to record them."""

from __future__ import annotations

from agentws.features.journal.session.bounds import Started, end_session, find_session, start_session
from agentws.features.journal.session.recorder import Call, Session, session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.journal.session.listing import list_sessions
    from agentws.features.journal.session.show import show_session
else:

    def __getattr__(name: str) -> object:
        """Import a verb that only reads when it is asked for: whoever records needs none of it."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(__import__(f"{__name__}.{_LATER[name]}", fromlist=[name]), name)


__all__ = [
    "Call",
    "Session",
    "Started",
    "end_session",
    "find_session",
    "list_sessions",
    "session",
    "show_session",
    "start_session",
]

_LATER = {"list_sessions": "listing", "show_session": "show"}
