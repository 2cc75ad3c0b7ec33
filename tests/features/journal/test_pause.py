"""The wait of who follows a journal: by events where these are told, else by looking; never by hope alone."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agentws.core.disk import watcher
from agentws.core.disk.watcher import CHANGED, NOTHING
from agentws.features.journal import listing as _listing
from agentws.features.journal.listing import ANYWAY_S, POLL_S, Pause
from agentws.workspace import Workspace


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(_listing.time, "sleep", found.append)
    return found


class FakeSignals:
    """Signals that arrive as scripted; `waits` are those that were asked for."""

    def __init__(self, *steps: str) -> None:
        self.steps = list(steps)
        self.waits: list[float | None] = []
        self.is_closed = False

    def wait(self, timeout_s: float | None) -> str:
        self.waits.append(timeout_s)
        return self.steps.pop(0)

    def close(self) -> None:
        self.is_closed = True


def test_where_events_are_told_it_waits_for_them_and_looks_now_and_then(
    monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    signals = FakeSignals(NOTHING, CHANGED, NOTHING)
    monkeypatch.setattr(watcher, "listen", lambda *_, **__: signals)
    pause = Pause("/nowhere")

    pause()
    assert (signals.waits, slept) == ([], []), "what was written before anybody listened"
    for _ in range(3):
        pause()
    pause.close()

    assert (signals.waits, signals.is_closed) == ([ANYWAY_S] * 3, True)
    assert len(slept) == 1, "the writer makes its line durable"


def test_where_they_are_not_told_it_looks_five_times_a_second(
    monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    monkeypatch.setattr(watcher, "listen", lambda *_, **__: None)
    pause = Pause("/nowhere")

    for _ in range(3):
        pause()
    pause.close()

    assert slept == [POLL_S] * 3


def test_whoever_says_how_often_is_not_asked_again(tmp_path: Path, slept: list[float]) -> None:
    pause = Pause(str(tmp_path), 0.5)

    pause()

    assert slept == [0.5]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Workspace.init(str(tmp_path / "robin"), name="Robin", git=False)
    return Workspace.open(str(tmp_path / "robin"))


@pytest.mark.parametrize("kind", ["ext4", "nfs4"])
def test_a_follower_hears_of_an_event_on_any_disk(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(watcher.mounts, "kind_of", lambda _: (kind, "/"))
    threads = threading.active_count()
    workspace.event("note", "first")
    followed = workspace.journal.follow(after="", kinds=("note",), limit=3)
    other = Workspace.open(workspace.root)

    told = [next(followed).body["text"]]
    for text in ("second", "third"):
        threading.Timer(0.05, other.event, ("note", text)).start()
        told.append(next(followed).body["text"])

    assert told == ["first", "second", "third"]
    assert list(followed) == []
    del followed
    assert threading.active_count() <= threads + 1, "but for a timer that ends"
