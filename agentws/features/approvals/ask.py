"""Makes approval requests: for `ask QUESTION`, and for a tool call that needs a yes; notifies the person."""

from __future__ import annotations

import os
from datetime import date
from typing import Any

from agentws.core.disk import named
from agentws.core.disk.system import user_programs, user_settings
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import approval
from agentws.core.formats.documents.approval import Request
from agentws.core.formats.documents.document import Value
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import redaction, secrets
from agentws.core.markdown import escape
from agentws.core.notes import schedule, vocabulary
from agentws.core.stores.stores import Stores
from agentws.core.text import origin, sanitize, utf8
from agentws.errors import AgentwsError, SecretRefusedError, UsageError
from agentws.features.approvals import decide
from agentws.features.approvals.approval import Approval
from agentws.features.approvals.plan import request_state, rules
from agentws.features.approvals.plan.rules import Verdict
from agentws.features.approvals.store import ApprovalStore, told_of

Answered = tuple[bool, str, str, Approval | None]


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
            else _open(store, escape.signed(origin.given(via), _checked(question)), action, task, risk)
        )
        if known is not None:
            request = store.done(known)
            request.notices.append(f"This was asked already: {request.id}, {request.status}. For a second one: --again")
            return request
        stores.refuse_forgotten(question, "" if action is None else plainjson.dumps(action))
        rejected = [] if action is None else _rejected(store, action)
        done = store.done(make(store, question, action=action, task=task, expires=expires, risk=risk, via=via))
        done.notices += rejected
        if done.task and not stores.visible_to().files.exists(f"{layout.TASKS}/{done.task}.md"):
            done.notices.append(f"There is no task {done.task!r}. To list all: agentws task list")
    done.notices += send(stores, done)  # outside of the lock: it may be slow
    return done


def _open(store: ApprovalStore, message: str, action: Any, task: str | None, risk: str) -> Request | None:
    """Return the newest pending or usable request with the same words, action, task and risk, or None."""
    stores = store.stores
    digest = approval.digest_of(action)
    about = (named.whole(stores.visible_to().files, layout.TASKS, task) if task else "", risk, digest)
    alike = [
        request
        for request in store.known()
        if (request.text("task"), request.risk, request.action_digest) == about and request.question == message
    ]
    alike = [request for request in alike if request.id not in store.strange]
    open_requests = [(made.asked, request) for request in alike if _is_open(made := store.approval(request), digest)]
    return max(open_requests, key=lambda pair: pair[0])[1] if open_requests else None


def _rejected(store: ApprovalStore, action: Any) -> list[str]:
    """Return a notice of the newest rejected request about this action."""
    digest = approval.digest_of(action)
    alike = [store.approval(request) for request in store.known() if request.action_digest == digest]
    answered = max(
        (request for request in alike if request.status == approval.REJECTED),
        key=lambda request: request.asked,
        default=None,
    )
    return [f"This action was rejected before: agentws ask show {answered.id}"] if answered else []


