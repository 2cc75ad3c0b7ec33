"""The one-time token that travels in a copy: it signs in whoever begins at its place, once, and nobody else."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.secrets import secrets
from agentws.core.installation import keys
from agentws.errors import DiskError, MayNotWriteError
from agentws.features.copies.transfer import receiver, transport
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.identity.machines import Machine, warned

pytestmark = pytest.mark.skipif(not keys.is_possible(), reason="nothing here can sign")


@pytest.fixture
def vps(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "vps")


@pytest.fixture
def arrived(desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The agent as it came from the desk to a place where no agentws was; it requires that its writers are known."""
    made = desk.makes(tmp_path / "robin")
    with open(tmp_path / "robin" / "agentws.toml", "a") as file:
        file.write('\n[identity]\nmode = "require"\n')
    made = desk.opens(tmp_path / "robin")
    made.event("note", "from the desk")
    # No agentws is there: nobody boots, and nobody is signed in by hand.
    monkeypatch.setattr(receiver.Receiver, "_program", lambda self: [])
    assert not made.copies.migrate(str(tmp_path / "new")).vouched
    return tmp_path / "new"


def token(root: Path) -> Any:
    return json.loads((root / ".agentws" / "arrival.json").read_text()).get("token")


def lines(root: Path) -> list[Any]:
    return [json.loads(line) for line in (root / "identity" / "writers.jsonl").read_text().splitlines()]


def test_whoever_begins_at_the_place_is_vouched_for_and_the_token_is_gone(arrived: Path, vps: Machine) -> None:
    word = token(arrived)["word"]
    assert warned(vps.opens(arrived)) == [], "nobody is new here"

    vps.opens(arrived, NOW + timedelta(hours=1)).event("note", "unpacked")

    assert token(arrived) is None
    assert lines(arrived)[-1]["vouched_by"]["arrival"]["word"] == word
    assert vps.opens(arrived).identity.verify().findings == []
    assert warned(vps.opens(arrived)) == []
    vps.opens(arrived).log("goes on")
    assert [one.trusted_by for one in vps.opens(arrived).identity.show().writers] == [
        "first",
        lines(arrived)[0]["writer"],
    ]


def test_the_line_of_whoever_was_signed_in_by_it_is_kept_in_history(arrived: Path, vps: Machine) -> None:
    # A name that promises a secret would keep `identity/` out of history, and so out of every clone.
    vps.opens(arrived).event("note", "unpacked")

    assert lines(arrived)[-1]["vouched_by"]["arrival"]
    assert secrets.find((arrived / "identity" / "writers.jsonl").read_text()) == []


def test_a_line_of_the_log_may_come_first(arrived: Path, vps: Machine) -> None:
    vps.opens(arrived).log("unpacked")
    vps.opens(arrived).event("note", "unpacked")

    assert vps.opens(arrived).identity.verify().findings == []


