"""The newest state of an agent at a remote: fetched, moved by compare-and-swap, renewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.formats.travel.sync_state import Lease
from agentws.errors import ChangedUnderneathError, OutsideProgramError, UsageError
from agentws.features.sync.store.remote import Remote, Tip
from tests.features.sync.store.machines import AGENT, WRITER, Machine, bare, git, machines


@pytest.fixture
def there(tmp_path: Path) -> Remote:
    return Remote(str(bare(tmp_path / "there.git")))


def test_another_machine_gets_what_one_has_pushed(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        assert there.fetch(desk.repo, AGENT) is None
        tip = desk.sync(there)
        assert there.fetch(lap.repo, AGENT) == tip == Tip(tip.commit, 1)
        tree = lap.repo.tree(tip.commit)
        assert {path: lap.repo.blob(oid).decode() for path, oid in tree.items()} == {
            path: (desk.root / path).read_text() for path in tree
        }
        assert lap.repo.told(tip.commit).by == WRITER
        assert there.agents(lap.repo) == [AGENT]


def test_whoever_is_late_is_told_and_finds_what_both_share(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap")
    with machines(desk, lap):
        first = desk.sync(there)
        assert there.fetch(lap.repo, AGENT) == first
        late = lap.state([first.commit])
        desk.write("MEMORY.md", "- Ada likes terns\n")
        second = desk.sync(there)
        with pytest.raises(ChangedUnderneathError):
            there.push(lap.repo, AGENT, late, first)
        assert there.fetch(lap.repo, AGENT) == second
        assert lap.repo.bases(late, second.commit) == [first.commit]
        assert lap.repo.contains(second.commit, first.commit)
        assert not lap.repo.contains(second.commit, late)
        merged = lap.state([second.commit, late])
        assert there.push(lap.repo, AGENT, merged, second) == Tip(merged, 1)


def test_two_that_begin_at_once_do_not_lose_each_other(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {"MEMORY.md": "- other\n"})
    with machines(desk, lap):
        there.push(desk.repo, AGENT, desk.state(), None)
        with pytest.raises(ChangedUnderneathError):
            there.push(lap.repo, AGENT, lap.state(), None)
        tip = there.fetch(lap.repo, AGENT)
        assert tip is not None
        assert lap.repo.bases(lap.state(), tip.commit) == []


def test_an_epoch_goes_and_with_it_what_was_forgotten(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    stick = Remote(str(tmp_path / "stick"), name="robin")
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        desk.write("MEMORY.md", "- Ada's number is 12345\n")
        old = desk.sync(stick)
        assert stick.fetch(lap.repo, AGENT) == old
        forgotten = desk.repo.tree(old.commit)["MEMORY.md"]
        desk.write("MEMORY.md", "- Ada\n")
        new = stick.renew(desk.repo, AGENT, desk.state(epoch=2, renews=old.commit), old)
        assert new.epoch == 2
        assert stick.fetch(lap.repo, AGENT) == new
        assert stick.epochs(lap.repo) == [new]
        place = next((tmp_path / "stick").glob("robin-*.git"))
        assert forgotten not in git("cat-file", "--batch-all-objects", "--batch-check", cwd=place)
        lap.repo.renew(new.commit)
        assert not lap.repo.has(old.commit)
        assert lap.repo.tree(new.commit) == desk.repo.tree(new.commit)
        assert forgotten not in git("cat-file", "--batch-all-objects", "--batch-check", cwd=Path(lap.repo.git_dir))


def test_an_epoch_goes_only_from_the_state_that_was_seen(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        old = desk.sync(there)
        there.fetch(lap.repo, AGENT)
        lap.write("MEMORY.md", "- more\n")
        newer = lap.sync(there)
        with pytest.raises(ChangedUnderneathError):
            there.renew(desk.repo, AGENT, desk.state(epoch=2, renews=old.commit), old)
        assert there.fetch(lap.repo, AGENT) == newer


def test_nobody_pushes_into_an_epoch_that_went(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        old = desk.sync(there)
        there.fetch(lap.repo, AGENT)
        new = there.renew(desk.repo, AGENT, desk.state(epoch=2, renews=old.commit), old)
        with pytest.raises(ChangedUnderneathError):
            there.push(lap.repo, AGENT, lap.state([old.commit]), old)
        assert there.fetch(lap.repo, AGENT) == new
        assert there.epochs(lap.repo) == [new]


def test_the_lease_has_one_holder(tmp_path: Path, there: Remote) -> None:
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        assert there.lease(desk.repo, AGENT) is None
        held = there.swap(desk.repo, AGENT, None, Lease(WRITER, 1))
        with pytest.raises(ChangedUnderneathError):
            there.swap(lap.repo, AGENT, None, Lease("00699a1b2c3fa9c1", 1))
        found = there.lease(lap.repo, AGENT)
        assert found == held
        taken = there.swap(lap.repo, AGENT, found, Lease("00699a1b2c3fa9c1", 2))
        with pytest.raises(ChangedUnderneathError):
            there.swap(desk.repo, AGENT, held, Lease("", 2))
        assert there.lease(desk.repo, AGENT) == taken


@pytest.mark.parametrize(
    "url",
    [
        "-oProxyCommand=touch x", "ssh://-oProxyCommand=touch/x", "--upload-pack=touch", "ext::sh -c touch", "fd::7",
        "git://host/x", "http://host/x", "ftp://host/x", "-x@host:repo", "host\n:x", "", "a::b",
    ],
)  # fmt: skip
def test_a_url_that_names_a_program_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        Remote(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ada:hunter2@git.example/robin", "https://git.example/robin"),
        ("ssh://git@git.example:22/robin.git", "ssh://git@git.example:22/robin.git"),
        ("git@git.example:robin.git", "git@git.example:robin.git"),
        ("file:///srv/robin.git", "/srv/robin.git"),
        ("/srv/a:b", "/srv/a:b"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert Remote(url).shown == shown


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        with pytest.raises(OutsideProgramError, match="not found") as raised:
            Remote(str(tmp_path / "stick")).fetch(desk.repo, AGENT)
        assert raised.value.hint == "Mount the disk, or create the folder, and re-run."
        assert not (tmp_path / "stick").exists()
