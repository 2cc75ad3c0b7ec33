"""Every verb that writes, under every clock: it works and everybody reads it afterwards, or it is refused at once."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentws.core import findings as finding
from agentws.core.installation import installation
from agentws.errors import UsageError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

if TYPE_CHECKING:
    from collections.abc import Callable

KEPT = {
    "1001-01-01T00:00:00+00:00": "America/New_York",
    "1601-01-01T00:00:00+00:00": "UTC",
    "1969-12-31T23:59:59.999999+00:00": "UTC",
    "1970-01-01T00:00:00+00:00": "America/New_York",
    "2000-01-01T00:00:12+00:00": "Pacific/Kiritimati",
    "2106-02-07T06:28:16+00:00": "UTC",
    "9999-06-30T23:59:59+00:00": "Pacific/Kiritimati",
}
"""Each with a zone: at both ends one in which it is beyond."""
REFUSED = (
    "0001-01-01T00:00:00+00:00",
    "0001-01-01T00:00:00+14:00",
    "0999-06-01T00:00:00+00:00",
    "9999-12-31T23:59:59-12:00",
    "9999-12-31T23:59:59",
)
WRITES: dict[str, Callable[[Workspace], object]] = {
    "log": lambda robin: robin.log("Watered the ferns", kind="decision"),
    "event": lambda robin: robin.event("note", "The kettle is on"),
    "remember": lambda robin: robin.remember("Sam likes tea"),
    "start_session": lambda robin: robin.session.start("the garden"),
    "add_task": lambda robin: robin.tasks.add("Paint the fence", start=True),
    "step_task": lambda robin: robin.tasks.step("paint-the-fence", "one coat"),
    "wait_task": lambda robin: robin.tasks.wait("paint-the-fence", until="in 3d"),
    "wake_tasks": lambda robin: robin.tasks.due(),
    "resume_task": lambda robin: robin.plumbing.resume_task("paint-the-fence"),
    "finish_task": lambda robin: robin.tasks.done("paint-the-fence"),
    "handoff": lambda robin: robin.handoff(doing="painting", next="a second coat"),
    "new_context": lambda robin: robin.contexts.new("garden", text="Only plants."),
    "end_session": lambda robin: robin.session.end(),
    "remember again": lambda robin: robin.remember("Kim likes coffee"),
    "undo": lambda robin: robin.undo(),
    "compact": lambda robin: robin.memory.compact(agreed=True),
    "seal": lambda robin: robin.journal.seal(),
    "forget": lambda robin: robin.memory.forget(matching=["Watered the ferns"]),
    "rotate_key": lambda robin: robin.identity.rotate(),
}


def surroundings(moment: str, folder: Path, zone: str = "UTC") -> Environment:
    return Environment(now=datetime.fromisoformat(moment), timezone=zone, state=(str(folder / "state"), None))


@pytest.mark.parametrize(("moment", "zone"), KEPT.items())
def test_what_is_written_under_an_odd_clock_is_read_by_everybody(moment: str, zone: str, tmp_path: Path) -> None:
    then = surroundings(moment, tmp_path, zone)
    robin = Workspace.init(str(tmp_path / "robin"), environment=then, name="Robin", git=False)
    for write in WRITES.values():
        write(robin)
    assert robin.notices == []
    for now in (then, surroundings(NOW.isoformat(), tmp_path)):
        read(Workspace.open(robin.root, environment=now), count=len(list(robin.journal.list())))


def read(robin: Workspace, *, count: int) -> None:
    """Every reader answers, and what stands there is sound; then a write goes on where the last one ended."""
    assert robin.journal.verify().sound
    assert robin.identity.verify().findings == []
    assert not [one.says for one in robin.doctor().findings if one.severity == finding.PROBLEM]
    assert "Sam likes tea" in robin.boot().text
    assert robin.tasks.list(all=True).tasks[0].slug == "paint-the-fence"
    assert robin.handoff.list()
    assert robin.status()
    before = len(list(robin.journal.list()))
    assert before >= count > 10
    robin.event("note", "and on")
    assert len(list(robin.journal.list())) == before + 1


@pytest.mark.parametrize("moment", REFUSED)
def test_a_clock_at_the_end_of_the_calendar_is_refused_before_anything_is_made(moment: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="between January 1001 and June 9999"):
        Workspace.init(str(tmp_path / "robin"), environment=surroundings(moment, tmp_path), git=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", REFUSED)
def test_the_clock_of_the_surroundings_and_of_the_past_is_refused_alike(
    moment: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTWS_NOW", moment)
    with pytest.raises(UsageError, match="between January 1001 and June 9999"):
        Workspace.open(workspace.root)
    with pytest.raises(UsageError, match="between January 1001 and June 9999"):
        workspace.stores.environment.as_it_was(datetime.fromisoformat(moment))


@pytest.mark.parametrize("second", [-1, -62135596800, -(1 << 34)])
def test_a_writer_that_was_made_before_1970_gives_way_to_one_that_can_be_read(second: int, tmp_path: Path) -> None:
    now = surroundings(NOW.isoformat(), tmp_path)
    robin = Workspace.init(str(tmp_path / "robin"), environment=now, git=False)
    files, agent = robin.stores.files, robin.stores.manifest.agent_id
    robin.log("a first write makes the writer")
    here = installation.find(files, agent, now.state)
    assert here is not None
    record = Path(here.folder) / "writer"
    spoiled = json.dumps({**json.loads(record.read_text()), "writer": f"{second:010x}abcdef"})
    record.write_text(spoiled)
    robin = Workspace.open(robin.root, environment=now)
    assert robin.boot().text
    robin.event("note", "on we go")
    assert robin.journal.verify().sound
    kept = [path.read_text() for path in Path(here.folder).glob("writer.*")]
    assert spoiled in kept, "nothing is thrown away"


def test_boot_shows_an_event_as_the_clocks_of_its_own_day_did(tmp_path: Path) -> None:
    """The zone has put its clocks on since."""

    def at(moment: str) -> Workspace:
        return Workspace.open(str(tmp_path / "robin"), environment=surroundings(moment, tmp_path, "Europe/Berlin"))

    first, later = "2027-03-24T09:00:00+01:00", "2027-03-31T08:30:00+02:00"
    Workspace.init(str(tmp_path / "robin"), environment=surroundings(first, tmp_path, "Europe/Berlin"), git=False)
    at(first).event("note", "The ferry is booked")
    at(later).event("note", "The ferry is paid")

    text = at(later).boot().text

    assert "- 03-24 09:00 The ferry is booked" in text
    assert "- 08:30 The ferry is paid" in text
    assert "2027-03-31 08:30 CEST" in text
