"""A sync that is cut off anywhere: run again, it ends as if nothing had been."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk import files as _files
from agentws.core.states import plumbing, private, remote
from agentws.errors import AgentwsError, ChangedUnderneathError, DiskError, OutsideProgramError
from agentws.features.sync.store import contact, folder
from agentws.features.sync.store.remote import Remote
from tests.features.sync.store.machines import AGENT, Machine, bare, git, machines
from tests.thorough import THOROUGH


class Killed(BaseException):
    """What nobody catches."""


STEPS: tuple[tuple[object, str], ...] = (
    (plumbing, "run"), (remote, "run"), (os, "rename"), (os, "mkdir"), (_files, "sync"), (shutil, "rmtree"),
)  # fmt: skip


def killed_at(number: int, *, after: bool, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Die before or after the step of this number; what tells whether there was one."""
    count = 0

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **words: object) -> object:
            nonlocal count
            count += 1
            if count > number or (count == number and not after):
                raise Killed
            result = real(*args, **words)
            if count == number:
                raise Killed
            return result

        return step

    for where, name in STEPS:
        monkeypatch.setattr(where, name, dying(getattr(where, name)))
    return lambda: count >= number


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_the_stick_and_the_machine_go_on(tmp_path: Path, after: bool) -> None:
    number, is_over = 0, False
    while not is_over:
        number += 1
        here = tmp_path / str(number)
        (here / "stick").mkdir(parents=True)
        stick = Remote(str(here / "stick"), name="robin")
        desk, lap = Machine(here / "desk"), Machine(here / "lap", {})
        with machines(desk, lap):
            if number % 2:  # the repository on the stick is made meanwhile, or was there
                desk.sync(stick)
                desk.write("MEMORY.md", "- more\n")
            with pytest.MonkeyPatch.context() as patch:
                was_met = killed_at(number, after=after, monkeypatch=patch)
                try:
                    desk.reopen()
                    desk.sync(stick)
                except Killed:
                    pass
                is_over = not was_met()
            desk.reopen()
            before = stick.fetch(lap.repo, AGENT)  # another machine is not kept out by what was left
            if before is not None:
                assert lap.repo.tree(before.commit)
            tip = desk.sync(stick)
            assert stick.fetch(lap.repo, AGENT) == tip
            texts = {path: lap.repo.blob(oid).decode() for path, oid in lap.repo.tree(tip.commit).items()}
            assert texts == {path: (desk.root / path).read_text() for path in texts}
            places = [each for each in (here / "stick").iterdir() if not each.name.startswith(".agentws-new-")]
            assert len(places) == 1
            assert git("fsck", "--strict", "--no-dangling", cwd=places[0]) == ""
            assert git("for-each-ref", "--format=%(refname)", cwd=places[0]) == f"refs/agentws/sync/{AGENT}/00000001"
    assert number > 20


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_step_of_a_new_epoch(tmp_path: Path, after: bool) -> None:
    # After a step is before the next one: each way takes each second, in the thorough form all.
    number, is_over = (0, False) if after or THOROUGH else (-1, False)
    while not is_over:
        number += 1 if THOROUGH else 2
        here = tmp_path / str(number)
        (here / "stick").mkdir(parents=True)
        stick = Remote(str(here / "stick"), name="robin")
        desk = Machine(here / "desk")
        with machines(desk):
            desk.write("MEMORY.md", "- Ada's number is 12345\n")
            old = desk.sync(stick)
            secret = desk.repo.tree(old.commit)["MEMORY.md"]
            desk.write("MEMORY.md", "- Ada\n")
            root = desk.state(epoch=2, renews=old.commit)
            tree = desk.repo.tree(root)
            with pytest.MonkeyPatch.context() as patch:
                was_met = killed_at(number, after=after, monkeypatch=patch)
                try:
                    stick.renew(desk.repo, AGENT, root, old)
                    desk.repo.renew(root)
                except Killed:
                    pass
                is_over = not was_met()
            desk.reopen()
            tip = stick.fetch(desk.repo, AGENT)
            assert tip is not None
            if tip == old:
                assert desk.repo.has(root)
                tip = stick.renew(desk.repo, AGENT, root, old)
            assert stick.tidy(AGENT)
            assert tip.epoch == 2
            assert desk.repo.tree(tip.commit) == tree
            desk.repo.renew(tip.commit)
            place = next((here / "stick").glob("robin-*.git"))
            for repository in (place, Path(desk.repo.git_dir)):
                assert secret not in git("cat-file", "--batch-all-objects", "--batch-check", cwd=repository)
                assert git("fsck", "--strict", "--no-dangling", cwd=repository) == ""
            assert sorted(os.listdir(desk.root / ".agentws/sync")) == ["head", "repo.git"]
    assert number > 10


