"""Leases: names that one holder has for some seconds of the server's clock, each time with a higher epoch.

The epoch is the fence: a program that writes elsewhere passes it on, and refuses lower ones than it has seen.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from agentws.errors import AgentwsError, LockHeldError, MissingFileError, OutsideProgramError, UsageError
from agentws.features.fleet import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


SHORTEST_S, LONGEST_S = 1, 86_400
LEAST_FOR_COMMAND_S = 6
EPOCH, NAME = "AGENTWS_LEASE_EPOCH", "AGENTWS_LEASE"
"""Variables of a command that runs under a lease."""
_RENEWALS = 3
"""How often a lease is renewed within its time."""
_RETRY_S = 0.5
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_MOST_GRACE_S = 5.0
_GRACE_PART = 6
_GUARD = "trap '' HUP INT QUIT TERM TSTP; read group; read _; kill -9 -$group"
"""Script of a shell: once its input ends, with this process, it kills the process group that its first line names."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease as the server has it: its holder (empty if it is free), the epoch, and the seconds that it lasts.

    `agent` is empty for a lease of the whole team. `is_taken` is whether this call got it.
    """

    agent: str
    name: str
    holder: str
    epoch: int
    seconds_left: float
    is_taken: bool = False


def show(fleet: database.Database, team: str, agent: str = "") -> list[Lease]:
    """Return the leases of the team, and of one agent or (empty) of all that the role may read."""
    return fleet.records(
        Lease,
        "SELECT agent, name, CASE WHEN until > clock_timestamp() THEN holder ELSE '' END, epoch,"
        " greatest(0, extract(epoch FROM until - clock_timestamp()))::float8 FROM agentws.leases"
        " WHERE team = %s AND (%s = '' OR agent IN ('', %s)) ORDER BY agent, name",
        (team, agent, agent),
    )


def take(fleet: database.Database, team: str, agent: str, name: str, seconds: float, holder: str = "") -> Lease:
    """Take a lease, if nobody holds it; `is_taken` says whether it was free. The same holder may ask again."""
    _check_seconds(seconds)
    holder = holder or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
    values = fleet.row(
        "SELECT holder, epoch, seconds_left, is_taken FROM agentws.lease_take(%s, %s, %s, %s, %s)",
        (team, agent, name, holder, seconds),
    )
    return Lease(agent, name, *values)  # type: ignore[arg-type]


def renew(fleet: database.Database, team: str, agent: str, name: str, epoch: int, seconds: float = 0) -> bool:
    """Hold a lease for some seconds more, or (0) give it back; False if it has ended already."""
    if seconds:
        _check_seconds(seconds)
    return bool(fleet.row("SELECT agentws.lease_renew(%s, %s, %s, %s, %s)", (team, agent, name, epoch, seconds))[0])


def check_fence(fleet: database.Database, team: str, agent: str, name: str, epoch: int) -> bool:
    """Return whether this epoch holds the lease now. In a transaction nobody else takes it before that ends."""
    return bool(fleet.row("SELECT agentws.check_fence(%s, %s, %s, %s)", (team, agent, name, epoch))[0])


def _check_seconds(seconds: float) -> None:
    if not SHORTEST_S <= seconds <= LONGEST_S:
        raise UsageError(f"A lease lasts {SHORTEST_S} to {LONGEST_S:,} seconds.", hint="--for 60")


def held(lease: Lease, team: str) -> LockHeldError:
    """Return the error for a lease that somebody else holds."""
    whose = f"agent {lease.agent}" if lease.agent else f"team {team}"
    return LockHeldError(
        f"The lease {lease.name!r} of {whose} is held by {lease.holder} for {lease.seconds_left:.0f} s more.",
        hint="Run the command again then, or see: agentws fleet lease",
    )


def run(url: str, team: str, agent: str, name: str, seconds: float, argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command while holding a lease; return its exit status (128 + signal if one ended it).

    The command is killed before the lease can be taken by others: at once if the server says that it ended, else in
    time when it cannot be renewed. LockHeldError if another holder has it or it was lost; RemoteAwayError without a
    database at the start: then nothing runs.
    """
    if seconds < LEAST_FOR_COMMAND_S:
        raise UsageError(f"A command needs a lease of {LEAST_FOR_COMMAND_S} seconds or more.", hint="--for 60")
    asked = _now()
    with database.connected(url) as fleet:
        lease = take(fleet, team, agent, name, seconds)
    if not lease.is_taken:
        raise held(lease, team)
    command = renewals = None
    try:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)  # signals wait until the command can be ended
        try:
            command = _Command(argv, {**env, NAME: name, EPOCH: str(lease.epoch)})
            renewals = _Renewals(url, team, lease, seconds, asked)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        why = command.wait(renewals)
    finally:
        if command is not None:
            command.kill()
        if renewals is not None:
            renewals.end.set()
        with suppress(AgentwsError), database.connected(url) as fleet:  # else it ends by itself
            renew(fleet, team, agent, name, lease.epoch)
    if why:
        hint = "The command was ended. Take the lease again to go on."
        raise LockHeldError(f"The lease {name!r} was lost: {why}.", hint=hint)
    return command.status


