"""Row-level security: thirty crafted requests by a member of another team, and by a stranger, return nothing."""

from __future__ import annotations

import psycopg
import pytest

from agentws.errors import AgentwsError
from agentws.features.fleet import database as fleet_database, ship
from agentws.features.fleet.database import Database
from tests.features.fleet.conftest import Make
from tests.fleet.cluster import as_role

WORD = "zanzibar"
"""In the text of the garden's agent, in nothing else."""

REQUESTS = (
    "SELECT * FROM agentws.events",
    "SELECT * FROM agentws.events WHERE team = 'garden'",
    "SELECT * FROM agentws.events WHERE true OR team = 'garden'",
    "SELECT count(*) FROM agentws.events WHERE tail LIKE '%zanzibar%' HAVING count(*) > 0",
    "SELECT * FROM agentws.events WHERE words @@ to_tsquery('simple', 'zanzibar')",
    "SELECT * FROM agentws.events_default",
    "SELECT * FROM agentws.events_202611",
    "SELECT * FROM ONLY agentws.events",
    "SELECT * FROM agentws.writers",
    "SELECT * FROM agentws.agents",
    "SELECT * FROM agentws.machines",
    "SELECT * FROM agentws.documents",
    "SELECT agentws.put_documents('garden', '{agent}', '{{x}}', '{{x}}', '{{x}}', '{{x}}', '{{x}}', '{{x}}')",
    "SELECT * FROM agentws.found('garden', '{{zanzibar}}', '{{1}}', '', '', NULL, true)",
    "SELECT * FROM agentws.texts",
    "SELECT * FROM agentws.choose('garden', '{agent}', '{writer}', 'shared', '')",
    "SELECT 1 WHERE agentws.word_counts('garden', '{{zanzibar}}', true) <> '{{0}}'",
    "SELECT * FROM agentws.members WHERE team = 'garden'",
    "SELECT * FROM agentws.teams WHERE team = 'garden'",
    "SELECT channel FROM agentws.teams WHERE team = 'garden'",
    "SELECT * FROM agentws.mine('ship', 'read', 'answer', 'admin') WHERE team = 'garden'",
    "SELECT * FROM agentws.wrong_lines('garden', '{agent}', '{writer}')",
    "SELECT * FROM agentws.accept_lines('garden', '{agent}', '{writer}', 1, '{{x}}', '{{x}}', '{{x}}', '{{x}}')",
    "SELECT agentws.end_judging('garden', '{agent}', '{writer}', 9, 'mine')",
    "SELECT agentws.renew_machine('garden', '{writer}')",
    "SELECT agentws.join_agent('garden', '{agent}', 'eve', '{{}}', '{{}}', '{{}}')",
    "SELECT agentws.set_member('garden', session_user::text, NULL, '{{read}}')",
    "SELECT agentws.add_team('attic')",
    "SELECT agentws.ensure_month(now())",
    "SET ROLE robin",
    "SET SESSION AUTHORIZATION robin",
    "SET row_security = off; SELECT * FROM agentws.events",
    "COPY agentws.events TO STDOUT",
    "COPY (TABLE agentws.events_default) TO STDOUT",
    "TABLE agentws.events FOR UPDATE",
    "INSERT INTO agentws.members (role, team, may) VALUES (session_user, 'garden', '{{read}}') RETURNING *",
    "UPDATE agentws.events SET team = 'cellar' RETURNING *",
    "CREATE VIEW pg_temp.spy AS SELECT * FROM agentws.events; SELECT * FROM pg_temp.spy",
    "SELECT e FROM agentws.agents a RIGHT JOIN agentws.events e USING (team, agent)",
    "SELECT * FROM pg_stats WHERE schemaname = 'agentws'",
    "SELECT stxdexpr FROM pg_statistic_ext_data",
    "SELECT staattnum FROM pg_statistic",
    "SELECT query_to_xml('SELECT * FROM agentws.events', false, false, '')::text WHERE"
    " query_to_xml('SELECT * FROM agentws.events', false, false, '')::text LIKE '%header%'",
    "SELECT agentws.hide_statistics('agentws.events')",
)


@pytest.fixture
def victim(joined: Make, fleet: str) -> dict[str, str]:
    ada = joined(text="all")
    ada.event("note", f"the word is {WORD}")
    ship.ship(ada.stores)
    with fleet_database.connected(fleet) as opened:
        opened.rows("ANALYZE agentws.events")
        agent, writer = opened.row("SELECT agent, writer FROM agentws.writers")
        assert opened.row("SELECT count(*) > 1 FROM agentws.events WHERE team = 'garden'") == (True,)
    return {"agent": str(agent), "writer": str(writer)}


@pytest.mark.parametrize("role", ["sam", "stranger"])
def test_thirty_crafted_requests_of_another_team_return_nothing(victim: dict[str, str], fleet: str, role: str) -> None:
    assert len(REQUESTS) >= 30
    for request in REQUESTS:
        with fleet_database.connected(as_role(fleet, role)) as opened:
            assert answers(opened, request.format(**victim)) == [], request


def answers(opened: Database, statement: str) -> list[tuple[object, ...]]:
    """What the statement returns; nothing for one that is refused with an error that tells nothing of the rows."""
    try:
        if statement.startswith("COPY"):
            with opened.connection.cursor().copy(statement.encode()) as copied:
                return [(bytes(row),) for row in copied]
        return opened.rows(statement)
    except (AgentwsError, psycopg.Error) as error:
        return [(str(error),)] if WORD in str(error) else []


def test_no_search_fails_because_of_what_another_team_has(victim: dict[str, str], fleet: str) -> None:
    with fleet_database.connected(as_role(fleet, "sam")) as opened:
        opened.rows("SELECT agentws.join_agent('cellar', %s, 'spy', '{}', '{}', '{}')", (victim["agent"],))
        for word in (WORD, "elsewhere"):
            values = word, "\\"
            found = "SELECT * FROM agentws.found('cellar', ARRAY[%s], '{1}', '', %s, NULL, false)"
            assert opened.rows(found, values) == []


def test_the_planner_tells_nothing_of_values(victim: dict[str, str], fleet: str) -> None:
    with fleet_database.connected(as_role(fleet, "sam")) as opened:
        for column in ("team", "agent", "writer", "kind", "session"):
            real, invented = (
                [row[0] for row in opened.rows(f"EXPLAIN SELECT * FROM agentws.events WHERE {column} = %s", (value,))]
                for value in ("garden", "nobody")
            )
            assert [str(line).replace("garden", "nobody") for line in real] == invented


def test_a_listener_of_another_team_does_not_know_the_channel(victim: dict[str, str], fleet: str) -> None:
    with fleet_database.connected(fleet) as opened:
        channels = {str(row[0]) for row in opened.rows("SELECT channel FROM agentws.teams")}
    assert len(channels) == 2
    assert not any(name in channel for channel in channels for name in ("garden", "cellar"))


def test_a_temporary_table_or_function_of_the_caller_is_not_used_by_the_functions(
    victim: dict[str, str], fleet: str
) -> None:
    with fleet_database.connected(as_role(fleet, "sam")) as opened:
        opened.rows("CREATE TEMP TABLE members (role text, team text, agent text, may text[])")
        opened.rows("INSERT INTO pg_temp.members VALUES (session_user, 'garden', NULL, '{ship,read,admin}')")
        opened.rows("SET search_path = pg_temp, agentws")
        assert opened.row("SELECT agentws.may('garden', NULL, 'read')") == (False,)
        assert opened.rows("SELECT * FROM agentws.events") == []
