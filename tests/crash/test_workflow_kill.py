"""P24: a workflow of thirty steps with effects that a server counts, killed at random and resumed: no effect twice,
none lost, and whatever nobody knows is asked about. In the thorough form it is killed five hundred times.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.thorough import THOROUGH

KILLS, STEPS = (500, 30) if THOROUGH else (12, 15)
BEFORE, AFTER, FILES, ANYWHERE = "before the effect", "after the effect", "at a write", "at any moment"
PLACES = (BEFORE, AFTER, FILES, ANYWHERE)
ASKED, VERIFIED, IDEMPOTENT = "asked", "verified", "idempotent"
POLICIES = (ASKED, VERIFIED, IDEMPOTENT)
PROGRAM = """
import json, os, signal, sys, urllib.request
from agentws.workspace import Environment, Workspace
root, name, server, config, at, steps = *sys.argv[1:5], int(sys.argv[5]), int(sys.argv[6])
seen = 0
def dying(real):
    def call(*args, **named):
        global seen
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    return call
if at:
    for operation in ("write", "pwrite", "fdatasync", "fsync", "rename"):
        setattr(os, operation, dying(getattr(os, operation)))
def ask(path, method="GET"):
    request = urllib.request.Request(f"{server}/{path}", method=method, headers={"Process": str(os.getpid())})
    return json.loads(urllib.request.urlopen(request).read())
workspace = Workspace.open(root, environment=Environment(timezone="UTC", config=config, cache=root + "-cache"))
with workspace.workflow(name) as flow:
    def verify(number):
        told = ask(f"{name}/{number}")
        return flow.NOT_DONE if told is None else told
    for number in range(steps):
        policy = [{}, {"verify": lambda: verify(number)}, {"idempotent": True}][number % 3]
        method = "PUT" if number % 3 == 2 else "POST"
        told = flow.step("effect", ask, f"{name}/{number}", method, key=number, **policy)
        assert told == number * 7, told
sys.exit(flow.exit_code)
"""


class Server:
    """Effects, counted by what they are; a request of one process after the other, in the order of their arrival."""

    def __init__(self) -> None:
        self.effects: Counter[str] = Counter()
        self.kill: tuple[str, int] | None = None
        self.requests = 0
        self.victim = threading.Timer(0, int)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path[1:]
                self.tell(int(path.rpartition("/")[2]) * 7 if outer.effects[path] else None)

            def do_POST(self) -> None:
                outer.requests += 1
                is_due = outer.kill is not None and outer.kill[1] == outer.requests
                if is_due and outer.kill == (BEFORE, outer.requests):
                    return self.ends()
                if is_due and outer.kill == (ANYWHERE, outer.requests):
                    is_due = False
                    outer.victim.start()
                path = self.path[1:]
                # What may be done twice is the same afterwards.
                outer.effects[path] = 1 if self.command == "PUT" else outer.effects[path] + 1
                return self.ends() if is_due else self.tell(int(path.rpartition("/")[2]) * 7)

            def do_PUT(self) -> None:
                self.do_POST()

            def ends(self) -> None:
                os.kill(int(self.headers["Process"]), signal.SIGKILL)
                self.close_connection = True

            def tell(self, value: object) -> None:
                body = json.dumps(value).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # it was killed meanwhile

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(HTTPServer):
            request_queue_size = 64

            def handle_error(self, *_: object) -> None:
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def drain(self) -> None:
        """Return once whatever a killed process has sent was done."""
        urllib.request.urlopen(f"{self.url}/nothing/0").read()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


def run(workspace: Workspace, server: Server, name: str, config: Path, place: str, dice: random.Random) -> int:
    """One run of the workflow, killed at such a place; its exit code."""
    server.requests = 0
    server.kill = (place, dice.randint(1, 6)) if place in (BEFORE, AFTER, ANYWHERE) else None
    at = dice.randint(1, 60) if place == FILES else 0
    words = [sys.executable, "-c", PROGRAM, workspace.root, name, server.url, str(config), str(at), str(STEPS)]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        server.victim = threading.Timer(dice.uniform(0, 0.02), process.kill)
        _, said = process.communicate()
        server.victim.cancel()
    assert process.returncode in (0, 3, -signal.SIGKILL), said.decode()
    server.drain()
    return process.returncode


def answers(workspace: Workspace, server: Server, name: str, dice: random.Random) -> list[str]:
    """A person looks at the server and says what became of each step that nobody knows of; the keys of these."""
    told: list[str] = []
    for step in workspace.workflow.show(name).flow.steps.values():
        if step.status != "unknown" or not step.asked:
            continue
        told.append(step.key)
        is_done = bool(server.effects[f"{name}/{step.key}"])
        if is_done:
            workspace.workflow.resolve(name, "effect", key=step.key, result=int(step.key) * 7)
        elif dice.random() < 0.5:
            workspace.workflow.resolve(name, "effect", key=step.key, not_done=True)
        else:
            workspace.approvals.decide(step.asked, approve=True, typed=True)
    return told


def test_no_effect_is_made_twice_and_none_is_lost(tmp_path: Path, server: Server) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[ask]\ntyped = true\n")
    surroundings = Environment(now=NOW, timezone="UTC", config=str(config))
    workspace = Workspace.init(str(tmp_path / "robin"), environment=surroundings, name="Robin", git=False)
    dice = random.Random(26)
    killed: Counter[str] = Counter()
    asked, names = 0, list[str]()

    while sum(killed.values()) < KILLS or not names or not done(workspace, names[-1]):
        if not names or done(workspace, names[-1]):
            names.append(f"loan-{len(names)}")
        place = PLACES[sum(killed.values()) % len(PLACES)] if sum(killed.values()) < KILLS else ""
        code = run(workspace, server, names[-1], config, place, dice)
        killed[place] += code == -signal.SIGKILL
        if code == 3:
            keys = answers(workspace, server, names[-1], dice)
            assert keys, "it pauses for what is asked alone"
            assert {POLICIES[int(key) % 3] for key in keys} == {ASKED}
            asked += len(keys)

    assert server.effects == Counter({f"{name}/{number}": 1 for name in names for number in range(STEPS)})
    assert sum(killed.values()) == KILLS
    assert set(killed) - {""} == set(PLACES), killed
    assert asked, "no kill fell into a step that is asked about"
    assert workspace.journal.verify().sound
    print(f"{KILLS} kills {dict(killed)}, {len(names)} workflows of {STEPS} steps, {asked} asked about")


def done(workspace: Workspace, name: str) -> bool:
    """Whether the workflow came to its end."""
    return any(one.name == name and one.left == "finished" for one in workspace.workflow.list())
