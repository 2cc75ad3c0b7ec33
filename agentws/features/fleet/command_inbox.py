"""The verbs `agentws fleet inbox` and `agentws fleet offer`: their options, calls and lines."""

from __future__ import annotations

from agentws.core.formats.documents import shared
from agentws.core.terminal import dialog, invocation, output
from agentws.core.terminal.options import Verb, flag, optional, text, word, words
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError
from agentws.features.approvals import render, signing
from agentws.features.fleet import arrivals, database, inbox as _inbox, settings
from agentws.features.fleet.command_ship import TEAM, URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.invocation import Run
    from agentws.features.approvals.signing import Statement
    from agentws.features.fleet.inbox import Inbox, Offer, Waiting

_ACTIONS = ("list", "show", "statement", "approve", "reject", "accept", "decline")
_MOST_SIGNATURE_BYTES = 1 << 14
_REQUEST = "agent name id risk asked? expires? question? why?"
_SENT = "number agent name id verdict role at outcome? reason?"
_OFFER = "number sender sender_name agent name kind text role at outcome? reason?"


def inbox(
    run: Run,
    *,
    action: str,
    id: str,
    edit: str | None,
    reject: bool,
    signature: str | None,
    key: str | None,
    message: str,
    is_all: bool,
    url: str | None,
    team: str | None,
) -> None:
    """List what waits in the team: approvals of any agent, offers between agents. Answer them.

    An answer is always signed, by a key that is pinned on the agent's machine; it counts as one made there, once the
    next ship has carried it. accept and decline answer an offer to this workspace's agent.
    """
    if action not in _ACTIONS:
        raise UsageError(f"There is no `fleet inbox {action}`.", hint=f"One of: {', '.join(_ACTIONS)}.")
    run.check_main_audience()
    if action != "list":
        run.environment().check_person(f"agentws fleet inbox {action} {id}".rstrip(), "answer for a fleet")
    if action in ("accept", "decline"):
        _answer_offer(run, action, id, message)
        return
    fleet = settings.in_team(run.environment(), url=url, team=team)
    with database.connected(fleet.url) as opened:
        read = _inbox.read(opened, fleet.team, is_all=is_all or action == "show")
    if action == "list":
        fields = f"requests[{_REQUEST}] answers[{_SENT}] offers[{_OFFER}] left_out"
        run.result("fleet-inbox", read, fields, _list_lines(read), notices=())
        return
    offered = [each for each in read.offers if str(each.number) == id]
    if action == "show" and offered:
        run.result("fleet-inbox-show-offer", offered[0], _OFFER, _offer_lines(offered[0]), notices=())
        return
    request = _inbox.find(read, id)
    edited = [] if edit is None else [invocation.unambiguous(edit, "--edit", '{"tool": "pay"}')]
    approve = action != "reject" and not (reject and action == "statement")
    shown = _inbox.statement(request, approve=approve, edited=edited)
    if action == "show":
        run.result("fleet-inbox-show", request, _REQUEST, _show_lines(request, shown), notices=(), action=shown.action)
    elif action == "statement":
        lines, names = shown.words.splitlines(), "agent id statement"
        about = _show_lines(request, shown)
        run.result("fleet-inbox-statement", request, names, lines, notices=about, statement=shown.words)
    else:
        signed = _signature(run, action, request, shown, given=signature, key=key)
        with database.connected(fleet.url) as opened:
            number = _inbox.send(opened, fleet.team, request, approve=approve, signature=signed, edited=edited)
        verdict = "approved" if approve else "rejected"
        line = one_line(f"{request.id}: {verdict}, sent to {request.name}. It counts after that agent's next ship.")
        fields = "number agent id verdict"
        run.result("fleet-inbox-answer", request, fields, [line], notices=(), number=number, verdict=verdict)


def _signature(run: Run, action: str, request: Waiting, shown: Statement, *, given: str | None, key: str | None) -> str:
    """Return the signature in a file, or one made now by a person's key."""
    if (given is None) is (key is None):
        raise NeedsYouError(
            "An answer through the fleet is always signed.",
            hint=f"agentws fleet inbox {action} {request.id} --key KEY, or --signature FILE",
        )
    if given is not None:
        return invocation.file_text(given, _MOST_SIGNATURE_BYTES)
    if not dialog.is_terminal(run):
        raise NeedsYouError("--key needs a terminal.", hint="Or sign elsewhere: agentws fleet inbox statement ID")
    output.lines(_show_lines(request, shown))
    if dialog.prompt(f"Type {request.id} to {action}", "") != request.id:
        raise NeedsYouError("Not confirmed. Nothing was changed.")
    return signing.signature_of(shown.words, invocation.path_meant(str(key)))


