"""OpenClaw's gateway at a pinned version, told to talk to a model on this machine alone."""

from __future__ import annotations

import json
import os
import platform
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.judges import rig
from tests.judges.chat_mock import ObedientModel
from tests.judges.loopback import serving

VERSION = "openclaw@2026.9.6"
NODE = "24.21.0"
"""It runs on no older one."""

_MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
_FREE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
_STOP_S = 60


def program(cache: Path) -> list[str]:
    """The words that call OpenClaw; it is installed into `cache` where it is not there yet, with a Node of its own."""
    machine = _MACHINES.get(platform.machine())
    if platform.system() != "Linux" or machine is None:
        pytest.skip(f"{VERSION} was NOT judged: no Node for this machine")
    name = f"node-linux-{machine}"
    node = rig.from_npm(cache, f"{name}@{NODE}") / "node_modules" / name / "bin/node"
    # Its scripts refuse the Node that npm runs on, and build nothing that a gateway without channels needs.
    folder = rig.from_npm(cache, VERSION, "--ignore-scripts", "--omit=optional")
    return [str(node), str(folder / "node_modules/openclaw/openclaw.mjs")]


class OpenClaw:
    """OpenClaw in a scene, whose agent `main` has the scene's workspace."""

    def __init__(self, command: list[str], scene: rig.Scene, address: str, *, log: Path) -> None:
        self._command = command
        self._scene = scene
        self._log = log
        self._port = _free_port()
        folder = scene.home / ".openclaw"
        folder.mkdir()
        settings = _settings(str(scene.workspace), f"{address}/v1", self._port)
        self.settings = folder / "openclaw.json"
        self.settings.write_text(json.dumps(settings), encoding="utf-8")

    def enable(self) -> None:
        """Say in its settings that it loads our plugin and lets it hear what is said, as its own commands do."""
        told = json.loads(self.settings.read_text(encoding="utf-8"))
        told["plugins"] = {"entries": {"agentws": {"enabled": True, "hooks": {"allowConversationAccess": True}}}}
        self.settings.write_text(json.dumps(told), encoding="utf-8")

    def tell(self, *words: str) -> str:
        """What `openclaw` prints; it has to end well."""
        return rig.run([*self._command, *words], self._scene.workspace, self._environment()).stdout

    def say(self, prompt: str, *, key: str = "") -> None:
        """Send the agent a message, in the session with this key where one is named, and wait for its answer."""
        where = ["--session-key", key] if key else []
        self.tell("agent", "--agent", "main", *where, "--message", prompt)

    @contextmanager
    def gateway(self) -> Iterator[None]:
        """The gateway runs as long as the block does, and is asked to stop then."""
        words = [*self._command, "gateway", "run", "--port", str(self._port)]
        with self._log.open("a") as log:
            process = subprocess.Popen(
                words,
                cwd=self._scene.workspace,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                rig.wait_until(lambda: process.poll() is not None or "[gateway] ready" in self._log.read_text())
                assert process.poll() is None, self._log.read_text()
                yield
                process.terminate()
                process.wait(_STOP_S)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def _environment(self) -> Mapping[str, str]:
        path = f"{Path(self._command[0]).parent}:{os.environ['PATH']}"
        return {**self._scene.environment(), "PATH": path, "NO_COLOR": "1", "OPENCLAW_SKIP_CHANNELS": "1"}


@contextmanager
def installed(command: list[str], scene: rig.Scene, model: ObedientModel, *, log: Path) -> Iterator[OpenClaw]:
    """OpenClaw in this scene, which talks to this model for as long as the block runs."""
    with serving(model) as address:
        yield OpenClaw(command, scene, address, log=log)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _settings(workspace: str, address: str, port: int) -> dict[str, object]:
    takes = {"contextWindow": 200_000, "maxTokens": 8000, "input": ["text"], "reasoning": False, "cost": _FREE}
    models = [{"id": "big", "name": "big", **takes}]
    mock = {"baseUrl": address, "apiKey": "none", "api": "openai-completions", "models": models}
    auth = {"mode": "token", "token": secrets.token_hex()}
    return {
        "gateway": {"mode": "local", "port": port, "bind": "loopback", "auth": auth},
        "agents": {"defaults": {"workspace": workspace, "model": {"primary": "mock/big"}}},
        "models": {"providers": {"mock": mock}},
    }
