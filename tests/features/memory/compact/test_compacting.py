"""compact: old days are archived, their marked lines become entries of MEMORY.md, and nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.core.disk import lock
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.core.formats.documents import sources
from agentws.core.stores import marks, stores
from agentws.errors import ChangedUnderneathError, LockHeldError, NothingToUndoError, UsageError
from agentws.features.memory.compact import command as compact
from agentws.workspace import Environment, Workspace

OLD = "2026-10-0{}"
DAYS = {
    1: "# 2026-10-01\n\n## Decisions\n"
    "- [decision] Chose SQLite for the address book, since two people edit it at once\n- lunch\n",
    2: "# 2026-10-02\n\n- Maria Keller of Lisbon asked for the export until 15 October\n"
    "- The export needs 300 MB of disk\n",
    3: "# 2026-10-03\n\n## Lessons\n- [lesson] Never run the import twice: it doubles 412 contacts\n- rain\n",
}
LATER = "memory/2027-02-05.md"
WORTHY = "- [decision] Chose PostgreSQL 17 over SQLite for good, approved by Maria Keller on 4 October 2026 !9\n"
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def put(workspace: Workspace, day: int, text: str = "") -> Path:
    file = Path(workspace.root, f"memory/{OLD.format(day)}.md")
    file.write_text(text or DAYS[day])
    return file


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    for day in DAYS:
        put(workspace, day)
    return workspace


def memory(workspace: Workspace) -> str:
    return Path(workspace.root, "MEMORY.md").read_text()


def written(workspace: Workspace) -> str:
    """What runs have written: MEMORY.md, the digest, and proposals."""
    files = [Path(workspace.root, f"memory/{name}.md") for name in ("digest", "proposed")]
    return memory(workspace) + "".join(file.read_text() for file in files if file.exists())


def everything(workspace: Workspace) -> dict[str, bytes]:
    root = Path(workspace.root)
    skipped = (".agentws", "journal", "identity")
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in files
        if path.relative_to(root).parts[0] not in skipped
    }


def test_old_days_become_entries_and_move_to_the_archive_byte_for_byte(full: Workspace) -> None:
    done = full.memory.compact()

    assert "SQLite" in memory(full)
    assert "412 contacts" in memory(full)
    assert [to for _, to in done.days] == [f"memory/archive/2026/{OLD.format(day)}.md" for day in DAYS]
    for day, text in DAYS.items():
        assert Path(full.root, f"memory/archive/2026/{OLD.format(day)}.md").read_text() == text
        assert not Path(full.root, f"memory/{OLD.format(day)}.md").exists()


def test_young_days_stay(full: Workspace) -> None:
    full.log("today's line")
    put(full, 9, "# young\n").rename(Path(full.root, "memory/2026-11-10.md"))

    full.memory.compact()

    assert Path(full.root, "memory/2026-11-20.md").exists()
    assert Path(full.root, "memory/2026-11-10.md").exists()


def test_what_people_wrote_stays_byte_for_byte(full: Workspace) -> None:
    file = Path(full.root, "MEMORY.md")
    file.write_text("# Memory\n\n" + "- a fact of mine that must stay\n" * 50)
    before = file.read_bytes()

    full.memory.compact()

    assert file.read_bytes().startswith(before)
    assert full.memory.verify().faults == []


def test_a_second_run_changes_nothing(full: Workspace) -> None:
    full.memory.compact()
    before = everything(full)

    again = full.memory.compact()

    assert again.changes.changes == ()
    assert everything(full) == before


def test_each_entry_names_lines_that_say_it(full: Workspace) -> None:
    done = full.memory.compact()

    for one in done.new:
        for line in one.lines:
            text = DAYS[int(line.path[-4])].split("\n")[line.line - 1]
            assert set(text.split()) & set(one.text.split())
    made = sources.decode(Path(full.root, sources.PATH).read_text()).made
    assert len(made) == len(done.new) + len(done.page.new)


def test_a_dry_run_changes_nothing(full: Workspace) -> None:
    before = everything(full)

    done = full.memory.compact(dry_run=True)

    assert done.changes.changes
    assert everything(full) == before


def test_an_entry_that_somebody_edited_is_theirs(full: Workspace) -> None:
    full.memory.compact()
    file = Path(full.root, "MEMORY.md")
    file.write_text(file.read_text().replace("Chose SQLite", "We chose SQLite, and never look back"))
    put(full, 4, "- Unimportant words about nothing at all\n")

    full.memory.compact()

    assert "never look back" in memory(full)


def test_late_lines_of_an_archived_day_are_kept_and_folded_too(full: Workspace) -> None:
    full.memory.compact()
    late = put(full, 1, "")
    late.unlink()
    late.with_name("2026-10-01.2.md").write_text("- [fact] Maria Keller's number is 555 0199\n")

    full.memory.compact()

    assert Path(full.root, "memory/archive/2026/2026-10-01.md").read_text() == DAYS[1]
    assert Path(full.root, "memory/archive/2026/2026-10-01.2.md").read_text().startswith("- [fact]")
    assert "555 0199" in memory(full)
    assert full.memory.verify().faults == []


def test_a_name_that_is_taken_in_the_archive_is_not_overwritten(full: Workspace) -> None:
    full.memory.compact()
    put(full, 1, "- The same name again, 7 words more\n")

    full.memory.compact()

    assert Path(full.root, "memory/archive/2026/2026-10-01.md").read_text() == DAYS[1]
    assert Path(full.root, "memory/archive/2026/2026-10-01.2.md").exists()


def test_secrets_of_a_log_do_not_get_into_memory(full: Workspace) -> None:
    put(full, 1, f"## Decisions\n- Decided to use the token {TOKEN} for Maria Keller\n")

    full.memory.compact()

    assert TOKEN not in memory(full)
    assert TOKEN in Path(full.root, "memory/archive/2026/2026-10-01.md").read_text()


def test_an_edit_that_comes_in_between_wins_and_nothing_is_changed(
    full: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = stores.Stores.apply
    file = Path(full.root, "MEMORY.md")

    def edited(self: stores.Stores, *args: object, **words: object) -> object:
        monkeypatch.undo()
        file.write_text(file.read_text() + "- a person's own line\n")
        return real(self, *args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr(stores.Stores, "apply", edited)
    with pytest.raises(ChangedUnderneathError):
        full.memory.compact()

    assert memory(full).endswith("- a person's own line\n")
    assert Path(full.root, f"memory/{OLD.format(1)}.md").exists()
    assert full.memory.compact().days


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who finds the workspace held waits for a moment only."""
    monkeypatch.setattr(transaction, "_LOCK_TIMEOUT_S", 0.05)