def test_a_push_whose_answer_is_lost_was_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        first = desk.sync(there)
        real = contact.ask

        def lost(*args: object, **words: object) -> str:
            told = real(*args, **words)  # type: ignore[arg-type]
            if args[3] == "push":
                raise OutsideProgramError("git push failed: the remote end hung up")
            return told

        monkeypatch.setattr(contact, "ask", lost)
        desk.write("MEMORY.md", "- more\n")
        second = desk.sync(there)
        assert there.fetch(desk.repo, AGENT) == second != first


def test_a_push_that_nobody_answers_is_an_error_and_is_found_out_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        first = desk.sync(there)
        desk.write("MEMORY.md", "- more\n")
        commit = desk.state([first.commit])
        real = contact.ask

        def lost(*args: object, **words: object) -> str:
            if args[3] == "push":
                real(*args, **words)  # type: ignore[arg-type]
            raise OutsideProgramError(f"git {args[3]} failed: no route to host")

        with monkeypatch.context() as patch:
            patch.setattr(contact, "ask", lost)
            with pytest.raises(OutsideProgramError, match="git push failed: no route to host"):
                there.push(desk.repo, AGENT, commit, first)
        tip = there.fetch(desk.repo, AGENT)
        assert tip is not None
        assert tip.commit == commit == desk.repo.head()


