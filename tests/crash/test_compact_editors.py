"""P5, P11: an editor that changes MEMORY.md or a day at any moment of a run of compaction, or of an answer to a brief,
loses nothing, and neither do the logs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash import compact_scenarios, harness, verb_scenarios
from tests.crash.harness import Meanwhile
from tests.crash.verb_scenarios import Stage, Verb
from tests.thorough import THOROUGH

LINE = b"- a line of an editor\n"
DAY = compact_scenarios.LATER
EVERY = 1 if THOROUGH else 45


def replaces(path: str) -> None:
    """As most editors save: another file takes the place of the old one."""
    Path(f"{path}.tmp").write_bytes(harness.contents(path) + LINE)
    os.replace(f"{path}.tmp", path)


def appends(path: str) -> None:
    """As a shell does it."""
    with open(path, "ab") as file:
        file.write(LINE)


def at_memory(root: str, edit: Callable[[str], None]) -> None:
    # Between two calls of ours, the link that keeps the old file and the rename that puts the new one in its place,
    # nobody can tell that another file has taken that place: a save that falls there is lost.
    if edit is appends or not os.path.exists(f"{root}/.MEMORY.md.agentws-old"):
        edit(f"{root}/MEMORY.md")


@pytest.mark.parametrize("edit", [replaces, appends])
@pytest.mark.parametrize("verb", compact_scenarios.EDITED_MEANWHILE, ids=lambda verb: verb.name)
def test_an_edit_of_memory_at_any_moment_is_kept(verb: Verb, edit: Callable[[str], None], tmp_path: Path) -> None:
    stage = Stage(verb, str(tmp_path))
    edits = 0

    for at in range(0, len(stage.whole.changing), EVERY):
        root = stage.fresh()
        outcome = harness.run(stage.scenario.act, root, Meanwhile(at, lambda root=root: at_memory(root, edit)))
        kept = verb_scenarios.notes(harness.documents(root))

        where = f"{at} ({stage.whole.changing[at]})"
        there = [path for path, data in kept.items() if LINE in data]
        edits += len(there)
        assert there in (["MEMORY.md"], ["MEMORY.md.edited-meanwhile-1"]) or edit is replaces, where
        assert compact_scenarios.EDITED.encode() in kept["MEMORY.md"], where
        assert compact_scenarios.raw(kept) == compact_scenarios.raw(verb_scenarios.notes(stage.after)), where
        if outcome.error is not None:
            assert outcome.error[0] == "ChangedUnderneathError", (where, outcome.error)
            assert there != ["MEMORY.md"] or kept["MEMORY.md"] == stage.before["MEMORY.md"] + LINE, where
        assert harness.run(stage.scenario.act, root).error is None, where
        assert harness.run(compact_scenarios._tell, root).acks[1] == [], where

    assert edits >= len(range(0, len(stage.whole.changing), EVERY)) - 3


@pytest.mark.parametrize("edit", [replaces, appends])
def test_an_edit_of_a_day_at_any_moment_is_kept(edit: Callable[[str], None], tmp_path: Path) -> None:
    stage = Stage(compact_scenarios.LEAVING, str(tmp_path))

    for at in range(0, len(stage.whole.changing), EVERY):
        root = stage.fresh()
        mark = Path(f"{root}.edited")
        mark.unlink(missing_ok=True)

        def deed(day: str = f"{root}/{DAY}", mark: Path = mark) -> None:
            if os.path.exists(day):
                edit(day)
                mark.touch()

        outcome = harness.run(stage.scenario.act, root, Meanwhile(at, deed))
        again = harness.run(stage.scenario.act, root)
        kept = harness.run(compact_scenarios._tell, root).acks[0]

        where = f"{at} ({stage.whole.changing[at]})"
        assert again.error is None, (where, again.error)
        assert outcome.error is None or outcome.error[0] == "ChangedUnderneathError", (where, outcome.error)
        assert any(data.startswith(compact_scenarios.STRONG) for data in compact_scenarios.raw(kept)), where
        # Beside the others where it was saved in the middle of the move.
        assert any(LINE in data for data in kept.values()) == mark.exists(), where
