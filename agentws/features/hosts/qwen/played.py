"""How `crash-test` starts Qwen Code (0.24) without a question and against a scripted model."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "qwen", "run_shell_command"


def prepare(home: str, _workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    os.makedirs(f"{home}/.qwen")
    with open(f"{home}/.qwen/settings.json", "w", encoding="utf-8") as file:
        file.write('{"memory": {"enableManagedAutoMemory": false}, "privacy": {"usageStatisticsEnabled": false}}\n')
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1", "OPENAI_MODEL": "played"}


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "--auth-type", "openai", "--prompt", prompt, "--approval-mode", "yolo")
