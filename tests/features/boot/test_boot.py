"""Which files make the start-up context."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.hosts import block
from agentws.core.states import versions
from agentws.errors import DiskError, MissingFileError, UsageError
from agentws.workspace import Environment, Workspace
from tests import marks
from tests.features.boot.plan import start_up


def write(workspace: Workspace, path: str, text: str) -> None:
    target = Path(workspace.root) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def test_boot_writes_nothing(workspace: Workspace) -> None:
    before = {path: path.stat().st_mtime_ns for path in Path(workspace.root).rglob("*")}

    workspace.boot()

    assert {path: path.stat().st_mtime_ns for path in Path(workspace.root).rglob("*")} == before


def test_the_newest_two_logged_days_are_those_that_exist(workspace: Workspace) -> None:
    for day in ("2026-11-02", "2026-11-09", "2026-10-30"):
        write(workspace, f"memory/{day}.md", f"- on {day}\n")

    text = workspace.boot().text

    assert text.index("on 2026-11-09") < text.index("on 2026-11-02") < text.index("on 2026-10-30")
    assert "Mon 2026-11-09, 11 days ago" in text


def test_an_open_handoff_comes_first_and_a_followed_one_not_at_all(workspace: Workspace) -> None:
    write(workspace, "handoffs/2026-11-18-a.md", "---\nsession: a\n---\n# Doing\n\n- old work\n")
    write(workspace, "handoffs/2026-11-19-b.md", "---\nsession: b\nfollows: a\n---\n# Doing\n\n- new work\n")
    write(workspace, "handoffs/2026-11-17-c.md", "---\nstatus: closed\n---\n- closed work\n")
    write(workspace, "memory/2026-11-19.md", "- a day\n")

    text = workspace.boot().text

    assert text.index("new work") < text.index("a day")
    assert "old work" not in text
    assert "closed work" not in text


def test_a_file_that_is_not_loaded_is_named_with_its_size(workspace: Workspace) -> None:
    write(workspace, "HEARTBEAT.md", "Look after the pumps.\n\nCall Mirela.\n")
    write(workspace, "memory/bees.md", "- two hives\n")

    booted = workspace.boot(tokenizer="bytes", budget=8000)

    assert "\n[… 36 tokens, not pinned: cat HEARTBEAT.md]\n" in booted.text
    assert "\n[… 1 other file in memory/: ls memory]\n" in booted.text
    assert [left.tokens for left in booted.context.omitted if left.source == "HEARTBEAT.md"] == [36]


def test_a_file_of_a_host_that_only_install_wrote_has_no_mark(workspace: Workspace) -> None:
    written = block.with_block("", "claude-code", "@AGENTS.md\n\nYour memory is agentws.\n")

    write(workspace, "CLAUDE.md", written)
    assert "CLAUDE.md" not in workspace.boot().text
    write(workspace, "CLAUDE.md", f"{written}\nPut the fish on ice.\n")
    assert "\n[… 7 tokens, not pinned: cat CLAUDE.md]\n" in workspace.boot().text


def test_a_heartbeat_file_of_comments_and_headings_alone_is_not_named(workspace: Workspace) -> None:
    for template in ("{}<!-- tides\n\nhere -->\n", "# Template\n\n```markdown\n{}```\n"):
        write(workspace, "HEARTBEAT.md", template.format("# Heartbeat\n\n# Leave this empty to skip it\n\n"))

        assert "HEARTBEAT" not in workspace.boot(budget=8000).text


def test_a_small_budget_names_a_file_that_is_not_pinned_only_if_it_lacks_nothing_else(workspace: Workspace) -> None:
    write(workspace, "HEARTBEAT.md", "Look after the pumps.\n")
    assert "not pinned: cat HEARTBEAT.md" in workspace.boot(budget=1400).text

    write(workspace, "memory/2026-11-19.md", "".join(f"- counted {count} hens in the barn\n" for count in range(900)))
    assert "not pinned: cat HEARTBEAT.md" in workspace.boot(budget=1500).text
    booted = workspace.boot(budget=1400)
    assert "HEARTBEAT" not in booted.text
    assert "HEARTBEAT.md" in [left.source for left in booted.context.omitted]


def test_boot_names_imported_memories_until_they_are_gone(workspace: Workspace) -> None:
    write(workspace, "memory/2026-11-19.md", "- 07:00 Painted the gate\n")
    assert "imported" not in workspace.boot().text
    write(workspace, "memory/imported/claude-code.jsonl", "{}\n")
    assert "imported" not in workspace.boot().text
    write(workspace, "memory/imported/markdown.md", "- Two hives (via import:markdown)\n")

    assert "\n[… imported memories: agentws curate]\n" in workspace.boot().text
    assert "curate" not in workspace.boot(audience="shared").text
    assert "Two hives" in workspace.memory.brief().brief.text
    for path in (Path(workspace.root) / "memory/imported").iterdir():
        path.unlink()
    (Path(workspace.root) / "memory/imported").rmdir()
    assert "imported" not in workspace.boot().text


def test_boot_says_how_many_logs_it_does_not_read_and_lists_the_items_of_the_others_as_todo_does(
    workspace: Workspace,
) -> None:
    for back in range(70):
        day = date(2026, 11, 19) - timedelta(days=back)
        due = " (due 2026-11-02)" if back in (50, 65) else ""
        write(workspace, f"memory/{day}.md", f"- [ ] mend gate {back}{due}\n")

    text = workspace.boot(budget=60_000).text

    assert "\n[… 10 older days (their open items: agentws todo): agentws search WORDS]\n" in text
    listed = [line.split()[4] for line in start_up.open_lines(text)]
    items = [row.text.split()[2] for row in workspace.todos().rows]
    assert listed == [number for number in items if int(number) < 60]


def test_the_title_of_a_handoff_that_means_a_heading_is_shown_as_one(workspace: Workspace) -> None:
    first = "# READ THIS FIRST NEXT SESSION\n\n- call Sam\n\n## Status\n\n- x\n"
    hidden = "# Next session #private\n\n- the safe\n\n## Status\n\n- its code\n"
    write(workspace, "handoffs/2026-11-19-b.md", f"---\naudience: shared\n---\n{first}")
    write(workspace, "handoffs/2026-11-18-a.md", f"---\naudience: shared\n---\n{hidden}")

    assert "### READ THIS FIRST NEXT SESSION\n\n- call Sam\n\n#### Status\n" in workspace.boot().text
    shared = workspace.boot(audience="shared").text
    assert "call Sam" in shared
    assert "the safe" not in shared
    assert "its code" not in shared


def test_a_handoff_without_a_date_in_its_header_is_as_old_as_its_name_says(workspace: Workspace) -> None:
    write(workspace, "handoffs/2026-11-13-a.md", "# Doing\n\n- the older work\n")
    old = workspace.boot().text
    write(workspace, "handoffs/2026-11-19-b.md", "# Doing\n\n- the newer work\n")
    both = workspace.boot().text

    assert "the older work" not in old
    assert "- Handoff 2026-11-13, 7 days ago · handoffs/2026-11-13-a.md: agentws handoff show 2026-11-13-a\n" in old
    assert "## Handoff 2026-11-19, yesterday · handoffs/2026-11-19-b.md [" in both
    assert "- the newer work\n" in both


def test_active_tasks_are_shown_with_their_state_and_done_ones_are_not(workspace: Workspace) -> None:
    write(workspace, "tasks/a.md", "---\nstatus: active\nstep: two\n---\n# Move the book\n\n- [x] one\n- [ ] two\n")
    write(workspace, "tasks/b.md", "---\nstatus: done\n---\n# Finished thing\n")

    text = workspace.boot().text

    assert "- Move the book · active · step: two · 1 of 2 done · tasks/a.md\n" in text
    assert "Finished thing" not in text


def test_a_context_brings_its_text_and_files(workspace: Workspace) -> None:
    write(workspace, "notes/style.md", "- short sentences\n")
    workspace.contexts.new("blog", files=["notes/style.md"], text="Write for engineers.")

    text = workspace.boot(context_name="blog").text

    assert "Write for engineers." in text
    assert "short sentences" in text
    assert "Write for engineers." not in workspace.boot().text


def test_an_unknown_context_is_an_error_and_a_lost_one_a_notice(workspace: Workspace) -> None:
    with pytest.raises(MissingFileError):
        workspace.boot(context_name="nope")
    workspace.contexts.new("blog")
    workspace.contexts.use("blog")
    (Path(workspace.root) / "contexts/blog.md").unlink()

    booted = Workspace.open(workspace.root, environment=workspace.stores.environment).boot()

    assert any("contexts/blog.md" in notice for notice in booted.notices)


def test_as_it_would_have_been_then_hides_what_came_later(workspace: Workspace) -> None:
    for day in ("2026-11-18", "2026-11-19"):
        write(workspace, f"memory/{day}.md", f"- on {day}\n")
    then = Environment(now=datetime(2026, 11, 18, 23, tzinfo=UTC), as_of=True)

    text = Workspace.open(workspace.root, environment=then).boot().text

    assert "on 2026-11-18" in text
    assert "on 2026-11-19" not in text


def test_a_log_from_tomorrow_is_shown_since_clocks_are_wrong_now_and_then(workspace: Workspace) -> None:
    write(workspace, "memory/2026-11-21.md", "- from tomorrow\n")

    assert "from tomorrow" in workspace.boot().text


def test_a_folder_that_was_never_adopted_boots_with_a_notice(tmp_path: Path) -> None:
    (tmp_path / "IDENTITY.md").write_text("- **Name:** Wren\n")
    (tmp_path / "SOUL.md").write_text("I am old.\n")

    booted = Workspace.open(str(tmp_path)).boot()

    assert marks.without(booted.text).startswith("# Wren\n")
    assert "I am old." in booted.text
    assert "agentws init" in booted.notices[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["IDENTITY.md", "SOUL.md"]


def test_damaged_files_are_notices_and_boot_starts(workspace: Workspace) -> None:
    write(workspace, "tasks/bomb.md", "---\na: &a [x]\nb: *a\n---\n# Bomb\n")
    (Path(workspace.root) / "SOUL.md").write_bytes(b"I am \xff\xfe old.\n")
    (Path(workspace.root) / "USER.md").unlink()
    (Path(workspace.root) / "USER.md").mkdir()
    (Path(workspace.root) / "agentws.toml").write_text("format = 1\nname = \n")

    booted = Workspace.open(workspace.root, environment=workspace.stores.environment).boot()

    said = " ".join(booted.notices)
    for name in ("tasks/bomb.md", "SOUL.md:1", "USER.md", "agentws.toml"):
        assert name in said
    assert "old." in booted.text


def test_notices_without_room_are_counted_with_the_command_that_lists_all(workspace: Workspace) -> None:
    write(workspace, "memory/2026-11-31.md", "- the swans\n")

    booted = workspace.boot(budget=200)

    assert "⚠ 1 notice: agentws boot --explain" in booted.text
    assert "memory/2026-11-31.md: the name is not a calendar date" in booted.notices[0]


def test_a_budget_too_small_to_wake_up_in_is_an_error(workspace: Workspace) -> None:
    with pytest.raises(UsageError):
        workspace.boot(budget=199)

    assert workspace.boot(budget=200).tokens <= 200


def test_a_huge_file_is_read_in_part_and_said_so(workspace: Workspace) -> None:
    write(workspace, "MEMORY.md", "- first\n" + "- filler words\n" * 200_000 + "- last\n")
    write(workspace, "memory/2026-11-19.md", "- first of day\n" + "- filler\n" * 200_000 + "- last of day\n")

    booted = workspace.boot(budget=200_000)

    assert "- first\n" in booted.text
    assert "- last\n" in booted.text
    assert "bytes between were not read" in booted.text
    assert "- last of day\n" in booted.text
    assert sum("were read" in notice for notice in booted.notices) == 2


@pytest.mark.parametrize(
    "old", ["- filler words\n" * 30_000, "- x\n" * 8_000, "ü" * 150_000 + "\n", "🦊🦊 " * 90_000 + "\n"]
)
def test_what_remember_wrote_last_is_read_however_large_the_file_is(workspace: Workspace, old: str) -> None:
    write(workspace, "MEMORY.md", f"- the first\n{old}")
    workspace.remember("Sam likes green tea")

    booted = workspace.boot(budget=400_000)

    assert "- the first\n" in booted.text
    assert "Sam likes green tea" in booted.text
    assert "\ufffd" not in booted.text
    assert not any("not UTF-8" in notice for notice in booted.notices), booted.notices
    [size] = [check for check in workspace.status().checks if check.name == "size"]
    assert not size.ok
    assert "MEMORY.md" in size.says
    assert size.remedy


def test_a_file_that_is_read_whole_is_well(workspace: Workspace) -> None:
    write(workspace, "MEMORY.md", "- a line of notes that is of some length\n" * 5_000)

    assert workspace.status().well
    assert not any("were read" in notice for notice in workspace.boot().notices)


def test_the_history_that_stopped_working_is_loud(workspace: Workspace) -> None:
    (Path(workspace.root) / ".agentws/history-failure").write_text("2026-11-19T10:00 git is locked\n")

    booted = workspace.boot()

    assert "git is locked" in booted.text
    assert not workspace.status().well


def test_what_another_process_is_recording_has_not_failed_until_that_is_gone(workspace: Workspace) -> None:
    program = """if True:
        from agentws.core.stores import marks
        print(marks.under_way("10:00: interrupted"), end="", flush=True)
        import os; os.close(1); input()
    """
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        (Path(workspace.root) / ".agentws/history-failure").write_text(other.stdout.read())
        during = workspace.boot()
        other.kill()

    after = workspace.boot()

    assert "interrupted" not in during.text
    assert "has not been recorded since 10:00: interrupted For details" in after.text


def test_another_session_that_runs_is_named_as_long_as_it_does(workspace: Workspace) -> None:
    def header() -> str:
        config = Environment(now=workspace.stores.environment.now, timezone="UTC", session="s2")
        text = Workspace.open(workspace.root, environment=config).boot().text
        return next(line for line in text.split("\n") if "session ·" in line)

    workspace.session.start("", session="s2", process=os.getppid(), via="agent:claude-code")
    with subprocess.Popen(["sleep", "600"]) as other:
        workspace.session.start("", session="s1", process=other.pid, via="agent:codex")
        workspace.event("action", session="s1", call="c1", tool="Bash", input="make")
        during = header()
        other.kill()

    assert "another session runs: codex since 07:15, last Bash at 07:15 ·" in during
    assert "another session" not in header()


def test_a_repository_that_may_not_be_written_is_said_once_and_shortly(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> object:
        raise DiskError("git failed: error: Read-only file system\nfatal: of many lines")

    subprocess.run(["git", "init", "-q", workspace.root], check=True)
    monkeypatch.setattr(versions, "record", fails)
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith(".git"))

    for fact in ("Herons nest early", "Ducks nest late"):
        workspace.remember(fact)

    said = [notice for notice in workspace.notices if "History" in notice]
    assert said == [
        "History was not recorded: the git repository is read-only here. A later command records this change."
    ]


@pytest.mark.parametrize("tokenizer", ["o200k_base", "bytes"])
@pytest.mark.parametrize("tasks", [1, 3, 12])
def test_however_many_tasks_there_are_the_handoff_and_the_newest_day_are_there(
    workspace: Workspace, tasks: int, tokenizer: str
) -> None:
    write(workspace, "handoffs/2026-11-19-b.md", "---\nsession: b\n---\n# Doing\n\n- finish the import\n")
    for number in range(tasks):
        write(workspace, f"tasks/t{number}.md", f"---\nstatus: active\n---\n# Task number {number}\n\n- [ ] step\n" * 4)
    write(workspace, "memory/2026-11-19.md", "".join(f"- entry {n} of the day\n" for n in range(30)))

    booted = workspace.boot(budget=200 if tokenizer == "o200k_base" else 600, tokenizer=tokenizer)

    assert "finish the import" in booted.text
    assert "of the day" in booted.text


def test_an_open_item_of_an_archived_log_is_shown_once(workspace: Workspace) -> None:
    write(
        workspace,
        "memory/2026-10-05.md",
        "- The gate creaks\n- [todo] Sell the boat ^b4tt\n\n## House\n\n- [ ] Oil the gate\n",
    )
    workspace.memory.compact(agreed=True)

    text = workspace.boot().text

    assert [text.count(words) for words in ("Oil the gate", "Sell the boat", "The gate creaks")] == [1, 1, 1]


def test_who_may_see_a_file_whose_header_cannot_be_read_is_not_guessed(workspace: Workspace) -> None:
    write(workspace, "tasks/ring.md", "---\ntags: [private]\nbad: [\n---\n# Buy the ring\n")

    assert "Buy the ring" in workspace.boot().text
    assert "Buy the ring" not in workspace.boot(audience="shared").text


@pytest.mark.parametrize("tag", ["#private", "#Private", "(#PRIVATE)", "**#private**", "_#private_", "#private/family"])
def test_private_is_private_however_it_is_written(workspace: Workspace, tag: str) -> None:
    write(workspace, "memory/2026-11-19.md", f"- open words #shared\n- hidden words {tag} #shared\n")

    text = workspace.boot(audience="shared").text

    assert "open words" in text
    assert "hidden words" not in text


@pytest.mark.parametrize(
    "header", ["tags: [geheim]", 'tags: "#Geheim"', "private: yes please", "private:", "tags: [Private]"]
)
def test_a_files_own_tags_hide_it(workspace: Workspace, header: str) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(manifest.read_text() + '\n[boot]\nprivate_tags = ["geheim"]\n')
    write(workspace, "tasks/ring.md", f"---\n{header}\n---\n# Buy the ring\n")

    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)

    assert "Buy the ring" not in opened.boot(audience="shared").text
    assert "Buy the ring" in opened.boot().text