@pytest.mark.usefixtures("impatient")
def test_while_another_one_is_at_it_a_run_gives_way(full: Workspace) -> None:
    before = everything(full)

    with lock.Lock(Files(full.root), lock.TRANSACTION, timeout_s=1.0, note="compact"), pytest.raises(LockHeldError):
        full.memory.compact()

    assert everything(full) == before


@pytest.mark.usefixtures("impatient")
def test_failures_in_a_row_are_counted_and_forgotten_by_a_run_that_goes_well(full: Workspace) -> None:
    for _ in range(2):
        with lock.Lock(Files(full.root), lock.TRANSACTION, timeout_s=1.0), pytest.raises(LockHeldError):
            full.memory.compact()

    assert len(marks.failures(full.stores.files, marks.COMPACTION)) == 2
    assert not next(check for check in full.status().checks if check.name == "compaction").ok
    assert "Compaction failed" in full.boot().text
    full.memory.compact()
    assert marks.failures(full.stores.files, marks.COMPACTION) == []
    assert next(check for check in full.status().checks if check.name == "compaction").ok


@pytest.mark.usefixtures("impatient")
def test_one_failure_alone_is_not_loud(full: Workspace) -> None:
    with lock.Lock(Files(full.root), lock.TRANSACTION, timeout_s=1.0), pytest.raises(LockHeldError):
        full.memory.compact()

    assert next(check for check in full.status().checks if check.name == "compaction").ok
    assert "Compaction failed" not in full.boot().text


