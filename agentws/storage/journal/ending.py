"""The end of a writer's journal: found, mended after a crash, moved into a new segment. Under the append lock.

After a plain crash only the last line can be incomplete. After a power cut a bad stretch may even be followed by a
good line, which nobody was ever told of. Both go to quarantine. Bad bytes below what is known to be durable are
damage: then nothing is written any more, and the line is named.
"""

from __future__ import annotations

import os

from agentws.changes import ABSENT
from agentws.errors import AgentwsError, DamagedError, DiskError
from agentws.formats import chain, digest, event, layout, plainjson, segment
from agentws.storage import files as _files
from agentws.storage import local
from agentws.storage.journal import head, stamp
from agentws.storage.journal.head import Head

_WAY_OUT = (
    "Nothing more is written to it. See all that is wrong: agentws journal verify. Restore the file from a copy, or go "
    "on in a new journal beside this one: agentws journal renew."
)
_MOST_BYTES = 4 * segment.LIMIT_BYTES
_ATTRIBUTES = b"* -text\n"
_IGNORED = b"# What tools said does not belong in a repository that something may push.\n*\n"


class Found:
    """The end of the journal, and what had to be mended on the way, in words."""

    __slots__ = ("head", "notices")

    def __init__(self, head: Head, notices: list[str]) -> None:
        self.head = head
        self.notices = notices


def find(files: _files.Files, agent: str, writer: str, known: Head | None) -> Found:
    """The end behind which the next line belongs; `known` is what this process wrote last, if it did.

    The first segment is begun here, too. DamagedError where durable lines are not what they were.
    """
    notices: list[str] = []
    if is_poisoned(files, writer):
        return Found(_after_failed_sync(files, agent, writer, notices), notices)
    hint = known or head.read(files, writer)
    number = _newest(files, writer, hint)
    if number == 0:
        return Found(_begin(files, agent, writer), notices)
    if known is not None and number == known.segment and _size(files, writer, number) == known.offset:
        return Found(known, notices)
    if hint is None or hint.segment != number:
        # Nobody was told yet of a line in this segment: whoever made it may have been killed before its name was kept.
        files.sync_way(segment.path(writer, number))
    end, size, reason = _walk(files, agent, writer, number, hint)
    if end.offset < size:
        notices.append(_mend(files, end, size, hint, reason))
    if not end.offset:
        end = _begin_again(files, agent, end)
    return Found(end, notices)


def advance(end: Head, line: bytes, kind: str, session: str | None, sealed: int = 0) -> None:
    """Move the end behind a line that follows it; `sealed` is the number that it covers, where it is a seal."""
    end.sealed = sealed or end.sealed
    end.seq += 1
    end.hash = chain.hash_of(line)
    end.offset += len(line)
    end.length = len(line)
    if kind == event.STARTED and session:
        end.sessions = [*(name for name in end.sessions if name != session), session][-segment.MOST_SESSIONS :]
    elif kind == event.ENDED:
        end.sessions = [name for name in end.sessions if name != session]


def rotate(files: _files.Files, agent: str, end: Head, *, fd: int | None) -> None:
    """Go on in a new segment: the old one is made durable first (`fd`), then the new one with its first line.

    `end` moves behind that line.
    """
    if fd is not None:
        try:
            _sync(files, fd, end)
        except OSError as error:
            raise _files.failure(error, segment.path(end.writer, end.segment)) from error
    _check(files, agent, end)
    _open_segment(files, agent, end, end.segment + 1, outline(files, end))


def _check(files: _files.Files, agent: str, end: Head) -> None:
    """DamagedError where a line of the segment is not what was written: an append looks at the newest ones alone, so
    all of them are looked at once, before the segment is closed."""
    path = segment.path(end.writer, end.segment)
    data = files.part(path, end.offset)[0]
    lines = data.split(b"\n")[:-1]
    seq, prev, sha256 = 0, chain.genesis(agent, end.writer), digest.sha256()
    try:
        if end.segment > 1:
            first = plainjson.loads(lines[0])
            seq, prev = first["seq"] - 1, first["prev"]
        for line in lines:
            prev = chain.check(line, seq=seq + 1, prev=prev, sha256=sha256)
            seq += 1
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        found, _, reason = _from_start(data, agent, end.writer, end.segment, end.offset)
        raise _damaged(path, data, found.offset, reason) from None


def _damaged(path: str, data: bytes, offset: int, reason: str) -> DamagedError:
    place = data.count(b"\n", 0, offset) + 1
    return DamagedError(f"{path}:{place}: damaged: {reason}.", hint=_WAY_OUT)


def _sync(files: _files.Files, fd: int, end: Head) -> None:
    """Make the segment durable; what other processes have written into it may be lost where that fails."""
    try:
        _files.sync_data(fd)
    except OSError as error:
        poison(files, end, error)
        raise


def outline(files: _files.Files, end: Head) -> segment.Outline:
    """What is open, unresolved and significant up to this end: folded from its segment alone."""
    found = segment.Outline()
    path = segment.path(end.writer, end.segment)
    offset = 0
    for line in files.part(path, end.offset)[0].split(b"\n")[:-1]:
        found.fold(line, writer=end.writer, segment=end.segment, offset=offset)
        offset += len(line) + 1
    return found


