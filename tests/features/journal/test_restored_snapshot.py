"""A workspace put back to a copy from before a purge or a forget: who is told what, and what one renewal ends."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.errors import NeedsYouError, UsageError
from agentws.features.forget.purge import purge
from agentws.features.journal.renew import renew
from agentws.features.journal.seal import seal
from agentws.workspace import Environment, Workspace
from tests import forked
from tests.features.journal.keeping import here, needs_signing, note, reopened

VERBS: dict[str, Callable[[Workspace, str], object]] = {
    "purge": lambda workspace, cursor: purge(workspace.stores, [cursor], reason="said in confidence"),
    "forget": lambda workspace, _: workspace.memory.forget(matching=["pelican"], confirm=True),
}
PUT_BACK = {
    "the workspace": ("robin",),
    "its journal": ("robin/journal",),
    "its journal and .agentws": ("robin/journal", "robin/.agentws"),
    "the state of this machine": ("state",),
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    surroundings = Environment(timezone="UTC", state=(str(tmp_path / "state"), None))
    return Workspace.init(str(tmp_path / "robin"), environment=surroundings, name="Robin", git=False)


def put_back(tmp_path: Path, copy: Path, names: tuple[str, ...]) -> None:
    """Put back folders from a copy, in place: the workspace's own folder stays the same one."""
    for name in names:
        for path in (tmp_path / name).iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(copy / name, tmp_path / name, dirs_exist_ok=True, symlinks=True)


def has_problem(workspace: Workspace) -> bool:
    return any(not check.ok for check in workspace.status().checks)


@needs_signing
@pytest.mark.parametrize(("is_sealed", "writes_before"), [(False, True), (True, False)])
@pytest.mark.parametrize("names", PUT_BACK.values(), ids=PUT_BACK)
@pytest.mark.parametrize("verb", VERBS)
def test_an_older_copy_is_named_by_status_and_verify_until_the_journal_is_renewed(
    workspace: Workspace, tmp_path: Path, verb: str, names: tuple[str, ...], is_sealed: bool, writes_before: bool
) -> None:
    (cursor, _) = note(workspace, "the pelican is shy", "the heron is not")
    if is_sealed:
        seal(workspace.stores)
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path, copy, symlinks=True, ignore=lambda folder, _: ["copy"] if folder == str(tmp_path) else [])
    VERBS[verb](workspace, cursor)
    note(workspace, "later")
    if is_sealed:
        seal(reopened(workspace).stores)
    put_back(tmp_path, copy, names)
    restored = reopened(workspace)
    if writes_before and names in (("robin",), ("state",)):
        note(restored, "written before anybody looked")
        restored = reopened(workspace)

    assert not restored.journal.verify().sound
    assert has_problem(restored)

    renew(restored.stores)

    for _ in range(2):
        assert reopened(workspace).journal.verify().findings == []
        assert not has_problem(reopened(workspace))
        note(reopened(workspace), "and on it goes")
    with pytest.raises(UsageError, match="nothing to renew"):
        renew(reopened(workspace).stores)


@pytest.mark.parametrize("writes_before", [False, True])
def test_an_agent_gives_up_no_events_that_somebody_removed(
    workspace: Workspace, tmp_path: Path, writes_before: bool
) -> None:
    note(workspace, "a heron")
    shutil.copytree(tmp_path / "robin/journal", tmp_path / "copy/robin/journal")
    note(workspace, "what the agent did")
    put_back(tmp_path, tmp_path / "copy", ("robin/journal",))
    restored = reopened(workspace)
    if writes_before:
        note(restored, "written before anybody looked")
        restored = reopened(workspace)
    restored.stores.environment.by_agent = True

    with pytest.raises(NeedsYouError, match="Only a person may give up events"):
        renew(restored.stores)

    assert not reopened(workspace).journal.verify().sound


def test_a_folder_put_back_as_a_new_one_is_named_until_it_is_written_to(workspace: Workspace, tmp_path: Path) -> None:
    (cursor,) = note(workspace, "the pelican is shy")
    shutil.copytree(tmp_path / "robin", tmp_path / "copy")
    purge(workspace.stores, [cursor], reason="said in confidence")
    (tmp_path / "robin").rename(tmp_path / "gone")  # its inode is not given to another one
    (tmp_path / "copy").rename(tmp_path / "robin")
    restored = reopened(workspace)

    assert not restored.journal.verify().sound
    assert any("which the folder that was here before had" in check.says for check in restored.status().checks)
    with pytest.raises(UsageError, match="has written nothing yet"):
        renew(restored.stores)

    note(restored, "on it goes")

    assert here(restored).writer != cursor.partition(":")[0]
    assert reopened(workspace).journal.verify().sound


@needs_signing
def test_a_copy_laid_over_the_folder_and_its_state_is_named_until_the_journal_is_renewed(
    workspace: Workspace, tmp_path: Path
) -> None:
    note(workspace, "a heron")
    for name in ("robin", "state"):
        shutil.copytree(tmp_path / name, tmp_path / "copy" / name, symlinks=True)
    note(workspace, "the pelican is shy")
    seal(workspace.stores)
    for name in ("robin", "state"):
        shutil.copytree(tmp_path / "copy" / name, tmp_path / name, dirs_exist_ok=True, symlinks=True)
    restored = reopened(workspace)

    assert any("which this machine has sealed" in check.says for check in restored.status().checks)

    renew(restored.stores)

    assert not has_problem(reopened(workspace))
    assert reopened(workspace).journal.verify().sound


def test_verify_says_that_events_are_missing_and_names_the_renewal(tmp_path: Path) -> None:
    assert forked.run_text("init", "robin", cwd=tmp_path).returncode == 0
    assert forked.run_text("event", "note", "one", cwd=tmp_path / "robin").returncode == 0
    shutil.copytree(tmp_path / "robin/journal", tmp_path / "copy")
    assert forked.run_text("event", "note", "two", cwd=tmp_path / "robin").returncode == 0
    shutil.rmtree(tmp_path / "robin/journal")
    shutil.copytree(tmp_path / "copy", tmp_path / "robin/journal")

    done = forked.run_text("journal", "verify", cwd=tmp_path / "robin")

    assert done.returncode == 14
    assert "The journal lacks events: 1 finding." in done.stderr
    assert done.stderr.rstrip().endswith("If it is lost: agentws journal renew")
    assert "altered" not in done.stderr
