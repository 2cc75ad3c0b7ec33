"""Rows and artifacts after kill -9, a power cut and a full disk: what was acknowledged is there, whole, and goes on."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crash import harness, points, power, scenarios
from tests.crash.harness import Fail
from tests.crash.scenarios import Ack, Scenario, Stage
from tests.thorough import some

NAME, LONG = "langgraph/threads/roof", "tile " * 3000
WEIGHTS = bytes(range(256)) * 500


@dataclass(frozen=True)
class Case:
    """A run that acknowledges each of its steps, and `states`: what is read before the first and after each of them."""

    name: str
    prepare: Callable[[str], None]
    act: harness.Act
    again: Callable[[str], object]
    read: Callable[[str], object]
    states: Sequence[object]

    def stage(self, folder: Path) -> Stage:
        """The case as the harness runs it."""
        return Stage(Scenario(self.name, self.prepare, self.act, self.act), str(folder))

    def check(self, root: str, acks: Sequence[object]) -> None:
        """What was acknowledged is there, a step is there whole or not at all, and the next one succeeds."""
        state = self.read(root)
        assert state in self.states[len(acks) : len(acks) + 2], f"after {len(acks)} steps: {str(state)[:200]}"

        self.again(root)


def _rows(root: str) -> list[object]:
    rows = [row for _, row in scenarios.opened(root).data.rows(NAME).read()]
    assert all(row["text"] == LONG for row in rows), "a torn row"
    return [row["n"] for row in rows]


def _row(number: int) -> dict[str, object]:
    return {"n": number, "text": LONG}


def _one_more(root: str) -> None:
    before = _rows(root)
    scenarios.opened(root).data.rows(NAME).append(_row(9))
    assert _rows(root) == [*before, 9]


def _filled(root: str) -> None:
    scenarios._lived(root)
    scenarios.opened(root).data.rows(NAME).append(_row(1), _row(2))


def _append(root: str, ack: Ack) -> None:
    log = scenarios.opened(root).data.rows(NAME)
    for numbers in ((3,), (4, 5), (6,)):
        log.append(*map(_row, numbers))
        ack(numbers)


def _replace(root: str, ack: Ack) -> None:
    log = scenarios.opened(root).data.rows(NAME)
    log.replace([_row(7)])
    ack("replaced")
    log.append(_row(8))
    ack("added")
    log.delete()
    ack("deleted")


def _orders(root: str) -> list[object]:
    tables = scenarios.opened(root).data
    rows = tables.query("orders").rows if "orders" in [table.table for table in tables.list().tables] else []
    assert all(row["text"] == LONG for row in rows), "a torn row"
    return [(row["id"], row["n"]) for row in rows]


def _order(key: int, number: int) -> dict[str, object]:
    return {"id": key, "n": number, "text": LONG}


def _tables(root: str, ack: Ack) -> None:
    tables = scenarios.opened(root).data
    tables.append("orders", _order(7, 1), _order(8, 1))
    ack("appended")
    tables.set("orders", "7", _order(7, 2))
    ack("set")
    tables.set("orders", "8", None)
    ack("removed")


def _one_more_order(root: str) -> None:
    before = _orders(root)
    scenarios.opened(root).data.append("orders", _order(9, 9))
    assert _orders(root) == [*before, (9, 9)]


def _artifacts(root: str) -> list[object]:
    data = scenarios.opened(root).data
    rows = data.list_artifacts().artifacts
    for row in rows:
        with data.open_artifact(row.name) as file:
            assert file.read() == WEIGHTS
    return [row.name for row in rows]


def _add(root: str, ack: Ack) -> None:
    scenarios.put(root, "../weights.bin", WEIGHTS)
    for name in ("first", "second"):
        scenarios.opened(root).data.add_artifact(f"{root}/../weights.bin", name=name)
        ack(name)


def _add_again(root: str) -> None:
    _add(root, lambda _: None)
    assert _artifacts(root) == ["first", "second"]


CASES = [
    Case("first rows", scenarios._lived, _append, _one_more, _rows, [[], [3], [3, 4, 5], [3, 4, 5, 6]]),
    Case("rows", _filled, _append, _one_more, _rows, [[1, 2], [1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6]]),
    Case("replaced rows", _filled, _replace, _one_more, _rows, [[1, 2], [7], [7, 8], []]),
    Case(
        "tables",
        *(scenarios._lived, _tables, _one_more_order, _orders),
        [[], [(7, 1), (8, 1)], [(7, 2), (8, 1)], [(7, 2)]],
    ),
    Case("artifacts", scenarios._lived, _add, _add_again, _artifacts, [[], ["first"], ["first", "second"]]),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@every_case
def test_a_kill_loses_nothing_acknowledged_and_leaves_no_torn_row(case: Case, tmp_path: Path) -> None:
    stage = case.stage(tmp_path)
    assert len(stage.whole.acks) == len(case.states) - 1

    points.killed(stage, case.act, some(points.kills(stage.whole.changing), 12), case.check)


@every_case
def test_a_power_cut_loses_nothing_acknowledged_and_leaves_no_torn_row(case: Case, tmp_path: Path) -> None:
    stage = case.stage(tmp_path)
    root, model = stage.model()
    outcome = harness.run(case.act, root)

    assert list(power.wrongs(model, outcome, 1, stage.place, case.check)) == []


@every_case
def test_a_disk_that_fills_up_loses_nothing_acknowledged_and_leaves_no_torn_row(case: Case, tmp_path: Path) -> None:
    stage = case.stage(tmp_path)
    changes = [at for at, name in enumerate(stage.whole.every) if name in harness.ERRNOS[errno.ENOSPC]]

    for at in some(changes, 12):
        root = stage.fresh()
        outcome = harness.run(case.act, root, Fail(at, errno.ENOSPC, short=stage.whole.every[at] == "write"))

        assert outcome.error is None or outcome.error[1], outcome.error
        with points.named(f"full at {at} ({stage.whole.every[at]})"):
            case.check(root, outcome.acks)
