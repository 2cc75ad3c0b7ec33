"""The installation's key: made once, kept for this user alone, and understood by OpenSSH."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats.identity import sshsig
from agentws.core.installation import keys
from agentws.errors import DamagedError, OutsideProgramError
from tests.crash import harness
from tests.thorough import THOROUGH

MESSAGE = b"agentws-seal-1 agent writer 1 00\n"
PROGRAM, LIBRARY = "ssh-keygen", "cryptography"
Only = Callable[[str], None]


def here(what: str) -> bool:
    return shutil.which("ssh-keygen") is not None if what == PROGRAM else keys._library()


def either(name: str) -> pytest.MarkDecorator:
    marks = {
        what: [pytest.mark.skipif(not here(what), reason=f"{what} is not here: NOT TESTED")]
        for what in (PROGRAM, LIBRARY)
    }
    return pytest.mark.parametrize(name, [pytest.param(what, marks=marks[what]) for what in marks])


needs_ssh = pytest.mark.skipif(not here(PROGRAM), reason="ssh-keygen is not here: NOT TESTED")


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Leaves one of the two that make and check signatures, or none."""
    program, library = keys._program, keys._library

    def leave(what: str) -> None:
        monkeypatch.setattr(keys, "_program", program if what == PROGRAM else lambda: None)
        monkeypatch.setattr(keys, "_library", library if what == LIBRARY else lambda: False)

    return leave


@pytest.fixture
def folder(tmp_path: Path) -> str:
    made = tmp_path / "state"
    made.mkdir(mode=0o700)
    return str(made)


@either("maker")
def test_a_key_is_made_once_and_for_this_user_alone(folder: str, only: Only, maker: str) -> None:
    only(maker)

    first, second = keys.ensure(folder, comment="robin"), keys.ensure(folder, comment="robin")

    assert first is not None
    assert second is not None
    assert first.public == second.public
    assert stat.S_IMODE(os.stat(f"{folder}/key").st_mode) == 0o600
    assert sorted(os.listdir(folder)) == ["key", "key.pub"]
    assert Path(f"{folder}/key.pub").read_text() == f"{first.public} robin\n"


@either("maker")
@either("signer")
@either("checker")
def test_each_understands_what_the_other_has_made(
    folder: str, only: Only, maker: str, signer: str, checker: str
) -> None:
    only(maker)
    key = keys.ensure(folder, comment="robin")
    assert key is not None

    only(signer)
    signature = key.sign(MESSAGE)
    only(checker)

    assert keys.verify(signature, MESSAGE, public=key.public)
    assert not keys.verify(signature, MESSAGE + b"x", public=key.public)
    assert not keys.verify(signature, MESSAGE, public=sshsig.key_text(bytes(32)))


@pytest.mark.skipif(not (here(PROGRAM) and here(LIBRARY)), reason="needs ssh-keygen and cryptography: NOT TESTED")
def test_both_sign_the_same_bytes(folder: str, only: Only) -> None:
    key = keys.ensure(folder, comment="robin")
    assert key is not None

    only(PROGRAM)
    one = key.sign(MESSAGE)
    only(LIBRARY)

    assert key.sign(MESSAGE) == one


@either("checker")
def test_a_signature_with_a_changed_byte_is_not_good(folder: str, only: Only, checker: str) -> None:
    key = keys.ensure(folder, comment="robin")
    assert key is not None
    raw = bytearray(sshsig.parse(key.sign(MESSAGE)).raw)
    only(checker)

    for at in (0, 31, 32, 63):
        changed = bytes(byte ^ (index == at) for index, byte in enumerate(raw))
        assert not keys.verify(sshsig.armor(key.public, changed), MESSAGE, public=key.public), at
    assert not keys.verify("nonsense", MESSAGE, public=key.public)


def test_where_nothing_can_sign_there_is_no_key_and_no_error(folder: str, only: Only) -> None:
    only("neither")

    assert keys.ensure(folder, comment="robin") is None
    assert not keys.is_possible()
    assert os.listdir(folder) == []


@needs_ssh
def test_where_nothing_can_check_that_is_said(folder: str, only: Only) -> None:
    key = keys.ensure(folder, comment="robin")
    assert key is not None
    signature = key.sign(MESSAGE)
    only("neither")

    with pytest.raises(OutsideProgramError, match="cannot be checked"):
        keys.verify(signature, MESSAGE, public=key.public)
    with pytest.raises(OutsideProgramError, match="Nothing can be signed"):
        key.sign(MESSAGE)


@needs_ssh
def test_a_missing_public_half_is_made_again(folder: str) -> None:
    keys.ensure(folder, comment="robin")
    before = Path(f"{folder}/key.pub").read_bytes()
    os.unlink(f"{folder}/key.pub")

    keys.ensure(folder, comment="robin")

    assert Path(f"{folder}/key.pub").read_bytes() == before


def test_a_key_that_cannot_be_read_is_damage_and_stays(folder: str) -> None:
    Path(f"{folder}/key").write_text("not a key\n")

    with pytest.raises(DamagedError, match="unreadable key"):
        keys.find(folder)

    assert Path(f"{folder}/key").read_text() == "not a key\n"


