"""A day that would take an empty box out of sight stays where it is, and it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.workspace import Workspace

PATH = "memory/2026-10-01.md"
SAID = "carry the harbour lamp to the pier of the island"
LETTER = "ask Ada about her letter"
BOXES = "".join(f"- [ ] carry crate {n} of the harbour lamp to the pier of the island\n" for n in range(60))


def put(workspace: Workspace, text: str) -> Path:
    file = Path(workspace.root, PATH)
    file.write_text(f"# 2026-10-01\n\n{text}")
    return file


@pytest.mark.parametrize(
    "text",
    [
        f"## Open items\n{BOXES}",
        "- [ ] call Ada about her diagnosis and her medication #private\n",
    ],
)
def test_it_stays_until_nothing_would_get_out_of_sight(workspace: Workspace, text: str) -> None:
    file = put(workspace, text)

    done = workspace.compact(budget=400)
    again = workspace.compact(budget=400)

    assert file.is_file()
    assert any(PATH in notice and "was not compacted" in notice for notice in done.notices)
    assert done.days == [(PATH, "")]
    assert again.changes.changes == ()
    file.write_text(f"# 2026-10-01\n\n- [x] {SAID}\n")
    workspace.compact(budget=400)
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "step"),
    [(f"## Open items\n{BOXES}", "agentws done")],
)
def test_the_notice_says_what_to_do_of_one_day_and_of_several(workspace: Workspace, text: str, step: str) -> None:
    put(workspace, text)
    (one,) = workspace.compact(budget=400, dry_run=True).notices
    put(workspace, text).with_name("2026-10-02.md").write_text(f"# 2026-10-02\n\n{text}")
    (two,) = workspace.compact(budget=400, dry_run=True).notices

    assert step in one
    assert step in two
    assert not [word for word in ("stays", " it is: ", " of it ", " its ") if word in two]
    assert not [word for word in (" stay ", " they are: ", " of each ", " their ") if word in one]


@pytest.mark.parametrize("heading", ["Done", "Log", "Open items"])
def test_an_empty_box_is_open_in_memory_and_boot_finds_it_after_its_day_has_moved(
    workspace: Workspace, heading: str
) -> None:
    file = put(workspace, f"## {heading}\n- [ ] bring the boat to Sam before the storm, by 2026-10-02\n")

    done = workspace.compact()

    page = Path(workspace.root, "memory/digest.md").read_text()
    assert not file.exists()
    assert not [notice for notice in done.notices if "was not compacted" in notice]
    assert "bring the boat to Sam" in page.partition("## Open")[2].partition("##")[0]
    assert "bring the boat to Sam" in workspace.boot().text


@pytest.mark.parametrize(
    "lines", [("家賃を払った", "屋根を直した", "小さな船を買った"), ("已付船屋租金", "修好了旧屋顶")]
)
def test_a_day_without_blanks_between_words_moves_and_its_lines_are_in_the_digest(
    workspace: Workspace, lines: tuple[str, ...]
) -> None:
    file = put(workspace, "".join(f"- {line}\n" for line in lines))

    workspace.compact()

    page = Path(workspace.root, "memory/digest.md").read_text()
    assert not file.exists()
    assert [line for line in lines if line not in page] == []


def test_a_box_that_a_later_line_closes_holds_no_day_back(workspace: Workspace) -> None:
    file = put(
        workspace, "- [ ] bring the boat to Sam before the storm\n- [ ] bring the boat to Sam before the storm ✅\n"
    )

    workspace.compact()

    assert not file.exists()


def test_what_is_over_is_not_open_again_when_its_day_stays(workspace: Workspace) -> None:
    held = "- [ ] ask Ada about her letter #private\n"
    file = put(workspace, f"## Offen\n\n- [ ] feed the cat\n- ask Bob\n- [ ] call Tom\n\n## Log\n\n{held}")
    refs = {one.text: one.ref for one in workspace.todos().rows}
    by_tick, by_ref, none = (file.with_name(f"2026-10-0{n}.md") for n in (2, 3, 4))
    by_tick.write_text("# 2026-10-02\n\n- [x] feed the cat\n")
    by_ref.write_text(f"# 2026-10-03\n\n- 20:00 [done] it is over (closes ^{refs['ask Bob']})\n")
    none.write_text(f"# 2026-10-04\n\n- {SAID}\n")

    for _ in range(2):
        assert [one.text for one in workspace.todos().rows] == [LETTER, "call Tom"]
        workspace.compact(budget=400)

    assert [one.text for one in workspace.todos().rows] == [LETTER, "call Tom"]
    assert [each.exists() for each in (file, by_tick, by_ref, none)] == [True, True, True, False]
