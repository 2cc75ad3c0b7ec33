"""remember(metadata=…): what is stored with a fact comes back with it, filters by it, and goes with it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import SecretRefusedError, UsageError
from agentws.workspace import Workspace
from tests import table
from tests.features.search.worlds import opened

FACT = "The heron nests by the willow pond"
MARKS = {"kind": "preference", "importance": 8, "tags": ["birds", "pond/north"], "task": "count-herons"}
VALUES = {"customer": "Acme · Süd", "score": 0.25, "visits": 3, "checked": True, "by": None, "Öffnung": "9–5\nfrüh"}


def one(workspace: Workspace, query: str = "heron", **where: Any) -> dict[str, Any]:
    (found,) = workspace.search.retrieve(query, where=where)
    told: dict[str, Any] = found["metadata"]
    return told


def holds(told: dict[str, Any]) -> bool:
    return all(told[key] == value and type(told[key]) is type(value) for key, value in {**MARKS, **VALUES}.items())


@pytest.fixture(params=["index", "scan"])
def birds(workspace: Workspace, tmp_path: Path, request: pytest.FixtureRequest) -> Workspace:
    """A fact with metadata beside others without, with an index and without one."""
    cache = str(tmp_path / "cache") if request.param == "index" else None
    found = opened(workspace.root, cache=cache)
    found.remember("The heron counts as a bird")
    found.remember(FACT, metadata={**MARKS, **VALUES})
    found.remember("A heron was seen in Sam's garden", metadata={"customer": "Sam", "visits": True})
    return found


def test_a_fact_tells_the_day_on_which_it_was_remembered(birds: Workspace) -> None:
    path = Path(birds.root) / "MEMORY.md"
    path.write_text(path.read_text() + "- A heron that somebody wrote by hand\n")

    told = [each["metadata"]["created_at"] for each in birds.search.retrieve("heron", top_k=4)]

    assert len(told) == 4
    assert [day for day in told if day] == [birds.stores.clock.now().date().isoformat()] * 3


def test_what_was_stored_comes_back_also_after_a_restart(birds: Workspace) -> None:
    again = opened(birds.root, cache=birds.stores.environment.cache)

    for workspace in (birds, again):
        assert holds(one(workspace, customer="Acme · Süd"))
        assert one(workspace, customer="Acme · Süd")["source"] is None


def test_marks_stand_in_the_line_and_the_rest_beside_it(birds: Workspace) -> None:
    text = Path(birds.root, "MEMORY.md").read_text()

    assert f"- [preference] {FACT} !8 #birds #pond/north #task:count-herons\n" in text
    assert "Acme" not in text


_WHERE: tuple[tuple[dict[str, Any], int], ...] = (
    ({"customer": "Acme · Süd"}, 1),
    ({"customer": "Sam"}, 1),
    ({"customer": "Nobody"}, 0),
    ({"visits": 3}, 1),
    ({"visits": 1}, 0),
    ({"visits": True}, 1),
    ({"by": None}, 1),
    ({"customer": "Acme · Süd", "visits": True}, 0),
    ({"customer": "Acme · Süd", "kind": "preference", "importance": 8, "task": "count-herons", "tag": "pond"}, 1),
    ({"customer": "Acme · Süd", "kind": "lesson"}, 0),
    ({"importance": 7}, 0),
    ({"source": None, "importance": None}, 2),
    ({}, 3),
)


def test_where_finds_what_has_all_of_these_values(birds: Workspace) -> None:
    table.holds(lambda row: _finds(birds, row), _WHERE)


def _finds(workspace: Workspace, row: tuple[dict[str, Any], int]) -> None:
    assert len(workspace.search.retrieve("heron", where=row[0])) == row[1]


def test_without_words_all_that_fit_are_returned(birds: Workspace) -> None:
    assert [each["content"] for each in birds.search.retrieve("", where={"customer": "Sam"})] == [
        "- A heron was seen in Sam's garden"
    ]


def test_a_key_that_no_entry_has_is_named(birds: Workspace) -> None:
    with pytest.raises(UsageError) as refused:
        birds.search.retrieve("heron", where={"custommer": "Sam"})
    assert "customer" in (refused.value.hint or "")


def test_a_copy_and_a_move_keep_it(birds: Workspace, tmp_path: Path) -> None:
    copied = str(tmp_path / "copied")
    shutil.copytree(birds.root, copied)
    assert holds(one(opened(copied, cache=None), customer="Acme · Süd"))

    moved = str(tmp_path / "moved")
    birds.copies.migrate(moved)
    assert holds(one(opened(moved, cache=None), customer="Acme · Süd"))


def test_what_is_remembered_again_has_the_newest_values(birds: Workspace) -> None:
    done = birds.remember(FACT, metadata={**MARKS, "customer": "Kim"})

    assert not done.is_new
    told = one(birds, customer="Kim")
    assert (told["importance"], "score" in told) == (8, False)


def test_forget_takes_it_away(birds: Workspace) -> None:
    birds.memory.forget(matching=["willow pond"])

    assert "Acme" not in Path(birds.root, "memory/sources.jsonl").read_text()
    assert len(birds.search.retrieve("heron", where={})) == 2


def test_a_value_alone_can_be_forgotten(birds: Workspace) -> None:
    birds.memory.forget(matching=["Acme"], confirm=True)

    told = one(birds, "willow pond", importance=8)
    assert told["kind"] == "preference"
    assert "customer" not in told


def test_section_source_and_about_are_as_if_given_by_name(workspace: Workspace) -> None:
    Path(workspace.root, "pond.md").write_text("deep\n")
    workspace.remember("Carps sleep", section="Fish")
    workspace.remember("Pikes hide there", metadata={"section": "Fish", "source": "tool:web", "about": "pond.md"})

    told = one(workspace, "pikes", source="tool:web")
    assert (told["heading"].split(" › ")[-1], told["source"], told["about"]) == ("Fish", "tool:web", "pond.md")


_REFUSED: tuple[dict[Any, Any], ...] = (
    {"list": [1]},
    {"dict": {}},
    {"nan": float("nan")},
    {"endless": float("inf")},
    {"path": "x"},
    {"created_at": "x"},
    {"": 1},
    {"x" * 65: 1},
    {"bell\x07": 1},
    {3: 1},
    {"long": "x" * 2001},
    {str(number): number for number in range(33)},
    {"kind": "NO KIND"},
    {"kind": 3},
    {"importance": 11},
    {"importance": "8"},
    {"importance": True},
    {"tags": ["two words"]},
    {"tags": "7"},
    {"tags": [3]},
    {"task": ["x"]},
    {"section": 4},
    {"source": "tool:web", "kind": "lesson"},
    {"source": "tool:web", "tags": ["a"]},
    {"source": "tool:web", "via": "net:mail"},
)


def test_what_cannot_be_kept_is_refused_and_nothing_is_written(workspace: Workspace) -> None:
    before = Path(workspace.root, "MEMORY.md").read_bytes()

    def refuses(told: dict[Any, Any]) -> None:
        with pytest.raises(UsageError):
            workspace.remember(FACT, metadata=told)

    table.holds(refuses, _REFUSED)
    assert Path(workspace.root, "MEMORY.md").read_bytes() == before
    assert not Path(workspace.root, "memory/sources.jsonl").exists()


def test_a_secret_is_refused_there_too(workspace: Workspace) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"

    for told in ({"token": token}, {token: 1}, {"tags": [token]}):
        with pytest.raises(SecretRefusedError):
            workspace.remember(FACT, metadata=told)


def test_what_is_given_twice_must_be_the_same(workspace: Workspace) -> None:
    with pytest.raises(UsageError):
        workspace.remember(FACT, section="Birds", metadata={"section": "Fish"})
    assert workspace.remember(FACT, section="Birds", metadata={"section": "Birds"}).is_new
