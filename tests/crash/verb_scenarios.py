"""The verbs of continuity that are killed, cut and starved: handoff, task, ask; and what must be true then."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from agentws.core.formats.documents import handoff, task
from agentws.core.installation import host_info
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.errors import MissingFileError, NothingOpenError
from agentws.workspace import Environment, Workspace
from tests.crash import harness, journal_reader, scenarios
from tests.crash.scenarios import Ack, Scenario

PLAN = "Move the address book"
BEGAN: dict[str, object] = {"host": host_info.name(), "boot": "before this one restarted", "process": 1, "started": 1}
ROOF = "tasks/roof.md"
FOLLOWED = b"2026-11-20-100000-evening, "
NOT_TOLD = "its event was not recorded"
"""What a handoff says whose note is safe and whose event is not."""
NOT_IN_FILE = "recorded in the journal, not in the file"
"""What an answer says that holds by its event, and whose file could not be written."""
NOT_RECORDED = "The undo was not recorded"
"""What an undo says whose file is as before and whose events the disk refused."""
NOTHING_WOKEN = "no task was woken"
"""What `task due` acknowledges that could not look at a task, or at what it waits for: then that waits on."""


@dataclass(frozen=True)
class Verb:
    """A verb that is killed: what stands before it, and what it does.

    `check(stage, verb, root, acks)` raises AssertionError where a promise is broken. Of a handoff, `kind` is that of
    its event, and `leaves` are the sessions that it leaves to nobody; of a task, the file may say `between` meanwhile.
    """

    name: str
    prepare: Callable[[Workspace], Any]
    act: Callable[[Workspace], Any]
    check: Callable[[Stage, Verb, str, list[Any]], None]
    kind: str = ""
    leaves: tuple[str, ...] = ()
    between: tuple[bytes, ...] = ()

    @property
    def scenario(self) -> Scenario:
        """The verb as the harness runs it; it acknowledges its notices, and where it did nothing that too."""

        def act(root: str, ack: Ack) -> None:
            done = self.act(scenarios.opened(root))
            ack([*done.notices, *([NOTHING_WOKEN] if getattr(done, "woken", None) == [] else [])])

        return Scenario(self.name, _in_a_workspace(self.prepare), act, act)


@functools.cache
def _in_a_workspace(prepare: Callable[[Workspace], Any]) -> Callable[[str], None]:
    """Return what makes a workspace and prepares it, one function for each `prepare`."""

    def made(root: str) -> None:
        scenarios._workspace(root)
        prepare(scenarios.opened(root))

    return made


class Stage(scenarios.Stage):
    """A verb set up once; each point gets a copy of it: the same installation, or where it was `moved` another one."""

    def __init__(self, verb: Verb, folder: str, *, moved: bool = False) -> None:
        self.verb = verb
        self.moved = moved
        super().__init__(verb.scenario, folder)

    def check(self, root: str, acks: list[Any], *, rebound: bool = False) -> None:
        """What is promised of `root` after a crash or an error; `rebound` where it is not the folder that it was."""
        if rebound and not self.moved:
            scenarios.rebind(root)
        self.verb.check(self, self.verb, root, acks)


# Handoffs


def _a_session_that_broke_off(workspace: Workspace) -> None:
    """And a note of another one that is open."""
    _opened(workspace, 10).handoff(doing="the roof", session="evening")
    happened: list[tuple[str, dict[str, object]]] = [("session.started", BEGAN), ("plan", {"text": PLAN})]
    told = [Happening(kind, dict(body), session="broken") for kind, body in happened]
    record.record(_opened(workspace, 11).stores, told)


def _opened(workspace: Workspace, hour: int) -> Workspace:
    now = scenarios.NOW.replace(hour=hour)
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC"))


def _handed(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The note is there or not, never half; and the work it is about is always told: by it, or still by boot."""
    found, before, after = notes(harness.documents(root)), notes(stage.before), notes(stage.after)
    if acks and any(notice.startswith("handoffs") for notice in acks[0]):
        # It could not read the other note, said so, and does not follow it: that one stays open.
        after = {path: data.replace(FOLLOWED, b"") for path, data in after.items()}
    for path in {*before, *after, *found}:
        assert found.get(path) in (before.get(path), after.get(path)), f"{path}: neither old nor new"
    first, again = (derived(scenarios.opened(root).boot().text) for _ in range(2))
    assert first == again, "boot told another handoff the second time"
    assert PLAN in scenarios.opened(root).boot().text or found == after, "the work is told by nobody"
    if acks:
        assert found == after, "acknowledged and lost"

    outcome = harness.run(_again(verb), root)

    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    if acks and not any(NOT_TOLD in notice for notice in acks[0]):
        assert verb.kind in kinds(root)
    left = scenarios.opened(root).handoff.list().rows
    assert tuple(row.name for row in left if row.origin == handoff.DERIVED) == verb.leaves
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