def _now() -> float:
    """Return seconds of a clock that nobody sets and that runs while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class _Renewals:
    """A thread that renews a lease until its `end` is set: until `deadline` (by _now) it is surely held, unless
    `is_refused`, which sets `wake`.
    """

    def __init__(self, url: str, team: str, lease: Lease, seconds: float, asked: float) -> None:
        self.deadline, self.grace = asked + seconds, min(_MOST_GRACE_S, seconds / _GRACE_PART)
        self.is_refused, self.why = False, "no answer"
        self.wake, self.end = threading.Event(), threading.Event()
        threading.Thread(target=self._renew, args=(url, team, lease, seconds), daemon=True).start()

    def _renew(self, url: str, team: str, lease: Lease, seconds: float) -> None:
        pause = seconds / _RENEWALS
        while not self.is_refused and not self.end.wait(pause):
            asked, pause = _now(), seconds / _RENEWALS
            try:
                with database.connected(url) as fleet:
                    self.is_refused = not renew(fleet, team, lease.agent, lease.name, lease.epoch, seconds)
            except AgentwsError as error:
                self.why, pause = error.message, _RETRY_S
            else:
                self.deadline = asked + seconds
        self.wake.set()

    def wait(self, until: float) -> bool:
        """Wait until a time (by _now) for the end of the command, or a refusal; return whether one came."""
        return self.wake.wait(max(until - _now(), 0))


class _Command:
    """A command in its own process group, which has the terminal if there is one; `status` is its exit status."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.status, self._terminal = 0, None
        reading, self._alive = os.pipe()
        self._guard = self._process = _started(["/bin/sh", "-c", _GUARD], stdin=reading)
        os.close(reading)
        try:
            self._process = _started(argv, env=dict(env), preexec_fn=self._begin)
        except AgentwsError:
            self.kill()
            raise
        self._terminal = _give_terminal(self._process.pid)

    def _begin(self) -> None:
        """Name the group to the guard: the new process does, so that none runs without it. Take signals again."""
        os.write(self._alive, b"%d\n" % os.getpid())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)

    def wait(self, renewals: _Renewals) -> str:
        """Wait for the command's end; return why the lease was lost, empty if the command ended by itself."""
        threading.Thread(target=self._await, args=(renewals.wake,), daemon=True).start()
        while not renewals.wait(due := renewals.deadline - renewals.grace):
            if due == renewals.deadline - renewals.grace:  # not renewed meanwhile
                self._signal(signal.SIGTERM)
                renewals.wait(renewals.deadline)
                return f"it could not be renewed in time ({renewals.why})"
        return "the database says that it ended" if renewals.is_refused else ""

    def _await(self, wake: threading.Event) -> None:
        status = self._process.wait()
        self.status = status if status >= 0 else 128 - status
        wake.set()

    def kill(self) -> None:
        """End the whole process group of the command, and take the terminal back."""
        self._signal(signal.SIGKILL)
        if self._guard.poll() is None:
            self._guard.kill()
            self._guard.wait()
            os.close(self._alive)
        if self._terminal is not None:
            before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            with suppress(OSError):
                os.tcsetpgrp(self._terminal, os.getpgrp())
            signal.signal(signal.SIGTTOU, before)
            self._terminal = None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it has ended
            os.killpg(self._process.pid, number)


def _started(words: Sequence[str], **more: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(list(words), process_group=0, **more)
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no command {words[0]!r}.") from error
    except OSError as error:
        raise OutsideProgramError(f"{words[0]} could not be started: {error.strerror}.") from error


def _give_terminal(group: int) -> int | None:
    """Make a process group the terminal's foreground; return the terminal, None without one."""
    try:
        if os.tcgetpgrp(0) != os.getpgrp():
            return None
        os.tcsetpgrp(0, group)
        os.killpg(group, signal.SIGCONT)  # it may have read before it was the foreground
    except OSError:
        return None
    return 0
