"""The examples of adapters; tests/judges runs them with their frameworks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KILLED = Path(__file__).parents[2] / "examples/adapters/killed.py"


def test_without_arguments_the_usage_is_printed() -> None:
    done = subprocess.run([sys.executable, KILLED], capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert done.stderr.strip().endswith("python examples/adapters/killed.py EXAMPLE.py FOLDER")
