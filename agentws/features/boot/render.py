"""Output of boot: JSON fields for scripts, and `--explain`, the tokens of each section."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.terminal.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.boot.result import Booted
    from agentws.features.boot.shown import UnshownEntry

_BAR = 24
_MOST_UNSHOWN = 20


def boot_fields(booted: Booted, unshown: Sequence[UnshownEntry] = ()) -> dict[str, object]:
    """Return the fields of `agentws/boot@1`."""
    return {
        **output.fields(booted, "text tokens budget"),
        "counter": output.fields(booted, "name=counter exact trust"),
        "sections": [
            output.fields(section, "source title tokens tokens_in shown of reason")
            for section in booted.context.sections
        ],
        "omitted": [output.fields(left, "source tokens why read_with") for left in booted.context.omitted],
        "unshown": [output.fields(entry, "path line text since") for entry in unshown],
        **output.fields(
            booted,
            "notices stable_prefix_tokens=context.stable_prefix_tokens "
            "stable_prefix_chars=context.stable_prefix_chars host part parts",
        ),
    }


def explain(booted: Booted, unshown: Sequence[UnshownEntry]) -> None:
    """Print boot's `--explain`: the tokens of each section, what was left out and why, and what no boot has shown."""
    page = Page()
    whole = booted.context.tokens
    page.line(f"{whole:,} of {booted.budget:,} tokens ({booted.counter}, {booted.trust})")
    largest = max((section.tokens for section in booted.context.sections), default=1) or 1

    def row(source: str, tokens: int, reason: str) -> tuple[str, ...]:
        return source, f"{tokens:,}", "█" * max(1, tokens * _BAR // largest), reason

    framing = whole - sum(section.tokens for section in booted.context.sections)
    rows = [row(section.source, section.tokens, section.reason) for section in booted.context.sections]
    page.table(("source", "tokens", "", "shown"), [*rows, row("(title, Now, not shown)", framing, "")])
    if booted.context.omitted:
        page.line("")
        page.line("Not shown, or not whole")
        counts = ["not counted" if left.tokens is None else f"{left.tokens:,}" for left in booted.context.omitted]
        page.table(
            ("source", "tokens", "why", "read with"),
            [
                (left.source, count, left.why, left.read_with)
                for left, count in zip(booted.context.omitted, counts, strict=True)
            ],
        )
    if unshown:
        from agentws.features.boot.shown import LONG_DAYS

        page.line("")
        page.line(f"In MEMORY.md, but in no boot for {LONG_DAYS} days")
        rows = [
            (output.place(entry.path, entry.line), f"since {entry.since}", entry.text)
            for entry in unshown[:_MOST_UNSHOWN]
        ]
        page.table(("place", "not shown", "entry"), rows)
        if len(unshown) > _MOST_UNSHOWN:
            page.line(f"{len(unshown) - _MOST_UNSHOWN:,} more: agentws boot --json")
    for notice in booted.notices:
        page.line(f"⚠ {notice}")
    page.print()