def test_a_copy_of_the_copy_is_not_vouched_for(arrived: Path, vps: Machine, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", str(arrived), str(tmp_path / "copy")], check=True)

    assert token(tmp_path / "copy")
    assert warned(vps.opens(tmp_path / "copy")) != []
    with pytest.raises(MayNotWriteError):
        vps.opens(tmp_path / "copy").event("note", "me too")
    vps.opens(arrived).event("note", "the right one")


def test_a_copy_that_took_its_place_is_not_vouched_for(arrived: Path, vps: Machine, tmp_path: Path) -> None:
    subprocess.run(["cp", "-a", str(arrived), str(tmp_path / "copy")], check=True)
    (arrived).rename(tmp_path / "first")
    (tmp_path / "copy").rename(arrived)

    with pytest.raises(MayNotWriteError):
        vps.opens(arrived).event("note", "me too")
    with pytest.raises(MayNotWriteError):
        vps.opens(tmp_path / "first").event("note", "not at this place")


def test_a_token_that_two_have_used_counts_for_the_first(arrived: Path, vps: Machine, tmp_path: Path) -> None:
    kept = (arrived / ".agentws" / "arrival.json").read_bytes()
    vps.opens(arrived).event("note", "first")
    (arrived / ".agentws" / "arrival.json").write_bytes(kept)
    third = Machine(tmp_path, "third")

    with pytest.raises(MayNotWriteError):
        third.opens(arrived).event("note", "second")

    # One that writes the line by itself is named, and does not count either.
    forged = {**lines(arrived)[-1], "writer": "0" * 16, "key": "ssh-ed25519 " + "A" * 68}
    with open(arrived / "identity" / "writers.jsonl", "a") as file:
        file.write(json.dumps(forged, separators=(",", ":")) + "\n")
    assert "its one-time token was used before" in [one.what for one in vps.opens(arrived).identity.verify().findings]
    vps.opens(arrived).event("note", "the first goes on")


@pytest.mark.parametrize("name", ["migration", "word", "until", "place", "signature", "by"])
def test_a_token_that_was_changed_counts_for_nobody(arrived: Path, vps: Machine, name: str) -> None:
    told = json.loads((arrived / ".agentws" / "arrival.json").read_text())
    told["token"][name] = "2999-01-01" if name == "until" else told["token"][name][::-1]
    (arrived / ".agentws" / "arrival.json").write_text(json.dumps(told))

    with pytest.raises(MayNotWriteError):
        vps.opens(arrived).event("note", "me")


def test_it_ends_after_a_month(arrived: Path, vps: Machine) -> None:
    later = vps.opens(arrived, NOW + timedelta(days=40))

    with pytest.raises(MayNotWriteError):
        later.event("note", "late")


def test_one_that_was_signed_in_by_hand_needs_no_token(desk: Machine, tmp_path: Path) -> None:
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")

    assert made.copies.migrate(str(tmp_path / "new")).vouched

    assert token(tmp_path / "new") is None


def test_a_move_that_was_given_up_voids_its_token(
    desk: Machine, vps: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")

    def breaks(*_: object, **__: object) -> None:
        raise DiskError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(transport.Local, "activate", breaks)
        with pytest.raises(DiskError):
            made.copies.migrate(str(tmp_path / "new"))
    (staging,) = (path for path in tmp_path.glob(".new.incoming-*") if ".part-" not in path.name)
    staging.rename(tmp_path / "kept")

    desk.opens(tmp_path / "robin").copies.abort_migration(sure=True)

    (tmp_path / "kept").rename(tmp_path / "new")  # somebody puts it there by hand: the same folder, at its place
    assert token(tmp_path / "new")

    # Where the two meet again, nothing that was signed in by that token counts.
    shutil.copy(tmp_path / "robin" / "identity" / "writers.jsonl", tmp_path / "new" / "identity" / "writers.jsonl")
    with open(tmp_path / "new" / "agentws.toml", "a") as file:
        file.write('\n[identity]\nmode = "require"\n')
    with pytest.raises(MayNotWriteError):
        vps.opens(tmp_path / "new").event("note", "me")


def test_killed_between_the_line_and_the_token_it_is_signed_in_once(
    arrived: Path, vps: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("agentws.core.identity.arrival._spend", killed)
        with pytest.raises(KeyboardInterrupt):
            vps.opens(arrived).event("note", "one")

    vps.opens(arrived).event("note", "two")

    writer = lines(arrived)[-1]["writer"]
    assert len([line for line in lines(arrived) if line.get("writer") == writer]) == 1
    assert vps.opens(arrived).identity.verify().findings == []
    assert isinstance(Workspace.open(str(arrived), environment=vps.environment()), Workspace)


def test_a_token_that_came_too_late_is_said_at_every_boot(arrived: Path, vps: Machine) -> None:
    late = NOW + timedelta(days=200)

    assert warned(vps.opens(arrived, late)) != []
    assert not all(check.ok for check in vps.opens(arrived, late).status().checks if check.name == "identity")
    with pytest.raises(MayNotWriteError):
        vps.opens(arrived, late).log("too late")
