"""A repository on a stick that somebody had in hand: what leads elsewhere is refused, and nothing there is touched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.errors import OutsideProgramError
from agentws.features.sync.store import folder
from agentws.features.sync.store.remote import Remote
from tests.features.sync.store.machines import AGENT, Machine, bare, git, machines


def project(place: Path) -> Path:
    """A repository of somebody's own with a commit that lies in a pack, and a lock file in its folder."""
    git("init", "-q", str(place))
    for name in ("mine.txt", "deps.lock"):
        (place / name).write_text("mine\n")
    git("add", ".", cwd=place)
    git("commit", "-qm", "work", cwd=place)
    git("repack", "-adq", cwd=place)
    os.utime(place / "deps.lock", (1, 1))
    return place


def files(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def link(name: str, to: str = ".git") -> Callable[[Path, Path], None]:
    """What puts a link to the project in the place of something."""

    def put(stick: Path, own: Path) -> None:
        at = stick / name
        if at.exists():
            at.rename(stick.parent / "away")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.symlink_to(own / to, target_is_directory=True)

    return put


def text(name: str, words: str) -> Callable[[Path, Path], None]:
    def put(stick: Path, own: Path) -> None:
        (stick / name).write_text(words.format(own / ".git"))

    return put


def config(key: str) -> Callable[[Path, Path], None]:
    return lambda stick, own: (git("config", key, str(own / ".git"), cwd=stick), None)[1]


def queue(name: str) -> Callable[[Path, Path], None]:
    """What puts a queue, which nobody ever fills, in the place of a file."""

    def put(stick: Path, own: Path) -> None:
        (stick / name).unlink(missing_ok=True)
        os.mkfifo(stick / name)

    return put


ODD = {
    "objects": link("objects", ".git/objects"), "pack": link("objects/pack", ".git/objects/pack"),
    "fan-out": link("objects/ab", ".git/objects/pack"), "refs": link("refs", "."), "ref": link("refs/agentws/x", "."),
    "log": link("logs/refs/agentws", ".git/HEAD"), "packed-refs": link("packed-refs", ".git/HEAD"),
    "info": link("info"), "shallow": link("shallow", ".git/HEAD"),
    "commondir": text("commondir", "{}\n"), "git-file": text(".git", "gitdir: {}\n"),
    "worktree": text("config.worktree", ""), "alternates": text("objects/info/alternates", "{}/objects\n"),
    "head": text("HEAD", "nothing\n"),
    "core.worktree": config("core.worktree"), "promisor": config("remote.x.promisor"),
    "worktrees": config("extensions.worktreeConfig"), "hook": config("gc.recentObjectsHook"),
    "config-queue": queue("config"), "refs-queue": queue("refs/x"),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_what_leads_elsewhere_is_refused_and_nothing_there_changes(tmp_path: Path, odd: str) -> None:
    (tmp_path / "stick").mkdir()
    own = project(tmp_path / "project")
    stick, desk = Remote(str(tmp_path / "stick"), name="robin"), Machine(tmp_path / "desk")
    with machines(desk):
        tip = stick.push(desk.repo, AGENT, desk.state(), None)
        (place,) = (tmp_path / "stick").iterdir()
        before = files(own)
        ODD[odd](place, own)
        desk.write("MEMORY.md", "two\n")
        for act in (
            lambda: stick.fetch(desk.repo, AGENT),
            lambda: stick.push(desk.repo, AGENT, desk.state([tip.commit]), tip),
            lambda: folder.tidy(str(place)),
        ):
            with pytest.raises(OutsideProgramError) as raised:
                act()
            assert not raised.value.message.startswith("git ")  # it was not even asked
    assert files(own) == before


def test_a_repository_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    own = project(tmp_path / "project")
    (tmp_path / "stick" / f"robin-{AGENT[:8]}.git").symlink_to(own / ".git", target_is_directory=True)
    desk = Machine(tmp_path / "desk")
    with machines(desk), pytest.raises(OutsideProgramError, match="is a link"):
        Remote(str(tmp_path / "stick"), name="robin").fetch(desk.repo, AGENT)


def test_a_clone_with_its_origin_is_a_remote(tmp_path: Path) -> None:
    own = project(tmp_path / "project")
    git("clone", "-q", "--bare", str(own), str(tmp_path / "there.git"))
    for place in (own, tmp_path / "there.git", bare(tmp_path / "empty.git")):
        folder.check_safe(str(place))
