"""Small journals to read: several segments, blobs, every script, and a pair of writers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain, event, segment
from agentws.core.identity import pinned_writers
from agentws.core.installation import installation
from agentws.core.installation.installation import Installation
from agentws.core.stores import record as recording
from agentws.core.stores.record import Happening
from agentws.workspace import Environment, Workspace

SMALL_SEGMENT = 2_700
SMALL_BODY = 900


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let segments and blobs begin early, so that a few events make many of them."""
    monkeypatch.setattr(segment, "LIMIT_BYTES", SMALL_SEGMENT)
    monkeypatch.setattr(event, "BODY_LIMIT_BYTES", SMALL_BODY)


def record(workspace: Workspace, kind: str, *, session: str | None = None, **body: object) -> str:
    """Record one event; returns its cursor."""
    (done,), _ = recording.record(workspace.stores, [Happening(kind, dict(body), session=session)])
    assert done.cursor is not None
    return done.cursor


def fill(workspace: Workspace, *, calls: int = 5) -> None:
    """A session with some calls: results, an error, a large body, words in other scripts."""
    record(workspace, "session.started", session="s1")
    for number in range(calls):
        record(workspace, "action", call=f"c{number}", tool="search", input={"query": f"Wetter in Zürich 😀 {number}"})
        if number % 3 == 1:
            record(workspace, "error", call=f"c{number}", text="no such host\u2028really")
        elif number % 3 == 2:
            record(workspace, "result", call=f"c{number}", output="天気" * 100)
        else:
            record(workspace, "result", call=f"c{number}", output="sunny")
    record(workspace, "decision", text="Take the train", task="trip", importance=8)


def here(workspace: Workspace) -> Installation:
    """The installation that writes in this workspace."""
    found = installation.find(
        workspace.stores.files, workspace.stores.manifest.agent_id, workspace.stores.environment.state
    )
    assert found is not None
    return found


def folder(workspace: Workspace, writer: str | None = None) -> Path:
    """The folder of a writer's journal; this installation's, where none is named."""
    return Path(workspace.root) / "journal" / (writer or here(workspace).writer)


def linked(segment: bytes, more: Sequence[bytes]) -> bytes:
    """A segment with more lines, each of which names the one before."""
    for line in more:
        before, named, rest = line.partition(b'"prev":"')
        prev = chain.hash_of(segment[:-1].rpartition(b"\n")[2]).encode()
        segment += before + named + prev + rest[len(prev) :] + b"\n"
    return segment


def segments(workspace: Workspace) -> list[Path]:
    """The files of this installation's journal, in order."""
    return sorted(folder(workspace).glob("*.jsonl"))


def another(workspace: Workspace, tmp_path: Path, name: str = "elsewhere") -> Workspace:
    """The same workspace, as another installation writes to it."""
    surroundings = Environment(
        now=workspace.stores.environment.now, timezone="UTC", state=(str(tmp_path / f"state-of-{name}"), None)
    )
    return Workspace.open(workspace.root, environment=surroundings)


def knows(workspace: Workspace, *others: Workspace) -> None:
    """Lets the installation of `workspace` know the writers of the others, as `identity vouch` does for a person; all
    that have written here, where none is named.
    """
    at = workspace.stores.now_text()
    if not others:
        pinned_writers.add_all(workspace.stores.files, here(workspace), by=pinned_writers.PERSON, at=at)
        return
    found: dict[str, set[str]] = {here(other).writer: set() for other in others}
    pinned_writers.add(workspace.stores.files, here(workspace), found, by=pinned_writers.PERSON, at=at)
