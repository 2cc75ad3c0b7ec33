"""Facts about this host machine: its name, boot id, container, and which processes run."""

from __future__ import annotations

import os

from agentws.core.installation import state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.journal.thread import Process, ThisMachine


def in_container(declared: str | None) -> bool:
    """Return whether this host machine is a container, where a home seldom survives. `declared` is `$container`."""
    return bool(declared) or state_dir.in_container()


def name() -> str:
    """Return the name of this host machine, limited to letters, digits, dots and dashes."""
    return "".join(char for char in os.uname().nodename if char.isascii() and (char.isalnum() or char in "-._"))[:64]


def boot_id() -> str | None:
    """Return an id of this start of the host machine, None if unknown."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read(64).decode("ascii", "replace").strip()  # no codec has to be loaded for that
    except OSError:
        return None


def namespace() -> int | None:
    """Return the number of this process's pid namespace on the host, None for none.

    In another container, the same process id means another process.
    """
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return None


def process(pid: int) -> dict[str, object]:
    """Return the id of a process of this host with its start time, which distinguishes it from a later one of that id.

    `started` is in clock ticks since the machine's start, None if unknown. If the process is a shell that runs a single
    command, `outer` holds the same of the program that called it.
    """
    fields: dict[str, object] = {"process": pid, "started": _started(pid)}
    outer = pid
    for _ in range(_MOST_SHELLS):
        if not _passes(outer):
            break
        outer = _parent(outer)
    if outer > 0 and outer != pid:
        fields["outer"] = {"process": outer, "started": _started(outer)}
    return fields


def ancestors(pid: int) -> list[tuple[int, int | None]]:
    """Return a process of this host and its ancestors, nearest first, each with its start time."""
    result: list[tuple[int, int | None]] = []
    while pid > 0 and len(result) < _MOST_ANCESTORS:
        result.append((pid, _started(pid)))
        pid = _parent(pid)
    return result


def command_line(pid: int) -> list[str]:
    """Return the command line of a process, a fact about the host; that of the caller for a one-command shell.

    Empty if unknown.
    """
    outer = process(pid).get("outer")
    caller = outer.get("process") if isinstance(outer, dict) else pid
    return _words(caller if isinstance(caller, int) else pid)


def lives(pid: int, started: int | None) -> bool | None:
    """Return whether the process with this id and start time still runs on this host; None if unknown.

    A zombie counts as gone.
    """
    fields = _fields(pid)
    if fields:
        if fields[_STATE] in _DEAD:
            return False
        return None if started is None else int(fields[_STARTED]) == started
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return None
    return None  # it is there, but this system does not say since when


_STATE, _PARENT, _STARTED = 0, 1, 19
"""Places in /proc/PID/stat behind the name of the program."""
_DEAD = ("Z", "X", "x")
_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "busybox")
_MOST_SHELLS = 8
_MOST_ANCESTORS = 64


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat behind the program's name, empty if unknown."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name of the program is in parentheses, and may contain anything.
            names = file.read(4096).rpartition(")")[2].split()
    except OSError:
        return []
    numbers = names[_PARENT : _STARTED + 1 : _STARTED - _PARENT]
    return names if len(names) > _STARTED and all(number.isdigit() for number in numbers) else []


def _started(pid: int) -> int | None:
    fields = _fields(pid)
    return int(fields[_STARTED]) if fields else None


def _parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[_PARENT]) if fields else 0


def _passes(pid: int) -> bool:
    """Return True for a shell that runs one command (`sh -c …`), or that is a part of another one (`$(…)`)."""
    words = _words(pid)
    if not words or os.path.basename(words[0]).lstrip("-") not in _SHELLS:
        return False
    for word in words[1:]:
        if not word.startswith("-"):
            break
        if not word.startswith("--") and "c" in word:
            return True
    return words == _words(_parent(pid))


def _words(pid: int) -> list[str]:
    """Return the command line of a process, empty if unknown."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read(4096).rstrip("\0").split("\0")
    except OSError:
        return []


def this_machine(processes: Iterable[Process]) -> ThisMachine:
    """Return the present facts of this host by which sessions with these processes are judged."""
    from agentws.core.formats.journal import thread

    return thread.ThisMachine(name(), boot_id(), namespace(), {pair: lives(*pair) for pair in processes})
