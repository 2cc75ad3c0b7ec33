"""The verbs agentws ask, and ask list, show, statement, approve, reject, use, keys and rules."""

from __future__ import annotations

import os

from agentws.core.terminal import dialog, invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import VIA, YES, Verb, flag, optional, text, word, words
from agentws.errors import NeedsYouError, UsageError
from agentws.features.approvals import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.features.approvals.approval import Approval
    from agentws.features.approvals.signing import Statement
    from agentws.workspace import Workspace


_TEST_HINT = """agentws ask rules --test Bash --input '{"command": "git push"}'"""
_MEANT = {
    "list": ("ls", "all", "pending"),
    "show": ("view", "cat", "get", "see"),
    "approve": ("yes", "y", "ok", "okay", "accept", "allow", "grant", "confirm", "approved"),
    "reject": ("no", "n", "deny", "denied", "decline", "refuse", "cancel", "withdraw", "remove", "rm", "delete"),
    "use": ("consume", "spend", "redeem"),
    "statement": ("sign",),
    "keys": ("key", "approvers"),
    "rules": ("rule",),
}
"""The words that people type for a command below `ask`."""
_NEAR = 0.72
"""How much alike a misspelled word must be to one of these (difflib)."""
_SHORTEST_WORD = 3
_MOST_SIGNATURE_BYTES, _MOST_REQUEST_BYTES = 1 << 14, 1 << 20


def ask(
    run: Run,
    *,
    question: list[str],
    action: str | None,
    task: str | None,
    expires: str | None,
    risk: str,
    via: str | None,
    again: bool,
) -> None:
    """Ask a person for approval of an exact action. Print the request's file. To block a tool: `agentws ask rules`.

    An answer counts once; use it with `agentws ask use`.
    """
    _check_question(question)
    asked = invocation.said(question)
    done = run.workspace().ask(asked, action=_json(action), task=task, expires=expires, risk=risk, via=via, again=again)
    run.result("ask", done, render.APPROVAL + "notices", render.asked_lines(done))


def _check_question(words: list[str]) -> None:
    """Raise UsageError for a single word, or one before an id, that is meant as a command: it would ask a person."""
    from agentws.core.formats.documents import approval

    if not words or not words[0].isalpha() or len(words) > 2:
        return
    from difflib import get_close_matches

    commands = {word: command for command, others in _MEANT.items() for word in (command, *others)}
    if len(words) == 2 and not (approval.is_id(words[1]) or (words[0].lower() in commands and _is_no_word(words[1]))):
        return
    near = get_close_matches(words[0].lower(), commands, n=1, cutoff=_NEAR)
    if near:
        meant = " ".join(("agentws ask", commands[near[0]], *words[1:]))
        raise UsageError(
            f"There is no command `ask {words[0]}`. Nobody was asked.",
            hint=f"Did you mean: {meant}? To ask it all the same: agentws ask '{' '.join(words)}?'",
        )


def _is_no_word(text: str) -> bool:
    """Return whether a text is rather a mistyped id than a word of a question."""
    return text.isalnum() and (len(text) < _SHORTEST_WORD or any(char.isdigit() for char in text))


def list_approvals(run: Run, *, pending: bool) -> None:
    """List approvals. Requests without an answer come first."""
    result = run.workspace().approvals.list(pending=pending)
    run.result("ask-list", result, f"approvals=.[{render.APPROVAL}] notices", render.list_lines(result))
    invocation.check_read(result.unread)


def show(run: Run, *, id: str, statement: bool, edit: str | None, reject: bool) -> None:
    """Show an approval: the question, the exact action, the answer."""
    workspace = run.workspace()
    result = workspace.approvals.show(id)
    if not statement:
        lines = [*render.show_lines(result, workspace.stores.clock.now()), *render.answer_lines(result)]
        run.result("ask-show", result, render.APPROVAL + "notices", lines)
        return
    given = _edited(edit)
    words = workspace.approvals.statement(result, approve=not reject, **given)
    _statement(run, result, given.get("edit", result.action), words, result.notices)


