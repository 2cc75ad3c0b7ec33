"""The verbs `agentws fleet inbox|offer|lease`: their options, calls and lines."""

from __future__ import annotations

import os

from agentws.core.formats.documents import shared
from agentws.core.terminal import dialog, invocation, output
from agentws.core.terminal.options import Verb, flag, number, optional, text, word, words
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError, LockHeldError, NeedsYouError, UsageError
from agentws.features.approvals import render, signing
from agentws.features.approvals.decide import AS_ASKED
from agentws.features.fleet import arrivals, database, inbox as _inbox, lease as _lease, membership
from agentws.features.fleet.command_ship import TEAM, URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.terminal.invocation import Run


_ACTIONS = ("list", "show", "statement", "approve", "reject", "accept", "decline")
_MOST_SIGNATURE_BYTES = 1 << 14
_REQUEST = "agent name id risk asked? expires? question? why?"
_SENT = "number agent name id verdict=kind role at outcome? reason?"
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
    fleet = membership.in_team(run.environment(), url=url, team=team)
    with database.connected(fleet.url) as opened:
        read = _inbox.read(opened, fleet.team, is_all=is_all or action == "show")
    if action == "list":
        fields = f"requests=unanswered[{_REQUEST}] answers[{_SENT}] offers[{_OFFER}] left_out"
        run.result("fleet-inbox", read, fields, _list_lines(read), notices=())
        return
    offered = [each for each in read.offers if str(each.number) == id]
    if action == "show" and offered:
        run.result("fleet-inbox-show-offer", offered[0], _OFFER, _offer_lines(offered[0]), notices=())
        return
    request = _inbox.find(read, id)
    action_meant = AS_ASKED if edit is None else invocation.unambiguous(edit, "--edit", '{"tool": "pay"}')
    approve = action != "reject" and not (reject and action == "statement")
    shown = _inbox.statement(request, approve=approve, edit=action_meant)
    if action == "show":
        run.result("fleet-inbox-show", request, _REQUEST, _show_lines(request, shown), notices=(), action=shown.action)
    elif action == "statement":
        lines, names = shown.words.splitlines(), "agent id statement"
        about = _show_lines(request, shown)
        run.result("fleet-inbox-statement", request, names, lines, notices=about, statement=shown.words)
    else:
        signed = _signature(run, action, request, shown, given=signature, key=key)
        with database.connected(fleet.url) as opened:
            number = _inbox.send(opened, fleet.team, request, approve=approve, signature=signed, edit=action_meant)
        verdict = "approved" if approve else "rejected"
        line = one_line(f"{request.id}: {verdict}, sent to {request.name}. It counts after that agent's next ship.")
        fields = "number agent id verdict"
        run.result("fleet-inbox-answer", request, fields, [line], notices=(), number=number, verdict=verdict)


def _signature(
    run: Run, action: str, request: _inbox.Waiting, shown: signing.Statement, *, given: str | None, key: str | None
) -> str:
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
    fleet = membership.required(stores)
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
    fleet = membership.required(stores)
    text = invocation.said(words)
    sent = _inbox.public(text, shared.labels(stores.manifest.setting("boot.private_tags")))
    with database.connected(fleet.url) as opened:
        number = _inbox.offer(opened, fleet.team, stores.manifest.agent_id, agent, kind, sent)
    notices = ["Parts tagged private were not sent."] if sent.split() != text.split() else []
    run.done("fleet-offer", {"number": number, "agent": agent, "kind": kind}, [f"Offer {number} waits."], notices)


def _list_lines(read: _inbox.Inbox) -> Iterator[str]:
    if not (read.unanswered or read.answers or read.offers):
        yield "Nothing waits."
    for request in read.unanswered:
        risk = "  high risk" if request.risk == "high" else ""
        until = f"  until {request.expires}" if request.expires else ""
        yield one_line(f"{request.id}  {request.name}  {request.question or request.why}{risk}{until}")
    if read.left_out:
        yield f"{read.left_out:,} more requests wait."
    for answer in read.answers:
        state = answer.outcome or "on its way"
        reason = f": {answer.reason}" if answer.reason else ""
        yield one_line(f"{answer.id}  {answer.name}  {answer.kind} by {answer.role}, {state}{reason}")
    for each in read.offers:
        yield one_line(f"{_offer_head(each)}  {each.kind}: {each.text}  ({_offer_state(each)})")


def _offer_head(offer: _inbox.Message) -> str:
    return f"offer {offer.number}  {offer.sender_name} ({offer.role}) to {offer.name}"


def _offer_state(offer: _inbox.Message) -> str:
    return (offer.outcome or "waits") + (f": {offer.reason}" if offer.reason else "")


