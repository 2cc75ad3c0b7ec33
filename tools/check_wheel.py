"""Builds sdist and wheel twice, which must be equal byte for byte; installs the wheel into a clean environment, and
uses it from another folder with an empty home.

    python tools/check_wheel.py [FOLDER]

FOLDER is where the two files are left, for a release.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 4_700_000
"""The size of the wheel. Its token table alone has 2.1 MB, packed: 3 MB would mean to ship without exact counts."""
PROGRAM = """\
from typing import assert_type
from agentws import Workspace
from agentws.features.daily.log import Logged
robin = Workspace.find()
assert_type(robin.log("The wheel has types"), Logged)
robin.boot(budget="8000")
"""


def main() -> None:
    """Exit non-zero where the installed wheel does not do the main job."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        run([python, "-m", "pip", "install", "-q", wheel])
        use(folder, folder / "env" / "bin" / "agentws")
        types(folder, python)
        if sys.argv[1:]:
            shutil.copytree(folder / "first" / "dist", sys.argv[1], dirs_exist_ok=True)
    print("The wheel works in a clean environment.")


def build(folder: Path) -> Path:
    """Build sdist and wheel from two copies of the tree with other times and modes, compare them, return the wheel."""
    digests = []
    for copy, seconds, umask in (("first", 1_700_000_000, 0o022), ("second", 1_750_000_000, 0o077)):
        os.umask(umask)
        source = folder / copy
        listed = output(["git", "ls-files", "-z"], cwd=ROOT, env=dict(os.environ))
        for path in filter(None, listed.split("\0")):
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, source / path)
            os.utime(source / path, (seconds, seconds))
        words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", source / "dist", source]
        run(words, env={"SOURCE_DATE_EPOCH": "1580601600", **os.environ})
        built = sorted((source / "dist").iterdir())
        digests.append([(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in built])
    os.umask(0o022)
    check(digests[0] == digests[1], f"two builds differ: {digests}")
    wheel = next((folder / "first" / "dist").glob("agentws-*.whl"))
    size = wheel.stat().st_size
    check(size <= MOST_BYTES, f"the wheel has {size:,} bytes")
    print(f"Two builds are equal; the wheel has {size / 1e6:.1f} MB.")
    return wheel


def use(folder: Path, agentws: Path) -> None:
    """A new user's first minute, and an adopted folder, away from the checkout."""
    home = folder / "home"
    home.mkdir()
    clean = {"PATH": f"{agentws.parent}:/usr/bin:/bin", "HOME": str(home), "LANG": "C"}
    for template in ("default", "assistant", "coder"):
        run([agentws, "init", template, "--template", template], cwd=home, env=clean)
    line = output([agentws, "log", "The wheel works"], cwd=home / "default", env=clean)
    text = output([agentws, "boot"], cwd=home / "default", env=clean)
    check(line.startswith("memory/"), f"log printed {line!r}")
    check("The wheel works" in text and "## SOUL.md" in text, f"boot printed {text!r}")
    run([agentws, "status"], cwd=home / "default", env=clean)
    run([agentws, "install", "agents-md"], cwd=home / "default", env=clean)
    check((home / "default/.agents/skills/agentws/SKILL.md").exists(), "install wrote no skill")
    adopted = home / "adopted"
    adopted.mkdir()
    (adopted / "SOUL.md").write_bytes(b"# Soul\r\n\r\nI am old.")
    run([agentws, "init"], cwd=adopted, env=clean)
    check((adopted / "SOUL.md").read_bytes() == b"# Soul\r\n\r\nI am old.", "init changed SOUL.md")
    check("I am old." in output([agentws, "boot"], cwd=adopted, env={**clean, "HOME": "/nonexistent"}), "no soul")
    check("Start here" in output([agentws, "--help"], cwd=home, env=clean), "--help has no page")
    changes = output([agentws, "docs", "../../CHANGELOG.md"], cwd=home, env=clean)
    check("# Changelog" in changes, "the changelog is not in the wheel")
    check("# Tutorial" in output([agentws, "help", "tutorial"], cwd=home, env=clean), "the docs are not in the wheel")
    for path in ("man/man1/agentws.1", "bash-completion/completions/agentws", "zsh/site-functions/_agentws"):
        check((agentws.parent.parent / "share" / path).exists(), f"share/{path} is not installed")
    version = output([agentws, "--version"], cwd=home, env=clean)
    check(version.startswith("agentws "), f"--version printed {version!r}")


def types(folder: Path, python: Path) -> None:
    """What a type checker makes of a program that uses the library: it knows what a verb takes and returns."""
    (folder / "program.py").write_text(PROGRAM)
    words = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), "program.py"]
    done = subprocess.run(words, check=False, cwd=folder, capture_output=True, text=True)
    check(done.stdout.startswith("program.py:6: error: ") and done.stdout.count("error: ") == 1, f"mypy: {done.stdout}")


def run(words: list[object], **options: object) -> None:
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, **options)  # type: ignore[call-overload]


def output(words: list[object], *, cwd: Path, env: dict[str, str]) -> str:
    return subprocess.run(
        [str(word) for word in words], check=True, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8"
    ).stdout


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(f"check_wheel: {otherwise}")


if __name__ == "__main__":
    os.umask(0o022)
    main()
