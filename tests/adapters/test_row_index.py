"""The index in memory of a log of rows says what the file says, whoever wrote it."""

from __future__ import annotations

import pytest

from agentws.adapters.row_index import Row, RowIndex
from agentws.workspace import Workspace


class Numbers(RowIndex):
    """Remembers the number in each row, by offset."""

    def reset(self) -> None:
        self.numbers: dict[int, object] = {}

    def index(self, offset: int, row: Row) -> None:
        self.numbers[offset] = row["n"]

    def all(self) -> list[object]:
        return self.read(lambda: [self.log.at(offset, generation=self.generation)["n"] for offset in self.numbers])


@pytest.fixture
def numbers(workspace: Workspace) -> Numbers:
    return Numbers(workspace.data.rows("test/numbers"))


def test_it_follows_what_others_add(workspace: Workspace, numbers: Numbers) -> None:
    other = Numbers(workspace.data.rows("test/numbers"))
    with other.changing():
        other.add({"n": 1}, {"n": 2})

    assert numbers.all() == [1, 2]
    with numbers.changing():
        numbers.add({"n": 3})
    assert other.all() == numbers.all() == [1, 2, 3]


def test_a_row_of_its_own_is_indexed_once(numbers: Numbers) -> None:
    indexed: list[Row] = []
    numbers.index = lambda _offset, row: indexed.append(row)  # type: ignore[method-assign]

    for number in range(3):
        with numbers.changing():
            numbers.add({"n": number})
    numbers.all()

    assert indexed == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_it_starts_anew_if_the_file_is_replaced_or_deleted(workspace: Workspace, numbers: Numbers) -> None:
    other = workspace.data.rows("test/numbers")
    other.append({"n": 1}, {"n": 2})
    assert numbers.all() == [1, 2]

    other.replace([{"n": 5}])
    assert numbers.all() == [5]
    other.delete()
    assert numbers.all() == []


def test_a_read_is_repeated_if_the_file_is_replaced_meanwhile(workspace: Workspace, numbers: Numbers) -> None:
    other = workspace.data.rows("test/numbers")
    other.append({"n": 1})
    replaced: list[bool] = []

    def read() -> list[object]:
        if not replaced:
            replaced.append(True)
            other.replace([{"n": 7}])
        return [numbers.log.at(offset, generation=numbers.generation)["n"] for offset in numbers.numbers]

    assert numbers.read(read) == [7]


def test_a_row_of_another_program_fails_every_call_and_hides_no_later_row(
    workspace: Workspace, numbers: Numbers
) -> None:
    workspace.data.rows("test/numbers").append({"n": 1})
    workspace.data.rows("test/numbers").append({"m": 2}, {"n": 3})

    for _ in range(2):
        with pytest.raises(KeyError):
            numbers.all()
