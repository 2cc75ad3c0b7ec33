"""Pins: files that an agent's own instructions call its current state, so that `boot.pinned` can name them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from agentws.core.formats import layout
from agentws.core.markdown import markdown

_PATH = re.compile(r"(?<![\w./~-])((?:[\w-]+/){0,4}[\w][\w.-]*\.md)\b")
_CURRENT_NAME = re.compile(
    r"(?:^|[-_/])(?:CURRENT|ACTIVE|NOW|STATE|STATUS|CONTINUATION|IN[-_]PROGRESS|WORKING|FOCUS|TODO)(?:[-_.]|$)",
    re.IGNORECASE,
)
_SAYS_CURRENT = re.compile(
    r"source of truth|what(?:'|’)?s (?:in progress|running|active)|current (?:task|state|work|status|focus)|"
    r"(?:tasks?|work) in progress|crash recovery|pick up where|read this (?:file )?first|active tasks?|resum(?:e|ing)",
    re.IGNORECASE,
)


def current_files(instructions: Mapping[str, str], existing: Collection[str]) -> list[str]:
    """Return the RelPaths to pin: files that `instructions` (path → text) name as current state, in their order.

    Only files in `existing` count, and none that boot loads anyway: identity, instructions, memory, daily logs. A name
    like CURRENT.md or ACTIVE-TASKS.md is enough; any other file must be called current on its line.
    """
    result: list[str] = []
    for text in instructions.values():
        for unit in markdown.units(text):
            for line in unit.text.split("\n"):
                says_current = _SAYS_CURRENT.search(line)
                for path in _PATH.findall(line):
                    named = says_current or _CURRENT_NAME.search(path)
                    if named and path in existing and path not in result and not _is_loaded_anyway(path):
                        result.append(path)
    return result


def _is_loaded_anyway(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if not folder:
        return layout.usual(path) in layout.AGENT_FILES or path in layout.HOST_FILES or path == "README.md"
    return folder == layout.DAYS and layout.day_of(name) is not None