def test_a_run_is_recorded_before_and_after(full: Workspace) -> None:
    full.memory.compact()

    kinds = [one.kind for one in full.journal.list()]

    assert kinds.index("compaction.began") < kinds.index("compaction.finished")


@pytest.mark.parametrize("words", [{"before": "soon"}, {"before": "0000-00-00"}])
def test_odd_words_are_refused(full: Workspace, words: dict[str, object]) -> None:
    before = everything(full)

    with pytest.raises(UsageError):
        full.memory.compact(**words)  # type: ignore[arg-type]

    assert everything(full) == before


class TestAdopted:
    """In a workspace that others made, days stay where they are, and the first run asks."""

    @pytest.fixture
    def adopted(self, tmp_path: Path, environment: Environment) -> Workspace:
        """Adopted on the third of the old days."""
        root = tmp_path / "robin"
        (root / "memory").mkdir(parents=True)
        (root / "MEMORY.md").write_text("# Mine\n")
        for day, text in DAYS.items():
            (root / f"memory/{OLD.format(day)}.md").write_text(text)
        then = Environment(now=datetime(2026, 10, 3, 9, tzinfo=UTC), timezone="UTC")
        Workspace.init(str(root), environment=then, git=False)
        return Workspace.open(str(root), environment=environment)

    def test_the_first_run_changes_nothing_until_somebody_agreed(self, adopted: Workspace) -> None:
        before = everything(adopted)

        done = adopted.memory.compact()

        assert done.must_agree
        assert everything(adopted) == before
        assert not adopted.memory.compact(agreed=True).must_agree
        put(adopted, 4, "- Decided to move server 4 to Lisbon with Maria Keller\n")
        assert not adopted.memory.compact().must_agree

    def test_days_stay_where_they_are_and_only_what_was_marked_since_the_adoption_enters(
        self, adopted: Workspace
    ) -> None:
        done = adopted.memory.compact(agreed=True)

        assert Path(adopted.root, f"memory/{OLD.format(1)}.md").read_text() == DAYS[1]
        assert [one.text for one in done.new] == ["Never run the import twice: it doubles 412 contacts (3 Oct)"]
        assert [one.why for one in done.unused] == ["the line was written before the workspace was adopted"]
        assert "SQLite" not in written(adopted)

    @pytest.mark.parametrize(
        ("zone", "day"), [("America/Los_Angeles", "2026-10-02"), ("UTC", "2026-10-03"), ("Asia/Tokyo", "2026-10-03")]
    )
    def test_the_day_of_adoption_is_that_of_its_place(self, tmp_path: Path, zone: str, day: str) -> None:
        root = tmp_path / "wren"
        root.mkdir()
        (root / "MEMORY.md").write_text("# Mine\n")
        then = Environment(now=datetime(2026, 10, 3, 5, tzinfo=UTC), timezone=zone)

        Workspace.init(str(root), environment=then, git=False)

        assert f'since = "{day}"' in (root / "agentws.toml").read_text()

    def test_the_day_of_adoption_holds_after_days_move_too(self, adopted: Workspace) -> None:
        manifest = Path(adopted.root, "agentws.toml")
        assert 'since = "2026-10-03"' in manifest.read_text()
        manifest.write_text(manifest.read_text().replace("archive = false", "archive = true"))

        moving = Workspace.open(adopted.root, environment=adopted.stores.environment)
        moving.memory.compact(agreed=True)

        assert "SQLite" not in written(moving)
        assert not Path(adopted.root, f"memory/{OLD.format(1)}.md").exists()

    def test_a_workspace_that_an_earlier_version_adopted_knows_its_day_by_its_manifest(
        self, adopted: Workspace
    ) -> None:
        manifest = Path(adopted.root, "agentws.toml")
        manifest.write_text(manifest.read_text().replace('since = "2026-10-03"', 'mode = "propose"'))

        done = Workspace.open(adopted.root, environment=adopted.stores.environment).memory.compact(agreed=True)

        assert [one.day for one in done.new] == ["2026-10-03"]
        assert not Path(adopted.root, "memory/proposed.md").exists()
        assert any("compaction.mode has no effect" in notice for notice in done.notices)

    def test_a_line_that_a_young_log_strikes_is_not_added(self, adopted: Workspace) -> None:
        Path(adopted.root, "memory/2026-11-19.md").write_text("- ~~Never run the import twice~~ it is mended\n")
        put(adopted, 3, "- [lesson] Never run the import twice\n- [rule] Ask Maria first\n")

        assert [entry.text for entry in adopted.memory.compact(agreed=True).new] == ["Ask Maria first (3 Oct)"]

    def test_a_day_that_got_more_lines_is_folded_again(self, adopted: Workspace) -> None:
        adopted.memory.compact(agreed=True)
        put(adopted, 3, DAYS[3] + "- [fact] Maria Keller's number is 555 0199\n")

        found = adopted.memory.verify()
        done = adopted.memory.compact()

        assert found.edited == [f"memory/{OLD.format(3)}.md"]
        assert not found.faults
        assert [path for path, _ in done.days] == [f"memory/{OLD.format(3)}.md"]
        assert memory(adopted).count("Never run the import twice") == 1
        assert "555 0199" in memory(adopted)


