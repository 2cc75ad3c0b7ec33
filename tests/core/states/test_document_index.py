"""A document that is as it was is not read again for history; whatever is done to one, the next state holds it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.states import document_index, plumbing, versions
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

TOKEN = "ghp_" + "a8F3kQ9zL2mX7vB4nC6tR1yW5uJ0hD8sEqPo"
PLAIN = "the heron stands in the reeds by the old wooden jetty till noon"[: len(TOKEN)]
DRAFT, OTHER = "tasks/draft.md", "tasks/other.md"
Edit = Callable[[Path], object]


@pytest.fixture
def robin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose documents are recorded and remembered, however few and however new they are."""
    monkeypatch.setattr(document_index, "_COARSEST_NS", -(10**18))
    here = Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.init(str(tmp_path / "robin"), environment=here, name="Robin")
    tasks = Path(workspace.root, "tasks")
    tasks.mkdir()
    (tasks / "draft.md").write_text(f"{PLAIN}\n")
    (tasks / "other.md").write_text(f"{PLAIN[::-1]}\n")
    workspace.remember("Ada likes herons")
    return workspace


def newest(workspace: Workspace) -> dict[str, bytes]:
    """What the newest state holds."""
    past = versions.open_past(workspace.stores.files, workspace.stores.manifest)
    assert past is not None
    tree = past.tree(past.states()[0][0])
    held = past.read(list(tree.values()))
    return {path: held[oid] for path, oid in tree.items()}


def present(workspace: Workspace) -> dict[str, bytes]:
    """What every document holds now."""
    return {path: workspace.stores.files.read(path) for path in versions.paths(workspace.stores.files)}


def opened_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    real = Files._opened

    def noted(files: Files, path: str, flags: int, mode: int) -> object:
        opened.append(path)
        return real(files, path, flags, mode)

    monkeypatch.setattr(Files, "_opened", noted)
    return opened


