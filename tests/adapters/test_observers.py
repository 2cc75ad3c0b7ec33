"""Observers hear of an event once it is durable; what they raise costs nothing but a notice."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from rich.console import Console

from agentws.adapters.observers import ConsoleObserver, JsonLinesObserver, LoggingObserver
from agentws.core.formats.journal.event import Event
from agentws.workspace import Workspace


class Remembering:
    """Keeps what it is told, and whether the journal held it by then."""

    def __init__(self, workspace: Workspace) -> None:
        self.root = workspace.root
        self.told: list[tuple[str, bool]] = []

    def on_event(self, event: Event) -> None:
        stored = "".join(file.read_text() for file in Path(self.root, "journal").glob("*/*.jsonl"))
        self.told.append((event.kind, event.id in stored))


class Failing:
    """Fails at every event."""

    def on_event(self, event: Event) -> None:
        raise RuntimeError("no network")


def test_an_observer_is_told_after_the_event_is_in_the_journal(workspace: Workspace) -> None:
    observer = Remembering(workspace)
    workspace.observe(observer)

    workspace.event("note", "a")
    workspace.event("decision", "b")

    assert observer.told == [("note", True), ("decision", True)]


def test_an_observer_that_fails_is_a_notice_and_the_others_hear_it(workspace: Workspace) -> None:
    after = Remembering(workspace)
    workspace.observe(Failing())
    workspace.observe(after)

    done = workspace.event("note", "a")

    assert done.seq is not None
    assert after.told == [("note", True)]
    assert "no network" in " ".join(done.notices)


def test_logging_tells_errors_as_errors(workspace: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    workspace.observe(LoggingObserver())

    with caplog.at_level(logging.DEBUG, "agentws.events"):
        workspace.event("error", "it broke", tool="fetch")
        workspace.event("thought", "why?")

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "07:15:00 error fetch it broke"),
        ("DEBUG", "07:15:00 thought why?"),
    ]


def test_json_lines_are_those_of_the_journal(workspace: Workspace) -> None:
    stream = io.StringIO()
    workspace.observe(JsonLinesObserver(stream))

    done = workspace.event("note", "ü\n", importance=3)

    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert (told["cursor"], told["kind"], told["body"]["text"]) == (done.cursor, "note", "ü\n")


def test_the_console_prints_a_line_that_is_inert(workspace: Workspace) -> None:
    stream = io.StringIO()
    workspace.observe(ConsoleObserver(Console(file=stream, width=300)))

    workspace.event("note", "[red]no markup[/red] \x1b]8;;http://x\x07 :smile:\nsecond line")

    assert stream.getvalue().count("\n") == 1
    assert "[red]no markup[/red]" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()
