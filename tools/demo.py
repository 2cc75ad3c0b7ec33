"""The main job on a fresh machine: make a workspace, give it some life, boot it, say what to try next."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

AGENTWS = Path(sys.executable).with_name("agentws")
NOTES = (
    (2, ["--kind", "decision", "--importance", "8", "Chose SQLite for the index: one file, no server"]),
    (2, ["--kind", "preference", "Sam wants short answers, and the link instead of the explanation"]),
    (1, ["--kind", "lesson", "The nightly backup needs the token renewed every 30 days"]),
    (1, ["--kind", "todo", "--tag", "backup", "Ask Sam for a new backup token"]),
    (0, ["--kind", "question", "Which dashboard is the to-do list for?"]),
)
TASK = """---
status: active
step: import the contacts
---
# Move the address book

- [x] export from the old phone
- [ ] import the contacts
- [ ] tell Sam what could not be read
"""


def main() -> None:
    """Play the demonstration in a temporary folder; the checkout stays as it was."""
    folder = Path(tempfile.mkdtemp(prefix="agentws-demo-")) / "robin"
    now = datetime.now(UTC)
    quiet(["init", str(folder), "--name", "Robin"], now)
    for days, words in NOTES:
        quiet(["log", "-C", str(folder), *words], now - timedelta(days=days))
    (folder / "tasks").mkdir()
    (folder / "tasks" / "address-book.md").write_text(TASK)
    command = ["boot", "-C", str(folder), "--budget", "3000"]
    print(f"$ agentws {shlex.join(command)}\n", flush=True)
    subprocess.run([AGENTWS, *command], check=True)
    environment = "" if shutil.which("agentws") else f"  PATH={shlex.quote(str(AGENTWS.parent))}:$PATH\n"
    print(
        f"\nThat is what an agent wakes up to. The files are in {folder}\n\nTry next:\n{environment}"
        f"  cd {folder}\n"
        '  agentws log --kind decision "what was decided"\n'
        "  agentws boot --budget 600          the same in 600 tokens\n"
        "  agentws boot --explain             tokens of each section\n"
        "  agentws status                     the health of the workspace\n"
    )


def quiet(words: list[str], now: datetime) -> None:
    """Run one command at a moment of the past, and stop at its error."""
    surroundings = {**os.environ, "AGENTWS_NOW": now.isoformat()}
    subprocess.run([AGENTWS, *words], check=True, stdout=subprocess.DEVNULL, env=surroundings)


if __name__ == "__main__":
    main()
