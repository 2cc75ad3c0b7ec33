"""Files that one side moved and the other one changed, and lines that came to an archived day."""

from __future__ import annotations

import json

import pytest

from agentws.core.formats import digest
from agentws.core.formats.documents import managed, sources
from agentws.features.sync.plan.merged import Conflict
from agentws.features.sync.plan.state import derived
from tests.features.sync.plan.trees import Files, merged

DAY, SHELF, SECOND = "memory/2026-09-01.md", "memory/archive/2026/2026-09-01.md", "memory/2026-09-01.2.md"
MONTH = "memory/archive/2026/2026-09.jsonl"
LOG = b"# 2026-09-01\n\n- 07:15 The fig tree stays\n- 08:00 Watered the beans\n  and the peas\n"


def folded(path: str, to: str, data: bytes, *, day: str = "2026-09-01", run: str = "r1") -> bytes:
    """The row of a file that was archived."""
    lines = sources.line_digests(data)
    made = sources.Folded(path, to, day=day, size=len(data), digest=digest.of(data), lines=lines, run=run)
    return sources.encode([made]).encode()


def archived(data: bytes = LOG, run: str = "r1") -> Files:
    """A state in which the day was archived."""
    return {SHELF: data, MONTH: folded(DAY, SHELF, data, run=run)}


def both(base: Files, ours: Files, theirs: Files) -> Files:
    """The files that come out, whichever side is ours; all rows are true."""
    after, plan = merged(base, ours, theirs)
    assert merged(base, theirs, ours)[0] == after
    assert plan.conflicts == []
    rows = [json.loads(line) for line in after.get(MONTH, b"").splitlines()]
    places = {(row["path"], row["to"]): row for row in rows}
    for row in places.values():
        assert digest.of(after[row["to"]]) == row["sha256"] if row["sha256"] else row["to"] not in after
    assert {path for path in after if "/archive/" in path and path.endswith(".md")} <= {row["to"] for row in rows}
    return after


def test_an_archived_day_stays_and_lines_that_came_late_go_to_its_second_file() -> None:
    after = both({DAY: LOG}, archived(), {DAY: LOG + b"- 09:00 Sowed cress\n  in a pot\n\n- 09:10 Slept\n"})
    assert after == {**archived(), SECOND: b"# 2026-09-01\n\n- 09:00 Sowed cress\n  in a pot\n- 09:10 Slept\n"}


def test_late_lines_stand_beside_those_that_are_there() -> None:
    second = b"# 2026-09-01\n\n- 09:30 Pruned\n"
    after = both({DAY: LOG}, {**archived(), SECOND: second}, {DAY: LOG + b"- 09:00 Sowed cress\n"})
    assert after[SECOND] == b"# 2026-09-01\n\n- 09:00 Sowed cress\n- 09:30 Pruned\n"


def test_a_line_that_was_taken_out_is_empty_in_the_archive_too() -> None:
    watered = b"- 08:00 Watered the beans\n  and the peas\n"
    for gone in (b"- 07:15 The fig tree stays\n" + watered, watered):
        blank = LOG.replace(gone, b"\n" * gone.count(b"\n"))
        assert both({DAY: LOG}, archived(), {DAY: blank})[SHELF] == blank
    short = LOG.replace(b"- 07:15 The fig tree stays\n", b"")
    assert both({DAY: LOG}, archived(), {DAY: short})[SHELF] == LOG.replace(b"- 07:15 The fig tree stays", b"")


def test_an_edited_line_stands_once() -> None:
    after = both({DAY: LOG}, archived(), {DAY: LOG.replace(b"stays", b"goes")})
    assert b"fig" not in after[SHELF]
    assert after[SECOND] == b"# 2026-09-01\n\n- 07:15 The fig tree goes\n"


def test_a_day_that_both_archived_with_lines_of_their_own_has_all_of_them() -> None:
    mine, other = LOG + b"- 09:00 Sowed cress\n", LOG + b"- 09:30 Pruned\n"
    after = both({DAY: LOG}, archived(mine), archived(other, "r2"))
    assert after[SHELF] == mine + b"- 09:30 Pruned\n"
    assert [json.loads(line)["run"] for line in after[MONTH].splitlines()] == ["r1", "r2"]


