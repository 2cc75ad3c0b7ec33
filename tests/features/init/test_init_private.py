"""`init` in somebody's code: `--private` keeps a memory out of `git add`, and what agentws keeps is on no branch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.cli import main
from agentws.core.formats.git import gitconfig
from agentws.core.states import versions
from agentws.core.terminal import dialog
from agentws.errors import WideFolderError
from agentws.workspace import Environment, Workspace, initialise


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
    return subprocess.run(
        ["git", "-C", str(folder), *settings, *words], capture_output=True, text=True, check=True
    ).stdout


def staged(folder: Path) -> set[str]:
    git(folder, "add", "-A")
    return set(git(folder, "diff", "--cached", "--name-only", "-z").split("\0")) - {""}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """Somebody's code, with a commit."""
    root = tmp_path / "code"
    (root / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", str(root))
    (root / "src/roof.py").write_text("print('roof')\n")
    (root / "README.md").write_text("# Roof\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a roof")
    return root


def at_top(code: Path) -> Path:
    return code


def deeper(code: Path) -> Path:
    (code / "agents/robin").mkdir(parents=True)
    return code / "agents/robin"


def new(code: Path) -> Path:
    return code / "agents/robin"


def oddly_named(code: Path) -> Path:
    (code / "a [b] *c? #d\\e ü").mkdir()
    return code / "a [b] *c? #d\\e ü"


def worktree(code: Path) -> Path:
    git(code, "worktree", "add", "-q", str(code.parent / "tree"))
    return code.parent / "tree"


def submodule(code: Path) -> Path:
    git(code.parent, "init", "-q", "-b", "main", "outer")
    git(code.parent / "outer", "submodule", "add", "-q", str(code), "inner")
    return code.parent / "outer/inner"


def adopted(code: Path) -> Path:
    (code / "memory").mkdir()
    (code / "memory/2026-11-18.md").write_text("# A day\n")
    (code / "SOUL.md").write_text("# Soul\n")
    return code


def used(root: Path, environment: Environment) -> Workspace:
    """The workspace, with something of every kind in it."""
    workspace = Workspace.open(str(root), environment=environment)
    workspace.log("the herons came")
    workspace.event("note", "looked around")
    workspace.remember("Ada likes herons")
    workspace.tasks.add("Mend the roof")
    workspace.contexts.new("blog")
    workspace.handoff(doing="the roof")
    workspace.journal.seal()
    return workspace


@pytest.mark.parametrize("place", [at_top, deeper, new, oddly_named, worktree, submodule, adopted])
def test_git_add_stages_nothing_of_a_private_workspace(place: object, code: Path, environment: Environment) -> None:
    root = place(code)  # type: ignore[operator]
    before = git(code, "rev-parse", "main")

    done = initialise(str(root), environment, private=True)
    workspace = used(root, environment)

    repository = root if root.is_dir() and place is not new else code
    assert done.private
    assert done.notices == []
    assert staged(repository) <= {".gitmodules", "inner"}
    assert git(repository, "status", "--porcelain").strip() == ""
    assert git(code, "rev-parse", "main") == before
    kept = versions.open_newest(workspace.stores.files, workspace.stores.manifest)
    newest = kept.newest() if kept else None
    assert newest is not None
    assert newest[2].startswith("agentws handoff"), "what agentws keeps goes on"


def test_without_it_git_add_takes_the_memory_and_init_says_so(code: Path, environment: Environment) -> None:
    done = initialise(str(code), environment)

    assert done.is_in_code
    assert not done.private
    assert {"MEMORY.md", "SOUL.md", "agentws.toml"} <= staged(code)


def test_a_workspace_that_is_there_already_is_made_private_and_public_again(
    code: Path, environment: Environment
) -> None:
    place = code / ".git/info/exclude"
    place.parent.mkdir(exist_ok=True)
    place.write_text("*.o\nno line end")
    initialise(str(code), environment)
    for _ in range(2):
        assert initialise(str(code), environment, private=True).private
        once = place.read_text()
    assert once.startswith("*.o\nno line end\n# agentws: ")
    assert once.count("/MEMORY.md") == 1
    assert staged(code) == set()

    initialise(str(code), environment, private=False)

    assert place.read_text() == "*.o\nno line end\n"
    assert "MEMORY.md" in staged(code)


def test_undo_of_init_takes_the_lines_away(code: Path, environment: Environment) -> None:
    place = code / ".git/info/exclude"
    before = place.read_text() if place.exists() else ""
    workspace = Workspace.init(str(code), environment=environment, private=True)
    assert place.read_text() != before

    workspace.undo(dry_run=True)
    assert place.read_text() != before
    workspace.undo(yes=True)

    assert place.read_text() == before
    assert git(code, "status", "--porcelain") == ""


def test_two_workspaces_in_one_repository_have_lines_of_their_own(code: Path, environment: Environment) -> None:
    for name in ("a", "ab"):
        (code / name).mkdir()
        initialise(str(code / name), environment, private=True)
    Workspace.open(str(code / "a"), environment=environment).undo(yes=True)

    text = (code / ".git/info/exclude").read_text()
    assert "/ab/MEMORY.md" in text
    assert "/a/MEMORY.md" not in text


def test_what_git_tracks_already_is_named(code: Path, environment: Environment) -> None:
    (code / "AGENTS.md").write_text("# Agents\n")
    git(code, "add", "AGENTS.md")

    done = initialise(str(code), environment, private=True)

    assert any("git already tracks" in notice and "AGENTS.md" in notice for notice in done.notices)


def test_who_versions_a_memory_there_is_not_asked(code: Path, environment: Environment) -> None:
    adopted(code)
    git(code, "add", "-A")

    assert not initialise(str(code), environment).is_in_code


def test_no_repository_and_one_without_other_files_need_nothing(tmp_path: Path, environment: Environment) -> None:
    done = initialise(str(tmp_path / "alone"), environment, private=True)
    git(tmp_path, "init", "-q", "empty")

    assert done.private is None
    assert any("no git repository" in notice for notice in done.notices)
    assert not initialise(str(tmp_path / "empty"), environment).is_in_code


def test_dry_run_hides_nothing(code: Path, environment: Environment) -> None:
    before = {path: path.stat().st_mtime_ns for path in code.rglob("*")}

    assert initialise(str(code), environment, private=True, dry_run=True).private
    assert {path: path.stat().st_mtime_ns for path in code.rglob("*")} == before


def test_dry_run_shows_nothing_that_was_hidden(code: Path, environment: Environment) -> None:
    initialise(str(code), environment, private=True)
    before = (code / ".git/info/exclude").read_bytes()

    initialise(str(code), environment, private=False, dry_run=True)

    assert (code / ".git/info/exclude").read_bytes() == before


def test_an_exclude_that_is_a_link_is_left_alone(code: Path, environment: Environment, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("x\n")
    place = code / ".git/info/exclude"
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(theirs)

    with pytest.raises(Exception, match="a link"):
        initialise(str(code), environment, private=True)

    assert theirs.read_text() == "x\n"
    assert not (code / "agentws.toml").exists()


def test_a_path_that_cannot_be_said_is_refused() -> None:
    with pytest.raises(Exception, match="line break"):
        gitconfig.exclude_patterns("a\nb")


def test_a_terminal_is_asked(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(dialog, "is_terminal", lambda run: True)
    monkeypatch.setattr(dialog, "confirm", lambda question, **_: asked.append(question) or True)
    monkeypatch.setattr(dialog, "prompt", lambda question, usual: usual)

    assert main.run(["init", str(code)]) == 0
    assert main.run(["init", str(code)]) == 0

    assert len(asked) == 1
    assert staged(code) == set()


# Folders that hold more than one agent


@pytest.mark.parametrize("path", ["/", "home", "home/sam"])
def test_a_home_and_what_is_above_need_somebody_to_agree(path: str, tmp_path: Path, environment: Environment) -> None:
    home = tmp_path / "home/sam"
    home.mkdir(parents=True)
    root = path if path == "/" else str(tmp_path / path)

    with pytest.raises(WideFolderError) as refused:
        initialise(root, environment, home=str(home), agreed=False)

    assert refused.value.exit_code == 2
    assert "--yes" in (refused.value.hint or "")
    assert list(home.iterdir()) == []
    tried = initialise(root, environment, home=str(home), agreed=False, dry_run=True)
    assert tried.added
    assert any(refused.value.message in notice and "--yes" in notice for notice in tried.notices)
    assert not initialise(root, environment, home=str(home), agreed=True, dry_run=True).notices


@pytest.mark.parametrize("path", ["home/sam/robin", "home/samuel", "other"])
def test_a_folder_of_its_own_needs_nobody(path: str, tmp_path: Path, environment: Environment) -> None:
    home = tmp_path / "home/sam"
    home.mkdir(parents=True)

    assert initialise(str(tmp_path / path), environment, home=str(home), agreed=False, git=False).added


def test_the_door_asks_for_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "home")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    words = ["init", "--no-git", str(tmp_path / "home")]

    assert main.run(words) == 2
    assert list((tmp_path / "home").iterdir()) == []
    monkeypatch.setattr(dialog, "is_terminal", lambda run: True)
    monkeypatch.setattr(dialog, "confirm", lambda question, **_: False)
    assert main.run(words) == 2
    monkeypatch.setattr(dialog, "confirm", lambda question, **_: True)
    monkeypatch.setattr(dialog, "prompt", lambda question, usual: usual)
    assert main.run(words) == 0
    monkeypatch.setattr(dialog, "is_terminal", lambda run: False)
    assert main.run(words) == 0, "it is one already"


def test_yes_agrees_to_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert main.run(["init", "--yes", "--no-git", str(tmp_path)]) == 0
