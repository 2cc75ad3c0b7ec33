"""A workspace that an earlier version compacted: its runs are taken up, proved and taken back as those of today.

`earlier.json` is what the version before `memory/digest.md` made of three days: never write it anew.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.formats.documents import managed
from agentws.workspace import Environment, Workspace
from tests.crash import harness

FILES = json.loads(Path(__file__).with_name("earlier.json").read_text())
PAGE, LEFT, PROPOSED = "memory/digest.md", "memory/archive/superseded.md", "memory/proposed.md"
BEGAN = {
    PAGE: ("compacted days; not reviewed.", "folded days; nobody has vouched for it."),
    LEFT: (
        "Replaced entries, newest last. Nothing was deleted.",
        "Entries that gave way to others, newest last. Nothing here was deleted.",
    ),
    PROPOSED: ("Waits for review: agentws curate.", "Waits for the author of MEMORY.md: agentws curate."),
}
"""How each document begins, now and in earlier versions."""
DAYS = ["memory/2026-10-01.md", "memory/2026-10-02.md", "memory/2026-10-03.md"]
MOVED = (
    "Send the ferry list to Maria Keller",
    "Renew the permit for the hide before 1 December",
    "Counted 412 herons at the north pier with Kim",
    "Painted the hide by the well with Sam, two coats of green",
    "the north camera loses its clock when the power goes",
)
"""What stood under *Open* and *What happened*."""


@pytest.fixture
def heron(tmp_path: Path) -> Workspace:
    for path, text in FILES.items():
        (tmp_path / "heron" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "heron" / path).write_bytes(text.encode())
    here = Environment(now=datetime(2026, 11, 23, 7, 15, tzinfo=UTC), timezone="UTC")
    return Workspace.open(str(tmp_path / "heron"), environment=here)


def read(heron: Workspace, path: str) -> str:
    return Path(heron.root, path).read_text()


def documents(heron: Workspace) -> dict[str, bytes]:
    found = harness.documents(heron.root).items()
    return {path: data for path, data in found if not path.startswith(("journal/", "identity/"))}


def titles(heron: Workspace) -> list[str]:
    return list(dict.fromkeys(one.kind for one in managed.read(read(heron, "MEMORY.md")).entries))


def faults(heron: Workspace) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.wrong) for one in heron.verify_compaction().faults]


def sources(heron: Workspace, path: str) -> list[tuple[str, int, str]]:
    """(text, how many sources, src) of each line that compaction or an answer wrote."""
    lines = enumerate(read(heron, path).split("\n"), 1)
    told = [(line[2:], heron.why(f"{path}:{at}")) for at, line in lines if line.startswith("- ")]
    return [(text, len(found.sources), found.src) for text, found in told if "Sam is the owner" not in text]


def test_what_was_open_and_what_happened_move_to_the_digest_and_come_back_byte_for_byte(heron: Workspace) -> None:
    before = documents(heron)
    assert titles(heron) == ["Decisions", "Preferences", "Lessons", "Open", "What happened", "Heard, not verified"]
    assert faults(heron) == []

    assert heron.compact().mode == "marked"

    assert titles(heron) == ["Decisions", "Preferences", "Lessons", "Heard, not verified"]
    for text in MOVED:
        assert text not in read(heron, "MEMORY.md")
        assert read(heron, PAGE).count(text) == 1
        assert read(heron, LEFT).count(text) == 1
    assert read(heron, PAGE).count("- [ ] ") == 2
    assert faults(heron) == []
    assert heron.compact().changes.changes == ()

    heron.undo_compaction()
    assert documents(heron) == before
    heron.compact()
    heron.undo_compaction()
    heron.undo_compaction()
    assert titles(heron) == []
    assert [path for path in DAYS if Path(heron.root, path).exists()] == DAYS
    assert faults(heron) == []


def test_all_that_stands_there_then_leads_to_its_lines_and_what_was_heard_stays_marked(heron: Workspace) -> None:
    heron.compact()

    for path in ("MEMORY.md", PAGE, LEFT):
        found = sources(heron, path)
        assert found
        assert all(count for _, count, _ in found), path
        assert {src for text, _, src in found if "harbour" in text} <= {"tool:web"}
    assert ("2026-10-02 The harbour office opens at 6 (via tool:web)", 1, "tool:web") in sources(heron, "MEMORY.md")


def test_its_author_may_curate_it_and_a_run_may_be_taken_back_behind_that(heron: Workspace) -> None:
    heron.compact()
    shown = heron.curation_brief().brief
    numbers = {one.entry.text.partition(" ")[2][:5]: one.number for one in shown.rows}
    sqlite, lesson, heard = (numbers[word] for word in ("Chose", "Never", "The h"))
    better, rule = "SQLite for the bird counts: one file, no server", "Ask Sam before anything is pushed"

    done = heron.curate(
        f"UPDATE {sqlite} {better}\nKEEP {lesson}\nADD [rule] {rule} {{memory/2026-10-03.md:4}}\n"
        f"UPDATE {heard} The harbour office opens at 6\n"
    )

    assert [one.verb for one in done.applied] == ["UPDATE", "KEEP", "ADD"]
    assert [one.verb for one, _ in done.refused] == ["UPDATE"], "from outside"
    assert "(via tool:web)" in read(heron, "MEMORY.md")
    assert all(count for _, count, _ in sources(heron, "MEMORY.md"))
    assert faults(heron) == []
    heron.compact()
    assert f"- {better}\n" in read(heron, "MEMORY.md")

    heron.undo_compaction()
    assert {better, rule} <= {one.text for one in managed.read(read(heron, "MEMORY.md")).entries}
    assert all(text in read(heron, "MEMORY.md") for text in MOVED)
    assert not Path(heron.root, PAGE).exists()
    assert faults(heron) == []


@pytest.mark.parametrize(("mode", "made"), [("marked", [PAGE, LEFT]), ("propose", [PAGE, LEFT, PROPOSED])])
def test_documents_that_begin_in_the_words_of_earlier_versions_go_with_the_run_that_made_them(
    heron: Workspace, mode: str, made: list[str]
) -> None:
    Path(heron.root, "memory/2026-10-04.md").write_text("# 2026-10-04\n\n- [rule] Ask Sam before the boat is lent\n")
    heron.compaction_mode(mode)
    before = documents(heron)
    Workspace.open(heron.root, environment=heron.environment).compact()
    assert [path for path in BEGAN if Path(heron.root, path).exists()] == made
    for path in made:
        now, then = BEGAN[path]
        assert read(heron, path).count(now) == 1
        Path(heron.root, path).write_text(read(heron, path).replace(now, then))

    heron.undo_compaction()

    assert documents(heron) == before