class TestUndoing:
    """compact --undo: as before the last run, with all that came since."""

    def test_everything_is_as_it_was(self, full: Workspace) -> None:
        before = everything(full)
        full.memory.compact()

        full.memory.undo()

        assert everything(full) == before

    def test_what_came_after_the_run_stays(self, full: Workspace) -> None:
        full.memory.compact()
        full.remember("Leo likes his coffee black")
        late = Path(full.root, "memory/2026-10-01.2.md")
        late.write_text("- late\n")

        full.memory.undo()

        assert "Leo likes his coffee black" in memory(full)
        assert "From the logs" not in memory(full)
        assert late.exists()
        assert Path(full.root, f"memory/{OLD.format(1)}.md").read_text() == DAYS[1]

    def test_runs_are_taken_back_one_by_one(self, full: Workspace) -> None:
        before = everything(full)
        full.memory.compact()
        put(full, 4, "- Decided to move server 4 to Lisbon with Maria Keller\n")
        between = everything(full)
        full.memory.compact()

        full.memory.undo()
        assert everything(full) == between
        full.memory.undo()
        Path(full.root, f"memory/{OLD.format(4)}.md").unlink()
        assert everything(full) == before
        with pytest.raises(NothingToUndoError):
            full.memory.undo()

    def test_a_day_that_was_written_anew_is_not_overwritten(self, full: Workspace) -> None:
        full.memory.compact()
        put(full, 1, "- anew\n")

        done = full.memory.undo()

        assert Path(full.root, f"memory/{OLD.format(1)}.md").read_text() == "- anew\n"
        assert Path(full.root, f"memory/archive/2026/{OLD.format(1)}.md").read_text() == DAYS[1]
        assert any("created again" in notice for notice in done.notices)


class TestVerifying:
    """compact --verify: every line compared, every source followed."""

    def test_what_is_as_it_was_is_counted(self, full: Workspace) -> None:
        full.memory.compact()

        found = full.memory.verify()

        assert (found.days, found.lines) == (3, sum(text.count("\n") for text in DAYS.values()))
        assert found.entries == found.sourced > 0
        assert found.faults == []

    @pytest.mark.parametrize(("line", "edit"), [(4, ("SQLite", "MySQL")), (6, ("- lunch\n", "- lunch\n- dinner\n"))])
    def test_a_changed_line_is_named(self, full: Workspace, line: int, edit: tuple[str, str]) -> None:
        full.memory.compact()
        file = Path(full.root, "memory/archive/2026/2026-10-01.md")
        file.write_text(file.read_text().replace(*edit))

        faults = full.memory.verify().faults

        assert (faults[0].path, faults[0].line) == ("memory/archive/2026/2026-10-01.md", line)

    def test_a_day_that_is_gone_is_named(self, full: Workspace) -> None:
        full.memory.compact()
        Path(full.root, "memory/archive/2026/2026-10-01.md").unlink()

        assert [one.wrong for one in full.memory.verify().faults if one.line == 0] == ["is missing"]

    def test_a_record_that_cannot_be_read_is_named(self, full: Workspace) -> None:
        full.memory.compact()
        file = Path(full.root, sources.PATH)
        file.write_text(file.read_text() + "half a li")

        assert any(one.path == sources.PATH for one in full.memory.verify().faults)


