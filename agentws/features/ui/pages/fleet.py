"""Fleet: the agents of the team and its inbox, as its database says. No other page connects to it."""

from __future__ import annotations

import shlex
from datetime import datetime
from functools import partial

from agentws.core.disk import clock
from agentws.errors import AgentwsError
from agentws.features.copies.backup import backup_lag
from agentws.features.fleet import database, inbox, settings, status
from agentws.features.ui.page import Notice, Page, check_seen, never, seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.features.fleet.inbox import Waiting
    from agentws.workspace import Workspace


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the agents, the requests with what an answer signs, the answers on their way and the offers."""
    fleet = settings.in_team(workspace.stores.environment)
    with database.connected(fleet.url) as opened:
        agents, read = status.status(opened, fleet.team), inbox.read(opened, fleet.team, is_all=True)
    now = workspace.stores.clock.now()
    return {
        "team": fleet.team,
        "agents": agents,
        "ago": lambda at: backup_lag.span(now, datetime.fromisoformat(at)) if at else "",
        "inbox": read,
        "requests": [{**_request(each), "expires": clock.local(each.expires, now)} for each in read.requests],
    }


def _request(request: Waiting) -> Mapping[str, object]:
    """Return a request with the statements of both answers, or why this copy of it cannot be answered."""
    place = f"{request.agent}/{request.id}"
    row = {"shown": request, "place": place, "word": shlex.quote(place), "answers": [], "why": ""}
    try:
        words = {verb: inbox.statement(request, approve=verb == "approve").words for verb in ("approve", "reject")}
    except AgentwsError as error:
        return {**row, "why": error.notice}
    return {**row, "answers": [(verb, text, seen(text)) for verb, text in words.items()]}


def _answer(workspace: Workspace, form: Mapping[str, str], *, approve: bool) -> Notice:
    """Send a signature over what the page showed. The agent's machine judges it, as one sent by the command."""
    fleet = settings.in_team(workspace.stores.environment)
    with database.connected(fleet.url) as opened:
        request = inbox.find(inbox.read(opened, fleet.team), form.get("place") or "-")
        check_seen(inbox.statement(request, approve=approve).words, form, request.id)
        signature = form.get("signature", "").replace("\r\n", "\n")
        inbox.send(opened, fleet.team, request, approve=approve, signature=signature)
    return Notice(f"Sent to {request.name}: {request.question}", "It counts after that agent's next ship.")


_ACTIONS = {"approve": partial(_answer, approve=True), "reject": partial(_answer, approve=False)}
PAGE = Page("fleet", "Fleet", view, _ACTIONS, in_menu=False, exported=never)
