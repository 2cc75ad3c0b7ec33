"""forget asks each feature for what it keeps, in an order in which a kill leaves nothing that cannot be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentws import Workspace, features
from agentws.core.stores.traces import Traces

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from agentws.core.stores.stores import Stores
    from agentws.core.stores.traces import Sought

NOTE = "The lighthouse key hangs behind the door"


class Notebook(Traces):
    """Notes at each step whether the log still holds the text, and whether the journal tells that it was forgotten."""

    def __init__(self, stores: Stores, sought: Sought, steps: list[tuple[str, bool, bool]]) -> None:
        super().__init__(stores, sought)
        self.steps = steps

    def _note(self, step: str) -> None:
        files = self.stores.files
        is_held = any(b"lighthouse" in files.read(f"memory/{name}") for name in files.listing("memory"))
        journals = (f"journal/{writer}" for writer, kind in files.names("journal") if kind == "folder")
        segments = (files.read(f"{each}/{name}") for each in journals for name in files.listing(each))
        self.steps.append((step, is_held, any(b'"forgotten"' in data for data in segments)))

    def find(self, unread: list[str]) -> list[tuple[str, str]]:
        self._note("find")
        return []

    def announce(self, lines: Iterable[bytes]) -> list[str]:
        self._note("announce")
        return [f"{len(list(lines))} line goes"]

    def remove(self) -> list[str]:
        self._note("remove")
        return []

    def clear_cache(self, notices: list[str]) -> None:
        self._note("clear_cache")
        raise OSError("the shelf is locked")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, bool]]:
    """The steps of two features that stand before all others."""
    noted: list[tuple[str, bool, bool]] = []
    others = features.each

    def each(hook: str, files: object = None) -> object:
        if hook == "forget":
            yield from [lambda stores, sought: Notebook(stores, sought, noted)] * 2
        yield from others(hook, files)  # type: ignore[arg-type]

    monkeypatch.setattr(features, "each", each)
    return noted


@pytest.fixture
def wren(tmp_path: Path) -> Workspace:
    workspace = Workspace.init(str(tmp_path / "wren"), name="Wren")
    workspace.log(NOTE)
    return workspace


def test_documents_go_first_then_the_journal_says_so_then_features_remove_theirs(
    wren: Workspace, steps: list[tuple[str, bool, bool]]
) -> None:
    done = wren.memory.forget(matching=["lighthouse"], confirm=True)

    assert steps[::2] == [
        ("find", True, False),
        ("announce", True, False),
        ("remove", False, True),
        ("clear_cache", False, True),
    ]
    assert "1 line goes" in done.notices


def test_a_feature_that_cannot_clear_its_cache_stops_no_other_one(
    wren: Workspace, steps: list[tuple[str, bool, bool]]
) -> None:
    done = wren.memory.forget(matching=["lighthouse"], confirm=True)

    assert [step for step, *_ in steps if step == "clear_cache"] == ["clear_cache"] * 2
    assert len([notice for notice in done.notices if "the shelf is locked" in notice]) == 1


def test_a_dry_run_asks_only_what_there_is(wren: Workspace, steps: list[tuple[str, bool, bool]]) -> None:
    wren.memory.forget(matching=["lighthouse"], dry_run=True)

    assert steps == [("find", True, False)] * 2


def test_forget_does_without_features_that_are_gone(wren: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name, adds in features.FEATURES.items() if "forget" in adds.hooks]:
        monkeypatch.delitem(features.FEATURES, name)

    done = wren.memory.forget(matching=["lighthouse"], confirm=True)

    assert not done.is_left
    assert not wren.memory.forget(matching=["lighthouse"], dry_run=True).is_here
