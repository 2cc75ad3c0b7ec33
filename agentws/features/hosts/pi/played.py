"""How `crash-test` starts Pi (1.6) without a question and against a scripted model."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM, SHELL = "pi", "bash"


def prepare(home: str, _workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    played = {
        "baseUrl": f"{address}/v1",
        "apiKey": "none",
        "api": "openai-completions",
        "models": [{"id": "played", "contextWindow": 200_000}],
    }
    os.makedirs(f"{home}/.pi/agent")
    with open(f"{home}/.pi/agent/models.json", "w", encoding="utf-8") as file:
        json.dump({"providers": {"played": played}}, file)
    return {"PI_OFFLINE": "1"}


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "--provider", "played", "--model", "played", "--approve", "--print", prompt)
