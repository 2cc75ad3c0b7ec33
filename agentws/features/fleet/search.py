"""Searches what a team shipped, ranked as in a workspace: documents and events of all agents that the role may read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from agentws.core.formats import layout
from agentws.errors import MissingFileError, OutsideProgramError, UsageError
from agentws.features.fleet import vectors
from agentws.features.search import reading
from agentws.features.search.plan import confidence, features, query as _query, rank, similarity, terms, unit as _unit
from agentws.features.search.result import Found, Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.environment import Environment
    from agentws.features.fleet.database import Database, Row
    from agentws.features.fleet.vectors import Entry, Place
    from agentws.features.search.plan.query import Query
    from agentws.features.search.plan.unit import Unit

MOST_HITS = 200
_MOST_POSTINGS = 10_000
"""Beyond so many events, only rarer words choose the candidates."""
_PREFIX_WEIGHT = 4.0
_ROOM = 1 << 21
"""Distance between the unit numbers of two texts, more than a text has units."""
_NEWEST = 10_000
_FOUND = "SELECT * FROM agentws.found(%(team)s, %(words)s, %(weights)s, %(agent)s, %(kind)s, %(since)s, %(old)s)"


@dataclass(frozen=True, slots=True)
class Owner:
    """The agent of a hit, the path within its workspace, and of an event its cursor (`WRITER:SEQ`), else None."""

    agent: str
    name: str
    path: str
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search in a fleet: hits as in a workspace, and their owners by the number of a hit's unit.

    The paths of the hits begin with the agent's name: `robin:MEMORY.md`.
    """

    found: Found
    owners: dict[int, Owner]


def search(
    fleet: Database,
    team: str,
    question: str,
    *,
    now: str,
    agent: str = "",
    kind: str = "",
    since: datetime | None = None,
    limit: int = 10,
    is_old: bool = False,
    environment: Environment | None = None,
) -> Searched:
    """Return the entries of documents and the events of a team that answer a question best, asked at `now` (ISO).

    `agent` is an id or a name, `kind` a kind or a family (`approval.*`); `is_old` includes earlier versions.
    With the user's `environment`, the embedder in its settings finds by meaning, too.
    """
    query = _query.parse(question.encode("utf-8", "replace").decode(), now=now)
    if not (query.terms or query.prefixes):
        raise UsageError("What is to be found?", hint="agentws fleet search 'roof estimate'")
    total, counts, models = fleet.row(
        "SELECT coalesce(sum(head_seq - base_seq), 0)::bigint, agentws.word_counts(%s, %s, %s),"
        " ARRAY(SELECT DISTINCT model FROM agentws.agents WHERE team = %s) FROM agentws.writers WHERE team = %s",
        (team, list(query.terms), is_old, team, team),
    )
    df: dict[str, int] = dict(zip(query.terms, counts, strict=True))  # type: ignore[call-overload]
    weights = _choosing(query, df, total := int(str(total)))
    filters = {"team": team, "agent": agent, "kind": kind, "since": since}
    values = {**filters, "old": is_old, "words": [*weights], "weights": [*weights.values()]}
    rows, notices = fleet.rows(_FOUND, values) if weights else [], list[str]()
    try:
        meaning = vectors.of_question(query.text, environment, models) if environment else None  # type: ignore[arg-type]
    except (MissingFileError, OutsideProgramError) as error:
        meaning, notices = None, [f"Searched without vectors: {error.message}"]
    nearest = meaning.nearest(fleet, filters) if meaning else set()
    rows += vectors.texts(fleet, team, {entry[:3] for entry in nearest}.difference(map(_place, rows)))
    scores = meaning.scores(fleet, team, map(_place, rows)) if meaning else {}
    units, owners, similar = _read(rows, query, nearest, scores)
    day = since.date().isoformat() if since is not None else ""
    units = [unit for unit in units if owners[unit.id].cursor or (unit.day >= day and fits(unit.kind, kind))]
    length = sum(len(unit.terms) for unit in units) / max(1, len(units))
    stats = rank.Stats(total, length, df)
    by_words = rank.rank(query, units, stats)
    ranked = rank.rank(query, units, stats, similar) if similar else by_words
    exact = [hit for hit in ranked if rank.is_exact(hit.unit, query)] if query.phrases or query.prefixes else []
    sure, lacking = confidence.of(query, by_words, stats), confidence.unknown_words(query, df)
    same: dict[str, list[Unit]] = {}
    for unit in units:
        same.setdefault(unit.text, []).append(unit)
    hits = []
    for hit in (exact or ranked)[:limit]:
        others = {unit.path: unit for unit in same[hit.unit.text] if unit.path != hit.unit.path}
        hits.append(Hit(hit, query, rank.weights(query, stats), list(others.values())))
    is_exact = bool(exact) or not (query.phrases or query.prefixes)
    result = Found(query, hits, sure, is_certain=is_exact and sure >= confidence.LEAST and not lacking)
    result.unknown_words, result.notices = lacking, notices
    return Searched(result, owners)


