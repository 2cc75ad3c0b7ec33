"""The inbox of a fleet: requests that wait for a person at any agent of the team, answers on their way, and offers.

An answer is a signature over what the agent's own file of the request says. The database carries it and proves
nothing: the agent's machine judges it by the keys pinned there, as one made at home (arrivals.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from agentws.core.formats.documents import approval, shared
from agentws.core.formats.identity.approver import MOST_CHARS
from agentws.core.formats.journal import chain, event
from agentws.core.formats.secrets import secrets
from agentws.core.text import sanitize, utf8
from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, NeedsYouError, UsageError
from agentws.features.approvals import signing
from agentws.features.approvals.decide import AS_ASKED
from agentws.features.approvals.plan import request_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.fleet.database import Database

KINDS = ("todo", "note", "memory")
MOST_OFFER_CHARS = 4000
_MOST_ROWS = 500
_AT_HOME = "Its text stays at home."
_ALTERED = "The database's copy is not what the agent asked, by its journal there: altered, or not in it."


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits at an agent. `why` it cannot be answered from here, empty if it can: its text stays at home,
    or `file` is not what the agent's journal says that it asked. Then `question` is empty.
    """

    agent: str
    name: str
    id: str
    risk: str
    asked: str
    expires: str
    question: str = ""
    file: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to an agent: the answer to the request `id` (its `kind` is the verdict, `text` the edited action), or a
    text that another agent, the `sender`, offers. `outcome` is empty until the receiver's machine applied, took or
    refused it; why in `reason`.

    `role` is the PostgreSQL role that sent it, which may ship the sender; a role of the whole team, any agent.
    """

    number: int
    sender: str
    sender_name: str
    agent: str
    name: str
    kind: str
    id: str
    text: str
    role: str
    at: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Inbox:
    """What a person should see of a team. `left_out` counts the requests beyond the most that are read."""

    requests: Sequence[Waiting]
    answers: Sequence[Message]
    offers: Sequence[Message]
    left_out: int = 0

    @property
    def unanswered(self) -> list[Waiting]:
        """Return the requests without an answer on its way."""
        sent = {(answer.agent, answer.id) for answer in self.answers if not answer.outcome}
        return [request for request in self.requests if (request.agent, request.id) not in sent]


_REQUESTS = """
    SELECT total, file, agentws.asked(team, agent, request) AS lines, agent, name, request, risk, asked, expires FROM (
        SELECT t.*, coalesce(a.name, '') AS name, count(*) OVER () AS total,
            row_number() OVER (PARTITION BY agent ORDER BY asked = '', asked, request) AS turn
        FROM agentws.requests t LEFT JOIN agentws.agents a USING (team, agent)
        WHERE team = %s ORDER BY turn, asked LIMIT %s) waiting
    ORDER BY asked = '', asked, agent, request
"""
_MESSAGES = """
    SELECT number, sender, coalesce(s.name, ''), m.agent, coalesce(a.name, ''), kind, request, coalesce(text, ''), role,
        agentws.iso(at), coalesce(outcome, ''), coalesce(reason, '')
    FROM agentws.messages m LEFT JOIN agentws.agents a USING (team, agent)
        LEFT JOIN agentws.agents s ON (s.team, s.agent) = (m.team, sender)
    WHERE m.team = %(team)s AND (sender <> '') = %(is_offer)s AND %(agent)s IN ('', m.agent)
        AND (outcome IS NULL OR settled > now() - interval '7 days' AND (%(is_all)s OR outcome = 'refused'
            AND (m.team, m.agent, m.request) IN (SELECT team, agent, request FROM agentws.requests)
            AND number = (SELECT max(n.number) FROM agentws.messages n
                WHERE (n.team, n.agent, n.request) = (m.team, m.agent, m.request))))
    ORDER BY outcome IS NOT NULL, number LIMIT %(most)s
