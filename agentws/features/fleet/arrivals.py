"""Arrivals at a ship: signed answers are applied by the approvals' own function, offers taken by the receiver's rules.

The database's word is never enough: an answer without a signature by a key that is pinned here is refused, whatever
the risk, and an offer is text from outside.
"""

from __future__ import annotations

import json
import re

from agentws import errors
from agentws.core.disk.system import user_settings
from agentws.core.formats import layout
from agentws.core.formats.documents import approval, daily, shared
from agentws.core.formats.identity.approver import UNCHECKED
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.stores import kept_out
from agentws.core.text import sanitize, utf8
from agentws.features.approvals import decide as _decide
from agentws.features.approvals.store import list_approvals
from agentws.features.daily import log as _log, remember as _remember
from agentws.features.fleet import inbox, membership

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database

APPLIED, REFUSED, TAKEN = "applied", "refused", "taken"
_MOST_ANSWERS = 20
_FOR_GOOD = (
    errors.ApprovalRefusedError,
    errors.ChangedUnderneathError,
    errors.DamagedError,
    errors.ForgottenError,
    errors.MissingFileError,
    errors.SecretRefusedError,
    errors.TooLargeError,
    errors.UsageError,
)
"""Failures that another try does not change. After others, such as a full disk, the next ship tries again."""
_SHORT_ID = 8
_TIME = re.compile(r"[0-9T:.+-]{1,40}Z?")
_NEWEST_DAYS = 3
"""Daily logs that are searched although they are older than an offer: clocks differ."""


def settle(stores: Stores, fleet: Database, team: str, text: str) -> list[str]:
    """Apply the answers that arrived, take or refuse offers by the rules, ship the requests that wait; return notices.

    `text` is what this agent ships: `shared` or `all`.
    """
    agent = stores.manifest.agent_id
    notices = _apply_answers(stores, fleet, team, agent)
    notices += _take_offers(stores, fleet, team, agent)
    rows = json.dumps(_requests(stores, text))
    fleet.rows("SELECT agentws.put_requests(%s, %s, %s)", (team, agent, rows))
    return notices


def _apply_answers(stores: Stores, fleet: Database, team: str, agent: str) -> list[str]:
    rows = fleet.rows(
        "SELECT number, request, kind, text, signature FROM agentws.messages"
        " WHERE (team, agent, sender) = (%s, %s, '') AND outcome IS NULL ORDER BY number LIMIT %s",
        (team, agent, _MOST_ANSWERS),
    )
    notices = []
    for number, request, verdict, edit, signature in rows:
        try:
            _apply(stores, str(request), str(verdict), None if edit is None else str(edit), str(signature))
            outcome, reason = APPLIED, ""
        except errors.AgentwsError as error:
            reason = error.message.removeprefix(f"{request}: ")
            if not isinstance(error, _FOR_GOOD) or reason.startswith(f"The signature does not count: {UNCHECKED}"):
                notices.append(f"An answer to {request} waits: {reason}")
                continue
            outcome = REFUSED
        inbox.settle(fleet, int(str(number)), outcome, reason)
        notices.append(f"{request}: {verdict}, {outcome}{f': {reason}' if reason else ''}")
    return notices


def _apply(stores: Stores, request: str, verdict: str, edit: str | None, signature: str) -> None:
    """Record an answer as `ask approve --signature` does. Raises an error of _FOR_GOOD if the answer does not count."""
    if not approval.is_id(request):
        raise errors.UsageError("This is not the id of a request.")
    if not signature.strip():
        raise errors.ApprovalRefusedError("An answer through the fleet needs a signature.")
    try:
        action = _decide.AS_ASKED if edit is None else plainjson.unambiguous(edit)
    except ValueError as error:
        raise errors.UsageError(f"The edited action is not JSON: {error}.") from error
    _decide.decide(stores, request, approve=verdict == approval.APPROVED, signature=signature, edit=action)


