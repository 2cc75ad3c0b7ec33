"""session: starts, ends, lists and shows runs of the agent, and records their events for programs."""

from __future__ import annotations

from agentws.features.journal.session.bounds import Started, end_session, find_session, start_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.journal.session.listing import list_sessions, show_session
    from agentws.features.journal.session.recorder import Call, Session, session
else:

    def __getattr__(name: str) -> object:
        """Import what hooks do not need on first use."""
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

_LATER = {
    "Call": "recorder",
    "Session": "recorder",
    "list_sessions": "listing",
    "session": "recorder",
    "show_session": "listing",
}
