"""What a sync asks of a server: one connection, made at once, and no question whose answer the push gives too."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import OutsideProgramError
from agentws.features.sync.store import contact
from tests.features.sync.conftest import Machines
from tests.features.sync.store.machines import bare
from tests.features.sync.store.ssh import Ssh

CONNECTS, PUSHES, FETCHES = "connect there", "git-receive-pack", "git-upload-pack"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ssh:
    (tmp_path / "sockets").mkdir()
    monkeypatch.setattr(contact, "_SHORT", str(tmp_path / "sockets"))
    return Ssh(tmp_path / "bin", monkeypatch)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"there:{bare(tmp_path / 'robin.git')}"


def test_what_is_new_here_alone_goes_out_without_a_question(machines: Machines, ssh: Ssh, url: str) -> None:
    desk = machines.first()
    desk.sync(url)
    assert ssh.taken() == [CONNECTS, FETCHES, PUSHES]
    desk.log("The survey came")

    (done,) = desk.sync()

    assert done.outward.entries == 1
    assert ssh.taken() == [CONNECTS, PUSHES]


def test_where_nothing_is_new_here_it_is_asked_what_the_others_have(machines: Machines, ssh: Ssh, url: str) -> None:
    desk = machines.first()
    desk.sync(url)
    ssh.taken()

    desk.sync()

    assert ssh.taken() == [CONNECTS, FETCHES]


def test_a_push_that_was_late_is_refused_and_both_are_merged(machines: Machines, ssh: Ssh, url: str) -> None:
    desk = machines.first()
    desk.sync(url)
    laptop = machines.another("laptop", remote=url)
    laptop.log("Rang the office")
    laptop.sync()
    desk.log("The survey came")
    ssh.taken()

    (done,) = desk.sync()

    assert ssh.taken() == [CONNECTS, PUSHES, FETCHES, PUSHES]
    assert (done.inward.entries, done.outward.entries) == (1, 1)
    laptop.sync()
    assert machines.files("desk") == machines.files("laptop")


def test_what_the_others_have_comes_in_though_all_that_is_new_here_stays_here(
    machines: Machines, ssh: Ssh, url: str
) -> None:
    desk = machines.first()
    desk.sync(url)
    laptop = machines.another("laptop", remote=url)
    laptop.event("note", "a call")
    laptop.sync()
    desk.sync()
    laptop.log("Rang the office")
    laptop.sync()
    (segment,) = (path for path in machines.root("desk").glob("journal/*/*.jsonl") if b"a call" in path.read_bytes())
    segment.write_bytes(segment.read_bytes().replace(b"a call", b"a lull"))
    ssh.taken()

    (done,) = desk.sync()

    assert ssh.taken() == [CONNECTS, FETCHES]
    assert any(segment.parent.name in each for each in done.notices), done.notices
    log = next(iter(machines.root("desk").glob("memory/2026-*.md"))).read_text()
    assert "Rang the office" in log


def test_a_host_that_is_away_is_asked_once_and_said_with_a_hint(machines: Machines, ssh: Ssh, url: str) -> None:
    desk = machines.first()
    desk.sync(url)
    desk.log("The survey came")
    ssh.taken()
    ssh.is_away()

    with pytest.raises(OutsideProgramError, match="Connection refused") as found:
        desk.sync()

    assert found.value.hint == "Check that the host runs a server on this port."
    assert ssh.taken() == [CONNECTS]


def test_an_ssh_that_shares_no_connection_is_used_as_it_is(machines: Machines, ssh: Ssh, url: str) -> None:
    ssh.shares_nothing()
    desk = machines.first()
    desk.sync(url)
    desk.log("The survey came")
    ssh.taken()

    (done,) = desk.sync()

    assert done.outward.entries == 1
    assert ssh.taken() == [CONNECTS, FETCHES, PUSHES]


def test_the_host_is_the_one_that_the_settings_of_git_name(
    machines: Machines, ssh: Ssh, url: str, tmp_path: Path
) -> None:
    ssh.rewrites("mem:", f"there:{tmp_path}/")
    desk = machines.first()
    desk.sync("mem:robin.git")
    assert ssh.taken() == [CONNECTS, FETCHES, PUSHES]

    ssh.rewrites("mem:", f"{tmp_path}/")
    desk.sync("mem:robin.git")
    assert ssh.taken() == []


def test_nothing_of_a_connection_is_left(machines: Machines, ssh: Ssh, url: str, tmp_path: Path) -> None:
    desk = machines.first()
    desk.sync(url)
    ssh.is_away()
    with pytest.raises(OutsideProgramError):
        desk.sync()

    assert list((tmp_path / "sockets").iterdir()) == []


def test_no_host_is_read_out_of_what_is_none() -> None:
    hosts = {
        "there:robin.git": ["there"],
        "robin@there:/srv/robin.git": ["robin@there"],
        "ssh://robin@there:2222/srv/robin.git": ["-p", "2222", "robin@there"],
        "SSH://there/robin.git": ["there"],
        "https://there/robin.git": [],
        "file:///srv/robin.git": [],
        "/srv/robin.git": [],
        "./there:robin.git": [],
        "robin.git": [],
        "-oProxyCommand=x:robin.git": [],
        "ssh://-oProxyCommand=x/robin.git": [],
        "ssh://there:22x/robin.git": [],
        "[there]:robin.git": [],
        "ssh:///robin.git": [],
    }
    assert {url: contact._host(url) for url in hosts} == hosts
