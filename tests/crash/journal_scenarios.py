"""What is done to a journal while it is killed, cut and starved, and what must be true afterwards."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, segment
from agentws.core.installation import installation
from agentws.core.journal import end, head, stamp, sync_failure
from agentws.core.journal.entry import PendingEvent
from agentws.workspace import Workspace
from tests.crash import harness, journal_reader, points, scenarios
from tests.crash.harness import FOLLOWED, Kill
from tests.crash.scenarios import Ack

ANOTHER, AGAIN, NEVER = "another", "again", "never acknowledged"
"""What the processes after a crash write; what a line says that only a power cut has brought to the disk."""
LARGE = 200_000
"""The size of a body that needs a blob."""


def entry(token: str, size: int = 0, *, kind: str = "note", session: str | None = None, **body: Any) -> PendingEvent:
    """An event that is known by its token."""
    at = stamp.now()
    told = {"n": token, "text": "." * size, **body}
    if size >= LARGE:
        del told["n"]  # so that two events have one blob
        session = token
    return PendingEvent(kind, told, id=stamp.identifier(at), at=stamp.text(at), salt=stamp.salt(), session=session)


def add(workspace: Workspace, ack: Ack, *tokens: str, size: int = 0) -> None:
    """Append a group of events and acknowledge each."""
    workspace.stores.appender().append([entry(token, size) for token in tokens])
    for token in tokens:
        ack(token)


def append_another(root: str, ack: Ack) -> None:
    """What the next process does, whatever happened here."""
    add(scenarios.opened(root), ack, ANOTHER)


def tokens(root: str, known: dict[str, str] | None = None) -> list[str]:
    """The tokens of all events that the journal holds, in order; AssertionError where it is not intact.

    `known` tells the tokens of those whose words were purged, by their digests.
    """
    lines = [one for one in journal_reader.events(root) if one.kind != "segment.opened"]
    return [(known or {}).get(one.digest) or token(one) for one in lines]


def token(one: journal_reader.Line) -> str:
    """The token of an event."""
    if one.kind in ("seal", "purged"):
        return f"{one.kind} {one.body['seq']}"
    return str(one.body.get("n") or one.session)


def files_of(root: str) -> tuple[Files, str]:
    """The files of a workspace and the id of its one writer."""
    (writer,) = [name for name in os.listdir(f"{root}/journal") if not name.startswith(".")]
    return Files(root), writer


def newest(root: str) -> str:
    """The path of the newest segment."""
    _, writer = files_of(root)
    folder = f"{root}/journal/{writer}"
    return f"{folder}/{max(name for name in os.listdir(folder) if segment.number_of(name))}"


def following(line: bytes, *tokens: str) -> bytes:
    """Good lines that follow the last of these, as another process may have written them."""
    last = line[:-1].rpartition(b"\n")[2]
    if not last.startswith(b'{"agentws":1,"seq":') or b',"salt":' not in last or not line.endswith(b"\n"):
        return b""
    head_bytes = last[: last.index(b',"salt":')]
    seq, prev = int(last[len(b'{"agentws":1,"seq":') :].partition(b",")[0]), hashlib.sha256(head_bytes).hexdigest()
    made = b""
    for token in tokens or (NEVER,):
        seq += 1
        tail = event.tail(event.body_text({"n": token}), stamp.salt())
        at = stamp.now()
        made_head = event.header(
            seq=seq, id=stamp.identifier(at), at=stamp.text(at), kind="note", session=None, src="agent", prev=prev,
            tail=tail,
        )  # fmt: skip
        made += made_head + b"," + tail + b"}\n"
        prev = hashlib.sha256(made_head).hexdigest()
    return made


@dataclass(frozen=True)
class Scenario:
    """One thing that happens to a journal: what stands before it, and the deed; both acknowledge tokens.

    `maybe` are tokens that stand there unacknowledged before it begins; `another` is what the next process does.
    """

    name: str
    prepare: harness.Act
    act: harness.Act
    maybe: list[str] = field(default_factory=list)
    another: harness.Act = append_another
    own: tuple[str, ...] = ()
    """Where it writes besides the journal."""
    forgets: bool = False
    """True where words are meant to go."""


def _nothing(root: str, ack: Ack) -> None:
    scenarios._workspace(root)


def _some(root: str, ack: Ack) -> None:
    _nothing(root, ack)
    workspace = scenarios.opened(root)
    workspace.stores.appender().append([entry("start", kind="session.started", session="s1")])
    ack("start")
    add(workspace, ack, "a", "b")


def _full(root: str, ack: Ack) -> None:
    """A segment that has room for nothing large."""
    _some(root, ack)
    add(scenarios.opened(root), ack, *(f"large {number}" for number in range(16)), size=63_500)


def _write(root: str, data: bytes, *, path: str = "") -> None:
    with open(path or newest(root), "ab") as file:
        file.write(data)


def _lines(root: str) -> bytes:
    return harness.contents(newest(root))


def _torn(root: str, ack: Ack) -> None:
    _some(root, ack)
    _write(root, following(_lines(root), "torn")[:-40])


def _holed(root: str, ack: Ack) -> None:
    """As ext4 and xfs leave it after a power cut: a bad stretch, then a line that is good in itself."""
    _some(root, ack)
    lines = following(_lines(root), "lost", NEVER).splitlines(keepends=True)
    _write(root, bytes(len(lines[0])) + lines[1])


def _holed_without_hint(root: str, ack: Ack) -> None:
    _holed(root, ack)
    os.unlink(_hint(root))


def _hint(root: str) -> str:
    return f"{root}/.agentws/{files_of(root)[1]}.head"


def _mark(root: str) -> str:
    """How far the installation knows to have written: told after the event is durable, as the hint is."""
    folder = installation.place(Files(root), scenarios.opened(root).stores.manifest.agent_id, (None, None))
    return f"{folder}/newest"


def _unsynced(root: str, ack: Ack) -> None:
    """A sync has failed for a line that another process had written one behind."""
    _some(root, ack)
    files, writer = files_of(root)
    known = head.read(files, writer)
    assert known is not None
    _write(root, following(_lines(root), "failed", "beside"))
    sync_failure.mark(files, known, OSError(5, "Input/output error"))


def _unsynced_and_lost(root: str, ack: Ack) -> None:
    """As before; and what the disk has really kept of the first line is zeros."""
    _unsynced(root, ack)
    data = _lines(root)
    start = data.rindex(b"\n", 0, data.rindex(b"\n", 0, -1)) + 1
    with open(newest(root), "r+b") as file:
        file.seek(start)
        file.write(bytes(100))


def _emptied(root: str, ack: Ack) -> None:
    """A power cut has left the name of a new segment, nothing in it, and hints of what was before."""
    _full(root, ack)
    hints = {path: harness.contents(path) for path in (_hint(root), _mark(root))}
    add(scenarios.opened(root), lambda _: None, "second", size=60_000)
    for path, hint in hints.items():
        scenarios.put(root, os.path.relpath(path, root), hint)
    os.truncate(newest(root), 0)


def _append_one(root: str, ack: Ack) -> None:
    add(scenarios.opened(root), ack, "one")


def _append_several(root: str, ack: Ack) -> None:
    workspace = scenarios.opened(root)
    add(workspace, ack, "one", "two", "three", size=3000)
    add(workspace, ack, "four")


def _append_large(root: str, ack: Ack) -> None:
    add(scenarios.opened(root), ack, "one", size=LARGE)


def _append_past_the_end(root: str, ack: Ack) -> None:
    workspace = scenarios.opened(root)
    add(workspace, ack, "one", "two", size=60_000)
    add(workspace, ack, "three")


def _append_large_another(root: str, ack: Ack) -> None:
    add(scenarios.opened(root), ack, ANOTHER, size=LARGE)


def _sessions(root: str, ack: Ack) -> None:
    journal = scenarios.opened(root).stores.appender()
    for token, kind in (("s", "session.started"), ("act", "action"), ("e", "session.ended")):
        journal.append([entry(token, kind=kind, session="s2" if kind != "action" else None)])
        ack(token)


FIRST = Scenario("first event of an installation", _nothing, _append_one, own=("identity/",))
ONE = Scenario("append of one", _some, _append_one)
SEVERAL = Scenario("append of several", _some, _append_several)
BLOB = Scenario("append with a blob", _some, _append_large, another=_append_large_another)
ROTATE = Scenario("append that rotates", _full, _append_past_the_end)
SESSIONS = Scenario("a session's events", _some, _sessions)
TORN = Scenario("recovery of a torn tail", _torn, _append_one)
HOLED = Scenario("recovery of zeros and a good line", _holed, _append_one)
HOLED_BLIND = Scenario("recovery of zeros without a hint", _holed_without_hint, _append_one)
UNSYNCED = Scenario("recovery after a failed sync", _unsynced, _append_one, ["failed", "beside"])
UNSYNCED_LOST = Scenario("recovery after a failed sync that lost a line", _unsynced_and_lost, _append_one)
EMPTIED = Scenario("recovery of an emptied segment", _emptied, _append_one)

ALL = [FIRST, ONE, SEVERAL, BLOB, ROTATE, SESSIONS, TORN, HOLED, HOLED_BLIND, UNSYNCED, UNSYNCED_LOST, EMPTIED]


@functools.cache
def _made(prepare: harness.Act) -> tuple[str, list[str]]:
    """Return what was made for the first stage that begins so, and its tokens; each works on a copy."""
    base, sure = f"{tempfile.mkdtemp(dir=scenarios.bases)}/robin", list[str]()
    prepare(base, sure.append)
    return base, sure


class Stage(scenarios.Copies):
    """A scenario set up once; each point gets a copy of it."""

    def __init__(self, scenario: Scenario, folder: str) -> None:
        base, self.sure = _made(scenario.prepare)
        super().__init__(base, folder)
        self.scenario = scenario
        self.root = self.fresh()
        self.before = others(self.root, scenario)
        self.digests = {one.digest: token(one) for one in journal_reader.events(self.root)} if scenario.forgets else {}
        self.whole = harness.run(scenario.act, self.root)
        assert self.whole.error is None, self.whole.error[3]
        assert self.whole.acks, "nothing was acknowledged"

    def kills(self) -> list[Kill]:
        """Return every way to be killed, also in the middle of a write behind which something is written."""
        return points.kills(self.whole.changing, FOLLOWED, follow=following)


def others(root: str, scenario: Scenario) -> dict[str, bytes]:
    """What it has nothing to do with."""
    own = ("journal/", *scenario.own)
    return {path: data for path, data in harness.documents(root).items() if not path.startswith(own)}


def check(
    stage: Stage, root: str, acks: list[str], *, mutant: Callable[[], None] | None = None, rebound: bool = False
) -> list[str]:
    """What is promised of `root` after a crash or an error; returns the tokens that the journal holds."""
    if rebound:
        scenarios.rebind(root)
    assert others(root, stage.scenario) == stage.before, "a file that is none of ours was changed"
    broken = _journal(root)
    outcome = harness.run(_aftermath, root, mutant=mutant)
    assert outcome.error is None, f"the next append failed:\n{outcome.error[3]}"
    assert outcome.acks[0] == AGAIN
    assert outcome.acks[1] == outcome.acks[2] == outcome.acks[3], "recovering twice changed something"
    assert others(root, stage.scenario) == stage.before, "a file that is none of ours was changed"
    found = tokens(root, stage.digests)
    _exactly([*stage.sure, *acks, AGAIN], [*stage.whole.acks, *stage.scenario.maybe, ANOTHER], found)
    if not stage.scenario.forgets:
        _all_kept(broken, root)
    return found


def _aftermath(root: str, ack: Ack) -> None:
    add(scenarios.opened(root), ack, AGAIN)
    for _ in range(3):
        ack({path: data for path, data in harness.tree(root).items() if not path.endswith(".head")})
        workspace = scenarios.opened(root)
        journal = workspace.stores.appender()
        with lock.Lock(workspace.stores.files, lock.APPEND, timeout_s=1):
            end.find(workspace.stores.files, journal.agent, journal.writer, None)


def _exactly(acked: list[str], attempted: list[str], found: list[str]) -> None:
    """Every acknowledged event once and in order, and besides them only what somebody has tried to write, once."""
    assert len(found) == len(set(found)), f"twice: {found}"
    assert set(acked) <= set(found), f"acknowledged and lost: {set(acked) - set(found)}"
    assert [token for token in found if token in acked] == acked, f"out of order: {found}"
    strangers = set(found) - set(acked) - set(attempted)
    assert not strangers, f"nobody wrote {strangers}, or nobody may rely on it"


def _journal(root: str) -> dict[str, bytes]:
    return {
        path: data
        for path, data in harness.tree(root).items()
        if path.startswith("journal/") and segment.number_of(path.rpartition("/")[2])
    }


def _all_kept(broken: dict[str, bytes], root: str) -> None:
    """Every byte that the crash had left is in the journal, or behind it in quarantine."""
    after = harness.tree(root)
    kept = [data for path, data in after.items() if path.startswith(".agentws/quarantine/")]
    for path, data in broken.items():
        now = after.get(path, b"")
        whole = now.startswith(data) or any(
            data.endswith(part) and now.startswith(data[: len(data) - len(part)]) for part in kept if part
        )
        assert whole, f"{path}: some of its bytes were destroyed"
