"""ask: a new request; its file is for a person to read."""

from __future__ import annotations

from agentws.core.disk import named
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import action as _action
from agentws.core.formats.documents import approval
from agentws.core.formats.secrets import redaction, secrets
from agentws.core.markdown import escape, heading
from agentws.core.notes import schedule, vocabulary
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import SecretRefusedError, UsageError
from agentws.features.approvals import notification
from agentws.features.approvals.desk import Desk, told_of
from agentws.features.approvals.plan import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.documents.approval import Request
    from agentws.core.formats.documents.document import Value
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval

_HINT = 'agentws ask "Pay the deposit?" --action \'{"tool": "pay", "amount": 250}\''


def ask(
    stores: Stores,
    question: str,
    *,
    action: Any = None,
    task: str | None = None,
    expires: str | None = None,
    risk: str = approval.LOW,
    via: str | None = None,
    again: bool = False,
) -> Approval:
    """Ask a person whether this exact action (any JSON value) may be done; the answer counts once.

    Where the same was asked for this action and is still open or approved, return that request, unless `again`.
    `expires` is a moment as `task wait --until` takes it. UsageError for an empty question, an unknown risk and a
    moment that is past, SecretRefusedError where the question or the action looks like a secret.
    """
    with Desk(stores, "ask") as desk:
        known = (
            None
            if again or action is None
            else _open(desk, escape.signed(origin.given(via), _said(question)), action, task, risk)
        )
        if known is not None:
            found = desk.done(known)
            found.notices.append(f"This was asked already: {found.id}, {found.status}. For a second one: --again")
            return found
        rejected = [] if action is None else _rejected(desk, action)
        done = desk.done(make(desk, question, action=action, task=task, expires=expires, risk=risk, via=via))
        done.notices += rejected
        if done.task and not stores.files.exists(f"{layout.TASKS}/{done.task}.md"):
            done.notices.append(f"There is no task {done.task!r}. To list all: agentws task list")
    done.notices += notification.send(stores, done)  # outside of the lock: it may take its time
    return done


def _open(desk: Desk, said: str, action: Any, task: str | None, risk: str) -> Request | None:
    """The newest request of the same words, action, task and risk that waits or can be used."""
    stores = desk.stores
    digest = _action.digest_of(action)
    about = (named.whole(stores.heard().files, layout.TASKS, task) if task else "", risk, digest)
    alike = [
        one for one in desk.known() if (one.text("task"), one.risk, one.action_digest) == about and one.question == said
    ]
    found = [(made.asked, one) for one in alike if _is_open(made := desk.approval(one), digest)]
    return max(found, key=lambda one: one[0])[1] if found else None


def _rejected(desk: Desk, action: Any) -> list[str]:
    """A notice of the newest request about this action that was rejected."""
    digest = _action.digest_of(action)
    alike = [desk.approval(one) for one in desk.known() if one.action_digest == digest]
    found = max((one for one in alike if one.status == approval.REJECTED), key=lambda one: one.asked, default=None)
    return [f"This action was rejected before: agentws ask show {found.id}"] if found else []


def _is_open(found: Approval, digest: str) -> bool:
    return found.status == approval.PENDING or (found.is_usable and found.action_digest == digest)


def make(
    desk: Desk,
    question: str,
    *,
    action: Any = None,
    task: str | None = None,
    expires: str | None = None,
    risk: str = approval.LOW,
    via: str | None = None,
) -> Request:
    """Return a new request, as `ask` makes it."""
    stores = desk.stores
    src, said = origin.given(via), _said(question)
    if risk not in approval.RISKS:
        raise UsageError(f"--risk must be {' or '.join(approval.RISKS)}, not {risk!r}.")
    _check_action(action)
    state: dict[str, Value | None] = {
        "status": approval.PENDING,
        "asked": desk.now.isoformat(timespec="seconds"),
        "risk": risk,
        "action_digest": _action.digest_of(action),
    }
    if expires is not None:
        state["expires"] = schedule.moment(expires, now=desk.now, day_name=vocabulary.day).isoformat(timespec="seconds")
    if task:
        state["task"] = named.whole(stores.heard().files, layout.TASKS, task)
    if session := stores.environment.session or stores.journal().running():
        state["session"] = session
    if mark := origin.mark(src):
        state["src"] = mark
    if stores.made_for() == audience.SHARED:
        state[audience.KEY] = audience.SHARED
    text = escape.signed(src, said)
    id = _free_id(desk, stores, text, str(state["action_digest"]))
    data = approval.new(text, action, state)
    request = approval.decode(data, id=id)
    desk.write(None, request.path, data, f"ask {id}")
    desk.names.append(id)
    desk.record(standing.ASKED, request, told_of(request), via=src)
    return request


def _said(question: str) -> str:
    secrets.refuse(question)
    utf8.check(question)
    said = " ".join(sanitize.written(question).split())
    if not said:
        raise UsageError("The question is empty.", hint=_HINT)
    heading.check(said, what="The question")
    return said


def _check_action(action: Any) -> None:
    _action.text(action)
    if not redaction.is_clean([{"action": action}]):
        raise SecretRefusedError(
            "The action looks like it holds a secret; nothing was written.",
            hint="Name where the secret is kept instead: an approval is a file that people read.",
        )


def _is_there(desk: Desk, id: str) -> bool:
    return desk.stores.files.exists(approval.path_of(id))


def _free_id(desk: Desk, stores: Stores, *words: str) -> str:
    """An id that no other request here has."""
    writer, moment, count = stores.journal().writer, str(stores.moment_us()), 0
    while (found := approval.id_of(writer, moment, *words, str(count))) in desk.facts or _is_there(desk, found):
        count += 1
    return found
