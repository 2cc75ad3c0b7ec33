"""How `crash-test` starts Droid (0.215) without a question and against a scripted model."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "droid", "Execute"


def prepare(home: str, _workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    model = {
        "id": "custom:played",
        "model": "played",
        "displayName": "played",
        "baseUrl": f"{address}/v1",
        "apiKey": "none",
        "provider": "generic-chat-completion-api",
    }
    os.makedirs(f"{home}/.factory")
    with open(f"{home}/.factory/settings.json", "w", encoding="utf-8") as file:
        json.dump({"customModels": [model], "cloudSessionSync": False}, file)
    return {"FACTORY_API_KEY": "fk-none", "FACTORY_API_BASE_URL": address}


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "exec", "--auto", "high", "--model", "custom:played", prompt)
