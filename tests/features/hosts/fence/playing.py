"""A host of our own that calls the hooks of any host agentws knows, and can be killed between two calls."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

from agentws.features.hosts import call
from tests import forked
from tests.features.hosts import payloads

_INPUTS = ("tool_input", "args")


class Host:
    """A process that plays a host, with one session."""

    def __init__(self, root: str | Path, host: str = "claude-code", session: str = "s1", *, audience: str = "") -> None:
        self.host, self.session, self._audience = host, session, audience
        heard, asked = os.pipe()
        told, said = os.pipe()
        forked.import_all()
        self._process = forked.fork(lambda: (os.close(asked), os.close(told), self._plays(str(root), heard, said))[2])
        os.close(heard)
        os.close(said)
        self._asked, self._told = open(asked, "w"), open(told)  # noqa: SIM115 - until it is killed
        self._count = 0

    def _plays(self, root: str, heard: int, said: int) -> None:
        """Call the hooks that it is asked for, one after the other, and tell what each answers."""
        with open(heard) as asked, open(said, "w") as told:
            for line in asked:
                event, fields = json.loads(line)
                done = forked.run("-C", root, "hook", self.host, event, given=json.dumps(fields).encode())
                print(done.stdout.decode().strip() or "{}", file=told, flush=True)

    def hook(self, *what: str, **fields: Any) -> dict[str, Any]:
        """Call the hook of the last event at which this happens; return the host's reply."""
        event = payloads.event(self.host, *what)
        said = {**payloads.of(self.host)[event], "session_id": self.session, **fields}
        if self._audience:
            said["audience"] = self._audience
        print(json.dumps([event, said]), file=self._asked, flush=True)
        reply: dict[str, Any] = json.loads(self._told.readline())
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
        if not self._asked.closed:
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            self._asked.close()
            self._told.close()


def crashed(root: str | Path, given: Any = "./pay 250", host: str = "claude-code", **more: Any) -> None:
    """Leave a call in flight: its host was killed while it ran."""
    one = Host(root, host, **{"session": "crashed", **more}).start()
    assert not one.act(given)
    one.kill()


def agentws(root: str, *words: str) -> str:
    done = forked.run_text("-C", root, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def events(root: str, *kinds: str) -> list[dict[str, Any]]:
    files = sorted(Path(root, "journal").glob("*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return [one for one in lines if one["kind"] in kinds]


def in_flight(root: str) -> list[str]:
    return [line for line in agentws(root, "boot").splitlines() if "no result recorded" in line]