def poison(files: _files.Files, durable: Head, error: OSError) -> bool:
    """Tell every process, durably, that a sync has failed: what was written since is not to be relied on.

    A second sync would report success and lie, so there is none. False where the disk does not even take the mark.
    """
    told = {"writer": durable.writer, "segment": durable.segment, "offset": durable.offset, "error": str(error)}
    try:
        fd = files.open(_mark(durable.writer), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(fd, plainjson.dumps(told).encode() + b"\n")
            _files.sync(fd)
        finally:
            os.close(fd)
        files.sync_folder(local.FOLDER)
    except (OSError, AgentwsError):
        # On a full disk another name for what is there may still go: the hint becomes the mark.
        return is_poisoned(files, durable.writer) or head.becomes(files, durable.writer, _mark(durable.writer))
    return True


def is_poisoned(files: _files.Files, writer: str) -> bool:
    """True where some process's sync has failed and nobody has looked at what is really on disk yet."""
    return files.exists(_mark(writer))


def _mark(writer: str) -> str:
    return f"{local.FOLDER}/{writer}{local.POISON}"


def unsure(writer: str) -> DiskError:
    """The error for a line that was written while another process's sync failed."""
    return DiskError(
        f"{layout.JOURNAL}/{writer}: the disk failed to keep what another process wrote at the same moment.",
        hint="The event may be lost: run again. The journal is checked and goes on in a new segment.",
    )


def _after_failed_sync(files: _files.Files, agent: str, writer: str, notices: list[str]) -> Head:
    """Look at what is really on disk, go on in a new segment behind the last line that is, and take the mark away."""
    number = _newest(files, writer, None)
    if number == 0:
        end = _begin(files, agent, writer)
    else:
        _drop_from_memory(files, segment.path(writer, number))
        hint = head.read(files, writer)
        end, size, reason = _walk(files, agent, writer, number, hint)
        if end.offset < size:
            notices.append(_mend(files, end, size, hint, reason))
        if end.offset:
            _write_anew(files, end)
            rotate(files, agent, end, fd=None)
        else:
            end = _begin_again(files, agent, end)
    notices.append("The disk failed to keep an event before; what it has kept was checked, and the journal goes on.")
    files.remove(_mark(writer), expects=files.digest(_mark(writer)))
    return end


def _write_anew(files: _files.Files, end: Head) -> None:
    """Put a copy in the place of the segment: what is in memory alone can become durable in another file only."""
    path = segment.path(end.writer, end.segment)
    whole = files.read(path)
    files.replace(path, whole, expects=digest.of(whole))


def _drop_from_memory(files: _files.Files, path: str) -> None:
    """Let the system forget what it holds of the file, so that the disk itself is read next."""
    advise = getattr(os, "posix_fadvise", None)
    if advise is None:
        return
    try:
        fd = files.open(path)
        try:
            advise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(fd)
    except OSError:
        return


def _newest(files: _files.Files, writer: str, hint: Head | None) -> int:
    """The number of the newest segment, 0 where there is none. DamagedError where the one that is known is gone."""
    if hint is not None and files.exists(segment.path(writer, hint.segment)):
        number = hint.segment
        while files.exists(segment.path(writer, number + 1)):
            number += 1
        return number
    names = files.unsorted(f"{layout.JOURNAL}/{writer}")
    newest = max((segment.number_of(name) or 0 for name in names), default=0)
    if hint is not None and newest < hint.segment:
        raise DamagedError(f"{segment.path(writer, hint.segment)}: gone, with events that were durable.", hint=_WAY_OUT)
    return newest


def _size(files: _files.Files, writer: str, number: int) -> int:
    return files.size(segment.path(writer, number))


def _walk(files: _files.Files, agent: str, writer: str, number: int, hint: Head | None) -> tuple[Head, int, str]:
    """The end of the good lines of a segment, its size, and what is wrong behind that end."""
    path = segment.path(writer, number)
    fd = _opened(files, path)
    try:
        size = os.fstat(fd).st_size
        if size > _MOST_BYTES:
            raise DamagedError(f"{path}: {size:,} bytes, more than any segment has.", hint=_WAY_OUT)
        if hint is not None and hint.segment == number:
            if size < hint.offset:
                raise DamagedError(
                    f"{path}: {hint.offset - size:,} bytes that were durable are cut off at its end.", hint=_WAY_OUT
                )
            if _is_as_told(fd, hint):
                return _good(os.pread(fd, size - hint.offset, hint.offset), hint.copy(), size)
        data = os.pread(fd, size, 0)
    except OSError as error:
        raise _files.failure(error, path) from error
    finally:
        os.close(fd)
    found = _from_start(data, agent, writer, number, size)
    if hint is not None and hint.segment == number and found[0].offset >= hint.offset:
        raise _damaged(path, data, hint.offset - 1, "not the line that was written")
    return found


def _opened(files: _files.Files, path: str) -> int:
    try:
        return files.open(path)
    except OSError as error:
        raise _files.failure(error, path) from error


def _is_as_told(fd: int, hint: Head) -> bool:
    """True where the newest line below the hint is the one that was written."""
    line = os.pread(fd, hint.length, hint.offset - hint.length)
    head_bytes, mark, tail = line.partition(chain.SPLIT)
    if not mark or line[-2:] != b"}\n" or digest.of(head_bytes) != hint.hash:
        return False
    return head_bytes.endswith(b'"digest":"%s"' % digest.of(chain.SPLIT[1:] + tail[:-2]).encode())


def _from_start(data: bytes, agent: str, writer: str, number: int, size: int) -> tuple[Head, int, str]:
    """As `_good`, from the beginning of a segment, whose first line tells what went before."""
    first = data.partition(b"\n")[0]
    seq, prev, told = 0, chain.genesis(agent, writer), segment.Outline()
    if number > 1:
        try:
            fields = plainjson.loads(first)
            seq, prev = fields["seq"] - 1, fields["prev"]
            told.fold(first, writer=writer, segment=number, offset=0)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Head(writer, number, 0, length=0, seq=-1, hash=""), size, "its first line is no event"
    start = Head(writer, number, 0, length=0, seq=seq, hash=prev, sessions=told.sessions, sealed=told.sealed)
    return _good(data, start, size)


def _good(data: bytes, end: Head, size: int) -> tuple[Head, int, str]:
    """Follow the chain from `end` through `data`, as far as it is whole."""
    position = 0
    while position < len(data):
        stop = data.find(b"\n", position)
        if stop < 0:
            return end, size, "it was cut short"
        line = data[position:stop]
        try:
            chain.check(line, seq=end.seq + 1, prev=end.hash)
            kind = segment.kind_of(line)
            fields = plainjson.loads(line) if kind.startswith("session.") or kind == event.SEAL else {}
        except (ValueError, RecursionError) as error:
            return end, size, str(error)
        sealed = (fields["body"] or {}).get("seq") if kind == event.SEAL else None
        advance(end, line + b"\n", kind, fields.get("session"), sealed if isinstance(sealed, int) else 0)
        position = stop + 1
    return end, size, ""


def _mend(files: _files.Files, end: Head, size: int, hint: Head | None, reason: str) -> str:
    """Take the bad bytes at the end of the segment out, into quarantine; DamagedError where they are no crash's."""
    path = segment.path(end.writer, end.segment)
    if hint is not None and hint.segment == end.segment and end.offset < hint.offset:
        raise _damaged(path, files.part(path, end.offset)[0], end.offset, reason)
    try:
        fd = files.open(path, os.O_RDWR)
        try:
            kept = local.quarantine(
                files, f"{end.writer}-{path.rpartition('/')[2]}", os.pread(fd, size - end.offset, end.offset)
            )
            os.ftruncate(fd, end.offset)
            _sync(files, fd, end)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, path) from error
    return f"{path}: what a crash had left at its end was taken out, and is kept in {kept} ({reason})."


