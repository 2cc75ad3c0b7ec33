"""A thread of LangGraph: an index over its rows that follows other processes."""

from __future__ import annotations

import importlib
import json
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import ormsgpack
import pytest

from agentws.adapters import langgraph_thread as rows
from agentws.adapters.langgraph_thread import Recent, Stored, Thread, Write
from agentws.adapters.langgraph_values import Typed
from agentws.errors import DamagedError
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
        rows.checkpoint_row(stored, {}),
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


def put(thread: Thread, number: int, *, ns: str = "", parent: int | None = None, changed: bool = True) -> None:
    """Store a checkpoint as `Saver` does: `goal` never changes, `tiles` if it is `changed`."""
    key, before = f"k{number:03}", None if parent is None else f"k{parent:03}"
    stored = Stored(ns, key, before, typed({"id": key}), typed({"step": number}))
    new = {("tiles", number): typed({"counted": number})} if changed else {}
    versions = {("goal", 1), ("empty", 1), *new} if changed else {("goal", 1)}
    with thread.changing():
        if not thread.has_value(ns, "goal", 1, of=before):
            new["goal", 1] = typed({"counted": "roof"})
        row = rows.checkpoint_row(stored, thread.places(stored, versions - new.keys()))
        thread.store([row, *(rows.value_row(ns, *version, value) for version, value in new.items())], [])


def answers(thread: Thread, ns: str, numbers: Iterable[int], dice: random.Random) -> dict[object, object]:
    """Return what a thread answers, asked in any order, about its newest checkpoint and about others."""

    def newest() -> list[object]:
        key = thread.latest(ns)
        return [
            key,
            thread.checkpoint(ns, key),
            *(thread.value(ns, channel, 1, of=key) for channel in ("goal", "empty")),
            thread.value(ns, "tiles", int(key[1:] or 0), of=key),
            [write.value for write in thread.writes(ns, key)],
        ]

    questions: dict[object, Callable[[], object]] = {"newest": newest, "ids": lambda: thread.ids(ns)}
    for number in numbers:
        questions |= {
            (number, "value"): lambda number=number: thread.value(ns, "tiles", number),
            (number, "writes"): lambda number=number: [write.value for write in thread.writes(ns, f"k{number:03}")],
            (number, "checkpoint"): lambda number=number: thread.checkpoint(ns, f"k{number:03}"),
        }
    order = [*questions] if dice.random() < 0.5 else dice.sample([*questions], len(questions))
    return {key: thread.read(questions[key]) for key in order}


@pytest.mark.parametrize("seed", range(4))
def test_a_thread_answers_the_same_after_a_start(workspace: Workspace, seed: int) -> None:
    dice = random.Random(seed)
    always, late = thread(workspace), thread(workspace)
    always.read(lambda: always.latest(""))
    numbers = dice.sample(range(30), 30) if seed % 2 else [*range(30)]
    for count, number in enumerate(numbers):
        ns = dice.choice(("", "", "child:1"))
        if dice.random() < 0.1:
            late = thread(workspace)
        if dice.random() < 0.1:
            always.append([rows.writes_row(ns, f"k{number:03}", "t", "", [Write("", "t", 0, "x", typed(count))])])
        parent = dice.choice((None, *numbers[max(0, count - 2) : count])) if count else None
        put(dice.choice((always, late)), number, ns=ns, parent=parent, changed=dice.random() < 0.8)
        if dice.random() < 0.3:
            always.append([rows.writes_row(ns, f"k{number:03}", "t", "", [Write("", "t", 1, "x", typed(count))])])
        if dice.random() < 0.05:
            with always.changing():
                always.replace([row for row in always.rows() if dice.random() < 0.9])
        for space in ("", "child:1"):
            late = dice.choice((late, thread(workspace)))
            asked = numbers[: count + 1 : 3]
            assert answers(late, space, asked, dice) == answers(always, space, asked, dice)


def test_the_newest_checkpoint_is_read_after_a_start_without_the_rows_before_it(workspace: Workspace) -> None:
    first = thread(workspace)
    for number in range(9):
        put(first, number, parent=number - 1 if number else None)
    put(first, 8, ns="child:1")
    first.append([rows.writes_row("", "k008", "t", "", [Write("", "t", 0, "x", typed({"a": 1, "offset": 2}))])])
    file = Path(workspace.root, first.log.path)
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([*lines[:3], b"#" * len(lines[3]), *lines[4:]]))

    second = thread(workspace)
    for number in (9, 10):
        put(second, number, parent=number - 1)
        assert second.read(lambda: second.latest("")) == f"k{number:03}"
        value = second.read(lambda: second.value("", "goal", 1, of=second.latest("")))
        assert value == typed({"counted": "roof"})
        assert second.read(lambda: second.value("", "empty", 1, of=second.latest(""))) is None

    with pytest.raises(DamagedError, match=r"roof\.jsonl:4: not a row"):
        second.read(lambda: second.ids(""))


def test_places_that_hold_no_longer_are_not_followed(workspace: Workspace) -> None:
    first = thread(workspace)
    for number in range(4):
        put(first, number, parent=number - 1 if number else None)
    file = Path(workspace.root, first.log.path)
    lines = file.read_bytes().splitlines(keepends=True)
    goal = next(line for line in lines if b'"goal"' in line and b'"value"' in line)
    for changed in (
        [b'{"a":1}\n', *lines],
        lines[3:],
        [line for line in lines if line != goal] + [goal],
        [b"\n" if line == goal else line for line in lines],
        [goal.replace(b"goal", b"gaol") if line == goal else line for line in lines],
        [*lines[:5], *lines[7:], *lines[5:7]],
        lines[:-1],
    ):
        file.unlink()
        file.write_bytes(b"".join(changed))
        always = thread(workspace)
        always._from_end = False

        for seed in range(4):
            dice = random.Random(seed)
            assert answers(thread(workspace), "", range(4), dice) == answers(always, "", range(4), dice), changed


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
