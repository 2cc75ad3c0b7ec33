"""What `boot`, `event` and a session's end cost with a fleet whose server does not answer; the ratio to no fleet.

    PYTHONPATH=. python benchmarks/fleet_away.py

Processor time of the command alone, alternating with the same workspace in no fleet, forty rounds each. A session's end
starts a ship aside; `longest` is the most that the host waited.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path

from benchmarks.samples import AGENTWS, once, surroundings, workspace

ROUNDS = 40
ENDS = 10


def main() -> None:
    """Print a row for each server."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as silent, socket.socket() as closed:
        silent.bind(("127.0.0.1", 0))
        silent.listen(128)  # accepted by the system, answered by nobody
        closed.bind(("127.0.0.1", 0))
        folder = Path(name)
        alone = home(folder / "alone", "")
        servers = {
            "no fleet, again": "",
            "nobody listens": f"127.0.0.1:{closed.getsockname()[1]}",
            "never answers": f"127.0.0.1:{silent.getsockname()[1]}",
            "no such name": "db.invalid",
        }
        print(f"{'':<18}{'boot':>8}{'event':>8}{'session end':>14}{'wall':>8}{'longest':>10}")
        for label, host in servers.items():
            joined = home(folder / label.replace(" ", "-"), host)
            boot = paired(alone, joined, ["boot"])
            event = paired(alone, joined, ["event", "note", "rain"])
            ends = [(ended(*alone, number), ended(*joined, number)) for number in range(ENDS)]
            processor = statistics.median(there[1] / here[1] for here, there in ends)
            wall = statistics.median(there[0] / here[0] for here, there in ends)
            longest = max(there[0] for _, there in ends)
            print(f"{label:<18}{boot:>8.2f}{event:>8.2f}{processor:>14.2f}{wall:>8.2f}{longest:>8.2f} s")


def home(folder: Path, host: str) -> tuple[Path, dict[str, str]]:
    """Make a workspace and its user, who joined the fleet at this host."""
    folder.mkdir()
    env = surroundings(folder) | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    root = workspace(folder / "w", env, days=7, git=False)
    if host:
        agent = tomllib.loads((root / "agentws.toml").read_text())["id"]
        config = folder / "config/agentws/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            f'[fleet]\nurl = "postgresql://robin@{host}/fleet"\nteam = "garden"\n[fleet.agents]\n{agent} = "all"\n'
        )
    return root, env


def paired(alone: tuple[Path, dict[str, str]], joined: tuple[Path, dict[str, str]], words: list[str]) -> float:
    """Median ratio of processor time."""
    ratios = []
    for _ in range(ROUNDS):
        here, there = (once([AGENTWS, "-C", str(root), *words], env)[1] for root, env in (alone, joined))
        ratios.append(there / here)
    return statistics.median(ratios)


def ended(root: Path, env: dict[str, str], number: int) -> tuple[float, float]:
    """Wall and processor time until the host has the answer to a session's end."""
    said = {"session_id": f"s{number}", "cwd": str(root), "transcript_path": ""}
    for event, more in (("SessionStart", {"source": "startup"}), ("SessionEnd", {"reason": "exit"})):
        words = [AGENTWS, "-C", str(root), "hook", "claude-code", event]
        before, began = os.times(), time.perf_counter()
        subprocess.run(words, input=json.dumps(said | more).encode(), env=env, check=True, capture_output=True)
        took, after = time.perf_counter() - began, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return took, used


if __name__ == "__main__":
    main()