WORDS = ("dig", "wait", "fly", "sow")


class TestRetention:
    """Nothing is deleted or moved unless the manifest says so."""

    def settings(self, workspace: Workspace, environment: Environment, text: str) -> Workspace:
        file = Path(workspace.root, "agentws.toml")
        file.write_text(f"{file.read_text()}\n[retention]\n{text}\n")
        return Workspace.open(workspace.root, environment=environment)

    def test_without_a_rule_nothing_of_it_happens(self, full: Workspace) -> None:
        done = full.memory.compact()

        assert (done.moved, done.deleted) == ([], [])

    def test_archived_days_go_when_the_rule_says_so(self, full: Workspace, environment: Environment) -> None:
        full.memory.compact()
        strict = self.settings(full, environment, 'archive = "30d"')

        done = strict.memory.compact()

        assert done.deleted == [f"memory/archive/2026/{OLD.format(day)}.md" for day in DAYS]
        assert not Path(full.root, "memory/archive/2026/2026-10-01.md").exists()
        assert strict.memory.verify().faults == []
        assert strict.memory.compact().changes.changes == ()

    def test_closed_handoffs_and_tasks_that_are_over_move(self, full: Workspace, environment: Environment) -> None:
        folder = Path(full.root, "handoffs")
        folder.mkdir(exist_ok=True)
        (folder / "2026-01-02-a.md").write_text("---\nat: 2026-01-02T10:00:00+00:00\nstatus: closed\n---\nx\n")
        (folder / "2026-01-03-b.md").write_text("---\nat: 2026-01-03T10:00:00+00:00\n---\nopen\n")
        tasks = Path(full.root, "tasks")
        tasks.mkdir(exist_ok=True)
        (tasks / "over.md").write_text("---\nstatus: done\nupdated: 2026-01-02\n---\nx\n")
        (tasks / "not-over.md").write_text("---\nstatus: active\nupdated: 2026-01-02\n---\nx\n")
        strict = self.settings(full, environment, 'handoffs = "90d"\ntasks = "90d"')

        done = strict.memory.compact()

        assert sorted(to for _, to in done.moved) == [
            "handoffs/archive/2026/2026-01-02-a.md",
            "tasks/archive/2026/over.md",
        ]
        assert (folder / "2026-01-03-b.md").exists()
        assert (tasks / "not-over.md").exists()
        strict.memory.undo()
        assert (folder / "2026-01-02-a.md").exists()

    def test_approvals_move_that_nobody_can_use_any_more_by_the_journal(
        self, full: Workspace, environment: Environment
    ) -> None:
        asked = {word: full.ask(f"May I {word}?", expires="2h" if word == "wait" else None) for word in WORDS}
        full.approvals.decide(asked["dig"].id, approve=False)
        forged = Path(full.root, asked["fly"].path)
        forged.write_text(forged.read_text().replace("status: pending", "status: used"))
        later = Environment(now=environment.now and environment.now.replace(year=2027), timezone="UTC")
        Workspace.open(full.root, environment=later).approvals.decide(asked["sow"].id, approve=False)
        strict = self.settings(full, later, 'approvals = "90d"')

        soon = [path for path, _ in strict.memory.compact(dry_run=True).moved if "approvals" in path]
        assert soon == [asked["dig"].path]
        much_later = Environment(now=environment.now and environment.now.replace(year=2028), timezone="UTC")
        late = Workspace.open(full.root, environment=much_later)
        planned = [path for path, _ in late.memory.compact(dry_run=True).moved if "approvals" in path]
        done = late.memory.compact()

        assert sorted(planned) == sorted(asked[word].path for word in ("dig", "wait", "sow"))
        assert all(not Path(full.root, path).exists() for path in planned)
        assert forged.exists()
        assert done.moved
        moved = [line for line in compact.compacted_lines(done, explain=False) if "retention rules" in line]
        assert len(moved) == 3
        assert all(line.endswith(".md (moved by retention rules)") for line in moved)
        (undone, *_) = compact.undone_lines(late.memory.undo())
        assert undone.endswith(", 3 files as before.")
        assert all(Path(full.root, path).exists() for path in planned)

    def test_a_handoff_that_keeps_another_one_closed_stays(self, full: Workspace, environment: Environment) -> None:
        folder = Path(full.root, "handoffs")
        folder.mkdir(exist_ok=True)
        (folder / "2026-01-02-a.md").write_text("---\nat: 2026-01-02T10:00:00+00:00\n---\nfollowed\n")
        (folder / "2026-01-03-b.md").write_text(
            "---\nat: 2026-01-03T10:00:00+00:00\nstatus: closed\nfollows: [2026-01-02-a]\n---\nx\n"
        )
        strict = self.settings(full, environment, 'handoffs = "90d"')

        done = strict.memory.compact()

        assert [path for path, _ in done.moved] == ["handoffs/2026-01-02-a.md"]

    def test_a_rule_that_is_no_time_is_refused_and_named(self, full: Workspace, environment: Environment) -> None:
        odd = self.settings(full, environment, 'archive = "soon"')

        with pytest.raises(UsageError, match=r"retention\.archive"):
            odd.memory.compact()


