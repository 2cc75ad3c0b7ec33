"""Things that were removed, and what says of them that they run or are to be installed. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.units import Unit

_VERB = (
    r"(?:[Rr]emoved|REMOVED|[Uu]ninstalled|[Dd]eleted|DELETED|[Ss]hut down|[Dd]ecommissioned|[Rr]etired|[Aa]bandoned|"
    r"[Tt]orn down|[Dd]ropped entirely)"
)
_NAME = r"([A-Z][\w.-]{0,60}\w(?: [A-Z][\w.-]{0,60}\w){0,2})"
_BEFORE = re.compile(
    rf"{_NAME}(?: app| server| workspace| container)?\W++(?:(?:is|was|has been|now|fully)\W++)*{_VERB}\b"
)
_BEHIND = re.compile(
    rf"\b{_VERB} (?:(?:the|our|old|all of) )?{_NAME}(?=\s*+(?:[,.;:!)(+]|$|(?:and|with|on|from|by)\b|[–—-]\s))"
)
_HINTS = (
    "removed",
    "uninstalled",
    "deleted",
    "shut down",
    "decommissioned",
    "retired",
    "abandoned",
    "torn down",
    "dropped",
)
_NOT = re.compile(
    r"\b(?:not|never|until|once|if|when|should|will|needs?|todo|must|to be|cannot|pending|from|was told)\b|\?"
)
_IDENTIFIER = re.compile(r"[A-Z][a-z]++[A-Z]\w*|[A-Z]{5}\w*|\w[^\W_]*+_\w+|\w++[-.]\w+|\w++ \w.*")
_STANDS = re.compile(
    r"\b(?:running|runs?|ready|usable|functions?|live|available|installed|install|test|next|set up|works?|working|"
    r"uses?|deploy(?:ed)?|launched|online|integrate|configure|needs?|enable[d]?)\b",
    re.IGNORECASE,
)
_MOST_NAMES = 400


class Gone:
    """Which things some of the units, by their indices, tell as removed."""

    def __init__(self, every: Sequence[Unit]) -> None:
        self._at: dict[str, list[int]] = {}
        for index, unit in enumerate(every):
            if unit.is_spoken:
                continue
            for text in (unit.text, unit.about):
                if any(map(text.lower().__contains__, _HINTS)) and not _NOT.search(text):
                    for name in (*_BEFORE.findall(text), *_BEHIND.findall(text)):
                        if _IDENTIFIER.fullmatch(name):
                            self._at.setdefault(name, []).append(index)
        names = sorted(self._at, key=len, reverse=True)[:_MOST_NAMES]
        self._any = re.compile(_any_of(names)) if names else None

    def of(self, text: str) -> list[int]:
        """The indices of the units that tell what `text` says to run, or to be set up, as removed."""
        if self._any is None or any(map(text.lower().__contains__, _HINTS)) or _STANDS.search(text) is None:
            return []
        return [index for name in self._any.findall(text) for index in self._at[name]]


def _any_of(names: Sequence[str]) -> str:
    return rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, names))})(?![\w/-])"
