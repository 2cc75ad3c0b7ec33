"""How `crash-test` starts Codex (0.171) without a question and against a scripted model."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PROGRAM, SHELL = "codex", "exec_command"
_CONFIG = """\
model = "gpt-5.5"
model_provider = "played"

[model_providers.played]
name = "played"
base_url = "{address}/v1"
env_key = "PLAYED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.{workspace}]
trust_level = "trusted"
"""


def prepare(home: str, workspace: str, address: str) -> dict[str, str]:
    """Write the settings of a new `home`, and return the variables that the program needs."""
    folder = f"{home}/.codex"
    os.makedirs(folder)
    with open(f"{folder}/config.toml", "w", encoding="utf-8") as file:
        file.write(config(workspace, address))
    return {"CODEX_HOME": folder, "PLAYED_KEY": "none"}


def config(workspace: str, address: str) -> str:
    """Return a config.toml for the scripted model at this address, in which the workspace is trusted."""
    return _CONFIG.format(address=address, workspace=json.dumps(workspace))


def words(program: str, prompt: str) -> Sequence[str]:
    """Return the command line of a session with one prompt."""
    return (program, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt)


def trust(program: str, workspace: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Trust the hooks that count in a folder, as a person does with /hooks: Codex runs no others; return its list.

    Codex itself says what is to be trusted, in the protocol of its own window.
    """
    import subprocess

    pipe = subprocess.PIPE
    with subprocess.Popen(
        [program, "app-server"],
        cwd=workspace,
        env=dict(environment),
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as codex:

        def ask(method: str, parameters: Mapping[str, object]) -> Any:
            assert codex.stdin is not None
            assert codex.stdout is not None
            asked = {"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}
            print(json.dumps(asked), file=codex.stdin, flush=True)
            answers = (json.loads(line) for line in codex.stdout)
            return next(answer["result"] for answer in answers if answer.get("id") == method)

        ask("initialize", {"clientInfo": {"name": "agentws", "title": "agentws", "version": "1"}})
        (listed,) = ask("hooks/list", {"cwds": [workspace]})["data"]
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed["hooks"]}
        edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": state}
        ask("config/batchWrite", {"edits": [edit], "filePath": None, "expectedVersion": None})
        codex.kill()
    return dict(listed)
