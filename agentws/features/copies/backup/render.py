"""Backups as people read them, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text import sh
from agentws.core.text.names import some
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.copies.backup.create import Created
    from agentws.features.copies.backup.destinations import Listed
    from agentws.features.copies.backup.remove import Removed
    from agentws.features.copies.backup.restore import Restored
    from agentws.features.copies.backup.verify import Verified


def created_fields(done: Sequence[Created]) -> dict[str, object]:
    """The fields of `agentws/backup-create@1`."""
    return {"backups": [_created(one) for one in done]}


def _created(one: Created) -> dict[str, object]:
    return output.fields(
        one,
        "to name path at files bytes events copied_files copied_bytes added changed removed keep missing dry_run "
        "previous? expired damage stripped failed?",
    )


def created_lines(done: Sequence[Created]) -> Iterator[str]:
    """Each backup: where it is, what was copied, what changed."""
    for one in done:
        yield from _created_lines(one)


def _created_lines(one: Created) -> Iterator[str]:
    if one.failed:
        yield one_line(f"{one.to}: failed: {one.failed}")
        return
    copied = f"{_many(one.copied_files, 'file')} ({_size(one.copied_bytes)})"
    whole = f"{_many(one.files, 'file')}, {_size(one.bytes)}"
    if one.dry_run:
        yield one_line(f"Would copy {copied} of {whole}, to {one.path}")
        if one.expired:
            yield _inner(f"would remove by the rule '{one.keep}': {some(list(one.expired))}")
        if one.missing:
            yield _inner(f"{one.previous} holds {_many(one.missing, 'event')} missing here")
        return
    yield one_line(f"{one.path}")
    yield _inner(f"{whole}; copied {copied}, read back and compared")
    if one.previous:
        yield _inner(f"since {one.previous}: {_changes(one.added, one.changed, one.removed)}")
    if one.expired:
        yield _inner(f"removed by the rule '{one.keep}': {some(list(one.expired))}")
    if one.missing:
        yield _inner(f"{one.previous} holds {_many(one.missing, 'event')} missing here; no backup was removed")
    for words in one.stripped:
        yield _inner(f"not copied as it is: {words}")
    for words in one.damage:
        yield _inner(f"damaged already: {words}")


def _inner(text: str) -> str:
    """A line below another one."""
    return f"  {one_line(text)}"


def _changes(added: int, changed: int, removed: int) -> str:
    told = [
        f"{count} {word}" for count, word in ((added, "added"), (changed, "changed"), (removed, "removed")) if count
    ]
    return ", ".join(told) or "nothing changed"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


def _size(count: int) -> str:
    return (
        f"{count:,} bytes" if count < 10_000 else f"{count / 1e6:,.2f} MB" if count < 1e9 else f"{count / 1e9:,.2f} GB"
    )


def listed_fields(found: Sequence[Listed]) -> dict[str, object]:
    """The fields of `agentws/backup-list@1`."""
    names = "name place at agent host files bytes events added changed removed damage wrong?"
    return {"backups": [output.fields(one, names) for one in found]}


def listed_lines(found: Sequence[Listed]) -> Iterator[str]:
    """A line for each backup, under the folder that holds it."""
    place = ""
    for one in found:
        if one.place != place:
            place = one.place
            yield one_line(place)
        if one.wrong:
            yield _inner(f"{one.name}  unreadable: {one.wrong}")
            continue
        damage = "; damaged" if one.damage else ""
        what = _changes(one.added, one.changed, one.removed)
        yield f"  {one_line(one.name)}  {_many(one.files, 'file'):>11} {_size(one.bytes):>11}  {what}{damage}"
    if not found:
        yield "No complete backup."


def verified_fields(done: Verified) -> dict[str, object]:
    """The fields of `agentws/backup-verify@1`."""
    return {
        **output.fields(done, "well name place files bytes events"),
        "findings": [{"path": path, "what": what} for path, what in done.findings],
        **output.fields(done, "original mirrored_events mirrored_documents"),
    }


def verified_lines(done: Verified) -> Iterator[str]:
    """The verdict, then what is wrong."""
    verdict = "Valid" if done.well else f"Damaged: {_many(len(done.findings), 'finding')}"
    yield one_line(f"{verdict}: {done.place}/{done.name}, {_many(done.files, 'file')}, {_size(done.bytes)} read.")
    if done.mirrored_events or done.mirrored_documents:
        newer = f"{_many(done.mirrored_events, 'event')} and {_many(done.mirrored_documents, 'document')}"
        yield _inner(f"newer than the backup, in its mirror: {newer}")
    for path, what in done.findings:
        yield _inner(f"{path}: {what}")
    for words in done.original:
        yield _inner(f"damaged before it was copied: {words}")


def removed_fields(done: Removed) -> dict[str, object]:
    """The fields of `agentws/backup-remove@1`."""
    return output.fields(done, "place name events dry_run")


def removed_lines(done: Removed) -> Iterator[str]:
    """Yield what is gone, and the events that went with it."""
    yield one_line(f"{'Would remove' if done.dry_run else 'Removed'} {done.place}/{done.name}")
    yield f"  {_many(done.events, 'event')} in no other backup" if done.events else "  all of its events are in others"


def restored_fields(done: Restored) -> dict[str, object]:
    """The fields of `agentws/backup-restore@1`."""
    return output.fields(
        done,
        "path name place agent at host files bytes events dry_run mirrored_events mirrored_documents stripped damage "
        "spoiled unrestored",
    )


def restored_lines(done: Restored) -> Iterator[str]:
    """Yield what was restored, and what comes next."""
    at = f"{done.at[:16].replace('T', ' ')} UTC"
    if done.dry_run:
        yield one_line(f"Would restore {done.agent} as of {at} ({_many(done.files, 'file')}) to {done.path}")
        yield "Nothing was changed."
        return
    yield one_line(f"Restored {done.agent} as of {at} to {done.path}")
    yield f"  {_many(done.files, 'file')}, {_size(done.bytes)}, each compared with its digest"
    if done.mirrored_events or done.mirrored_documents:
        newer = f"{_many(done.mirrored_events, 'event')} and {_many(done.mirrored_documents, 'document')}"
        yield _inner(f"newer, from the mirror of {done.mirrored_at[:16].replace('T', ' ')} UTC: {newer}")
    for words in done.damage:
        yield _inner(f"damaged before it was copied: {words}")
    for words in done.unrestored:
        yield _inner(f"NOT restored: {words}")
    for path in done.spoiled:
        yield _inner(f"damaged in the backup, before something was forgotten in it: {path}")
    yield one_line(f"If the original is lost, let this copy go on: agentws -C {sh.quote(done.path)} identity takeover")
