"""Start-up texts of invented files, for the tests of the rules of docs/guides/waking-up.md."""

from __future__ import annotations

import re

from agentws.core.disk.system import shipped
from agentws.core.notes import request as roles
from agentws.core.notes.request import Request, Source
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble

TODAY = "2026-11-20"
GAP = re.compile(r"^\[… .*\]$")
_COUNTERS = {name: counters.counter(name, shipped.open_o200k) for name in counters.NAMES}
_ROLES = {
    "SOUL.md": roles.IDENTITY,
    "IDENTITY.md": roles.IDENTITY,
    "USER.md": roles.USER,
    "AGENTS.md": roles.INSTRUCTIONS,
    "MEMORY.md": roles.MEMORY,
}


def boot(*sources: Source, budget: int = 8000, counter: str = "o200k_base", **more: object) -> assemble.Context:
    """The context for these sources; its count is checked."""
    made = assemble.fit(
        Request(
            name="Robin", now="Fri 07:15", sources=sources, budget=budget, counter=_COUNTERS[counter], today=TODAY,
            **more,  # type: ignore[arg-type]
        )
    )  # fmt: skip
    assert counters.tokens(_COUNTERS[counter], made.text) == made.tokens <= budget
    return made


def file(path: str, text: str) -> Source:
    """A file of the stable part; one of another name than the usual ones is pinned."""
    return Source(path, _ROLES.get(path, roles.PINNED), text)


def day(date: str, text: str) -> Source:
    """A daily log."""
    return Source(f"memory/{date}.md", roles.DAY, text, title=date, brief=date)


def section(text: str, name: str) -> list[str]:
    """The lines below the heading of a section, without the empty ones; an empty list if there is none."""
    _, heading, rest = text.partition(f"\n## {name}")
    return [line for line in rest.partition("\n## ")[0].split("\n")[1:] if line] if heading else []


def open_lines(text: str) -> list[str]:
    """The items below the heading `Open`."""
    return [line for line in section(text, "Open") if line.startswith("- ")]


def sentences(count: int, word: str = "pear") -> str:
    """So many sentences of ten words, no two of which are alike."""
    return " ".join(f"The {word} tree number {at} needs water again before next Friday." for at in range(count))
