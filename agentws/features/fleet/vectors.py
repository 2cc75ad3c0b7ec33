"""Vectors of what a team shipped: ships those of the workspace's own search, and finds by meaning across agents."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from agentws.errors import MissingFileError, OutsideProgramError
from agentws.features.search import corpus, embedding
from agentws.features.search.plan import similarity
from agentws.features.search.vectors import choice, numbers, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentws.core.environment import Environment
    from agentws.core.ports import Embedder
    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database, Row
    from agentws.features.search.plan.unit import Unit

    Place = tuple[str, str, int]
    """An agent, and its writer with the number of an event, or the path of a document with 0."""
    Entry = tuple[str, str, int, str]
    """The place of an entry, and its key."""

LACKING = (
    "No search by meaning: the database has no pgvector. When a superuser made it (CREATE EXTENSION vector):"
    " agentws fleet migrate --to 4; agentws fleet migrate"
)
_QUESTION_S = 20.0
_NEAREST = "SELECT * FROM agentws.nearest(%(team)s, %(model)s, %(vector)s::real[], %(agent)s, %(kind)s, %(since)s)"
_KNOWN = """
    SELECT agent, place, seq, key FROM agentws.vectors JOIN agentws.agents USING (team, agent)
    WHERE (team, agent, model, place) = (%s, %s, %s, %s) AND seq = ANY (%s)
"""
_SCORES = """
    SELECT agent, place, seq, key, agentws.nearness(vector, agentws.half(%(vector)s::real[]))
    FROM unnest(%(agents)s::text[], %(places)s::text[], %(seqs)s::bigint[]) AS wanted (agent, place, seq)
        JOIN agentws.vectors v USING (agent, place, seq) JOIN agentws.agents a USING (agent)
    WHERE (v.team, a.team, model) = (%(team)s, %(team)s, %(model)s)
"""
_TEXTS = """
    SELECT agent, name, place, seq, head, text
    FROM (SELECT *, row_number() OVER (PARTITION BY seq = 0) AS n
        FROM unnest(%(agents)s::text[], %(places)s::text[], %(seqs)s::bigint[]) AS entries (agent, place, seq)) wanted
        JOIN agentws.texts t USING (agent, place, seq) JOIN agentws.agents a USING (agent)
    WHERE (t.team, a.team) = (%(team)s, %(team)s) AND is_new AND (seq > 0 OR n <= 50)
"""
_ALONE = """
    SELECT DISTINCT place, seq FROM agentws.vectors v WHERE (team, agent) = (%s, %s) AND (seq = 0 OR place = %s)
        AND NOT EXISTS (SELECT FROM agentws.texts t
            WHERE (t.team, t.agent, t.place, t.seq) = (v.team, v.agent, v.place, v.seq) AND is_new) LIMIT 100
"""
_DOCUMENTS = """
    SELECT path FROM agentws.documents d WHERE (team, agent) = (%s, %s) AND gone IS NULL AND EXISTS (
        SELECT FROM unnest(entries) entry WHERE NOT EXISTS (SELECT FROM agentws.vectors v
            WHERE (v.team, v.agent, place, seq, key) = (d.team, d.agent, path, 0, entry)))