def _answer_offer(run: Run, action: str, number: str, message: str) -> None:
    stores = run.workspace().stores
    fleet = settings.required(stores)
    with database.connected(fleet.url) as opened:
        offer = _inbox.offer_to(opened, fleet.team, stores.manifest.agent_id, number)
        line = arrivals.decide(stores, opened, offer, is_taken=action == "accept", reason=message)
    run.done("fleet-inbox-offer", {"number": offer.number, "action": action}, [one_line(line)], stores.notices)


def offer(run: Run, *, agent: str, words: list[str], kind: str) -> None:
    """Offer a todo, a note or a fact to another agent of the team. Its own rules take it, or a person is asked.

    There it keeps its origin: text from outside, never a decision.
    """
    run.check_main_audience()
    stores = run.workspace().stores
    fleet = settings.required(stores)
    text = invocation.said(words)
    sent = _inbox.public(text, shared.labels(stores.manifest.setting("boot.private_tags")))
    with database.connected(fleet.url) as opened:
        number = _inbox.offer(opened, fleet.team, stores.manifest.agent_id, agent, kind, sent)
    notices = ["Parts tagged private were not sent."] if sent.split() != text.split() else []
    run.done("fleet-offer", {"number": number, "agent": agent, "kind": kind}, [f"Offer {number} waits."], notices)


def _list_lines(read: Inbox) -> Iterator[str]:
    if not (read.requests or read.answers or read.offers):
        yield "Nothing waits."
    for request in read.requests:
        risk = "  high risk" if request.risk == "high" else ""
        until = f"  until {request.expires}" if request.expires else ""
        yield one_line(f"{request.id}  {request.name}  {request.question or request.why}{risk}{until}")
    if read.left_out:
        yield f"{read.left_out:,} more requests wait."
    for answer in read.answers:
        state = answer.outcome or "on its way"
        reason = f": {answer.reason}" if answer.reason else ""
        yield one_line(f"{answer.id}  {answer.name}  {answer.verdict} by {answer.role}, {state}{reason}")
    for each in read.offers:
        yield one_line(f"{_offer_head(each)}  {each.kind}: {each.text}  ({_offer_state(each)})")


def _offer_head(offer: Offer) -> str:
    return f"offer {offer.number}  {offer.sender_name} ({offer.role}) to {offer.name}"


def _offer_state(offer: Offer) -> str:
    return (offer.outcome or "waits") + (f": {offer.reason}" if offer.reason else "")


def _offer_lines(offer: Offer) -> Iterator[str]:
    yield one_line(f"{_offer_head(offer)}, {offer.at}  ({_offer_state(offer)})")
    yield f"  {offer.kind}:"
    yield from (f"    {one_line(line)}" for line in output.without_secrets(offer.text).splitlines())


def _show_lines(request: Waiting, shown: Statement) -> Iterator[str]:
    yield one_line(shown.question)
    rows = (
        ("agent", f"{request.name} ({request.agent})"),
        ("risk", shown.risk),
        ("asked", request.asked),
        ("expires", shown.expires),
        ("task", shown.task),
        ("digest", shown.action_digest),
    )
    yield from (one_line(f"  {label:<8} {value}") for label, value in rows if value)
    if shown.action is not None:
        yield "  action:"
        yield from render.json_lines(output.without_secrets(shown.action))


VERBS = (
    Verb(
        "fleet inbox",
        inbox,
        (
            optional("action", "[ACTION]", f"{', '.join(_ACTIONS)}. Default: list.", default="list"),
            optional("id", "[ID]", "Id of the request, AGENT/ID, or number of the offer.", default=""),
            text("--key", "FILE", "Sign with this private key, here at the terminal."),
            text("--signature", "FILE", "Signature of the statement; `-` reads standard input."),
            text("--edit", "JSON", "The action to approve instead."),
            flag("--reject", "With statement: the statement of a rejection."),
            flag("--all", "With list: answers and offers that were settled in the last 7 days, too.", to="is_all"),
            text("-m --message", "TEXT", "With decline: the reason.", default=""),
            TEAM,
            URL,
        ),
        "agentws fleet inbox",
        "agentws fleet inbox approve k3x9q2 --key ~/.ssh/id_ed25519_sk",
        "agentws fleet inbox accept 17",
        'agentws fleet inbox decline 17 -m "not this week"',
    ),
    Verb(
        "fleet offer",
        offer,
        (
            word("agent", "AGENT", "Name or id of the receiver."),
            words("words", "TEXT", "The text; `-` reads standard input.", is_text=True),
            text("--kind", "KIND", "todo, note or memory.", default="todo"),
        ),
        'agentws fleet offer robin "Water the beans on Friday"',
        'agentws fleet offer robin --kind memory "The key is at the neighbour\'s"',
    ),
)
