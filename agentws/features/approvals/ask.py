"""Makes approval requests: for `ask QUESTION`, and for a tool call that needs a yes; notifies the person."""

from __future__ import annotations

import os

from agentws.core.disk import named
from agentws.core.disk.system import summarizer, user_settings
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import action as _action
from agentws.core.formats.documents import approval
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import redaction, secrets
from agentws.core.markdown import escape, heading
from agentws.core.notes import schedule, vocabulary
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import AgentwsError, SecretRefusedError, UsageError
from agentws.features.approvals import decide
from agentws.features.approvals.plan import request_state, rules
from agentws.features.approvals.store import ApprovalStore, told_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date
    from typing import Any

    from agentws.core.formats.documents.approval import Request
    from agentws.core.formats.documents.document import Value
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.approval import Approval
    from agentws.features.approvals.plan.rules import Verdict

    Answered = tuple[bool, str, Approval | None]
    from agentws.features.approvals.approval import Approval

_HINT = 'agentws ask "Pay the deposit?" --action \'{"tool": "pay", "amount": 250}\''


def ask(
    stores: Stores,
    question: str,
    *,
    action: Any = None,
    task: str | None = None,
    expires: str | date | None = None,
    risk: str = approval.LOW,
    via: str | None = None,
    again: bool = False,
) -> Approval:
    """Ask a person whether this exact action (any JSON value) may be done; the answer counts once.

    If a request with the same question and action is still open or approved, return that one, unless `again`. `expires`
    is a moment as `task wait --until` takes it. UsageError for an empty question, an unknown risk and a moment that is
    past, SecretRefusedError if the question or the action looks like a secret.
    """
    with ApprovalStore(stores, "ask") as store:
        known = (
            None
            if again or action is None
            else _open(store, escape.signed(origin.given(via), _said(question)), action, task, risk)
        )
        if known is not None:
            found = store.done(known)
            found.notices.append(f"This was asked already: {found.id}, {found.status}. For a second one: --again")
            return found
        stores.refuse_forgotten(question, "" if action is None else plainjson.dumps(action))
        rejected = [] if action is None else _rejected(store, action)
        done = store.done(make(store, question, action=action, task=task, expires=expires, risk=risk, via=via))
        done.notices += rejected
        if done.task and not stores.visible_to().files.exists(f"{layout.TASKS}/{done.task}.md"):
            done.notices.append(f"There is no task {done.task!r}. To list all: agentws task list")
    done.notices += send(stores, done)  # outside of the lock: it may be slow
    return done


def _open(store: ApprovalStore, said: str, action: Any, task: str | None, risk: str) -> Request | None:
    """Return the newest pending or usable request with the same words, action, task and risk, None if there is none."""
    stores = store.stores
    digest = _action.digest_of(action)
    about = (named.whole(stores.visible_to().files, layout.TASKS, task) if task else "", risk, digest)
    alike = [
        one
        for one in store.known()
        if (one.text("task"), one.risk, one.action_digest) == about and one.question == said
    ]
    alike = [one for one in alike if one.id not in store.strange]
    found = [(made.asked, one) for one in alike if _is_open(made := store.approval(one), digest)]
    return max(found, key=lambda one: one[0])[1] if found else None


def _rejected(store: ApprovalStore, action: Any) -> list[str]:
    """Return a notice of the newest rejected request about this action."""
    digest = _action.digest_of(action)
    alike = [store.approval(one) for one in store.known() if one.action_digest == digest]
    found = max((one for one in alike if one.status == approval.REJECTED), key=lambda one: one.asked, default=None)
    return [f"This action was rejected before: agentws ask show {found.id}"] if found else []


def _is_open(found: Approval, digest: str) -> bool:
    return found.status == approval.PENDING or (found.is_usable and found.action_digest == digest)