def as_before(path: Path, edit: Edit) -> None:
    """Edit a file and give it back the time that it had."""
    status = path.stat()
    edit(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def another(path: Path) -> None:
    beside = path.with_name(".beside")
    beside.write_text(path.read_text().swapcase())
    beside.rename(path)


def exchanged(path: Path) -> None:
    other = path.with_name("other.md")
    path.rename(path.with_name("third.md"))
    other.rename(path)
    path.with_name("third.md").rename(other)


def other_folder(path: Path) -> None:
    new = path.parent.with_name("tasks-new")
    shutil.copytree(path.parent, new, copy_function=shutil.copy2)
    as_before(new / path.name, lambda copied: copied.write_text(path.read_text().swapcase()))
    shutil.rmtree(path.parent)
    new.rename(path.parent)


EDITS: dict[str, Edit] = {
    "another text": lambda path: path.write_text("another\n"),
    "more of it": lambda path: path.write_text(path.read_text() + "more\n"),
    "of the same size": lambda path: path.write_text(path.read_text().swapcase()),
    "of the same size and time": lambda path: as_before(path, lambda it: it.write_text(it.read_text().swapcase())),
    "in its place": another,
    "in its place, of the same time": lambda path: as_before(path, another),
    "two exchanged": exchanged,
    "in another folder": other_folder,
    "gone": Path.unlink,
    "made executable": lambda path: path.chmod(0o755),
    "with another name": lambda path: os.link(path, path.with_name("third.md")),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_whatever_was_done_to_a_document_the_next_state_holds_what_is_there(edit: Edit, robin: Workspace) -> None:
    edit(Path(robin.root, DRAFT))
    robin.remember("Bo likes otters")

    assert newest(robin) == present(robin)


def test_a_link_in_its_place_is_no_document(robin: Workspace) -> None:
    path = Path(robin.root, DRAFT)
    path.unlink()
    path.symlink_to("other.md")
    robin.remember("Bo likes otters")

    assert DRAFT not in newest(robin)


def test_a_folder_of_the_name_of_a_file_is_looked_into(robin: Workspace) -> None:
    path = Path(robin.root, "tasks", "notes.txt")
    path.write_text("no document\n")
    robin.remember("Bo likes otters")
    path.unlink()
    path.mkdir()
    (path / "inner.md").write_text("a document\n")
    robin.remember("Cy likes voles")

    assert newest(robin) == present(robin)
    assert "tasks/notes.txt/inner.md" in newest(robin)


@pytest.mark.parametrize("later", ["a document\n", None])
def test_a_folder_of_the_name_of_a_document_is_looked_into(robin: Workspace, later: str | None) -> None:
    path = Path(robin.root, DRAFT)
    path.unlink()
    path.mkdir()
    (path / "inner.md").write_text("a document\n")
    robin.remember("Bo likes otters")
    assert newest(robin) == present(robin)
    assert f"{DRAFT}/inner.md" in newest(robin)
    shutil.rmtree(path)
    Path(robin.root, OTHER).unlink()
    if later:
        path.write_text(later)
    robin.remember("Cy likes voles")

    assert newest(robin) == present(robin)


def test_what_cannot_be_read_stays_in_the_next_state_as_it_was(robin: Workspace) -> None:
    before = newest(robin)[DRAFT]
    with Path(robin.root, DRAFT).open("a") as draft:
        draft.truncate((32 << 20) + 1)
    done = robin.remember("Bo likes otters")

    assert newest(robin)[DRAFT] == before
    assert any(DRAFT in notice for notice in done.notices)


def test_what_is_as_it_was_is_not_read_again(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(robin.root, OTHER).write_text("another\n")
    opened = opened_by(monkeypatch)
    robin.remember("Bo likes otters")

    assert [path for path in opened if path.startswith("tasks/")] == [OTHER]


def test_what_changed_while_it_was_read_is_not_remembered(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_index, "_COARSEST_NS", 2 * 10**9)
    Path(robin.root, DRAFT).write_text("another\n")
    robin.remember("Bo likes otters")
    opened = opened_by(monkeypatch)
    robin.remember("Cy likes voles")

    assert [path for path in opened if path.startswith("tasks/")] == [DRAFT]


@pytest.mark.parametrize("keep_times", [False, True])
def test_a_secret_that_was_put_in_later_is_held_back(keep_times: bool, robin: Workspace) -> None:
    path = Path(robin.root, DRAFT)
    assert path.stat().st_size == len(TOKEN) + 1
    before = path.stat()
    path.write_text(f"{TOKEN}\n")
    if keep_times:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for number in range(3):
        done = robin.remember(f"Bo likes otters {number}")
        assert any(DRAFT in notice for notice in done.notices)
        assert TOKEN not in newest(robin)[DRAFT].decode()


def test_what_was_let_in_with_its_secret_is_held_back_once_it_is_not(robin: Workspace) -> None:
    manifest = Path(robin.root, "agentws.toml")
    before = manifest.read_text()
    manifest.write_text(before.replace("[history]\n", f'[history]\ninclude = ["{DRAFT}"]\n'))
    Path(robin.root, DRAFT).write_text(f"{TOKEN}\n")
    open_again(robin).remember("Bo likes otters")
    assert TOKEN in newest(robin)[DRAFT].decode()
    manifest.write_text(before)
    Path(robin.root, OTHER).write_text("another\n")

    done = open_again(robin).remember("Cy likes voles")

    assert any(DRAFT in notice for notice in done.notices)


def test_other_rules_read_everything(robin: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    real = document_index._rules()
    monkeypatch.setattr("agentws.core.disk.cache.stamps", lambda paths: [[path, 1, 1, 1] for path in paths])
    opened = opened_by(monkeypatch)
    robin.remember("Bo likes otters")

    assert {DRAFT, OTHER} <= set(opened)
    assert {"secrets.py", "shapes.py", "checks.py", "key_names.py", "randomness.py"} <= {
        os.path.basename(path) for path in real
    }


def test_in_another_history_everything_is_recorded(robin: Workspace) -> None:
    shutil.rmtree(Path(robin.root, ".git"))
    plumbing.create(robin.root)
    robin.remember("Bo likes otters")

    assert newest(robin) == present(robin)


def test_a_state_by_hand_without_a_document_does_not_lose_it(robin: Workspace) -> None:
    for words in (("rm", "-q", "--cached", DRAFT), ("commit", "-q", "-m", "less")):
        mine = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", "-C", robin.root, *mine, *words], check=True)
    assert DRAFT not in newest(robin)
    robin.remember("Bo likes otters")

    assert newest(robin) == present(robin)


def open_again(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)