def derived(text: str) -> str:
    """The handoff that nobody wrote, in what boot says."""
    start = text.find("## Recovered handoff")
    return text[start:].partition("\n## ")[0] if start >= 0 else ""


HANDOFFS = [
    Verb(
        "handoff",
        _a_session_that_broke_off,
        lambda workspace: workspace.handoff(doing=PLAN, auto=True),
        _handed,
        kind="handoff.written",
    ),
    Verb(
        "ack of one that nobody wrote",
        _a_session_that_broke_off,
        lambda workspace: workspace.handoff.ack("broken"),
        _handed,
        kind="handoff.closed",
    ),
    Verb(
        "ack of a note",
        _a_session_that_broke_off,
        lambda workspace: workspace.handoff.ack("evening"),
        _handed,
        kind="handoff.closed",
        leaves=("broken",),
    ),
]


def kinds(root: str) -> list[str]:
    """The kinds of all events."""
    return [one.kind for one in journal_reader.events(root)]


# Tasks


def _open(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", steps=["ask", "pay"])


def _added(workspace: Workspace) -> Any:
    return workspace.tasks.add("Roof", steps=["ask", "pay"], start=True)


def _waiting(workspace: Workspace) -> None:
    _added(workspace)
    workspace.tasks.wait("roof", path="notes.txt")


def _add_and_finish(workspace: Workspace) -> Any:
    _added(workspace)
    return workspace.tasks.done("roof")


def _told_and_whole(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The file is the old one or the new one, and the journal is told of it by the next task verb, once."""
    states = [stage.before.get(ROOF), *verb.between, stage.after[ROOF]]
    there = harness.documents(root).get(ROOF)
    assert there in states, f"neither old nor new: {there!r}"
    after = harness.run(another, root)
    assert after.error is None, after.error[3]
    now = harness.documents(root).get(ROOF)
    assert now in states, f"neither old nor new after the next verb: {now!r}"
    assert now == stage.after[ROOF] or not acks or NOTHING_WOKEN in acks[0], "acknowledged and lost"
    told = _told(stage, root)
    found = task.decode(now, slug="roof", where=ROOF) if now else None
    assert (told[-1]["after"] if told else None) == (found.status if found else None)
    assert (told[-1]["checked"] if told else None) == (list(found.steps) if found else None)
    _is_a_chain([(one["before"], one["after"], one["checked"]) for one in told])


def _told(stage: Stage, root: str) -> list[dict[str, Any]]:
    """The bodies of the events of the task; a copy of a workspace is another writer, which comes after the first."""
    (first,) = {path.split("/")[1] for path in stage.before if path.endswith(".jsonl") and path.startswith("journal/")}
    found = [one for one in journal_reader.events(root) if one.body and one.body.get("task") == "roof"]
    found.sort(key=lambda one: one.writer != first)
    return [one.body for one in found]


def _is_a_chain(moves: list[tuple[str | None, str | None, list[int]]]) -> None:
    """Each move begins where the one before has ended, and the first one with nothing; none is told twice."""
    befores, afters = [before for before, _, _ in moves], [status for _, status, _ in moves]
    assert befores == [None, *afters][: len(moves)], moves
    assert all(one[1:] != other[1:] for one, other in pairwise(moves)), f"told twice: {moves}"


def another(root: str, ack: Ack) -> None:
    """The next task verb, of another task."""
    scenarios.opened(root).tasks.add("Another")
    ack(None)


def rests_on(notices: Any, place: str) -> bool:
    """What was acknowledged rests on documents, journal and state; not on hints, nor on what lies beside.

    Where a notice says that the event or the seal failed, on the documents alone; that a file did, on the journal.
    """
    if notices and any(NOT_IN_FILE in notice for notice in notices):
        return place.startswith(("journal", "identity"))
    if notices and place.startswith(("journal", ".agentws/state", "identity")):
        return False
    if place.startswith(".agentws/state") and place.endswith(("/newest", "/changed")):
        return False  # how far the journal went: it may lag behind
    if place.startswith(".agentws/") and not place.startswith((".agentws/undo", ".agentws/state")):
        return place == ".agentws/changes.jsonl"
    return not place.endswith((".agentws-new", ".agentws-old"))


def _task(name: str, prepare: Callable[[Workspace], Any], act: Callable[[Workspace], Any], *between: bytes) -> Verb:
    return Verb(f"task {name}", prepare, act, _told_and_whole, between=between)


_STAMP = b"2026-11-20T12:00:00+00:00"
_ACTIVE = b"---\nstatus: active\ncreated: %s\nupdated: %s\n---\n# Roof\n\n- [ ] ask\n- [ ] pay\n" % (_STAMP, _STAMP)
TASKS = [
    _task("add", lambda workspace: workspace.event("note"), _added),
    _task("start", _open, lambda workspace: workspace.tasks.start("roof")),
    _task("step", _added, lambda workspace: workspace.tasks.step("roof", "now", done=[1])),
    _task("wait", _added, lambda workspace: workspace.tasks.wait("roof", path="notes.txt")),
    _task("done", _added, lambda workspace: workspace.tasks.done("roof")),
    _task("due", _waiting, lambda workspace: workspace.tasks.due()),
    _task("add and done", lambda workspace: workspace.event("note"), _add_and_finish, _ACTIVE),
]


# Open items

CALL = "Call Tom about the lease"


def _said_twice(workspace: Workspace) -> None:
    """The same item in a log and as a box of MEMORY.md."""
    scenarios.put(workspace.root, "MEMORY.md", f"# Memory\n\n- [ ] {CALL}\n- [ ] Pay the rent\n".encode())
    workspace.todo("Oil the gate")
    workspace.todo(CALL)


def _closed_or_open(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The box is ticked or not, the line is there or not, nothing else has changed; run again, it is over."""
    found, before, after = notes(harness.documents(root)), notes(stage.before), notes(stage.after)
    assert found["MEMORY.md"] in (before["MEMORY.md"], after["MEMORY.md"])
    assert found[scenarios.TODAY].startswith(before[scenarios.TODAY]), "what stood in the day's log was changed"
    is_open = CALL in [one.text for one in scenarios.opened(root).todos().rows]
    assert not (is_open and acks), "acknowledged and lost"
    assert is_open or found != before, "it is over, and nothing says so"
    if acks:
        assert found == after

    outcome = harness.run(_close_again, root)

    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    again = notes(harness.documents(root))
    assert again["MEMORY.md"] == after["MEMORY.md"]
    assert again[scenarios.TODAY].count(b"[done]") == 1
    assert {one.text for one in scenarios.opened(root).todos().rows} == {"Oil the gate", "Pay the rent"}


def _close_again(root: str, _: Ack) -> None:
    with contextlib.suppress(NothingOpenError):
        scenarios.opened(root).done("call", "tom")


CLOSING = [
    Verb("done of a line and a box", _said_twice, lambda workspace: workspace.done("call", "tom"), _closed_or_open)
]


# Checkpoints

LONG = "tile " * 20_000
FIRST: dict[str, object] = {"n": 1, "text": LONG}
SECOND: dict[str, object] = {"n": 2, "text": LONG[5:]}


def _saved(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    workspace.checkpoints.save("roof", FIRST, label="first")


def _saved_often(workspace: Workspace) -> None:
    _saved(workspace)
    for state in (SECOND, {"n": 3}, {"n": 4}):
        workspace.checkpoints.save("roof", state)
    workspace.config.set("checkpoint.keep", "1")


def states(root: str) -> list[object]:
    """The states of all checkpoints, each read as it is restored; none may be damaged."""
    found = scenarios.opened(root)
    listed = found.checkpoints.list("roof") if Path(root, "checkpoints").exists() else None
    assert listed is None or not [each for each in listed.notices if "checkpoints/" in each], listed.notices
    rows = listed.rows if listed is not None else []
    return [found.checkpoints.show("roof", row.head.id).state for row in rows]


def _saved_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """What was there is there; what is new is there whole or not at all, once acknowledged with its event."""
    found = states(root)
    assert found in ([FIRST], [FIRST, SECOND]), "neither old nor new"
    assert found == [FIRST, SECOND] or not acks, "acknowledged and lost"
    if acks:
        assert len(_recorded(root, "checkpoint.saved")) == 2

    outcome = harness.run(_save_another, root)

    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    assert states(root) == [*found, {"n": "another"}]
    numbers = [row.head.seq for row in scenarios.opened(root).checkpoints.list("roof").rows]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not list(Path(root, "checkpoints").rglob("*.agentws-*")), "what was left half done is still there"


def _save_another(root: str, ack: Ack) -> None:
    scenarios.opened(root).checkpoints.save(
        "roof",
        {
            "n": "another",
        },
    )
    ack(None)


def _recorded(root: str, kind: str) -> list[dict[str, Any]]:
    return [one.body for one in journal_reader.events(root) if one.kind == kind and one.body]


def _restored_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """Restoring changes no checkpoint; it is acknowledged with its event."""
    assert states(root) == [FIRST]
    assert not acks or _recorded(root, "checkpoint.restored")
    outcome = harness.run(_save_another, root)
    assert outcome.error is None, outcome.error[3]


def _pruned_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """What is kept is whole; of the rest each is there whole or gone, and then the journal knows. Again, it is done."""
    found = states(root)
    assert FIRST in found
    assert {"n": 4} in found
    assert len(found) == 4 or _recorded(root, "checkpoint.pruned"), "gone, and nothing says so"
    unread = acks and any(notice.startswith("checkpoints/") for notice in acks[0])
    assert len(found) == 2 or not acks or unread

    outcome = harness.run(_prune_again, root)

    assert outcome.error is None, outcome.error[3]
    assert states(root) == [FIRST, {"n": 4}]
    assert len([path for path in Path(root, "checkpoints/blobs").iterdir() if not path.name.startswith(".")]) == 1


def _prune_again(root: str, ack: Ack) -> None:
    scenarios.opened(root).checkpoints.prune()
    ack(None)


def _paused_with_its_state(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """Where the task is paused, its state is there."""
    found = states(root)
    now = task.decode(harness.documents(root)[ROOF], slug="roof", where=ROOF).status
    assert (now, found) in [("active", [FIRST]), ("active", [FIRST, SECOND]), ("paused", [FIRST, SECOND])]
    assert now == "paused" or not acks


CHECKPOINTS = [
    Verb("checkpoint save", _saved, lambda workspace: workspace.checkpoints.save("roof", SECOND), _saved_or_not),
    Verb("checkpoint restore", _saved, lambda workspace: workspace.checkpoints.restore("roof"), _restored_or_not),
    Verb("checkpoint prune", _saved_often, lambda workspace: workspace.checkpoints.prune(), _pruned_or_not),
    Verb("pause with a state", _saved, lambda workspace: workspace.tasks.pause("roof", SECOND), _paused_with_its_state),
]


# Retractions


def _decided(workspace: Workspace) -> None:
    workspace.event("decision", CALL)


def _retract(workspace: Workspace) -> Any:
    (cursor,) = (one.cursor for one in workspace.journal.list(kinds=("decision",)))
    return workspace.journal.retract([cursor], reason="asked twice")


def _counts_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The event counts or not, in every reader alike; run again, it counts no more, and that is said once."""
    workspace = scenarios.opened(root)
    counts = [one.body for one in workspace.journal.replay().state.decisions] != []
    assert counts == (CALL in workspace.boot().text)
    assert not (counts and acks), "acknowledged and lost"

    outcome = harness.run(lambda place, _: _retract(scenarios.opened(place)) and None, root)

    assert outcome.error is None, f"what came after failed:\n{outcome.error[3]}"
    assert kinds(root).count("retracted") == 1
    assert scenarios.opened(root).journal.replay().state.decisions == []


# Approvals

PAY = {"tool": "pay", "amount": 250}


SETTINGS = "settings-of-sam"
"""The settings of a person who may decide by typing; they lie beside the documents."""


def person(root: str) -> Workspace:
    settings = f"{root}/{SETTINGS}"
    return Workspace.open(root, environment=Environment(now=scenarios.NOW, timezone="UTC", config=settings))


def _with_settings(workspace: Workspace) -> None:
    Path(workspace.root, SETTINGS).write_text("[ask]\ntyped = true\n")
    workspace.event("note")


def _ask(workspace: Workspace) -> Any:
    return person(workspace.root).ask("Pay the deposit?", action=PAY)


def _answer(workspace: Workspace, *, approve: bool = True) -> Any:
    here = person(workspace.root)
    (one,) = here.approvals.list()
    return here.approvals.decide(one.id, approve=approve, typed=True)


def _asked(workspace: Workspace) -> None:
    _with_settings(workspace)
    _ask(workspace)


def _approved(workspace: Workspace) -> None:
    _asked(workspace)
    _answer(workspace)


def _use(workspace: Workspace) -> Any:
    return person(workspace.root).approvals.use("", PAY)


def requests(root: str) -> list[str]:
    """The status of each request by file and journal; every file there is whole."""
    found = person(root).approvals.list() if Path(root, "approvals").exists() else []
    assert not [each for each in getattr(found, "notices", ()) if "approvals/" in each], found
    assert all((one.question, one.action) == ("Pay the deposit?", PAY) for one in found)
    return [one.status for one in found]


def _asked_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The request is there whole or not at all, once acknowledged with its event; the next verb tells of it."""
    found = requests(root)
    assert found in ([], ["pending"])
    assert found or not acks, "acknowledged and lost"

    outcome = harness.run(lambda place, _: _ask(Workspace.open(place)) and None, root)

    assert outcome.error is None, outcome.error[3]
    assert requests(root) == ["pending"], "the same, asked again while it is open, is one request"
    assert kinds(root).count("approval.asked") == 1, "it is told once"


def _answered_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """One answer at most, whatever is tried again; the file says it after the next verb."""
    approve = verb.name == "ask approve"
    word = "approved" if approve else "rejected"
    (before,) = requests(root)
    assert before in ("pending", word)
    assert before == word or not acks, "acknowledged and lost"

    outcome = harness.run(lambda place, _: _answer(Workspace.open(place), approve=approve) and None, root)

    assert (outcome.error is None) == (before == "pending"), "decided twice, or never"
    assert requests(root) == [word]
    assert kinds(root).count("approval.decided") == 1
    (file,) = Path(root, "approvals").glob("*.md")
    assert f"status: {word}\n" in file.read_text()


def _used_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """It is used once at most, and by nobody again once that was acknowledged."""
    (before,) = requests(root)
    assert before in ("approved", "used")
    assert before == "used" or not acks, "acknowledged, and could be used again"

    outcomes = [harness.run(lambda place, _: _use(Workspace.open(place)) and None, root) for _ in range(2)]

    assert [one.error is None for one in outcomes] == [before == "approved", False], "used twice, or never"
    assert kinds(root).count("approval.used") == 1
    assert requests(root) == ["used"]


def _undo(workspace: Workspace) -> Any:
    return workspace.undo()


def _taken_back_or_not(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """The request is there, or it is gone and nobody can answer it once the same command has run again."""
    if NOT_RECORDED in str(acks):  # then it is told to be without its file
        assert [(one.status, one.is_gone) for one in person(root).approvals.list()] == [("pending", True)]
        return
    if not acks:
        is_complete = Path(root, ".agentws/changes.jsonl").read_bytes().rpartition(b"\n{")[2].startswith(b'"done"')
        outcome = harness.run(lambda place, _: _undo(Workspace.open(place)) and None, root)
        # After its last write there is no undo to complete: the next one would be that of `init`, which asks first.
        assert outcome.error is None or (is_complete and outcome.error[0] == "NeedsYouError"), outcome.error[3]

    assert requests(root) == [], "acknowledged, and there"
    assert not [*Path(root, "approvals").glob("*.md")]
    assert "approval.expired" in kinds(root)
    outcome = harness.run(lambda place, _: _answer(Workspace.open(place)) and None, root)
    assert outcome.error is not None, "answered, though it was taken back"


ASKING = [
    Verb("ask", _with_settings, _ask, _asked_or_not),
    Verb("ask approve", _asked, _answer, _answered_or_not),
    Verb("ask reject", _asked, lambda workspace: _answer(workspace, approve=False), _answered_or_not),
    Verb("ask use", _approved, _use, _used_or_not),
    Verb("undo ask", _asked, _undo, _taken_back_or_not),
]
RETRACTING = [Verb("retract", _decided, _retract, _counts_or_not)]
ALL = [*HANDOFFS, *TASKS, *CLOSING, *CHECKPOINTS, *RETRACTING, *ASKING]
USUAL = [HANDOFFS[0], *TASKS[4:5], CHECKPOINTS[0]]
"""Of these every point is tried each time, of the others some."""