def make(
    store: ApprovalStore,
    question: str,
    *,
    action: Any = None,
    task: str | None = None,
    expires: str | date | None = None,
    risk: str = approval.LOW,
    via: str | None = None,
) -> Request:
    """Write a new approval request and return it, with the arguments of `ask`."""
    stores = store.stores
    src, said = origin.given(via), _said(question)
    if risk not in approval.RISKS:
        raise UsageError(f"--risk must be {' or '.join(approval.RISKS)}, not {risk!r}.")
    _check_action(action)
    state: dict[str, Value | None] = {
        "status": approval.PENDING,
        "asked": store.now.isoformat(timespec="seconds"),
        "risk": risk,
        "action_digest": _action.digest_of(action),
    }
    if expires is not None:
        state["expires"] = schedule.moment(expires, now=store.now, day_name=vocabulary.day).isoformat(
            timespec="seconds"
        )
    if task:
        state["task"] = named.whole(stores.visible_to().files, layout.TASKS, task)
    if session := stores.environment.session or stores.appender().running():
        state["session"] = session
    if mark := origin.mark(src):
        state["src"] = mark
    if stores.made_for() == audience.SHARED:
        state[audience.KEY] = audience.SHARED
    text = escape.signed(src, said)
    id = _free_id(store, stores, text, str(state["action_digest"]))
    data = approval.new(text, action, state)
    request = approval.decode(data, id=id)
    store.write(None, request.path, data, f"ask {id}")
    store.names.append(id)
    store.record(request_state.ASKED, request, told_of(request), via=src)
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


def _is_there(store: ApprovalStore, id: str) -> bool:
    return store.stores.files.exists(approval.path_of(id))


def _free_id(store: ApprovalStore, stores: Stores, *words: str) -> str:
    """Return an id that no other request of this workspace has."""
    writer, moment, count = stores.appender().writer, str(stores.moment_us()), 0
    while (found := approval.id_of(writer, moment, *words, str(count))) in store.facts or _is_there(store, found):
        count += 1
    return found


_MOST_SHOWN = 120
_TELLING = ("command", "cmd", "file_path", "path", "url")
"""The keys of a tool's input that the question shows, before the keys in which an agent only comments on its call."""
_STANDING = (approval.PENDING, approval.APPROVED, approval.REJECTED, approval.DISPUTED)
"""The states of a request that make a second one about the same call useless."""


def answer(stores: Stores, tool: str, given: Any, verdict: Verdict, folder: str = "") -> Answered:
    """Return (whether the call may run, the text for the agent, the request made): it runs once after a yes."""
    action = bound(tool, given, folder)
    act = _act(action)
    risk = verdict.rule.risk if verdict.rule else approval.LOW
    with ApprovalStore(stores, "a hook") as store:
        found = _standing(store, act, risk)
        if found is None:
            request = make(store, _question(tool, given, verdict), action=action, risk=risk)
            return False, _wait(stores, verdict, request, "was made", folder), store.done(request)
        if found.is_usable and _act(found.action) == act:
            done = decide.consume(store, found.request, found.action_digest, risk)
            return True, f"A person approved this call: {done.id}.", None
        if found.status == approval.PENDING:
            reason = "" if found.reason.startswith("Nobody") else f" {found.reason}"
            return False, f"{_wait(stores, verdict, found.request, 'waits for an answer', folder)}{reason}", None
        return False, f"{why(verdict)} {_against(found, act)} ({found.id})", None


def _act(action: Any) -> str:
    """Return the digest of what an action does: the same one for a command that two hosts run in a folder."""
    from agentws.core.formats.journal import shell_call

    if not isinstance(action, dict):
        return _action.digest_of(action)
    act = shell_call.act(str(action.get("tool")), action.get("input"), str(action.get("folder") or ""))
    return _action.digest_of(action if act is None else act)


def _standing(store: ApprovalStore, act: str, risk: str) -> Approval | None:
    """Return the request that counts for this call now, None if one must be made."""
    found = [(request, store.approval(request)) for request in store.known() if request.id not in store.strange]
    alike = [one for request, one in found if act in (_act(one.action), _act(request.action))]
    used = max((one.asked for one in alike if one.status == approval.USED), default="")
    alike = [one for one in alike if one.status != approval.REJECTED or one.asked > used]  # a later yes cancels a no
    open_ = [one for one in alike if one.status in _STANDING and (risk != approval.HIGH or one.risk == approval.HIGH)]
    return max(
        open_,
        key=lambda one: (one.is_usable and _act(one.action) == act, one.status == approval.PENDING, one.asked),
        default=None,
    )


