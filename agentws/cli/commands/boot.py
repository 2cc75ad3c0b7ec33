"""agentws boot."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import output, render, run
from agentws.errors import NeedsYouError

EXAMPLES = run.examples(
    "agentws boot",
    "agentws boot --budget 2000 --tokenizer chars4",
    "agentws boot --audience shared     for group chats: nothing private",
    "agentws boot --explain             where each token went",
    "agentws boot --now 2026-11-20      as it would have been then",
)


def boot(
    context: typer.Context,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="TOKENS", help="The most tokens the text may have; else boot.budget of the manifest (8000)."
        ),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How tokens are counted: o200k_base (exact), claude, gemini (declared bounds), bytes (a bound), "
            "chars4 (an estimate); else boot.tokenizer of the manifest (o200k_base).",
        ),
    ] = None,
    audience: Annotated[
        str, typer.Option(metavar="WHO", help="main, or shared: leaves out what others must not see.")
    ] = "main",
    name: Annotated[str | None, typer.Option("--context", metavar="NAME", help="A virtual context.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="As it would have been at this time.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show where each token went, not the text.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 where anything was left out.")] = False,
) -> None:
    """Print the start-up context: who the agent is and where it stands, within a budget of tokens."""
    asked = run.of(context)
    booted = asked.workspace(moment=now).boot(budget=budget, tokenizer=tokenizer, audience=audience, context_name=name)
    if asked.as_json:
        output.data("boot", render.boot_fields(booted))
    elif explain:
        render.explain(booted)
    else:
        output.text(booted.text)
    if strict and booted.cut:
        raise NeedsYouError("Not everything fitted.", hint="See what was left out: agentws boot --explain")
