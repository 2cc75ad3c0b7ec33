"""An agent joins a fleet and leaves it: in the user's settings, without a password, with rights from the database."""

from __future__ import annotations

import os

import pytest

from agentws.errors import MayNotWriteError, NeedsYouError, RemoteAwayError, UsageError
from agentws.features.fleet import database as fleet_database, join, settings
from tests.features.fleet.conftest import Make
from tests.fleet.cluster import as_role


def test_who_joins_is_known_in_the_database_and_in_the_settings(joined: Make, fleet: str) -> None:
    stores = joined().stores
    own = settings.joined(stores)
    assert own is not None
    assert (own.team, own.agents) == ("garden", {stores.manifest.agent_id: "shared"})
    with fleet_database.connected(fleet) as opened:
        agent = stores.manifest.agent_id
        assert opened.rows("SELECT team, agent, name, left_at FROM agentws.agents") == [("garden", agent, "ada", None)]
        writers = opened.rows("SELECT writer FROM agentws.machines")
        assert writers == [(name,) for name in os.listdir(f"{stores.root}/journal") if len(name) == 16]


def test_who_leaves_ships_no_more_and_is_marked(joined: Make, fleet: str) -> None:
    stores = joined().stores
    join.leave(stores)
    assert settings.joined(stores) is None
    with fleet_database.connected(fleet) as opened:
        assert opened.row("SELECT left_at IS NOT NULL FROM agentws.agents") == (True,)


def test_a_password_in_the_url_is_refused(joined: Make) -> None:
    with pytest.raises(UsageError, match="contains a password"):
        join.join(joined().stores, "postgresql://robin:secret@127.0.0.1/fleet", "garden", "shared")


@pytest.mark.parametrize("role", ["stranger", "watcher", "sam"])
def test_a_role_without_the_right_to_ship_joins_nobody(joined: Make, fleet: str, role: str) -> None:
    stores = joined().stores
    join.leave(stores)
    with pytest.raises(MayNotWriteError, match="may not ship this agent"):
        join.join(stores, as_role(fleet, role), "garden", "shared")
    assert settings.joined(stores) is None


def test_an_agent_may_not_join_itself(joined: Make) -> None:
    stores = joined().stores
    stores.environment.by_agent = True
    with pytest.raises(NeedsYouError):
        join.join(stores, "service=none", "garden", "all")


def test_a_server_that_is_away_is_named_with_what_to_do(joined: Make) -> None:
    stores = joined().stores
    join.leave(stores)
    with pytest.raises(RemoteAwayError, match="out of reach"):
        join.join(stores, "postgresql://robin@/fleet?host=/nowhere", "garden", "shared")


def test_an_admin_of_a_team_changes_its_members_and_no_other_team(fleet: str) -> None:
    with fleet_database.connected(as_role(fleet, "sam")) as opened:
        opened.rows("SELECT agentws.set_member('cellar', 'watcher', NULL, '{read}')")
        with pytest.raises(MayNotWriteError):
            opened.rows("SELECT agentws.set_member('garden', 'sam', NULL, '{read}')")
    with fleet_database.connected(as_role(fleet, "watcher")) as opened:
        assert opened.rows("SELECT team, role FROM agentws.members ORDER BY team") == [
            ("cellar", "watcher"),
            ("garden", "watcher"),
        ]
