"""The retention rule of backups: `7 14d 8w 12m`, a number, or `all`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agentws.errors import UsageError
from agentws.features.copies.backup.plan import loss
from agentws.features.copies.backup.plan.loss import Span

ALL = "all"
DEFAULT = "7 14d 8w 12m"
_PART = re.compile(r"([1-9][0-9]{0,4})([dwm]?)")
_PERIODS = {"d": "%Y-%m-%d", "w": "%G-%V", "m": "%Y-%m"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A retention rule: keep the `newest` N, and the newest of so many days, weeks and months; None keeps all."""

    newest: int | None
    periods: tuple[tuple[str, int], ...] = ()


def parse(text: str) -> Rule:
    """Parse a retention rule; UsageError if it is invalid."""
    words = text.strip().lower().split()
    if words == [ALL]:
        return Rule(None)
    matches = [_PART.fullmatch(word) for word in words]
    letters = [match[2] for match in matches if match is not None]
    if not words or None in matches or len(set(letters)) != len(letters):
        raise UsageError(
            f"--keep {text!r} is not a rule.",
            hint=f"Write '{DEFAULT}' (newest, days, weeks, months), a number of backups, or {ALL}.",
        )
    counts = {match[2]: int(match[1]) for match in matches if match is not None}
    return Rule(counts.pop("", 1), tuple(counts.items()))


def removable(rule: Rule, backups: Sequence[tuple[str, datetime]]) -> list[str]:
    """Return the names of the backups (name, moment; oldest first) that the rule does not keep. The newest stays."""
    if rule.newest is None:
        return []
    newest_first = list(reversed(backups))
    kept = {name for name, _ in newest_first[: rule.newest]}
    for letter, count in rule.periods:
        seen: dict[str, str] = {}
        for name, at in newest_first:
            seen.setdefault(at.strftime(_PERIODS[letter]), name)
        kept.update(list(seen.values())[:count])
    return [name for name, _ in backups if name not in kept]


def spared(gone: Sequence[str], held: Mapping[str, Mapping[str, Span]], newest: Mapping[str, Span]) -> list[str]:
    """Return the backups of `gone` that may be removed without losing an event that no other backup has.

    `held` are the events of each backup by writer, without the `newest` one. As few as possible are kept: if the
    beginning of a journal was retired, older backups have more events.
    """
    removed = list(gone)
    kept = [newest, *(spans for name, spans in held.items() if name not in gone)]
    while removed:
        counts = {name: loss.alone(kept, held[name]) for name in reversed(removed)}
        best = max(counts, key=lambda name: counts[name])
        if not counts[best]:
            break
        removed.remove(best)
        kept.append(held[best])
    return removed