"""


def can_hold(fleet: Database) -> bool:
    """Return whether the database holds vectors: it has pgvector."""
    return fleet.row("SELECT to_regclass('agentws.vectors')") != (None,)


def alone(fleet: Database, writer: tuple[object, ...]) -> list[Row]:
    """Return the places (of this writer, and of documents of its agent) with vectors, but without text: up to 100."""
    return fleet.rows(_ALONE, writer) if can_hold(fleet) else []


class Sender:
    """Sends the vectors that the database lacks, by this `model`; `failure` is why the embedder failed, if it did.

    Without an embedder, for a drill, which asks only whether a text has a vector, all vectors are the same.
    """

    def __init__(self, fleet: Database, team: str, agent: str, model: str, embedder: Embedder | None) -> None:
        self._fleet, self._place, self._embedder = fleet, (team, agent, model), embedder
        self.model, self.sent, self.failure = model, 0, ""

    def documents(self) -> set[str]:
        """Return the documents in the database that lack a vector."""
        return {str(path) for (path,) in self._fleet.rows(_DOCUMENTS, self._place[:2])}

    def send(self, place: str, entries: Iterable[tuple[int, Unit]]) -> None:
        """Send those of a writer's events (by number), or of a document (0)."""
        able = [(seq, unit) for seq, unit in entries if similarity.has_vector(unit.form, unit.text)]
        lacking = {(seq, similarity.key(unit.text)): unit for seq, unit in able}
        if not lacking or self.failure:
            return
        for _, _, seq, key in map(_entry, self._fleet.rows(_KNOWN, (*self._place, place, [seq for seq, _ in lacking]))):
            lacking.pop((seq, key), None)
        names = iter(lacking)
        try:
            units = [*lacking.values()]
            same = [(units, [[1.0]] * len(units))]
            for batch, made in embedding.embedded(self._embedder, units) if self._embedder else same:
                seqs, keys = zip(*islice(names, len(batch)), strict=True)
                texts = [f"{{{','.join(f'{value:.5g}' for value in numbers.unit(vector))}}}" for vector in made]
                values = (*self._place, place, list(seqs), list(keys), texts)
                (added,) = self._fleet.row("SELECT agentws.put_vectors(%s, %s, %s, %s, %s, %s::uuid[], %s)", values)
                self.sent += int(str(added))
        except (MissingFileError, OutsideProgramError) as error:
            self.failure = error.message


def sender(stores: Stores, fleet: Database, team: str, *, is_drill: bool = False) -> Sender | None:
    """Return what sends the vectors of the workspace's own search; None without them, or without pgvector there."""
    if not (corpus.has_vectors(stores) and can_hold(fleet)):
        return None
    settings = vectors.read_settings(stores.environment)
    if not (name := vectors.made_by(stores, settings)):
        return None
    embedder = None if is_drill else vectors.embedder(settings)
    return Sender(fleet, team, stores.manifest.agent_id, name, embedder)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a question: its vector, and the name of the model, whose vectors alone are compared with it."""

    model: str
    vector: list[float]

    def nearest(self, fleet: Database, filters: Mapping[str, object]) -> set[Entry]:
        """Return the nearest entries of a team; `filters` are those of a search."""
        return {_entry(row) for row in fleet.rows(_NEAREST, {**filters, "model": self.model, "vector": self.vector})}

    def scores(self, fleet: Database, team: str, places: Iterable[Place]) -> dict[Entry, float]:
        """Return the nearness of all entries of these texts that have a vector, from -1 to 1."""
        values = {**_columns(team, places), "model": self.model, "vector": self.vector}
        rows = fleet.rows(_SCORES, values)
        return {_entry(row): numbers.clipped(float(str(row[4]))) for row in rows if row[4] is not None}


def of_question(question: str, environment: Environment, models: Sequence[str]) -> Meaning | None:
    """Return the meaning of a question by the user's own embedder; None if it is off, or not among these `models`.

    OutsideProgramError, MissingFileError if it cannot be used.
    """
    settings = vectors.read_settings(environment)
    name = choice.embedder_name(settings)
    if settings["embedder"] == choice.OFF or name not in models:
        return None
    (vector,) = vectors.embedder(settings, timeout_s=_QUESTION_S).embed([similarity.text(question)])
    return Meaning(name, numbers.unit(vector))


def texts(fleet: Database, team: str, places: Iterable[Place]) -> list[Row]:
    """Return the rows of these texts: agent, name, place, seq, header or room, text."""
    return fleet.rows(_TEXTS, _columns(team, places))


def _columns(team: str, places: Iterable[Place]) -> dict[str, object]:
    agents, names, seqs = zip(*places, strict=True) if (places := list(places)) else ([], [], [])
    return {"team": team, "agents": list(agents), "places": list(names), "seqs": list(seqs)}


def _entry(row: Row) -> Entry:
    return str(row[0]), str(row[1]), int(str(row[2])), str(row[3]).replace("-", "")
