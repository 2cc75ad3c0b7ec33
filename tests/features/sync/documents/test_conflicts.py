"""What was edited on two machines at once: kept, listed, and decided on either of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import conflict
from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, UsageError
from agentws.features.sync.plan import file, merged
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

MEMORY = "# Memory\n\n- Anna drinks tea\n- Sam sings\n"


@pytest.fixture
def both(machines: Machines) -> tuple[Workspace, Workspace]:
    """The agent on two machines, whose MEMORY.md is the same."""
    desk = machines.first()
    (machines.root("desk") / "MEMORY.md").write_text(MEMORY)
    desk.tasks.add("Paint the fence")
    desk.sync(str(machines.stick))
    return desk, machines.another("laptop")


def write(machines: Machines, path: str, desk: str | None, laptop: str | None) -> None:
    for name, text in (("desk", desk), ("laptop", laptop)):
        at = machines.root(name) / path
        at.unlink() if text is None else at.write_text(text)


def agree(machines: Machines, *workspaces: Workspace) -> None:
    for each in (*workspaces, *workspaces):
        each.sync()
    assert machines.files("desk") == machines.files("laptop")


def disagree(machines: Machines, both: tuple[Workspace, Workspace]) -> str:
    """Both edit one line; the id of the conflict."""
    write(machines, "MEMORY.md", MEMORY.replace("tea", "cocoa"), MEMORY.replace("tea", "coffee"))
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records
    return str(record.id)


def test_both_sides_stand_in_the_file_without_any_marker(machines: Machines, both: tuple[Workspace, Workspace]) -> None:
    disagree(machines, both)

    text = (machines.root("laptop") / "MEMORY.md").read_text()
    assert text == MEMORY.replace("- Anna drinks tea", "- Anna drinks cocoa\n- Anna drinks coffee")


@pytest.mark.parametrize(("take", "left"), [("1", ["cocoa"]), ("2", ["coffee"]), ("neither", [])])
def test_a_decision_on_one_machine_holds_on_the_other(
    machines: Machines, both: tuple[Workspace, Workspace], take: str, left: list[str]
) -> None:
    id = disagree(machines, both)

    both[1].sync.resolve(id[:5], take=take)
    agree(machines, both[1], both[0])

    text = (machines.root("desk") / "MEMORY.md").read_text()
    assert [word for word in ("cocoa", "coffee") if word in text] == left
    assert both[0].sync.conflicts().records == []


def test_records_are_no_files_to_be_moved_or_left_out_of_forget(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    desk = both[0]
    subprocess.run(("git", "init", "-q", desk.root), check=True)
    desk.config.set("history.commits", "ref")
    id = disagree(machines, both)

    told = [(one.name, one.path) for one in desk.doctor().findings]
    assert [name for name, path in told if path and path.startswith("conflicts/")] == []
    assert "no-remote" not in [name for name, _ in told]
    assert not any("conflicts/" in notice for notice in desk.memory.forget(matching=["zanzibar"], dry_run=True).notices)
    desk.sync.resolve(id, take="1")
    assert not (machines.root("desk") / "conflicts").exists()


def test_what_is_forgotten_of_a_conflict_leaves_nothing_to_decide_on_any_machine(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    disagree(machines, both)

    both[0].memory.forget(matching=["coffee"], confirm=True)
    assert both[0].sync.conflicts().records == []
    agree(machines, both[0], both[1])

    for workspace in both:
        text = Path(workspace.root, "MEMORY.md").read_text()
        assert "cocoa" in text
        assert "coffee" not in text
        assert workspace.sync.conflicts().records == []
        assert workspace.journal.verify().findings == []


def test_what_is_forgotten_goes_from_the_page_that_a_conflict_keeps_whole(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    facts = [f"- Fact {number} alpha beta\n" for number in range(file.MOST_CONFLICTS + 1)]
    page = f"# Memory\n\n- The zanzibar code is blue\n{''.join(facts)}"
    write(machines, "MEMORY.md", page, MEMORY)
    both[0].sync()
    both[1].sync()
    write(machines, "MEMORY.md", page.replace("alpha", "delta"), page.replace("beta", "gamma"))

    both[0].memory.forget(matching=["zanzibar"], confirm=True)
    agree(machines, both[0], both[1])

    (record,) = both[1].sync.conflicts().records
    assert record.what == merged.FILE
    kept = [data for path, data in machines.files("laptop").items() if path.startswith("conflicts/")]
    assert len(kept) == 3
    assert any(b"Fact 7 delta beta" in data for data in kept)
    assert any(b"Fact 7 alpha gamma" in data for data in kept)
    assert not any(b"zanzibar" in data for data in machines.files("laptop").values())
    both[1].memory.forget(matching=["Fact 9 "])
    both[1].sync.resolve(record.id, take="1")
    text = (machines.root("laptop") / "MEMORY.md").read_text()
    assert [word in text for word in ("Fact 7 ", "zanzibar", "Fact 9 ")] == [True, False, False]


def test_a_file_edited_by_hand_is_decided_without_a_side(machines: Machines, both: tuple[Workspace, Workspace]) -> None:
    id = disagree(machines, both)
    (machines.root("desk") / "MEMORY.md").write_text(MEMORY.replace("tea", "anything warm"))

    both[0].sync.resolve(id)
    agree(machines, *both)

    assert (machines.root("laptop") / "MEMORY.md").read_text() == MEMORY.replace("tea", "anything warm")
    assert not list((machines.root("laptop") / "conflicts").glob("*.json"))


def test_a_field_of_a_task_keeps_one_value_and_offers_the_other(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    path = next(machines.root("desk").glob("tasks/*.md")).relative_to(machines.root("desk"))
    text = (machines.root("desk") / path).read_text()
    first, rest = text.split("---\n", 2)[1:]
    desk, laptop = (f"---\n{first}owner: {name}\n---\n{rest}" for name in ("anna", "sam"))
    write(machines, str(path), desk, laptop)
    agree(machines, *both)

    (record,) = both[0].sync.conflicts().records
    taken = {}
    for take in ("1", "2"):
        taken[take] = both[0].sync.resolve(record.id, take=take, dry_run=True).paths
    standing = "1" if taken["2"] and str(path) in taken["2"] else "2"
    other = "2" if standing == "1" else "1"
    both[0].sync.resolve(record.id, take=other)
    agree(machines, *both)

    assert {line for line in (machines.root("laptop") / path).read_text().split("\n") if line.startswith("owner:")} == {
        record.sides[int(other) - 1].text.strip()
    }


def test_a_page_that_one_removed_and_the_other_edited_stays_until_it_is_decided(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    desk, laptop = both
    (machines.root("desk") / "contexts").mkdir(exist_ok=True)
    page = Path("contexts/trip.md")
    (machines.root("desk") / page).write_text("# Trip\n\nPack the tent.\n")
    agree(machines, desk, laptop)
    write(machines, str(page), None, "# Trip\n\nPack the big tent.\n")
    agree(machines, laptop, desk)

    (record,) = desk.sync.conflicts().records
    removed = next(number for number, side in enumerate(record.sides, 1) if not (side.text or side.file))
    assert (machines.root("desk") / page).read_text() == "# Trip\n\nPack the big tent.\n"
    desk.sync.resolve(record.id, take=str(removed))
    assert not (machines.root("desk") / "conflicts").exists()
    agree(machines, desk, laptop)

    assert not (machines.root("laptop") / page).exists()


def test_a_conflict_that_is_not_there_and_a_side_that_is_none_are_refused(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    id = disagree(machines, both)

    with pytest.raises(MissingFileError, match="No conflict"):
        both[0].sync.resolve("ffffffff")
    with pytest.raises(UsageError):
        both[0].sync.resolve(id, take="ours")


def test_boot_and_status_say_that_a_conflict_waits(machines: Machines, both: tuple[Workspace, Workspace]) -> None:
    disagree(machines, both)

    assert any("1 conflict waits" in notice for notice in both[1].boot().notices)
    assert any(check.name == "sync-conflicts" and not check.ok for check in both[1].status().checks)


FORGED = {"agentws": 1, "path": "MEMORY.md", "what": "file", "where": "", "base": None, "sides": [None, "x"]}


@pytest.mark.parametrize(
    "words",
    [
        {"path": ".claude/settings.json"},
        {"path": ".git/hooks/post-commit"},
        {"path": "../above.md"},
        {"path": "Makefile"},
        {"path": "conflicts/0000000a.json"},
        {"path": "journal/0123/00000001.jsonl"},
        {"sides": [{"file": "SOUL.md"}, "x"]},
        {"sides": [None, {"file": "conflicts/0000000a/../../SOUL.md"}]},
        {"base": {"file": "conflicts/0000000b/1-MEMORY.md"}},
        {"what": "command"},
    ],
)
@pytest.mark.parametrize("take", ["1", "2", None])
def test_a_record_that_no_merge_made_is_never_carried_out(
    machines: Machines, words: dict[str, object], take: str | None
) -> None:
    desk = machines.first()
    at = machines.root("desk") / "conflicts"
    at.mkdir()
    (at / "0000000a.json").write_text(plainjson.dumps({**FORGED, **words}))
    before = machines.files("desk")

    with pytest.raises(DamagedError):
        desk.sync.resolve("0000000a", take=take)

    assert machines.files("desk") == before
    assert not (machines.root("desk") / ".claude").exists()
    found = desk.sync.conflicts()
    assert found.records == []
    assert any("0000000a" in notice for notice in found.notices)


def test_the_same_record_of_a_file_that_travels_is_carried_out(machines: Machines) -> None:
    desk = machines.first()
    at = machines.root("desk") / "conflicts"
    at.mkdir()
    (at / "0000000a.json").write_text(plainjson.dumps(FORGED))
    (machines.root("desk") / "MEMORY.md").unlink()  # as the first side has it

    desk.sync.resolve("0000000a", take="2")

    assert (machines.root("desk") / "MEMORY.md").read_text() == "x"


def test_the_kinds_of_a_record_are_those_of_a_merge() -> None:
    assert set(conflict.KINDS) == {merged.ENTRY, merged.FIELD, merged.FILE, merged.REMOVAL}


DAY, FOLDED = "memory/2026-09-01.md", "memory/archive/2026/2026-09-01.md"
LINES = ("- 09:00 [decision] The fence is green", "- 09:30 Sam sings", "- 10:00 [fact] The gate is three metres wide")


def days(machines: Machines, both: tuple[Workspace, Workspace], desk: str | None, laptop: str | None) -> None:
    """A day in which each machine has another line than they had before (None: no day)."""
    day = "# 2026-09-01\n\n" + "".join(f"{line}\n" for line in LINES)
    for name in ("desk", "laptop"):
        (machines.root(name) / "memory").mkdir(exist_ok=True)
        (machines.root(name) / DAY).write_text(day)
    agree(machines, *both)
    write(machines, DAY, *(None if line is None else day.replace(f"{LINES[1]}\n", line) for line in (desk, laptop)))


@pytest.mark.parametrize("is_folded_first", [True, False])
@pytest.mark.parametrize(
    ("desk", "laptop", "take"),
    [
        ("", "- 09:30 Sam sings well\n", "neither"),
        ("", "- 09:30 Sam sings well\n", "2"),
        ("- 09:30 Sam sings loud\n", "- 09:30 Sam sings well\n", "1"),
        ("- 09:30 Sam sings loud\n", "- 09:30 Sam sings well\n", "both"),
        ("- 09:30 Sam sings loud\n", None, "1"),
        ("- 09:30 Sam sings loud\n", None, "2"),
    ],
)
def test_a_decision_about_an_archived_day_leaves_what_compaction_noted_true(
    machines: Machines,
    both: tuple[Workspace, Workspace],
    desk: str | None,
    laptop: str | None,
    take: str,
    is_folded_first: bool,
) -> None:
    days(machines, both, desk, laptop)
    if not is_folded_first:
        agree(machines, *both)
    both[0].memory.compact(agreed=True)
    agree(machines, *both)
    standing = (machines.root("laptop") / FOLDED).read_text().split("\n")

    for record in both[1].sync.conflicts().records:
        both[1].sync.resolve(record.id, take=take)

    assert both[1].sync.conflicts().records == []
    assert both[1].memory.verify().faults == []
    if laptop is not None:
        text = (machines.root("laptop") / FOLDED).read_text().split("\n")
        assert {line: at for at, line in enumerate(text) if line in LINES} == {
            line: at for at, line in enumerate(standing) if line in LINES
        }
    agree(machines, *both)
    for each in both:
        assert each.memory.verify().faults == []


@pytest.mark.parametrize("take", ["1", "2"])
def test_what_was_added_to_a_file_since_another_machine_removed_it_is_not_lost_by_a_decision(
    machines: Machines, both: tuple[Workspace, Workspace], take: str
) -> None:
    (path,) = Path(machines.root("desk"), "tasks").glob("*.md")
    name = f"tasks/{path.name}"
    write(machines, name, f"{path.read_text()}\n- buy paint\n", None)
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records
    path.write_text(f"{path.read_text()}- the brush is in the shed\n")

    with pytest.raises(ChangedUnderneathError, match="edited since"):
        both[0].sync.resolve(record.id, take=take)

    assert "in the shed" in path.read_text()
    both[0].sync.resolve(record.id)
    agree(machines, *both)
    assert "in the shed" in path.read_text()


@pytest.mark.parametrize("take", ["1", "2"])
def test_what_was_added_to_a_file_that_could_not_be_merged_is_not_lost_by_a_decision(
    machines: Machines, both: tuple[Workspace, Workspace], take: str
) -> None:
    write(machines, "notes.md", "---\na: [\n---\n\nfrom the desk\n", "---\na: ]\n---\n\nfrom the laptop\n")
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records
    path = machines.root("desk") / "notes.md"
    path.write_text(f"{path.read_text()}- the brush is in the shed\n")

    with pytest.raises(ChangedUnderneathError, match="edited since"):
        both[0].sync.resolve(record.id, take=take)

    assert (record.what, "in the shed" in path.read_text()) == (merged.FILE, True)


def test_a_side_is_chosen_also_where_the_content_of_the_other_one_is_gone(
    machines: Machines, both: tuple[Workspace, Workspace]
) -> None:
    write(machines, "notes.md", "---\na: [\n---\n\nfrom the desk\n", "---\na: ]\n---\n\nfrom the laptop\n")
    agree(machines, *both)
    (record,) = both[0].sync.conflicts().records
    path = machines.root("desk") / "notes.md"
    stays = [(machines.root("desk") / str(side.file)).read_text() for side in record.sides].index(path.read_text())
    (machines.root("desk") / str(record.sides[1 - stays].file)).unlink()

    both[0].sync.resolve(record.id, take=str(stays + 1))

    assert both[0].sync.conflicts().records == []
