"""Search, tail and drill show what a team shipped, to its members alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentws.errors import AgentwsError, UsageError
from agentws.features.fleet import arrivals, membership, search, ship, vectors, verify, watch
from agentws.features.fleet.database import Database, connected
from agentws.workspace import Environment, Workspace
from tests.features.fleet.team.conftest import GARDEN, HARBOUR, Town, known
from tests.features.fleet.team.test_command import answer, call, home
from tests.fleet import town as town_of_agents
from tests.fleet.cluster import made_server

__all__ = ["home"]
EVERYTHING = datetime(2000, 1, 1, tzinfo=UTC)


def own(workspace: Workspace, town: Town, text: str = "all") -> membership.Fleet:
    """The settings of an agent that joined as ana."""
    return membership.Fleet(town.url_of("ana"), GARDEN, {workspace.stores.manifest.agent_id: text})


def shipped(workspace: Workspace, town: Town, ana: Database) -> None:
    """Ship all of a workspace."""
    known(ana, workspace)
    ship.Shipment(workspace.stores, ana, own(workspace, town)).run()


def shipped_again(workspace: Workspace, ana: Database) -> None:
    """Ship all of a workspace that the team knows."""
    agent = workspace.stores.manifest.agent_id
    ship.Shipment(workspace.stores, ana, membership.Fleet("", GARDEN, {agent: "all"})).run()


@pytest.fixture
def ben(tmp_path: Path, environment: Environment) -> Workspace:
    """The workspace of Ben."""
    return Workspace.init(str(tmp_path / "ben"), environment=environment, name="Ben", git=False)


@pytest.fixture
def two(workspace: Workspace, ben: Workspace, town: Town, ana: Database) -> Workspace:
    """Robin and Ben, whose events are in the database; Robin is returned."""
    workspace.event("note", "The roof estimate came from Lena")
    workspace.event("note", "屋根の見積もりが届いた")
    workspace.event("error", "The \x1b[31mboiler\x1b[0m\nfailed: 100% of _ and \\ in it")
    ben.event("note", "Ben painted the roof green")
    for each in (workspace, ben):
        shipped(each, town, ana)
    return workspace


def find(fleet: Database, query: str, team: str = GARDEN, **filters: Any) -> search.Searched:
    """What a member finds."""
    return search.search(fleet, team, query, now="2026-11-20", **filters)


def texts(fleet: Database, query: str, **filters: Any) -> list[str]:
    """What is found, without an order."""
    return sorted(hit.text for hit in find(fleet, query, **filters).found)


FOUND = (
    ("roof", 2),
    ("ROOFS", 2),
    ('"roof estimate"', 1),
    ("roo*", 2),
    ("見積もり", 1),
    ("屋根 届いた", 1),
    ("zolw", 1),
    ("Dampfschifffahrt", 1),
    ("schifffahrt", 0),
    ("roo", 0),
    ("' OR 1=1 --", 0),
    ("\0roof\0", 2),
    ("x" * 5000, 0),
)


def test_words_are_found_as_in_a_workspace_in_any_language(two: Workspace, ana: Database) -> None:
    two.event("note", "Żółw śpi pod Dampfschifffahrt")
    shipped_again(two, ana)
    assert [(query, len(find(ana, query).found)) for query, _ in FOUND] == list(FOUND)
    for query in ("roof", "見積もり", "zolw", "roo*", '"roof estimate"'):
        at_home = {hit.text for hit in two.search(query) if hit.unit.room == "journal"}
        assert at_home <= set(texts(ana, query)), query


@pytest.mark.parametrize("query", ["  ", "%", "& | ! ( :*", '"', "\ud800"])
def test_a_query_without_words_is_refused(two: Workspace, ana: Database, query: str) -> None:
    with pytest.raises(UsageError):
        find(ana, query)


def test_documents_are_found_beside_events_in_their_newest_version(two: Workspace, ana: Database) -> None:
    two.remember("Lena repairs chimneys", section="People")
    two.todo("Call Lena about the gutter")
    two.tasks.add("Mend the gutter")
    shipped_again(two, ana)
    hits = find(ana, "gutter").found.hits
    assert {hit.unit.room for hit in hits} >= {"logs", "tasks"}
    assert [hit.state for hit in hits if hit.unit.room == "logs"] == ["open"]
    (memory,) = [hit for hit in find(ana, "chimneys").found if hit.unit.room == "memory"]
    assert memory.path == "Robin:MEMORY.md"
    assert memory.unit.headings[-1] == "People"
    place = Path(two.root, "MEMORY.md")
    place.write_text(place.read_text().replace("chimneys", "fences"))
    shipped_again(two, ana)
    assert "memory" not in {hit.unit.room for hit in find(ana, "chimneys").found}
    assert "memory" in {hit.unit.room for hit in find(ana, "chimneys", is_old=True).found}


def test_a_text_of_several_agents_is_a_hit_that_names_them_all(two: Workspace, ben: Workspace, ana: Database) -> None:
    for each in (two, ben):
        each.event("note", "The cellar is dry")
        shipped_again(each, ana)
    (hit,) = find(ana, "cellar").found
    assert {hit.path.partition(":")[0], *(unit.path.partition(":")[0] for unit in hit.also)} == {"Robin", "Ben"}


def test_agents_that_share_a_name_are_told_apart(two: Workspace, ben: Workspace, ana: Database, town: Town) -> None:
    town.owner("UPDATE agentws.agents SET name = 'Robin'")
    paths = {hit.path.partition(":")[0] for hit in find(ana, "roof").found}
    assert paths == {f"Robin({each.stores.manifest.agent_id[:8]})" for each in (two, ben)}


def test_filters_narrow_a_search(two: Workspace, ana: Database) -> None:
    agent = two.stores.manifest.agent_id
    assert texts(ana, "roof", agent="Ben") == ["Ben painted the roof green"]
    assert texts(ana, "roof", agent=agent) == ["The roof estimate came from Lena"]
    assert texts(ana, "roof", kind="error") == []
    assert len(texts(ana, "roof", kind="no*")) == 2
    assert texts(ana, "roof", kind="_ote*") == []
    assert texts(ana, "roof", since=datetime(2099, 11, 21, tzinfo=UTC)) == []
    assert len(texts(ana, "roof", since=EVERYTHING, limit=1)) == 1


def test_a_search_reads_the_index_of_words_under_row_level_security(two: Workspace, town: Town) -> None:
    town.owner(
        "INSERT INTO agentws.events SELECT team, agent, writer, seq + n, at, kind, session, src, header, tail, absent,"
        " hash, agentws.words_of('1', 'filler') FROM agentws.events, generate_series(1000, 21000, 10) n WHERE seq = 1"
    )
    town.owner("VACUUM ANALYZE agentws.events")
    before = fetched(town)
    with connected(town.url_of("ana")) as ana:
        assert len(find(ana, "roof").found) == 2
        assert len(find(ana, "estimate").found) == 1
    assert fetched(town) - before < 100


def fetched(town: Town) -> int:
    """How many rows of events were read so far."""
    town.owner("SELECT pg_stat_force_next_flush()")
    ((count,),) = town.owner(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_user_tables WHERE relname ~ '^events_'"
    )
    return int(str(count))


def test_another_team_finds_and_follows_nothing(two: Workspace, town: Town, ana: Database) -> None:
    del two, ana
    with connected(town.url_of("eve")) as eve:
        for team in (GARDEN, HARBOUR):
            assert find(eve, "roof", team).found.hits == []
            assert search.silent(eve, team) == 0
            assert list(watch.Tail(team, since=EVERYTHING).news(eve)) == []
        with pytest.raises(AgentwsError, match="no team"):
            watch.listen(eve, GARDEN)


def test_a_tail_has_each_event_once_and_none_from_before(two: Workspace, town: Town, ana: Database) -> None:
    whole, new = watch.Tail(GARDEN, since=EVERYTHING), watch.Tail(GARDEN)
    before = [hit.cursor for hit in whole.news(ana)]
    assert len(before) == len(set(before)) > 3
    assert list(new.news(ana)) == []
    two.event("note", "Fresh paint")
    shipped(two, town, ana)
    assert [hit.text for hit in whole.news(ana)] == [hit.text for hit in new.news(ana)] == ["Fresh paint"]
    assert list(whole.news(ana)) == list(new.news(ana)) == []


def test_a_tail_is_narrowed_by_agent_and_kind(two: Workspace, ana: Database) -> None:
    del two
    of_ben = [hit.name for hit in watch.Tail(GARDEN, agent="Ben", since=EVERYTHING).news(ana)]
    assert set(of_ben) == {"Ben"}
    assert {hit.kind for hit in watch.Tail(GARDEN, kind="err*", since=EVERYTHING).news(ana)} == {"error"}


def test_an_event_that_is_shipped_wakes_who_follows(two: Workspace, town: Town, ana: Database) -> None:
    shown = threading.Event()
    ready = threading.Event()

    def show(hit: watch.Hit) -> None:
        ready.set()
        if hit.text == "Fresh paint":
            shown.set()

    place = watch.Tail(GARDEN, since=EVERYTHING)
    threading.Thread(
        target=watch.follow, args=(town.url_of("ana"), place, show, lambda line: None), daemon=True
    ).start()
    assert ready.wait(20)
    two.event("note", "Fresh paint")
    shipped(two, town, ana)
    assert shown.wait(20), "below the 30 s after which the heads are read anyway"


def test_a_tail_whose_connection_is_ended_shows_what_came_meanwhile_once(
    two: Workspace, town: Town, ana: Database
) -> None:
    shown: list[str] = []
    arrived = {text: threading.Event() for text in ("one", "two")}
    away = threading.Event()

    def show(hit: watch.Hit) -> None:
        shown.append(hit.cursor)
        if hit.text in arrived:
            arrived[hit.text].set()

    def say(line: str) -> None:
        if not away.is_set():
            two.event("note", "two")
            shipped_again(two, ana)
            away.set()

    place = watch.Tail(GARDEN, since=EVERYTHING)
    threading.Thread(target=watch.follow, args=(town.url_of("ana"), place, show, say), daemon=True).start()
    two.event("note", "one")
    shipped_again(two, ana)
    assert arrived["one"].wait(20)
    town.owner(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'LISTEN|writers|events' AND pid <> %s"
        " AND datname = current_database() AND usename = 'ana'",
        ana.connection.info.backend_pid,
    )
    assert away.wait(20)
    assert arrived["two"].wait(20)
    assert len(shown) == len(set(shown))


@pytest.mark.slow
def test_a_tail_outlives_its_server_and_ends_by_ctrl_c(home: Workspace, town: Town) -> None:
    with made_server(durable=True) as server:
        url = town_of_agents.made(server, "tailed")
        config = Path(os.environ["HOME"], ".config/agentws/config.toml")
        config.write_text(config.read_text().replace(town.url_of("ana"), url).replace(GARDEN, town_of_agents.TEAM))
        assert call(home, "ship").returncode == 0
        words = [sys.executable, "-m", "agentws", "fleet", "tail", "--json", "--since", "2000-01-01", "--kind", "note"]
        home.event("note", "one")
        assert call(home, "ship").returncode == 0
        with subprocess.Popen(
            words, cwd=home.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as tailing:
            assert tailing.stdout is not None
            assert json.loads(tailing.stdout.readline())["text"] == "one"
            server.kill()
            assert call(home, "ship").returncode == 20
            server.start()
            home.event("note", "two")
            assert call(home, "ship").returncode == 0
            assert json.loads(tailing.stdout.readline())["text"] == "two"
            tailing.send_signal(signal.SIGINT)
            out, err = tailing.communicate(timeout=30)
        assert (tailing.returncode, out) == (130, "")
        assert "out of reach" in err
        assert "Traceback" not in err


def test_a_notification_has_no_content_and_its_channel_is_for_members(
    two: Workspace, town: Town, ana: Database
) -> None:
    watch.listen(ana, GARDEN)
    two.event("note", "Fresh paint")
    with connected(town.url_of("ana")) as other:
        shipped(two, town, other)
    payloads = {note.payload for note in ana.connection.notifies(timeout=5, stop_after=1)}
    assert payloads == {""}
    with connected(town.url_of("eve")) as eve:
        assert eve.rows("SELECT channel FROM agentws.teams WHERE team = 'garden'") == []


TEAMS = "SELECT count(*)::int FROM agentws.teams"


@pytest.mark.parametrize("role", ["ana", "postgres"])
def test_a_drill_is_equal_and_leaves_nothing_behind(
    two: Workspace, town: Town, ana: Database, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.todo("Call Lena")
    two.tasks.add("Mend the gutter")
    two.checkpoints.save("mend-the-gutter", {"n": 1})
    two.ask("Move the meeting?")
    assert drilled(two, town, monkeypatch, role).is_equal is False
    shipped_again(two, ana)
    arrivals.settle(two.stores, ana, GARDEN, "all")
    done = drilled(two, town, monkeypatch, role)
    assert done.is_equal, done.tables
    assert {table.table for table in done.tables if table.rows} == {*verify._TABLES} - {"vectors"}
    assert town.owner(TEAMS) == [(2,)]


def test_only_who_ships_an_agent_drills_it_and_no_drill_can_be_kept(two: Workspace, town: Town, ana: Database) -> None:
    place = GARDEN, two.stores.manifest.agent_id
    with connected(town.url_of("eve")) as eve, pytest.raises(AgentwsError, match="may not"):
        eve.rows("SELECT agentws.begin_drill(%s, %s)", place)
    with pytest.raises(AgentwsError, match="rolled back"):
        ana.rows("SELECT agentws.begin_drill(%s, %s)", place)
    assert town.owner(TEAMS) == [(2,)]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE agentws.events SET tail = tail || ' ' WHERE seq = 2",
        "DELETE FROM agentws.events WHERE seq = 2",
        "UPDATE agentws.writers SET head_seq = head_seq - 1",
        "UPDATE agentws.events SET kind = 'forged' WHERE seq = 1",
        "UPDATE agentws.events SET words = NULL",
        "UPDATE agentws.documents SET text = text || ' '",
        "UPDATE agentws.documents SET gone = now()",
        "UPDATE agentws.agents SET crashed = '{s1}'",
    ],
)
def test_a_drill_names_what_the_database_changed(
    two: Workspace, town: Town, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.owner(sql)
    done = drilled(two, town, monkeypatch)
    assert [table.table for table in done.tables if table.differs] == [sql.partition("agentws.")[2].split()[0]]


def drilled(workspace: Workspace, town: Town, patch: pytest.MonkeyPatch, role: str = "ana") -> verify.Drilled:
    """Drill as this role."""
    patch.setattr(membership, "joined", lambda stores: own(workspace, town))
    return verify.drill(workspace.stores, town.url_of(role))


def test_the_verbs_print_lines_json_and_exit_codes(home: Workspace, town: Town, ana: Database) -> None:
    home.event("note", "The roof \x1b[31mred\x1b[0m\nestimate came")
    shipped(home, town, ana)
    found = answer(home, "search", "roof", "--since", "2000-01-01")
    assert (found["schema"], found["hits"][0]["name"]) == ("agentws/fleet-search@1", "Robin")
    assert "\x1b" not in call(home, "search", "roof").stdout
    assert "Nothing found." in call(home, "search", "nowhere").stdout
    lines = call(home, "tail", "--once", "--since", "2000-01-01", "--kind", "note", "--json").stdout.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["note"]
    done = call(home, "drill")
    assert (done.returncode, "equal" in done.stdout) == (0, True), done.stderr
    town.owner("UPDATE agentws.events SET kind = 'forged' WHERE seq = 1")
    assert call(home, "drill").returncode == 14


def test_a_ship_carries_answers_and_requests(home: Workspace, ana: Database) -> None:
    home.ask("Move the meeting?")
    assert call(home, "ship").returncode == 0
    assert [request["question"] for request in answer(home, "inbox")["requests"]] == ["Move the meeting?"]
    assert ana.rows("SELECT 1") == [(1,)]


def test_no_other_verb_loads_the_driver(workspace: Workspace) -> None:
    for words in (["status"], ["log", "a note"], ["boot"], ["ask", "list"], ["search", "roof"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "agentws", *words],
            cwd=workspace.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "agentws.errors" in done.stderr
        assert "psycopg" not in done.stderr


def documents(town: Town, agent: str, number: int) -> list[str]:
    """Add documents with the word heron to the database; return their paths."""
    town.owner(
        "INSERT INTO agentws.documents (team, agent, path, digest, text, room, words)"
        " SELECT team, %s, 'memory/' || n, n, 'heron', '', agentws.words_of(code::text, 'heron')"
        " FROM agentws.teams, generate_series(1, %s) n WHERE team = %s",
        agent,
        number,
        GARDEN,
    )
    return [f"memory/{n + 1}" for n in range(number)]


def test_many_documents_hide_no_events(workspace: Workspace, town: Town, ana: Database) -> None:
    workspace.event("note", "The heron is back")
    shipped(workspace, town, ana)
    documents(town, workspace.stores.manifest.agent_id, 10_001)
    rows = ana.rows(
        "SELECT seq > 0, count(*) FROM agentws.found(%s, '{heron}', '{1}', '', '', NULL, true) GROUP BY 1", (GARDEN,)
    )
    assert dict(rows) == {True: 1, False: 50}


def test_no_more_than_50_documents_come_by_their_meaning(workspace: Workspace, town: Town, ana: Database) -> None:
    known(ana, workspace)
    agent = workspace.stores.manifest.agent_id
    paths = documents(town, agent, 60)
    assert len(vectors.texts(ana, GARDEN, [(agent, path, 0) for path in paths])) == 50
