"""Gemini CLI as a host: the files it loads, its limits, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Gemini CLI as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host, Reach

    return Host(
        signs=("GEMINI.md", ".gemini"),
        loads=(("GEMINI.md",),),
        named_in=".gemini/settings.json",
        reach=Reach(imports=5, suffix=".md"),
        project_files=(".gemini/settings.json",),
        user_files=("settings.json",),
        homes=(("GEMINI_CLI_HOME", "/.gemini"), ("HOME", "/.gemini")),
        runs=(".gemini/settings.json",),
        is_family=True,
        variables=(
            ("GEMINI_CLI", "As `CLAUDECODE`, set by Gemini CLI."),
            ("GEMINI_CLI_HOME", "Parent of `.gemini`, the Gemini CLI settings. Default: `~`."),
        ),
    )
