"""A process that ships workspaces one after the other, and notes in a file what the database acknowledged."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from agentws.core.journal import read
from agentws.errors import RemoteAwayError
from agentws.features.fleet import ship
from agentws.workspace import Environment, Workspace

PATIENCE_S = 120


def opened(root: Path, now: datetime | None = None) -> Workspace:
    """Open a workspace as the only one of its user, whose home is beside it."""
    home = root.with_name(f"{root.name}-home")
    environment = Environment(
        now=now, timezone="UTC", state=(str(home / "state"), None), config=str(home / "config.toml")
    )
    return Workspace.open(str(root), environment=environment)


def heads(workspace: Workspace) -> dict[str, int]:
    """The number of each writer's newest event."""
    files = workspace.stores.files
    return {writer: read.last_seq(files, writer) for writer in read.writers(files)}


def main(acknowledged: str, *roots: str) -> None:
    """Ship each workspace; try again while the database is away."""
    until = time.monotonic() + PATIENCE_S
    with open(acknowledged, "a", encoding="ascii") as file:
        for root in roots:
            workspace = opened(Path(root))
            newest = heads(workspace)
            while True:
                try:
                    shipped = ship.ship(workspace.stores)
                    break
                except RemoteAwayError:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.1)
            assert not shipped.refused, shipped.refused
            for writer, seq in newest.items():
                file.write(f"{workspace.stores.manifest.agent_id} {writer} {seq}\n")
            file.flush()


if __name__ == "__main__":
    print(datetime.now(UTC).isoformat(), len(sys.argv) - 2, flush=True)
    main(*sys.argv[1:])
