"""P2, P3, P5: a forgetting that is killed at any file operation leaves each document old or new, and is finished by
doing it again."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

from agentws.core.formats import layout
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents.sources import Made, Source
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.workspace import Workspace
from tests.crash import harness, journal_reader, scenarios
from tests.crash.harness import AFTER, BEFORE, HALF, ZEROS, Fail, Kill
from tests.crash.verb_scenarios import Stage, Verb
from tests.features.journal.keeping import everywhere
from tests.thorough import some

NAME = "Sam Tester"
DAY = b"# Day\n- met Sam Tester\n- roof\n"


def _prepare(workspace: Workspace) -> None:
    """The name in documents, in a memory with its source, in the journal, in an undo record, in quarantine."""
    entry = f"{NAME} knows roofs"
    made = Made(
        managed.of_text(entry), [Source("memory/2026-11-01.md", 2, 2, sources.of_lines(DAY, 2, 2))], day="2026-11-01",
        worth=1, run="r1",
    )  # fmt: skip
    scenarios.put(workspace.root, "memory/2026-11-01.md", DAY)
    scenarios.put(workspace.root, sources.PATH, sources.encode([made]).encode())
    memory = f"# Memory\n\n- {NAME} likes tea\n- Leo\n\n## From the logs\n\n- {entry}\n"
    scenarios.put(workspace.root, "MEMORY.md", memory.encode())
    workspace.log(f"{NAME} called")
    workspace.remember("Ann")
    scenarios.put(workspace.root, ".agentws/quarantine/x.1", f"- {NAME}\n- kept\n".encode())
    record.record(workspace.stores, [Happening("note", {"text": text}) for text in (f"{NAME} called", "other")])


def _act(workspace: Workspace) -> Any:
    return workspace.memory.forget(subjects=[NAME], reason="asked for it")


def _check(stage: Stage, verb: Verb, root: str, acks: list[Any]) -> None:
    """Each document is old or new; done again, all of it is new, nothing holds the name, and the journal is sound."""
    found = _documents(root)
    for path, old in _only_documents(stage.before).items():
        assert found[path] in (old, stage.after[path]), f"{path}: neither old nor new"
    if acks:
        assert found == _only_documents(stage.after), "acknowledged and lost"
        assert everywhere(root, NAME) == [], "acknowledged, and still there"

    again = harness.run(_again, root)

    assert again.error is None, f"what came after failed:\n{again.error[3]}"
    assert _documents(root) == _only_documents(stage.after)
    assert everywhere(root, NAME) == [], "still there"
    assert Path(root, layout.KEPT_OUT).read_text().count('"forgotten"') == 1, "not kept out, or twice"
    told = [one.body for one in journal_reader.events(root) if one.kind == "forgotten"]
    changed = {path for path, old in _only_documents(stage.before).items() if old != stage.after[path]}
    assert {row[0] for body in told for row in body["documents"]} == changed, "what was changed is not told"
    assert harness.run(_again, root).acks == [True], "the second time something was left to do"


def _again(root: str, ack: scenarios.Ack) -> None:
    """The same once more, and an event after it, which mends what was torn."""
    ack(_act(scenarios.opened(root)).is_empty)
    scenarios.opened(root).event("note", "next")


def _documents(root: str) -> dict[str, bytes]:
    return _only_documents(harness.documents(root))


def _only_documents(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in found.items() if not path.startswith(("journal/", "identity/"))}


FORGET = Verb("forget", _prepare, _act, _check)


def points(stage: Stage) -> list[Kill]:
    """Before each operation, after the last one, and with each write torn; of these some, unless thorough."""
    changing = stage.whole.changing
    torn = [Kill(at, how) for at, name in enumerate(changing) if "write" in name for how in (HALF, ZEROS)]
    found = [*(Kill(at, BEFORE) for at in range(len(changing))), Kill(len(changing) - 1, AFTER), *torn]
    return some(found, 12)


def test_a_killed_forgetting_leaves_old_or_new_and_is_finished_by_doing_it_again(tmp_path: Path) -> None:
    stage = Stage(FORGET, str(tmp_path))

    for point in points(stage):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, point)

        assert outcome.killed, point
        try:
            stage.check(root, outcome.acks)
        except AssertionError as error:
            raise AssertionError(f"{point} ({stage.whole.changing[point.at]}): {error}") from error


def test_a_full_disk_is_an_error_and_afterwards_it_can_be_finished(tmp_path: Path) -> None:
    stage = Stage(FORGET, str(tmp_path))

    for at in some(range(len(stage.whole.every)), 8):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, Fail(at, errno.ENOSPC, sticky=True))

        if outcome.error is not None:
            assert outcome.error[1], f"not an error of ours:\n{outcome.error[3]}"
            assert not outcome.acks
        stage.check(root, [] if outcome.error or outcome.acks == [[]] else outcome.acks)


def test_the_name_is_there_before(tmp_path: Path) -> None:
    root = Stage(FORGET, str(tmp_path)).fresh()

    scenarios.rebind(root)

    assert len(everywhere(root, NAME)) >= 6
