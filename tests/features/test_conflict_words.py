"""No verb is silent about an unresolved merge conflict, nor about a marker that is left of one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import forked

CONFLICT = "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n"
LEFT = {
    "begin": ("- a\n<<<<<<< HEAD\n- b\n", 4),
    "begin and middle": ("<<<<<<< HEAD\n- a\n=======\n- b\n", 3),
    "middle and end": ("- a\n=======\n- b\n>>>>>>> theirs\n", 4),
    "base and end": ("- a\n||||||| 1a2b3c4\n- b\n=======\n- c\n>>>>>>> theirs\n", 6),
}
MARKDOWN = {
    "a heading": "Roof\n=======\n\ntext\n",
    "a quotation in quotations": ">>>>>>> as Sam said\n",
    "a block of code": "```\n<<<<<<< HEAD\n- a\n```\n",
    "a shift": "    x <<<<<<< y\n",
}


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    assert forked.run_text("init", "robin", cwd=tmp_path).returncode == 0
    return tmp_path / "robin"


@pytest.mark.parametrize("left", sorted(LEFT))
@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-11-23.md", "tasks/roof.md", "USER.md"])
def test_doctor_and_status_name_a_marker_that_is_left_of_a_conflict(robin: Path, path: str, left: str) -> None:
    text, line = LEFT[left]
    (robin / path).parent.mkdir(exist_ok=True)
    (robin / path).write_text(f"# Roof\n\n{text}")

    for verb in ("doctor", "status")[: 1 if path.startswith("tasks/") else 2]:  # status does not read bodies of tasks
        done = forked.run_text(verb, cwd=robin)
        assert done.returncode == 3
        assert f"{path}:{line}: a marker is left of a merge conflict" in done.stdout


@pytest.mark.parametrize("text", sorted(MARKDOWN))
def test_what_is_markdown_is_no_marker(robin: Path, text: str) -> None:
    (robin / "MEMORY.md").write_text(f"# Roof\n\n{MARKDOWN[text]}")

    assert "merge conflict" not in forked.run_text("doctor", cwd=robin).stdout


@pytest.mark.parametrize("verb", ["log", "todo"])
def test_a_line_added_to_a_log_with_a_conflict_is_acknowledged_with_a_notice(robin: Path, verb: str) -> None:
    path, line = forked.run_text("log", "first", cwd=robin).stdout.strip().rsplit(":", 1)
    with (robin / path).open("a") as log:
        log.write(CONFLICT)

    done = forked.run_text(verb, "the gutter leaks", cwd=robin)

    assert done.returncode == 0
    assert f"{path}:{int(line) + 1}: an unresolved merge conflict; the line was written" in done.stderr
    assert "the gutter leaks" in (robin / path).read_text()


@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-11-23.md", "tasks/roof.md", "USER.md"])
def test_a_dry_run_of_migrate_names_a_conflict(robin: Path, path: str) -> None:
    (robin / path).parent.mkdir(exist_ok=True)
    (robin / path).write_text(f"# Roof\n\n{CONFLICT}")

    done = forked.run_text("migrate", "../elsewhere", "--dry-run", cwd=robin)

    assert done.returncode == 0
    assert f"{path}:3: an unresolved merge conflict begins here. The file is sent unchanged." in done.stderr
