"""How much a long use takes on disk: the workspace, its `.agentws/`, a sync remote on a path, and a backup folder.

    python benchmarks/growth.py                    # 380 days, a quarter of an hour
    python benchmarks/growth.py --days 30

Each day a machine logs, records events, remembers, plans, hands over and compacts, then syncs with a bare repository
and makes a backup. The clock is set, so the days follow each other at once.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentws.workspace import Environment, Workspace
from benchmarks.samples import Writer

DAYS, LINES, EVENTS, SHOWN_DAYS = 380, 12, 40, 95
BEGIN = datetime(2025, 11, 20, 7, tzinfo=UTC)


def main() -> None:
    """Print a row for each quarter of the time."""
    options = argparse.ArgumentParser(description="Growth benchmark.")
    options.add_argument("--days", type=int, default=DAYS)
    asked = options.parse_args()
    base = Path(tempfile.mkdtemp(prefix="agentws-bench-"))
    try:
        subprocess.run(["git", "init", "-q", "--bare", str(base / "remote")], check=True)
        (base / "medium").mkdir()
        Workspace.init(str(base / "robin"), environment=_at(base, 0), name="Robin", git=True)
        print(f"{'days':>5}{'workspace':>14}{'.agentws/':>14}{'.git/':>14}{'remote':>14}{'medium':>14}   MB (files)")
        for day in range(1, asked.days + 1):
            _work(base, day)
            if day % SHOWN_DAYS == 0 or day == asked.days:
                print(f"{day:>5}{''.join(f'{cell:>14}' for cell in _sizes(base))}", flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _at(base: Path, day: int) -> Environment:
    now = BEGIN + timedelta(days=day)
    return Environment(now=now, timezone="UTC", state=(str(base / "state"), None))


def _work(base: Path, day: int) -> None:
    workspace, writer = Workspace.open(str(base / "robin"), environment=_at(base, day)), Writer(day)
    for _ in range(LINES):
        workspace.log(writer.sentence())
    for _ in range(EVENTS):
        workspace.event("note", writer.sentence())
    workspace.remember(writer.sentence())
    workspace.handoff(doing=writer.sentence(), next=writer.sentence())
    if day % 7 == 0:
        workspace.memory.compact()
    if day == 1:
        workspace.sync(str(base / "remote"))
    else:
        workspace.sync()
    workspace.copies.create(str(base / "medium"))


def _sizes(base: Path) -> list[str]:
    root = base / "robin"
    apart = [root / ".agentws", root / ".git"]
    places = [[root], *([place] for place in apart), [base / "remote"], [base / "medium"]]
    cells = []
    for place in places:
        paths = [path for top in place for path in top.rglob("*") if path.is_file() and not path.is_symlink()]
        if place == [root]:
            paths = [path for path in paths if not any(path.is_relative_to(each) for each in apart)]
        sizes = {(status.st_dev, status.st_ino): status.st_size for status in map(Path.lstat, paths)}
        cells.append(f"{sum(sizes.values()) / 1e6:.1f} ({len(paths):,})")
    return cells


if __name__ == "__main__":
    main()
