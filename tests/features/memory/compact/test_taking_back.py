"""compact --undo and --verify after clocks that jumped, names that came twice, and sidecars that people edited."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats.documents import sources
from agentws.core.stores import marks, record
from agentws.errors import AgentwsError, DamagedError, DiskError, LockHeldError, NothingToUndoError
from agentws.features.memory.compact.plan import marked_lines
from agentws.workspace import Environment, Workspace
from tests.features.memory.compact.test_compacting import DAYS, everything, memory, put
from tests.thorough import THOROUGH

MONTH = "memory/archive/2026/2026-10.jsonl"
FIRST = "memory/archive/2026/2026-10-01.md"
WORTHY = "- [decision] Chose PostgreSQL 17 over SQLite for good, approved by Maria Keller on 4 October !9\n"
LATER = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    for day in DAYS:
        put(workspace, day)
    return workspace


def at(workspace: Workspace, now: datetime) -> Workspace:
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC"))


def rows(workspace: Workspace, path: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(workspace.root, path).read_text().splitlines()]


# Clocks


@pytest.mark.parametrize("step", [timedelta(hours=-2), timedelta(days=-9), timedelta(0)])
def test_the_run_that_was_written_last_is_taken_back_though_the_clock_was_set_back(
    full: Workspace, step: timedelta
) -> None:
    first = at(full, LATER).memory.compact()
    put(full, 4, WORTHY)
    between = everything(full)
    second = at(full, LATER + step).memory.compact()
    assert second.days

    assert at(full, LATER + step).memory.undo().run == second.run
    assert everything(full) == between
    assert at(full, LATER).memory.undo().run == first.run


def test_ten_runs_in_one_second_are_taken_back_from_the_last_on(full: Workspace) -> None:
    made = []
    for number in range(11):
        put(full, 4, f"- [decision] Value {number} for the pump\n").rename(
            Path(full.root, f"memory/2026-10-04-{number}.md")
        )
        made.append(at(full, LATER).memory.compact().run)

    assert [at(full, LATER).memory.undo().run for _ in made] == made[::-1]
    with pytest.raises(NothingToUndoError):
        full.memory.undo()


def test_a_run_that_kept_nothing_is_one_too(full: Workspace) -> None:
    full.memory.compact()
    put(full, 4, "# nothing to keep\n")
    between = everything(full)
    second = full.memory.compact()
    assert not second.new

    assert full.memory.undo().run == second.run
    assert everything(full) == between


# Names that came twice


def test_a_day_whose_name_was_archived_before_is_proved_as_the_first_one_is(full: Workspace) -> None:
    full.memory.compact()
    put(full, 1, "- The same name again, and Maria Keller's number is 555 0199\n")
    full.memory.compact()

    found = full.memory.verify()

    assert found.faults == []
    assert found.days == len(DAYS) + 1
    Path(full.root, FIRST).write_text("- other words\n")
    assert {one.path for one in full.memory.verify().faults} == {FIRST}


def test_a_copy_of_an_archived_day_that_somebody_put_back_is_not_folded_again(full: Workspace) -> None:
    full.memory.compact()
    put(full, 1)

    assert full.memory.compact().changes.changes == ()
    assert full.memory.verify().faults == []


def test_a_day_that_stays_in_the_archive_is_proved_after_its_run_was_taken_back(full: Workspace) -> None:
    full.memory.compact()
    put(full, 1, "- anew\n")

    done = full.memory.undo()

    assert [path for path, _ in done.left] == [FIRST]
    assert done.days == ["memory/2026-10-02.md", "memory/2026-10-03.md"]
    assert full.memory.verify().days == 1
    Path(full.root, FIRST).write_text("- other words\n")
    assert {one.path for one in full.memory.verify().faults} == {FIRST}
    with pytest.raises(NothingToUndoError):
        full.memory.undo()


# Sidecars that people edited


@pytest.mark.parametrize("path", [sources.PATH, MONTH])
@pytest.mark.parametrize("edit", ["half", "none", "gone", "windows", "junk"])
def test_a_sidecar_that_somebody_edited_costs_no_line_of_any_log(full: Workspace, path: str, edit: str) -> None:
    full.memory.compact()
    file = Path(full.root, path)
    text = file.read_text()
    lines = text.splitlines(keepends=True)
    if edit == "gone":
        file.unlink()
    else:
        file.write_bytes(
            {
                "half": "".join(lines[::2]), "none": "", "windows": text.replace("\n", "\r\n"),
                "junk": '{"mine": "a\u2028b"}\n[]\nnull\n' + text + '{"run":',
            }[edit].encode()
        )  # fmt: skip
    mine = file.read_bytes().split(b"\n")[:3] if edit == "junk" else []

    try:
        full.memory.undo()
    except NothingToUndoError:
        assert edit in ("none", "gone")
    full.memory.verify()
    full.memory.compact()

    logs = sorted(path.read_text() for path in Path(full.root, "memory").rglob("2026*.md"))
    assert logs == sorted(DAYS.values())
    assert mine == ([] if edit != "junk" else file.read_bytes().split(b"\n")[:3])


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("memory/2026-10-09.md", "SOUL.md"),
        ("AGENTS.md", "memory/archive/2026/2026-10-01.md"),
        ("memory/2026-10-09.md", "memory/archive/../../SOUL.md"),
        ("memory/../SOUL.md", "memory/archive/2026/2026-10-01.md"),
        ("memory/2026-10-09.md", "tasks/archive/2026/x.md"),
        ("/etc/x", ""),
    ],
)
def test_a_row_that_somebody_made_up_moves_nothing_else(
    full: Workspace, environment: Environment, path: str, to: str
) -> None:
    full.memory.compact()
    manifest = Path(full.root, "agentws.toml")
    manifest.write_text(f'{manifest.read_text()}\n[retention]\narchive = "9d"\n')
    row = {"path": path, "to": to, "day": "2026-10-09", "size": 1, "sha256": "ab", "lines": "", "run": "x"}
    for name in (MONTH, sources.PATH):
        with Path(full.root, name).open("a") as file:
            file.write(json.dumps(row) + "\n" + json.dumps({"run": "x", "days": 1}) + "\n")
    soul = Path(full.root, "SOUL.md").read_bytes()

    assert full.memory.undo().run == "x"
    Workspace.open(full.root, environment=environment).memory.compact()

    assert Path(full.root, "SOUL.md").read_bytes() == soul
    assert not Path(full.root, "memory/2026-10-09.md").exists()


def test_files_of_others_in_the_archive_are_no_sidecars(full: Workspace) -> None:
    full.memory.compact()
    Path(full.root, "memory/archive/2026/mine.jsonl").write_text("not yours\n")
    Path(full.root, "memory/archive/notes").mkdir()
    Path(full.root, "memory/archive/notes/2026-13.jsonl").write_text("not yours\n")

    assert full.memory.verify().faults == []
    assert len(full.memory.undo().days) == len(DAYS)


def test_an_archived_day_that_is_a_link_now_is_a_fault_and_no_crash(full: Workspace) -> None:
    full.memory.compact()
    day = Path(full.root, FIRST)
    day.unlink()
    day.symlink_to("2026-10-02.md")

    faults = full.memory.verify().faults

    assert [one.path for one in faults] == [FIRST]
    assert "symbolic link" in faults[0].wrong


def test_an_archived_day_that_cannot_be_read_now_keeps_its_run_from_being_taken_back(
    full: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    full.memory.compact()
    before = everything(full)
    real = Files.read

    def failing(self: Files, path: str, **words: int) -> bytes:
        if path == FIRST:
            raise DiskError(f"{path}: disk I/O error.")
        return real(self, path, **words)

    monkeypatch.setattr(Files, "read", failing)
    with pytest.raises(DiskError):
        full.memory.undo()

    assert everything(full) == before


def test_an_archived_day_that_is_a_link_now_stays_and_the_others_come_back(full: Workspace) -> None:
    full.memory.compact()
    day = Path(full.root, FIRST)
    day.unlink()
    day.symlink_to("2026-10-02.md")

    done = full.memory.undo()

    assert done.left == [(FIRST, "the path is not a regular file")]
    assert done.days == ["memory/2026-10-02.md", "memory/2026-10-03.md"]
    assert day.is_symlink()
    assert [one.path for one in full.memory.verify().faults] == [FIRST]


# Locks, and journals that refuse


def test_a_run_and_its_undoing_give_way_to_another_one(full: Workspace) -> None:
    full.memory.compact()
    put(full, 4, WORTHY)
    before = everything(full)

    with lock.Lock(Files(full.root), "compaction", timeout_s=1.0, note="compact"):
        for verb in (full.memory.compact, full.memory.undo):
            with pytest.raises(LockHeldError, match="compact") as raised:
                verb()
            assert raised.value.exit_code == 11

        assert everything(full) == before
        assert full.memory.compact(dry_run=True).days, "who only looks waits for nobody"
        assert full.memory.verify().faults == []


def damage(workspace: Workspace) -> None:
    """Damage the interior of the journal: from here on it refuses every event."""
    workspace.event("note", "one")
    workspace.event("note", "two")
    (segment,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    data = segment.read_bytes().split(b"\n")
    data[-2] = data[-2].replace(b'"kind":"note"', b'"kind":"nota"')
    segment.write_bytes(b"\n".join(data))


def test_a_journal_that_refuses_before_a_run_leaves_everything_as_it_was_and_is_loud(full: Workspace) -> None:
    damage(full)
    before = everything(full)
    again = at(full, LATER)

    for _ in range(2):
        with pytest.raises(AgentwsError):
            again.memory.compact()

    assert everything(full) == before
    assert not next(check for check in again.status().checks if check.name == "compaction").ok


@pytest.mark.parametrize("verb", ["compact", "undo"])
def test_a_journal_that_refuses_when_all_is_done_is_a_notice(
    full: Workspace, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    full.memory.compact()
    put(full, 4, WORTHY)
    real = record.record

    def refused(stores: object, happened: list[record.Happening]) -> object:
        if happened[0].kind == "compaction.began":
            return real(stores, happened)  # type: ignore[arg-type]
        raise DamagedError("The journal refuses.")

    monkeypatch.setattr(record, "record", refused)
    done = getattr(full.memory, verb)()

    assert done.changes.changes
    assert any("its event was not recorded" in notice for notice in done.notices)
    assert marks.failures(full.stores.files, local_dir.COMPACTION_FAILURES) == []
    assert full.memory.verify().faults == []


def test_a_bug_in_a_run_is_counted_too(full: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(marked_lines, "select", broken)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            full.memory.compact()

    assert len(marks.failures(full.stores.files, marks.COMPACTION)) == 2


def test_every_run_says_that_it_took_place(full: Workspace) -> None:
    done = full.memory.compact()

    assert rows(full, sources.PATH)[-1] == {"run": done.run, "days": len(DAYS)}


def test_a_failure_that_says_very_much_does_not_hide_those_that_follow(full: Workspace) -> None:
    for number in range(40):
        marks.add_failure(full.stores.files, marks.COMPACTION, f"{number} " + "very much \n" * 9000)

    assert [line.split()[0] for line in marks.failures(full.stores.files, marks.COMPACTION)] == [
        *map(str, range(10, 40))
    ]


def test_who_verifies_a_workspace_that_was_killed_half_way_is_told(full: Workspace) -> None:
    full.memory.compact()
    Path(full.root, ".agentws/undo/000099.pending").mkdir()

    assert any("change was interrupted" in notice for notice in full.memory.verify().notices)
    full.memory.compact()
    assert full.memory.verify().notices == []


def test_a_run_with_open_items_and_a_next_list_is_taken_back_byte_for_byte(full: Workspace) -> None:
    put(full, 4, "- [ ] bring the boat to Sam\n\n## Next steps\n- ask Kim\n- tar the roof\n")
    before = everything(full)

    done = full.memory.compact()
    full.memory.undo()

    assert (len(done.page.new), done.page.next_day) == (1, "2026-10-04")
    assert everything(full) == before


def test_a_digest_that_was_edited_since_loses_what_the_run_wrote_there_and_nothing_else(full: Workspace) -> None:
    put(full, 4, "- [ ] bring the boat to Sam\n\n## Next steps\n- ask Kim\n")
    full.memory.compact()
    page = Path(full.root, "memory/digest.md")
    page.write_text(page.read_text() + "\n## Mine\n\nwords of my own\n")

    full.memory.undo()

    text = page.read_text()
    assert "words of my own" in text
    assert "boat" not in text
    assert "ask Kim" not in text


LINES = (
    *("# Memory", "## From the logs", "### Decisions", "### Rules", "## People", "", "", "", "```"),
    *("- Sam: short answers !9", "  and no lists", "words of mine", "- Chose SQLite for the"),
    "- Chose SQLite for the address book, since two people edit it at once (1 Oct)",
    "- Never run the import twice: it doubles 412 contacts (3 Oct)",
)
SECTION = ["## From the logs", "", "### Decisions", "", LINES[-2], "", "### Rules", LINES[-1], "", "", "## People"]
texts = st.tuples(
    st.lists(st.sampled_from(LINES), max_size=9),
    st.sampled_from([SECTION, SECTION[:-2], SECTION[:1], []]),
    st.lists(st.sampled_from(LINES), max_size=6),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\r\n", "\n\n\n"]),
).map(lambda drawn: drawn[3].join([*drawn[0], *drawn[1], *drawn[2]]) + drawn[4])


def test_a_run_is_taken_back_byte_for_byte_whatever_memory_looked_like(full: Workspace) -> None:
    full.memory.compact()
    put(full, 4, f"- ~~{LINES[-2][2:]}~~\n- [lesson] Tar the roof before the rain\n- [ ] bring the boat to Sam\n")

    @settings(max_examples=60 if THOROUGH else 20)
    @given(texts)
    def check(text: str) -> None:
        Path(full.root, "MEMORY.md").write_bytes(text.encode())
        before = everything(full)
        done = full.memory.compact()
        assert done.days, (done.notices, done.skipped)

        full.memory.undo()

        assert everything(full) == before

    check()


def test_what_came_after_a_run_stays_when_it_is_taken_back_and_empty_lines_too(full: Workspace) -> None:
    own = "# Memory\n\n\n## From the logs\n\n### Rules\n\n- mine\n\n\n## People\n\n- Sam"
    Path(full.root, "MEMORY.md").write_text(own)
    full.memory.compact()
    full.remember("Leo likes coffee")
    assert memory(full).startswith("# Memory\n\n\n## From the logs\n\n### Rules\n\n- mine\n")

    full.memory.undo()

    assert memory(full) == own + "\n\n## Remembered\n\n- Leo likes coffee\n"


# What was closed since, in the digest alone


def folded(workspace: Workspace) -> tuple[Workspace, Workspace]:
    """Two things to do in a folded day, one without a reference; the workspace then, and a month later."""
    early = at(workspace, LATER - timedelta(days=50))
    early.todo("Sell the red car")
    early.log("Wash the grey dog", kind="todo")
    late = at(workspace, LATER)
    late.memory.compact()
    return early, late


def left_open(workspace: Workspace) -> list[str]:
    return [row.text for row in workspace.todos().rows]


def test_what_a_person_closed_in_the_digest_is_not_open_again(workspace: Workspace) -> None:
    _, late = folded(workspace)
    digest = Path(late.root, "memory/digest.md")
    ticked = digest.read_text().replace("[ ] 2026-10-01 Wash", "[x] ❌ 2026-10-01 Wash").replace("[ ]", "[x]")
    digest.write_text(ticked)

    seen = late.memory.undo(dry_run=True)
    assert sorted(notice.rpartition(": ")[2] for notice in seen.notices) == [
        "today's log would record the item as done.",
        "today's log would record the item as dropped.",
    ]
    done = late.memory.undo()

    assert left_open(late) == []
    today = Path(late.root, "memory/2026-11-20.md").read_text()
    assert "[done] Sell the red car (closes ^" in today
    assert "[dropped] Wash the grey dog (closes ^" in today
    assert done.notices == [
        "memory/digest.md:7 was ticked: memory/2026-11-20.md:3 now records the item as done.",
        "memory/digest.md:8 was ticked: memory/2026-11-20.md:4 now records the item as dropped.",
    ]
    assert not Path(late.root, "memory/digest.md").exists()


def test_what_the_log_closes_too_is_not_told_again(workspace: Workspace) -> None:
    _, late = folded(workspace)
    late.done("red", "car", note="for little")

    assert late.memory.undo().notices == []
    assert left_open(late) == ["Wash the grey dog"]
    assert Path(late.root, "memory/2026-11-20.md").read_text().count("Sell the red car") == 1


def test_a_tick_is_kept_before_the_run_is_taken_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    _, late = folded(workspace)
    late.done("red", "car")

    def full_disk(*_: object, **__: object) -> None:
        raise DiskError("No space left.")

    monkeypatch.setattr("agentws.core.stores.stores.Stores.apply", full_disk)
    with pytest.raises(DiskError):
        late.memory.undo()
    assert "Sell the red car (closes ^" in Path(late.root, "memory/2026-11-20.md").read_text()


def test_what_was_closed_in_the_digest_leaves_it_and_stays_closed(workspace: Workspace) -> None:
    _, late = folded(workspace)
    late.drop("grey", "dog")
    digest = Path(late.root, "memory/digest.md")
    digest.write_text(digest.read_text().replace("[ ]", "[x]"))
    put(late, 4, "- Chose the larger pump for the garden\n")
    before = everything(late)
    planned = late.memory.compact(dry_run=True)
    assert everything(late) == before
    done = late.memory.compact()

    assert [notice for notice in planned.notices if "ticked" in notice] == [
        "memory/digest.md:7 is ticked: today's log would record the item as done."
    ]
    assert not digest.exists()
    assert [notice for notice in done.notices if "ticked" in notice] == [
        "memory/digest.md:7 was ticked: memory/2026-11-20.md:4 now records the item as done."
    ]
    assert [hit.state for hit in late.search("red car").hits if "archive" in hit.path] == ["done"]
    assert left_open(late) == []


def test_a_ticked_item_stays_private_and_words_from_outside_are_not_repeated(workspace: Workspace) -> None:
    _, late = folded(workspace)
    items = ("call the clinic #private #health ^ab12cd", "pay the invoice (via net:mail) ^ef34gh")
    digest = Path(late.root, "memory/digest.md")
    digest.write_text(digest.read_text() + "".join(f"- [x] 2026-10-01 {item}\n" for item in items))

    late.memory.compact()

    lines = Path(late.root, "memory/2026-11-20.md").read_text().splitlines()
    assert [line.partition("[done] ")[2] for line in lines[-2:]] == [
        "call the clinic (closes ^ab12cd) #private",
        "memory/digest.md:10 (closes ^ef34gh)",
    ]