def test_a_remote_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ssh"
    program.write_text("#!/bin/sh\nsleep 3600\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    desk = Machine(tmp_path / "desk")
    with machines(desk), pytest.raises(OutsideProgramError, match=r"did not finish within 0\.2 s"):
        Remote("host:robin.git").fetch(desk.repo, AGENT, timeout_s=0.2)


def test_a_lock_that_was_left_there_is_named(tmp_path: Path) -> None:
    place = bare(tmp_path / "there")
    there = Remote(str(place))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        first = desk.sync(there)
        lock = place / f"refs/agentws/sync/{AGENT}/00000001.lock"
        lock.touch()
        with pytest.raises(OutsideProgramError) as raised:
            desk.sync(there)
        assert str(lock) in raised.value.message
        assert raised.value.hint == "If no git command is running there, remove the lock file named above."
        lock.unlink()
        assert desk.sync(there) != first


def test_a_remote_that_was_set_back_gets_again_what_it_lost(tmp_path: Path) -> None:
    place = bare(tmp_path / "there")
    there = Remote(str(place))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        first = desk.sync(there)
        desk.write("MEMORY.md", "- more\n")
        second = desk.sync(there)
        git("update-ref", f"refs/agentws/sync/{AGENT}/00000001", first.commit, cwd=place)
        tip = there.fetch(desk.repo, AGENT)
        assert tip == first
        assert desk.repo.head() == second.commit
        assert desk.repo.bases(second.commit, first.commit) == [first.commit]
        third = there.push(desk.repo, AGENT, desk.state([first.commit, second.commit]), first)
        assert there.fetch(desk.repo, AGENT) == third


def test_a_cross_of_two_remotes_has_two_bases(tmp_path: Path) -> None:
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        base = desk.state()
        left, right = (desk.state([base], tree={"MEMORY.md": desk.repo.store([text])[0]}) for text in (b"l\n", b"r\n"))
        one, other = desk.state([left, right], tree={}), desk.state([right, left], tree={})
        assert desk.repo.bases(one, other) == sorted([left, right])


@pytest.mark.parametrize("hurt", ["HEAD", "config", "objects", "refs"])
def test_a_private_repository_that_is_torn_is_made_again(tmp_path: Path, hurt: str) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        tip = desk.sync(there)
        desk.repo.close()
        at = Path(desk.repo.git_dir) / hurt
        if at.is_dir():
            shutil.rmtree(at)
        else:
            at.write_bytes(b"")
        desk.reopen()
        assert desk.repo.head() is None
        assert there.fetch(desk.repo, AGENT) == tip
        assert desk.repo.head() == tip.commit


def test_locks_that_a_killed_git_left_here_are_no_harm(tmp_path: Path) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    with machines(desk, lap):
        desk.sync(there)
        tip = there.fetch(lap.repo, AGENT)
        desk.write("MEMORY.md", "- more\n")
        newer = desk.sync(there)
        at = Path(lap.repo.git_dir)
        ref = next(at.glob("refs/there/*/sync/00000001"))
        for left in (ref.with_name("00000001.lock"), at / "packed-refs.lock", at / "objects/pack/tmp_pack_x"):
            left.touch()
        lap.reopen()
        assert there.fetch(lap.repo, AGENT) == newer != tip
        assert not [*at.rglob("*.lock"), *at.rglob("tmp_*")]


def test_a_disk_that_fails_to_sync_gives_no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        before = desk.state()
        desk.write("MEMORY.md", "- more\n")

        def fails(path: str) -> None:
            raise OSError(5, "I/O error")

        monkeypatch.setattr(private, "sync_folder", fails)
        with pytest.raises(DiskError, match="disk I/O error"):
            desk.state([before])
        assert desk.repo.head() == before


def test_a_damaged_repository_on_a_stick_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    stick = Remote(str(tmp_path / "stick"), name="robin")
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        desk.sync(stick)
        place = next((tmp_path / "stick").iterdir())
        (place / "HEAD").unlink()
        assert stick.fetch(desk.repo, AGENT) is None
        with pytest.raises(OutsideProgramError, match="a damaged one"):
            stick.push(desk.repo, AGENT, desk.state(), None)
        place.rename(tmp_path / "away")
        tip = stick.push(desk.repo, AGENT, desk.state(), None)
        assert stick.fetch(desk.repo, AGENT) == tip


def test_of_a_repository_on_a_disk_no_program_runs(tmp_path: Path) -> None:
    place = bare(tmp_path / "there")
    canary = tmp_path / "canary"
    there = Remote(str(place))
    desk, lap = Machine(tmp_path / "desk"), Machine(tmp_path / "lap", {})
    hooks = (
        "pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive",
        "push-to-checkout", "pre-auto-gc",
    )  # fmt: skip
    (place / "hooks").mkdir(exist_ok=True)
    for name in hooks:
        (place / "hooks" / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (place / "hooks" / name).chmod(0o755)
    git("config", "uploadpack.packObjectsHook", f"touch {canary};", cwd=place)
    with machines(desk, lap):
        tip = desk.sync(there)
        assert there.fetch(lap.repo, AGENT) == tip
        assert not canary.exists()
        for name in (
            "core.alternateRefsCommand",
            "core.fsmonitor",
            "hook.x.command",
            "include.path",
            "remote.x.uploadpack",
        ):
            git("config", name, f"touch {canary}", cwd=place)
            with pytest.raises(OutsideProgramError, match="git could run a program"):
                there.fetch(lap.repo, AGENT)
            git("config", "--unset", name, cwd=place)
        assert not canary.exists()
        # The same hooks do run where git itself is asked: the test could see it.
        git("update-ref", "refs/heads/x", tip.commit, cwd=place)
        assert canary.exists()


def test_two_do_not_push_into_our_repository_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_PATIENCE_S", 0.0)
    (tmp_path / "stick").mkdir()
    stick = Remote(str(tmp_path / "stick"))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        tip = desk.sync(stick)
        place = str(next((tmp_path / "stick").iterdir()))
        with folder.alone(place), pytest.raises(AgentwsError, match="Another sync is writing") as raised:
            desk.sync(stick)
        assert raised.value.exit_code == 11
        assert stick.fetch(desk.repo, AGENT) == tip


def test_a_repository_of_other_ids_is_said(tmp_path: Path) -> None:
    git("init", "-q", "--bare", "--object-format=sha256", str(tmp_path / "there"))
    desk = Machine(tmp_path / "desk")
    with machines(desk), pytest.raises(OutsideProgramError) as raised:
        desk.sync(Remote(str(tmp_path / "there")))
    assert raised.value.hint == "The repository uses SHA-256. Create one without: git init --bare"


def test_what_is_pushed_follows_what_is_there(tmp_path: Path) -> None:
    there = Remote(str(bare(tmp_path / "there")))
    desk = Machine(tmp_path / "desk")
    with machines(desk):
        tip = desk.sync(there)
        with pytest.raises(ValueError, match="has to follow"):
            there.push(desk.repo, AGENT, desk.state(), tip)
        with pytest.raises(ValueError, match="has to follow"):
            there.push(desk.repo, AGENT, desk.state([tip.commit], epoch=2), tip)
        with pytest.raises(ValueError, match="follows none"):
            there.renew(desk.repo, AGENT, desk.state([tip.commit], epoch=2), tip)
        with pytest.raises(ChangedUnderneathError):
            there.push(desk.repo, AGENT, desk.state(tree={}), None)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("git@host: Permission denied (publickey).", "ssh must log in"), ("Host key verification failed.", "unknown"),
        ("fatal: could not read Username for 'https://x'", "credential helper"), ("No space left on device", "full"),
        ("error: unable to create x: Read-only file system", "read-only"), ("Could not resolve host: x", "network"),
        ("fatal: '/x' does not appear to be a git repository", "git init --bare"), ("something else", "otherwise"),
        ("fatal: detected dubious ownership in repository", "safe.directory"),
    ],
)  # fmt: skip
def test_what_can_be_done_is_said(said: str, hint: str) -> None:
    assert hint in str(remote.explained(OutsideProgramError(said), "otherwise").hint)


