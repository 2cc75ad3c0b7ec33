"""Runs an example, kills it with kill -9 at its third step, and runs it again: it goes on where it was.

python examples/adapters/killed.py EXAMPLE.py FOLDER
"""

from __future__ import annotations

import subprocess
import sys

_AFTER = "step 3"


def killed(script: str, folder: str) -> list[str]:
    """Run `script FOLDER` and kill it once it has printed `step 3`; returns the lines that it printed until then."""
    lines: list[str] = []
    with subprocess.Popen([sys.executable, script, folder], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            lines.append(line.rstrip())
            if line.startswith(_AFTER):
                running.kill()
                break
    return lines


def main(script: str, folder: str) -> None:
    """Print what both runs print."""
    print(*killed(script, folder), "(kill -9)", sep="\n", flush=True)
    sys.exit(subprocess.call([sys.executable, script, folder]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
