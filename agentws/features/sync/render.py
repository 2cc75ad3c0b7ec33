"""Syncs, conflicts and the lease as people read them, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text.names import some
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.formats.travel.conflict import Record
    from agentws.features.sync.conflicts import Conflicts, Resolved
    from agentws.features.sync.known import Remote
    from agentws.features.sync.lease import Leased
    from agentws.features.sync.outcome import Joined, Moved, Synced

_MOST_LINES = 6
_TAKEN = {"1": "side 1", "2": "side 2", "both": "both sides", "neither": "neither side"}


def synced_fields(done: Sequence[Synced]) -> dict[str, object]:
    """The fields of `agentws/sync@1`."""
    return {"remotes": [_synced(one) for one in done]}


def _synced(one: Synced) -> dict[str, object]:
    return {
        "remote": one.remote,
        "commit": one.commit or None,
        "in": _moved(one.inward),
        "out": _moved(one.outward),
        **output.fields(one, "conflicts waiting skipped=skipped_count renewed failed? dry_run"),
    }


def _moved(one: Moved) -> dict[str, object]:
    return output.fields(one, "entries tasks events files hosts paths")


def synced_lines(done: Sequence[Synced]) -> Iterator[str]:
    """Each remote: what came in, what went out, what needs a decision."""
    for one in done:
        yield from _synced_lines(one, alone=len(done) == 1)


def _synced_lines(one: Synced, *, alone: bool) -> Iterator[str]:
    if one.failed:
        yield one_line(f"{one.remote}: failed: {one.failed}")
        return
    came, went = _words(one.inward), _words(one.outward)
    where = "" if alone else f"{one.remote}: "
    would = "would come in" if one.dry_run else "in"
    if came:
        hosts = f" from {', '.join(one.inward.hosts)}" if one.inward.hosts else ""
        yield one_line(f"{where}{would}: {came}{hosts}")
    if went:
        yield one_line(f"{where}{'would go out' if one.dry_run else 'out'}: {went}")
    if not came and not went:
        yield one_line(f"{where or 'Sync: '}nothing new.")
    if one.skipped_count and (one.made or one.dry_run):
        left = f"not synced: {some([*one.skipped])} ({one.skipped_count:,} in all; to add: sync.include)"
        yield f"  {one_line(left)}"
    if one.waiting:
        what = "1 conflict waits" if one.waiting == 1 else f"{one.waiting} conflicts wait"
        yield f"{where}{what} for your decision: agentws sync conflicts"


def _words(one: Moved) -> str:
    told = [
        _many(count, word, words)
        for count, word, words in (
            (one.entries, "entry", "entries"),
            (one.tasks, "task", "tasks"),
            (one.events, "event", "events"),
        )
        if count
    ]
    told += [some(list(one.files))] if one.files else []
    return ", ".join(told) or (_many(len(one.paths), "file", "files") if one.paths else "")


def _many(count: int, word: str, words: str) -> str:
    return f"{count:,} {word if count == 1 else words}"


def joined_fields(done: Joined) -> dict[str, object]:
    """The fields of `agentws/sync-join@1`."""
    return output.fields(done, "root name agent remote writer files events mode pushed")


def joined_lines(done: Joined) -> Iterator[str]:
    """Yield the new workspace's place, and how another machine lets this one in."""
    yield one_line(f"{done.name} is here: {done.root}")
    files, events = _many(done.files, "file", "files"), _many(done.events, "event", "events")
    yield f"  {one_line(f'{files}, {events}, from {done.remote}')}"
    if done.mode == "require":
        yield "This machine may not write before another one lets it in. Here: agentws identity vouch"
        yield "Run there the command that it prints, then on both machines: agentws sync"
    else:
        yield one_line(f"To let this machine in, on another one: agentws sync && agentws identity vouch {done.writer}")


def remotes_fields(found: Sequence[Remote]) -> dict[str, object]:
    """The fields of `agentws/sync-list@1`."""
    return {"remotes": [_remote(one) for one in found]}


def _remote(one: Remote) -> dict[str, object]:
    return {
        **output.fields(one, "remote=url since? at? with=between? commit?"),
        "forgets": bool(one.renew),
        "failed": one.failed or None,
    }


def remotes_lines(found: Sequence[Remote]) -> Iterator[str]:
    """Each remote: when it was reached last, and with whom; why the newest try failed."""
    for one in found:
        met = f", with {one.between}" if one.between else ""
        yield one_line(f"{one.url}: {f'synced {_moment(one.at)}{met}' if one.at else 'never reached'}")
        if one.renew:
            yield "  The next sync removes there what was forgotten."
        if one.failed:
            at, _, why = one.failed.partition(" ")
            yield f"  {one_line(f'Failed since {_moment(at)}: {why}')}"
    if not found:
        yield "No remote is known. To name the first one: agentws sync REMOTE"


def _moment(at: str) -> str:
    """Return an ISO time to the minute, in UTC."""
    return f"{at[:10]} {at[11:16]} UTC"


def conflicts_fields(found: Conflicts) -> dict[str, object]:
    """The fields of `agentws/sync-conflicts@1`."""
    return {"conflicts": [_record(one) for one in found.records]}


def _record(one: Record) -> dict[str, object]:
    return {"id": one.id, **{name: value for name, value in one.plain().items() if name != "agentws"}}


def conflicts_lines(found: Conflicts) -> Iterator[str]:
    """Each conflict: where, what both sides say, and how to decide."""
    for one in found.records:
        where = f", {one.where}" if one.where else ""
        between = " and ".join(found.hosts.get(each) or each for each in one.between)
        yield one_line(f"{one.id}  {one.path}{where} ({one.what}; {between or 'two machines'})")
        for number, side in enumerate(one.sides, 1):
            yield from _side_lines(number, side.file or side.text)
    if found.records:
        first = found.records[0]
        takes = {"entry": "1|2|both|neither", "field": "1|2|neither"}.get(first.what, "1|2")
        yield f"To decide: agentws sync resolve {first.id} --take {takes}"
    else:
        yield "No conflicts."


def _side_lines(number: int, text: str | None) -> Iterator[str]:
    lines = [line for line in (text or "").split("\n") if line.strip()] or ["(removed)"]
    for place, line in enumerate(lines[:_MOST_LINES]):
        yield f"  {f'{number}:' if not place else '  '} {one_line(line)}"
    if len(lines) > _MOST_LINES:
        yield f"     … {len(lines) - _MOST_LINES} more lines"


def resolved_fields(done: Resolved) -> dict[str, object]:
    """The fields of `agentws/sync-resolve@1`."""
    return output.fields(done, "id=record.id take? paths dry_run")


def resolved_lines(done: Resolved) -> Iterator[str]:
    """Yield the line about a resolved conflict."""
    kept = (
        f"side {done.take}" if done.take in ("1", "2") else {"both": "both sides", "neither": "neither"}.get(done.take)
    )
    what = f"{done.record.path}: {kept or 'the file as it is'}"
    yield one_line(f"Would keep {what}" if done.dry_run else f"Decided {done.record.id}. {what}")


def lease_fields(done: Leased) -> dict[str, object]:
    """The fields of `agentws/sync-lease@1`."""
    return output.fields(done, "remote holder? host? is_ours mode")


def lease_lines(done: Leased) -> Iterator[str]:
    """Yield the line about the holder of the lease."""
    who = "this machine" if done.is_ours else (done.host or done.holder or "nobody")
    off = " It has no effect: sync.lease is off." if done.mode == "off" else ""
    yield one_line(f"The lease is held by {who}.{off}")
