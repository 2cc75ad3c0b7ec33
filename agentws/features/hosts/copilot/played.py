"""How `crash-test` starts GitHub Copilot CLI (1.0) without a question and against a scripted model."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "copilot", "bash"


def prepare(home: str, workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    os.makedirs(f"{home}/.copilot")
    with open(f"{home}/.copilot/config.json", "w", encoding="utf-8") as file:
        json.dump({"trustedFolders": [workspace]}, file)
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "played",
    }


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "--no-color", "--prompt", prompt, "--allow-all")