def _against(found: Approval, act: str) -> str:
    """Return why an answered request does not let this call run, in sentences."""
    said = f" They said: {found.message}" if found.message else ""
    if found.is_usable and _act(found.action) != act:
        from agentws.core.formats.documents import readable

        return f"A person approved another call instead: {readable.dumps(found.action)}{said}"
    return f"{found.reason}{said}"


def bound(tool: str, given: Any, folder: str = "") -> dict[str, Any]:
    """Return the action of a request for a tool call; of an input that is too large or holds a secret, its digest."""
    from agentws.core.formats import digest
    from agentws.core.formats.json import plainjson
    from agentws.core.formats.secrets import redaction

    told = rules.bare(tool, plainjson.plain(given))
    place = {"folder": folder} if folder else {}
    whole = {"tool": tool, **place, "input": told}
    try:
        _action.text(whole)
        if redaction.is_clean([{"action": whole}]):
            return whole
    except AgentwsError:
        pass
    said = plainjson.dumps(told).encode("utf-8", "surrogatepass")
    return {"tool": tool, **place, "input_digest": f"sha256:{digest.of(said)}", "bytes": len(said)}


def why(verdict: Verdict) -> str:
    """Return the sentence that tells the agent why a person must approve the call."""
    rule = verdict.rule
    matched = f" (It matched: {words}.)" if (words := verdict.matched()) else ""
    return f"This needs a yes from a person{': ' + rule.why if rule and rule.why else ''}.{matched}"


def _question(tool: str, given: Any, verdict: Verdict) -> str:
    """Return the question to a person about a tool call, in one line without anything that looks like a secret."""
    from agentws.core.formats.secrets import secrets

    inputs = given if isinstance(given, dict) else {}
    names = sorted(inputs, key=lambda name: name not in _TELLING)
    texts = [text for name in names if (text := _words(inputs[name]))]
    said = " ".join((texts or [""])[0][: 4 * _MOST_SHOWN].split())[:_MOST_SHOWN]
    said = "" if secrets.hide(said)[1] else said
    reason = f" ({verdict.rule.why[:_MOST_SHOWN]})" if verdict.rule and verdict.rule.why else ""
    return f"May {tool[:_MOST_SHOWN]} run{': ' + said if said else ''}?{reason}"


def _words(value: object) -> str:
    """Return a text, or the joined words of a command; empty for anything else."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " ".join(value)
    return value if isinstance(value, str) else ""


def _wait(stores: Stores, verdict: Verdict, request: Request, state: str, folder: str) -> str:
    from agentws.core.disk import locate

    command = request_state.command(request)
    if folder and locate.around(os.path.realpath(folder)) != stores.root:
        import shlex

        command = command.replace("agentws", f"agentws -C {shlex.quote(stores.root)}", 1)
    return (
        f"{why(verdict)} Request {request.id} {state}. Your user runs, in their own terminal: "
        f"{command}. Do something else meanwhile, or end; then try this very call again."
    )


_TIMEOUT_S = 10.0
_MOST_BYTES = 1 << 16


def send(stores: Stores, asked: Approval) -> list[str]:
    """Give the user's notify program the request as JSON on its standard input; a failure is only a notice."""
    try:
        line = user_settings.read(stores.environment.config).notify
    except AgentwsError as error:
        return [error.message]
    if not line:
        return []
    told = {
        "agent": stores.manifest.name or stores.manifest.agent_id,
        "workspace": stores.root,
        "id": asked.id,
        "question": asked.question,
        "risk": asked.risk,
        "action": asked.action,
        "task": asked.task or None,
        "expires": asked.expires or None,
        "answer": f"agentws ask show {asked.id}",
    }
    program = summarizer.Command(line, timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
    failure = program.summarize(plainjson.dumps(told) + "\n").failure
    if failure in ("", summarizer.SILENT):
        return []
    return [f"{user_settings.NOTIFY}: nobody was notified: {failure}."]
