"""A workspace whose clock moves on by a minute each time it is opened, and sessions that break off in it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentws.core.formats.documents import handoff
from agentws.core.installation import host_info, installation
from agentws.core.stores import record as recording
from agentws.features.handoff.write import Written
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)


class World:
    """A workspace, and a clock that moves on by a minute each time it is opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = NOW
        self.root = folder / "robin"
        Workspace.init(str(self.root), environment=self.surroundings(), name="Robin", git=False)

    def surroundings(self, session: str | None = None) -> Environment:
        return Environment(now=self.now, timezone="UTC", state=(str(self.folder / "state"), None), session=session)

    def open(self, session: str | None = None) -> Workspace:
        self.now += timedelta(minutes=1)
        return Workspace.open(str(self.root), environment=self.surroundings(session))

    def record(self, kind: str, *, session: str | None = None, src: str = "", **body: object) -> None:
        recording.record(self.open().stores, [recording.told(kind, body=body, session=session, via=src or None)])

    def begin(self, session: str) -> None:
        """A session of an earlier start of this machine: it has crashed, unless it is ended."""
        self.record("session.started", session=session, host=host_info.name(), boot="an earlier one", process=1)

    def log(self, day: str, *lines: str) -> None:
        """The daily log of a day."""
        (self.root / f"memory/{day}.md").write_text("".join(f"- {line}\n" for line in lines))

    def left(self, session: str, **words: list[str]) -> str:
        """An automatic handoff of a session, under headings by their keys; its path."""
        self.now += timedelta(minutes=1)
        body = handoff.body(handoff.merged({handoff.KEYS[key]: handoff.listed(told) for key, told in words.items()}))
        data = handoff.encode(body, session=session, at=self.now.isoformat(), follows=(), origin=handoff.AUTO)
        path = handoff.path_for(self.now.strftime("%Y-%m-%d-%H%M%S"), session)
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_bytes(data)
        self.knows()
        return path

    def knows(self) -> None:
        """This machine knows the handoffs that stand here, as if it had found or written them."""
        there = Workspace.open(str(self.root), environment=self.surroundings())
        if (
            installation.find(there.stores.files, there.stores.manifest.agent_id, there.stores.environment.state)
            is not None
        ):
            journals.knows(there)

    def auto(self, session: str, question: str = "", **more: object) -> Written:
        """A session that asks one question, is answered, and ends with an automatic handoff."""
        self.begin(session)
        self.record("note", session=session, src="user", text=question or f"What is {session} for?")
        self.record("note", session=session, src="agent:codex", text=f"{session} has an answer.")
        done = self.open(session).handoff(auto=True, session=session, **more)  # type: ignore[arg-type]
        self.open().session.end(session=session)
        return done


def sections(done: Written) -> dict[str, str]:
    """The sections of a handoff that was written."""
    return handoff.sections(handoff.decode(done.text.encode(), path=done.path).body)
