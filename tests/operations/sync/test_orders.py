"""Purges that one machine orders, brought to another one by a sync."""

from __future__ import annotations

import shutil

import pytest

from agentws.operations.identity import vouch
from agentws.operations.sync.run import sync
from agentws.storage.workspace import seals
from tests.operations.sync.conftest import Machines
from tests.operations.sync.test_forgotten import holds

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="NOT TESTED: seals; ssh-keygen is not here")


def test_a_purge_of_an_own_machine_takes_the_event_away_on_the_others(machines: Machines) -> None:
    desk = machines.first()
    desk.event("note", "from the desk")
    sync(desk, str(machines.stick))
    laptop = machines.another("laptop")
    words = laptop.event("note", "the word is swordfish")
    sync(machines.opened("laptop"), str(machines.stick))
    sync(machines.opened("desk"), str(machines.stick))
    vouch.vouch(machines.opened("desk"), laptop.journal().writer)

    machines.opened("desk").purge_journal([str(words.cursor)], reason="a slip")
    sync(machines.opened("desk"), str(machines.stick))
    sync(machines.opened("laptop"), str(machines.stick))
    laptop = machines.opened("laptop")
    laptop.event("note", "work goes on")
    seals.seal(laptop)
    sync(machines.opened("laptop"), str(machines.stick))
    sync(machines.opened("desk"), str(machines.stick))

    for name in ("desk", "laptop"):
        told = machines.opened(name)
        assert not [path for path, data in machines.files(name).items() if b"swordfish" in data]
        assert told.verify_journal().findings == []
        assert [one.what for one in told.verify_journal().notes] == []
        assert not holds(machines.root(name) / ".agentws/sync", b"swordfish")
    assert not holds(machines.stick, b"swordfish")


def test_a_machine_that_is_not_vouched_for_may_purge_its_own_events(machines: Machines) -> None:
    desk = machines.first()
    desk.event("note", "from the desk")
    sync(desk, str(machines.stick))
    laptop = machines.another("laptop")
    words = laptop.event("note", "the word is swordfish")
    sync(machines.opened("laptop"), str(machines.stick))
    sync(machines.opened("desk"), str(machines.stick))

    machines.opened("laptop").purge_journal([str(words.cursor)], reason="a slip")
    sync(machines.opened("laptop"), str(machines.stick))
    sync(machines.opened("desk"), str(machines.stick))

    assert not [path for path, data in machines.files("desk").items() if b"swordfish" in data]
    assert machines.opened("desk").verify_journal().findings == []
