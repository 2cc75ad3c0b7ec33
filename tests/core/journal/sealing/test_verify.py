"""What verifying finds besides changed lines: purges, seals, forgeries, what this machine remembers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, purge
from agentws.core.journal import read
from agentws.core.journal.sealing import verify
from agentws.core.journal.sealing.verified import VerifiedJournal
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.features.forget.purge import purge as purge_events
from agentws.features.journal.seal import seal
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.core.journal import journals

needs_keys = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    return workspace


def verified(workspace: Workspace) -> VerifiedJournal:
    own = journals.here(workspace)
    return verify.verify(workspace.stores.files, own.agent, own)


def what(found: VerifiedJournal) -> list[str]:
    return [finding.what for finding in found.findings]


def test_nothing_recorded_is_nothing_wrong(workspace: Workspace) -> None:
    found = verify.verify(workspace.stores.files, workspace.stores.manifest.agent_id)

    assert found.sound
    assert found.writers == []


def test_each_writer_is_verified_by_itself(journal: Workspace, tmp_path: Path) -> None:
    other = journals.another(journal, tmp_path)
    journals.fill(other, calls=1)

    found = verified(journal)

    assert found.sound
    assert [each.last for each in found.writers] == [
        read.last_seq(journal.stores.files, writer) for writer in read.writers(journal.stores.files)
    ]


def test_the_bytes_that_are_read_are_told_on_the_way(journal: Workspace) -> None:
    told: list[tuple[int, int]] = []

    verify.verify(
        journal.stores.files, journal.stores.manifest.agent_id, progress=lambda done, total: told.append((done, total))
    )

    size = sum(path.stat().st_size for path in journals.segments(journal))
    assert told[-1] == (size, size)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


# Purges


def test_a_purged_line_with_its_event_is_sound(journal: Workspace) -> None:
    writer = journals.here(journal).writer

    purge_events(journal.stores, [f"{writer}:3"], reason="a password")

    found = verified(journal)
    assert (what(found), found.notes) == ([], [])
    assert found.writers[0].purged == 1
    assert read.find(journal.stores.files, writer, 3).body is None


def test_a_purge_that_was_interrupted_is_a_note(journal: Workspace) -> None:
    found = read.find(journal.stores.files, journals.here(journal).writer, 3)

    body = purge.body(writer=found.writer, seq=found.seq, digest=found.digest, reason="a password")
    record.record(journal.stores, [Happening("purged", body)])

    seen = verified(journal)
    assert seen.sound
    assert [note.what for note in seen.notes] == [
        f"the event that this one purges, {found.cursor}, still has its content"
    ]


def test_an_order_for_what_only_a_backup_holds_is_no_note(journal: Workspace) -> None:
    own = journals.here(journal).writer
    for place in ({"writer": own, "seq": 1 << 20}, {"writer": "0" * 16, "seq": 3}):
        body = purge.body(**place, digest="0" * 64, reason="a password")  # type: ignore[arg-type]
        record.record(journal.stores, [Happening("purged", body)])

    seen = verified(journal)
    assert (what(seen), seen.notes) == ([], [])


@pytest.mark.parametrize(("key", "value"), [("seq", 4), ("digest", "0" * 64), ("writer", "0" * 16)])
def test_a_purged_line_whose_event_names_another_is_damage(journal: Workspace, key: str, value: object) -> None:
    found = read.find(journal.stores.files, journals.here(journal).writer, 3)
    body = purge.body(writer=found.writer, seq=found.seq, digest=found.digest, reason="x")
    (done,), _ = record.record(journal.stores, [Happening("purged", {**body, key: value})])

    path = journals.segments(journal)[0]
    lines = path.read_bytes().split(b"\n")
    lines[2] = chain.header(lines[2]) + b',"salt":null,"body":null,"purged":"%s"}' % str(done.id).encode()
    path.write_bytes(b"\n".join(lines))

    assert [(finding.line, finding.what) for finding in verified(journal).findings] == [
        (3, "purged without a purge event")
    ]


def test_a_blob_that_nobody_names_is_a_note(journal: Workspace) -> None:
    content = b'{"v":1,"text":"left"}'
    left = journals.folder(journal) / "blobs" / digest.of(content)
    left.write_bytes(content)

    found = verified(journal)

    assert found.sound
    assert [note.path for note in found.notes] == [str(left.relative_to(journal.root))]


# What this machine remembers


@pytest.mark.parametrize("lies", ["outside", "inside"])
def test_a_folder_that_was_replaced_by_an_older_copy_is_missed_by_the_machine_that_wrote_more(
    tmp_path: Path, lies: str
) -> None:
    """It is another folder, which no installation has written to: the state of the former one tells, if it is there."""
    root = tmp_path / "robin"
    state = str(tmp_path / "state") if lies == "outside" else None
    here = Environment(now=NOW, timezone="UTC", state=(state, None))
    made = Workspace.init(str(root), environment=here, name="Robin", git=False)
    made.event("note", "one")
    shutil.copytree(root, tmp_path / "older")
    newest = made.event("note", "two")
    shutil.copytree(root, tmp_path / "all")

    def verified_with(name: str) -> VerifiedJournal:
        root.rename(tmp_path / f"before-{name}")
        shutil.copytree(tmp_path / name, root)
        return Workspace.open(str(root), environment=here).journal.verify()

    assert verified_with("all").sound
    seen = verified_with("older")
    assert bool(what(seen)) is (lies == "outside")
    if lies == "outside":
        assert f"event {newest.seq}, which this machine had on disk, is missing" in what(seen)[0]
        assert Workspace.open(str(tmp_path / "older"), environment=here).journal.verify().sound, "a copy elsewhere"
        Workspace.open(str(root), environment=here).event("note", "work goes on")
        later = Workspace.open(str(root), environment=here).journal.verify()
        assert later.sound
        assert [note.what for note in later.notes] == what(seen)


def test_a_tail_that_was_cut_cleanly_is_missed_by_the_machine_that_wrote_it(journal: Workspace) -> None:
    path = journals.segments(journal)[-1]
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:-2]) + b"\n")

    found = verified(journal)

    assert [(each.path, each.line) for each in found.findings] == [
        (str(path.relative_to(journal.root)), len(lines) - 1)
    ]
    assert ", which this machine had on disk, is missing: it was removed" in what(found)[0]


# Seals


@needs_keys
def test_a_sealed_journal_is_sound_and_says_how_far(journal: Workspace) -> None:
    sealed = seal(journal.stores)
    journals.record(journal, "note", text="after")

    found = verified(journal)

    assert (what(found), found.notes) == ([], [])
    assert found.writers[0].sealed == sealed.seq
    assert found.writers[0].last > found.writers[0].sealed


@needs_keys
def test_a_seal_by_a_key_that_nobody_allowed_is_named(journal: Workspace) -> None:
    sealed = seal(journal.stores)
    Path(journal.root, "identity", "allowed_signers").write_text("")

    found = verified(journal)

    assert [finding.line for finding in found.findings] == [line_of(journal, str(sealed.cursor))]
    assert "does not list" in what(found)[0]
    assert found.writers[0].sealed == 0


@needs_keys
def test_every_seal_of_a_broken_chain_is_judged(journal: Workspace) -> None:
    first = seal(journal.stores)
    journals.fill(journal, calls=1)
    second = seal(journal.stores)
    path = journals.segments(journal)[0]
    path.write_bytes(path.read_bytes().replace(b"Wetter", b"Better", 1))
    Path(journal.root, "identity", "allowed_signers").write_text("")

    found = verified(journal)

    seals = [each for each in found.findings if "does not list" in each.what]
    assert [each.line for each in seals] == [line_of(journal, str(each.cursor)) for each in (first, second)]
    assert found.findings[0].line == 3


@needs_keys
def test_a_forgery_with_a_chain_made_anew_fails_on_its_seal(journal: Workspace) -> None:
    sealed = seal(journal.stores)
    forge(journal, seq=3)

    # The machine that wrote it remembers; one that has only the files must tell by the seal.
    elsewhere = Path(journal.root).parent / "copy"
    shutil.copytree(journal.root, elsewhere, ignore=shutil.ignore_patterns(".agentws"))
    copy = Workspace.open(str(elsewhere))
    found = verify.verify(copy.stores.files, copy.stores.manifest.agent_id)

    assert [(finding.line, finding.what) for finding in found.findings] == [
        (
            line_of(journal, str(sealed.cursor)),
            f"the seal is invalid: the sealed event {sealed.seq} was changed",
        )
    ]
    assert found.writers[0].sealed == 0
    assert not verified(journal).sound


@needs_keys
def test_a_forgery_without_its_seals_is_missed_by_the_machine_that_sealed_it(journal: Workspace) -> None:
    seal(journal.stores)
    forge(journal, seq=3, without_seals=True)
    for hint in Path(journal.root, ".agentws").glob("*.head"):
        hint.unlink()

    assert not verified(journal).sound


def line_of(workspace: Workspace, cursor: str) -> int:
    writer, _, seq = cursor.partition(":")
    found = read.find(workspace.stores.files, writer, int(seq))
    path = journals.segments(workspace)[found.segment - 1]
    return path.read_bytes()[: found.offset].count(b"\n") + 1


def forge(workspace: Workspace, *, seq: int, without_seals: bool = False) -> None:
    """Change what the event `seq` says, and make every digest and hash after it fit again."""
    own = journals.here(workspace)
    prev, number = chain.genesis(own.agent, own.writer), 0
    for path in journals.segments(workspace):
        forged = b""
        for stored in path.read_bytes().split(b"\n")[:-1]:
            fields = json.loads(stored)
            if without_seals and fields["kind"] == "seal":
                continue
            number += 1
            tail = stored[len(chain.header(stored)) + 1 : -1]
            if fields["seq"] == seq:
                tail = tail.replace(b"Wetter", b"Better")
            fields.update(seq=number, prev=prev, digest=digest.of(tail))
            del fields["salt"], fields["body"]
            head = json.dumps(fields, separators=(",", ":")).encode()[:-1]
            prev = digest.of(head)
            forged += head + b"," + tail + b"}\n"
        path.write_bytes(forged)
