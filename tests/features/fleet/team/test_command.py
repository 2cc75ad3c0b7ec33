"""The verbs of leases, inbox and offers at the command line: lines, JSON, exit codes, and whom they refuse."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from agentws.core.journal import read
from agentws.features.fleet import inbox
from agentws.features.fleet.database import Database
from agentws.workspace import Workspace
from tests import forked
from tests.features.approvals import keys
from tests.features.approvals.people import ACTION
from tests.features.fleet.team.conftest import GARDEN, Town, known, shipped


@pytest.fixture
def home(workspace: Workspace, town: Town, ana: Database) -> Workspace:
    """The workspace of Robin, which joined as ana."""
    known(ana, workspace)
    config = Path(os.environ["HOME"], ".config/agentws/config.toml")
    config.parent.mkdir(parents=True)
    agent = workspace.stores.manifest.agent_id
    config.write_text(f'[fleet]\nurl = "{town.url_of("ana")}"\nteam = "{GARDEN}"\n[fleet.agents]\n{agent} = "all"\n')
    return workspace


@pytest.fixture
def ben(town: Town) -> str:
    """The id of another agent of the team, which is called Ben."""
    town.owner("INSERT INTO agentws.agents (team, agent, name) VALUES (%s, repeat('b', 32), 'Ben')", GARDEN)
    return "b" * 32


def call(workspace: Workspace, *words: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `agentws fleet …` in the workspace, as a person without a terminal or with an agent's variables."""
    return forked.run_text("fleet", *words, cwd=workspace.root, given=stdin, env={**os.environ, **variables})


def answer(workspace: Workspace, *words: str, **more: str) -> dict[str, Any]:
    """The JSON that a verb prints."""
    done = call(workspace, *words, "--json", **more)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_holder_ends_its_command_and_frees_the_lease(
    home: Workspace, tmp_path: Path, number: signal.Signals
) -> None:
    fifo = str(tmp_path / "life")
    os.mkfifo(fifo)
    words = ["lease", "take", "run", "--", "sh", "-c", f"exec 3>{fifo}; echo begun >&3; exec sleep 600"]
    holder = subprocess.Popen([sys.executable, "-m", "agentws", "fleet", *words], cwd=home.root)
    with open(fifo) as life:  # ends when the command has ended
        assert life.readline() == "begun\n"
        holder.send_signal(number)
        assert holder.wait(60) == 128 + number
        assert life.read() == ""
    assert call(home, "lease", "take", "run").returncode == 0


def test_a_holder_that_is_killed_takes_its_command_with_it(home: Workspace, tmp_path: Path) -> None:
    fifo = str(tmp_path / "life")
    os.mkfifo(fifo)
    inner = f"trap '' HUP INT TERM; exec 3>{fifo}; echo begun >&3; (exec sleep 60) & wait"
    words = ["lease", "take", "run", "--", "sh", "-c", inner]
    holder = subprocess.Popen([sys.executable, "-m", "agentws", "fleet", *words], cwd=home.root)
    with open(fifo) as life:  # ends when the command and its children have ended
        assert life.readline() == "begun\n"
        holder.kill()
        assert life.read() == ""
    holder.wait(60)
    assert call(home, "lease", "take", "run").returncode == 11, "others wait for the end of the lease"


def test_a_lease_is_taken_shown_renewed_and_released(home: Workspace) -> None:
    taken = answer(home, "lease", "take", "run", "--for", "600")
    assert (taken["schema"], taken["name"]) == ("agentws/fleet-lease-take@1", "run")
    epoch = str(taken["epoch"])
    assert call(home, "lease", "take", "run").returncode == 11
    assert answer(home, "lease", "renew", "run", "--epoch", epoch)["held"] is True
    assert call(home, "lease", "check", "run", "--epoch", epoch).returncode == 0
    assert call(home, "lease", "check", "run", "--epoch", str(int(epoch) - 1)).returncode == 11
    (shown,) = answer(home, "lease")["leases"]
    assert shown["epoch"] == taken["epoch"]
    assert shown["holder"]
    assert answer(home, "lease", "release", "run", "--epoch", epoch)["held"] is False
    assert "free" in call(home, "lease").stdout


