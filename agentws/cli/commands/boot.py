"""agentws boot."""

from __future__ import annotations

from typing import Annotated

import typer

from agentws.cli import options, typer_glue, verbs

EXAMPLES = typer_glue.examples(
    "agentws boot",
    "agentws boot --budget 2000 --tokenizer chars4",
    "agentws boot --audience shared     for group chats: nothing private",
    "agentws boot --explain             where each token went",
    "agentws boot --now 2026-11-20      as it would have been then",
    "agentws boot --for claude-code --part 2      the second text for its hooks",
    "agentws boot --format messages     for an agent SDK",
)

_option = typer_glue.option_of(options.BOOT)


def boot(
    context: typer.Context,
    budget: Annotated[int | None, _option("budget")] = None,
    tokenizer: Annotated[str | None, _option("tokenizer")] = None,
    audience: Annotated[str, _option("audience")] = "main",
    name: Annotated[str | None, _option("name")] = None,
    host: Annotated[str | None, _option("host")] = None,
    part: Annotated[int | None, _option("part")] = None,
    format: Annotated[str | None, _option("format")] = None,
    now: Annotated[str | None, _option("now")] = None,
    explain: Annotated[bool, _option("explain")] = False,
    strict: Annotated[bool, _option("strict")] = False,
) -> None:
    """Print the start-up context: who the agent is and where it stands, within a budget of tokens."""
    verbs.boot(
        typer_glue.of(context),
        budget=budget,
        tokenizer=tokenizer,
        audience=audience,
        name=name,
        host=host,
        part=part,
        format=format,
        now=now,
        explain=explain,
        strict=strict,
    )