def test_a_program_of_the_present_folder_is_never_run(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "ssh-keygen"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(keys, "_library", lambda: False)

    for path in (".", "", ":", "bin/.."):
        monkeypatch.setenv("PATH", path)
        assert keys.ensure(folder, comment="robin") is None

    assert not (tmp_path / "ran").exists()


def test_a_program_that_fails_is_an_error_with_a_way_out(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "ssh-keygen"
    broken.write_text("#!/bin/sh\necho 'no entropy today' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(keys, "_library", lambda: False)

    with pytest.raises(OutsideProgramError, match="no entropy today") as raised:
        keys.ensure(folder, comment="robin")

    assert "agentws[crypto]" in (raised.value.hint or "")
    assert os.listdir(folder) == []


@needs_ssh
def test_our_surroundings_do_not_reach_the_program(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = tmp_path / "ssh-keygen"
    real = shutil.which("ssh-keygen")
    spy.write_text(f'#!/bin/sh\nenv > {tmp_path}/seen\npwd >> {tmp_path}/seen\nexec {real} "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("SSH_SK_PROVIDER", "/tmp/evil.so")
    monkeypatch.setattr(keys, "_library", lambda: False)

    keys.ensure(folder, comment="robin")

    assert "evil" not in (tmp_path / "seen").read_text()
    assert (tmp_path / "seen").read_text().endswith("\n/\n")


@needs_ssh
def test_processes_that_make_it_at_once_end_with_one_key(folder: str) -> None:
    patient = "from agentws.core.installation import keys; keys._MAKING_S = 600.0"
    code = f"{patient}; print(keys.ensure({folder!r}, comment='robin').public)"
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(8)]

    said = {process.communicate()[0] for process in started}

    assert {process.returncode for process in started} == {0}
    assert len(said) == 1
    assert said.pop().decode().strip() == sshsig.public_of(Path(f"{folder}/key").read_bytes())
    assert sorted(os.listdir(folder)) == ["key", "key.pub"]


@needs_ssh
def test_halves_that_killed_processes_have_left_go_with_time(folder: str) -> None:
    old, young = Path(folder, ".making-old"), Path(folder, ".making-young")
    for left in (old, young):
        left.mkdir()
        (left / "key").write_text("half")
    half = Path(folder, ".key-0a1b2c3d")
    half.write_text("half")
    for left in (old, half):
        os.utime(left, (1, 1))

    keys.ensure(folder, comment="w")

    assert not old.exists()
    assert not half.exists()
    assert young.exists()


def test_killed_at_any_moment_there_is_one_key_in_the_end(folder: str) -> None:
    def act(root: str, ack: Callable[..., None]) -> None:
        key = keys.ensure(root, comment="robin")
        assert key is not None
        ack(key.public)

    points = len(harness.run(act, folder).changing)
    assert points > 8
    for at in range(points):
        # After a step is before the next one.
        for how in (harness.BEFORE, harness.HALF, *((harness.AFTER,) if THOROUGH or at == points - 1 else ())):
            shutil.rmtree(folder)
            os.mkdir(folder, 0o700)

            harness.run(act, folder, harness.Kill(at, how))
            before = Path(f"{folder}/key").read_bytes() if os.path.exists(f"{folder}/key") else None
            key = keys.ensure(folder, comment="robin")

            assert key is not None, (at, how)
            assert keys.verify(key.sign(MESSAGE), MESSAGE, public=key.public)
            assert before in (None, Path(f"{folder}/key").read_bytes()), (at, how)
            assert Path(f"{folder}/key.pub").read_text() == f"{key.public} robin\n"


@needs_ssh
def test_a_key_is_never_acknowledged_before_it_is_durable(folder: str) -> None:
    def act(root: str, ack: Callable[..., None]) -> None:
        assert keys.ensure(root, comment="robin") is not None
        ack()

    done = harness.run(act, folder)

    # What stands in the folder now, by the inode that ssh-keygen did not make, was synced, and then its name was.
    kinds = [event[0] for event in done.events]
    assert done.error is None
    inode = os.stat(f"{folder}/key").st_ino
    synced = [index for index, event in enumerate(done.events) if event == ("fsync", inode)]
    linked = [i for i, event in enumerate(done.events) if event[0] == "link" and event[-1] == "key"]
    named = [i for i, event in enumerate(done.events) if event == ("fsync", os.stat(folder).st_ino)]
    assert synced[0] < linked[0] < next(index for index in named if index > linked[0]) < kinds.index("ack")


@needs_ssh
def test_one_signature_is_checked_by_the_program_and_nothing_is_left_of_it(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.ensure(folder, comment="robin")
    assert key is not None
    signature, before = key.sign(b"words"), sorted(os.listdir(folder))
    monkeypatch.setattr(keys, "_verify_by_library", lambda *_: pytest.fail("the library was loaded"))

    assert keys.verify(signature, b"words", public=key.public, within=folder)
    assert not keys.verify(signature, b"other words", public=key.public, within=folder)
    assert sorted(os.listdir(folder)) == before
