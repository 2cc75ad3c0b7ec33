"""Output of boot: JSON fields for scripts, and `--explain`, the tokens of each section."""

from __future__ import annotations

from agentws.core.terminal.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.boot.result import Booted

_BAR = 24


def boot_fields(booted: Booted) -> dict[str, object]:
    """Return the fields of `agentws/boot@1`."""
    return {
        "text": booted.text,
        "tokens": booted.tokens,
        "budget": booted.budget,
        "counter": {"name": booted.counter, "exact": booted.exact, "trust": booted.trust},
        "sections": [
            {
                "source": section.source,
                "title": section.title,
                "tokens": section.tokens,
                "tokens_in": section.tokens_in,
                "shown": section.shown,
                "of": section.of,
                "reason": section.reason,
            }
            for section in booted.context.sections
        ],
        "omitted": [
            {"source": left.source, "tokens": left.tokens, "why": left.why, "read_with": left.read_with}
            for left in booted.context.omitted
        ],
        "notices": booted.notices,
        "stable_prefix_tokens": booted.context.stable_prefix_tokens,
        "stable_prefix_chars": booted.context.stable_prefix_chars,
        "host": booted.host,
        "part": booted.part,
        "parts": booted.parts,
    }


def explain(booted: Booted) -> None:
    """Print boot's `--explain`: the tokens of each section, and what was left out and why."""
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
    for notice in booted.notices:
        page.line(f"⚠ {notice}")
    page.print()
