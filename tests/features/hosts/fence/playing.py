"""A host of our own that calls the hooks of any host agentws knows, and can be killed between two calls."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from agentws.features.hosts import call
from tests.features.hosts import payloads

AGENTWS = str(Path(sys.executable).with_name("agentws"))
_PROGRAM = """
import json, subprocess, sys
agentws, root, host = sys.argv[1:]
for line in sys.stdin:
    event, said = json.loads(line)
    words = ["sh", "-c", f"'{agentws}' -C '{root}' hook {host} {event}; true"]
    done = subprocess.run(words, input=json.dumps(said).encode(), stdout=subprocess.PIPE, check=True)
    print(done.stdout.decode().strip() or "{}", flush=True)
"""
_INPUTS = ("tool_input", "args")


class Host:
    """A running program that plays a host, with one session."""

    def __init__(self, root: str | Path, host: str = "claude-code", session: str = "s1", *, audience: str = "") -> None:
        self.host, self.session, self._audience = host, session, audience
        words = [sys.executable, "-c", _PROGRAM, AGENTWS, str(root), host]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._count = 0

    def hook(self, *what: str, **fields: Any) -> dict[str, Any]:
        """Call the hook of the last event at which this happens; return the host's reply."""
        event = payloads.event(self.host, *what)
        said = {**payloads.of(self.host)[event], "session_id": self.session, **fields}
        if self._audience:
            said["audience"] = self._audience
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([event, said]) + "\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def start(self) -> Host:
        """Begin the session, and let its user say something."""
        self.hook(call.STARTED)
        self.hook(call.PROMPT)
        return self

    def act(self, given: Any, tool: str = "", **fields: Any) -> str:
        """Begin a call of a tool, `given` its input or its command; return why it is denied, empty if it is not."""
        known = payloads.of(self.host)[payloads.event(self.host, call.ACTION)]
        place = next(name for name in _INPUTS if name in known)
        self._count += 1
        ids = {name: f"{self.session}-{self._count}" for name in known if name in ("tool_use_id", "call_id")}
        tool = tool or {"opencode": "bash", "openclaw": "exec", "gemini": "run_shell_command"}.get(self.host, "Bash")
        named = "tool" if "tool" in known else "tool_name"
        told = self.hook(
            call.ACTION,
            **{**ids, named: tool, place: {"command": given} if isinstance(given, str) else given, **fields},
        )
        said = told.get("hookSpecificOutput", {})
        if said.get("permissionDecision") == "deny":
            return str(said["permissionDecisionReason"])
        return str(told.get("deny") or (told.get("decision") == "deny" and told["reason"]) or "")

    def kill(self) -> None:
        """Kill the program as a crash does."""
        self.process.kill()
        self.process.communicate()


def crashed(root: str | Path, given: Any = "./pay 250", host: str = "claude-code", **more: Any) -> None:
    """Leave a call in flight: its host was killed while it ran."""
    one = Host(root, host, **{"session": "crashed", **more}).start()
    assert not one.act(given)
    one.kill()


def agentws(root: str, *words: str) -> str:
    return subprocess.run([AGENTWS, "-C", root, *words], capture_output=True, text=True, check=True).stdout


def events(root: str, *kinds: str) -> list[dict[str, Any]]:
    files = sorted(Path(root, "journal").glob("*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [one for one in lines if one["kind"] in kinds]


def in_flight(root: str) -> list[str]:
    return [line for line in agentws(root, "boot").splitlines() if "no result recorded" in line]
