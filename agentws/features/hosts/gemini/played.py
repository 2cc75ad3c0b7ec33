"""How `crash-test` starts Gemini CLI (0.6x) without a question and against a scripted model."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "gemini", "run_shell_command"
_MODEL = "gemini-2.5-pro"
"""A model of this name is asked as it is: for others the program first asks one which model to ask."""


def prepare(home: str, workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    folder = f"{home}/.gemini"
    os.makedirs(folder)
    with open(f"{folder}/settings.json", "w", encoding="utf-8") as file:
        file.write('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    with open(f"{folder}/trustedFolders.json", "w", encoding="utf-8") as file:
        json.dump({workspace: "TRUST_FOLDER"}, file)
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_CLI_NO_RELAUNCH": "1"}


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "--prompt", prompt, "--model", _MODEL, "--yolo")
