"""What is known of a destination, when two runs learn of it at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.installation import backups
from agentws.features.copies.backup import create, restore
from agentws.features.copies.backup.store import due
from agentws.workspace import Workspace
from tests.features.journal.keeping import reopened


def known(robin: Workspace) -> backups.Known:
    (found,) = backups.read(robin.stores.files, robin.stores.manifest.agent_id, robin.stores.environment.state)
    return found


def before(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, act: Callable[[], object]) -> None:
    """Let another run do something before this function of a module is called for the first time."""
    function, met = getattr(module, name), []

    def called(*arguments: Any, **options: Any) -> Any:
        if not met:
            met.append(act())
        return function(*arguments, **options)

    monkeypatch.setattr(module, name, called)


def test_a_drill_takes_back_nothing_that_another_run_learned_meanwhile(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))

    def another() -> None:
        other = reopened(robin)
        other.event("note", "later")
        other.copies.create()
        due.remember(other.stores, {str(stick): False}, ["a word"], run="2030-01-01T00:00:00Z")

    before(monkeypatch, restore, "restored", another)
    done = robin.copies.drill()

    now = known(robin)
    assert now.drilled["name"] == done.name
    assert now.name.startswith("0002-")
    assert len(now.due) == 1
    assert max(now.heads.values()) == 3


def test_a_backup_knows_what_was_learned_before_it_had_the_lock(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))

    def another() -> None:
        due.remember(reopened(robin).stores, {str(stick): False}, ["a word"], run="2030-01-01T00:00:00Z")

    before(monkeypatch, create, "_each", another)
    robin.copies.create()

    assert len(known(robin).due) == 1


def test_a_destination_that_was_detached_meanwhile_stays_so(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.copies.create(str(stick))

    before(monkeypatch, restore, "restored", lambda: reopened(robin).copies.detach(str(stick)))
    robin.copies.drill()

    assert backups.read(robin.stores.files, robin.stores.manifest.agent_id, robin.stores.environment.state) == []
