"""One machine of several that share an agent: a folder with home, state, cache and workspace, and a clock of its own.

A command runs as a forked child and can be cut off: killed at a file operation, or with all that it started, after some
time or in the middle of what the remote does for it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from agentws.core.formats.journal import segment
from tests import forked
from tests.crash.harness import Disk, Kill

SEGMENT_BYTES = 3_000
"""So small that a journal of some dozen events has sealed and compressed segments."""
_HANGS_S = 120


@dataclass(frozen=True)
class Cut:
    """How a command is cut off: at a file operation, after so many seconds, or in a push.

    `at`: the changing operation; `after_s`: then everything that it started dies too, from the beginning of a push on
    where `push` is "all". Else "alone" ends the command, and git pushes on; "late" ends both when the push is done.
    """

    at: int | None = None
    torn: bool = False
    after_s: float | None = None
    push: str = ""


@dataclass(frozen=True)
class Done:
    """How a command ended (`code` negative: killed), and what it printed."""

    code: int
    out: str
    err: str

    @property
    def well(self) -> bool:
        """Return whether it acknowledged."""
        return self.code == 0


@dataclass
class Machine:
    """A machine named `name` beneath `base`, whose clock is wrong by `skew`."""

    base: Path
    name: str
    skew: timedelta = timedelta()
    now: Callable[[], datetime] = field(default=lambda: datetime.fromisoformat("2026-09-01T08:00:00+00:00"))

    def __post_init__(self) -> None:
        for folder in ("home", "state", "cache"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)

    @property
    def folder(self) -> Path:
        """All that is this machine's."""
        return self.base / self.name

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.folder / "robin"

    @property
    def is_whole(self) -> bool:
        """Return whether no killed change waits for the next command, which may revert it.

        A file that was edited before that keeps the edit but not the base of it: what a killed sync had brought into
        the file, and a person took out, comes with the next sync again.
        """
        return not any((self.root / ".agentws/undo").glob("*.pending"))

    def environment(self) -> dict[str, str]:
        """The variables of a shell here."""
        here = {name: str(self.folder / name) for name in ("home", "state", "cache")}
        return {
            "PATH": os.environ["PATH"], "HOME": here["home"], "XDG_CACHE_HOME": here["cache"], "TZ": "UTC",
            "XDG_CONFIG_HOME": f"{here['home']}/config", "XDG_STATE_HOME": here["state"], "container": "",
            "AGENTWS_NOW": (self.now() + self.skew).isoformat(),
        }  # fmt: skip

    def call(self, *words: str, cut: Cut | None = None) -> Done:
        """Run `agentws WORDS` on the workspace, cut off as that says."""
        return self.bare("-C", str(self.root), *words, cut=cut)

    def bare(self, *words: str, cut: Cut | None = None) -> Done:
        """Run `agentws WORDS` as it stands."""
        return self.begun(*words, cut=cut)()

    def begun(self, *words: str, cut: Cut | None = None) -> Callable[[], Done]:
        """Begin `agentws WORDS` as it stands; the result waits for its end."""
        cut, env = cut or Cut(), self.environment()
        if cut.push:
            env |= {"PATH": f"{_git_that_cuts(self.folder)}:{env['PATH']}", "CUT_PUSH": cut.push}
            env["CUT_AFTER"] = str(cut.after_s or 0)
        with contextlib.ExitStack() as opened, open(os.devnull, "rb") as nothing:
            out, err = opened.enter_context(tempfile.TemporaryFile()), opened.enter_context(tempfile.TemporaryFile())
            child = forked.begin(
                *words,
                streams=(nothing.fileno(), out.fileno(), err.fileno()),
                cwd=self.folder,
                env=env,
                guard_s=_HANGS_S,
                before=lambda: _prepare(cut),
            )
            streams = opened.pop_all()

        def ended() -> Done:
            with streams:
                if cut.after_s is not None and not cut.push:
                    time.sleep(cut.after_s)
                    end(child)
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
                if cut != Cut():
                    end(child)  # what it started and left behind; its number is still its own
                code = forked.end(child)
                out.seek(0)
                err.seek(0)
                return Done(-signal.SIGKILL if code == 137 else code, out.read().decode(), err.read().decode())

        return ended


def end(group: int) -> None:
    """End a command with all that it started."""
    for kill in (os.killpg, os.kill):
        try:
            kill(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _prepare(cut: Cut) -> None:
    os.setsid()
    segment.LIMIT_BYTES = SEGMENT_BYTES
    os.fsync = os.fdatasync = lambda fd: None  # no machine loses its power here
    if cut.at is not None:
        Disk(Kill(cut.at, "half" if cut.torn else "before")).install()


_GIT = """\
#!/bin/sh
case " $* " in
*" push "*)
    case $CUT_PUSH in
    alone) kill -9 $PPID ;;
    all) {git} "$@" & sleep $CUT_AFTER; kill -9 -$PPID ;;
    late) {git} "$@"; kill -9 -$PPID ;;
    esac ;;
esac
exec {git} "$@"
"""
"""Stands before git where a push is cut off."""


def _git_that_cuts(folder: Path) -> Path:
    """A folder with that program, to be the first in PATH."""
    place = folder / "bin"
    if not place.exists():
        place.mkdir()
        (place / "git").write_text(_GIT.format(git=shutil.which("git")))
        (place / "git").chmod(0o755)
    return place
