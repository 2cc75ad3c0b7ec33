"""Taking back the last thing agentws changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ChangedUnderneathError, NeedsYouError, NothingToUndoError
from agentws.features.history import command_undo as render
from agentws.workspace import Workspace
from tests.features.approvals import people


def files(workspace: Workspace) -> dict[str, bytes]:
    root = Path(workspace.root)
    found = (path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] != "journal")
    return {str(p.relative_to(root)): p.read_bytes() for p in found if ".agentws" not in p.parts}


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def test_changes_are_taken_back_one_by_one_newest_first(workspace: Workspace) -> None:
    workspace.event("note", "who writes here is known, and stays known")
    states = [files(workspace)]
    workspace.log("one")
    states.append(files(workspace))
    workspace.contexts.new("blog")
    states.append(files(workspace))
    reopened(workspace).contexts.use("blog")
    states.append(files(workspace))
    workspace.log("two")

    for verb, state in zip(("log", "context use blog", "context new blog", "log"), reversed(states), strict=True):
        assert reopened(workspace).undo().verb == verb
        assert files(workspace) == state


def test_a_dry_run_tells_and_changes_nothing(workspace: Workspace) -> None:
    workspace.log("one")
    before = files(workspace)

    told = workspace.undo(dry_run=True)

    assert (told.verb, told.paths) == ("log", ("memory/2026-11-20.md",))
    assert files(workspace) == before


def test_what_somebody_wrote_around_our_line_stays(workspace: Workspace) -> None:
    workspace.log("ours")
    log = Path(workspace.root) / "memory/2026-11-20.md"
    log.write_text(f"- above\n{log.read_text()}- below\n")

    workspace.undo()

    assert log.read_text() == "- above\n- below\n" or "ours" not in log.read_text()
    assert "- above" in log.read_text()
    assert "- below" in log.read_text()


def test_a_line_that_was_edited_since_is_not_touched(workspace: Workspace) -> None:
    workspace.log("ours")
    log = Path(workspace.root) / "memory/2026-11-20.md"
    log.write_text(log.read_text().replace("ours", "mended by hand"))

    with pytest.raises(ChangedUnderneathError):
        workspace.undo()

    assert "mended by hand" in log.read_text()


def test_a_file_that_was_edited_since_is_not_touched(workspace: Workspace) -> None:
    workspace.contexts.new("blog")
    path = Path(workspace.root) / "contexts/blog.md"
    path.write_text("mine now\n")

    with pytest.raises(ChangedUnderneathError):
        workspace.undo()

    assert path.read_text() == "mine now\n"


def test_undoing_init_leaves_the_users_own_files_alone(tmp_path: Path) -> None:
    (tmp_path / "SOUL.md").write_text("I am old.\n")
    made = Workspace.init(str(tmp_path), git=False)

    made.undo(yes=True)

    assert sorted(path.name for path in tmp_path.iterdir()) == [".agentws", "SOUL.md"]


def test_init_is_not_taken_back_unasked(workspace: Workspace) -> None:
    before = files(workspace)

    with pytest.raises(NeedsYouError) as refused:
        reopened(workspace).undo()

    assert "the workspace itself" in refused.value.message
    assert "agentws undo --yes" in str(refused.value.hint)
    assert "agentws init" in str(refused.value.hint)
    assert files(workspace) == before
    assert reopened(workspace).undo(dry_run=True).verb == "init"


def test_what_was_taken_back_is_not_made_again_after_another_change(workspace: Workspace) -> None:
    workspace.remember("Ada likes green ink")
    reopened(workspace).undo()
    reopened(workspace).log("Counted nine herons")

    with pytest.raises(NothingToUndoError) as refused:
        reopened(workspace).history.redo()

    assert refused.value.message == "Nothing to redo: `log` was run after `remember` was undone."
    assert "agentws undo --list" in str(refused.value.hint)
    assert "green ink" not in Path(workspace.root, "MEMORY.md").read_text()
    reopened(workspace).undo()
    assert reopened(workspace).history.redo().verb == "log"


def test_several_that_were_taken_back_are_made_again_one_by_one(workspace: Workspace) -> None:
    for text in ("Ada likes green ink", "Leo likes tea"):
        reopened(workspace).remember(text)
    for _ in range(2):
        reopened(workspace).undo()

    for _ in range(2):
        assert reopened(workspace).history.redo().verb == "remember"

    assert {"green ink", "likes tea"} <= {
        each for each in ("green ink", "likes tea") if each in Path(workspace.root, "MEMORY.md").read_text()
    }


def test_with_nothing_left_it_says_so(workspace: Workspace) -> None:
    workspace.undo(yes=True)

    with pytest.raises(NothingToUndoError):
        workspace.undo()


def test_an_undo_that_was_killed_before_it_could_say_so_is_not_run_twice(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentws.core.disk import local_dir

    workspace.log("one")
    workspace.log("two")
    with monkeypatch.context() as killed:
        killed.setattr(local_dir, "done", lambda *_: None)
        workspace.undo()

    again = reopened(workspace).undo()

    assert "interrupted" in again.notices[0]
    assert b"one" in files(workspace)["memory/2026-11-20.md"]
    assert reopened(workspace).undo().verb == "log"
    assert "memory/2026-11-20.md" not in files(workspace) or b"one" not in files(workspace)["memory/2026-11-20.md"]


def test_what_was_logged_is_named_by_its_line(workspace: Workspace) -> None:
    workspace.log("Oiled the gate")
    workspace.todo("Call Tom")
    workspace.done("call", "tom")

    told = [entry for _ in range(3) for entry in workspace.undo().entries]

    assert [line.partition(" (closes")[0].partition(" ^")[0] for line in told] == [
        "- 07:15 [done] Call Tom",
        "- 07:15 [todo] Call Tom",
        "- 07:15 Oiled the gate",
    ]


def test_a_row_of_the_list_says_what_was_logged(workspace: Workspace) -> None:
    workspace.log("Counted nine herons")
    workspace.remember("Ada likes green ink")

    found = reopened(workspace).history.changes()

    assert [row.entry for row in found.rows] == ["", "- 07:15 Counted nine herons", ""]
    assert "(memory/2026-11-20.md) · 07:15 Counted nine herons" in list(render.changes_lines(found))[1]


def test_what_undo_does_not_cover_is_named_and_nothing_older_is_undone_silently(workspace: Workspace) -> None:
    here = people.at(workspace)
    here.log("one")
    id = here.ask("Pay?", action=people.ACTION).id
    here.approvals.decide(id, approve=True, typed=True)
    before = files(workspace)

    with pytest.raises(NeedsYouError, match=f"`ask approve {id}`, which undo does not cover") as caught:
        here.undo()
    assert "`log`" in str(caught.value.hint)
    assert files(workspace) == before
    assert here.undo(dry_run=True).passed == f"ask approve {id}"
    assert here.undo(yes=True).verb == "log"

    people.at(workspace, hours=1).log("two")
    assert people.at(workspace, hours=1).undo().verb == "log", "what came after it is the newest"


def test_a_rollback_is_named_by_an_undo(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    workspace.checkpoints.save("roof", 1)
    later = people.at(workspace, hours=1)
    later.tasks.rollback("roof", "1")

    with pytest.raises(NeedsYouError, match="`task rollback roof`"):
        later.undo()
    assert later.undo(yes=True).verb == "task add roof"


def test_undo_of_a_named_change_undoes_no_other(workspace: Workspace) -> None:
    workspace.remember("Ferns like rain")
    first = workspace.undo(dry_run=True)
    workspace.remember("Roses like sun")

    with pytest.raises(ChangedUnderneathError, match="came after"):
        workspace.undo(number=first.number)

    assert workspace.undo(number=workspace.undo(dry_run=True).number).verb == "remember"
    redone = workspace.history.redo(dry_run=True).number
    with pytest.raises(ChangedUnderneathError, match="came after"):
        workspace.history.redo(number=redone + 1)
    assert "Roses" not in Path(workspace.root, "MEMORY.md").read_text()
