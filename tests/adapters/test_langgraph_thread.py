"""A thread of LangGraph: an index over its rows that follows other processes."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import ormsgpack
import pytest

from agentws.adapters import langgraph_thread as rows
from agentws.adapters.langgraph_thread import Recent, Stored, Thread, Write
from agentws.adapters.langgraph_values import Typed
from agentws.workspace import Workspace

NAME = "langgraph/threads/roof"


def typed(value: object) -> Typed:
    return Typed("msgpack", ormsgpack.packb(value))


def thread(workspace: Workspace, most_bytes: int = 1 << 20) -> Thread:
    return Thread(workspace.data.rows(NAME), Recent(most_bytes))


def step(number: int, *, ns: str = "") -> list[rows.Row]:
    """Return the rows of a checkpoint and of its channel's value."""
    key, parent = f"k{number:03}", f"k{number - 1:03}" if number else None
    stored = Stored(ns, key, parent, typed({"id": key, "channel_versions": {"tiles": number}}), typed({"step": number}))
    return [
        rows.value_row(ns, "tiles", number, typed({"counted": number, "ns": [",", '"ns":']})),
        rows.checkpoint_row(stored),
    ]


def tiles(thread: Thread, number: int, ns: str = "") -> object:
    value = thread.read(lambda: thread.value(ns, "tiles", number))
    return None if value is None else ormsgpack.unpackb(value.data)["counted"]


def test_a_checkpoint_and_its_values_are_found_again_by_another_object(workspace: Workspace) -> None:
    first, second = thread(workspace), thread(workspace)
    for number in range(3):
        first.append(step(number))
        assert second.read(lambda: second.latest("")) == f"k{number:03}"
        assert tiles(second, number) == number

    stored = second.read(lambda: second.checkpoint("", "k001"))

    assert stored is not None
    assert (stored.id, stored.parent) == ("k001", "k000")
    assert second.read(lambda: second.ids("")) == ["k002", "k001", "k000"]
    assert second.read(lambda: second.checkpoint("", "k009")) is None
    assert second.read(lambda: second.checkpoint("other", "k001")) is None


def test_namespaces_are_apart(workspace: Workspace) -> None:
    both = thread(workspace)
    both.append([*step(1), *step(2, ns="child:1")])

    assert both.read(lambda: both.namespaces()) == ["", "child:1"]
    assert both.read(lambda: both.latest("")) == "k001"
    assert tiles(both, 2) is None
    assert tiles(both, 2, "child:1") == 2


def test_the_first_of_ordinary_writes_counts_and_the_last_of_errors_and_in_the_order_of_paths(
    workspace: Workspace,
) -> None:
    both = thread(workspace)
    for path, task, index, value in (
        ("b", "t1", 0, "x"),
        ("a", "t2", 0, "y"),
        ("b", "t1", 0, "z"),
        ("b", "t1", -1, 1),
        ("b", "t1", -1, 2),
    ):
        write = Write(path, task, index, "tiles", typed(value))
        both.append([rows.writes_row("", "k001", task, path, [write])])

    writes = both.read(lambda: both.writes("", "k001"))

    assert [(write.task, write.index, ormsgpack.unpackb(write.value.data)) for write in writes] == [
        ("t2", 0, "y"),
        ("t1", -1, 2),
        ("t1", 0, "x"),
    ]


def test_rows_that_another_object_has_replaced_are_read_anew(workspace: Workspace) -> None:
    first, second = thread(workspace), thread(workspace)
    first.append([*step(1), *step(2)])
    assert tiles(second, 1) == 1

    first.replace(step(2))

    assert second.read(lambda: second.ids("")) == ["k002"]
    assert tiles(second, 1) is None
    assert tiles(second, 2) == 2
    first.replace(())
    assert second.read(lambda: second.namespaces()) == []
    assert not Path(workspace.root, first.log.path).exists()


@pytest.mark.parametrize("most_bytes", [0, 1 << 20])
def test_what_is_kept_in_memory_changes_no_answer(workspace: Workspace, most_bytes: int) -> None:
    small = thread(workspace, most_bytes)
    for number in range(20):
        small.append(step(number))

    assert [tiles(small, number) for number in (3, 19, 3)] == [3, 19, 3]


def test_the_index_needs_no_more_than_the_keys_behind_a_value(workspace: Workspace) -> None:
    """A key `ns` within a value, and quotes that look like it, are no keys of the row."""
    both = thread(workspace)
    value = {"ns": "wrong", "text": ',"ns":"wrong","channel":"wrong"', "id": "wrong", "parent": 1}
    both.append([rows.value_row("right", "tiles", 7, typed(value))])

    other = thread(workspace)
    assert other.read(lambda: other.has_value("right", "tiles", 7))
    assert not other.read(lambda: other.has_value("wrong", "wrong", 7))


def test_a_row_is_json_that_people_can_read(workspace: Workspace) -> None:
    both = thread(workspace)
    both.append(step(1))
    first, second = Path(workspace.root, both.log.path).read_text(encoding="utf-8").splitlines()

    assert json.loads(first)["value"]["counted"] == 1
    assert json.loads(second) == {
        "checkpoint": {"id": "k001", "channel_versions": {"tiles": 1}},
        "metadata": {"step": 1},
        "ns": "",
        "id": "k001",
        "parent": "k000",
    }


def test_without_langgraph_the_error_names_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "agentws.adapters.langgraph"
    monkeypatch.setitem(sys.modules, "langgraph", None)
    monkeypatch.delitem(sys.modules, name, raising=False)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'agentws\[langgraph\]'"):
        importlib.import_module(name)
