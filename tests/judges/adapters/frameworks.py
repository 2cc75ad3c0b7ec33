"""Frameworks in an environment of their own, beside this checkout of agentws."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent.parent
_INSTALL_S = 900


def venv(cache: Path, name: str, *requirements: str) -> Path:
    """Return the Python of an environment with these packages and those that agentws needs; made if it is missing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = sorted((*requirements, *project["dependencies"]))
    folder = cache / f"{name}-{hashlib.sha256(' '.join(wanted).encode()).hexdigest()[:12]}"
    if not (folder / "made").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)], name)
        _run([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *wanted], name)
        (folder / "made").touch()
    return folder / "bin/python"


def source(cache: Path, package: str) -> Path:
    """Return the unpacked source distribution of a package (`name==version`); fetched if it is missing."""
    folder = cache / f"source-{package.replace('==', '-')}"
    if not folder.exists():
        making = folder.with_name(f"{folder.name}.{os.getpid()}")
        making.mkdir(parents=True)
        options = ("--quiet", "--no-deps", "--no-binary", package.partition("==")[0], "--dest", str(making))
        _run([sys.executable, "-m", "pip", "download", *options, package], package)
        (archive,) = making.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(making, filter="data")
        archive.unlink()
        making.rename(folder)
    (unpacked,) = folder.iterdir()
    return unpacked


def environment(home: Path) -> dict[str, str]:
    """Return the variables for a program that imports agentws from this checkout."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTWS", "XDG", "LANG"))}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def _run(command: Sequence[str], name: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_S)
    if done.returncode:
        pytest.skip(f"{name} was NOT judged: it could not be installed: {done.stderr.strip()[-300:]}")
