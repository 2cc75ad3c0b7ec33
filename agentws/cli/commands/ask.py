"""agentws ask QUESTION, ask list|show|approve|reject|use."""

from __future__ import annotations

from agentws.cli import asking, invocation, output
from agentws.cli.invocation import Run
from agentws.cli.options import VIA, YES, Verb, flag, optional, text, words
from agentws.cli.render import ask as render
from agentws.errors import NeedsYouError, UsageError
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.operations.ask.approval import Approval


def ask(
    run: Run,
    *,
    question: list[str],
    action: str | None,
    task: str | None,
    expires: str | None,
    risk: str,
    via: str | None,
) -> None:
    """Ask a person for approval of an action. Print the file of the request.

    The answer is bound to this exact action, and counts once: `agentws ask use`.
    """
    asked = invocation.said(question)
    done = run.workspace().ask(asked, action=_json(action), task=task, expires=expires, risk=risk, via=via)
    run.done("ask", render.done_fields(done), render.asked_lines(done), done.notices)


def list_approvals(run: Run, *, pending: bool) -> None:
    """List approvals: those that wait first."""
    found = run.workspace().approvals(pending=pending)
    run.done("ask-list", render.list_fields(found), render.list_lines(found), found.notices)


def show(run: Run, *, id: str) -> None:
    """Show an approval: the question, the exact action, the answer."""
    workspace = run.workspace()
    found = workspace.approval(id)
    run.done("ask-show", render.done_fields(found), render.show_lines(found, workspace.clock.now()), found.notices)


def approve(run: Run, *, id: str, edit: str | None, message: str, yes: bool) -> None:
    """Approve an action, once. Only a person may."""
    workspace = run.workspace()
    typed = yes
    if not yes and asking.is_terminal(run) and not workspace.environment.by_agent:
        found = workspace.approval(id)
        output.lines(render.show_lines(found, workspace.clock.now()))
        typed = asking.prompt(f"Type {found.id} to approve", "") == found.id
        if not typed:
            raise NeedsYouError("Not confirmed. Nothing was changed.")
    given: dict[str, Any] = {} if edit is None else {"edit": _json(edit, "--edit")}
    _done(run, "ask-approve", workspace.decide(id, approve=True, message=_text(message), typed=typed, **given))


def reject(run: Run, *, id: str, message: str) -> None:
    """Reject an action, or withdraw the request."""
    _done(run, "ask-reject", run.workspace().decide(id, approve=False, message=_text(message)))


def use(run: Run, *, id: str, action: str | None, risk: str) -> None:
    """Use an approval for an action. Exit 0 exactly once; 3 while nobody has answered, 16 if refused."""
    _done(run, "ask-use", run.workspace().use_approval(id, _json(action), risk=risk))


def _done(run: Run, schema: str, done: Approval) -> None:
    run.done(schema, render.done_fields(done), render.done_lines(done), done.notices)


def _json(text: str | None, option: str = "--action") -> Any:
    if text is None:
        return None
    try:
        return plainjson.loads(invocation.argument(text))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{option} is not JSON: {error}.", hint="""For example: {"tool": "pay", "amount": 250}"""
        ) from error


def _text(text: str) -> str:
    return invocation.argument(text) if text else ""


_ID = optional("id", "[ID]", "Id of the request, or its first letters. Default: the only one that waits.", default="")
_ABOUT = optional("id", "[ID]", "Id of the request. Default: the one about this action.", default="")
_ACTION = text("--action", "JSON", "The exact action; `-` reads standard input.")
_RISK = text("--risk", "WORD", "Risk: low, or high, which needs a signature.", default="low")
_M = text("-m --message", "TEXT", "A word with the answer; `-` reads standard input.", default="")
VERBS = (
    Verb(
        "ask",
        ask,
        (
            words("question", "QUESTION", "The question to a person; `-` reads standard input.", is_text=True),
            _ACTION,
            text("--task", "SLUG", "The task that needs it.", completes="task"),
            text("--expires", "TIME", "The answer counts until then: 2d, monday, 2026-11-24T09:00."),
            _RISK,
            VIA,
        ),
        'agentws ask "Pay the deposit?" --action \'{"tool": "pay", "amount": 250}\' --risk high --expires 2d',
        'agentws ask "May I move the meeting to Friday?" --task meeting',
    ),
    Verb(
        "ask list",
        list_approvals,
        (flag("--pending", "Leave out what was answered."),),
        "agentws ask list",
        "agentws ask list --pending --json",
    ),
    Verb("ask show", show, (_ID,), "agentws ask show k3x9q2"),
    Verb(
        "ask approve",
        approve,
        (_ID, text("--edit", "JSON", "Approve this action instead; `-` reads standard input."), _M, YES),
        "agentws ask approve k3x9q2",
        'agentws ask approve k3x9q2 --edit \'{"tool": "pay", "amount": 200}\' -m "no more than that"',
    ),
    Verb("ask reject", reject, (_ID, _M), 'agentws ask reject k3x9q2 -m "not this month"'),
    Verb(
        "ask use",
        use,
        (_ABOUT, _ACTION, _RISK),
        'agentws ask use k3x9q2 --action \'{"tool": "pay", "amount": 250}\' && pay 250',
    ),
)