def test_a_day_that_both_archived_alike_is_the_same_file() -> None:
    assert both({DAY: LOG}, archived(), archived(run="r2"))[SHELF] == LOG


def test_a_day_that_one_side_took_away_is_deleted_in_the_archive() -> None:
    after = both({DAY: LOG}, archived(), {})
    assert SHELF not in after
    assert json.loads(after[MONTH].splitlines()[-1])["sha256"] == ""


def test_at_first_contact_lines_that_the_archive_has_do_not_come_again() -> None:
    after = both({}, archived(), {DAY: LOG + b"- 09:00 Sowed cress\n"})
    assert after == {**archived(), SECOND: b"# 2026-09-01\n\n- 09:00 Sowed cress\n"}


def test_a_compaction_that_one_side_took_back() -> None:
    blank = LOG.replace(b"- 07:15 The fig tree stays", b"")
    assert both(archived(), {DAY: LOG}, archived()) == {DAY: LOG}
    assert both(archived(), {DAY: LOG}, archived(blank)) == {DAY: blank}
    assert both(archived(), {DAY: blank}, archived()) == {DAY: blank}
    assert both(archived(), {DAY: blank}, {DAY: LOG}) == {DAY: blank}


def test_a_line_that_a_merge_put_into_the_second_file_is_still_that_line() -> None:
    base = {DAY: LOG + b"- 09:00 Sowed cress\n"}
    there = {**archived(), SECOND: b"# 2026-09-01\n\n- 09:00 Sowed cress\n"}
    assert both(base, there, {DAY: LOG + b"\n"}) == archived()
    assert both(base, there, base) == there
    edited = both(base, there, {DAY: LOG + b"- 09:00 Sowed cress\n- 09:10 Slept\n"})
    assert edited[SECOND] == b"# 2026-09-01\n\n- 09:00 Sowed cress\n- 09:10 Slept\n"


@pytest.mark.parametrize("folder", ["handoffs", "tasks"])
def test_a_handoff_or_task_that_was_edited_meanwhile_is_not_archived(folder: str) -> None:
    path, to = f"{folder}/shed.md", f"{folder}/archive/2026/shed.md"
    data = b"---\nstatus: done\n---\n# Shed\n"
    moved = {to: data, MONTH: folded(path, to, data)}
    edited = {path: data.replace(b"done", b"active")}
    assert both({path: data}, moved, edited) == edited
    assert both({path: data}, moved, {path: data}) == moved


def test_a_file_that_was_renamed_takes_the_edits_along() -> None:
    path, to = "knowledge/beans.md", "knowledge/peas.md"
    after = both({path: b"a\n\nb\n"}, {to: b"a\n\nb\n"}, {path: b"a\n\nb\n\nc\n"})
    assert after == {to: b"a\n\nb\n\nc\n"}


def test_a_task_that_was_renamed_and_edited_takes_the_edits_along() -> None:
    task = b"---\nstatus: open\n---\n# Shed\n\n- [ ] one\n"
    barn = b"---\nstatus: open\nwas: [shed]\n---\n# Barn\n\n- [ ] one\n"
    after = both({"tasks/shed.md": task}, {"tasks/barn.md": barn}, {"tasks/shed.md": task + b"- [ ] two\n"})
    assert after == {"tasks/barn.md": barn + b"- [ ] two\n"}


def row(entry: str, *places: tuple[str, int, bytes]) -> bytes:
    """The row of an entry that was made of these lines."""
    told = [[path, line, line, digest.of(words)] for path, line, words in places]
    return json.dumps({"entry": digest.of(entry.encode()), "sources": told}, separators=(",", ":")).encode() + b"\n"


