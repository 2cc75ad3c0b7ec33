"""The verb agentws compact, with --verify and --undo."""

from __future__ import annotations

import difflib

from agentws.core import environment
from agentws.core.formats import layout
from agentws.core.terminal import dialog, output
from agentws.core.terminal.options import Verb, flag, number, text
from agentws.core.text import sizes
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.core.terminal.invocation import Run
    from agentws.features.memory.compact.records import TakenBack, Verified
    from agentws.features.memory.compact.run import Compacted


def compact(run: Run, *, dry_run: bool, yes: bool, verify: bool, undo: bool, explain: bool, **options: Any) -> None:
    """Archive old logs and add their marked lines to MEMORY.md. No line is lost.

    Marked are decisions, lessons, preferences, facts and rules. Open items and next steps go to memory/digest.md. With
    `checkpoint.keep` set, older checkpoints are removed for good.
    """
    if verify and undo:
        raise UsageError("--verify and --undo cannot be used together.", hint="Run one, then the other.")
    if verify:
        _verify(run)
    elif undo:
        _undo(run, dry_run=dry_run)
    else:
        _compact(run, explain=explain, yes=yes, dry_run=dry_run, settings=environment.user_settings(), **options)


def _compact(run: Run, *, explain: bool, yes: bool, dry_run: bool, **options: Any) -> None:
    workspace = run.workspace()
    done = workspace.memory.compact(agreed=yes, dry_run=dry_run, **options)
    if done.must_agree and not dry_run and _agrees(run, done):
        done = workspace.memory.compact(agreed=True, **options)
    run.done("compact", compacted_fields(done, explain=explain), compacted_lines(done, explain=explain), done.notices)
    if done.must_agree and not dry_run:
        raise NeedsYouError(
            "Not confirmed, nothing changed: this is the first run in this workspace.",
            hint="Check the result with --dry-run, then run: agentws compact --yes",
        )


def _verify(run: Run) -> None:
    result = run.workspace().memory.verify()
    run.result("compact-verify", result, _VERIFIED, verified_lines(result))
    if result.faults:
        count, hint = len(result.faults), "Look for earlier versions: agentws history FILE"
        what = "1 compacted line or file is" if count == 1 else f"{count} compacted lines or files are"
        raise NeedsYouError(f"{what} changed, missing or unreadable (see above).", hint=hint)


def _undo(run: Run, *, dry_run: bool) -> None:
    done = run.workspace().memory.undo(dry_run=dry_run)
    run.result(
        "compact-undo", done, "run days left[path why] changes=changes.paths dry_run notices", undone_lines(done)
    )


def _agrees(run: Run, done: Compacted) -> bool:
    if not dialog.is_terminal(run):
        return False
    output.lines(diff_lines(done))
    return dialog.confirm(f"Apply this change to {documents(done)}?")


_SOURCES = "sources=lines[path line end_line]"
_COMPACTED = f"""
    run days[path to?] moved[path to] deleted skipped[path why] new[text kind day {_SOURCES}] unused
    digest=page[new[text {_SOURCES}] gone next=next_day?] changes=changes.paths journal checkpoints dry_run must_agree
    notices
"""
_VERIFIED = "well=!faults days lines edited entries sourced sources faults[path line? wrong] notices"
VERBS = (
    Verb(
        "compact",
        compact,
        (
            text("--before", "TIME", "Compact logs older than this: 14d, 2026-11-01. Default: the manifest's."),
            number("--budget", "TOKENS", "No effect; accepted for earlier scripts."),
            text("--tokenizer", "NAME", "No effect; accepted for earlier scripts.", completes="tokenizer"),
            text(
                "--summarizer",
                "COMMAND",
                "Program that then answers the brief of `curate` (llm -m …, ollama run …); builtin for none. "
                "Default: your config.toml.",
            ),
            flag("--dry-run", "Show the result without applying it."),
            flag("--yes", "Confirm the first run without a question."),
            flag("--verify", "Verify every compacted line; exit 3 if one was changed."),
            flag("--undo", "Undo the last run; keep later changes."),
            flag("--explain", "Explain which marked lines were added, which were not, and why."),
        ),
        "agentws compact --dry-run",
        "agentws compact --before 30d --explain",
        "agentws compact --verify",
        "agentws compact --undo",
    ),
)


DIGEST = layout.DIGEST
_MOST_UNUSED = 40
_MOST_DAYS = 10


def compacted_fields(done: Compacted, *, explain: bool) -> dict[str, object]:
    """Return the fields of `agentws/compact@1`; marked lines that were not added are included only with `explain`."""
    names = f"{_COMPACTED} unused_lines=unused[text=line.body day=line.day path=line.path line=line.line why]"
    kept = {"retired": [], "compressed": [], "bytes_before": 0, "bytes": 0}
    journal = (
        output.fields(done.journal, "retired compressed bytes_before=before bytes=after") if done.journal else kept
    )
    return output.fields(done, names if explain else _COMPACTED, unused=len(done.unused), journal=journal)


