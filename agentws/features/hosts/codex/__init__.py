"""Codex as a host: the files it loads, its limits, its settings files and its variables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.hosts.loading import Host


def host() -> Host:
    """Return the description of Codex as of late 2026; its own documents are the authority."""
    from agentws.core.hosts.loading import TOKENS, Cap, Host, Reach
    from agentws.core.text import sizes

    return Host(
        signs=(".codex",),
        loads=(("AGENTS.override.md", "AGENTS.md"),),
        reach=Reach(in_all=32 * 1024, size=sizes.utf8_bytes),
        cap=Cap(2_500, TOKENS),
        tokenizer="o200k_base",
        in_one=True,
        sandboxed=True,
        project_files=(".codex/hooks.json",),
        user_files=("hooks.json",),
        homes=(("CODEX_HOME", ""), ("HOME", "/.codex")),
        runs=(".codex/hooks.json", ".codex/config.toml"),
        is_family=True,
        variables=(
            (
                "CODEX_SESSION_ID",
                "The session, set by Codex for its agent's commands. Ignored if Claude Code names one too, and by "
                "`session start` and `session end`.",
            ),
            ("CODEX_THREAD_ID", "As `CODEX_SESSION_ID`, if that is unset."),
            ("CODEX_SANDBOX", "As `CLAUDECODE`, set by Codex."),
            ("CODEX_HOME", "Folder of the user's Codex settings. Default: `~/.codex`."),
        ),
    )
