"""The key of an installation: told, made anew, held by an ssh-agent; and what `identity verify` finds."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.formats import layout
from agentws.core.formats.identity import writer
from agentws.core.installation import keys
from agentws.errors import OutsideProgramError, UsageError
from agentws.workspace import Environment, Workspace
from tests.features.journal.keeping import needs_signing, needs_ssh
from tests.identity import agent_of_ssh
from tests.identity.machines import Machine

pytestmark = needs_signing


@pytest.fixture
def sealed(desk: Machine, tmp_path: Path) -> Path:
    """A workspace whose journal is sealed, so that the desk has a key."""
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")
    made.journal.seal()
    return Path(made.root)


def state(desk: Machine, root: Path) -> Path:
    return Path(str(desk.opens(root).identity.show().folder))


def test_show_tells_the_key_as_ssh_keygen_does(desk: Machine, sealed: Path) -> None:
    shown = desk.opens(sealed).identity.show()

    assert writer.fingerprint(shown.key) == shown.fingerprint
    assert shown.fingerprint in {one.fingerprint for one in shown.writers}
    public = state(desk, sealed) / "key.pub"
    program = subprocess.run(["ssh-keygen", "-l", "-f", str(public)], capture_output=True, text=True, check=False)
    if not program.returncode:
        assert shown.fingerprint in program.stdout


def test_rotate_gives_a_new_key_that_the_old_one_signed_in(desk: Machine, sealed: Path) -> None:
    before = desk.opens(sealed).identity.show().key
    assert desk.opens(sealed).identity.rotate(dry_run=True).new == ""
    assert desk.opens(sealed).identity.show().key == before

    done = desk.opens(sealed).identity.rotate()

    assert done.old == before
    assert desk.opens(sealed).identity.show().key == done.new != before
    private = state(desk, sealed) / "key"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert sorted(path.name for path in private.parent.glob("key*")) == ["key", "key.pub"]
    assert desk.opens(sealed).identity.verify().findings == []
    assert desk.opens(sealed).journal.verify().findings == []
    last = writer.lines((sealed / layout.WRITERS).read_text())[-1]
    assert (last.key, last.vouched_by and last.vouched_by.key) == (done.new, before)


def test_a_rotation_that_was_killed_is_finished_by_doing_it_again(
    desk: Machine, sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Killed

    monkeypatch.setattr(keys, "exchange", die)
    with pytest.raises(Killed):
        desk.opens(sealed).identity.rotate()
    monkeypatch.undo()

    told = writer.lines((sealed / layout.WRITERS).read_text())[-1].key
    done = desk.opens(sealed).identity.rotate()

    assert done.new == told, "the key that was signed in is the one that is taken"
    assert desk.opens(sealed).identity.verify().findings == []


def test_without_a_key_there_is_nothing_to_rotate(desk: Machine, tmp_path: Path) -> None:
    made = desk.makes(tmp_path / "robin")

    with pytest.raises(UsageError, match="no key yet") as raised:
        made.identity.rotate()
    assert "journal seal" in str(raised.value.hint)


def test_verify_names_a_key_that_somebody_added_by_hand(desk: Machine, sealed: Path, tmp_path: Path) -> None:
    (tmp_path / "forger").mkdir()
    forged = keys.ensure(str(tmp_path / "forger"), comment="forger")
    assert forged is not None
    name = desk.opens(sealed).identity.show().writer
    with (sealed / layout.SIGNERS).open("a") as file:
        file.write(writer.signer(str(name), forged.public) + "\n")

    done = desk.opens(sealed).identity.verify()

    assert [one.where for one in done.findings] == [layout.SIGNERS]
    assert writer.fingerprint(forged.public) in done.findings[0].what
    assert not done.damaged


def test_verify_names_a_key_that_others_may_read(desk: Machine, sealed: Path) -> None:
    (state(desk, sealed) / "key").chmod(0o644)

    (found,) = desk.opens(sealed).identity.verify().findings

    assert "other users may read" in found.what


def test_verify_finds_a_journal_that_was_changed(desk: Machine, sealed: Path) -> None:
    (file,) = sealed.glob("journal/*/000001.jsonl")
    file.write_bytes(file.read_bytes().replace(b"from the desk", b"from the dusk"))

    assert desk.opens(sealed).identity.verify().damaged


def test_lines_that_are_not_understood_are_kept(desk: Machine, sealed: Path) -> None:
    file = sealed / layout.WRITERS
    strange = '# a comment of mine\n{"agentws":1,"writer":"x","of":"tomorrow"}\n'
    file.write_text(strange + file.read_text())

    desk.opens(sealed).identity.rotate()

    assert file.read_text().startswith(strange)


@pytest.fixture
def agent() -> Iterator[str]:
    """The socket of an ssh-agent."""
    with agent_of_ssh.running() as socket:
        yield socket


@needs_ssh
def test_an_ssh_agent_signs_where_the_private_half_is_not_here(desk: Machine, sealed: Path, agent: str) -> None:
    folder = state(desk, sealed)
    given = {**os.environ, "SSH_AUTH_SOCK": agent}
    subprocess.run(["ssh-add", "-q", str(folder / "key")], env=given, check=True)
    (folder / "key").unlink()
    surroundings = desk.environment()
    surroundings.state = (*surroundings.state[:3], agent)

    def opened(environment: Environment = surroundings) -> Workspace:
        return Workspace.open(str(sealed), environment=environment)

    before = opened().identity.show().key
    opened().event("note", "sealed by the agent")
    assert opened().journal.seal().key == before
    assert opened().journal.verify().findings == []
    assert not (folder / "key").exists(), "no new key was made"
    with pytest.raises(OutsideProgramError, match="ssh-agent"):
        opened().identity.rotate()

    opened().event("note", "without the agent")
    with pytest.raises(OutsideProgramError) as raised:
        opened(desk.environment()).journal.seal()
    assert "SSH_AUTH_SOCK" in str(raised.value.hint)
    assert opened(desk.environment()).event("note", "nothing else stops").seq is not None
