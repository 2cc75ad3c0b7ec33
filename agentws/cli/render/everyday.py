"""Results as people read them, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.cli.render import verdict
from agentws.cli.render.page import Page
from agentws.formats.journal import summary
from agentws.formats.text import names
from agentws.formats.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


_BAR = 24
_MOST_ENTRY = 100


# boot


def boot_fields(booted: Any) -> dict[str, object]:
    """The fields of `agentws/boot@1`."""
    return {
        "text": booted.text,
        "tokens": booted.tokens,
        "budget": booted.budget,
        "counter": {"name": booted.counter, "exact": booted.exact, "trust": booted.trust},
        "sections": [
            {
                "source": section.source,
                "title": section.title,
                "layer": section.layer,
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


def explain(booted: Any) -> None:
    """Print where each token went, and what was left out and why."""
    page = Page()
    whole = booted.context.tokens
    page.line(f"{whole:,} of {booted.budget:,} tokens ({booted.counter}, {booted.trust})")
    largest = max((section.tokens for section in booted.context.sections), default=1) or 1

    def row(source: str, tokens: int, reason: str) -> tuple[str, ...]:
        return source, f"{tokens:,}", "█" * max(1, tokens * _BAR // largest), reason

    framing = whole - sum(section.tokens for section in booted.context.sections)
    rows = [row(section.source, section.tokens, section.reason) for section in booted.context.sections]
    page.table(("source", "tokens", "", "shown"), [*rows, row("(header, now, left out)", framing, "")])
    if booted.context.omitted:
        page.line("")
        page.line("Left out (still on disk)")
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


# status


def _handoffs(found: Any) -> str:
    """How many handoffs are open, and which: `2 open (nobody wrote it: s1; handoffs/2026-11-20-x.md)`."""
    nobody = f"recovered: {names.some(found.broken)}"
    told = [words for words, some in ((nobody, found.broken), (names.some(found.handoffs), found.handoffs)) if some]
    return f"{len(found.broken) + len(found.handoffs)} open ({'; '.join(told)})" if told else "none open"


def status_fields(found: Any) -> dict[str, object]:
    """The fields of `agentws/status@1`."""
    return {
        "well": found.well,
        "root": found.root,
        "adopted": found.adopted,
        "agent_id": found.agent_id,
        "name": found.name,
        "timezone": found.timezone,
        "counter": found.counter,
        "files": [{"path": path, "bytes": size, "tokens": tokens} for path, size, tokens in found.files],
        "days": len(found.days),
        "first_day": found.days[0] if found.days else None,
        "last_day": found.days[-1] if found.days else None,
        "tasks": found.tasks,
        "open_handoffs": [*found.broken, *found.handoffs],
        "layers": [{"layer": layer, "says": says} for layer, says in found.layers],
        "checks": [
            {"name": check.name, "ok": check.ok, "says": check.says, "remedy": check.remedy or None}
            for check in found.checks
        ],
        "not_checked": list(found.not_checked),
    }


def status_line(found: Any) -> str:
    """The workspace in one line: what is under way, and whether something needs a person."""
    problems = len(found.findings)
    handoffs = len(found.handoffs) + len(found.broken)
    told = [
        found.name,
        f"{found.tasks['active']} active" if found.tasks.get("active") else "",
        f"{handoffs} handoff{'s' * (handoffs > 1)} open" if handoffs else "",
        f"log {found.days[-1]}" if found.days else "no log yet",
        f"✗ {problems} problem{'s' * (problems > 1)}: agentws status" if problems else "✓",
    ]
    return one_line(" · ".join(filter(None, told))) + "\n"


def status(found: Any) -> None:
    """Print the verdict and one screen about the workspace."""
    page = Page()

    def say(label: str, text: str, style: str = "") -> None:
        page.line(text, style, label=f"  {label:<10} ")

    page.line(verdict.headline(found), "bold green" if found.well else "bold red")
    say("agent", f"{found.name}" + (f" · {found.agent_id[:8]}" if found.agent_id else ""))
    say("where", found.root)
    count = f"{len(found.days)} day{'s' * (len(found.days) > 1)}"
    say("logs", f"{count}, newest {found.days[-1]}" if found.days else "none yet")
    say("tasks", ", ".join(f"{count} {state}" for state, count in sorted(found.tasks.items())) or "none")
    say("handoffs", _handoffs(found))
    for layer, says in found.layers:
        say(layer, says)
    total = sum(tokens for _, _, tokens in found.files)
    say("boot reads", f"{total:,} tokens ({found.counter})")
    for path, size, tokens in found.files:
        say("", f"{path:<14} {size:>8,} bytes {tokens:>8,} tokens")
    for check in found.checks:
        say(check.name, f"{'✓' if check.ok else '✗'} {check.says}", "" if check.ok else "red")
        if check.remedy:
            say("", f"→ {check.remedy}")
    say("not checked", ", ".join(found.not_checked))
    say("", "→ agentws doctor")
    page.print()


# context, undo


def contexts_fields(found: Any) -> dict[str, object]:
    """The fields of `agentws/context-list@1`."""
    return {"in_use": found.in_use or None, "contexts": [context_fields(one) for one in found.contexts]}


def contexts_lines(found: Any) -> Iterator[str]:
    """The contexts, one a line."""
    if not found.contexts:
        yield "No contexts yet. Create one: agentws context new NAME"
    for one in found.contexts:
        yield f"{'*' if one.name == found.in_use else ' '} {one.name:<20} {', '.join(one.files) or 'no files'}"


def context_fields(found: Any) -> dict[str, object]:
    """The fields of `agentws/context-show@1`."""
    return {
        "name": found.name,
        "files": list(found.files),
        "tags": list(found.tags),
        "tasks": list(found.tasks),
        "src": found.src or None,
        "text": found.body.strip(),
    }


def context_lines(found: Any) -> Iterator[str]:
    """One context in full."""
    yield f"context {found.name}"
    for label, values in (("files", found.files), ("tags", found.tags), ("tasks", found.tasks)):
        yield f"  {label:<6} {', '.join(values) or 'none'}"
    if found.src:
        yield f"  via    {found.src}"
    yield ""
    yield found.body.strip()


def changed_fields(done: Any) -> dict[str, object]:
    """The fields of `agentws/context-new@1` and `agentws/context-use@1`."""
    return {"name": done.name or None, "paths": list(done.paths), "dry_run": done.dry_run, "notices": done.notices}


def changed_lines(done: Any, word: str) -> Iterator[str]:
    """What happened to a context."""
    if not done.paths:
        yield f"Context {done.name or 'none'} is already {word}. Nothing was changed."
    elif done.dry_run:
        yield f"Would change {names.some(done.paths)}. Nothing was changed."
    else:
        yield f"Context {done.name or 'none'} is {word}: {names.some(done.paths)}"


def undo_fields(done: Any) -> dict[str, object]:
    """The fields of `agentws/undo@1`."""
    return {
        "verb": done.verb,
        "number": done.number,
        "paths": list(done.paths),
        "dry_run": done.dry_run,
        "redo": done.redo,
        "events": done.events,
        **_whose_fields(done.whose),
        "notices": done.notices,
    }


def _whose_fields(whose: Any) -> dict[str, object]:
    names = ("at", "session", "state", "host", "writer")
    return {name: getattr(whose, name) or None for name in names} | {"others": whose.is_others}


def changes_fields(found: Any) -> dict[str, object]:
    """The fields of `agentws/undo-list@1`."""
    rows = [
        {
            "number": row.number,
            "verb": row.verb,
            "paths": list(row.paths),
            "undone": row.is_undone,
            "forgotten": row.is_forgotten,
            **_whose_fields(row.whose),
        }
        for row in found.rows
    ]
    return {"changes": rows, "notices": found.notices}


def changes_lines(found: Any) -> Iterator[str]:
    """The changes, the newest first."""
    if not found.rows:
        yield "agentws has made no changes here."
    for row in found.rows:
        more = f", {len(row.paths) - 3} more" if len(row.paths) > 3 else ""
        paths = f" ({one_line(', '.join(row.paths[:3]))}{more})" * bool(row.paths)  # names of files may be forgotten
        parts = (
            f"{row.number:>4}  {one_line(row.verb)}{paths}",
            one_line(row.whose.words),
            "taken back" * row.is_undone,
            "cannot be undone: its data was forgotten" * (row.is_forgotten and not row.is_undone),
        )
        yield " · ".join(part for part in parts if part)


def undo_lines(done: Any) -> Iterator[str]:
    """What was taken back."""
    done_words = ("Would make again", "Made again") if done.redo else ("Would take back", "Took back")
    yield f"{done_words[not done.dry_run]}: {done.verb} ({names.some(done.paths)})"
    if done.entry:
        yield f"  {summary.cut(one_line(done.entry), _MOST_ENTRY)}"
    if done.whose.session or done.whose.state:
        yield f"  by {one_line(done.whose.words)}"
    if done.verb == "init" and not done.dry_run:
        yield "The folders .git and .agentws remain: they contain what was undone."
        yield "journal and identity remain too, so that init recognises the agent."
