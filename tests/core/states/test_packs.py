"""The packs that states come in are folded; what somebody else has in the repository is left alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentws.core.formats.git import objects
from agentws.core.states import git_history, plumbing, repository
from agentws.core.states.git_history import GitHistory
from agentws.errors import OutsideProgramError
from tests.core.states.test_plumbing import keeper, machine, record, root, sh, write

__all__ = ["machine", "root"]
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def packs(root: Path) -> set[str]:
    return {path.name for path in (root / ".git" / "objects" / "pack").glob("*.pack")}


def with_packs(root: Path, count: int) -> GitHistory:
    """A person's repository of so many packs, each of some kilobytes, in which we keep a ref of our own."""
    sh(root.parent, "init", "-q", "-b", "trunk", str(root))
    sh(root, "config", "gc.auto", "0")
    for number in range(count):
        write(root, {f"{number}.bin": os.urandom(4096)})
        sh(root, "add", f"{number}.bin")
        sh(root, "commit", "-q", "-m", str(number))
        sh(root, "repack", "-d", "-q")
    return keeper(root, str(root / ".git"), "ref")


@pytest.mark.parametrize("limit", [1 << 10, 32 << 20])
def test_large_packs_of_somebody_are_not_written_anew(root: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(git_history, "_MOST_FOLDED_BYTES", limit)
    history = with_packs(root, 40)
    theirs = packs(root)

    record(history, root, {"MEMORY.md": b"1\n"})

    assert (theirs <= packs(root)) is (limit == 1 << 10)
    sh(root, "fsck", "--full", "--strict")


def test_what_failed_is_not_tried_at_every_state(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = keeper(root, plumbing.create(str(root)), "branch")
    tried = []
    run = plumbing.run

    def failing(word: str, *arguments: str, **more: object) -> tuple[int, bytes, str]:
        if word != "repack":
            return run(word, *arguments, **more)  # type: ignore[arg-type]
        tried.append(len(packs(root)))
        return 128, b"", "fatal: no"

    monkeypatch.setattr(plumbing, "run", failing)
    for number in range(85):
        record(history, root, {"MEMORY.md": b"%d\n" % number})

    assert tried == [41, 81]


def test_what_git_would_write_anew_is_known(root: Path) -> None:
    history = with_packs(root, 12)
    for number in range(3):  # each larger than all before together
        write(root, {f"{number}/{each}.bin": os.urandom(512) for each in range(60 * 4**number)})
        sh(root, "add", str(number))
        sh(root, "commit", "-q", "-m", "many")
        sh(root, "repack", "-d", "-q")
    record(history, root, {"MEMORY.md": b"1\n"})
    before = repository.packs(str(root / ".git"))
    sizes = dict(zip(before, repository.measured(before), strict=True))

    sh(root, "repack", "-d", "-q", "-l", "--geometric=2")

    gone = set(before) - set(repository.packs(str(root / ".git")))
    assert 0 < len(gone) < len(before)
    assert objects.folded_bytes(sizes.values()) == sum(sizes[path][1] for path in gone)


@pytest.mark.parametrize(
    ("name", "text"),
    [(".gitattributes", "*.md " + "x" * 3000), (".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = -foo\n')],
)
def test_what_somebody_committed_for_git_stops_no_state(root: Path, name: str, text: str) -> None:
    history = keeper(root, plumbing.create(str(root)), "branch", owns=lambda path: path.endswith(".md"))
    write(root, {name: text.encode()})
    sh(root, "add", name)
    sh(root, "commit", "-q", "-m", "theirs")

    kept = record(history, root, {"MEMORY.md": b"1\n"})

    assert sh(root, "rev-parse", "HEAD").strip() == kept
    assert sh(root, "ls-tree", "-r", "--name-only", "HEAD").split() == [name, "MEMORY.md"]
    assert sh(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("words", [("gc", "-q", "--prune=now"), ("repack", "-a", "-d", "-q")])
@pytest.mark.parametrize("mode", ["branch", "ref"])
def test_a_state_in_the_making_is_not_tidied_away(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], mode: str
) -> None:
    history = keeper(root, plumbing.create(str(root)), mode)
    run = plumbing.run

    def tidying(word: str, *arguments: str, **more: object) -> tuple[int, bytes, str]:
        if word == "update-ref":
            sh(root, *words)
        return run(word, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(plumbing, "run", tidying)
    kept = [record(history, root, {"MEMORY.md": b"%d\n" % number}) for number in range(3)]

    assert sh(root, "rev-list", "--all").split() == kept[::-1]
    sh(root, "fsck", "--full", "--strict")
    assert not list((root / ".git/objects/pack").glob("*.keep"))


def test_what_somebody_killed_has_held_is_released_and_what_a_person_keeps_is_not(root: Path) -> None:
    history = keeper(root, plumbing.create(str(root)), "branch")
    for number in range(43):
        record(history, root, {"MEMORY.md": b"%d\n" % number})
        if number < 2:
            (pack,) = packs(root) - {path.with_suffix(".pack").name for path in held(root)}
            path = (root / ".git/objects/pack" / pack).with_suffix(".keep")
            path.write_text(["agentws\n", "mine\n"][number])
            os.utime(path, (1, 1))

    assert [path.read_text() for path in held(root)] == ["mine\n"]


@pytest.mark.parametrize("words", [["--object-format=sha1"], ["--object-format=sha256"]])
def test_a_pack_that_git_could_not_put_in_its_place_is_held_by_nobody(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    sh(root.parent, "init", "-q", "-b", "main", *words, str(root))
    history = keeper(root, str(root / ".git"), "branch")
    run = plumbing.run

    def failing(word: str, *arguments: str, **more: object) -> tuple[int, bytes, str]:
        status, out, text = run(word, *arguments, **more)  # type: ignore[arg-type]
        return (128, b"", "fatal: no space") if word == "index-pack" else (status, out, text)

    monkeypatch.setattr(plumbing, "run", failing)
    with pytest.raises(OutsideProgramError):
        record(history, root, {"MEMORY.md": b"1\n"})

    assert packs(root)
    assert held(root) == []


def held(root: Path) -> list[Path]:
    return list((root / ".git/objects/pack").glob("*.keep"))
