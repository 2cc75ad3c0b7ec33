"""What Tab makes of a word that is begun, in the real bash, zsh and fish, set up by `--install-completion`."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests import forked, table

GUARD_S = 60
_AGAIN_S = 1
_CLEAR, _TELL = b"\x15", b"\x18"
"""Ctrl-U, which empties the line, and Ctrl-X, which is bound to what writes it to a file."""
SETTINGS = {
    "bash": (
        ".bashrc",
        """bind -x '"\\C-x": printf %s "$READLINE_LINE" > "$HOME/new"; mv "$HOME/new" "$HOME/line"'\n""",
    ),
    "zsh": (
        ".zshrc",
        "bindkey -e; tell() { print -rn -- $BUFFER > ~/new; mv ~/new ~/line }; zle -N tell; bindkey '^X' tell\n",
    ),
    "fish": (
        ".config/fish/config.fish",
        "function tell; commandline > ~/new; mv ~/new ~/line; end; bind \\cx tell\n",
    ),
}
"""A file that each shell reads at its start, with what Ctrl-X does."""


class Terminal:
    """A shell at a terminal, and somebody who types."""

    def __init__(self, shell: str, home: Path, cwd: str) -> None:
        self._line = home / "line"
        self._screen = b""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of a test runner hold nothing of a shell's
            self._child, self._fd = pty.fork()
        if self._child == 0:
            try:
                os.chdir(cwd)
                os.execvpe(shell, [shell, "-i"], surroundings(home))
            finally:
                os._exit(70)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self._told("", again_s=_AGAIN_S)  # what is typed before a shell listens is lost

    def completed(self, text: str) -> str:
        """The words of the line after `text` and Tab."""
        os.write(self._fd, _CLEAR + text.encode() + b"\t" + _TELL)
        return self._told(text)

    def _told(self, text: str, again_s: float = GUARD_S) -> str:
        """The line that the shell writes down, once it begins with `text`."""
        end, next_key = time.monotonic() + GUARD_S, time.monotonic() + again_s
        while time.monotonic() < end:
            if time.monotonic() > next_key:
                os.write(self._fd, _TELL)
                next_key += again_s
            if select.select([self._fd], [], [], 0.01)[0]:
                self._screen += os.read(self._fd, 1 << 16)
            line = self._line.read_text() if self._line.exists() else None
            if line is not None:
                self._line.unlink()
                if line.startswith(text):
                    return line.rstrip()
        raise AssertionError(f"no line after {text!r}; the screen: {self._screen.decode(errors='replace')}")

    def close(self) -> None:
        """End the shell."""
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._fd)


def surroundings(home: Path) -> dict[str, str]:
    """The variables of a shell that belongs to `home` and finds this `agentws`."""
    path = f"{Path(forked.AGENTWS).parent}:{os.environ['PATH']}"
    dropped = ("ZDOTDIR", "BASH_ENV", "ENV", "SHELL")
    return {name: value for name, value in os.environ.items() if name not in dropped} | {
        "HOME": str(home),
        "PATH": path,
        "TERM": "xterm",
    }


@pytest.fixture(params=SETTINGS)
def terminal(request: pytest.FixtureRequest, robin: Workspace, tmp_path: Path) -> Iterator[Terminal]:
    """A shell in the workspace, a moment after `agentws --install-completion` was run in one like it."""
    shell, home = request.param, tmp_path / "home"
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    name, text = SETTINGS[shell]
    (home / name).parent.mkdir(parents=True)
    (home / name).write_text(text)
    subprocess.run(
        [shell, "-c", "agentws --install-completion; true"],
        check=True,
        env=surroundings(home),
        cwd=robin.root,
        capture_output=True,
    )
    made = Terminal(shell, home, robin.root)
    yield made
    made.close()


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    """A workspace with a task, a session, a context and a thing to do."""
    workspace.tasks.add("Mend the fence")
    workspace.session.start("Letters: today's, and $HOME", session="letters-1", process=os.getpid())
    workspace.contexts.new("garden", text="Write short sentences.")
    workspace.todo("Call Tom")
    return workspace


def test_tab_finishes_the_word_from_its_first_time_on(terminal: Terminal, robin: Workspace) -> None:
    (reference,) = (one.ref for one in robin.todos().rows if one.form != "task")
    rows = [
        ("agentws task show m", "end-the-fence"),  # the first Tab of this shell
        ("agentws stat", "us"),
        (f"agentws done {reference[:3]}", reference[3:]),
        (f"agentws log --closes {reference[:3]}", reference[3:]),
        ("agentws session end le", "tters-1"),
        ("agentws boot --context g", "arden"),
        ("agentws install opencl", "aw"),
        ("agentws log --kind dec", "ision"),
        ("agentws config set retention.h", "andoffs"),
        ("agentws config --user compaction.t", "imeout_s"),
        ("agentws docs guides/task", "s"),
        ("agentws help guides/memo", "ry"),
        ("agentws task add --pri", "ority"),
        (f"agentws -C {robin.root} task show m", "end-the-fence"),
    ]

    def check(row: tuple[str, str]) -> None:
        assert terminal.completed(row[0]) == "".join(row)

    table.holds(check, rows)
