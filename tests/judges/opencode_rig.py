"""OpenCode at a pinned version, told to talk to a model on this machine alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.judges import rig
from tests.judges.chat_mock import ObedientModel
from tests.judges.loopback import serving

VERSION = "opencode-ai@1.18.33"

_QUIET = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
_FETCHED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
"""What OpenCode looks for beside a plugin; else it fetches that package (64 MB) from npm and waits, offline too."""
_TAKES = {"context": 200_000, "output": 8000}


def program(cache: Path) -> Path:
    """The command of OpenCode; it is installed into `cache` where it is not there yet."""
    return rig.from_npm(cache, VERSION) / "node_modules/.bin/opencode"


class OpenCode:
    """OpenCode in a scene: each run is a process of its own; `model` keeps what they asked."""

    def __init__(self, command: Path, scene: rig.Scene, address: str) -> None:
        self._command = command
        self._scene = scene
        self._address = f"{address}/v1"
        self._settings = json.dumps(_settings(self._address))

    def permit(self, permission: object) -> None:
        """What it is told of permissions, in place of allowing everything."""
        self._settings = json.dumps({**_settings(self._address), "permission": permission})

    def run(self, prompt: str, *options: str, at: Path | None = None) -> None:
        """Have it answer one prompt, in the workspace or in the folder `at`; it has to end well."""
        folder = at or self._scene.workspace
        rig.run(self.words(prompt, *options, at=at), folder, {**self._scene.environment(), **self.variables(folder)})

    def run_and_kill(self, prompt: str, *, once: Callable[[], bool]) -> None:
        """Give it the prompt, and SIGKILL to its whole group as soon as `once` holds."""
        folder = self._scene.workspace
        environment = {**self._scene.environment(), **self.variables(folder)}
        rig.run_and_kill(self.words(prompt), folder, environment, once=once)

    def variables(self, folder: Path) -> dict[str, str]:
        """What it is told by its environment, in this folder: the folder is the one that PWD names."""
        quiet = {f"OPENCODE_DISABLE_{what}": "1" for what in _QUIET}
        return {**quiet, "OPENCODE_CONFIG_CONTENT": self._settings, "PWD": str(folder)}

    def words(self, prompt: str, *options: str, at: Path | None = None) -> list[str]:
        """Its command line for a prompt, in the workspace or in the folder `at`."""
        own = self._scene.home / ".config/opencode"
        own.mkdir(parents=True, exist_ok=True)
        for place in (own, *(at or self._scene.workspace).glob(".opencode")):
            (place / "node_modules").mkdir(exist_ok=True)
            (place / "package-lock.json").write_text(json.dumps(_FETCHED), encoding="utf-8")
        # A word with a space in it would reach the model in quotation marks.
        return [str(self._command), "run", *options, *prompt.split(" ")]


@contextmanager
def running(command: Path, scene: rig.Scene, model: ObedientModel) -> Iterator[OpenCode]:
    """OpenCode in this scene, which talks to this model for as long as the block runs."""
    with serving(model) as address:
        yield OpenCode(command, scene, address)


def _settings(address: str) -> dict[str, object]:
    models = {name: {"name": name, "tool_call": True, "limit": _TAKES} for name in ("big", "small")}
    options = {"baseURL": address, "apiKey": "none"}
    mock = {"npm": "@ai-sdk/openai-compatible", "name": "Mock", "options": options, "models": models}
    return {
        "model": "mock/big",
        "small_model": "mock/small",
        "enabled_providers": ["mock"],
        "provider": {"mock": mock},
        "permission": "allow",
        "share": "disabled",
    }
