"""The doors of history, diff and restore: what is printed, who is asked, what scripts get."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.features.history.worlds import NEEDS_GIT, World, at

pytestmark = NEEDS_GIT
ESC = "\x1b"


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.open(1).remember("Leo likes coffee")
    made.write("MEMORY.md", made.text("MEMORY.md") + f"- {ESC}[31mred\n")
    return made


def surroundings(**more: str) -> dict[str, str]:
    return {**os.environ, "AGENTWS_NOW": at(5).isoformat(), **more}


def run(world: World, *words: str, code: int = 0, cwd: Path | None = None) -> tuple[str, str]:
    """(stdout, stderr) of the command."""
    done = forked.run_text(*words, cwd=cwd or world.root, env=surroundings())
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def on_a_terminal(world: World, *words: str, answer: str = "", **more: str) -> tuple[int, str]:
    """(exit code, what the terminal shows) of the command."""
    return forked.on_a_terminal(*words, typed=answer, cwd=world.root, env=surroundings(TERM="xterm", **more))


def test_history_is_a_line_a_state(world: World) -> None:
    out, _ = run(world, "history", "MEMORY.md")

    lines = out.splitlines()
    assert lines[0].split() == ["since", "then", "not", "recorded", "yet", "+1", "-0"]
    assert re.match(r"2026-11-16 09:00  [0-9a-f]{10}  remember  +\+", lines[1]), (
        "the id is not cut by a narrow terminal"
    )
    assert re.match(r"2026-11-16 08:00  [0-9a-f]{10}  init ", lines[2])


def test_history_without_a_file_lists_the_newest_states_and_their_documents(world: World) -> None:
    world.record(2, lambda: world.write("tasks/a.md", "# A\n"))

    out, _ = run(world, "history")
    told = json.loads(run(world, "history", "--limit", "1", "--json")[0])

    lines = out.splitlines()
    assert re.match(r"2026-11-16 10:00  [0-9a-f]{10}  \S+ .*tasks/a.md", lines[0])
    assert re.match(r"2026-11-16 09:00  [0-9a-f]{10}  remember .*MEMORY.md", lines[1])
    assert re.match(r"2026-11-16 08:00  [0-9a-f]{10}  init .*and \d more$", lines[2])
    assert len(lines) == 3
    assert (told["path"], told["has_earlier"], len(told["changes"])) == (None, True, 1)
    assert "tasks/a.md" in told["changes"][0]["paths"]


def test_history_is_found_from_within_a_folder_and_by_its_whole_path(world: World) -> None:
    world.record(2, lambda: world.write("tasks/a.md", "# A\n"))

    for file, folder in (
        ("a.md", "tasks"),
        ("../tasks/a.md", "memory"),
        ("tasks/a.md", "memory"),
        ("SOUL.md", "tasks"),
    ):
        out, _ = run(world, "history", file, "--json", cwd=world.root / folder)
        assert json.loads(out)["path"] in ("tasks/a.md", "SOUL.md")
    link = world.root.parent / "link"
    link.symlink_to(world.root)
    for path in (world.root / "tasks" / "a.md", link / "tasks" / "a.md"):
        out, _ = run(world, "-C", str(world.root), "history", str(path), "--json", cwd=world.root.parent)
        assert json.loads(out)["path"] == "tasks/a.md"


def test_history_for_scripts(world: World) -> None:
    out, _ = run(world, "history", "MEMORY.md", "--limit", "1", "--json")

    told = json.loads(out)
    assert (told["schema"], told["earlier"], told["edited"]) == ("agentws/history@1", 1, {"added": 1, "removed": 0})
    (change,) = told["changes"]
    assert (change["at"], change["verb"], change["change"], len(change["id"])) == (
        at(1).isoformat(), "remember", "changed", 40,
    )  # fmt: skip


def test_a_diff_is_inert_and_without_colour_where_nobody_looks(world: World) -> None:
    out, _ = run(world, "diff")

    assert "+- \\u{1b}[31mred" in out
    assert ESC not in out


def test_a_diff_has_colour_on_a_terminal_and_is_inert_there_too(world: World) -> None:
    code, shown = on_a_terminal(world, "diff")

    assert code == 0
    assert f"{ESC}[32m" in shown
    assert "\\u{1b}[31mred" in shown
    assert f"{ESC}[31m" not in shown
    assert ESC not in on_a_terminal(world, "diff", NO_COLOR="1")[1]


def test_a_diff_may_be_counted_only(world: World) -> None:
    world.write("tasks/a.md", "# A\n")

    out, _ = run(world, "diff", "--stat")

    assert [line.split() for line in out.splitlines()] == [
        ["MEMORY.md", "+1", "-0", "+"], ["tasks/a.md", "+1", "-0", "+", "added"],
        ["2", "files,", "+2", "-0", "since", "2026-11-16", "09:00"],
    ]  # fmt: skip


def test_a_diff_for_scripts_carries_a_patch_that_others_apply(world: World, tmp_path: Path) -> None:
    out, _ = run(world, "diff", "MEMORY.md", "--since", at(0.5).isoformat(), "--json")

    told = json.loads(out)
    (file,) = told["files"]
    assert (told["schema"], file["status"], file["added"], file["removed"]) == ("agentws/diff@1", "changed", 3, 0)
    (tmp_path / "p").write_text(file["patch"])
    there = subprocess.run(
        ["git", "apply", "-R", str(tmp_path / "p")], cwd=world.root, capture_output=True, check=False
    )
    assert there.returncode == 0, there.stderr
    assert "Leo" not in world.text("MEMORY.md")


def test_nothing_that_differs_is_said_in_words(world: World) -> None:
    out, _ = run(world, "diff", "SOUL.md")

    assert out.startswith("No change since 2026-11-16 09:00 (")


def test_a_restore_that_nobody_agreed_to_shows_it_and_says_how(world: World) -> None:
    before = world.text("MEMORY.md")

    out, err = run(world, "restore", "MEMORY.md", code=3)

    assert "-- \\u{1b}[31mred" in out
    assert "Not confirmed, nothing changed." in err
    assert world.text("MEMORY.md") == before
    words = err.split("To confirm: agentws ")[1].split()
    out, _ = run(world, *words)
    assert out.startswith("Restored MEMORY.md as of 2026-11-16 09:00")
    assert ESC not in world.text("MEMORY.md")


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 3), ("\n", 3)])
def test_a_person_is_asked(world: World, answer: str, code: int) -> None:
    before = world.text("MEMORY.md")

    ended, shown = on_a_terminal(world, "restore", "MEMORY.md", answer=answer)

    assert ended == code
    assert "Restore it?" in shown
    assert (world.text("MEMORY.md") == before) == bool(code)


def test_a_dry_run_asks_nobody(world: World) -> None:
    out, _ = run(world, "restore", "MEMORY.md", "--dry-run", "--json")

    told = json.loads(out)
    assert (told["schema"], told["dry_run"], told["restored"], told["event"]) == (
        "agentws/restore@1",
        True,
        False,
        None,
    )
    assert ESC in world.text("MEMORY.md")


def test_a_restore_for_scripts_names_its_event(world: World) -> None:
    out, _ = run(world, "restore", "MEMORY.md", "--to", "memory/then.md", "--yes", "--json")

    told = json.loads(out)
    assert (told["restored"], told["to"], told["path"]) == (True, "memory/then.md", "MEMORY.md")
    assert told["event"].endswith(":2")
    assert ESC in world.text("MEMORY.md")


def test_what_is_as_it_was_needs_nobody(world: World) -> None:
    out, _ = run(world, "restore", "SOUL.md")

    assert "nothing to restore" in out


def test_the_message_of_a_hostile_state_is_inert(world: World) -> None:
    person = ("git", "-c", "user.name=P", "-c", "user.email=p@example.org")
    words = f"{ESC}]0;evil\a \u202e {'long ' * 40}"
    subprocess.run([*person, "commit", "-qam", words], cwd=world.root, check=True)

    out, _ = run(world, "history", "MEMORY.md")

    assert ESC not in out
    assert "\u202e" not in out
    assert max(map(len, out.splitlines())) < 100


@pytest.mark.parametrize(
    ("words", "code"),
    [(["history", "NOPE.md"], 1), (["history", "../x.md"], 2), (["history", "journal/x"], 2), (["restore"], 2),
     (["diff", "--since", "someday"], 2), (["diff", "NOPE.md"], 1),
     (["restore", "NOPE.md"], 1), (["restore", ".agentws/changes.jsonl"], 2),
     (["history", "SOUL.md", "--limit", "0"], 2)],
)  # fmt: skip
def test_what_cannot_be_told_has_its_exit_code(world: World, words: list[str], code: int) -> None:
    _, err = run(world, *words, code=code)

    assert err.startswith("agentws: ")


def test_boot_goes_back_on_the_command_line(world: World) -> None:
    out, _ = run(world, "boot", "--now", at(0.5).isoformat())

    assert "Leo" not in out
    assert "Leo" in run(world, "boot")[0]
