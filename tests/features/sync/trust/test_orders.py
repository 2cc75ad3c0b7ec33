"""Purges that one machine orders, brought to another one by a sync."""

from __future__ import annotations

import shutil

import pytest

from agentws.core.journal import read
from agentws.core.stores import seals
from agentws.features.identity import vouch
from agentws.features.sync.run import sync
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import holds

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="NOT TESTED: seals; ssh-keygen is not here")


def told(machines: Machines) -> tuple[Workspace, str]:
    """The laptop, and the cursor of what it has told the desk by a sync: a word that is to go."""
    desk = machines.first()
    desk.event("note", "from the desk")
    sync(desk.stores, str(machines.stick))
    laptop = machines.another("laptop")
    words = laptop.event("note", "the word is swordfish")
    sync(machines.opened("laptop").stores, str(machines.stick))
    sync(machines.opened("desk").stores, str(machines.stick))
    return laptop, str(words.cursor)


def test_a_purge_of_an_own_machine_takes_the_event_away_on_the_others(machines: Machines) -> None:
    laptop, words = told(machines)
    vouch.vouch(machines.opened("desk").stores, laptop.stores.appender().writer)

    machines.opened("desk").journal.purge([words], reason="a slip")
    sync(machines.opened("desk").stores, str(machines.stick))
    sync(machines.opened("laptop").stores, str(machines.stick))
    laptop = machines.opened("laptop")
    laptop.event("note", "work goes on")
    seals.seal(laptop.stores)
    sync(machines.opened("laptop").stores, str(machines.stick))
    sync(machines.opened("desk").stores, str(machines.stick))

    for name in ("desk", "laptop"):
        opened = machines.opened(name)
        assert not [path for path, data in machines.files(name).items() if b"swordfish" in data]
        assert opened.journal.verify().findings == []
        assert [one.what for one in opened.journal.verify().notes] == []
        assert not holds(machines.root(name) / ".agentws/sync", b"swordfish")
    assert not holds(machines.stick, b"swordfish")


def test_what_another_machine_orders_to_go_goes_with_the_sync_that_brings_the_order(machines: Machines) -> None:
    laptop, words = told(machines)
    vouch.vouch(machines.opened("desk").stores, laptop.stores.appender().writer)
    machines.opened("desk").journal.purge([words], reason="a slip")
    sync(machines.opened("desk").stores, str(machines.stick))

    (done,) = sync(machines.opened("laptop").stores, str(machines.stick))
    again = sync(machines.opened("desk").stores, str(machines.stick))[0]

    assert done.renewed
    assert not again.renewed
    for name in ("desk", "laptop"):
        assert not [path for path, data in machines.files(name).items() if b"swordfish" in data]
        assert not holds(machines.root(name) / ".agentws/sync", b"swordfish")
        assert machines.opened(name).journal.verify().findings == []
    assert not holds(machines.stick, b"swordfish")


def test_an_order_that_was_carried_out_has_nothing_sealed_again(machines: Machines) -> None:
    laptop, words = told(machines)
    vouch.vouch(machines.opened("desk").stores, laptop.stores.appender().writer)
    machines.opened("desk").journal.purge([words], reason="a slip")
    sync(machines.opened("desk").stores, str(machines.stick))
    sync(machines.opened("laptop").stores, str(machines.stick))
    own = laptop.stores.appender().writer
    before = read.last_seq(laptop.stores.files, own)

    machines.opened("desk").event("note", "work goes on")
    sync(machines.opened("desk").stores, str(machines.stick))
    sync(machines.opened("laptop").stores, str(machines.stick))

    assert read.last_seq(laptop.stores.files, own) == before


def test_a_machine_that_is_not_vouched_for_may_purge_its_own_events(machines: Machines) -> None:
    _, words = told(machines)

    machines.opened("laptop").journal.purge([words], reason="a slip")
    sync(machines.opened("laptop").stores, str(machines.stick))
    sync(machines.opened("desk").stores, str(machines.stick))

    assert not [path for path, data in machines.files("desk").items() if b"swordfish" in data]
    assert machines.opened("desk").journal.verify().findings == []
