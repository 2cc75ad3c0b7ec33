"""Compaction as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

import difflib
from collections import Counter

from agentws.formats import layout
from agentws.formats.text import sizes
from agentws.formats.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from agentws.operations.compact.run import Compacted
    from agentws.operations.compact.undo import TakenBack
    from agentws.operations.compact.verify import Verified


DIGEST = layout.DIGEST
_PROPOSED = f"{layout.DAYS}/proposed.md"
_PROPOSE = "propose"
_MOST_DROPPED = 40
_MOST_DAYS = 10


def fields(done: Compacted, *, explain: bool) -> dict[str, object]:
    """The fields of `agentws/compact@1`; what was dropped is in it with `--explain` alone."""
    before, after = done.tokens
    found: dict[str, object] = {
        "run": done.run,
        "days": [{"path": path, "to": to or None} for path, to in done.days],
        "moved": [{"path": path, "to": to} for path, to in done.moved],
        "deleted": list(done.deleted),
        "skipped": [{"path": path, "why": why} for path, why in done.skipped],
        "mode": done.mode,
        "memory": {"tokens_before": before, "tokens": after, "budget": done.budget, "counter": done.counter},
        "digest": {
            "tokens_before": done.page_tokens[0],
            "tokens": done.page_tokens[1],
            "new": len(done.choice.page.new),
            "gone": len(done.choice.page.gone),
        },
        "proposed": [_kept(one) for one in done.choice.proposed],
        "waiting": done.choice.waiting,
        "new": [_kept(one) for one in done.choice.new],
        "gone": [{"text": one.text, "why": one.why, "successor": one.successor or None} for one in done.choice.gone],
        "stayed": len(done.choice.stayed),
        "weighty": {"kept": done.choice.weighty[0], "of": done.choice.weighty[1]},
        "dropped": len(done.choice.dropped),
        "changes": list(done.changes.paths),
        "journal": {
            "retired": list(done.journal.retired),
            "compressed": list(done.journal.compressed),
            "bytes_before": done.journal.before,
            "bytes": done.journal.after,
        },
        "checkpoints": list(done.checkpoints),
        "dry_run": done.dry_run,
        "must_agree": done.must_agree,
        "notices": done.notices,
    }
    if explain:
        found["dropped_lines"] = [
            {"text": one.text, "day": one.day, "path": one.source.path, "line": one.source.line, "worth": one.worth,
             "why": one.why}
            for one in done.choice.dropped
        ]  # fmt: skip
    return found


def _kept(one: Any) -> dict[str, object]:
    sources = [{"path": each.path, "line": each.line, "end_line": each.end_line} for each in one.sources]
    told = {"text": one.text, "section": one.kind, "day": one.day, "worth": one.worth, "why": one.why}
    return {**told, "src": one.src, "sources": sources}


def lines(done: Compacted, *, explain: bool) -> Iterator[str]:
    """Yield the result of a run, or of a dry run; with `explain` the fate of every sentence."""
    if not done.changes.changes:
        yield from _checkpoints(done)
        nothing = "No other change" if done.checkpoints else "Nothing to compact"
        yield f"{nothing}: {_why_nothing(done.skipped)}."
        yield from _waiting(done)
        yield from _journal(done)
        return
    would = "would be " if done.dry_run or done.must_agree else ""
    moved = sum(bool(to) for _, to in done.days)
    where = f", {moved} of them {would}moved to {layout.ARCHIVE}/" if moved else "; not moved"
    if done.days:
        yield f"{_count(len(done.days), 'day')} {would}compacted{where}."
    else:
        yield f"No new log to compact. {'Would change' if would else 'Changed'}: {documents(done)}."
    new = _count(len(done.choice.new), "new entry", "new entries")
    yield f"{layout.MEMORY}: {new}{_gone(done.choice.gone, would)}."
    if done.choice.proposed:
        count, review = _count(len(done.choice.proposed), "line"), "After that" if would else "Review"
        yield f"{count} {would}proposed. {review}: agentws curate --review"
    yield from _waiting(done)
    before, after = done.tokens
    if late := sum(map(_is_day, done.moved)):
        yield f"{_count(late, 'day')} compacted earlier {would}moved to {layout.ARCHIVE}/ too (compaction.archive)."
    for path, to in [one for one in done.moved if not _is_day(one)]:
        yield f"{path} → {to} ({would}moved by retention rules)"
    for path in done.deleted:
        yield f"{path}: {would}deleted by retention.archive"
    yield f"{layout.MEMORY}: {before:,} → {after:,} tokens ({done.counter})"
    first, last = done.page_tokens
    yield f"{DIGEST}: {first:,} → {last:,} tokens. Budget of section and digest: {done.budget:,}"
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
    """The documents for people that a run changes."""
    changed = {one.path for one in done.changes.changes}
    known = (layout.MEMORY, DIGEST, _PROPOSED)
    return " and ".join(path for path in known if path in changed) or layout.SOURCES


def _waiting(done: Compacted) -> Iterator[str]:
    number = done.choice.waiting
    if number:
        why = ": the section is full" if done.mode != _PROPOSE else " for the author: agentws curate"
        yield f"{_count(number, 'marked line')} {'waits' if number == 1 else 'wait'}{why}."


def _journal(done: Compacted) -> Iterator[str]:
    found = done.journal
    if found.retired:
        would = "would be " if done.dry_run else ""
        yield f"Journal: {_count(len(found.retired), 'segment')} {would}retired (journal.keep = {one_line(found.keep)})"
    if found.compressed:
        would = "would be " if done.dry_run else ""
        after = "" if done.dry_run else f" → {sizes.readable(found.after)}"
        count = _count(len(found.compressed), "segment")
        yield f"Journal: {count} {would}compressed, {sizes.readable(found.before)}{after}"


def _gone(gone: Any, would: str) -> str:
    """How many entries leave, and why: most give way to others, and nothing says that those are untrue."""
    whys = Counter(one.why for one in gone)
    told = [f"{number} {one_line(why)}" if len(whys) > 1 else one_line(why) for why, number in whys.most_common()]
    return f"; {_count(len(gone), 'entry', 'entries')} {would}removed ({'; '.join(told)})" if told else ""


def diff_lines(done: Compacted) -> Iterator[str]:
    """Yield the changes of MEMORY.md and the digest, as a diff, and the days that would move."""
    yield from _diff(done)
    for one in done.choice.proposed:
        yield f"proposed: {one_line(one.text)}"
    moved = [one for one in (*done.days, *filter(_is_day, done.moved)) if one[1]]
    for path, to in moved[:_MOST_DAYS]:
        yield f"{path} → {to}"
    if len(moved) > _MOST_DAYS:
        yield f"… and {len(moved) - _MOST_DAYS} more days"


def _is_day(moved: tuple[str, str]) -> bool:
    return moved[0].startswith(f"{layout.DAYS}/")


def _diff(done: Compacted) -> Iterator[str]:
    for path, (before, after) in ((layout.MEMORY, done.memory), (DIGEST, done.page)):
        for line in difflib.unified_diff(before.split("\n"), after.split("\n"), path, path, n=2, lineterm=""):
            yield f"{line[:1]}{one_line(line[1:])}"  # the first is its mark, a blank for what stays


def _explained(done: Compacted) -> Iterator[str]:
    yield from _listed("Kept", done.choice.new)
    yield from _listed("Proposed", done.choice.proposed)
    for one in done.choice.gone:
        now = f"; now: {one_line(one.successor)}" if one.successor else ""
        yield f"  removed: {one_line(one.text)}  [{one.why}{now}]"
    dropped = sorted(done.choice.dropped, key=lambda line: -line.worth)
    if dropped:
        yield ""
        yield f"Not kept: {_count(len(dropped), 'sentence')} (still in the logs), best first:"
    for line in dropped[:_MOST_DROPPED]:
        yield f"  {line.worth / 1000:.2f} {one_line(line.text)}  [{line.why}; {line.source.path}:{line.source.line}]"
    if len(dropped) > _MOST_DROPPED:
        yield f"  … and {len(dropped) - _MOST_DROPPED} more: agentws compact --explain --json lists all"


def _listed(title: str, found: Any) -> Iterator[str]:
    if found or title == "Kept":
        yield ""
        yield f"{title}, most important first:"
    for one in sorted(found, key=lambda kept: -kept.worth):
        sources = ", ".join(f"{each.path}:{each.line}" for each in one.sources)
        why = one.why or "among the best within the budget"
        yield f"  {one.worth / 1000:.2f} {one_line(one.text)}  [{one.kind}; {why}; {sources}]"


def verified_fields(found: Verified) -> dict[str, object]:
    """The fields of `agentws/compact-verify@1`."""
    return {
        "well": not found.faults,
        "days": found.days,
        "lines": found.lines,
        "edited": found.edited,
        "entries": found.entries,
        "sourced": found.sourced,
        "sources": found.sources,
        "faults": [{"path": one.path, "line": one.line or None, "wrong": one.wrong} for one in found.faults],
        "notices": found.notices,
    }


def verified_lines(found: Verified) -> Iterator[str]:
    """Yield the result of a verification."""
    yield f"{_count(found.days, 'compacted day')}, {_count(found.lines, 'line')}: unchanged."
    yield (
        f"{_count(found.entries, 'entry', 'entries')} in {layout.MEMORY}, {found.sourced} with a source; "
        f"{_count(found.sources, 'source')} followed."
    )
    if found.edited:
        days = ", ".join(found.edited[:5])
        yield f"{_count(len(found.edited), 'day')} edited since; the next run compacts them again: {days}"
    for one in found.faults:
        yield f"{one.path}{f':{one.line}' if one.line else ''}: {one.wrong}"


def undone_fields(done: TakenBack) -> dict[str, object]:
    """The fields of `agentws/compact-undo@1`."""
    return {
        "run": done.run,
        "days": list(done.days),
        "left": [{"path": path, "why": why} for path, why in done.left],
        "changes": list(done.changes.paths),
        "dry_run": done.dry_run,
        "notices": done.notices,
    }


def undone_lines(done: TakenBack) -> Iterator[str]:
    """Yield what was taken back."""
    would = "Would undo" if done.dry_run else "Undid"
    days = sum(_is_day((path, "")) for path in done.days)
    told = [_count(number, what) for number, what in ((days, "day"), (len(done.days) - days, "file")) if number]
    yield f"{would} the compaction of {done.run}{': ' if told else ''}{', '.join(told)}{' as before' if told else ''}."
    for path in done.changes.paths:
        yield f"  {path}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
