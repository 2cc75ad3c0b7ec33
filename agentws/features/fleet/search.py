"""Searches what a team shipped: events of all agents that the connected role may read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentws.core.formats.json import plainjson
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.features.fleet.database import Database

MOST_HITS = 200
_SNIPPET, _BEFORE = 240, 60
_NO_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts that put no blanks between words: PostgreSQL's parser takes a sentence of them for one word."""
_WORDS = re.compile(r'"[^"]*"|\S+')
_SEARCH = """
    SELECT e.agent, coalesce(a.name, ''), e.writer, e.seq, e.at, e.kind, e.src, e.session, e.tail
    FROM agentws.events e LEFT JOIN agentws.agents a USING (team, agent)
        CROSS JOIN websearch_to_tsquery('simple', %(query)s) q
    WHERE e.team = %(team)s AND e.tail IS NOT NULL
        AND CASE WHEN cardinality(%(parts)s::text[]) = 0 THEN e.words @@ q
            ELSE NOT EXISTS (
                SELECT FROM unnest(%(parts)s::text[], %(escaped)s::text[]) AS p (part, escaped)
                WHERE strpos(lower(e.tail), part) = 0 AND strpos(lower(e.tail), escaped) = 0) END
        AND (%(agent)s = '' OR %(agent)s IN (e.agent, a.name))
        AND (%(kind)s = '' OR e.kind = %(kind)s OR e.kind LIKE %(family)s)
        AND (%(since)s::timestamptz IS NULL OR e.at >= %(since)s)
    ORDER BY CASE WHEN cardinality(%(parts)s::text[]) = 0 THEN ts_rank(e.words, q) ELSE 0 END DESC,
        e.at DESC, e.seq DESC
    LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """An event of an agent: its cursor (`WRITER:SEQ`), when (ISO 8601, UTC), and the part of its text that matches."""

    agent: str
    name: str
    cursor: str
    at: str
    kind: str
    src: str
    session: str
    text: str


def search(
    fleet: Database,
    team: str,
    query: str,
    *,
    agent: str = "",
    kind: str = "",
    since: datetime | None = None,
    limit: int = 10,
) -> list[Hit]:
    """Return the events of a team that match a query, the best first.

    Words are matched whole, in any language; `"…"`, `or` and `-word` as in a web search. Words of scripts without
    blanks match anywhere in a text. `agent` is an id or a name, `kind` a kind or a family (`approval.*`).
    """
    text = query.replace("\0", " ").encode("utf-8", "replace").decode().strip()
    if not text:
        raise UsageError("What is to be found?", hint="agentws fleet search 'roof estimate'")
    parts = [word.strip('"').lower() for word in _WORDS.findall(text)] if _NO_BLANKS.search(text) else []
    values = {
        "team": team,
        "query": text,
        "parts": parts,
        "escaped": [plainjson.dumps(part)[1:-1].lower() for part in parts],
        "agent": agent,
        "kind": kind,
        "family": _family(kind),
        "since": since,
        "limit": min(limit, MOST_HITS),
    }
    words = parts or [word.strip('"').lower() for word in _WORDS.findall(text)]
    return [hit(row, words) for row in fleet.rows(_SEARCH, values)]


def _family(kind: str) -> str:
    """Return the LIKE pattern of a family of kinds, one that nothing matches for a single kind."""
    return (
        kind.removesuffix("*").replace("\\", "").replace("%", "").replace("_", r"\_") + "%"
        if kind.endswith("*")
        else ""
    )


def hit(row: tuple[object, ...], words: list[str] | None = None) -> Hit:
    """Return an event from (agent, name, writer, seq, at, kind, src, session, tail)."""
    agent, name, writer, seq, at, kind, src, session, tail = row
    moment = at.strftime("%Y-%m-%dT%H:%M:%SZ")  # type: ignore[attr-defined]
    text = snippet(plain(str(tail)) if tail is not None else "", words or [])
    return Hit(str(agent), str(name), f"{writer}:{seq}", moment, str(kind), str(src), str(session or ""), text)


def plain(tail: str) -> str:
    """Return the texts of an event's stored tail, with a blank between them."""
    try:
        waiting = [plainjson.loads(f"{{{tail}}}")["body"]]
    except (ValueError, KeyError, RecursionError):
        return tail
    texts = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)
    return " ".join(texts)


def snippet(text: str, words: list[str]) -> str:
    """Return the part of a text around the first word of these, at most 240 characters."""
    flat = " ".join(text.split())
    lowered = flat.lower()
    at = min((place for word in words if (place := lowered.find(word)) >= 0), default=0)
    start = max(0, min(at - _BEFORE, len(flat) - _SNIPPET))
    part = flat[start : start + _SNIPPET]
    return f"{'…' * (start > 0)}{part}{'…' * (start + _SNIPPET < len(flat))}"
