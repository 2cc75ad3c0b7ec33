"""A drill on another machine, through a real sshd on the loopback; and a backup to a git repository by ssh."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agentws.errors import UsageError
from agentws.features.copies.backup import drill
from agentws.workspace import Workspace
from tests.hosts_real import rig
from tests.hosts_real.rig import BIN, Machine

MISSING = "sshd, ssh or rsync is not here: apt-get install openssh-server rsync"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    if not (rig.SSHD and rig.SSH and rig.RSYNC):
        pytest.skip(MISSING)
    here, there = Machine(tmp_path, "here"), Machine(tmp_path, "there")
    with rig.machines(tmp_path, here, there):
        here.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(here.place("robin")))
        here.agentws("robin", "log", "written here")
        here.agentws("robin", "event", "note", "recorded here")
        here.agentws("robin", "backup", "create", str(tmp_path / "stick"))
        yield here, there


def left(machine: Machine, tmp_path: Path) -> list[str]:
    """What a drill has left in the temporary folder of a machine, which has no TMPDIR, or in its home."""
    return [str(path) for place in (Path("/tmp"), machine.folder) for path in place.glob("agentws-drill-*")]


def test_it_is_verified_and_booted_there_and_nothing_stays(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    here, there = pair
    before = set(left(there, tmp_path))

    done = json.loads(here.agentws("robin", "drill", "--on", "there", "--json").stdout)

    assert (done["well"], done["on"], done["findings"]) == (True, "there", [])
    assert not set(left(there, tmp_path)) - before
    told = json.loads(here.agentws("robin", "journal", "list", "--kind", "backup.drilled", "--json").stdout)
    assert told["events"][-1]["body"]["on"] == "there"


def test_a_machine_without_agentws_says_nothing_against_the_backup(tmp_path: Path) -> None:
    if not (rig.SSHD and rig.SSH and rig.RSYNC):
        pytest.skip(MISSING)
    here, there = Machine(tmp_path, "here"), Machine(tmp_path, "there", has_agentws=False)
    with rig.machines(tmp_path, here, there):
        here.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(here.place("robin")))
        here.agentws("robin", "backup", "create", str(tmp_path / "stick"))

        failed = here.agentws("robin", "drill", "--on", "there", check=False)

        assert failed.returncode == 20
        assert "agentws was not found there" in failed.stdout
        assert failed.stdout.startswith("Restored and booted: ")
        assert "here but not on there" in failed.stdout
        told = here.agentws("robin", "journal", "list", "--kind", "backup.drilled").stdout
        assert "restored and booted here, not on there" in told
        assert "drill-failed" not in here.agentws("robin", "doctor", "--json", check=False).stdout
        gone = here.agentws("robin", "drill", "--on", "nowhere.invalid", check=False)
        assert gone.returncode == 20


def test_a_file_that_arrives_otherwise_is_found(robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same through a folder of this machine: what is there is read there."""
    from agentws.features.copies.transfer import transport, verified_copy

    robin.copies.create(str(stick))
    far = transport.Local()
    monkeypatch.setattr(verified_copy, "reach", lambda host, user: closing(far))
    real = far.set_folders
    entries = far.entries

    def spoiled() -> Iterator[list[object]]:
        for told in entries():
            yield [*told[:5], "0" * 64] if told[0] == "SOUL.md" else told

    monkeypatch.setattr(far, "entries", lambda paths=None: spoiled())
    found = drill.tried_on(robin.root, drill.machine_of("sam@desk"), damaged=False)

    assert found == [("sam@desk: SOUL.md", "did not arrive as it was sent")]
    assert real


@pytest.mark.parametrize("on", ["", "-oProxyCommand=id", "/tmp", "desk:/srv", "a b", "https://desk"])
def test_what_is_no_machine_is_refused(on: str) -> None:
    with pytest.raises(UsageError):
        drill.machine_of(on)


def test_a_backup_goes_to_a_repository_by_ssh(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    there.run("git", "init", "-q", "--bare", str(there.place("robin.git")))
    url = f"ssh://there{there.place('robin.git')}"

    made = json.loads(here.agentws("robin", "backup", "create", url, "--json").stdout)["backups"][0]
    here.agentws("robin", "log", "Another line")
    again = json.loads(here.agentws("robin", "backup", "create", url, "--json").stdout)["backups"][0]

    assert (made["name"][:4], again["copied_files"]) == ("0001", 1)
    assert json.loads(here.agentws("robin", "drill", url, "--json").stdout)["well"]
    refused = here.agentws("robin", "backup", "create", f"ssh://there{there.place('none.git')}", check=False)
    assert refused.returncode == 20
    assert "git init --bare" in refused.stderr
