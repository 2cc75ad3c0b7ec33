"""Qwen Code as a host: the files it loads, its limits, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Qwen Code as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import Host, Reach

    return Host(
        signs=("QWEN.md", ".qwen"),
        loads=(("QWEN.md",), ("AGENTS.md",)),
        named_in=".qwen/settings.json",
        reach=Reach(imports=5),
        project_files=(".qwen/settings.json",),
        user_files=("settings.json",),
        homes=(("QWEN_HOME", ""), ("HOME", "/.qwen")),
        runs=(".qwen/settings.json",),
        is_family=True,
        variables=(
            (
                "QWEN_CODE_SESSION_ID",
                "The session, set by Qwen Code for its agent's commands. Ignored if another of these names one too, "
                "and by `session start` and `session end`.",
            ),
            ("QWEN_CODE", "As `CLAUDECODE`, set by Qwen Code."),
            ("QWEN_HOME", "Folder of the user's Qwen Code settings. Default: `~/.qwen`."),
        ),
    )