def test_days_that_stayed_move_once_days_do(full: Workspace, environment: Environment) -> None:
    manifest = Path(full.root, "agentws.toml")
    before = manifest.read_text()
    manifest.write_text(before + "\n[compaction]\narchive = false\n")
    stayed = Workspace.open(full.root, environment=environment)
    assert [to for _, to in stayed.memory.compact(agreed=True).days] == ["", "", ""]
    text = memory(full)
    manifest.write_text(before)

    wanted = Workspace.open(full.root, environment=environment).memory.compact(dry_run=True)
    told = list(compact.compacted_lines(wanted, explain=False))
    assert "3 days compacted earlier would be moved to memory/archive/ too (compaction.archive)." in told
    assert told[-1] == f"memory/{OLD.format(3)}.md → memory/archive/2026/{OLD.format(3)}.md"
    done = Workspace.open(full.root, environment=environment).memory.compact()

    assert (done.days, memory(full)) == ([], text)
    assert [to for _, to in done.moved] == [f"memory/archive/2026/{OLD.format(day)}.md" for day in DAYS]
    for day, raw in DAYS.items():
        assert Path(full.root, f"memory/archive/2026/{OLD.format(day)}.md").read_text() == raw
    again = Workspace.open(full.root, environment=environment)
    assert again.memory.compact().changes.changes == ()
    assert again.memory.verify().faults == []
    again.memory.undo()
    assert Path(full.root, f"memory/{OLD.format(1)}.md").read_text() == DAYS[1]
    assert memory(full) == text


def test_a_budget_and_a_tokenizer_have_no_effect_and_it_is_said(full: Workspace) -> None:
    done = full.memory.compact(budget=1, tokenizer="bytes", dry_run=True)

    assert len(done.new) == 2
    assert [notice.partition(" ")[0] for notice in done.notices] == ["--budget", "--tokenizer"]


def test_what_compaction_archives_is_found_by_search(full: Workspace) -> None:
    full.memory.compact()

    hits = full.search("Lisbon").hits

    assert [hit.path for hit in hits if "export until 15 October" in hit.text] == [
        f"memory/archive/2026/{OLD.format(2)}.md"
    ]
