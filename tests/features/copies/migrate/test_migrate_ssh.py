"""migrate to another machine, through a real sshd on the loopback and a real rsync."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hosts_real import rig
from tests.hosts_real.rig import BIN, Machine

MISSING = "sshd, ssh or rsync is not here: apt-get install openssh-server rsync"
pytestmark = pytest.mark.skipif(not (rig.SSHD and rig.SSH and rig.RSYNC), reason=MISSING)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    here, there = Machine(tmp_path, "here"), Machine(tmp_path, "there")
    with rig.machines(tmp_path, here, there):
        here.run(f"{BIN}/agentws", "init", "--no-git", "--name", "Robin", str(here.place("robin")))
        here.agentws("robin", "log", "written here")
        yield here, there


def fill(machine: Machine, files: int, size: int) -> None:
    """Give the agent's folder more than what goes through the open connection."""
    (machine.place("robin") / "notes").mkdir()
    for number in range(files):
        (machine.place("robin") / "notes" / f"{number}.txt").write_bytes(f"{number}\n".encode() * size)


def test_the_agent_arrives_whole_and_boots_there(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    fill(here, 150, 100)
    (here.place("robin") / "odd \n name\udcff").symlink_to("../outside")
    (here.place("robin") / "notes" / "7.txt").chmod(0o640)

    done = json.loads(here.agentws("robin", "migrate", there.to("robin"), "--yes", "--json").stdout)

    assert (done["state"], done["booted"]) == ("moved", True)
    assert same(held(here.place("robin")), held(there.place("robin")))
    assert there.may_write(there.place("robin"))
    assert not here.may_write(here.place("robin"))
    refused = here.agentws("robin", "log", "too late", check=False)
    assert refused.returncode == 15
    assert there.to("robin") in refused.stderr


def test_it_comes_back_with_what_it_did_there_and_the_older_copy_is_kept(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    here.agentws("robin", "migrate", there.to("robin"), "--yes")
    there.agentws("robin", "log", "written there")

    done = json.loads(there.agentws("robin", "migrate", here.to("robin"), "--yes", "--json").stdout)

    days = "".join(path.read_text() for path in (here.place("robin") / "memory").glob("*.md"))
    assert "written here" in days
    assert "written there" in days
    assert (Path(done["aside"]) / "identity" / "moved.json").exists()
    assert here.agentws("robin", "journal", "verify").returncode == 0
    here.agentws("robin", "event", "note", "home again")


def test_no_key_travels_and_nothing_of_this_machine(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    here.agentws("robin", "journal", "seal")
    (here.place("robin") / ".agentws" / "mine").write_text("this machine alone")

    here.agentws("robin", "migrate", there.to("robin"), "--yes")

    keys = [path for path in there.folder.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert [path for path in keys if "agents" in path.parts] == []
    assert not (there.place("robin") / ".agentws" / "mine").exists()


def test_a_machine_whose_key_is_not_known_is_not_reached(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    here, there = pair
    (tmp_path / "known_hosts").write_text("")

    failed = here.agentws("robin", "migrate", there.to("robin"), "--yes", check=False)

    assert failed.returncode == 20
    assert "ssh there" in failed.stderr
    assert here.may_write(here.place("robin"))
    assert (tmp_path / "known_hosts").read_text() == ""


def test_a_machine_with_another_key_than_before_is_not_reached(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    here, there = pair
    mine, other = (each.folder / "hostkey.pub" for each in (here, there))
    known = (tmp_path / "known_hosts").read_text().replace(other.read_text(), mine.read_text())
    (tmp_path / "known_hosts").write_text(known)

    failed = here.agentws("robin", "migrate", there.to("robin"), "--yes", check=False)

    assert failed.returncode == 20
    assert here.may_write(here.place("robin"))


def test_a_dry_run_changes_nothing_on_either_side(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    before = held(here.folder)

    done = json.loads(here.agentws("robin", "migrate", there.to("robin"), "--dry-run", "--json").stdout)

    assert done["state"] == "planned"
    assert done["sent_files"] > 5
    assert os.listdir(there.folder / "agents") == []
    assert {path: what for path, what in held(here.folder).items() if "cache" not in path} == {
        path: what for path, what in before.items() if "cache" not in path
    }


def test_through_a_repository_that_ssh_reaches(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    there.run("git", "init", "-q", "--bare", str(there.place("shared.git")))
    url = f"ssh://there{there.place('shared.git')}"

    sent = json.loads(here.agentws("robin", "migrate", url, "--yes", "--json").stdout)
    took = there.run(
        f"{BIN}/agentws", "migrate", str(there.place("robin")), "--from", str(there.place("shared.git")), "--yes"
    )

    assert (sent["state"], sent["via"]) == ("waiting", "git")
    assert "booted" in took.stdout
    assert same(held(here.place("robin")), held(there.place("robin")))
    assert [there.may_write(there.place("robin")), here.may_write(here.place("robin"))] == [True, False]
    shown = json.loads(there.agentws("robin", "identity", "show", "--json").stdout)
    assert shown["standing"] == "same", "the token speaks for it"


def test_a_repository_on_a_machine_whose_key_is_not_known_is_not_reached(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    here, there = pair
    there.run("git", "init", "-q", "--bare", str(there.place("shared.git")))
    (tmp_path / "known_hosts").write_text("")

    failed = here.agentws(
        "robin", "migrate", f"there:{there.place('shared.git')}", "--via", "git", "--yes", check=False
    )

    assert failed.returncode == 20
    assert "Connect once with ssh to accept the key" in failed.stderr
    assert here.may_write(here.place("robin"))
    assert (tmp_path / "known_hosts").read_text() == ""


STEPS: dict[str, Callable[[Machine, Machine], bool]] = {
    "receiving": lambda here, there: bool(list((there.folder / "agents").glob(".robin.incoming-*/notes"))),
    "handed over": lambda here, there: (here.place("robin") / "identity" / "moved.json").exists(),
    "in its place": lambda here, there: there.place("robin").exists(),
}


@pytest.mark.parametrize("which", ["here", "there"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step_on_either_side_a_rerun_finishes_it(
    pair: tuple[Machine, Machine], step: str, which: str
) -> None:
    here, there = pair
    fill(here, 300, 2000)
    process = here.start(f"{BIN}/agentws", "-C", str(here.place("robin")), "migrate", there.to("robin"), "--yes")
    while process.poll() is None and not STEPS[step](here, there):
        pass
    for pid in [process.pid] if which == "here" else there.served():
        rig.kill(pid)
    process.wait()

    writable = [place for place in copies(here, there) if here.may_write(place)]
    assert len(writable) <= 1, writable
    here.agentws("robin", "migrate", there.to("robin"), "--yes")

    assert [place for place in copies(here, there) if here.may_write(place)] == [there.place("robin")]
    assert same(held(here.place("robin")), held(there.place("robin")))


def test_interrupted_by_a_person_it_says_how_to_go_on(pair: tuple[Machine, Machine]) -> None:
    here, there = pair
    fill(here, 300, 20_000)
    process = subprocess.Popen(
        [f"{BIN}/agentws", "-C", str(here.place("robin")), "migrate", there.to("robin"), "--yes"],
        env=here.environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list((there.folder / "agents").glob(".robin.incoming-*/notes")):
        assert process.poll() is None
        time.sleep(0.01)

    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]

    assert process.returncode == 130
    assert "Re-run the command to resume" in said
    assert here.may_write(here.place("robin"))
    here.agentws("robin", "migrate", there.to("robin"), "--yes")


def copies(*machines: Machine) -> list[Path]:
    return sorted({found.parent for each in machines for found in (each.folder / "agents").glob("*/agentws.toml")})


def held(root: Path) -> dict[str, object]:
    """What a tree holds, but for what belongs to one machine."""
    found: dict[str, object] = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if name.split("/")[0] == ".agentws" or name == "identity/moved.json":
            continue
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (status.st_mode, 0 if path.is_dir() else int(status.st_mtime), content)
    return found


def same(here: dict[str, object], there: dict[str, object]) -> bool:
    """True where all has arrived; `identity/` may have grown there by the installation that was signed in."""
    return {path: what for path, what in here.items() if not path.startswith("identity")} == {
        path: what for path, what in there.items() if not path.startswith("identity")
    }
