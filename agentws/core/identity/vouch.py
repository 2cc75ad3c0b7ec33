"""Vouches: lines of `identity/` in which one writer signs in another; writing and verifying them.

Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core.disk import local_dir, locate, lock
from agentws.core.formats import layout
from agentws.core.formats.identity import sshsig, writer
from agentws.core.identity import writers
from agentws.core.installation import host_info, keys
from agentws.core.journal.sealing import writer_join
from agentws.core.journal.sealing.seal import Signers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.identity.writer import Arrival, Heads, Vouch, WriterLine
    from agentws.core.installation.installation import Installation

    Signer = tuple[str, str]
    """A writer and one of its keys."""

_MOST_JUDGED = 200
"""A migration parcel may contain any number of lines, and each signature takes time to check."""


def vouch(
    files: Files, agent: str, *, by: str, signer: keys.Key, writer_id: str, key: str, host: str, at: str
) -> WriterLine:
    """Vouch for a writer, durably: add its line with the signature of the writer `by`, and its key to the signing keys.

    The line names the newest events of this copy that no earlier line names. OutsideProgramError if nothing can sign.
    """
    after = writer_join.news(files, but=writer_id)
    signed = signature(agent, writer_id, key, after, by=by, signer=signer)
    return add(files, writer_id, key, host=host, at=at, after=after, vouched_by=signed)


def signature(agent: str, writer_id: str, key: str, after: Heads, *, by: str, signer: keys.Key) -> Vouch:
    """Return the vouch of the writer `by` (or RECOVERY) for this writer and key."""
    return writer.Vouch(by, signer.public, signer.sign(writer.vouch_message(agent, writer_id, key, after)))


def add(
    files: Files,
    writer_id: str,
    key: str,
    *,
    host: str | None = None,
    at: str,
    after: Heads,
    vouched_by: Vouch | None = None,
    took_over: Mapping[str, object] | None = None,
) -> WriterLine:
    """Add the line of a vouched writer, and its key (if any) to the signing keys, durably."""
    text = writer.line(
        writer=writer_id,
        key=key,
        host=host_info.name() if host is None else host,
        at=at,
        after=after,
        vouched_by=vouched_by,
        took_over=took_over,
    )
    local_dir.prepare(files)
    with lock.Lock(files, lock.APPEND):
        locate.check_not_left(files)
        writer_join.add(files, layout.WRITERS, text)
        # Last, so that every key that counts has its writer listed.
        if key and not Signers.read(files).allow(writer_id, key):
            writer_join.add(files, layout.SIGNERS, writer.signer(writer_id, key))
    return writer.lines(text)[0]


def void(files: Files, migration: str, *, by: str, at: str) -> None:
    """Cancel the vouches (one-time tokens) of this migration, durably."""
    local_dir.prepare(files)
    with lock.Lock(files, lock.APPEND):
        if migration not in writers.void(files):
            writer_join.add(files, layout.WRITERS, writer.voided(migration=migration, by=by, at=at))


def is_vouched(files: Files, own: Installation) -> bool:
    """Return whether a trusted writer vouched for this installation, with its present key."""
    key = keys.find(own.folder, socket=own.socket)
    lines = writers.lines(files)
    if key is None:
        return False
    void = writers.void(files)
    return is_trusted(own.agent, lines, Signers.read(files), own.writer, key.public, void=void)


def is_trusted(
    agent: str,
    lines: Sequence[WriterLine],
    signers: Signers,
    writer_id: str,
    key: str,
    *,
    void: Collection[str] = (),
) -> bool:
    """Return whether the writer was the first, took over, or has the vouch of a trusted one.

    True also if another writer with the same key is trusted. `void` are the migrations whose tokens are cancelled.
    """

    def good(line: WriterLine) -> bool:
        return not misuse(lines, line, void) and not judge(agent, line, signers)

    return _trusted(lines, writer_id, key, good)


def is_known(
    agent: str,
    lines: Sequence[WriterLine],
    signers: Signers,
    writer_id: str,
    key: str,
    *,
    known: Signers,
    void: Collection[str] = (),
) -> bool:
    """Return whether `known` allows this key, or valid vouches lead to it from a key that `known` allows.

    `void` are the migrations whose tokens are cancelled.
    """

    def good(line: WriterLine) -> bool:
        return not misuse(lines, line, void) and not judge(agent, line, signers)

    return _leads(lines, (writer_id, key), good, lambda pair: known.allow(*pair))


def misuse(lines: Sequence[WriterLine], line: WriterLine, void: Collection[str]) -> str:
    """Return how a vouch's line misuses a one-time token, empty for nothing or without a token."""
    arrival = line.vouched_by.arrival if line.vouched_by is not None else None
    if arrival is None:
        return ""
    if arrival.migration in void:
        return f"its one-time token belongs to the cancelled migration {arrival.migration}"
    return "its one-time token was used before" if is_spent(lines, arrival, by=line) else ""


