"""An agent joins a fleet and leaves it: in the user's settings, without a password, with rights from the database."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest

from agentws.core import environment
from agentws.errors import MayNotWriteError, NeedsYouError, OutsideProgramError, RemoteAwayError, UsageError
from agentws.features.fleet import database as fleet_database, membership, watch
from agentws.workspace import Environment
from tests.features.fleet.conftest import Make
from tests.fleet.cluster import as_role
from tests.forked import run_text


def test_who_joins_is_known_in_the_database_and_in_the_settings(joined: Make, fleet: str) -> None:
    stores = joined().stores
    own = membership.joined(stores)
    assert own is not None
    assert (own.team, own.agents) == ("garden", {stores.manifest.agent_id: "shared"})
    with fleet_database.connected(fleet) as opened:
        agent = stores.manifest.agent_id
        assert opened.rows("SELECT team, agent, name FROM agentws.agents") == [("garden", agent, "ada")]
        assert [each.left for each in watch.status(opened, "garden")] == [False]
        writers = opened.rows("SELECT writer FROM agentws.machines")
        assert writers == [(name,) for name in os.listdir(f"{stores.root}/journal") if len(name) == 16]


def test_who_leaves_ships_no_more_and_is_marked_and_nobody_leaves_a_database_that_is_away(
    joined: Make, fleet: str
) -> None:
    stores = joined().stores
    config = Path(str(stores.environment.config))
    settings = config.read_text()
    config.write_text(settings.replace("host=", "host=/nowhere"))
    with pytest.raises(RemoteAwayError) as away:
        membership.leave(stores)
    assert away.value.hint == (
        "Does the server run? Check host, port, database and role in the URL; a password is in ~/.pgpass."
        " Nothing was changed. To stop shipping without the database:"
        f" agentws config --user fleet.agents.{stores.manifest.agent_id} ''"
    )
    assert membership.joined(stores) is not None
    config.write_text(settings)
    membership.leave(stores)
    assert membership.joined(stores) is None
    with fleet_database.connected(fleet) as opened:
        assert [each.left for each in watch.status(opened, "garden")] == [True]


@pytest.mark.parametrize("url", ["robin:secret@127.0.0.1/fleet", "robin@127.0.0.1/fleet?sslpassword=secret"])
def test_a_password_in_the_url_is_refused(joined: Make, url: str) -> None:
    with pytest.raises(UsageError, match="contains a password"):
        membership.join(joined().stores, f"postgresql://{url}", "garden", "shared")


@pytest.mark.parametrize(
    ("url", "variables", "mode"),
    [
        ("postgresql://robin@db.example.org/fleet", {}, "require"),
        ("postgresql://robin@db.example.org/fleet", {"PGSSLMODE": "prefer"}, "require"),
        ("postgresql://robin@db.example.org/fleet", {"PGSSLMODE": "verify-full"}, None),
        ("postgresql://robin@db.example.org/fleet?sslmode=verify-ca", {}, None),
        ("postgresql://robin@localhost/fleet?hostaddr=192.0.2.1", {}, "require"),
        ("postgresql://robin@/fleet", {"PGHOST": "db.example.org"}, "require"),
        ("service=fleet host=db.example.org", {}, None),
        ("postgresql://robin@localhost/fleet", {}, None),
        ("postgresql://robin@/fleet", {}, None),
    ],
)
def test_text_leaves_the_machine_encrypted_and_no_stronger_choice_is_weakened(
    monkeypatch: pytest.MonkeyPatch, url: str, variables: dict[str, str], mode: str | None
) -> None:
    for name in ("PGSSLMODE", "PGHOST", "PGHOSTADDR", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    asked: list[object] = []

    def connect(_: str, **options: object) -> object:
        asked.append(options.get("sslmode"))
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(RemoteAwayError), fleet_database.connected(url):
        pass
    assert asked == [mode]


@pytest.mark.parametrize(
    ("url", "variable", "seconds"),
    [("service=fleet", "", 10), ("postgresql://robin@localhost/fleet", "", 10), ("service=fleet", "60", "60")],
)
def test_a_server_that_hangs_at_the_connection_is_away_after_10_seconds(
    monkeypatch: pytest.MonkeyPatch, url: str, variable: str, seconds: object
) -> None:
    monkeypatch.delenv("PGSERVICE", raising=False)
    monkeypatch.setenv("PGCONNECT_TIMEOUT", variable) if variable else monkeypatch.delenv("PGCONNECT_TIMEOUT", False)
    asked: list[object] = []

    def connect(_: str, **options: object) -> object:
        asked.append(options.get("connect_timeout"))
        raise psycopg.OperationalError("away")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(RemoteAwayError), fleet_database.connected(url):
        pass
    assert asked == [seconds]


@pytest.mark.parametrize("role", ["stranger", "watcher", "sam"])
def test_a_role_without_the_right_to_ship_joins_nobody(joined: Make, fleet: str, role: str) -> None:
    stores = joined().stores
    membership.leave(stores)
    with pytest.raises(MayNotWriteError, match="may not ship this agent"):
        membership.join(stores, as_role(fleet, role), "garden", "shared")
    assert membership.joined(stores) is None


def test_an_agent_may_not_join_itself(joined: Make) -> None:
    stores = joined().stores
    stores.environment.by_agent = True
    with pytest.raises(NeedsYouError):
        membership.join(stores, "service=none", "garden", "all")


def test_a_server_that_is_away_is_named_with_what_to_do(joined: Make) -> None:
    stores = joined().stores
    membership.leave(stores)
    with pytest.raises(RemoteAwayError, match="out of reach") as caught:
        membership.join(stores, "postgresql://robin@/fleet?host=/nowhere", "garden", "shared")
    assert "Check host, port, database and role" in str(caught.value.hint)


def test_the_only_team_is_meant_and_of_several_all_are_named(fleet: str) -> None:
    environment = Environment()
    assert membership.in_team(environment, url=as_role(fleet, "sam")).team == "cellar"
    with pytest.raises(UsageError, match=r"cellar, garden"):
        membership.in_team(environment, url=fleet)
    with pytest.raises(UsageError, match="none"):
        membership.in_team(environment, url=as_role(fleet, "stranger"))


def test_a_role_that_the_server_lacks_is_named_with_what_makes_it(fleet: str) -> None:
    with fleet_database.connected(fleet) as opened, pytest.raises(OutsideProgramError, match="nosuch") as caught:
        opened.rows("SELECT agentws.set_member('garden', 'nosuch', NULL, '{read}')")
    assert "CREATE ROLE nosuch LOGIN" in str(caught.value.hint)


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


def test_a_fleet_that_replaces_another_in_the_settings_is_named(
    joined: Make, fleet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = joined()
    membership.leave(workspace.stores)
    before = membership.read(workspace.stores.environment).url
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    own = Path(str(environment.user_settings()))
    own.parent.mkdir(parents=True)
    own.write_text(Path(str(workspace.stores.environment.config)).read_text())
    url = as_role(fleet, "robin") + "&application_name=other"

    done = run_text("-C", workspace.root, "fleet", "join", url, "--team", "garden")

    assert f"fleet.url was {before}, now {url}." in done.stderr


def test_who_may_not_migrate_is_sent_to_the_owner_of_the_database(fleet: str) -> None:
    refused = run_text("fleet", "migrate", as_role(fleet, "stranger"))

    assert refused.returncode
    assert "Only the owner of the database can migrate" in refused.stderr
    assert "fleet member" not in refused.stderr
