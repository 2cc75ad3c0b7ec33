"""Remotes in different epochs: what a sync costs grows with the states that there are, not with their square."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from agentws.features.sync import lineage, merge
from agentws.features.sync.store.repo import Repo
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import two

COUNT = 2_000


class Id(str):
    """An id that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Id.compared += 1
        return str.__eq__(self, other) is True

    __hash__ = str.__hash__


def test_the_states_of_two_remotes_are_compared_once_each(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = two(machines)
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    later = machines.stick.parent / "later"
    later.mkdir()
    desk.sync(str(later))
    many = [Id(f"{number:040x}") for number in range(COUNT)]
    states = lineage.states
    told = SimpleNamespace(**{**vars(lineage), "states": lambda repo, each: [*states(repo, each), *many]})
    monkeypatch.setattr(merge, "lineage", told)
    Id.compared = 0

    desk.log("The heron came")
    desk.sync()

    assert Id.compared < 50 * COUNT


def test_a_state_is_looked_up_once(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, _ = two(machines)
    repo = Repo(desk.stores.files)
    head = repo.head() or ""
    first = lineage.states(repo, head)
    monkeypatch.setattr(repo, "told", None)

    assert lineage.states(repo, head) == first
    repo.close()
