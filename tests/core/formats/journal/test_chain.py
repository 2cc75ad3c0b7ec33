"""Whether a line of a journal is the one that was written."""

from __future__ import annotations

import re

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event
from tests import table

TAIL = b'"salt":"00","body":{"v":1,"text":"one"}'
HEADER = b'{"agentws":1,"seq":2,"kind":"decision","prev":"","digest":"%s"' % digest.of(TAIL).encode()
NOTHING = b'"salt":null,"body":null'


def test_a_line_that_says_it_was_purged_says_nothing_else() -> None:
    def check(row: tuple[bytes, bool]) -> None:
        tail, whole = row
        assert chain.is_whole(chain.line(HEADER, tail).rstrip(b"\n")) is whole

    rows = [
        (TAIL, True),
        (NOTHING + b',"purged":"01a2-0f"', True),
        (TAIL.replace(b"one", b"two"), False),
        (b'"salt":null,"body":{"v":1,"text":"two"}', False),
        (NOTHING + b',"body":{"v":1,"text":"two"},"purged":"01a2"', False),
        (NOTHING + b',"purged":"01a2","body":{"v":1}', False),
        (NOTHING + b',"purged":""', False),
        (NOTHING, False),
    ]
    table.holds(check, rows)


PREV = digest.of(b"before")


def stretch(first: int, count: int, body: str = '{"v":1}') -> tuple[bytes, list[str]]:
    """So many lines as agentws writes them, and their hashes."""
    lines, hashes = [], [PREV]
    for seq in range(first, first + count):
        tail = event.tail(body, "0" * 32)
        head = event.header(
            seq=seq, id="i" * 36, at="a" * 27, kind="note", session=None, src="agent", prev=hashes[-1], tail=tail
        )
        lines.append(chain.line(head, tail))
        hashes.append(chain.hash_of(lines[-1]))
    return b"".join(lines), hashes[1:]


def follow(lines: bytes, seq: int) -> list[str] | None:
    found = chain.follow(lines, seq=seq, prev=PREV, sha256=digest.sha256())
    return found[0] if found is not None else None


def test_lines_in_order_are_followed_together() -> None:
    lines, hashes = stretch(7, 3)

    assert follow(lines, 7) == hashes
    assert chain.follow(lines, seq=7, prev=digest.of(b"other"), sha256=digest.sha256()) is None
    assert follow(lines, 8) is None


def test_no_byte_of_a_stretch_can_be_changed_but_what_nothing_behind_it_names_yet() -> None:
    lines, hashes = stretch(7, 3)
    last = lines.rindex(b'{"agentws"')
    free = range(last + len(b'{"agentws":1,"seq":7,'), lines.rindex(b',"prev"'))

    for at in range(len(lines)):
        changed = lines[:at] + bytes([lines[at] ^ 1]) + lines[at + 1 :]
        found = follow(changed, 7)
        assert (found is None) is (at not in free), at
        assert found is None or found[:-1] == hashes[:-1] != found


def test_what_is_not_as_ours_is_left_to_a_closer_look() -> None:
    def check(row: tuple[bytes, int]) -> None:
        assert follow(*row) is None

    whole, _ = stretch(7, 3)
    first = whole[: whole.index(b"\n") + 1]
    rows = [
        (whole[:-1], 7),
        (whole + b"x\n", 7),
        (b"x\n" + whole, 7),
        (first + b"x\n" + whole[len(first) :], 7),
        (first[:60] + b"\n" + whole, 7),
        (first + first + whole[len(first) :], 7),
        (whole[len(first) :], 7),
        (b"\n", 7),
        (b"", 7),
        (stretch(9, 2)[0], 9),
        (stretch(7, 2, '{"v":1,"salt":"1"}')[0], 7),
        (stretch(7, 2, '{"v":1,"text":"%s"}' % ("x" * chain.LINE_LIMIT_BYTES))[0], 7),
    ]
    table.holds(check, rows)


def test_lines_are_checked_together_as_they_are_one_by_one() -> None:
    lines, hashes = stretch(8, 5)  # the numbers gain a digit on the way
    whole, last = stretch(7, 300, '{"v":1,"text":"%s"}' % ("x" * 400))  # more than one stretch
    purged = lines.splitlines(keepends=True)
    purged[1] = chain.line(chain.header(purged[1]), NOTHING + b',"purged":"01a2-0f"')

    for data, first, expected in ((lines, 8, hashes), (b"".join(purged), 8, hashes), (whole, 7, last)):
        for before in ((first - 1, PREV), None):
            found = chain.unbroken(data, before)
            assert (found.hashes, found.end, found.wrong) == (expected, len(data), "")
            assert found.last == (first - 1 + len(expected), expected[-1])


def test_the_line_that_does_not_follow_is_named_by_its_offset() -> None:
    lines, _ = stretch(8, 5)
    whole, _ = stretch(7, 300, '{"v":1,"text":"%s"}' % ("x" * 400))  # more than one stretch
    changed = whole.rindex(b"xxxx")
    rows = [
        (lines.replace(b"note", b"nOte", 1), 8, lines.index(b"\n") + 1, "does not follow the line before"),
        (whole[:changed] + b"X" + whole[changed + 1 :], 7, whole.rindex(b"\n", 0, -1) + 1, "body .* was changed"),
        (lines[:-3] + b"\n", 8, lines.rindex(b"\n", 0, -1) + 1, "not an event"),
        (lines[:-1], 8, lines.rindex(b"\n", 0, -1) + 1, "incomplete"),
        (lines + lines, 8, len(lines), "has the number 8, but 13 is due"),
        (lines, 9, 0, "has the number 8, but 9 is due"),
        (b"x\n" + lines, 8, 0, "not an event"),
    ]

    def check(row: tuple[bytes, int, int, str]) -> None:
        data, first, end, why = row
        found = chain.unbroken(data, (first - 1, PREV))
        assert (found.end, len(found.hashes)) == (end, data.count(b"\n", 0, end))
        assert re.search(why, found.wrong)

    table.holds(check, rows)
    assert chain.unbroken(b"x\n" + lines).wrong == chain.unbroken(b"").wrong == "not an event"