def _offer_lines(offer: _inbox.Message) -> Iterator[str]:
    yield one_line(f"{_offer_head(offer)}, {offer.at}  ({_offer_state(offer)})")
    yield f"  {offer.kind}:"
    yield from (f"    {one_line(line)}" for line in output.without_secrets(offer.text).splitlines())


def _show_lines(request: _inbox.Waiting, shown: signing.Statement) -> Iterator[str]:
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


_LEASE_ACTIONS = ("show", "take", "renew", "check", "release")
_LEASE = "agent? name holder? epoch seconds_left"


def lease(run: Run, *, action: str, name: str, command: list[str], epoch: int | None, seconds: int, team: bool) -> None:
    """Show, take, renew, check or release leases: names that one holder has at a time, so that nothing runs twice.

    `take` exits 11 if somebody holds the lease. With a command it holds the lease while that runs, and ends it before
    anybody else can take the lease. The epoch, in the command's AGENTWS_LEASE_EPOCH, grows with each holder: what the
    command writes to should refuse lower ones.
    """
    run.check_main_audience()
    stores = run.workspace().stores
    fleet = membership.required(stores)
    agent = "" if team else stores.manifest.agent_id
    place = fleet.team, agent, name
    _check_words(action, name, command, epoch)
    if command:
        dialog.terminate_cleanly()
        environment = dict(os.environ)  # noqa: TID251
        if status := _lease.run(fleet.url, *place, seconds, command, environment):
            failure = AgentwsError(f"The command ended with status {status}.")
            failure.exit_code = status
            raise failure
        return
    with database.connected(fleet.url) as opened:
        if action == "show":
            leases = [each for each in _lease.show(opened, fleet.team, agent) if name in ("", each.name)]
            lines = [_lease_line(each) for each in leases]
            run.result("fleet-lease", leases, f"leases=.[{_LEASE}]", lines or ["No leases."], notices=())
        elif action == "take":
            taken = _lease.take(opened, *place, seconds)
            if not taken.is_taken:
                raise _lease.held(taken, fleet.team)
            run.result("fleet-lease-take", taken, _LEASE, [_lease_line(taken)], notices=())
        else:
            if action == "check":
                is_held = _lease.check_fence(opened, *place, epoch or 0)
            else:
                is_held = _lease.renew(opened, *place, epoch or 0, seconds if action == "renew" else 0)
            if not is_held:
                hint = "See: agentws fleet lease"
                raise LockHeldError(f"Epoch {epoch} does not hold the lease {name!r}.", hint=hint)
            line = f"{name} is {'free' if action == 'release' else f'held by epoch {epoch}'}."
            held = action != "release"
            run.done(f"fleet-lease-{action}", {"name": name, "epoch": epoch, "held": held}, [one_line(line)], ())


def _check_words(action: str, name: str, command: list[str], epoch: int | None) -> None:
    if action not in _LEASE_ACTIONS:
        raise UsageError(f"There is no `fleet lease {action}`.", hint=f"One of: {', '.join(_LEASE_ACTIONS)}.")
    if action != "show" and not name:
        raise UsageError("Which lease?", hint=f"agentws fleet lease {action} run")
    if command and action != "take":
        raise UsageError("Only `take` runs a command.", hint="agentws fleet lease take NAME -- COMMAND")
    if (epoch is None) is (action not in ("show", "take")):
        raise UsageError("renew, check and release need --epoch, the others take none.", hint="`take` prints it.")


def _lease_line(lease: _lease.Lease) -> str:
    state = f"held by {lease.holder}, {lease.seconds_left:.0f} s left" if lease.holder else "free"
    return one_line(f"{lease.name}  {'agent' if lease.agent else 'team'}  epoch {lease.epoch}  {state}")


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
            flag("--all", "With list: all answers and offers that were settled in the last 7 days, too.", to="is_all"),
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
    Verb(
        "fleet lease",
        lease,
        (
            optional("action", "[ACTION]", "show, take, renew, check or release. Default: show.", default="show"),
            optional("name", "[NAME]", "Name of the lease, such as `run`.", default=""),
            words("command", "[COMMAND]...", "Command to run under the lease, after `--`.", is_required=False),
            number("--epoch", "N", "The epoch that `take` printed."),
            number("--for", "SECONDS", "How long, by the server's clock.", to="seconds", default=60, least=1),
            flag("--team", "A lease of the whole team, not of this agent."),
        ),
        "agentws fleet lease take run -- claude -p 'Tidy the inbox'",
        "agentws fleet lease take deploy --team --for 300 -- ./deploy.sh",
        "agentws fleet lease take run --for 600 --json",
        "agentws fleet lease renew run --epoch 68719476741 --for 600",
    ),
)
