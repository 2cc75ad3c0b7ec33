"""A program in a terminal of its own, as a person sits before it: keys are pressed, what is on the screen is read."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.judges.rig import wait_until

ENTER, ESCAPE, INTERRUPT = "\r", "\x1b", "\x03"
_ROWS, _COLUMNS = 40, 120
_ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}
"""What a terminal is asked, and says of itself: a program may wait for that before it draws anything."""
_AGAIN_S = 5.0


class Terminal:
    """The terminal of a running program."""

    def __init__(self, door: int) -> None:
        self._door = door
        self.screen = b""
        """Everything that was ever drawn."""
        threading.Thread(target=self._draw, daemon=True).start()

    def press(self, keys: str) -> None:
        """Press these keys."""
        os.write(self._door, keys.encode())

    def type(self, text: str, until: Callable[[], bool]) -> None:
        """Type a line and press Enter, again where the program has not taken it, until this holds."""
        self.press(text)
        ends = threading.Event()
        for _ in range(24):
            ends.wait(0.5)  # what comes at once with a text is taken for a part of it
            self.press(ENTER)
            for _ in range(int(_AGAIN_S / 0.1)):
                if until():
                    return
                ends.wait(0.1)
        raise AssertionError(f"{text!r} was never taken: {self.screen[-2000:]!r}")

    def _draw(self) -> None:
        while True:
            try:
                drawn = os.read(self._door, 1 << 16)
            except OSError:
                return  # the program has ended
            self.screen += drawn
            for asked, answer in _ANSWERS.items():
                if asked in drawn:
                    os.write(self._door, answer)


@contextmanager
def before(words: Sequence[str], folder: Path, environment: Mapping[str, str], prompt: str) -> Iterator[Terminal]:
    """A program that was started in a terminal and has drawn its prompt; it is killed with all that it started."""
    process, door = pty.fork()
    if not process:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        os.chdir(folder)
        os.execve(words[0], list(words), {**environment, "TERM": "xterm-256color"})
    terminal = Terminal(door)
    try:
        wait_until(lambda: prompt.encode() in terminal.screen)
        yield terminal
    finally:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(door)