def compacted_lines(done: Compacted, *, explain: bool) -> Iterator[str]:
    """Yield the lines that `compact` prints; with `explain` the fate of every marked line."""
    if not done.changes.changes:
        yield from _checkpoints(done)
        nothing = "No other change" if done.checkpoints else "Nothing to compact"
        yield f"{nothing}: {_why_nothing(done.skipped)}."
        yield from _journal(done)
        return
    would = "would be " if done.dry_run or done.must_agree else ""
    moved = sum(bool(to) for _, to in done.days)
    where = f", {moved} of them {would}moved to {layout.ARCHIVE}/" if moved else "; not moved"
    if done.days:
        yield f"{_count(len(done.days), 'day')} {would}compacted{where}."
    else:
        yield f"No new log to compact. {'Would change' if would else 'Changed'}: {documents(done)}."
    yield f"{layout.MEMORY}: {_count(len(done.new), 'new entry', 'new entries')}."
    if done.digest[0] != done.digest[1]:
        gone = f", {done.page.gone} closed" if done.page.gone else ""
        steps = f"; next list of {done.page.next_day}" if done.page.next_day else ""
        yield f"{DIGEST}: {_count(len(done.page.new), 'new open item')}{gone}{steps}."
    if late := sum(map(_is_day, done.moved)):
        yield f"{_count(late, 'day')} compacted earlier {would}moved to {layout.ARCHIVE}/ too (compaction.archive)."
    for path, to in [pair for pair in done.moved if not _is_day(pair)]:
        yield f"{path} → {to} ({would}moved by retention rules)"
    for path in done.deleted:
        yield f"{path}: {would}deleted by retention.archive"
    yield from _journal(done)
    yield from _checkpoints(done)
    if done.dry_run or done.must_agree:
        yield ""
        yield from diff_lines(done)
    if explain:
        yield from _explained(done)


def _checkpoints(done: Compacted) -> Iterator[str]:
    would = "would be " if done.dry_run else ""
    for path in done.checkpoints:
        yield f"{path}: {would}removed by checkpoint.keep; undo cannot bring it back"


def _why_nothing(skipped: Sequence[tuple[str, str]]) -> str:
    if not skipped:
        return "no log is old enough"
    path, why = skipped[0]
    more = f", and {len(skipped) - 1} more" if len(skipped) > 1 else ""
    return f"{_count(len(skipped), 'file')} cannot be compacted: {path} ({why}){more}"


def documents(done: Compacted) -> str:
    """Return the names of the documents for people that a compaction changes."""
    changed = {change.path for change in done.changes.changes}
    known = (layout.MEMORY, DIGEST)
    return " and ".join(path for path in known if path in changed) or layout.SOURCES


def _journal(done: Compacted) -> Iterator[str]:
    retirement, would = done.journal, "would be " if done.dry_run else ""
    if retirement is None:
        return
    if retirement.retired:
        count = _count(len(retirement.retired), "segment")
        yield f"Journal: {count} {would}retired (journal.keep = {one_line(retirement.keep)})"
    if retirement.compressed:
        after = "" if done.dry_run else f" → {sizes.readable(retirement.after)}"
        count = _count(len(retirement.compressed), "segment")
        yield f"Journal: {count} {would}compressed, {sizes.readable(retirement.before)}{after}"


def diff_lines(done: Compacted) -> Iterator[str]:
    """Yield the diff of MEMORY.md and the digest that a compaction makes, and the days that would move."""
    for path, (before, after) in ((layout.MEMORY, done.memory), (DIGEST, done.digest)):
        for line in difflib.unified_diff(before.split("\n"), after.split("\n"), path, path, n=2, lineterm=""):
            yield f"{line[:1]}{one_line(line[1:])}"  # the first is its mark, a blank for what stays
    moved = [pair for pair in (*done.days, *filter(_is_day, done.moved)) if pair[1]]
    for path, to in moved[:_MOST_DAYS]:
        yield f"{path} → {to}"
    if len(moved) > _MOST_DAYS:
        yield f"… and {len(moved) - _MOST_DAYS} more days"


def _is_day(moved: tuple[str, str]) -> bool:
    return moved[0].startswith(f"{layout.DAYS}/")


def _explained(done: Compacted) -> Iterator[str]:
    if done.new:
        yield ""
        yield "Added:"
    for entry in done.new:
        places = ", ".join(output.place(each.path, each.line) for each in entry.lines)
        yield f"  {one_line(entry.text)}  [{entry.kind}; {places}]"
    if done.unused:
        yield ""
        yield f"Not added: {_count(len(done.unused), 'marked line')}"
    for unused in done.unused[:_MOST_UNUSED]:
        line = unused.line
        yield f"  {one_line(line.body)}  [{unused.why}; {output.place(line.path, line.line)}]"
    if len(done.unused) > _MOST_UNUSED:
        yield f"  … and {len(done.unused) - _MOST_UNUSED} more: agentws compact --explain --json lists all"


def verified_lines(verified: Verified) -> Iterator[str]:
    """Yield the lines that `compact --verify` prints."""
    yield f"{_count(verified.days, 'compacted day')}, {_count(verified.lines, 'line')}: unchanged."
    yield (
        f"{_count(verified.entries, 'entry', 'entries')} in {layout.MEMORY}, {verified.sourced} with a source; "
        f"{_count(verified.sources, 'source')} followed."
    )
    if verified.edited:
        days = ", ".join(verified.edited[:5])
        yield f"{_count(len(verified.edited), 'day')} edited since; the next run compacts them again: {days}"
    for fault in verified.faults:
        yield f"{output.place(fault.path, fault.line)}: {fault.wrong}"


def undone_lines(done: TakenBack) -> Iterator[str]:
    """Yield the lines that `compact --undo` prints."""
    would = "Would undo" if done.dry_run else "Undid"
    days = sum(_is_day((path, "")) for path in done.days)
    parts = [_count(number, what) for number, what in ((days, "day"), (len(done.days) - days, "file")) if number]
    what = f": {', '.join(parts)} as before" if parts else ""
    yield f"{would} the compaction of {done.run}{what}."
    for path in done.changes.paths:
        yield f"  {path}"


def _count(number: int, name: str, many: str = "") -> str:
    return f"{number:,} {name if number == 1 else many or name + 's'}"
