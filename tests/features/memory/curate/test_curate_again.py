"""curate: the same answer again, numbers that a disk does not give, and whose words an entry is after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.formats.documents import managed, proposals, sources
from agentws.core.stores import marks
from agentws.errors import DiskError
from agentws.features.memory.curate import command as curate, curation
from agentws.workspace import Workspace
from tests.features.memory.curate import proposed, test_curate
from tests.features.memory.curate.test_curate import DAY, begun, entries, number

noted = test_curate.noted


def test_an_answer_that_is_given_again_writes_nothing_twice(noted: Workspace) -> None:
    """As after a kill right before it was noted that the answer came."""
    begun(noted)
    sam = number(noted, "Sam")
    state = Path(noted.root, local_dir.CURATION)
    before, answer = state.read_bytes(), f"KEEP {sam}\n"
    assert noted.memory.curate(answer).declined == 2
    rows = Path(noted.root, sources.PATH).read_bytes()

    state.write_bytes(before)
    again = noted.memory.curate(answer)

    assert (again.declined, again.refused) == (0, [])
    assert Path(noted.root, sources.PATH).read_bytes() == rows


def test_an_answer_after_the_clock_was_set_back_counts_for_the_day_before_it() -> None:
    known = curation.Numbers()
    for day, expected in (("2026-11-20", "2026-11-20"), ("2026-11-19", "2026-11-20"), ("2026-11-21", "2026-11-21")):
        known.answered(day)
        assert known.day == expected
    known.answered("2038-01-19")
    known.answered("2026-11-22")
    assert known.day == "2026-11-22"


def test_a_number_is_never_guessed_where_the_disk_does_not_give_them(
    noted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(noted)
    sam = number(noted, "Sam")
    part = Files.part

    def refuses(files: Files, path: str, most: int, *, from_end: bool = False) -> object:
        if path == local_dir.CURATION:
            raise DiskError(f"{path}: it cannot be read.")
        return part(files, path, most, from_end=from_end)

    monkeypatch.setattr(Files, "part", refuses)
    for asks in (noted.memory.brief, lambda: noted.memory.curate(f"KEEP {sam}\n")):
        with pytest.raises(DiskError):
            asks()
    assert "MEMORY.md" not in noted.boot().text.partition("## Now")[2].partition("\n\n")[0]
    monkeypatch.undo()
    assert number(noted, "Sam") == sam


def test_no_brief_is_shown_whose_numbers_could_not_be_kept(noted: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(noted)

    def full(*_: object) -> None:
        raise DiskError("The disk is full.")

    monkeypatch.setattr(marks, "put", full)
    with pytest.raises(DiskError):
        noted.memory.brief()
    done = noted.memory.curate(f"ADD [preference] Sam reads reports on paper {{{DAY}:7}}\n")
    assert len(done.applied) == 1
    assert any("will not know of it" in notice for notice in done.notices)


def test_other_words_for_what_nobody_vouched_for_are_no_more_sure(noted: Workspace) -> None:
    begun(noted)
    numbers = {one: number(noted, one) for one in ("Sam", "SQLite", "Backups")}

    noted.memory.curate(
        f"UPDATE {numbers['Sam']} Without Sam never touch production\n"
        f"MERGE {numbers['SQLite']} {numbers['Backups']} -> SQLite for the index; backups of the phone need the cable\n"
    )

    assert len(entries(noted)) == 2
    rows = sources.decode(Path(noted.root, sources.PATH).read_text()).made
    assert {rows[managed.of_text(text)].src for text in entries(noted)} == {"unknown"}


def test_numbers_are_kept_however_much_was_shown(noted: Workspace) -> None:
    found = curation.read(noted.stores.files)
    for count in range(1, 501):
        assert found.number(managed.of_text(f"entry {count}")) == count
    wordings = [[managed.of_text(f"{one} {other}") for other in range(40)] for one in range(15)]
    for count in range(8):
        found.offer(wordings, f"brief-{count}")

    curation.keep(noted.stores.files, found)

    again = curation.read(noted.stores.files)
    assert again.of == found.of
    assert again.next == 501
    assert [*again.shown] == [*found.shown][-len(again.shown) :] or not again.shown


def test_what_memory_has_from_outside_is_compared_with_nothing(noted: Workspace) -> None:
    noted.remember("The ferry leaves the harbour at 6", section="Rules", via="tool:web")
    file = Path(noted.root, "MEMORY.md")
    file.write_text(f"{file.read_text()}\n## Prices (via net:mail)\n\n- Diesel costs 2 coins a litre\n")
    said = ("The ferry leaves the harbour at 7", "Diesel costs 3 coins a litre", "A fact of mine is told otherwise now")
    Path(noted.root, DAY).write_text("".join(f"- [fact] {text}\n" for text in said))

    assert [line.name for one in noted.memory.review().proposed for line in one.near] == ["MEMORY.md:5"]
    shown = noted.memory.brief().brief.text
    assert "harbour at 6" not in shown
    assert "2 coins" not in shown


@pytest.mark.parametrize("answer", ["NONE", "ADD [rule] Never push without asking Sam {memory/2026-10-01.md:4}"])
def test_an_answer_declines_the_proposals_that_it_does_not_take_up(noted: Workspace, answer: str) -> None:
    Path(noted.root, "memory/2026-10-01.md").write_text(
        "# 2026-10-01\n\n- [decision] Tea is served on the pier\n- [rule] Never push without asking Sam\n"
    )
    waiting = [
        proposals.Proposal("Tea is served on the pier", "decision", ["memory/2026-10-01.md:3"]),
        proposals.Proposal("Never push without asking Sam", "rule", ["memory/2026-10-01.md:4"]),
    ]
    file = Path(noted.root, proposals.PATH)
    before = proposed.with_added("", waiting)
    file.write_text(before)
    shown = noted.memory.brief().brief
    assert [one.text for one in shown.candidates][:2] == [one.text for one in waiting]

    done = noted.memory.curate(f"BRIEF {shown.name}\n{answer}\n")

    assert done.refused == []
    assert not file.exists(), "they are offered once"
    assert "Tea is served" not in noted.memory.brief().brief.text
    noted.undo()
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [("The pier is closed in winter", "Tea comes from a tin box"), ("備份需要線纜", "每天早上喝茶")],
)
def test_other_words_for_an_entry_share_some_with_it(workspace: Workspace, old: str, new: str) -> None:
    Path(workspace.root, DAY).write_text(f"- [fact] {old}\n- [fact] {new}\n- [fact] {new} 2\n")
    workspace.memory.curate(f"ADD [fact] {old} {{{DAY}:1}}\nADD [fact] {new} 2 {{{DAY}:3}}\n")
    first, second = number(workspace, old), number(workspace, new)

    for answer in (f"UPDATE {first} {new} {{{DAY}:2}}", f"MERGE {second} {first} -> {new} {{{DAY}:2}}"):
        done = workspace.memory.curate(answer)
        assert [why for _, why in done.refused] == [
            f"the text is unrelated to entry {first}: RETIRE that entry and ADD the text"
        ]
    assert entries(workspace) == [old, f"{new} 2"]


def test_an_answer_that_is_applied_shows_what_left_and_how_to_undo_it_where_anything_changed(
    noted: Workspace,
) -> None:
    begun(noted)
    rule, cable = number(noted, "Never"), number(noted, "Backups")

    done = noted.memory.curate(
        f"UPDATE {rule} Never touch production without Sam or paper {{{DAY}:7}}\nRETIRE {cable} expired\n"
    )

    said = [*curate.lines(done)]
    assert said[1] == "  was: Never touch production without Sam"
    assert said[3] == "  was: Backups of the phone need the cable"
    assert said[-1] == "Undo: agentws undo"
    assert [one["left"] for one in curate.fields(done)["applied"]] == [  # type: ignore[attr-defined]
        ["Never touch production without Sam"], ["Backups of the phone need the cable"],
    ]  # fmt: skip

    noted.memory.brief()
    noted.memory.curate("NONE\n")
    assert [*curate.lines(noted.memory.curate("NONE\n"))][-1].startswith("The section in MEMORY.md has")
