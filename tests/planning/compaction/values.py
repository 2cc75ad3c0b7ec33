"""Days and entries for the tests of compaction, built by hand."""

from __future__ import annotations

from agentws.planning import tokens
from agentws.planning.compaction import keeping
from agentws.planning.compaction.keeping import Kept
from agentws.planning.compaction.units import Context, Day, Entry, Source

CHARS4 = tokens.Chars4()


def day(text: str, date: str = "2026-03-02") -> Day:
    return Day(f"memory/{date}.md", date, f"# {date}\n\n{text}")


def chat(*said: tuple[str, str], date: str = "2026-03-02") -> Day:
    return day("## 10:00 chat\n\n" + "".join(f"- **{who}:** {text}\n" for who, text in said), date)


def keep(*days: Day, entries: tuple[Entry, ...] = (), budget: int = 1000, context: Context | None = None) -> Kept:
    return keeping.keep(days, entries, budget, CHARS4, context=context)


def texts(kept: Kept) -> list[str]:
    return [entry.text for entry in kept.entries]


def old(text: str, *, score: float | None = 0.4, kind: str = "Facts") -> Entry:
    """An entry that is in memory already."""
    return Entry(text, kind, (text[:10],), (Source(f"memory/{text[:10]}.md", 3, 3),), score)