def statement(run: Run, *, file: str, agent: str, id: str, edit: str | None, reject: bool) -> None:
    """Print the text that a person signs, from a copy of the file of a request, on your own machine.

    Question and action go to stderr. Sign: `ssh-keygen -Y sign -n agentws-approval -f KEY`.
    """
    from agentws.workspace import statement_of

    run.check_main_audience()
    named = id or ("" if file == "-" else os.path.basename(file))
    if not named:
        raise UsageError("Standard input needs --id.", hint="agentws ask statement - --id k3x9q2 --agent ID")
    data = invocation.file_bytes(file, _MOST_REQUEST_BYTES)
    result = statement_of(data, id=named, agent=agent, approve=not reject, **_edited(edit))
    _statement(run, result, result.action, result.words, [])


def _statement(run: Run, subject: Approval | Statement, action: Any, words: str, notices: list[str]) -> None:
    fields = render.statement_fields(subject, action, words)
    run.done("ask-statement", fields, words.splitlines(), [*notices, *render.signed_lines(subject, action, words)])


def approve(
    run: Run, *, id: str, edit: str | None, message: str, signature: str | None, key: str | None, yes: bool
) -> None:
    """Approve an action, once. Only a person may; a high risk needs a signature."""
    workspace = run.workspace()
    result, typed, given = workspace.approvals.show(id), yes, _edited(edit)
    asks = result.risk == "low" and not signature  # a typed answer does not count for a high risk
    if result.status == "pending" and not yes and (asks or key) and _is_person(run, workspace):
        output.lines(render.show_lines(result, workspace.stores.clock.now()))
        if edit is not None:
            output.lines(["  to be approved instead:", *render.json_lines(given["edit"])])
        typed = dialog.prompt(f"Type {result.id} to approve", "") == result.id
        if not typed:
            raise NeedsYouError("Not confirmed. Nothing was changed.")
    signed = _signature(workspace, result, signature, key, given)
    done = workspace.approvals.decide(
        result.id,
        approve=True,
        message=_text(message),
        typed=typed and not signed,
        signature=signed,
        shown=result,
        **given,
    )
    _done(run, "ask-approve", done)


def _is_person(run: Run, workspace: Workspace) -> bool:
    return dialog.is_terminal(run) and not workspace.stores.environment.by_agent


def _signature(
    workspace: Workspace, shown: Approval, given: str | None, key: str | None, edited: dict[str, Any]
) -> str | None:
    """Return the signature that was given, or one made now by a person's key, None for neither."""
    if given is not None and key is not None:
        raise UsageError("--signature and --key cannot be used together.")
    if given is not None:
        text = invocation.file_text(given, _MOST_SIGNATURE_BYTES)
        if not text.strip():
            raise UsageError("--signature is empty.", hint="How to make one: agentws docs approvals")
        return text
    if key is None:
        return None
    return workspace.approvals.sign(workspace.approvals.statement(shown, **edited), invocation.path_meant(key))


def _edited(edit: str | None) -> dict[str, Any]:
    return {} if edit is None else {"edit": _json(edit, "--edit")}


def reject(run: Run, *, id: str, message: str) -> None:
    """Reject an action, or withdraw the request."""
    _done(run, "ask-reject", run.workspace().approvals.decide(id, approve=False, message=_text(message)))


def use(run: Run, *, id: str, action: str | None, risk: str) -> None:
    """Use an approval for an action. Exit 0 exactly once; 3 while nobody has answered, 16 if refused."""
    _done(run, "ask-use", run.workspace().approvals.use(id, _json(action), risk=risk))


def keys(run: Run) -> None:
    """List the keys of people whose signatures count, and how to pin one."""
    result = run.workspace().approvals.keys()
    run.result("ask-keys", result, render.KEYS, render.keys_lines(result))


