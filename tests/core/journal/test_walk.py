"""The walk gives every line of a journal a verdict, whatever was done to the lines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, packed, segment
from agentws.core.journal import read, tail, walk
from agentws.core.journal.walk import FOLLOWS, Verdict
from tests import table
from tests.core.journal.sealing.test_tampering import forgery

AGENT, WRITER = "agent-1", "0" * 16
PURGED = b'"salt":null,"body":null,"purged":"01a2-0f"'
Line = bytes
Journal = list[list[Line]]


def journal(*sizes: int, first: int = 1) -> Journal:
    """Segments of so many lines as agentws writes them; with `first`, those before were retired."""
    seq, prev = (0, chain.genesis(AGENT, WRITER)) if first == 1 else (96, digest.of(b"retired"))
    segments: Journal = []
    for number, size in enumerate(sizes, first):
        segments.append([])
        for index in range(size):
            kind = event.OPENED if index == 0 else "note"
            body = json.dumps({"agent": AGENT, "writer": WRITER, "number": number, "text": f"line {seq}"})
            last = event.tail(body, "0" * 32)
            head = event.header(
                seq=seq + 1, id="0" * 36, at="2" * 27, kind=kind, session=None, src="agent", prev=prev, tail=last
            )
            segments[-1].append(chain.line(head, last))
            seq, prev = seq + 1, digest.of(head)
    return segments


class Verdicts:
    """The verdicts on lines by (segment, line), and those on places, of a journal with this content."""

    def __init__(self, root: str, segments: dict[int, bytes], *, compress: Sequence[int] = ()) -> None:
        os.makedirs(f"{root}/{segment.packed_folder(WRITER)}", exist_ok=True)
        for number, data in segments.items():
            plain = segment.path(WRITER, number)
            path = segment.packed_path(plain) if number in compress else plain
            Path(root, path).write_bytes(packed.pack(data) if number in compress else data)
        self.files = Files(root)
        self.walk = walk.Walk(self.files, AGENT, WRITER, read.segments(self.files, WRITER))
        self.all = list(self.walk)
        self.lines: dict[tuple[int, int], Verdict] = {}
        self.places: dict[tuple[int, int], Verdict] = {}
        for each in self.all:
            place = (each.place.number, each.place.line)
            if not each.data:
                self.places[place] = each.verdict
            for index in range(max(1, each.count) if each.data else 0):
                self.lines[place[0], place[1] + index] = each.verdict

    @property
    def odd(self) -> dict[tuple[int, int], Verdict]:
        """The verdicts on lines that do not follow the line before."""
        return {place: verdict for place, verdict in self.lines.items() if verdict not in FOLLOWS}


def whole(segments: Journal, first: int = 1) -> dict[int, bytes]:
    return {number: b"".join(lines) for number, lines in enumerate(segments, first)}


@pytest.mark.parametrize("compress", [(), (1,), (1, 2)])
@pytest.mark.parametrize("first", [1, 4])
def test_each_line_of_an_untouched_journal_follows(tmp_path: Path, first: int, compress: Sequence[int]) -> None:
    segments = journal(3, 400, 2, first=first)
    segments[1][7] = chain.line(chain.header(segments[1][7]), PURGED)

    found = Verdicts(str(tmp_path), whole(segments, first), compress=[first - 1 + each for each in compress])

    assert (found.odd, found.places, len(found.lines)) == ({}, {}, 405)
    assert [place for place, verdict in found.lines.items() if verdict is Verdict.PURGED] == [(first + 1, 8)]
    assert found.walk.newest == (segments_end(segments), chain.hash_of(segments[-1][-1]))
    assert (found.walk.base is not None, found.walk.end.line) == (first > 1, 3)


def segments_end(segments: Journal) -> int:
    return chain.before(segments[-1][-1])[0] + 1


Change = Callable[[list[Line]], object]


def replaced(index: int, old: bytes, new: bytes) -> Change:
    def change(lines: list[Line]) -> None:
        assert old in lines[index]
        lines[index] = lines[index].replace(old, new, 1)

    return change


def inserted(index: int, line: Callable[[list[Line]], Line]) -> Change:
    return lambda lines: lines.insert(index, line(lines))


def exchanged(index: int, line: Callable[[list[Line]], Line]) -> Change:
    return lambda lines: lines.__setitem__(index, line(lines))


ALTERED, RESUMED, MISPLACED = Verdict.ALTERED, Verdict.RESUMED, Verdict.MISPLACED
On = dict[int, Verdict]
CHANGES: dict[str, tuple[Change, On, On]] = {
    # What is done to a segment of six lines, the lines that do not follow, and the places with a verdict.
    "a body": (replaced(2, b"line", b"lime"), {3: ALTERED}, {}),
    "a header": (replaced(2, b'"at":"2', b'"at":"1'), {4: RESUMED}, {3: ALTERED}),
    "a link": (replaced(2, b'"prev":"', b'"prev":"x'), {3: ALTERED, 4: RESUMED}, {}),
    "a number": (replaced(2, b'"seq":', b'"seq":9'), {3: MISPLACED, 4: RESUMED}, {}),
    "a line removed": (lambda lines: lines.pop(2), {3: RESUMED}, {3: Verdict.MISSING}),
    "two lines removed": (lambda lines: (lines.pop(2), lines.pop(2)), {3: RESUMED}, {3: Verdict.MISSING}),
    "a line doubled": (inserted(2, lambda lines: lines[2]), {4: MISPLACED}, {}),
    "a line from above": (inserted(3, lambda lines: lines[1]), {4: MISPLACED}, {}),
    "lines swapped": (inserted(2, lambda lines: lines.pop(3)), {3: MISPLACED, 5: RESUMED}, {5: Verdict.MISSING}),
    "no event between": (inserted(2, lambda _: b"no event\n"), {3: Verdict.NO_EVENT}, {}),
    "half a line between": (inserted(2, lambda lines: lines[2][:50] + b"\n"), {3: Verdict.NO_EVENT}, {}),
    "zeros in its place": (exchanged(2, lambda _: b"\0" * 40 + b"\n"), {3: Verdict.NO_EVENT, 4: RESUMED}, {}),
    "a line forged": (
        inserted(2, lambda lines: forgery(lines[1][:-1], lines[2][:-1]) + b"\n"),
        {4: RESUMED},
        {3: Verdict.INSERTED},
    ),
    "purged, with words": (replaced(2, b'"salt":"%s"' % (b"0" * 32), b'"salt":null'), {3: ALTERED}, {}),
    "its end": (exchanged(5, lambda lines: lines[5][:50]), {6: Verdict.TORN}, {}),
    "half a line behind": (inserted(6, lambda _: b'{"agentws":1,"seq"'), {7: Verdict.TORN}, {}),
}


def test_the_verdict_says_what_was_done_to_a_line(tmp_path: Path) -> None:
    def check(what: str) -> None:
        change, odd, places = CHANGES[what]
        for middle in (True, False):
            for compress in ((), (2,)):
                segments = journal(3, 6, *[3] * middle)
                change(segments[1])
                with TemporaryDirectory(dir=tmp_path) as root:
                    found = Verdicts(root, whole(segments), compress=compress)
                here = {line: verdict for (number, line), verdict in found.odd.items() if number == 2}
                there = {line: verdict for (number, line), verdict in found.places.items() if number == 2}
                assert (here, there) == (odd, places), (middle, compress)

    table.holds(check, list(CHANGES))


def test_a_segment_that_is_gone_is_missing_and_the_next_one_goes_on(tmp_path: Path) -> None:
    segments = whole(journal(3, 3, 3, 3))
    del segments[2]

    found = Verdicts(str(tmp_path), segments)

    assert (found.odd, found.places) == ({(3, 1): Verdict.RESUMED}, {(2, 1): Verdict.MISSING})


def test_a_segment_that_cannot_be_read_is_unreadable(tmp_path: Path) -> None:
    segments = whole(journal(3, 3, 3))
    Verdicts(str(tmp_path), segments)
    path = tmp_path / segment.path(WRITER, 2)
    path.unlink()
    path.symlink_to("/etc/passwd")

    found = Verdicts(str(tmp_path), {})

    assert (found.odd, found.places) == ({(3, 1): Verdict.RESUMED}, {(2, 1): Verdict.UNREADABLE})


def test_an_empty_segment_at_the_end_is_torn(tmp_path: Path) -> None:
    found = Verdicts(str(tmp_path), {**whole(journal(3)), 2: b""})

    assert (found.odd, found.places) == ({}, {(2, 1): Verdict.TORN})


def test_the_journal_of_another_agent_is_foreign(tmp_path: Path) -> None:
    found = walk.Walk(Verdicts(str(tmp_path), whole(journal(3))).files, "agent-2", WRITER, [1])

    assert [each.verdict for each in found if each.verdict is not Verdict.INTACT] == [Verdict.FOREIGN]
    assert found.newest == (3, chain.hash_of(journal(3)[0][-1]))


SEGMENT = b"".join(journal(8)[0])


@st.composite
def tampered(draw: st.DrawFn) -> bytes:
    """A segment of which bytes or lines were changed, taken out, repeated or added."""
    data = SEGMENT
    for _ in range(draw(st.integers(1, 3))):
        lines = data.splitlines(keepends=True)
        at = draw(st.integers(0, max(0, len(data) - 1)))
        index, other = (draw(st.integers(0, max(0, len(lines) - 1))) for _ in range(2))
        some = [
            data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :],
            data[:at] + data[at + draw(st.integers(1, 600)) :],
            data[:at],
            data[:at] + draw(st.binary(max_size=40)) + data[at:],
            b"".join([*lines[:index], *lines[index + 1 :]]),
            b"".join([*lines[:index], *lines[other : other + 1], *lines[index:]]),
            b"".join([*lines[:index], *lines[other : other + 1], *lines[index + 1 :]]),
        ]
        data = draw(st.sampled_from(some))
    return data


@given(tampered())
def test_each_line_has_one_verdict_and_what_follows_is_the_same_for_all(data: bytes) -> None:
    with TemporaryDirectory() as root:
        found = Verdicts(root, {1: data})
        last_good = walk.last_good(found.files, AGENT, WRITER)
    strict = chain.unbroken(data, (0, chain.genesis(AGENT, WRITER)))
    end, _, wrong = tail.from_start(data, AGENT, WRITER, 1, len(data))

    lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    assert list(found.lines) == [(1, line) for line in range(1, lines + 1)]
    assert b"".join(each.data for each in found.all) == data
    follow = next((line for (_, line), verdict in found.lines.items() if verdict not in FOLLOWS), lines + 1) - 1
    assert len(strict.hashes) == follow
    assert bool(strict.wrong) == bool(found.odd)
    assert (end.offset, end.seq, end.hash, wrong) == (strict.end, *strict.last, strict.wrong)
    assert (last_good["seq"], last_good["hash"]) == strict.last
