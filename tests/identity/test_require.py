"""Under `identity.mode = "require"` only installations write that somebody vouched for; there is always a way out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.core.installation import keys
from agentws.errors import MayNotWriteError, UsageError
from tests.features.journal.keeping import needs_signing, needs_ssh
from tests.identity.machines import Machine, writers


@pytest.fixture
def vps(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "vps")


@pytest.fixture
def strict(desk: Machine, tmp_path: Path) -> Path:
    """A workspace of the desk, which requires that writers are vouched for."""
    root = tmp_path / "robin"
    desk.makes(root).event("note", "from the desk")
    manifest = root / layout.MANIFEST
    manifest.write_text(manifest.read_text() + '\n[identity]\nmode = "require"\n')
    desk.opens(root).identity.show(accept=True)  # whoever edits `[identity]` by hand is asked about it until then
    return root


def test_the_first_installation_writes_as_ever(desk: Machine, strict: Path) -> None:
    assert desk.opens(strict).event("note", "again").seq is not None
    assert desk.opens(strict).log("a line").line


def test_a_workspace_that_nobody_wrote_in_is_its_first_ones(desk: Machine, vps: Machine, tmp_path: Path) -> None:
    root = tmp_path / "new"
    desk.makes(root)
    manifest = root / layout.MANIFEST
    manifest.write_text(manifest.read_text() + '\n[identity]\nmode = "require"\n')

    assert vps.opens(root).event("note", "first").seq is not None

    with pytest.raises(MayNotWriteError):
        desk.opens(root).event("note", "second")


def test_an_unvouched_one_is_refused_with_the_way_out_and_reads_all_the_same(
    vps: Machine, strict: Path, desk: Machine
) -> None:
    for write in (lambda w: w.event("note", "x"), lambda w: w.log("x"), lambda w: w.tasks.add("x")):
        with pytest.raises(MayNotWriteError) as raised:
            write(vps.opens(strict))
        assert raised.value.exit_code == 15
        assert "identity takeover" in str(raised.value.hint)
        assert "identity vouch" in str(raised.value.hint)

    assert len(writers(strict)) == 1
    assert vps.opens(strict).boot().text
    assert not vps.opens(strict).status().well
    assert desk.opens(strict).status().well


def test_takeover_always_works_and_says_with_what_proof(vps: Machine, strict: Path) -> None:
    planned = vps.opens(strict).identity.take_over(dry_run=True)
    with pytest.raises(MayNotWriteError):
        vps.opens(strict).event("note", "x")

    done = vps.opens(strict).identity.take_over()

    assert (planned.needed, planned.proof, done.proof) == (True, "none", "none")
    assert vps.opens(strict).event("note", "x").seq is not None
    (line,) = (text for text in (strict / layout.WRITERS).read_text().split("\n") if "took_over" in text)
    assert '"proof":"none"' in line
    assert not vps.opens(strict).identity.take_over().needed


@needs_signing
def test_who_was_vouched_for_writes(desk: Machine, vps: Machine, strict: Path) -> None:
    wanted = vps.opens(strict).identity.request_vouch()
    with pytest.raises(MayNotWriteError):
        vps.opens(strict).event("note", "x")

    desk.opens(strict).identity.vouch(wanted.writer, key=wanted.key, host="vps")

    assert vps.opens(strict).event("note", "x").seq is not None
    shown = {one.writer: one.trusted_by for one in desk.opens(strict).identity.show().writers}
    assert shown[wanted.writer] in shown
    assert desk.opens(strict).identity.verify().findings == []


@needs_signing
def test_a_chain_of_vouches_holds_and_a_stranger_cannot_begin_one(
    desk: Machine, vps: Machine, strict: Path, tmp_path: Path
) -> None:
    phone, stranger = Machine(tmp_path, "phone"), Machine(tmp_path, "stranger")
    asked = vps.opens(strict).identity.request_vouch()
    desk.opens(strict).identity.vouch(asked.writer, key=asked.key)
    second = phone.opens(strict).identity.request_vouch()
    with pytest.raises(MayNotWriteError):
        stranger.opens(strict).identity.vouch(second.writer, key=second.key)

    vps.opens(strict).identity.vouch(second.writer, key=second.key)

    assert phone.opens(strict).event("note", "x").seq is not None


@needs_signing
def test_a_vouch_for_another_key_or_with_a_changed_word_opens_nothing(
    desk: Machine, vps: Machine, strict: Path
) -> None:
    wanted = vps.opens(strict).identity.request_vouch()
    desk.opens(strict).identity.vouch(wanted.writer, key=wanted.key, host="vps")
    file = strict / layout.WRITERS
    sound = file.read_text()
    other = keys.ensure(str(desk.home), comment="another")
    assert other is not None

    for changed in (
        sound.replace(wanted.key, other.public),
        sound.replace('"agentws-', '"Agentws-').replace('"seq":', '"seq":1'),
    ):
        file.write_text(changed)
        with pytest.raises(MayNotWriteError):
            vps.opens(strict).event("note", "x")
    assert desk.opens(strict).identity.verify().damaged

    file.write_text(sound)
    assert vps.opens(strict).event("note", "x").seq is not None


@needs_signing
def test_nobody_vouches_for_itself(desk: Machine, strict: Path) -> None:
    own = desk.opens(strict).identity.request_vouch()

    with pytest.raises(UsageError, match="itself"):
        desk.opens(strict).identity.vouch(own.writer, key=own.key)


@needs_ssh
@needs_signing
def test_a_recovery_key_signs_an_installation_in(desk: Machine, vps: Machine, strict: Path, tmp_path: Path) -> None:
    key = tmp_path / "recovery"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    with (strict / layout.SIGNERS).open("a") as signers:
        signers.write(f'recovery namespaces="agentws" {public}\n')

    done = vps.opens(strict).identity.take_over(recovery_key=str(key))

    assert done.proof == "recovery"
    assert {one.writer: one.trusted_by for one in vps.opens(strict).identity.show().writers}[done.writer] == "takeover"
    assert vps.opens(strict).identity.verify().findings == []
    assert vps.opens(strict).event("note", "x").seq is not None


def cut(root: Path, writer: str) -> None:
    """Take the newest event of this writer out of this copy, as a backup that is put back does."""
    (segment,) = (root / "journal" / writer).glob("0*.jsonl")
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:-1]))


@needs_signing
def test_a_newcomer_does_not_get_in_by_a_backup_that_is_put_back(desk: Machine, vps: Machine, tmp_path: Path) -> None:
    root = tmp_path / "robin"
    desk.makes(root).event("note", "from the desk")
    vps.opens(root).event("note", "nobody has answered yet")
    vps.opens(root).event("note", "and is lost again")
    newcomer = vps.opens(root).identity.show().writer
    assert newcomer
    cut(root, newcomer)
    vps.opens(root).event("note", "goes on as another writer")

    manifest = root / layout.MANIFEST
    manifest.write_text(manifest.read_text() + '\n[identity]\nmode = "require"\n')

    with pytest.raises(MayNotWriteError):
        vps.opens(root).event("note", "not under require")
    assert "To write here: agentws identity vouch" in " ".join(vps.opens(root).boot().notices)
    vps.opens(root).identity.take_over()
    assert vps.opens(root).event("note", "by a person's word").seq is not None


@needs_signing
def test_whoever_went_on_beside_an_older_copy_still_vouches_for_others(
    desk: Machine, vps: Machine, strict: Path
) -> None:
    desk.opens(strict).journal.seal()
    desk.opens(strict).event("note", "is lost")
    first = desk.opens(strict).identity.show().writer
    assert first
    cut(strict, first)
    desk.opens(strict).event("note", "goes on as another writer")
    assert desk.opens(strict).identity.show().writer != first
    asked = vps.opens(strict).identity.request_vouch()

    done = desk.opens(strict).identity.vouch(asked.writer, key=asked.key)

    assert done.notices == []
    assert vps.opens(strict).event("note", "signed in").seq is not None


@needs_signing
def test_a_vouch_that_will_not_count_says_so(desk: Machine, vps: Machine, tmp_path: Path) -> None:
    root = tmp_path / "robin"
    desk.makes(root).event("note", "from the desk")
    desk.opens(root).journal.seal()
    asked = Machine(tmp_path, "phone").opens(root).identity.request_vouch()

    done = vps.opens(root).identity.vouch(asked.writer, key=asked.key)

    assert "identity takeover" in " ".join(done.notices)