def rules(run: Run, *, tool: str | None, given: str | None) -> None:
    """List the rules that forbid, deny or block a tool, or test a call. Nothing runs."""
    if given is not None and tool is None:
        raise UsageError("--input needs --test.", hint=_TEST_HINT)
    workspace = run.workspace().approvals.rules(
        tool=tool, given=_json(given, "--input", '{"command": "git push"}'), folder=os.getcwd()
    )
    run.result("ask-rules", workspace, render.RULES, render.rules_lines(workspace))
    if workspace.problems:
        many = len(workspace.problems)
        raise NeedsYouError(f"{many} problem{'s' * (many > 1)} with the rules (see above).")


def _done(run: Run, schema: str, done: Approval) -> None:
    run.result(schema, done, render.APPROVAL + "notices", render.done_lines(done))


def _json(text: str | None, option: str = "--action", example: str = '{"tool": "pay", "amount": 250}') -> Any:
    return None if text is None else invocation.unambiguous(text, option, example)


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
            flag("--again", "Ask again although the same request is open."),
            VIA,
        ),
        'agentws ask "Pay the deposit?" --action \'{"tool": "pay", "amount": 250}\' --risk high --expires 2d',
        'agentws ask "May I move the meeting to Friday?" --task meeting',
    ),
    Verb(
        "ask list",
        list_approvals,
        (flag("--pending", "Only unanswered ones."),),
        "agentws ask list",
        "agentws ask list --pending --json",
    ),
    Verb(
        "ask show",
        show,
        (
            _ID,
            flag("--statement", "Print the text that a person signs; the action goes to stderr."),
            text("--edit", "JSON", "The action to approve instead, for --statement."),
            flag("--reject", "Print the statement of a rejection."),
        ),
        "agentws ask show k3x9q2",
        "agentws ask show k3x9q2 --statement | ssh-keygen -Y sign -n agentws-approval -f ~/.ssh/id_ed25519_sk",
    ),
    Verb(
        "ask statement",
        statement,
        (
            word("file", "FILE", "A copy of approvals/ID.md; `-` reads standard input."),
            text("--agent", "ID", "Id of the agent, the same for all its requests: grep ^id agentws.toml", default=""),
            text("--id", "ID", "Id of the request. Default: the name of the file.", default=""),
            text("--edit", "JSON", "The action to approve instead."),
            flag("--reject", "Print the statement of a rejection."),
        ),
        "agentws ask statement k3x9q2.md --agent b9ba38b4e55841229021a89eae149aea",
        "agentws ask statement - --id k3x9q2 --agent b9ba38b4e55841229021a89eae149aea < copy > statement",
    ),
    Verb(
        "ask approve",
        approve,
        (
            _ID,
            text("--edit", "JSON", "Approve this action instead; `-` reads standard input."),
            _M,
            text("--signature", "FILE", "Signature of the statement; `-` reads standard input."),
            text("--key", "FILE", "Sign with this private key, here at the terminal."),
            YES,
        ),
        "agentws ask approve k3x9q2",
        "agentws ask approve k3x9q2 --key ~/.ssh/id_ed25519_sk",
        "ssh server agentws ask approve k3x9q2 --signature - < answer.sig",
        'agentws ask approve k3x9q2 --edit \'{"tool": "pay", "amount": 200}\' -m "no more than that"',
    ),
    Verb("ask keys", keys, (), "agentws ask keys"),
    Verb(
        "ask rules",
        rules,
        (
            text("--test", "TOOL", "Test a call of this tool.", to="tool"),
            text("--input", "JSON", "The input of that call; `-` reads standard input.", to="given"),
        ),
        "agentws ask rules",
        _TEST_HINT,
    ),
    Verb("ask reject", reject, (_ID, _M), 'agentws ask reject k3x9q2 -m "not this month"'),
    Verb(
        "ask use",
        use,
        (_ABOUT, _ACTION, _RISK),
        'agentws ask use k3x9q2 --risk high --action \'{"tool": "pay", "amount": 250}\' && pay 250',
    ),
)
