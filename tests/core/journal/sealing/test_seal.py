"""Seals: who signed how far, checked by anyone, and found out where something was changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentws.core.disk import local_dir
from agentws.core.formats.identity import sshsig
from agentws.core.formats.journal import chain
from agentws.core.formats.journal.event import Event
from agentws.core.formats.json import plainjson
from agentws.core.installation import keys
from agentws.core.journal import head
from agentws.core.journal.sealing import seal as sealing
from agentws.core.journal.sealing.seal import Signers
from agentws.core.stores import seals
from agentws.errors import DamagedError, OutsideProgramError
from agentws.workspace import Workspace
from tests.features.journal.keeping import (
    check_chain,
    elsewhere,
    events,
    here,
    journal,
    needs_signing,
    needs_ssh,
    note,
    of_kind,
    reopened,
    stored,
)

pytestmark = needs_signing


def newest(workspace: Workspace) -> tuple[Event, str]:
    """The newest seal, and the hash of the event that it names."""
    seal = of_kind(workspace, "seal")[-1]
    assert seal.body is not None
    return seal, chain.hash_of(stored(workspace)[seal.body["seq"] - 1])


def judged(workspace: Workspace, seal: Event, hash_: str | None) -> str:
    return sealing.judge(workspace.stores.manifest.agent_id, seal, hash_, Signers.read(workspace.stores.files))


def unsealed(workspace: Workspace) -> int:
    known = head.read(workspace.stores.files, here(workspace).writer)
    assert known is not None
    return known.seq - known.sealed


@needs_ssh
def test_anyone_can_check_a_seal_with_ssh_keygen_and_the_files_of_the_workspace(
    workspace: Workspace, tmp_path: Path
) -> None:
    note(workspace, "one", "two")

    seals.seal(workspace.stores)

    (seal,) = of_kind(workspace, "seal")
    assert seal.body is not None
    signature = tmp_path / "signature"
    signature.write_text(seal.body["signature"])
    agent, writer = workspace.stores.manifest.agent_id, here(workspace).writer
    words = f"agentws-seal-1 {agent} {writer} {seal.body['seq']} {seal.body['hash']}\n"
    signers = f"{workspace.root}/identity/allowed_signers"
    command = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", writer, "-n", "agentws", "-s", str(signature)]
    done = subprocess.run(command, input=words.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Good" in done.stdout


def test_a_seal_names_the_event_before_it_and_is_good(workspace: Workspace) -> None:
    note(workspace, "one", "two")

    done = seals.seal(workspace.stores)

    seal, hash_ = newest(workspace)
    assert (done.seq, done.cursor) == (seal.seq - 1, seal.cursor)
    assert judged(workspace, seal, hash_) == ""
    assert check_chain(workspace) == seal.seq


def test_a_seal_is_not_sealed_again(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    before = stored(workspace)

    done = seals.seal(workspace.stores)

    assert (done.seq, done.cursor) == (None, None)
    assert "no new event since the last seal" in done.reason
    assert stored(workspace) == before


def test_an_installation_that_never_wrote_has_nothing_to_seal(workspace: Workspace) -> None:
    done = seals.seal(workspace.stores)

    assert done.seq is None
    assert not (Path(workspace.root) / "journal").exists()
    assert not (Path(workspace.root) / "identity").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"seq": 99}, "names a later event"),
        ({"seq": 0}, "no event named"),
        ({"seq": True}, "no event named"),
        ({"hash": "0" * 64}, "was changed"),
        ({"hash": "x"}, "no hash named"),
        ({"signature": "none"}, "not a seal"),
        ({"signature": None}, "no signature"),
    ],
)
def test_a_seal_that_says_something_else_is_found_out(
    workspace: Workspace, change: dict[str, object], says: str
) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    seal, hash_ = newest(workspace)

    seal.body = {**(seal.body or {}), **change}

    assert says in judged(workspace, seal, hash_)


def test_a_purged_seal_or_one_whose_event_is_gone_is_not_good(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    seal, _ = newest(workspace)

    assert "is missing" in judged(workspace, seal, None)
    seal.body = None
    assert "purged" in judged(workspace, seal, None)


def test_a_forger_with_another_key_is_found_out(workspace: Workspace, tmp_path: Path) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    seal, hash_ = newest(workspace)
    key = keys.ensure(str(tmp_path), comment="forger")
    assert key is not None
    assert seal.body is not None
    agent = workspace.stores.manifest.agent_id

    signature = key.sign(sealing.signed_message(agent, seal.writer, seal.body["seq"], hash_))
    seal.body = {**seal.body, "signature": signature}

    assert "does not list the key of the seal" in judged(workspace, seal, hash_)


def test_a_seal_taken_from_another_journal_is_found_out(workspace: Workspace, tmp_path: Path) -> None:
    other = elsewhere(workspace, tmp_path / "other")
    for each in (workspace, other):
        note(each, "one")
        seals.seal(each.stores)
    seal, hash_ = newest(workspace)

    seal.writer = here(other).writer

    assert "does not list the key of the seal" in judged(workspace, seal, hash_)


def test_a_signature_over_other_words_is_found_out(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    seal, hash_ = newest(workspace)

    said = sealing.judge("another agent", seal, hash_, Signers.read(workspace.stores.files))

    assert "does not match" in said


def test_where_nothing_can_check_a_sound_seal_is_unchecked_and_a_false_one_still_found_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    seal, hash_ = newest(workspace)
    monkeypatch.setattr(keys, "is_possible", lambda: False)

    assert judged(workspace, seal, hash_) == sealing.UNCHECKED
    assert "was changed" in judged(workspace, seal, "0" * 64)


# How much is sealed


def test_what_is_sealed_is_known_at_once_by_other_processes_and_in_the_next_segment(workspace: Workspace) -> None:
    note(workspace, *"abc")
    assert unsealed(workspace) == 4

    done = seals.seal(workspace.stores)
    assert unsealed(workspace) == 1

    note(workspace, "d")
    assert unsealed(workspace) == 2
    note(reopened(workspace), *["long " * 12_000] * 20)
    assert len(list(journal(workspace).glob("*.jsonl"))) > 1
    opened = of_kind(workspace, "segment.opened")[-1]
    assert opened.body is not None
    assert opened.body["sealed"] == done.seq


def test_a_seal_is_due_after_a_thousand_events(workspace: Workspace) -> None:
    note(workspace, *["x"] * 999)
    assert seals.quietly(workspace.stores, due=True) == []
    assert of_kind(workspace, "seal") == []

    note(workspace, "one more")
    assert seals.quietly(workspace.stores, due=True) == []

    assert len(of_kind(workspace, "seal")) == 1


def test_the_newest_seal_is_remembered_outside_of_the_workspace(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    note(workspace, "two")
    seals.seal(workspace.stores)

    seal, _ = newest(workspace)
    assert head.own_seal(here(workspace)) == (seal.seq, seal.hash)


def test_what_another_writer_or_nobody_remembered_does_not_count(workspace: Workspace) -> None:
    note(workspace, "one")
    assert head.own_seal(here(workspace)) is None
    seals.seal(workspace.stores)
    path = Path(here(workspace).folder, "sealed")

    for text in ("{", "[]", plainjson.dumps({**plainjson.loads(path.read_text()), "writer": "0" * 16})):
        path.write_text(text)
        assert head.own_seal(here(workspace)) is None


# identity/


def test_the_first_write_introduces_the_writer(workspace: Workspace, tmp_path: Path) -> None:
    other = elsewhere(workspace, tmp_path / "other")
    note(other, "I was here first")
    workspace.log("one")

    done = seals.seal(workspace.stores)

    first, line = (Path(workspace.root) / "identity" / "writers.jsonl").read_text().splitlines()
    told = plainjson.loads(line)
    last = events(workspace, here(other).writer)[-1]
    assert plainjson.loads(first)["writer"] == here(other).writer
    assert not done.joined
    assert (told["writer"], told["key"], told["vouched_by"]) == (here(workspace).writer, done.key, None)
    assert told["at"].startswith("2026-11-20T07:15")
    assert told["after"] == {here(other).writer: {"seq": last.seq, "hash": last.hash}}


def test_where_no_key_could_be_made_the_writer_is_told_of_by_name_and_the_first_seal_adds_the_key(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(keys, "ensure", lambda *_, **__: None)
        note(workspace, "one")
    assert not (Path(workspace.root) / "identity" / "allowed_signers").exists()

    assert seals.seal(workspace.stores).joined

    told = [
        plainjson.loads(line) for line in (Path(workspace.root) / "identity/writers.jsonl").read_text().splitlines()
    ]
    assert [(one["writer"], bool(one["key"])) for one in told] == [
        (here(workspace).writer, key) for key in (False, True)
    ]


def test_a_later_seal_adds_nothing(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    identity = Path(workspace.root) / "identity"
    before = {path.name: path.read_bytes() for path in identity.iterdir()}
    note(workspace, "two")

    done = seals.seal(workspace.stores)

    assert not done.joined
    assert {path.name: path.read_bytes() for path in identity.iterdir()} == before


@pytest.mark.parametrize("name", ["writers.jsonl", "allowed_signers"])
def test_what_is_missing_is_added_and_what_people_wrote_is_kept(workspace: Workspace, name: str) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    path = Path(workspace.root) / "identity" / name
    line = path.read_bytes()
    path.write_bytes(b"# Sam was here\r\nodd \xff bytes, no newline")
    note(workspace, "two")

    seals.seal(workspace.stores)

    assert path.read_bytes() == b"# Sam was here\r\nodd \xff bytes, no newline\n" + line
    assert judged(workspace, *newest(workspace)) == ""


def test_a_key_that_a_person_took_away_is_not_known_any_more(workspace: Workspace) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    path = Path(workspace.root) / "identity" / "allowed_signers"

    path.write_text(path.read_text().replace('"agentws"', '"agentws",valid-before="20200101"'))

    assert "does not list the key of the seal" in judged(workspace, *newest(workspace))


# What goes wrong


def test_a_damaged_journal_is_not_sealed(workspace: Workspace) -> None:
    note(workspace, "one", "two", "three")
    path = journal(workspace) / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"2wo"'))

    with pytest.raises(DamagedError, match="damaged"):
        seals.seal(workspace.stores)

    assert of_kind(workspace, "seal") == []


def test_what_a_crash_left_at_the_end_is_taken_out_and_the_rest_is_sealed(workspace: Workspace) -> None:
    note(workspace, "one")
    path = journal(workspace) / "000001.jsonl"
    with path.open("ab") as file:
        file.write(bytes(300) + b"\n")

    done = seals.seal(workspace.stores)

    assert done.seq == 2
    assert any("quarantine" in notice for notice in done.notices)
    assert judged(workspace, *newest(workspace)) == ""
    check_chain(workspace)


def test_where_nothing_can_sign_the_verb_goes_on_with_a_notice(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(workspace, "one")
    monkeypatch.setattr(keys, "is_possible", lambda: False)

    done = seals.seal(workspace.stores)

    assert done.seq is None
    assert any("agentws[crypto]" in notice for notice in done.notices)
    assert local_dir.seal_failure(workspace.stores.files) == ""


def test_where_nothing_can_sign_any_more_that_is_loud(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    note(workspace, "one")
    seals.seal(workspace.stores)
    note(workspace, "two")
    monkeypatch.setattr(keys, "is_possible", lambda: False)

    seals.seal(workspace.stores)

    assert "neither ssh-keygen" in local_dir.seal_failure(workspace.stores.files)


def test_a_failure_is_a_notice_to_other_verbs_and_remembered_until_it_goes_well(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(workspace, "one")
    with monkeypatch.context() as broken:
        broken.setattr(keys.Key, "sign", lambda *_: (_ for _ in ()).throw(OutsideProgramError("It broke.")))

        (notice,) = seals.quietly(workspace.stores)

    assert "It broke." in notice
    assert local_dir.seal_failure(workspace.stores.files).startswith("2026-11-20T07:15:00")
    assert "It broke." in local_dir.seal_failure(workspace.stores.files)
    assert seals.quietly(workspace.stores) == []
    assert local_dir.seal_failure(workspace.stores.files) == ""


def test_a_signature_that_is_not_good_is_never_written(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    note(workspace, "one")
    wrong = sshsig.armor(sshsig.key_text(bytes(32)), bytes(64))
    monkeypatch.setattr(keys.Key, "sign", lambda *_: wrong)

    with pytest.raises(OutsideProgramError, match="is invalid"):
        seals.seal(workspace.stores)

    assert of_kind(workspace, "seal") == []
