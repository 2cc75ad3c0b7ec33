"""Fleet: the agents of a team and its inbox, as its database says. No other page connects to it."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from datetime import datetime
from functools import partial

from agentws.core.disk import clock
from agentws.core.stores.stores import Stores
from agentws.features.copies.backup import backup_lag
from agentws.features.fleet import arrivals, database, inbox, membership, watch
from agentws.features.ui.page import Notice, Page, check_seen, never, seen
from agentws.features.ui.pages.today import action_text, edited
from agentws.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.core.environment import Environment
    from agentws.features.fleet.inbox import Message, Waiting

    Place = Mapping[str, str | None]
    """The `url` and `team` of a fleet; None: those of the user's settings."""


def _view(place: Place, workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the agents, the requests with what an answer signs, the answers on their way and the offers."""
    fleet = membership.in_team(workspace.stores.environment, **place)
    with database.connected(fleet.url) as opened:
        agents, read = watch.status(opened, fleet.team), inbox.read(opened, fleet.team, is_all=True)
    now = workspace.stores.clock.now()
    own = workspace.stores.manifest.agent_id if workspace.stores.adopted else ""
    options = "".join(f" --{name} {shlex.quote(value)}" for name, value in place.items() if value)
    return {
        "team": fleet.team,
        "agents": agents,
        "ago": lambda at: backup_lag.span(now, datetime.fromisoformat(at)) if at else "",
        "inbox": read,
        "requests": [
            {**_request(each, options), "expires": clock.local(each.expires, now)} for each in read.unanswered
        ],
        "offers": [
            (each, seen(_words(each)) if each.agent == own and not each.outcome else "") for each in read.offers
        ],
    }


def _request(request: Waiting, options: str) -> Mapping[str, object]:
    """Return a request with its action, and the statements of both answers if it can be answered.

    `options` name the fleet in the commands that the page shows.
    """
    place = f"{request.agent}/{request.id}"
    row = {"shown": request, "place": place, "word": shlex.quote(place) + options, "answers": [], "action": ""}
    if request.why:
        return row
    shown = {verb: inbox.statement(request, approve=verb == "approve") for verb in ("approve", "reject")}
    answers = [(verb, each.words, seen(each.words)) for verb, each in shown.items()]
    return {**row, "answers": answers, "action": action_text(shown["approve"].action)}


def _answer(place: Place, workspace: Workspace, form: Mapping[str, str], *, approve: bool) -> Notice:
    """Send a signature over what the page showed. The agent's machine judges it, as one sent by the command."""
    fleet = membership.in_team(workspace.stores.environment, **place)
    with database.connected(fleet.url) as opened:
        request = inbox.find(inbox.read(opened, fleet.team), form.get("place") or "-")
        shown = inbox.statement(request, approve=approve)
        check_seen(shown.words, form, request.id)
        action = edited(form.get("edit", ""), action_text(shown.action))
        signature = form.get("signature", "").replace("\r\n", "\n")
        inbox.send(opened, fleet.team, request, approve=approve, signature=signature, edit=action)
    return Notice(f"Sent to {request.name}: {request.question}", "It counts after that agent's next ship.")


def _settle(workspace: Workspace, form: Mapping[str, str], *, is_taken: bool) -> Notice:
    """Take or decline an offer to this workspace's agent, if it is the one that the page showed."""
    stores, number = workspace.stores, form.get("number", "")
    fleet = membership.required(stores)
    with database.connected(fleet.url) as opened:
        offer = inbox.offer_to(opened, fleet.team, stores.manifest.agent_id, number)
        check_seen(_words(offer), form, f"Offer {number}")
        return Notice(arrivals.decide(stores, opened, offer, is_taken=is_taken))


def _words(offer: Message) -> str:
    return f"{offer.kind} {offer.sender} {offer.text}"


def made(url: str | None = None, team: str | None = None) -> Page:
    """Return the page of the fleet of the user's settings, or of another one."""
    place = {"url": url, "team": team}
    actions = {
        "approve": partial(_answer, place, approve=True),
        "reject": partial(_answer, place, approve=False),
        "accept": partial(_settle, is_taken=True),
        "decline": partial(_settle, is_taken=False),
    }
    return Page("fleet", "Fleet", partial(_view, place), actions, in_menu=False, exported=never)


def alone(
    environment: Callable[[], Environment], url: str, team: str | None
) -> tuple[Callable[[], Workspace], tuple[Page]]:
    """Return what opens a workspace without a folder, and the page of a fleet, which needs no file of it."""
    name = membership.in_team(environment(), url=url, team=team).team
    root = f"{os.devnull}/{os.path.basename(name)}"
    return lambda: Workspace(Stores(root, environment())), (replace(made(url, name), in_menu=True),)


PAGE = made()
