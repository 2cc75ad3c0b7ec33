"""Which keys this user id can use, and where nobody can tell: sockets that are renamed, mute, or too many."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.installation import ssh_agents, unix_sockets
from tests.features.approvals.keys import heard, made

HIDDEN = "listens where no file leads"


class Agent:
    """A running ssh-agent that holds a key."""

    def __init__(self, folder: Path, key: Path) -> None:
        self.socket = folder / "q.s"
        self.blob = key.with_suffix(".pub").read_text().split()[1]
        self.process = subprocess.Popen(["ssh-agent", "-D", "-a", str(self.socket)], stdout=subprocess.DEVNULL)
        for _ in range(1000):
            if self.socket.exists():
                break
            time.sleep(0.01)
        subprocess.run(["ssh-add", "-q", str(key)], check=True, env={**os.environ, "SSH_AUTH_SOCK": str(self.socket)})

    def against(self) -> str:
        return ssh_agents.against(self.blob, socket=None)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    if shutil.which("ssh-agent") is None:
        pytest.skip("ssh-agent is not here: NOT TESTED")
    found = Agent(tmp_path, made(tmp_path / "keys"))
    heard(monkeypatch, str(tmp_path))
    try:
        yield found
    finally:
        found.process.send_signal(signal.SIGCONT)
        found.process.terminate()
        found.process.wait()


def bound(path: Path) -> socket.socket:
    """A socket of this process at which it listens, and never answers."""
    found = socket.socket(socket.AF_UNIX)
    found.bind(str(path))
    found.listen()
    return found


def test_an_agent_is_found_wherever_its_socket_lies(agent: Agent) -> None:
    assert f"in the ssh-agent at {agent.socket}" in agent.against()


def test_behind_a_renamed_socket_nobody_can_tell(agent: Agent, tmp_path: Path) -> None:
    agent.socket.rename(tmp_path / "elsewhere")

    assert HIDDEN in agent.against()


@pytest.mark.parametrize("how", ["a socket", "a renamed socket", "a link", "a second name", "a file"])
def test_what_lies_in_the_place_of_a_renamed_socket_hides_nothing(agent: Agent, tmp_path: Path, how: str) -> None:
    agent.socket.rename(tmp_path / "elsewhere")
    with bound(agent.socket if how == "a socket" else tmp_path / "decoy"):
        if how == "a renamed socket":
            (tmp_path / "decoy").rename(agent.socket)
        elif how == "a link":
            agent.socket.symlink_to(tmp_path / "decoy")
        elif how == "a second name":
            agent.socket.hardlink_to(tmp_path / "decoy")
        elif how == "a file":
            agent.socket.write_text("")

        assert HIDDEN in agent.against()


def test_an_agent_that_was_stopped_is_one_of_which_nobody_can_tell(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_agents, "_TIMEOUT_S", 0.2)
    agent.process.send_signal(signal.SIGSTOP)

    assert "no ssh-agent answers" in agent.against()


def test_other_programs_of_the_user_stand_in_nobody_s_way_and_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard(monkeypatch, str(tmp_path))
    place = tmp_path / "any" / "place"
    place.mkdir(parents=True)
    with bound(place / "mute") as mute, bound(place / "gone"):
        (place / "gone").unlink()

        assert ssh_agents.against("AAAA", socket=None) == ""
        mute.setblocking(False)
        with pytest.raises(BlockingIOError):
            mute.accept()


def test_more_sockets_than_are_asked_are_too_many_to_tell(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    agent.process.terminate()
    agent.process.wait()
    assert agent.against() == ""
    monkeypatch.setattr(ssh_agents, "_MOST_SOCKETS", 0)
    monkeypatch.setattr(ssh_agents, "_usual", lambda named: [str(agent.socket)])
    with bound(agent.socket.with_name("again")) as again:
        monkeypatch.setattr(ssh_agents, "_usual", lambda named: [again.getsockname()])

        assert "more than 0 sockets" in agent.against()


def test_a_stranger_s_sockets_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard(monkeypatch, str(tmp_path))
    with bound(tmp_path / "agent.1") as mute:
        monkeypatch.setattr(ssh_agents, "_usual", lambda named: [mute.getsockname()])
        monkeypatch.setattr(os, "geteuid", lambda: 4321)

        rows = [row for row in unix_sockets.listening() if row.path == mute.getsockname()]
        assert [row.is_of(4321) for row in rows] == [False]
        owner = os.stat(mute.getsockname()).st_uid
        if owner:  # the superuser's would be asked
            assert ssh_agents.against("AAAA", socket=None) == ""
            mute.setblocking(False)
            with pytest.raises(BlockingIOError):
                mute.accept()


def test_an_older_kernel_tells_paths_without_owners(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> Iterator[unix_sockets.Listener]:
        raise OSError("no such protocol")

    monkeypatch.setattr(unix_sockets, "_told", none)

    assert "in the ssh-agent at" in agent.against()
    agent.socket.rename(tmp_path / "elsewhere")
    assert HIDDEN in agent.against()
