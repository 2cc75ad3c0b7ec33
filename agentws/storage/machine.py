"""What kind of machine this is, as far as a workspace must know."""

from __future__ import annotations

import os

_SIGNS = ("/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io")


def in_container(declared: str | None) -> bool:
    """True inside a container, where a home folder seldom survives. `declared` is the value of `$container`."""
    return bool(declared) or any(os.path.exists(sign) for sign in _SIGNS)


def name() -> str:
    """What this machine calls itself, as far as that is letters, digits, dots and dashes."""
    return "".join(char for char in os.uname().nodename if char.isascii() and (char.isalnum() or char in "-._"))[:64]


def boot_id() -> str | None:
    """An id of this start of the machine, None where the system tells none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read(64).strip()
    except OSError:
        return None


def process(pid: int) -> dict[str, object]:
    """The id of a process with the moment it began, by which it is told from a later one that has the same id.

    `started` is in clock ticks since the machine's start, None where the system does not tell.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name of the program stands in parentheses, and may hold anything.
            started = int(file.read(4096).rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        started = None
    return {"process": pid, "started": started}
