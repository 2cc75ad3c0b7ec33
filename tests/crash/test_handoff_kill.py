"""P1, P2, P3: a handoff that is killed at any file operation is there or not, never half; and the work it is about is
always told: by the note, or still as the handoff that nobody wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import MissingFileError
from agentws.formats import handoff
from agentws.storage import machine, recording
from agentws.storage.recording import Happening
from agentws.workspace import Environment, Workspace
from tests.crash import harness, journal_reader, scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, ZEROS, Kill
from tests.crash.scenarios import Ack, Scenario, Stage

PLAN = "Move the address book"
BEGAN: dict[str, object] = {"host": machine.name(), "boot": "an earlier start", "process": 1, "started": 1}


@dataclass(frozen=True)
class Verb:
    """A verb that is killed: what it is called, what it does, the kind of its event, and which sessions it `leaves`
    to nobody."""

    name: str
    act: Callable[[Workspace], Any]
    kind: str
    leaves: list[str]


VERBS = [
    Verb("handoff", lambda workspace: workspace.handoff(doing=PLAN, auto=True), "handoff.written", []),
    Verb("ack of one that nobody wrote", lambda workspace: workspace.ack_handoff("broken"), "handoff.closed", []),
    Verb("ack of a note", lambda workspace: workspace.ack_handoff("evening"), "handoff.closed", ["broken"]),
]


def _prepare(root: str) -> None:
    """A session that broke off, and a note of another one that is open."""
    scenarios._workspace(root)
    _opened(root, 10).handoff(doing="the roof", session="evening")
    happened: list[tuple[str, dict[str, object]]] = [("session.started", BEGAN), ("plan", {"text": PLAN})]
    recording.record(_opened(root, 11), [Happening(kind, dict(body), session="broken") for kind, body in happened])


def _opened(root: str, hour: int) -> Workspace:
    now = scenarios.NOW.replace(hour=hour)
    return Workspace.open(root, environment=Environment(now=now, timezone="UTC"))


def _scenario(verb: Verb) -> Scenario:
    def act(root: str, ack: Ack) -> None:
        verb.act(scenarios.opened(root))
        ack(verb.name)

    return Scenario(verb.name, _prepare, act, act)


def _points(stage: Stage) -> list[Kill]:
    changing = stage.whole.changing
    torn = [Kill(at, how) for at, name in enumerate(changing) if "write" in name for how in (HALF, ZEROS)]
    found = [*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn]
    return found if scenarios.THOROUGH or stage.scenario.name == "handoff" else found[::3]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_killed_handoff_is_old_or_new_and_the_work_is_always_told(verb: Verb, tmp_path: Path) -> None:
    stage = Stage(_scenario(verb), str(tmp_path))
    assert verb.kind in kinds(stage.root)

    for point in _points(stage):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.killed, point
        try:
            _check(stage, verb, root, acknowledged=bool(outcome.acks))
        except AssertionError as error:
            raise AssertionError(f"{point} ({stage.whole.changing[point.at]}): {error}") from error


def _check(stage: Stage, verb: Verb, root: str, *, acknowledged: bool) -> None:
    found, before, after = notes(harness.documents(root)), notes(stage.before), notes(stage.after)
    for path in {*before, *after, *found}:
        assert found.get(path) in (before.get(path), after.get(path)), f"{path}: neither old nor new"
    text = scenarios.opened(root).boot().text
    assert PLAN in text or found == after, "the work is told by nobody"
    if acknowledged:
        assert found == after
        assert verb.kind in kinds(root)

    outcome = harness.run(_again(verb), root)

    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    left = scenarios.opened(root).handoffs().rows
    assert [row.name for row in left if row.origin == handoff.DERIVED] == verb.leaves
    for note in Path(root, "handoffs").glob("*.md"):
        assert handoff.decode(note.read_bytes(), path=note.name).body.endswith("\n")


def _again(verb: Verb) -> harness.Act:
    """The verb once more, unless what it is to close is closed already."""

    def act(root: str, _: Ack) -> None:
        with contextlib.suppress(MissingFileError):
            verb.act(scenarios.opened(root))

    return act


def notes(found: dict[str, bytes]) -> dict[str, bytes]:
    """The documents but for the journal, which other tests kill."""
    return {path: data for path, data in found.items() if not path.startswith(("journal/", "identity/"))}


def kinds(root: str) -> list[str]:
    return [one.kind for one in journal_reader.events(root)]