def _is_open(request: Approval, digest: str) -> bool:
    return request.status == approval.PENDING or (request.is_usable and request.action_digest == digest)


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
    src, message = origin.given(via), _checked(question)
    if risk not in approval.RISKS:
        raise UsageError(f"--risk must be {' or '.join(approval.RISKS)}, not {risk!r}.")
    _check_action(action)
    state: dict[str, Value | None] = {
        "status": approval.PENDING,
        "asked": store.now.isoformat(timespec="seconds"),
        "risk": risk,
        "action_digest": approval.digest_of(action),
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
    text = escape.signed(src, message)
    id = _free_id(store, stores, text, str(state["action_digest"]))
    data = approval.new(text, action, state)
    request = approval.decode(data, id=id)
    store.write(None, request.path, data, f"ask {id}")
    store.names.append(id)
    store.record(request_state.ASKED, request, told_of(request), via=src)
    return request


def _checked(question: str) -> str:
    secrets.refuse(question)
    utf8.check(question)
    message = " ".join(sanitize.written(question).split())
    if not message:
        raise UsageError("The question is empty.", hint=_HINT)
    escape.check_heading(message, what="The question")
    return message


def _check_action(action: Any) -> None:
    approval.canonical(action)
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
    while (result := approval.id_of(writer, moment, *words, str(count))) in store.facts or _is_there(store, result):
        count += 1
    return result


_MOST_SHOWN = 120
_TELLING = ("command", "cmd", "file_path", "path", "url")
"""The keys of a tool's input that the question shows, before the keys in which an agent only comments on its call."""
_STANDING = (approval.PENDING, approval.APPROVED, approval.REJECTED, approval.DISPUTED)
"""The states of a request that make a second one about the same call useless."""


def answer(stores: Stores, tool: str, given: Any, verdict: Verdict, folder: str = "") -> Answered:
    """Return (whether the call may run, the text for the agent, the id of the request, the request if made now).

    The call runs once after a yes.
    """
    action = bound(tool, given, folder)
    act = _act(action)
    risk = verdict.rule.risk if verdict.rule else approval.LOW
    with ApprovalStore(stores, "a hook") as store:
        answered = _standing(store, act, risk)
        if answered is None:
            request = make(store, _question(tool, given, verdict), action=action, risk=risk)
            return False, _wait(stores, verdict, request, "was made", folder), request.id, store.done(request)
        if answered.is_usable and _act(answered.action) == act:
            done = decide.consume(store, answered.request, answered.action_digest, risk)
            return True, f"A person approved this call: {done.id}.", done.id, None
        if answered.status == approval.PENDING:
            reason = "" if answered.reason.startswith("Nobody") else f" {answered.reason}"
            words = f"{_wait(stores, verdict, answered.request, 'waits for an answer', folder)}{reason}"
            return False, words, answered.id, None
        return False, f"{why(verdict)} {_against(answered, act)} ({answered.id})", answered.id, None


def _act(action: Any) -> str:
    """Return the digest of what an action does: the same one for a command that two hosts run in a folder."""
    from agentws.core.formats.journal import shell_call

    if not isinstance(action, dict):
        return approval.digest_of(action)
    act = shell_call.shell_act(str(action.get("tool")), action.get("input"), str(action.get("folder") or ""))
    return approval.digest_of(action if act is None else act)


def _standing(store: ApprovalStore, act: str, risk: str) -> Approval | None:
    """Return the request that counts for this call now, None if one must be made."""
    pairs = [(request, store.approval(request)) for request in store.known() if request.id not in store.strange]
    alike = [answered for request, answered in pairs if act in (_act(answered.action), _act(request.action))]
    used = max((answered.asked for answered in alike if answered.status == approval.USED), default="")
    alike = [
        answered for answered in alike if answered.status != approval.REJECTED or answered.asked > used
    ]  # a later yes cancels a no
    open_ = [
        answered
        for answered in alike
        if answered.status in _STANDING and (risk != approval.HIGH or answered.risk == approval.HIGH)
    ]
    return max(
        open_,
        key=lambda answered: (
            answered.is_usable and _act(answered.action) == act,
            answered.status == approval.PENDING,
            answered.asked,
        ),
        default=None,
    )


def _against(request: Approval, act: str) -> str:
    """Return why an answered request does not let this call run, in sentences."""
    message = f" They said: {request.message}" if request.message else ""
    if request.is_usable and _act(request.action) != act:
        from agentws.core.formats.json import values

        return f"A person approved another call instead: {values.dumps(request.action)}{message}"
    return f"{request.reason}{message}"


def bound(tool: str, given: Any, folder: str = "") -> dict[str, Any]:
    """Return the action of a request for a tool call; of an input that is too large or holds a secret, its digest."""
    from agentws.core.formats import digest
    from agentws.core.formats.json import plainjson
    from agentws.core.formats.secrets import redaction

    value = rules.bare(tool, plainjson.plain(given))
    place = {"folder": folder} if folder else {}
    whole = {"tool": tool, **place, "input": value}
    try:
        approval.canonical(whole)
        if redaction.is_clean([{"action": whole}]):
            return whole
    except AgentwsError:
        pass
    data = plainjson.dumps(value).encode("utf-8", "surrogatepass")
    return {"tool": tool, **place, "input_digest": f"sha256:{digest.of(data)}", "bytes": len(data)}


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
    message = " ".join((texts or [""])[0][: 4 * _MOST_SHOWN].split())[:_MOST_SHOWN]
    message = "" if secrets.hide(message)[1] else message
    reason = f" ({verdict.rule.why[:_MOST_SHOWN]})" if verdict.rule and verdict.rule.why else ""
    return f"May {tool[:_MOST_SHOWN]} run{': ' + message if message else ''}?{reason}"


def _words(value: object) -> str:
    """Return a text, or the joined words of a command; empty for anything else."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
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
    fields = {
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
    program = user_programs.Command(line, timeout_s=_TIMEOUT_S, most_bytes=_MOST_BYTES)
    failure = program.summarize(plainjson.dumps(fields) + "\n").failure
    if failure in ("", user_programs.SILENT):
        return []
    return [f"{user_settings.NOTIFY}: nobody was notified: {failure}."]
