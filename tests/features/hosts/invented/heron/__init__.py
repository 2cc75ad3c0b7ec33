"""What an invented program is told."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Heron."""
    from agentws.core.hosts.loading import CHARACTERS, Cap, Host

    return Host(
        signs=("HERON.md",),
        loads=(("HERON.md",), ("AGENTS.md",)),
        cap=Cap(5_000, CHARACTERS),
        project_files=(".heron/settings.json",),
        user_files=("settings.json",),
        homes=(("HERON_HOME", ""), ("HOME", "/.heron")),
        runs=(".heron/settings.json",),
        is_family=True,
        variables=(("HERON_SESSION_ID", "The session."), ("HERON_HOME", "Folder of the user's Heron settings.")),
    )