def _begin(files: _files.Files, agent: str, writer: str) -> Head:
    """The first segment of a writer."""
    files.make_folder(f"{layout.JOURNAL}/{writer}")
    for name, content in ((".gitattributes", _ATTRIBUTES), (".gitignore", _IGNORED)):
        if not files.exists(f"{layout.JOURNAL}/{name}"):
            files.replace(f"{layout.JOURNAL}/{name}", content, expects=ABSENT)
    end = Head(writer, 0, 0, length=0, seq=0, hash=chain.genesis(agent, writer))
    _open_segment(files, agent, end, 1, segment.Outline())
    return end


def _begin_again(files: _files.Files, agent: str, end: Head) -> Head:
    """A segment of which a power cut has left nothing gets its first line again."""
    number = end.segment
    path = segment.path(end.writer, number)
    if number == 1:
        before, told = Head(end.writer, 0, 0, length=0, seq=0, hash=chain.genesis(agent, end.writer)), segment.Outline()
    else:
        before, size, reason = _walk(files, agent, end.writer, number - 1, None)
        if before.offset < size:
            raise DamagedError(f"{segment.path(end.writer, number - 1)}: damaged: {reason}.", hint=_WAY_OUT)
        told = outline(files, before)
    _open_segment(files, agent, before, number, told, expects=files.digest(path))
    return before


def _open_segment(
    files: _files.Files, agent: str, end: Head, number: int, told: segment.Outline, *, expects: str = ABSENT
) -> None:
    """Make a new segment with its first line, durably: it is never there without it. `end` moves behind that line."""
    body = {"agent": agent, "writer": end.writer, "number": number, **told.plain()}
    tail = event.tail(event.body_text(body), stamp.salt())
    at = stamp.now()
    first = chain.line(
        event.header(
            seq=end.seq + 1,
            id=stamp.identifier(at),
            at=stamp.text(at),
            kind=event.OPENED,
            session=None,
            src="agent",
            prev=end.hash,
            tail=tail,
        ),
        tail,
    )
    files.replace(segment.path(end.writer, number), first, expects=expects)
    end.segment, end.offset = number, 0
    end.sessions, end.sealed = told.sessions, told.sealed
    advance(end, first, event.OPENED, None)