def judge(agent: str, line: WriterLine, signers: Signers) -> str:
    """Return what is wrong with the vouch of a line, empty if it is valid or absent.

    OutsideProgramError if no program can check a signature.
    """
    vouched_by = line.vouched_by
    if vouched_by is None:
        return "" if line.told.get("vouched_by") is None else "its field vouched_by is unreadable"
    if not signers.allow(vouched_by.by, vouched_by.key):
        unlisted = f"it is vouched for by a key of {vouched_by.by} that {layout.SIGNERS} does not list"
        return f"{unlisted}; if {vouched_by.by} is yours, restore {layout.SIGNERS}"
    try:
        sshsig.parse(vouched_by.signature)
    except ValueError as error:
        return f"its vouch is not a signature: {error}"
    if vouched_by.arrival is not None:
        message = vouched_by.arrival.message(agent)
    else:
        message = writer.vouch_message(agent, line.writer, line.key, line.after)
    return (
        ""
        if keys.verify(vouched_by.signature, message, public=vouched_by.key)
        else f"the signature of {vouched_by.by} is invalid"
    )


def is_spent(lines: Sequence[WriterLine], arrival: Arrival, *, by: WriterLine | None = None) -> bool:
    """Return whether a line before `by` (any line, if None) has used this vouch's token for another writer."""
    for line in lines:
        if line is by:
            return False
        used = line.vouched_by.arrival if line.vouched_by is not None else None
        again = by is not None and (line.writer, line.key) == (by.writer, by.key)
        if used is not None and used.word == arrival.word and not again:
            return True
    return False


def _first(lines: Sequence[WriterLine]) -> WriterLine | None:
    """Return the line of the first writer, which may have been listed before it had a key."""
    if not lines or lines[0].after or lines[0].vouched_by is not None:
        return None
    line = next((line for line in lines if line.key or line.writer != lines[0].writer), None)
    return line if line is not None and line.writer == lines[0].writer and line.vouched_by is None else None


def _trusted(lines: Sequence[WriterLine], writer_id: str, key: str, good: Callable[[WriterLine], bool]) -> bool:
    first, start = _first(lines), (writer_id, key)
    ends = {(line.writer, line.key) for line in lines if line.took_over is not None or line is first}
    # An installation that continues as another writer keeps its key, and the vouches for that.
    same: dict[str, set[str]] = {}
    for line in lines:
        same.setdefault(line.key, set()).add(line.writer)

    def is_end(pair: Signer) -> bool:
        return pair in ends or (pair[0] == writer.RECOVERY and pair != start)

    def others(pair: Signer) -> list[Signer]:
        names = same.get(pair[1], set()) if pair[1] else set()
        return [(name, pair[1]) for name in sorted(names)] if pair[0] in names else []

    return _leads(lines, start, good, is_end, others)


def _leads(
    lines: Sequence[WriterLine],
    start: Signer,
    good: Callable[[WriterLine], bool],
    is_end: Callable[[Signer], bool],
    others: Callable[[Signer], Sequence[Signer]] = lambda _: (),
) -> bool:
    """Return whether `start` is an end, or valid vouches lead from it to one; `others` are equivalent signers.

    Each signer is visited once, and the number of checked vouches is bounded.
    """
    vouched: dict[Signer, list[WriterLine]] = {}
    for line in lines:
        vouched.setdefault((line.writer, line.key), []).append(line)
    waiting, asked, judged = [start], {start}, 0
    while waiting:
        pair = waiting.pop()
        if is_end(pair):
            return True
        next_ones = list(others(pair))
        for line in vouched.get(pair, ()):
            vouched_by = line.vouched_by
            if vouched_by is None or (vouched_by.by, vouched_by.key) in asked or judged == _MOST_JUDGED:
                continue
            judged += 1
            if good(line):
                next_ones.append((vouched_by.by, vouched_by.key))
        waiting += (new := [each for each in dict.fromkeys(next_ones) if each not in asked])
        asked.update(new)
    return False
