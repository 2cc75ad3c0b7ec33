"""Ctrl-C at any moment of a start: no traceback, exit code 130, through both doors of the program."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentws import cli

TREE = Path(__file__).resolve().parents[2]
BEGINNING = ["agentws", "agentws.__main__", "agentws.cli", "__future__"]
"""What is imported before anything of ours can listen: they are small."""

CODE = """
import json, os, runpy, signal, sys, tempfile

door, seen = sys.argv.pop(1), []

class Interrupter:
    '''At each import a copy of this process is sent SIGINT there, and it is written down how that copy ended.'''

    def find_spec(self, name, path=None, target=None):
        if os.getpid() != first:
            return None
        if not seen and name != "agentws":
            return None
        with tempfile.TemporaryFile() as said:
            copy = os.fork()
            if not copy:
                os.dup2(said.fileno(), 2)
                os.kill(os.getpid(), signal.SIGINT)
                return None
            _, status = os.waitpid(copy, 0)
            said.seek(0)
            seen.append((name, os.waitstatus_to_exitcode(status), said.read().decode("utf-8", "replace")))
        return None

signal.signal(signal.SIGINT, signal.default_int_handler)
first = os.getpid()
sys.meta_path.insert(0, Interrupter())

def told(code):
    with open(os.environ["TOLD"], "w") as file:
        json.dump(seen, file)
    real(code)

real, os._exit = os._exit, lambda code: told(code) if os.getpid() == first else real(code)
try:
    if door == "module":
        sys.argv[0] = "agentws"
        runpy.run_module("agentws", run_name="__main__", alter_sys=True)
    else:
        module, _, function = door.partition(":")
        sys.exit(getattr(__import__(module, fromlist=[function]), function)())
except SystemExit as leaving:
    if os.getpid() == first:
        told(leaving.code)
    raise
"""


def interrupted(door: str, *words: str, told: Path) -> dict[str, tuple[int, str]]:
    """(exit code, what was said) of a Ctrl-C at the import of each module that these words need."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, door, *words],
        env={"TOLD": str(told), "HOME": str(told.parent), "PATH": "/usr/bin:/bin", "TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return {name: (code, said) for name, code, said in json.loads(told.read_text())}


def entry() -> str:
    """What the console script calls."""
    return str(tomllib.loads((TREE / "pyproject.toml").read_text())["project"]["scripts"]["agentws"])


@pytest.mark.parametrize("words", [["log", "a line"], ["boot"], ["context", "list"]], ids=" ".join)
@pytest.mark.parametrize("door", ["module", entry()])
def test_ctrl_c_at_any_import_leaves_in_silence_with_130(door: str, words: list[str], tmp_path: Path) -> None:
    root = str(tmp_path / "robin")
    subprocess.run([sys.executable, "-m", "agentws", "init", root, "--no-git"], check=True, capture_output=True)

    found = interrupted(door, *words, "-C", root, told=tmp_path / "told")

    late = {name: ended for name, ended in found.items() if name not in BEGINNING}
    assert {"agentws.cli.main", "agentws.cli.fast_lane", "agentws.workspace"} <= set(late)
    assert {name: ended for name, ended in late.items() if ended[0] != 130 or ended[1].strip()} == {}


def test_who_ignores_ctrl_c_or_hears_it_alone_is_left_to_it() -> None:
    import signal

    def own(number: int, frame: object) -> None:
        """Another program's handler."""

    before = signal.getsignal(signal.SIGINT)
    try:
        for handler in (signal.SIG_IGN, own):
            signal.signal(signal.SIGINT, handler)
            cli.leave_at_once()
            cli.raise_again()
            assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_while_a_verb_runs_ctrl_c_raises_as_ever() -> None:
    import signal

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.leave_at_once()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        cli.raise_again()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
