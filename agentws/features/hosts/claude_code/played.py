"""How `crash-test` starts Claude Code (2.1) without a question and against a scripted model."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "claude", "Bash"


def prepare(home: str, _workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    folder = f"{home}/.claude"
    os.makedirs(folder)
    with open(f"{folder}/settings.json", "w", encoding="utf-8") as file:
        file.write('{"permissions": {"allow": ["Bash"]}}\n')
    return {
        "CLAUDE_CONFIG_DIR": folder,
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "-p", prompt)