def test_killed_while_what_was_made_here_is_named_the_next_fetch_goes_on(tmp_path: Path) -> None:
    desk, there = Machine(tmp_path / "desk"), Remote(str(bare(tmp_path / "there.git")), name="robin")
    with machines(desk):
        tip = desk.sync(there)
        real = os.rename

        def dying(source: str, to: str, **words: int) -> None:
            if str(to).endswith("/newest"):
                Path(source).write_text("")
                raise Killed
            real(source, to, **words)

        desk.write("MEMORY.md", "More.\n")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "rename", dying)
            with pytest.raises(Killed):
                desk.state([tip.commit])
        desk.reopen()

        assert there.fetch(desk.repo, AGENT) == tip


def test_the_lock_of_a_killed_git_goes_from_a_repository_of_ours_alone(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    folder.make(str(place := tmp_path / "stick" / f"robin-{AGENT[:8]}.git"))
    assert place.stat().st_mode & 0o777 == 0o700
    (place / "refs" / "agentws" / "sync" / AGENT).mkdir(parents=True)
    ours = place / "refs" / "agentws"
    left = [ours / "sync" / AGENT / "00000001.lock", place / "HEAD.lock"]
    fresh, others = place / "packed-refs.lock", [place / "mine.lock", ours / "x.lock", place / "refs" / "Cargo.lock"]
    for path in (fresh, *left, *others):
        path.touch()
    for path in (*left, *others):
        os.utime(path, (1, 1))
    with folder.alone(str(place)):
        assert [path.exists() for path in (*left, fresh, *others)] == [False, False, True, True, True, True]


@pytest.mark.parametrize("is_ours", [True, False])
def test_after_a_git_that_was_killed_in_a_push_the_next_one_goes_through(tmp_path: Path, is_ours: bool) -> None:
    (tmp_path / "stick").mkdir()
    at = tmp_path / "stick" if is_ours else bare(tmp_path / "repo.git")
    desk, remote = Machine(tmp_path / "desk"), Remote(str(at), name="robin")
    old = remote.push(desk.repo, AGENT, desk.state(), None)
    (place,) = tmp_path.glob("stick/*.git" if is_ours else "repo.git")
    lock = next(path for path in (place / "refs").rglob("*") if path.is_file() and AGENT in str(path))
    lock = lock.with_name(f"{lock.name}.lock")
    lock.touch()
    os.utime(lock, (1, 1))
    desk.write("MEMORY.md", "two\n")
    new = desk.state([old.commit])
    if is_ours:
        assert remote.push(desk.repo, AGENT, new, old).commit == new
    else:
        with pytest.raises(OutsideProgramError, match="lock"):
            remote.push(desk.repo, AGENT, new, old)
    assert lock.exists() != is_ours
