"""The other end of a fetch or push, where that is a process here: the repository on a stick may be anybody's."""

from __future__ import annotations

_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true", "core.fsync=all",
    "gc.auto=0", "maintenance.auto=false", "receive.autogc=false", "receive.unpackLimit=1",
    "receive.fsckObjects=true",
)  # fmt: skip


def words(word: str) -> tuple[str, ...]:
    """The option by which git runs nothing of the repository at a path, and makes what it takes there durable."""
    kind = "receive-pack" if word == "push" else "upload-pack"
    command = " ".join(["git", *(f"-c {setting}" for setting in _SETTINGS)])
    return (f"--{kind}={command} {kind}",)
