"""`doctor`: what is wrong here or soon will be, each with what would help; and what `--fix` puts right."""

from __future__ import annotations

import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.disk.inspect import scan
from agentws.core.findings import ADVICE, PROBLEM, WARNING, Finding
from agentws.core.hosts import block
from agentws.core.installation import installation
from agentws.errors import DiskError
from agentws.features.doctor.apply import Examined
from agentws.workspace import Environment, Workspace

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
LONG_AGO = (datetime(2020, 1, 1, tzinfo=UTC).timestamp(),) * 2
OF_THE_MACHINE = ("memory-folder", "shared-folder", "readable")
"""Advice that depends on where the tests run."""
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def named(done: Examined, name: str) -> list[Finding]:
    return [one for one in done.findings if one.name == name]


def one(done: Examined, name: str) -> Finding:
    found = named(done, name)
    assert len(found) == 1, [(each.name, each.where, each.says) for each in done.findings]
    assert found[0].remedy
    return found[0]


def of_the_workspace(done: Examined) -> list[str]:
    return [each.name for each in done.findings if each.name not in OF_THE_MACHINE]


def put(workspace: Workspace, path: str, text: str | bytes) -> Path:
    target = Path(workspace.root) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)
    return target


def again(workspace: Workspace, **changes: object) -> Workspace:
    """The workspace opened anew, as the next command would."""
    known = workspace.stores.environment
    environment = Environment(now=known.now, timezone=known.timezone, state=known.state)
    for name, value in changes.items():
        setattr(environment, name, value)
    return Workspace.open(workspace.root, environment=environment)


@pytest.fixture
def lived(tmp_path: Path) -> Workspace:
    """A workspace in which something has happened: it has a writer, events and a log."""
    environment = Environment(now=NOW, timezone="UTC", state=(str(tmp_path / "state"), None))
    made = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
    made.log("woke up")
    made.event("note", "looked around")
    made.journal.seal()
    return made


# A workspace with which all is well


@pytest.mark.parametrize("git", [True, False])
@pytest.mark.parametrize("template", ["default", "assistant", "coder"])
def test_a_new_workspace_has_nothing_but_advice(
    tmp_path: Path, environment: Environment, template: str, git: bool
) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment, template=template, git=git)

    done = made.doctor()

    assert done.well
    assert {each.severity for each in done.findings} <= {ADVICE}
    assert of_the_workspace(done) == ["no-remote" if git else "no-history"]


def test_a_workspace_that_was_used_has_nothing_but_advice(lived: Workspace) -> None:
    done = again(lived).doctor()

    assert of_the_workspace(done) == ["no-history"]


def test_looking_changes_nothing(lived: Workspace) -> None:
    put(lived, "memory/2026-11-18.sync-conflict-20261119-101112-ABCDEFG.md", "- a copy\n")
    before = {path: path.lstat().st_mtime_ns for path in Path(lived.root).rglob("*")}

    lived.doctor()
    lived.doctor(fix=True, dry_run=True)

    assert {path: path.lstat().st_mtime_ns for path in Path(lived.root).rglob("*")} == before


def test_the_worst_comes_first(workspace: Workspace) -> None:
    put(workspace, "SOUL.md", f"my key is {TOKEN}\n")
    Path(workspace.root).chmod(0o777)

    severities = [each.severity for each in workspace.doctor().findings]

    assert severities == sorted(severities, key=[PROBLEM, WARNING, ADVICE].index)
    assert PROBLEM in severities
    assert WARNING in severities


# Documents


