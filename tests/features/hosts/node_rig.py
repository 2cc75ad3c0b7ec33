"""JavaScript of ours, run by Node as a host would run it, with a command of which the test says what it answers."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentws.core.hosts import plan

_NODE = shutil.which("node")
needs_node = pytest.mark.skipif(_NODE is None, reason="there is no Node here")

_RECORDING = """#!/bin/sh
for event; do :; done
said=$(cat)
printf '%s %s\\n' "$event" "$said" >> {calls}
{answer}
"""


class Command:
    """Stands for `agentws`: it writes down how it was called, and does what the shell is told by `answer`."""

    def __init__(self, folder: Path, answer: str) -> None:
        self._calls = folder / "calls.txt"
        self.path = folder / "agentws"
        self.path.write_text(_RECORDING.format(calls=self._calls, answer=answer))
        self.path.chmod(0o755)

    def wiring(self, workspace: Path) -> plan.Wiring:
        """What the host is wired to."""
        return plan.Wiring(str(self.path), str(workspace), level=plan.PROJECT, parts=1)

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Each call: the event, and what was said of it."""
        lines = self._calls.read_text().splitlines() if self._calls.exists() else []
        return [(event, json.loads(said)) for event, _, said in (line.partition(" ") for line in lines)]

    @property
    def events(self) -> list[str]:
        """The event of each call."""
        return [event for event, _ in self.calls]


def run(module: Path, driver: str, steps: object) -> Any:
    """What the driver prints as JSON: it finds the module as `ours`, and the steps as `steps`."""
    assert _NODE is not None
    head = (
        'import { readFileSync } from "node:fs"',
        f"const ours = (await import({json.dumps(module.as_uri())})).default",
        'const steps = JSON.parse(readFileSync(0, "utf8"))',
    )
    script = module.with_name("driver.mjs")
    script.write_text("\n".join((*head, driver)))
    done = subprocess.run([_NODE, script], input=json.dumps(steps), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
