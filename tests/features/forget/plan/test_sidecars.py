"""What compaction wrote down stays true of what is left, and keeps nothing of what was forgotten."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents.sources import Folded, Left, Made, Source, Stated
from agentws.core.formats.json import plainjson
from agentws.features.forget.plan import sidecars
from agentws.features.forget.plan.sidecars import Changed
from agentws.features.forget.plan.wanted import Wanted
from tests import table

SAM = Wanted(subjects=["Sam Tester"])
PATH, TO = "memory/2026-03-02.md", "memory/archive/2026/2026-03-02.md"
BEFORE = b"# Day\n- met Sam Tester\n- roof\n"
AFTER = b"# Day\n\n- roof\n"
DAYS = {PATH: Changed(BEFORE, AFTER, {2})}
FOLDED = Folded(
    PATH, TO, day="2026-03-02", size=len(BEFORE), digest=digest.of(BEFORE), lines=sources.line_digests(BEFORE), run="r1"
)
GOES, STAYS = managed.of_text("Sam Tester likes tea"), managed.of_text("There was a meeting")


def made(entry: str, line: int) -> Made:
    return Made(
        entry, [Source(PATH, line, line, sources.of_lines(BEFORE, line, line))], day="2026-03-02", worth=1, run="r1"
    )


def test_the_rows_of_an_entry_that_goes_go_and_every_other_byte_stays() -> None:
    text = '{"mine":1}\n' + sources.encode([made(GOES, 3), made(STAYS, 3)]) + "not json"

    after, gone = sidecars.without(text, SAM, entries={GOES}, days={}, run="f")

    assert after == '{"mine":1}\n' + sources.encode([made(STAYS, 3)]) + "not json"
    assert [one.line for one in gone] == [2]


def test_the_text_of_an_entry_that_left_memory_earlier_goes_with_all_its_rows() -> None:
    left = Left(GOES, "Sam Tester likes tea", kind="Facts", run="r2")
    text = sources.encode([made(GOES, 3), left])

    entries = sidecars.left(text, SAM)
    after, gone = sidecars.without(text, SAM, entries=entries, days={}, run="f")

    assert entries == {GOES}
    assert (after, [one.line for one in gone]) == ("", [1, 2])


def test_a_row_that_nobody_understands_goes_where_it_holds_it() -> None:
    after, gone = sidecars.without(
        '{"note":"for S\\u00e1m Tester"}\nSam Tester\n{"a":1}\n', SAM, entries=(), days={}, run="f"
    )

    assert after == '{"a":1}\n'
    assert [one.line for one in gone] == [1, 2]


def test_a_day_that_lost_a_line_has_the_digests_of_what_it_is_now_and_belongs_to_the_same_run() -> None:
    after, _ = sidecars.without(sources.encode([FOLDED]), SAM, entries=(), days=DAYS, run="f")

    found = sources.decode(after).folded[PATH]
    assert found.is_as_it_was(AFTER)
    assert found.changed_lines(AFTER) == []
    assert (found.to, found.run) == (TO, "r1")
    assert '"forgotten":"f"' in after
    assert sources.line_digests(b"- met Sam Tester")[:8] not in after


def test_what_was_edited_before_is_still_told() -> None:
    edited = BEFORE.replace(b"roof", b"ROOF")
    day = Changed(edited, AFTER.replace(b"roof", b"ROOF"), {2})

    after, _ = sidecars.without(sources.encode([FOLDED]), SAM, entries=(), days={PATH: day}, run="f")

    found = sources.decode(after).folded[PATH]
    assert not found.is_as_it_was(day.after)
    assert found.changed_lines(day.after) == [3]


def test_a_source_that_was_forgotten_has_the_digest_of_what_stands_there_now() -> None:
    after, _ = sidecars.without(sources.encode([made(STAYS, 2), made(GOES, 3)]), SAM, entries=(), days=DAYS, run="f")

    known = sources.decode(after).made
    assert known[STAYS].sources[0].digest == sources.of_lines(AFTER, 2, 2)
    assert known[GOES].sources[0].digest == sources.of_lines(BEFORE, 3, 3)


def test_no_key_of_an_entry_that_stays_tells_of_what_is_forgotten() -> None:
    told = {
        "kind": "Sam Tester", "reason": "S\u00e1m Tester moved", "by": GOES,
        "about": ["notes/Sam Tester.md", "ab" * 32], "later": {"x": ["Sam Tester"]},
    }  # fmt: skip

    def holds(key: str) -> None:
        for stays in (made(STAYS, 3).with_keys(until="2026-11-23"), Stated(STAYS, at="", first="2026-03-02")):
            row = plainjson.loads(sources.encode([stays]))
            text = plainjson.dumps({**row, key: told[key]}) + "\n"
            after, gone = sidecars.without(text, SAM, entries={GOES}, days={}, run="f")

            assert plainjson.loads(after) == row
            assert [one.line for one in gone] == [1]

    table.holds(holds, told)


def test_a_row_that_tells_nothing_of_it_stays_byte_for_byte() -> None:
    text = '{ "entry": "ab", "sources": [], "by": "cd", "about": ["notes/Leo.md", "ef"], "later": [1] }\n'

    assert sidecars.without(text, SAM, entries={GOES}, days={}, run="f") == (text, [])