"""


def read(fleet: Database, team: str, *, is_all: bool = False) -> Inbox:
    """Return the inbox of a team, as far as the role may read it: of what was settled in 7 days, the answers that were
    refused to requests that still wait; `is_all`: everything.
    """
    requests = fleet.rows(_REQUESTS, (team, _MOST_ROWS))
    return Inbox(
        [_waiting(*row) for _, *row in requests],  # type: ignore[arg-type]
        messages(fleet, team, is_offer=False, is_all=is_all),
        messages(fleet, team, is_offer=True, is_all=is_all),
        int(str(requests[0][0])) - len(requests) if requests else 0,
    )


def messages(fleet: Database, team: str, *, is_offer: bool, agent: str = "", is_all: bool = False) -> list[Message]:
    """Return the offers or the answers that wait, to one agent or to all; `is_all`: also what was settled in 7 days."""
    values = {"team": team, "is_offer": is_offer, "agent": agent, "is_all": is_all, "most": _MOST_ROWS}
    return fleet.records(Message, _MESSAGES, values)


def _waiting(
    file: str | None, lines: Sequence[str], agent: str, name: str, id: str, risk: str, asked: str, expires: str
) -> Waiting:
    shown = Waiting(agent, name, id, risk, asked, expires, why=_AT_HOME if file is None else _ALTERED)
    with suppress(AgentwsError):
        request = approval.decode((file or "").encode(), id=shown.id)
        if any(_says(line.encode(), request) for line in lines):
            expires, question = request.text("expires"), request.question
            return replace(shown, risk=request.risk, expires=expires, question=question, file=file or "", why="")
    return shown


def _says(line: bytes, request: approval.Request) -> bool:
    """Return whether a line of the journal is whole and says that this was asked: question, action, risk and end."""
    try:
        entry = event.decode(line, writer="")
    except AgentwsError:
        return False
    body = entry.body or {}
    asked = request_state.Fact(entry.kind, body, "", "")
    return chain.is_whole(line) and body.get("id") == request.id and request_state.is_same(request, asked)


def find(inbox: Inbox, word: str) -> Waiting:
    """Return the request with this id, or `AGENT/ID` with the agent's name or id; the only one for an empty word.

    MissingFileError, AmbiguousError.
    """
    agent, _, id = word.strip().rpartition("/")
    fits = [
        request for request in inbox.requests if id in ("", request.id) and agent in ("", request.agent, request.name)
    ]
    if not fits:
        raise MissingFileError(f"No request {word!r} waits.", hint="To list all: agentws fleet inbox")
    if len(fits) > 1:
        names = ", ".join(f"{request.agent}/{request.id}" for request in fits[:8])
        raise AmbiguousError(f"{len(fits)} requests are meant.", hint=f"Name one: {names}")
    return fits[0]


def statement(request: Waiting, *, approve: bool, edit: object = AS_ASKED) -> signing.Statement:
    """Return what a person signs for an answer to a request, from the database's copy of its file.

    `edit` is the action to approve instead. NeedsYouError if the copy is not what was asked.
    """
    if request.why:
        raise NeedsYouError(f"{request.id}: {request.why}", hint=f"At {request.name}: agentws ask show {request.id}")
    data = request.file.encode()
    return signing.statement_of(data, id=request.id, agent=request.agent, approve=approve, edit=edit)


def send(
    fleet: Database, team: str, request: Waiting, *, approve: bool, signature: str, edit: object = AS_ASKED
) -> int:
    """Send a signed answer; return its number. It counts once the agent's next ship has applied it."""
    if not signature.strip() or len(signature) > MOST_CHARS:
        raise UsageError("This is not a signature.", hint="agentws fleet inbox approve ID --key KEY")
    verdict = approval.APPROVED if approve else approval.REJECTED
    edited = None if edit is AS_ASKED else approval.canonical(edit)
    values = (team, request.agent, request.id, verdict, edited, signature.strip())
    return int(str(fleet.row("SELECT agentws.answer(%s, %s, %s, %s, %s, %s)", values)[0]))


def public(text: str, tags: Sequence[str]) -> str:
    """Return the text of an offer without the parts that have a private tag, as documents are shipped. UsageError."""
    utf8.check(text)
    part = shared.without_private("the offer", text.encode(), tags)
    if not (part or b"").strip():
        raise UsageError("Nothing would be sent: the offer is empty, or private.")
    return (part or b"").decode()


def offer(fleet: Database, team: str, sender: str, receiver: str, kind: str, text: str) -> int:
    """Offer a text to another agent of the team, named by its id or name; return the offer's number.

    MissingFileError, AmbiguousError, SecretRefusedError, UsageError.
    """
    secrets.refuse(text)
    written = sanitize.written(text).strip()
    if not written or len(written) > MOST_OFFER_CHARS:
        raise UsageError(f"An offer has 1 to {MOST_OFFER_CHARS:,} characters.")
    if kind not in KINDS:
        raise UsageError(f"There is no kind {kind!r}.", hint=f"--kind {', '.join(KINDS)}")
    rows = fleet.rows(
        "SELECT agent FROM agentws.agents WHERE team = %s AND (agent = %s OR name = %s)", (team, receiver, receiver)
    )
    if len(rows) > 1:
        raise AmbiguousError(f"{len(rows)} agents are called {receiver!r}.", hint="Name its id: agentws fleet status")
    agent = str(rows[0][0]) if rows else receiver
    if agent == sender:
        raise UsageError(
            "An agent offers nothing to itself.", hint=f"agentws {'todo' if kind == 'todo' else 'log'} TEXT"
        )
    values = (team, sender, agent, kind, written)
    return int(str(fleet.row("SELECT agentws.offer(%s, %s, %s, %s, %s)", values)[0]))


def offer_to(fleet: Database, team: str, agent: str, number: str) -> Message:
    """Return the offer with this number that waits for an agent; MissingFileError."""
    for each in messages(fleet, team, is_offer=True, agent=agent):
        if str(each.number) == number:
            return each
    raise MissingFileError(f"No offer {number} waits for this agent.", hint="To list all: agentws fleet inbox")


def settle(fleet: Database, number: int, outcome: str, reason: str = "") -> None:
    """Record in the database what became of a message."""
    fleet.rows("SELECT agentws.settle(%s, %s, %s)", (number, outcome, reason))
