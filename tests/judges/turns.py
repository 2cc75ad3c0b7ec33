"""What a scripted model does at its turn, whichever service it stands for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Say:
    """Text alone, and so the end of its answer."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of another tool."""

    tool: str
    given: dict[str, object]


@dataclass(frozen=True)
class Run:
    """A call of the tool that runs a command in the shell."""

    command: str