def fits(kind: str, wanted: str) -> bool:
    """Return whether a kind is the wanted one or of its family (`approval.*`); an empty one wants all."""
    return kind.startswith(wanted[:-1]) if wanted.endswith("*") else wanted in ("", kind)


def silent(fleet: Database, team: str) -> int:
    """Return how many agents of a team kept text of the newest events at home."""
    (count,) = fleet.row(
        "SELECT count(DISTINCT agent) FROM (SELECT agent, absent FROM agentws.events WHERE team = %s"
        " ORDER BY at DESC LIMIT %s) newest WHERE absent = 'private'",
        (team, _NEWEST),
    )
    return int(str(count))


def _choosing(query: Query, df: dict[str, int], total: int) -> dict[str, float]:
    """Return the words that choose candidates, with their weights: beginnings (`*`), and the rarest words."""
    weights: dict[str, float] = {}
    for prefix in query.prefixes:
        weights |= dict.fromkeys([f"{prefix}*", *terms.shorter_stems(prefix)], _PREFIX_WEIGHT)
    spent = 0
    for term in sorted(query.terms, key=lambda term: (df[term], term)):
        if weights and spent + df[term] > _MOST_POSTINGS:
            break
        if df[term]:
            weights[term] = features.idf(total, df[term])
            spent += df[term]
    return weights


def _place(row: Row) -> Place:
    return str(row[0]), str(row[2]), int(str(row[3]))


def _read(
    rows: list[Row], query: Query, nearest: set[Entry], scores: dict[Entry, float]
) -> tuple[list[Unit], dict[int, Owner], dict[int, float]]:
    """Return the units of these texts that have a word of the query or are among the nearest, with those beside them;
    the owners of all, and the scores of those that have one.
    """
    reader, owners, result = reading.Reader(None), dict[int, Owner](), list[_unit.Unit]()
    similar: dict[int, float] = {}
    names = Counter(name for _, name in {(row[0], row[1]) for row in rows})
    for number, (agent, name, place, seq, room, text) in enumerate(rows, 1):
        label = str(name) if name and names[name] == 1 else f"{name}({str(agent)[:8]})"
        if seq:
            owner = Owner(str(agent), str(name), f"{layout.JOURNAL}/{place}", f"{place}:{seq}")
            read = reader.units(owner.path, _unit.JOURNAL, f"{room},{text}}}".encode(), int(str(seq)))
        else:
            owner = Owner(str(agent), str(name), str(place), None)
            read = reader.units(owner.path, str(room), str(text).encode())
        units = [unit for unit in read if unit.form != _unit.RECORD]
        entries = [(*_place(rows[number - 1]), similarity.key(unit.text) if scores else "") for unit in units]
        wanted = {at for at, unit in enumerate(units) if _has(unit, query) or entries[at] in nearest}
        for at in sorted({at + step for at in wanted for step in (-1, 0, 1)}.intersection(range(len(units)))):
            unit = units[at]
            unit.id, unit.path = number * _ROOM + at, f"{label}:{unit.path}"
            if owner.path == layout.SUPERSEDED:
                unit.room, unit.state = _unit.LOGS, "dropped"
            owners[unit.id] = owner
            if entries[at] in scores:
                similar[unit.id] = scores[entries[at]]
            result.append(unit)
    return result, owners, similar


def _has(unit: Unit, query: Query) -> bool:
    return not unit.indexed.isdisjoint(query.terms) or terms.begins(unit.text, query.prefixes)
