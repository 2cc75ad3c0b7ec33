"""GitHub Copilot CLI as a host: the files it loads, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of GitHub Copilot CLI as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host

    return Host(
        signs=(".github/copilot-instructions.md",),
        loads=(("AGENTS.md",), ("CLAUDE.md",), ("GEMINI.md",), (".github/copilot-instructions.md",)),
        project_files=(".github/hooks/agentws.json",),
        user_files=("hooks/agentws.json",),
        homes=(("COPILOT_HOME", ""), ("HOME", "/.copilot")),
        runs=(".github/hooks/",),
        is_family=True,
        variables=(
            ("COPILOT_AGENT_SESSION_ID", "As `QWEN_CODE_SESSION_ID`, set by GitHub Copilot CLI."),
            ("COPILOT_HOME", "Folder of the user's GitHub Copilot CLI settings. Default: `~/.copilot`."),
        ),
    )
