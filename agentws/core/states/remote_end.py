"""The git options for the other end of a fetch or push by path: that repository, on a stick, may be untrusted."""

from __future__ import annotations

_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true", "core.fsync=all",
    "gc.auto=0", "maintenance.auto=false", "receive.autogc=false", "receive.unpackLimit=1",
    "receive.fsckObjects=true",
)  # fmt: skip


def words(word: str) -> tuple[str, ...]:
    """Return the option by which git runs no code from the other repository, and makes what it writes there durable."""
    kind = "receive-pack" if word == "push" else "upload-pack"
    command = " ".join(["git", *(f"-c {setting}" for setting in _SETTINGS)])
    return (f"--{kind}={command} {kind}",)
