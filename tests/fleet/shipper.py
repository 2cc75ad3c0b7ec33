"""A process that ships workspaces one after the other, and notes in a file what the database acknowledged."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from pathlib import Path

from agentws.core.journal import read
from agentws.errors import RemoteAwayError
from agentws.features.fleet import ship
from agentws.workspace import Environment, Workspace

PATIENCE_S = 300


def opened(root: Path, now: datetime | None = None) -> Workspace:
    """Open a workspace as the only one of its user, whose home is beside it."""
    return Workspace.open(str(root), environment=surroundings(root, now))


def surroundings(root: Path, now: datetime | None = None) -> Environment:
    """The environment of a workspace's user."""
    home = home_of(root)
    return Environment(
        now=now,
        timezone="UTC",
        state=(str(home / "state/agentws"), None),
        config=str(home / "config/agentws/config.toml"),
    )


def home_of(root: Path) -> Path:
    """The home of a workspace's user."""
    return root.with_name(f"{root.name}-home")


def heads(workspace: Workspace) -> list[str]:
    """The newest event of each writer: agent, writer, number."""
    files, agent = workspace.stores.files, workspace.stores.manifest.agent_id
    return [f"{agent} {writer} {read.last_seq(files, writer)}" for writer in read.writers(files)]


def main(acknowledged: str, *roots: str) -> None:
    """Ship each workspace; try again while the database is away. What the file names already is done."""
    until = time.monotonic() + PATIENCE_S
    with open(acknowledged, "a+", encoding="ascii") as file:
        file.seek(0)
        done = set(file.read().splitlines())
        for root in roots:
            workspace = opened(Path(root))
            newest = heads(workspace)
            if done.issuperset(newest):
                continue
            while True:
                try:
                    shipped = ship.ship(workspace.stores)
                    break
                except RemoteAwayError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.1)
            assert not shipped.refused, shipped.refused
            file.writelines(f"{line}\n" for line in newest)
            file.flush()


if __name__ == "__main__":
    print("begun", flush=True)
    main(*sys.argv[1:])