def test_a_secret_is_named_by_its_place_and_kind_and_never_shown(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-19.md", f"# Day\n\n- the token is {TOKEN}\n")

    found = one(workspace.doctor(), "secret")

    assert (found.severity, found.where) == (WARNING, "memory/2026-11-19.md:3")
    assert "github" in found.says
    assert TOKEN not in found.says + found.remedy


def test_secrets_that_somebody_has_looked_at_are_advice(workspace: Workspace) -> None:
    put(workspace, "notes.md", f"an example: {TOKEN}\n")
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(manifest.read_text().replace("[history]", '[history]\ninclude = ["notes.md"]'))

    done = again(workspace).doctor()

    assert not named(done, "secret")
    assert one(done, "secret-included").severity == ADVICE


def test_many_secrets_are_counted(workspace: Workspace) -> None:
    put(workspace, "notes.md", f"a token {TOKEN}\n" * 50)

    found = named(workspace.doctor(), "secret")

    assert len(found) == 21
    assert found[-1].says.startswith("30 more lines")


def test_front_matter_that_cannot_be_read_is_named_with_its_line(workspace: Workspace) -> None:
    put(workspace, "tasks/a.md", "---\nstatus: active\na: [\n---\n")
    put(workspace, "handoffs/fine.md", "---\nsession: x\nat: 2026-11-20T07:00:00+00:00\n---\n- go on\n")

    found = one(workspace.doctor(), "front-matter")

    assert found.path == "tasks/a.md"
    assert found.line > 0


def test_a_task_that_nothing_reads_for_its_name_is_advice(workspace: Workspace) -> None:
    put(workspace, "tasks/mend the roof.txt", "# Roof\n")

    found = one(workspace.doctor(), "unread-file")

    assert found.severity == ADVICE
    assert "mv 'tasks/mend the roof.txt' 'tasks/mend the roof.md'" in found.remedy


@pytest.mark.parametrize("name", ["2026-11-31.md", "2026-11-19 swans.md"])
def test_a_file_that_looks_like_a_daily_log_and_is_read_as_none_is_advice(workspace: Workspace, name: str) -> None:
    put(workspace, f"memory/{name}", "- the swans\n")

    assert one(workspace.doctor(), "unread-file").path == f"memory/{name}"


def test_documents_in_folders_below_are_looked_at(workspace: Workspace) -> None:
    put(workspace, "memory/state/now.md", f"- {TOKEN}\n")

    assert one(workspace.doctor(), "secret").path == "memory/state/now.md"


def test_a_document_in_another_encoding_is_named(workspace: Workspace) -> None:
    put(workspace, "USER.md", "# User\n".encode("utf-16"))
    put(workspace, "notes.md", "\ufeff# Notes\r\n\r\n- a BOM and line ends of Windows do no harm\r\n")

    assert one(workspace.doctor(), "encoding").where == "USER.md:1"


def test_a_link_or_fifo_in_the_place_of_a_document_is_named_and_never_opened(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text(f"- {TOKEN}\n")
    (Path(workspace.root) / "tasks").mkdir()
    (Path(workspace.root) / "tasks/link.md").symlink_to(tmp_path / "outside.md")
    os.mkfifo(Path(workspace.root) / "handoffs.md")
    (Path(workspace.root) / "contexts").symlink_to(tmp_path)

    done = workspace.doctor()

    assert {each.path for each in named(done, "unsafe-file")} == {"tasks/link.md", "handoffs.md", "contexts"}
    assert not named(done, "secret")


def test_a_damaged_manifest_is_a_problem(workspace: Workspace) -> None:
    put(workspace, "agentws.toml", "format = [\n")

    assert one(again(workspace).doctor(), "manifest").severity == PROBLEM


def test_files_that_the_manifest_names_and_that_are_not_there(workspace: Workspace) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    text = manifest.read_text()
    head, _, rest = text.partition("[boot]")
    pinned = 'pinned = ["GONE.md", "SOUL.md"]'
    manifest.write_text(f"{head}[boot]\n{pinned}\n{rest}" if rest else f"{text}\n[boot]\n{pinned}\n")

    found = one(again(workspace).doctor(), "named-file")

    assert "GONE.md" in found.says


def test_a_memory_that_no_boot_can_show_whole_has_its_size(workspace: Workspace) -> None:
    put(
        workspace,
        "MEMORY.md",
        "# Memory\n\n" + "".join(f"- fact {n}: heron number {n} likes pond {n}\n" for n in range(1500)),
    )

    found = one(workspace.doctor(), "memory-large")

    assert (found.severity, found.path) == (WARNING, "MEMORY.md")
    assert re.fullmatch(r"its \d\d,\d{3} tokens do not fit into a boot of 8,000", found.says)


def test_a_long_paragraph_in_a_small_file_is_no_finding(workspace: Workspace) -> None:
    words = " ".join(f"reed{n}" for n in range(400))
    put(workspace, "MEMORY.md", f"# Memory\n\n- {words}\n\n{words}\n")
    put(workspace, "SOUL.md", f"# Soul\n\n{words}\n")

    assert not [found for found in workspace.doctor().findings if found.name in ("memory-large", "file-large")]


def test_a_file_that_boot_reads_in_part_is_one_finding_in_status_and_doctor(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n" + "- a heron on the pond\n" * 7_000)

    examined, found = workspace.doctor(), workspace.status()

    for findings in (examined.findings, found.findings):
        assert [each.says.partition(":")[0] for each in findings if "too large" in each.says] == [
            "too large to be read completely"
        ]
    assert not [each for each in examined.findings if each.name == "memory-large"]


def test_an_identity_that_takes_most_of_each_boot_is_advice(workspace: Workspace) -> None:
    put(workspace, "SOUL.md", "# Soul\n\n" + "".join(f"- principle {n}: be kind to heron {n}\n" for n in range(330)))

    found = one(workspace.doctor(), "file-large")

    assert (found.severity, found.path) == (ADVICE, "SOUL.md")


def test_instructions_to_read_what_boot_shows_are_told_with_their_line(workspace: Workspace) -> None:
    put(
        workspace,
        "AGENTS.md",
        "# Work\n\nBefore anything else:\n1. Read `SOUL.md`\n2. Read `memory/YYYY-MM-DD.md` (the newest)\n",
    )

    found = one(workspace.doctor(), "read-again")

    assert (found.severity, found.where) == (ADVICE, "AGENTS.md:4")
    assert "SOUL.md" in found.says
    assert "daily logs" in found.says


def test_instructions_that_say_it_is_done_are_left_alone(workspace: Workspace) -> None:
    put(workspace, "AGENTS.md", "Run `agentws boot`: it replaces reading these one by one.\n\n1. Read SOUL.md\n")

    assert not named(workspace.doctor(), "read-again")


# What is loaded twice


def test_a_memory_that_the_host_imports_is_told(workspace: Workspace) -> None:
    put(workspace, "CLAUDE.md", "@AGENTS.md\n\n@MEMORY.md\n")

    found = one(workspace.doctor(), "double-loading")

    assert found.where == "CLAUDE.md:3"
    assert "MEMORY.md" in found.says
    assert "--for claude-code" in found.says


def test_an_import_that_boot_cannot_know_of_is_a_warning(workspace: Workspace) -> None:
    put(workspace, "CLAUDE.md", f"@{workspace.root}/USER.md\n")

    assert one(workspace.doctor(), "double-loading").severity == WARNING


def test_a_file_that_its_host_cuts_is_told(workspace: Workspace) -> None:
    put(workspace, "HEARTBEAT.md", "# Heartbeat\n")
    put(workspace, "USER.md", "# User\n" + "- likes herons\n" * 400)

    assert one(workspace.doctor(), "host-cuts").path == "USER.md"


def test_imports_of_the_instructions_alone_are_as_it_should_be(workspace: Workspace) -> None:
    put(workspace, "CLAUDE.md", "@AGENTS.md\n")

    done = workspace.doctor()

    assert not named(done, "double-loading")
    assert not named(done, "host-cuts")


def test_what_an_import_imports_is_told_too(workspace: Workspace) -> None:
    put(workspace, "CLAUDE.md", "@AGENTS.md\n@extra.md\n")
    put(workspace, "extra.md", "See @memory/2026-11-19.md for more.\n")
    put(workspace, "memory/2026-11-19.md", "- a day\n")

    found = one(workspace.doctor(), "double-loading")

    assert (found.path, found.line) == ("CLAUDE.md", 0)
    assert "memory/2026-11-19.md" in found.says


# Handoffs


def note(workspace: Workspace, name: str, at: datetime) -> None:
    put(workspace, f"handoffs/{name}.md", f"---\nsession: {name}\nat: {at.isoformat()}\nstatus: open\n---\n- go on\n")


def test_a_handoff_that_nobody_took_over_for_days_is_named(workspace: Workspace) -> None:
    note(workspace, "2026-11-10-old", NOW - timedelta(days=10))

    found = one(workspace.doctor(), "handoff-unread")

    assert (found.severity, found.path) == (WARNING, "handoffs/2026-11-10-old.md")
    assert found.says == "written 10 days ago and not picked up"


def test_the_age_of_a_handoff_is_counted_in_days_as_boot_does(workspace: Workspace) -> None:
    note(workspace, "2026-11-10-old", (NOW - timedelta(days=10)).replace(hour=23))

    assert "10 days ago" in workspace.boot().text
    assert one(workspace.doctor(), "handoff-unread").says == "written 10 days ago and not picked up"


def test_a_name_in_a_remedy_does_nothing_to_the_shell_it_is_pasted_into(workspace: Workspace) -> None:
    note(workspace, "2026-11-10-$(touch x); y", NOW - timedelta(days=10))

    remedy = one(workspace.doctor(), "handoff-unread").remedy

    assert remedy.startswith("agentws handoff show '2026-11-10-$(touch x); y', then: ")


def test_a_fresh_handoff_is_no_finding(workspace: Workspace) -> None:
    note(workspace, "2026-11-20-new", NOW - timedelta(hours=3))

    assert workspace.doctor().well
    assert not [each for each in workspace.doctor().findings if each.name.startswith("handoff")]


def test_more_open_handoffs_than_boot_shows_are_a_warning(workspace: Workspace) -> None:
    for number in range(4):
        note(workspace, f"2026-11-20-{number}", NOW - timedelta(hours=number))

    assert one(workspace.doctor(), "handoffs-open").severity == WARNING


def test_a_session_that_broke_off_waits_to_be_taken_over(lived: Workspace) -> None:
    gone = os.fork()
    if not gone:
        os._exit(0)
    started = lived.session.start("a long job", process=gone)
    os.waitpid(gone, 0)
    lived.event("decision", "use SQLite", session=started.session)

    found = one(again(lived).doctor(), "handoff-derived")

    assert started.session in found.says
    assert f"agentws handoff show {started.session}" in found.remedy


def test_a_session_that_runs_is_no_finding(lived: Workspace) -> None:
    started = lived.session.start("a long job", process=os.getpid())
    lived.event("decision", "use SQLite", session=started.session)

    assert not named(again(lived).doctor(), "handoff-derived")


def test_a_session_that_went_quiet_is_advice(lived: Workspace) -> None:
    started = lived.session.start("a long job", process=os.getpid(), daemon=True)
    lived.event("decision", "use SQLite", session=started.session)
    later = NOW + timedelta(hours=2)

    found = one(again(lived, now=later).doctor(), "handoff-derived")

    assert (found.severity, "went quiet" in found.says) == (ADVICE, True)


def test_a_session_of_which_nobody_can_tell_is_advice_but_not_to_itself(lived: Workspace) -> None:
    started = lived.session.start("a long job")
    lived.event("decision", "use SQLite", session=started.session)

    assert one(again(lived).doctor(), "handoff-derived").severity == ADVICE
    assert not named(again(lived, session=started.session).doctor(), "handoff-derived")


# What is kept


def test_a_history_that_fails_is_a_problem(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    put(made, ".agentws/history-failure", "2026-11-19T07:00:00+00:00: git is locked.\n")

    found = one(made.doctor(), "history-failing")

    assert found.severity == PROBLEM
    assert "git is locked" in found.says


def test_a_machine_without_git_cannot_keep_the_history_that_is_wanted(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "git is not usable here" in one(made.doctor(), "history-failing").says


def test_a_repository_that_git_cannot_read_is_a_problem(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    (Path(made.root) / ".git/HEAD").write_text("nonsense\n")

    assert one(made.doctor(), "history-failing").severity == PROBLEM


def test_fix_records_the_history_that_had_failed(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    put(made, ".agentws/history-failure", "2026-11-19T07:00:00+00:00: git was locked.\n")

    done = made.doctor(fix=True)

    assert [each.name for each in done.mended] == ["history-failing"]
    assert not made.stores.history_failure()


def test_an_old_lock_of_git_is_named_and_never_removed(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    lock = put(made, ".git/index.lock", "")
    os.utime(lock, LONG_AGO)

    found = one(made.doctor(fix=True), "git-locked")

    assert found.path == str(lock)
    assert lock.exists()


def test_a_lock_of_git_at_work_is_no_finding(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    put(made, ".git/index.lock", "")

    assert not named(made.doctor(), "git-locked")


def test_a_repository_of_ours_that_is_gone_is_no_matter_of_taste(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    shutil.rmtree(tmp_path / "a/.git")

    opened = Workspace.open(made.root, environment=environment)
    assert one(opened.doctor(), "repository-gone").severity == WARNING
    assert not opened.status().well
    opened.config.set("history.commits", "off")
    assert named(opened.doctor(), "repository-gone") == []


def test_a_repository_with_a_remote_needs_no_advice(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    config = Path(made.root) / ".git/config"
    config.write_text(config.read_text() + '[remote "origin"]\n\turl = ssh://example.org/robin\n')

    assert of_the_workspace(made.doctor()) == []


def test_an_interrupted_change_is_named_and_fix_finishes_it(workspace: Workspace) -> None:
    (Path(workspace.root) / ".agentws/undo/000099.pending").mkdir(parents=True)
    assert one(workspace.doctor(), "interrupted").severity == WARNING

    done = workspace.doctor(fix=True)

    assert [each.name for each in done.mended] == ["interrupted"]
    assert done.well


def journal_of(workspace: Workspace) -> Path:
    return next(Path(workspace.root).glob("journal/*/000001.jsonl"))


def test_a_disk_that_failed_to_keep_an_event_is_a_problem(lived: Workspace) -> None:
    put(lived, f".agentws/{journal_of(lived).parent.name}.poison", "{}\n")

    assert one(again(lived).doctor(), "journal-poisoned").severity == PROBLEM


def test_damage_inside_the_journal_is_named_with_its_line(lived: Workspace) -> None:
    path = journal_of(lived)
    path.write_bytes(path.read_bytes().replace(b"looked around", b"looked a-way!", 1))

    found = one(again(lived).doctor(), "journal-damaged")

    assert found.severity == PROBLEM
    assert (found.path, found.line) == (str(path.relative_to(lived.root)), 2)


def test_seals_that_fail_are_a_problem(lived: Workspace) -> None:
    put(lived, ".agentws/seal-failure", "2026-11-19: ssh-keygen failed\n")

    assert one(again(lived).doctor(), "seal-failing").severity == PROBLEM


def test_what_was_quarantined_is_told(workspace: Workspace) -> None:
    put(workspace, ".agentws/quarantine/2026-11-19.md.1", "- half a li")

    assert one(workspace.doctor(), "quarantine").severity == ADVICE


# The clock


def test_a_log_of_a_day_to_come_is_a_warning(workspace: Workspace) -> None:
    put(workspace, "memory/2026-12-24.md", "- presents\n")

    found = one(workspace.doctor(), "clock")

    assert (found.severity, found.path) == (WARNING, "memory/2026-12-24.md")


def test_tomorrow_is_no_finding(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-21.md", "- it is tomorrow elsewhere\n")

    assert not named(workspace.doctor(), "clock")


def test_a_clock_before_the_newest_event_is_a_warning(lived: Workspace) -> None:
    found = named(again(lived, now=NOW - timedelta(hours=2)).doctor(), "clock")

    assert [each.path for each in found] == ["journal"]
    assert not named(again(lived, now=NOW + timedelta(hours=2)).doctor(), "clock")


def test_a_clock_before_the_workspace_was_made_is_a_warning(workspace: Workspace) -> None:
    found = named(again(workspace, now=NOW - timedelta(days=400)).doctor(), "clock")

    assert [each.path for each in found] == ["agentws.toml"]


def test_a_time_zone_that_nobody_knows_is_a_warning(workspace: Workspace) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(manifest.read_text().replace('"UTC"', '"Mars/Olympus"'))

    assert one(again(workspace).doctor(), "time-zone").severity == WARNING


def test_a_machine_in_another_zone_is_advice(workspace: Workspace) -> None:
    assert one(again(workspace, timezone="Asia/Tokyo").doctor(), "time-zone").severity == ADVICE


# The place


def test_a_folder_that_everybody_may_write_is_closed_by_fix(workspace: Workspace) -> None:
    root = Path(workspace.root)
    root.chmod(0o777)
    (root / "memory").chmod(0o777)
    (root / "SOUL.md").chmod(0o666)
    assert {each.severity for each in named(workspace.doctor(), "world-writable")} == {PROBLEM}

    done = workspace.doctor(fix=True)

    assert done.well
    assert {each.name for each in done.mended} == {"world-writable"}
    assert [path.stat().st_mode & 0o777 for path in (root, root / "memory", root / "SOUL.md")] == [0o775, 0o775, 0o664]


def test_a_key_that_others_may_read_is_closed_by_fix(lived: Workspace) -> None:
    here = installation.find(lived.stores.files, lived.stores.manifest.agent_id, lived.stores.environment.state)
    assert here is not None
    key = Path(here.folder) / "key"
    key.chmod(0o644)
    Path(here.folder).chmod(0o755)
    assert {each.path for each in named(again(lived).doctor(), "private-open")} == {here.folder, str(key)}

    done = again(lived).doctor(fix=True)

    assert len(done.mended) == 2
    assert (key.stat().st_mode & 0o777, Path(here.folder).stat().st_mode & 0o777) == (0o600, 0o700)


def test_dry_run_mends_nothing_and_says_what_it_would(workspace: Workspace) -> None:
    Path(workspace.root).chmod(0o777)

    done = workspace.doctor(fix=True, dry_run=True)

    assert [each.name for each in done.mendable if each.needs_you] == ["world-writable"]
    assert not done.mended
    assert Path(workspace.root).stat().st_mode & 0o777 == 0o777


@pytest.mark.parametrize(
    ("original", "copy"),
    [
        ("MEMORY.md", "MEMORY.sync-conflict-20261119-101112-ABCDEFG.md"),
        ("memory/2026-11-19.md", "memory/2026-11-19 (Ada's conflicted copy 2026-11-19).md"),
        ("tasks/roof.md", "tasks/roof (conflicted copy 2026-11-19 101112).md"),
        ("SOUL.md", "SOUL.md.orig"),
        ("SOUL.md", "SOUL.md.edited-meanwhile-1"),
    ],
)
def test_a_conflict_copy_is_named_with_its_original(workspace: Workspace, original: str, copy: str) -> None:
    put(workspace, original, "# One\n")
    put(workspace, copy, "# Other\n")

    found = one(workspace.doctor(fix=True), "conflict-copy")

    assert (found.severity, found.path) == (WARNING, copy)
    assert original in found.says
    assert (Path(workspace.root) / copy).exists(), "what a person may have written is never removed"


def test_names_that_only_look_alike_are_no_conflict_copies(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-19-conflict-with-bob.md", "- we made up\n")
    put(workspace, "Notes (draft).md", "- a draft\n")

    assert not named(workspace.doctor(), "conflict-copy")


@pytest.mark.parametrize(("mark", "program"), [(".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox")])
def test_a_folder_that_is_synchronised_is_told(workspace: Workspace, mark: str, program: str) -> None:
    assert not named(workspace.doctor(), "synced-folder")

    (Path(workspace.root).parent / mark).mkdir()

    assert program in one(workspace.doctor(), "synced-folder").says


def test_what_killed_processes_left_is_cleared_by_fix_and_nothing_else(lived: Workspace) -> None:
    here = installation.find(lived.stores.files, lived.stores.manifest.agent_id, lived.stores.environment.state)
    assert here is not None
    making = Path(here.folder) / ".making-abc"
    making.mkdir()
    (making / "key").write_text("half a key")
    staged, fresh = put(lived, "memory/.2026-11-19.md.agentws-new", "x"), put(lived, ".SOUL.md.agentws-new", "y")
    kept = put(lived, ".USER.md.agentws-old", "an edit")
    for path in (making, staged, kept):
        os.utime(path, LONG_AGO)
    half_an_hour_ago = fresh.stat().st_mtime - 1800
    os.utime(fresh, (half_an_hour_ago, half_an_hour_ago))

    done = again(lived).doctor(fix=True)

    assert [each.name for each in done.mended] == ["leftover", "leftover"]
    assert not making.exists()
    assert not staged.exists()
    assert fresh.exists(), "somebody may be writing it"
    assert kept.read_text() == "an edit"
    assert one(done, "kept-aside").path == ".USER.md.agentws-old"


def test_a_wanting_gitignore_of_this_machines_folder_is_put_back(workspace: Workspace) -> None:
    ignore = Path(workspace.root) / ".agentws/.gitignore"
    ignore.unlink()
    assert one(workspace.doctor(), "local-ignore").severity == WARNING

    done = workspace.doctor(fix=True)

    assert [each.name for each in done.mended] == ["local-ignore"]
    assert ignore.read_text() == "*\n"


def test_documents_that_fix_writes_are_taken_back_by_undo(tmp_path: Path, environment: Environment) -> None:
    made = Workspace.init(str(tmp_path / "a"), environment=environment)
    root = Path(made.root)
    before = {name: (root / name).read_bytes() for name in (".gitignore", "memory/.gitattributes")}
    for name in before:
        (root / name).unlink()

    done = made.doctor(fix=True)

    assert {each.name for each in done.mended} == {"git-ignore", "git-attributes"}
    assert {name: (root / name).read_bytes() for name in before} == before
    assert set(again(made).undo().paths) == set(before)
    assert not any((root / name).exists() for name in before)


def test_a_folder_that_was_never_adopted_is_looked_at_too(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "SOUL.md").write_text(f"- {TOKEN}\n")

    done = Workspace.open(str(tmp_path), environment=environment).doctor(fix=True)

    assert {each.name for each in done.findings} >= {"not-adopted", "secret"}
    assert [path.name for path in tmp_path.iterdir()] == ["SOUL.md"]


def test_a_subject_that_cannot_be_looked_at_is_a_finding_and_the_others_are_looked_at(workspace: Workspace) -> None:
    put(workspace, "SOUL.md", f"- {TOKEN}\n")
    (Path(workspace.root) / "journal").symlink_to("/nowhere")

    done = workspace.doctor()

    assert named(done, "secret")
    assert {each.path for each in named(done, "unsafe-file")} == {"journal"}


def test_instructions_with_our_block_are_left_alone(workspace: Workspace) -> None:
    orders = "# Work\n\n1. Read SOUL.md\n"
    put(workspace, "AGENTS.md", block.with_block(orders, "agents-md", "The files are read already.\n"))

    assert not named(workspace.doctor(), "read-again")


# A workspace that means harm


def test_more_files_than_one_look_is_worth_are_said(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_MOST_ENTRIES", 60)
    for number in range(200):
        put(workspace, f"memory/note-{number}.md", "- a note\n")
    put(workspace, "tasks/a.md", "---\na: [\n---\n")

    done = workspace.doctor()

    assert any("Too many files" in notice for notice in done.notices)
    assert named(done, "front-matter"), "the small folders come first"


def test_a_sparse_file_of_ten_gigabytes_is_read_to_a_bound(workspace: Workspace) -> None:
    for path in ("MEMORY.md", "memory/2026-11-19.md", ".claude/settings.json", "AGENTS.md"):
        os.truncate(put(workspace, path, "# x\n"), 10 << 30)

    done = workspace.doctor()

    assert {each.path for each in named(done, "encoding")} == {"MEMORY.md", "memory/2026-11-19.md", "AGENTS.md"}


def test_fix_follows_no_link_that_was_put_in_the_way(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".x.md.agentws-new").write_text("theirs")
    os.utime(outside / ".x.md.agentws-new", LONG_AGO)
    (Path(workspace.root) / "tasks").symlink_to(outside)
    (Path(workspace.root) / ".USER.md.agentws-new").symlink_to(outside / ".x.md.agentws-new")
    os.utime(Path(workspace.root) / ".USER.md.agentws-new", LONG_AGO, follow_symlinks=False)
    outside.chmod(0o777)

    workspace.doctor(fix=True)

    assert (outside / ".x.md.agentws-new").read_text() == "theirs"
    assert outside.stat().st_mode & 0o777 == 0o777


def test_a_mend_that_fails_is_said_and_its_finding_stays(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (".A.md.agentws-new", ".B.md.agentws-new"):
        os.utime(put(workspace, name, "x"), LONG_AGO)
    real = scan.clear_temp_file

    def fails_once(files: Files, base: str, path: str) -> None:
        if path.startswith(".B"):
            raise DiskError("the disk says no")
        real(files, base, path)

    monkeypatch.setattr(scan, "clear_temp_file", fails_once)

    done = workspace.doctor(fix=True)

    assert done.mended == []
    assert one(done, "leftover").path == ".B.md.agentws-new"
    assert any("the disk says no" in notice for notice in done.notices)


def test_names_that_could_do_something_to_a_terminal_stay_words(workspace: Workspace) -> None:
    put(workspace, "memory/\x1b]0;owned\x07.sync-conflict-20261119-101112-ABCDEFG.md", "- x\n")

    found = one(workspace.doctor(), "conflict-copy")

    assert "\x1b" in found.path, "the printing door makes it inert; the value is true"


def test_an_archive_that_is_not_as_it_was_is_found(tmp_path: Path) -> None:
    robin = Workspace.init(f"{tmp_path}/robin", git=False)
    for day in ("2026-01-02", "2026-01-03"):
        (tmp_path / f"robin/memory/{day}.md").write_text(f"# {day}\n\n- Kim oiled the gate of the orchard\n")
    robin.memory.compact(agreed=True)
    first, newest = sorted((tmp_path / "robin/memory/archive/2026").glob("*.md"))

    assert not named(robin.doctor(), "archive-damaged")
    newest.write_text(newest.read_text().replace("Kim", "Tom"))  # of the same size
    assert one(robin.doctor(), "archive-damaged").path == "memory/archive/2026/2026-01-03.md"
    first.unlink()
    found = one(robin.doctor(), "archive-damaged")
    assert found.severity == PROBLEM
    assert "2026-01-02.md" in found.says
