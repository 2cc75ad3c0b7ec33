"""The sidecar: where memories came from, and what folded days were."""

from __future__ import annotations

from agentws.formats import digest, sources
from agentws.formats.sources import Folded, Made, Source

DAY = b"# Day\n\n- one\n- two\n"


def folded(data: bytes = DAY) -> Folded:
    return Folded(
        "memory/2026-03-02.md", "memory/archive/2026/2026-03-02.md", day="2026-03-02", size=len(data),
        digest=digest.of(data), lines=sources.line_digests(data), run="r1",
    )  # fmt: skip


def test_what_is_written_is_read_again() -> None:
    made = Made("ab" * 32, [Source("memory/2026-03-02.md", 3, 4, "cd" * 32)], day="2026-03-02", worth=7, run="r1")

    found = sources.decode(sources.encode([made, folded()]))

    assert sources.encode([*found.made.values(), *found.folded.values()]) == sources.encode([made, folded()])
    assert found.unread == []


def test_the_newest_word_of_a_day_or_an_entry_wins() -> None:
    later = Made("ab", [], day="", worth=9, run="r2")

    text = sources.joined(sources.encode([Made("ab", [], day="", worth=1, run="r1"), folded()]), [later])

    assert sources.decode(text).made["ab"].worth == 9


def test_lines_that_are_not_understood_are_kept_and_named() -> None:
    text = '{"mine": 1}\nnot json\n{"entry":"x","sources":[["a"]]}\n{"entry":"y","sources":[]}'

    assert sources.decode(text).unread == [1, 2, 3]
    assert list(sources.decode(text).made) == ["y"]
    assert sources.joined(text, []).startswith(text)


def test_a_changed_line_is_named() -> None:
    was = folded()

    assert was.is_as_it_was(DAY)
    assert not was.is_as_it_was(DAY.replace(b"two", b"2"))
    assert was.changed_lines(DAY) == []
    assert was.changed_lines(DAY.replace(b"two", b"2")) == [4]
    assert was.changed_lines(DAY + b"- three\n") == [5, 6]
    assert was.changed_lines(b"# Day\n") == [3, 4, 5]


def test_the_digest_of_lines_is_of_these_lines_alone() -> None:
    assert sources.of_lines(DAY, 3, 4) == digest.of(b"- one\n- two")
