"""The JSON of every verb of a fleet, pinned as tests/cli/test_golden.py pins the others, where a server is here."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import commands
from tests import forked
from tests.cli import test_golden
from tests.features.approvals import keys
from tests.fleet.cluster import Server, as_role

GOLDEN = test_golden.GOLDEN / "fleet"
VARYING = {
    "at",
    "asked",
    "backed_up",
    "bytes",
    "cursor",
    "epoch",
    "holder",
    "host",
    "last_event",
    "machines",
    "seconds_left",
}
VARYING |= {"shipped", "silent_s", "url", "writer", "score", "confidence", "folder", "statement", "src", "events"}
VARYING |= {"path", "expires", "id", "line", "end_line", "sender", "agent", "role", "waiting", "rows"}
"""Fields whose content is this machine's, this moment's, or counts what the verbs before recorded."""
OWNER, MEMBER, KEY, WAITING, SIGNED, DEPOT, EPOCH = "OWNER", "MEMBER", "KEY", "WAITING", "SIGNED", "DEPOT", "EPOCH"
"""Words that stand for what is known only while the script runs."""
SCRIPT = (
    ("migrate", ["migrate", OWNER]),
    ("team", ["team", "garden", "--url", OWNER]),
    ("member", ["member", "robin", "--may", "ship,read,answer", "--team", "garden", "--url", OWNER]),
    ("join", ["join", MEMBER, "--team", "garden", "--text", "all"]),
    ("ship", ["ship"]),
    ("status", ["status"]),
    ("search", ["search", "fence"]),
    ("tail", ["tail", "--once", "--since", "2000-01-01", "--kind", "note"]),
    ("verify", ["verify"]),
    ("drill", ["drill"]),
    ("offer", ["offer", "Robin", "Water the beans"]),
    ("inbox", ["inbox"]),
    ("inbox-show", ["inbox", "show", WAITING]),
    ("inbox-show-offer", ["inbox", "show", "1"]),
    ("inbox-statement", ["inbox", "statement", WAITING]),
    ("inbox-answer", ["inbox", "approve", WAITING, "--signature", "-"]),
    ("inbox-offer", ["inbox", "decline", "1", "-m", "Not this week"]),
    ("lease-take", ["lease", "take", "run"]),
    ("lease", ["lease"]),
    ("lease-renew", ["lease", "renew", "run", "--epoch", EPOCH]),
    ("lease-check", ["lease", "check", "run", "--epoch", EPOCH]),
    ("lease-release", ["lease", "release", "run", "--epoch", EPOCH]),
    ("archive", ["archive", DEPOT]),
    ("archive-verify", ["archive", DEPOT, "--verify"]),
    ("leave", ["leave"]),
)


@pytest.fixture(scope="module")
def owner(cluster: Server) -> Iterator[str]:
    """The URL of an empty database, for its owner."""
    if not cluster.run("SELECT 1 FROM pg_roles WHERE rolname = 'robin'"):
        cluster.run("CREATE ROLE robin LOGIN")
    cluster.run("CREATE DATABASE golden TEMPLATE template0")
    yield cluster.url("golden")
    cluster.run("DROP DATABASE golden WITH (FORCE)")


@pytest.fixture(scope="module")
def printed(owner: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each verb of the script printed, in one workspace, one after the other."""
    root = tmp_path_factory.mktemp("golden") / "robin"
    ben = root.parent / "ben"
    root.mkdir()
    ben.mkdir()
    key = keys.made(root.parent / "keys")
    known = {OWNER: owner, MEMBER: as_role(owner, "robin"), DEPOT: str(root.parent / "depot"), KEY: str(key)}

    def call(*words: str, stdin: str = "", at: Path = root) -> str:
        path = {name: os.environ[name] for name in ("PATH",)}
        env = {**path, "HOME": str(root.parent), "TZ": "Europe/Berlin", "AGENTWS_NOW": test_golden.NOW}
        if "archive" in words:  # the threads of its client do not survive a fork
            line = [forked.AGENTWS, "--json", *words]
            done = subprocess.run(line, cwd=at, env=env, capture_output=True, text=True, check=False)
        else:
            done = forked.run_text("--json", *words, cwd=at, env=env, given=stdin)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    call("init", "--name", "Robin")
    call("log", "The fence is dry")
    call("event", "note", "Paint the fence")
    known[WAITING] = json.loads(call("ask", "Pay for the paint?", "--action", '{"tool": "pay"}'))["id"]
    found: dict[str, Any] = {}
    for name, words in SCRIPT:
        stdin = keys.signed(key, found["inbox-statement"]["statement"]) if name == "inbox-answer" else ""
        if name == "offer":  # another agent's, which this one may decline
            call("init", "--name", "Ben", at=ben)
            call("fleet", "join", known[MEMBER], "--team", "garden", at=ben)
        at = ben if name == "offer" else root
        out = call("fleet", *(known.get(word, word) for word in words), stdin=stdin, at=at)
        found[name] = [json.loads(line) for line in out.splitlines()] if name == "tail" else json.loads(out)
        if name == "lease-take":
            known[EPOCH] = str(found[name]["epoch"])
    return found


@pytest.mark.parametrize("name", [name for name, _ in SCRIPT])
def test_the_json_of_a_verb_of_the_fleet_is_what_it_was(name: str, printed: dict[str, Any]) -> None:
    file = GOLDEN / f"{name}.json"
    shown = normalised(printed[name])
    if test_golden.UPDATE and not (file.exists() and shown == json.loads(file.read_text(encoding="utf-8"))):
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(shown, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert shown == json.loads(file.read_text(encoding="utf-8"))
    assert name == "tail" or shown["schema"] == f"agentws/fleet-{name}@1"


def test_every_verb_of_the_fleet_has_its_golden_file() -> None:
    names = {name for name, _ in SCRIPT}
    verbs = {verb.name.removeprefix("fleet ") for verb in commands.all_verbs() if verb.name.startswith("fleet ")}
    assert verbs == {name for name in names if "-" not in name}
    assert names == {file.stem for file in GOLDEN.glob("*.json")}


def normalised(value: Any, key: str = "") -> Any:
    """`value` with the type alone of what differs from run to run."""
    if isinstance(value, dict):
        return {name: normalised(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        rows = [normalised(inner, key) for inner in value]
        return rows[:1] if key in {"requests", "answers", "hits", "tables"} or not key else rows
    if key in VARYING | test_golden.WORDS - {"text"} and value is not None:
        return type(value).__name__
    return re.sub(r"[0-9a-f]{64}|\b\d+ s\b", "…", value) if isinstance(value, str) else value
