"""The agent programs that `crash-test` plays: how each starts without a question and against a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Prepared = tuple[Mapping[str, Any], dict[str, str]]
"""The files of a new home, each a text or a JSON value, and the variables that the program needs."""
_PROMPT = "PROMPT"
_CODEX = """\
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


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program.

    Fields:
        name: that of its file on the PATH.
        shell: its tool for commands.
        words: the words behind it for a session with one prompt, which stands for `_PROMPT`.
        prepared: the settings for (home, workspace, address of the model).
        trust: trusts the hooks of a workspace, if the program runs no others.
    """

    name: str
    shell: str
    words: tuple[str, ...]
    prepared: Callable[[str, str, str], Prepared]
    trust: Callable[[str, str, Mapping[str, str]], object] | None = None

    def prepare(self, home: str, workspace: str, address: str) -> dict[str, str]:
        """Write the settings of a new `home`, and return the variables that the program needs."""
        files, variables = self.prepared(home, workspace, address)
        for path, content in files.items():
            os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
            with open(f"{home}/{path}", "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
        return variables

    def line(self, program: str, prompt: str) -> list[str]:
        """Return the command line of a session with one prompt."""
        return [program, *(prompt if word == _PROMPT else word for word in self.words)]


def codex_config(workspace: str, address: str) -> str:
    """Return a config.toml for the scripted model at this address, in which the workspace is trusted."""
    return _CODEX.format(address=address, workspace=json.dumps(workspace))


def trust_codex(program: str, workspace: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Trust the hooks that count in a folder, as a person does with /hooks: Codex runs no others; return its list.

    Codex itself says what is to be trusted, in the protocol of its own window.
    """
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


PROGRAMS = {
    # Claude Code 2.1
    "claude-code": Program(
        *("claude", "Bash", ("-p", _PROMPT)),
        lambda home, workspace, address: (
            {".claude/settings.json": {"permissions": {"allow": ["Bash"]}}},
            {
                "CLAUDE_CONFIG_DIR": f"{home}/.claude",
                "ANTHROPIC_BASE_URL": address,
                "ANTHROPIC_API_KEY": "none",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
        ),
    ),
    # Codex 0.171
    "codex": Program(
        *("codex", "exec_command"),
        ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", _PROMPT),
        lambda home, workspace, address: (
            {".codex/config.toml": codex_config(workspace, address)},
            {"CODEX_HOME": f"{home}/.codex", "PLAYED_KEY": "none"},
        ),
        trust_codex,
    ),
    # Gemini CLI 0.6x. A model of this name is asked as it is: for others it first asks one which model to ask.
    "gemini": Program(
        *("gemini", "run_shell_command", ("--prompt", _PROMPT, "--model", "gemini-2.5-pro", "--yolo")),
        lambda home, workspace, address: (
            {
                ".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}},
                ".gemini/trustedFolders.json": {workspace: "TRUST_FOLDER"},
            },
            {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": address, "GEMINI_CLI_NO_RELAUNCH": "1"},
        ),
    ),
    # Qwen Code 0.24
    "qwen": Program(
        *("qwen", "run_shell_command"),
        ("--auth-type", "openai", "--prompt", _PROMPT, "--approval-mode", "yolo"),
        lambda home, workspace, address: (
            {
                ".qwen/settings.json": {
                    "memory": {"enableManagedAutoMemory": False},
                    "privacy": {"usageStatisticsEnabled": False},
                }
            },
            {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1", "OPENAI_MODEL": "played"},
        ),
    ),
    # GitHub Copilot CLI 1.0
    "copilot": Program(
        *("copilot", "bash", ("--no-color", "--prompt", _PROMPT, "--allow-all")),
        lambda home, workspace, address: (
            {".copilot/config.json": {"trustedFolders": [workspace]}},
            {
                "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false",
                "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
                "COPILOT_PROVIDER_API_KEY": "none",
                "COPILOT_MODEL": "played",
            },
        ),
    ),
    # Droid 0.215
    "droid": Program(
        *("droid", "Execute", ("exec", "--auto", "high", "--model", "custom:played", _PROMPT)),
        lambda home, workspace, address: (
            {
                ".factory/settings.json": {
                    "customModels": [
                        {
                            "id": "custom:played",
                            "model": "played",
                            "displayName": "played",
                            "baseUrl": f"{address}/v1",
                            "apiKey": "none",
                            "provider": "generic-chat-completion-api",
                        }
                    ],
                    "cloudSessionSync": False,
                }
            },
            {"FACTORY_API_KEY": "fk-none", "FACTORY_API_BASE_URL": address},
        ),
    ),
    # Pi 1.6
    "pi": Program(
        *("pi", "bash", ("--provider", "played", "--model", "played", "--approve", "--print", _PROMPT)),
        lambda home, workspace, address: (
            {
                ".pi/agent/models.json": {
                    "providers": {
                        "played": {
                            "baseUrl": f"{address}/v1",
                            "apiKey": "none",
                            "api": "openai-completions",
                            "models": [{"id": "played", "contextWindow": 200_000}],
                        }
                    }
                }
            },
            {"PI_OFFLINE": "1"},
        ),
    ),
}
"""The programs by host."""
