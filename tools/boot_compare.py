"""Two start-up contexts of the same mornings, in an order that the reader does not know: boot's, and a plain script's.

    python tools/boot_compare.py FOLDER… --plain SCRIPT --budget 1000 2000 8000 --out DIR [--until 2026-11-15]

Each FOLDER is an agent's workspace, or only its files. In a copy of it, as it stood on the evening of `--until`, both
are asked for a context; SCRIPT is called with the budget and looks at the folder it stands in. A pair is one file,
`DIR/NAME-BUDGET.md`, with the two texts under `A` and `B`; which is which stands in `DIR/key.json` alone, so that a
reader can say first which of the two they would rather wake up with. What is written holds the notes of FOLDER: keep it
where they are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).parent.parent
OURS, PLAIN = "boot", "plain"
_AGENTWS = [sys.executable, "-m", "agentws"]
_WAKES = "T08:00"
_MOST_SECONDS = 60
_NO_COPY = shutil.ignore_patterns(".git", ".agentws", "journal")


def main() -> int:
    """Write the pairs and the key; the number of pairs is printed."""
    given = _arguments().parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(given.seed)
    key: dict[str, dict[str, str]] = {}
    for folder in given.folders:
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / "workspace"
            shutil.copytree(folder, copy, ignore=_NO_COPY)
            last = _cut(copy, given.until)
            if not (copy / "agentws.toml").exists():
                _printed([*_AGENTWS, "init", "-q", ".", "--no-git"], copy)
            for budget in given.budget:
                texts = {OURS: _boot(copy, budget, last), PLAIN: _plain(copy, given.plain, budget)}
                order = chance.sample([OURS, PLAIN], 2)
                name = f"{folder.resolve().name}-{budget}"
                key[name] = dict(zip("AB", order, strict=True))
                (given.out / f"{name}.md").write_text(_page(name, [texts[one] for one in order]), encoding="utf-8")
    (given.out / "key.json").write_text(json.dumps(key, indent=2) + "\n", encoding="utf-8")
    print(f"{len(key)} pairs in {given.out}; read them before {given.out / 'key.json'}.")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--plain", type=Path, required=True, metavar="SCRIPT", help="called with the budget")
    parser.add_argument("--budget", type=int, nargs="+", default=[2000], help="tokens, four characters each")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--until", default="", metavar="DAY", help="leave out the logs of later days")
    parser.add_argument("--seed", type=int, default=None, help="the same order again")
    return parser


def _cut(copy: Path, until: str) -> str:
    """Take out the logs of days after `until`; the last day that is left."""
    logs = sorted((copy / "memory").glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*.md"))
    for log in [log for log in logs if until and log.name[:10] > until]:
        log.unlink()
        logs.remove(log)
    if not logs:
        sys.exit(f"{copy.name}: there is no daily log.")
    return logs[-1].name[:10]


def _boot(copy: Path, budget: int, last: str) -> str:
    """What `agentws boot` prints on the morning after the last day."""
    morning = f"{date.fromisoformat(last) + timedelta(days=1)}{_WAKES}"
    options = ["-q", "--budget", str(budget), "--tokenizer", "chars4", "--now", morning]
    return _printed([*_AGENTWS, "boot", *options], copy)


def _plain(copy: Path, script: Path, budget: int) -> str:
    return _printed([sys.executable, str(script.resolve()), str(budget)], copy)


def _printed(command: list[str], place: Path) -> str:
    """What a command prints in that folder, with a home of its own."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": home, "PYTHONPATH": str(ROOT), "TZ": "UTC"}
        done = subprocess.run(
            command, cwd=place, env=environment, capture_output=True, timeout=_MOST_SECONDS, check=False
        )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "replace")


def _page(name: str, texts: list[str]) -> str:
    parts = [f"{'=' * 40} {letter} {'=' * 40}\n\n{text.rstrip()}\n" for letter, text in zip("AB", texts, strict=True)]
    return f"{name}: which of the two would you rather wake up with, and why?\n\n" + "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