def test_a_command_runs_under_a_lease_with_its_status(home: Workspace) -> None:
    done = call(home, "lease", "take", "deploy", "--team", "--", "sh", "-c", "echo $AGENTWS_LEASE; exit 3")
    assert (done.returncode, done.stdout) == (3, "deploy\n")
    assert call(home, "lease", "take", "run", "--", "true").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("lease", "steal", "run"),
        ("lease", "take"),
        ("lease", "renew", "run"),
        ("lease", "take", "run", "--epoch", "3"),
        ("lease", "release", "run", "--epoch", "1", "--", "true"),
        ("lease", "take", "run", "--for", "2", "--", "true"),
        ("inbox", "burn"),
        ("offer", "Ben", "hello", "--kind", "decision"),
        ("offer", "Robin", "hello"),
    ],
)
def test_a_wrong_call_names_the_right_one(home: Workspace, words: tuple[str, ...]) -> None:
    done = call(home, *words)
    assert done.returncode == 2
    assert done.stderr


def test_an_answer_is_signed_elsewhere_and_sent(
    home: Workspace, ana: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.made(tmp_path / "sam", "sam")
    keys.pinned(monkeypatch, tmp_path, key)
    asked = home.ask("Pay Lena?", action=ACTION, risk="high")
    shipped(ana, home)
    (request,) = answer(home, "inbox")["requests"]
    assert (request["id"], request["name"], request["question"]) == (asked.id, "Robin", "Pay Lena?")
    shown = call(home, "inbox", "show", asked.id).stdout
    assert "Pay Lena?" in shown
    assert '"amount": 250' in shown
    words = call(home, "inbox", "statement", asked.id).stdout
    signature = keys.signed(key, words)
    sent = call(home, "inbox", "approve", asked.id, "--signature", "-", stdin=signature)
    assert sent.returncode == 0, sent.stderr
    assert "next ship" in sent.stdout
    listed = answer(home, "inbox")
    assert (listed["requests"], [each["id"] for each in listed["answers"]]) == ([], [asked.id]), "listed once"
    assert call(home, "inbox").stdout.count(asked.id) == 1
    shipped(ana, home)
    assert home.approvals.show(asked.id).is_usable
    assert answer(home, "inbox", "--all")["answers"][0]["outcome"] == "applied"


@pytest.mark.parametrize("action", ["approve", "reject", "accept", "decline", "statement", "show"])
def test_an_agent_answers_nothing(home: Workspace, ana: Database, action: str) -> None:
    asked = home.ask("Pay Lena?", action=ACTION)
    shipped(ana, home)
    done = call(home, "inbox", action, asked.id, "--signature", "-", stdin="x", CLAUDECODE="1")
    assert done.returncode == 3
    assert "Only a person" in done.stderr
    assert answer(home, "inbox")["answers"] == []


@pytest.mark.parametrize("words", [(), ("--key", "key"), ("--edit", "{}")])
def test_an_answer_without_a_signature_or_a_terminal_is_refused(
    home: Workspace, ana: Database, words: tuple[str, ...]
) -> None:
    asked = home.ask("Move the meeting?")
    shipped(ana, home)
    done = call(home, "inbox", "approve", asked.id, *words)
    assert done.returncode == 3
    assert "sign" in done.stderr
    assert answer(home, "inbox")["answers"] == []


def test_a_person_signs_at_a_terminal(
    home: Workspace, ana: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.made(tmp_path / "sam", "sam", passphrase="five old oaks")
    keys.pinned(monkeypatch, tmp_path, key)
    asked = home.ask("Move the meeting?", risk="high")
    shipped(ana, home)
    argv = [sys.executable, "-m", "agentws", "fleet", "inbox", "approve", asked.id, "--key", str(key)]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home.root)
        os.execv(sys.executable, argv)
    seen = b""
    for awaited, typed in ((b"to approve", asked.id), (b"passphrase", "five old oaks")):
        while awaited not in seen:
            seen += os.read(terminal, 1 << 12)
        os.write(terminal, f"{typed}\n".encode())
    with suppress(OSError):  # the terminal's end
        while data := os.read(terminal, 1 << 12):
            seen += data
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, seen.decode()
    assert b"Move the meeting?" in seen
    shipped(ana, home)
    shown = home.approvals.show(asked.id)
    assert (shown.status, shown.proof) == ("approved", "signed")


def test_an_offer_is_listed_accepted_or_declined(home: Workspace, ana: Database, ben: str) -> None:
    first, second = (
        inbox.offer(ana, GARDEN, ben, "Robin", "todo", text) for text in ("Water the beans", "Sell the shed")
    )
    assert [offer["text"] for offer in answer(home, "inbox")["offers"]] == ["Water the beans", "Sell the shed"]
    assert "taken as todo" in call(home, "inbox", "accept", str(first)).stdout
    assert call(home, "inbox", "decline", str(second), "-m", "not ours").returncode == 0
    assert answer(home, "inbox")["offers"] == []
    offers = answer(home, "inbox", "--all")["offers"]
    assert [(offer["outcome"], offer.get("reason")) for offer in offers] == [("taken", None), ("refused", "not ours")]
    text = "".join(path.read_text() for path in Path(home.root, "memory").glob("*.md"))
    assert "Water the beans" in text
    assert "Sell the shed" not in text
    assert call(home, "inbox", "accept", "9999").returncode != 0


def test_an_offer_is_shown_whole(home: Workspace, ben: str) -> None:
    number = str(answer(home, "offer", ben, "Water the beans\nand the peas", "--kind", "note")["number"])
    shown = call(home, "inbox", "show", number).stdout
    assert "note:\n    Water the beans\n    and the peas\n" in shown
    assert "waits" in shown
    assert "No request '9999' waits" in call(home, "inbox", "show", "9999").stderr


def test_what_is_tagged_private_in_an_offer_is_not_sent(home: Workspace, ben: str) -> None:
    done = call(home, "offer", ben, "Water the beans\n\n- Lena is ill #private\n- and the peas")
    assert "Parts tagged private were not sent." in done.stderr
    (offer,) = answer(home, "inbox")["offers"]
    assert offer["text"].split() == ["Water", "the", "beans", "-", "and", "the", "peas"]
    done = call(home, "offer", "Ben", "Lena is ill #private")
    assert done.returncode == 2
    assert "Nothing would be sent" in done.stderr
    assert len(answer(home, "inbox")["offers"]) == 1
    assert "was not sent" not in call(home, "offer", "Ben", "Water the  beans ").stderr


def test_a_workspace_that_lost_its_journal_does_not_ship_in_silence(home: Workspace) -> None:
    home.event("note", "On the disk")
    assert call(home, "ship").returncode == 0
    Path(home.root, "journal").rename(Path(home.root).parent / "journal")
    done = call(home, "ship")
    assert (done.returncode, done.stdout) == (14, "")
    assert "is missing. Nothing was shipped." in done.stderr
    assert "agentws journal verify" in done.stderr


def test_verify_names_a_copy_and_the_command_after_which_it_is_sound(home: Workspace) -> None:
    home.event("note", "Before the copy")
    assert call(home, "ship").returncode == 0
    place = Path(home.root).parent / "copy"
    shutil.copytree(home.root, place)
    copy = Workspace.open(str(place))
    copy.event("note", "In the copy")
    assert call(copy, "ship").returncode == 0
    (writer,) = set(read.writers(copy.stores.files)) - set(read.writers(home.stores.files))
    done = call(home, "verify")
    assert (done.returncode, "Another copy of this agent" in done.stdout) == (14, True)
    assert f"agentws identity vouch {writer}" in done.stderr
    shutil.copytree(place / "journal" / writer, Path(home.root, "journal", writer))
    assert forked.run("identity", "vouch", writer, cwd=home.root).returncode == 0
    assert call(home, "verify").returncode == 0


def test_hostile_text_of_the_database_does_not_act_on_the_terminal(home: Workspace, town: Town, ana: Database) -> None:
    home.ask("Pay Lena?", action=ACTION)
    shipped(ana, home)
    town.owner("UPDATE agentws.requests SET file = replace(file, 'Pay', E'\\x1b[2JPay'), expires = E'\\x1b]0;x\\x07'")
    town.owner("UPDATE agentws.agents SET name = E'Ro\\nbin\\x1b[31m'")
    assert "\x1b" not in call(home, "inbox").stdout


def test_without_a_server_the_verbs_say_what_is_away(workspace: Workspace) -> None:
    done = call(workspace, "inbox", "--url", f"postgresql://ana@/none?host={workspace.root}", "--team", "garden")
    assert done.returncode == 20
    assert "out of reach" in done.stderr
    done = call(workspace, "lease", "take", "run")
    assert done.returncode == 2
    assert "fleet join" in done.stderr


def test_ctrl_c_ends_a_ship_that_follows_and_the_next_one_goes_on(home: Workspace, ana: Database) -> None:
    words = [sys.executable, "-u", "-m", "agentws", "fleet", "ship", "--follow"]
    process = subprocess.Popen(words, cwd=home.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "shipped to" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in errors) == (130, False)
    home.event("note", "later")
    assert answer(home, "ship")["refused"] == {}
    (writer,) = read.writers(home.stores.files)
    newest = read.last_seq(home.stores.files, writer)
    assert ana.row("SELECT count(*), count(DISTINCT seq), max(seq) FROM agentws.events") == (newest, newest, newest)
