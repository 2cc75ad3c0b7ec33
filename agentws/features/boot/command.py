"""The verb agentws boot."""

from __future__ import annotations

from agentws import features
from agentws.core.terminal import output
from agentws.core.terminal.options import Verb, flag, number, text
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.terminal.invocation import Run

_JSON, _MESSAGES = "json", "messages"
_FORMATS = ("markdown", _JSON, _MESSAGES)


def boot(run: Run, *, format: str | None, now: str | None, explain: bool, strict: bool, **asked: Any) -> None:
    """Print the start-up context: identity, state and memory, within a token budget."""
    form = _form(run, format, asked["part"])
    workspace = run.workspace(moment=now)
    booted = workspace.boot(**asked)
    if form == _JSON:
        from agentws.features.boot import render

        output.data("boot", render.boot_fields(booted, workspace.plumbing.unshown(booted)))
    elif form == _MESSAGES:
        output.values(booted.messages)
    elif explain:
        from agentws.features.boot import render

        render.explain(booted, workspace.plumbing.unshown(booted))
    else:
        output.text(booted.text)
    if strict and booted.cut:
        raise NeedsYouError("Some content was left out.", hint="To see what was left out: agentws boot --explain")


def _form(run: Run, asked_for: str | None, part: int | None) -> str:
    """The form that is asked for, one of _FORMATS."""
    form = asked_for or (_JSON if run.as_json else _FORMATS[0])
    if form not in _FORMATS:
        raise UsageError(f"Unknown format: {form!r}.", hint=f"Choose one of: {', '.join(_FORMATS)}.")
    if run.as_json and form != _JSON:
        raise UsageError(f"--json and --format {form} cannot be used together.", hint="Use one of them.")
    if form == _MESSAGES and part is not None:
        raise UsageError("--format messages and --part cannot be used together.", hint="Leave out --part.")
    return form


VERBS = (
    Verb(
        "boot",
        boot,
        (
            number("--budget", "TOKENS", "Maximum tokens of the text. Default: boot.budget (8000)."),
            text(
                "--tokenizer",
                "NAME",
                "Counter: o200k_base (exact), claude, gemini, bytes (upper bounds), chars4 (estimate). "
                "Default: boot.tokenizer.",
                completes="tokenizer",
            ),
            text("--audience", "WHO", "main or shared; shared hides private content.", default="main"),
            text("--context", "NAME", "A context to load.", to="context_name", completes="context"),
            text(
                "--for",
                "HOST",
                f"Host that reads the text: plain, {', '.join(features.with_hooks())}. Omits what it loads itself, and "
                "fits its limit.",
                to="host",
                completes="host",
            ),
            number(
                "--part",
                "K",
                "With --for: split the whole budget into texts that fit, and print the K-th. Empty after the last.",
                least=1,
            ),
            text(
                "--format",
                "FORMAT",
                "markdown; json, as --json; or messages: a JSON array of chat messages, system and user.",
            ),
            text("--now", "TIME", "Show the boot as of this time.", is_hot=False),
            flag("--explain", "Show the tokens of each section, not the text.", is_hot=False),
            flag("--strict", "Exit 3 if anything was left out."),
        ),
        "agentws boot",
        "agentws boot --budget 2000 --tokenizer chars4",
        "agentws boot --audience shared     for group chats: nothing private",
        "agentws boot --explain             tokens of each section",
        "agentws boot --now 2026-11-20      as it would have been then",
        "agentws boot --for claude-code --part 2      the second text for its hooks",
        "agentws boot --format messages     for an agent SDK",
        is_hot=True,
    ),
)