def _requests(stores: Stores, text: str) -> list[dict[str, str | None]]:
    """Return the requests that wait here, each with its file if the team may read it."""
    visible = stores if text == membership.ALL else stores.visible_to("shared")
    names = set(visible.files.listing(layout.APPROVALS))
    tags = shared.labels(stores.manifest.setting("boot.private_tags"))
    rows: list[dict[str, str | None]] = []
    for waiting in list_approvals(stores, pending=True):
        if waiting.is_gone or waiting.is_strange:
            continue
        content = waiting.request.document.text
        data = content.encode("utf-8", "surrogateescape")
        is_private = shared.without_private(waiting.path, data, tags) != data
        is_shown = f"{waiting.id}.md" in names and not (
            is_private or "\0" in content or secrets.find(content) or kept_out.holds(stores, content)
        )
        rows.append(
            {
                "request": waiting.id,
                "risk": waiting.risk,
                "asked": waiting.asked if _TIME.fullmatch(waiting.asked) else "",  # any other text stays at home
                "expires": waiting.expires if _TIME.fullmatch(waiting.expires) else "",
                "file": content if is_shown and utf8.replaced(content) == content else None,  # as it is signed
            }
        )
    return rows


def _take_offers(stores: Stores, fleet: Database, team: str, agent: str) -> list[str]:
    """Take the offers of which a rule names kind and sender: `todo:AGENT`, with `*` for any."""
    rules = user_settings.read(stores.environment.config).fleet["accept"].replace(",", " ").split()
    notices = []
    for offer in inbox.messages(fleet, team, is_offer=True, agent=agent):
        named = {f"{kind}:{sender}" for kind in ("*", offer.kind) for sender in ("*", offer.sender)}
        try:
            notices += [take(stores, fleet, offer)] if named.intersection(rules) else []
        except errors.AgentwsError as error:
            notices.append(f"Offer {offer.number} waits: {error.message}")
    return notices


def decide(stores: Stores, fleet: Database, offer: inbox.Message, *, is_taken: bool, reason: str = "") -> str:
    """Take an offer as `take` does, or decline it for a person; return what was done in one line."""
    if is_taken:
        return take(stores, fleet, offer)
    inbox.settle(fleet, offer.number, REFUSED, reason or "A person declined it.")
    return f"Offer {offer.number} was declined."


def take(stores: Stores, fleet: Database, offer: inbox.Message) -> str:
    """Write an offer into the workspace, with its sender as an outside source; return what was done in one line.

    Text that this workspace refuses, such as a secret, is refused with a reason. The source of a log line ends with the
    offer's number, so a ship that was killed writes nothing twice, and each of several equal offers is written.
    """
    source = f"net:fleet:{offer.sender[:_SHORT_ID]}"
    try:
        _write(stores, offer, source)
    except errors.ForgottenError:
        inbox.settle(fleet, offer.number, REFUSED, "It is not wanted here.")
        return f"Offer {offer.number} was refused: it contains what was forgotten here."
    except _FOR_GOOD as error:
        inbox.settle(fleet, offer.number, REFUSED, error.message)
        return f"Offer {offer.number} was refused: {error.message}"
    inbox.settle(fleet, offer.number, TAKEN)
    return f"Offer {offer.number} was taken as {offer.kind} from {source}."


def _write(stores: Stores, offer: inbox.Message, source: str) -> None:
    if offer.kind == "memory":
        _remember.remember(stores, offer.text, via=source)
    elif not _is_written(stores, offer, numbered := f"{source}:{offer.number}"):
        (_log.todo if offer.kind == "todo" else _log.log)(stores, offer.text, via=numbered)


def _is_written(stores: Stores, offer: inbox.Message, source: str) -> bool:
    """Return whether a daily log since the offer, or one of the newest, has its first line with this source.

    The number alone is not enough: a database that is made again begins with 1.
    """
    entry = daily.entry(sanitize.written(offer.text), time="", via=source)
    first = entry.partition("\n")[0].removeprefix("-").removesuffix(f"(via {source})").strip()
    names = [name for name in stores.files.listing(layout.DAYS) if name.endswith(".md") and name[:4].isdigit()]
    for name in {*names[-_NEWEST_DAYS:], *(name for name in names if name[:10] >= offer.at[:10])}:
        text = stores.files.read(f"{layout.DAYS}/{name}").decode("utf-8", "replace")
        if any(first in line and f"(via {source})" in line for line in text.splitlines()):
            return True
    return False