def test_the_sources_of_entries_follow_to_where_their_lines_stand() -> None:
    late, stays = b"- 07:00 Rose early", b"- 07:15 The fig tree stays"
    mine = LOG.replace(stays, late + b"\n" + stays)
    known = {sources.PATH: row("fig", (DAY, 4, stays)) + row("early", (DAY, 3, late))}
    after = both({DAY: LOG}, {**archived(mine), **known}, archived(LOG + b"- 09:00 Slept\n", "r2"))
    found = [json.loads(line)["sources"][0] for line in after[sources.PATH].splitlines()]
    assert sorted(found) == sorted([[DAY, 4, 4, digest.of(stays)], [DAY, 3, 3, digest.of(late)]])
    own = {**archived(LOG + b"- 06:00 Slept\n"), sources.PATH: row("slept", (DAY, 6, b"- 06:00 Slept"))}
    after = both({DAY: LOG}, own, {DAY: LOG, "USER.md": b"x\n"})
    assert json.loads(after[sources.PATH])["sources"] == [[DAY, 6, 6, digest.of(b"- 06:00 Slept")]]


def test_a_source_in_a_line_that_came_late_names_the_second_file() -> None:
    words = b"- 09:00 Sowed cress"
    theirs = {DAY: LOG + words + b"\n", sources.PATH: row("cress", (DAY, 6, words))}
    after = both({DAY: LOG}, archived(), theirs)
    assert json.loads(after[sources.PATH])["sources"] == [[SECOND, 3, 3, digest.of(words)]]


def test_an_entry_goes_with_the_last_line_that_it_was_made_of() -> None:
    words, other = b"- 07:15 The fig tree stays", "memory/2026-09-02.md"
    memory = {"MEMORY.md": b"# Memory\n\n## From the logs\n\n### Facts\n- fig\n- keep\n"}
    rows = {sources.PATH: row("fig", (DAY, 3, words)) + row("keep", (DAY, 3, words)) + row("keep", (other, 3, words))}
    base = {DAY: LOG, other: LOG, "MEMORY.md": b"# Memory\n"}
    ours = {**archived(), other: LOG, **memory, **rows}
    theirs = {**base, DAY: LOG.replace(words, b"")}
    after = both(base, ours, theirs)
    assert after["MEMORY.md"] == memory["MEMORY.md"].replace(b"- fig\n", b"")
    assert [json.loads(line)["entry"] for line in after[sources.PATH].splitlines()] == [digest.of(b"keep")] * 2
    known = {**base, sources.PATH: rows[sources.PATH]}  # what both had stays
    assert b"- fig" in merged(known, ours, {**theirs, sources.PATH: rows[sources.PATH]})[0]["MEMORY.md"]


def test_a_day_that_was_written_again_beside_another_one_in_the_archive_stays_where_it_is() -> None:
    again = b"# 2026-09-01\n\n- 10:00 Written again\n"
    second = "memory/archive/2026/2026-09-01-a.md"
    ours = {**archived(), DAY: again}
    theirs = {DAY: LOG, SHELF: b"# older\n", MONTH: folded(second.replace("archive/2026/", ""), SHELF, b"# older\n")}
    after = merged({DAY: LOG}, ours, theirs)[0]
    assert merged({DAY: LOG}, theirs, ours)[0] == after
    assert b"".join(after.values()).count(b"- 10:00 Written again") == 1
    assert b"".join(after.values()).count(b"The fig tree stays") == 1


def test_a_line_that_was_taken_out_does_not_come_back_in_the_second_file_of_its_day() -> None:
    words = b"- 09:00 Sowed cress\n"
    base = {DAY: LOG + words}
    there = {**archived(), SECOND: b"# 2026-09-01\n\n" + words + b"\n"}
    assert SECOND not in both(base, there, {DAY: LOG + b"\n"})


def test_nobody_is_asked_about_an_entry_that_went_with_its_line() -> None:
    asked = Conflict("MEMORY.md", "entry", "", None, "- fig tree", "- pear tree")
    assert derived.asks(asked, (), "From the logs")
    assert derived.asks(asked, {managed.of_text("plum tree")}, "From the logs")
    assert not derived.asks(asked, {managed.of_text("fig tree")}, "From the logs")
    removed = Conflict("MEMORY.md", "removal", "", None, None, "## From the logs\n\n- fig tree")
    assert not derived.asks(removed, (), "From the logs")
    assert derived.asks(removed, (), "People")
