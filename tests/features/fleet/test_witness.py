"""The database as a witness: what it refuses of its own shippers, and that no text stays that may not be there."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.disk.cache import Cache
from agentws.core.disk.files import Files
from agentws.core.formats.journal import chain, segment
from agentws.core.journal import read
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.errors import DamagedError, MayNotWriteError, MissingFileError, OutsideProgramError, RemoteAwayError
from agentws.features.fleet import database as fleet_database, membership, ship, verify, watch
from agentws.features.fleet.database import Database
from agentws.workspace import Environment, Workspace
from tests.features.fleet.conftest import Make
from tests.fleet.cluster import Server, as_role

WRITER = "0123456789abcdef"


@pytest.fixture
def opened(fleet: str) -> Iterator[Database]:
    with fleet_database.connected(fleet) as connection:
        yield connection


@pytest.fixture
def robin(fleet: str) -> Iterator[Database]:
    with fleet_database.connected(as_role(fleet, "robin")) as connection:
        yield connection


def texts(opened: Database) -> str:
    """All text that the database has."""
    return str(
        opened.rows("SELECT tail, words FROM agentws.events UNION ALL SELECT text, words FROM agentws.documents")
    )


def line(seq: int, prev: str, at: str = "2026-11-20T10:00:00.000000Z", kind: str = "note", tail: str = "x") -> str:
    """A header that a shipper of bad intentions makes."""
    digest = hashlib.sha256(tail.encode()).hexdigest()
    return (
        f'{{"agentws":1,"seq":{seq},"id":"0","at":"{at}","kind":"{kind}","session":null,"src":"agent",'
        f'"prev":"{prev}","digest":"{digest}"'
    )


def sent(fleet: Database, agent: str, first: int, headers: list[str], tails: list[str | None], **more: object) -> str:
    """The refusal of lines, empty for none."""
    absents = [None if tail else "private" for tail in tails]
    named = "".join(f", {name} => %s" for name in more)
    values = (agent, WRITER, first, headers, tails, absents, [None] * len(headers), *more.values())
    call = f"accept_lines('garden', %s, %s, %s, %s, %s::text[], %s::text[], %s::text[]{named})"
    return str(fleet.row(f"SELECT refusal FROM agentws.{call}", values)[0] or "")


def own_text(workspace: Workspace, text: str) -> None:
    """Let the agent ship this text from now on."""
    own = membership.read(workspace.stores.environment)
    membership.join(workspace.stores, own.url, own.team, text)


@pytest.mark.parametrize(
    ("first", "header"),
    [
        (1, {"at": "2026-13-45T10:00:00.000000Z"}),
        (1, {"at": "2026-02-30T10:00:00.000000Z"}),
        (1, {"at": "0000-00-00T00:00:00.000000Z"}),
        (1, {"kind": "k" * 65}),
        (1, {"kind": "k" * 70_000}),
        (2**63 - 1, {}),
        (-5, {}),
        (2**40, {}),
    ],
)
@pytest.mark.parametrize("retired", [False, True])
def test_an_impossible_line_is_refused_and_the_refusal_stays(
    joined: Make, robin: Database, first: int, header: dict[str, str], retired: bool
) -> None:
    agent = joined().stores.manifest.agent_id
    refusal = sent(robin, agent, first, [line(first, "0" * 64, **header)], ["x"], retired=retired)
    assert refusal.startswith(f"Event {WRITER}:")
    assert robin.row("SELECT refused, head_seq, base_seq FROM agentws.writers") == (refusal, 0, 0)
    assert robin.rows("SELECT seq FROM agentws.events WHERE writer = %s", (WRITER,)) == []


def test_a_jump_that_no_retirement_names_is_found(joined: Make, robin: Database) -> None:
    agent = joined().stores.manifest.agent_id
    assert sent(robin, agent, 7, [line(7, "a" * 64)], ["x"], retired=True) == ""
    (checked,) = verify.verify(robin, "garden")
    assert any("no retirement in the journal names" in what for what in checked.wrong)


def test_a_jump_that_a_retirement_names_is_sound(joined: Make, robin: Database) -> None:
    agent = joined().stores.manifest.agent_id
    body = {"v": 1, "writer": WRITER, "through": 1, "seq": 6, "hash": "a" * 64, "seal": 6}
    tail = f'"salt":"s","body":{json.dumps(body, separators=(",", ":"))}'
    first = line(7, "a" * 64)
    second = line(8, hashlib.sha256(first.encode()).hexdigest(), kind="segments.retired", tail=tail)
    assert sent(robin, agent, 7, [first, second], ["x", tail], retired=True) == ""
    (checked,) = verify.verify(robin, "garden")
    assert list(checked.wrong) == []


@pytest.mark.parametrize("body", ['{"seq":1,"hash":"b"}', '{"seq":2,"hash":"b"}', '{"seq":"x"}', "{}", "[", "null"])
def test_a_seal_of_another_line_is_refused(joined: Make, robin: Database, body: str) -> None:
    agent = joined().stores.manifest.agent_id
    genesis = chain.genesis(agent, WRITER)
    tail = f'"salt":"s","body":{body}'
    first = line(1, genesis)
    second = line(2, hashlib.sha256(first.encode()).hexdigest(), kind="seal", tail=tail)
    assert "refused" in sent(robin, agent, 1, [first, second], ["x", tail])
    assert robin.rows("SELECT seq FROM agentws.events WHERE writer = %s", (WRITER,)) == []


def test_a_seal_with_a_bad_signature_does_not_leave_the_workspace(
    joined: Make, opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = joined()
    ada.journal.seal()
    monkeypatch.setattr("agentws.core.installation.keys.verify", lambda *words, **more: False)
    with pytest.raises(DamagedError, match="signature of the seal does not match"):
        ship.ship(ada.stores)
    assert opened.rows("SELECT seq FROM agentws.events WHERE kind = 'seal'") == []


def test_a_shipper_cannot_change_the_key_of_a_machine(joined: Make, robin: Database, fleet: str) -> None:
    agent = joined().stores.manifest.agent_id
    told = "SELECT agentws.join_agent('garden', %s, 'ada', ARRAY[%s], '{shed}', ARRAY[%s])"
    for key in ("", "first", "first", ""):
        robin.rows(told, (agent, WRITER, key))
    with pytest.raises(OutsideProgramError, match="another key than this database knows") as caught:
        robin.rows(told, (agent, WRITER, "second"))
    assert caught.value.hint == (
        f"If its key was made anew, an admin of the team runs: agentws fleet team garden --renew {WRITER}"
    )
    keys = "SELECT keys FROM agentws.machines WHERE writer = %s"
    assert robin.row(keys, (WRITER,)) == (["first"],)
    with pytest.raises(MayNotWriteError):
        robin.rows("SELECT agentws.renew_machine('garden', %s)", (WRITER,))
    with fleet_database.connected(fleet) as owner:
        owner.rows("SELECT agentws.renew_machine('garden', %s)", (WRITER,))
    robin.rows(told, (agent, WRITER, "second"))
    assert robin.row(keys, (WRITER,)) == (["first", "second"],)
    with pytest.raises(OutsideProgramError, match="another key"):
        robin.rows(told, (agent, WRITER, "third"))


def test_a_shipper_empties_no_text_without_a_purge_or_rules(joined: Make, robin: Database) -> None:
    agent = joined().stores.manifest.agent_id
    genesis = chain.genesis(agent, WRITER)
    first = line(1, genesis)
    second = line(2, hashlib.sha256(first.encode()).hexdigest())
    purge = line(3, hashlib.sha256(second.encode()).hexdigest(), kind="purged")
    assert sent(robin, agent, 1, [first, second], ["x", "x"]) == ""
    take = "SELECT taken FROM agentws.accept_lines('garden', %s, %s, 1, %s, '{NULL,NULL}', ARRAY[%s,%s], '{NULL,NULL}')"
    for why, known, taken in (("purged", False, 0), ("private", True, 0), ("purged", True, 1), ("purged", True, 0)):
        if known:
            sent(robin, agent, 1, [first, second, purge], ["x", "x", None])
        assert robin.row(take, (agent, WRITER, [first, second], why, why)) == (taken,)
    assert robin.rows("SELECT tail FROM agentws.events ORDER BY seq") == [(None,), ("x",), (None,)]
    judged = "SELECT judged IS NULL FROM agentws.writers WHERE writer = %s"
    assert robin.row(judged, (WRITER,)) == (True,)
    values = (agent, WRITER, [first, second], "private", "private")
    assert robin.row(take.replace("'{NULL,NULL}')", "'{NULL,NULL}', 'mine')"), values) == (1,)
    assert robin.row(judged, (WRITER,)) == (False,)
    assert verify.verify(robin, "garden")[0].wrong == []


def again(workspace: Workspace) -> Workspace:
    """The workspace after files were edited."""
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


@pytest.mark.parametrize("where", ["MEMORY.md", "USER.md"])
def test_text_that_was_tagged_private_later_is_in_no_version(joined: Make, opened: Database, where: str) -> None:
    ada = joined(text="all")
    ada.remember("Leo likes tea")
    ship.ship(ada.stores)
    ada.remember("The boat is blue")
    ship.ship(ada.stores)
    memory, place = Path(ada.root, "MEMORY.md"), Path(ada.root, where)
    before = memory.read_text()
    memory.write_text(before.replace("The boat is blue", "Mia likes tea"))
    ship.ship(again(ada).stores)
    versions = "SELECT count(*) FROM agentws.documents WHERE path = 'MEMORY.md' AND text LIKE %s"
    assert (opened.row(versions, ("%Leo%",)), opened.row(versions, ("%boat%",))) == ((3,), (1,))
    place.write_text((before if where == "MEMORY.md" else "- The boat is blue").replace("is blue", "is blue #private"))
    ship.ship(again(ada).stores)
    assert "boat" not in str(opened.rows("SELECT text, words FROM agentws.documents"))
    assert opened.row(versions, ("%Leo%",)) == (1,)


def test_a_tag_that_becomes_private_takes_the_text_of_events(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.event("note", "the boat is blue #garage")
    ship.ship(ada.stores)
    assert "boat" in texts(opened)
    manifest = Path(ada.root, "agentws.toml")
    manifest.write_text(f'{manifest.read_text()}\n[boot]\nprivate_tags = ["garage"]\n')
    done = ship.ship(Workspace.open(ada.root, environment=ada.stores.environment).stores)
    assert (done.removed, done.events) == (1, 0)
    assert "boat" not in texts(opened)
    assert verify.verify(opened, "garden", ada.stores)[0].wrong == []


def test_text_that_was_held_back_comes_with_all_and_goes_with_shared(joined: Make, opened: Database) -> None:
    ada = joined()
    ship.ship(ada.stores)
    assert "rain at noon" not in texts(opened)
    own_text(ada, "all")
    done = ship.ship(ada.stores)
    assert (done.events, done.filled > 0, "rain at noon" in texts(opened)) == (0, True, True)
    assert opened.rows("SELECT seq FROM agentws.events WHERE words::text LIKE '%noon%'") != []
    own_text(ada, "shared")
    assert ship.ship(ada.stores).removed > 0
    assert "rain at noon" not in texts(opened)


def test_a_purged_text_does_not_come_back_from_a_machine_that_still_has_it(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ship.ship(ada.stores)
    opened.rows("UPDATE agentws.events SET tail = NULL, absent = 'purged' WHERE kind = 'note'")
    assert ship.ship(ada.stores, again=True).filled == 0


def test_forgotten_text_leaves_the_events_too_and_that_is_confirmed(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.remember("Leo likes coffee")
    ada.event("note", "Leo likes coffee")
    ship.ship(ada.stores)
    ada.memory.forget(matching="Leo likes coffee")
    assert opened.row("SELECT count(*) > 0 FROM agentws.events WHERE tail LIKE '%%coffee%%'") == (True,)
    done = ship.ship(ada.stores)
    assert (done.forgotten, done.is_forgotten) == (1, True)
    assert "coffee" not in texts(opened)
    (row,) = watch.status(opened, "garden")
    assert (row.forgotten, row.is_forgotten) == (1, True)
    opened.rows("UPDATE agentws.writers SET rules = ''")
    assert not watch.status(opened, "garden")[0].is_forgotten


def test_a_text_that_should_be_gone_is_found(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.event("note", "the boat is blue")
    ship.ship(ada.stores)
    manifest = Path(ada.root, "agentws.toml")
    assert verify.verify(opened, "garden", ada.stores)[0].wrong == []
    manifest.write_text(f'{manifest.read_text()}\n[boot]\nprivate_tags = ["note"]\n')
    own_text(ada, "shared")
    wrong = verify.verify(opened, "garden", ada.stores)[0].wrong
    assert any("its text is here, but is private in the workspace" in what for what in wrong)


def test_text_of_lines_that_are_retired_at_home_goes_when_the_rules_change(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.event("note", "the boat is blue")
    ship.ship(ada.stores)
    (writer,) = read.writers(ada.stores.files)
    agent = ada.stores.manifest.agent_id
    own = membership.read(ada.stores.environment)
    with fleet_database.connected(own.url) as robin:
        assert robin.row("SELECT agentws.end_judging('garden', %s, %s, 100, 'x')", (agent, writer)) != (0,)
    assert "boat" not in texts(opened)


def test_what_follows_a_private_prompt_stays_at_home_with_all_as_well(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    said = [("What does the boat cost? #private", "user"), ("much", "agent"), ("What time is it?", "user")]
    said = [(text, {"session": "s1", "src": src}) for text, src in [*said, ("late", "agent")]]
    record.record(ada.stores, [Happening("note", {"text": text}, **named) for text, named in said])
    ship.ship(ada.stores)
    shipped = texts(opened)
    assert [word in shipped for word in ("boat", "much", "What time", "late")] == [False, False, True, True]


def test_a_ship_reads_no_segments_that_it_has_shipped(
    joined: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ada = joined()
    ada.stores.cache = Cache(str(tmp_path / "cache"), ada.root)
    (writer,) = read.writers(ada.stores.files)
    monkeypatch.setattr(segment, "LIMIT_BYTES", 3_000)
    for number in range(40):
        ada.event("note", f"stone {number}")
    closed = [segment.path(writer, number) for number in read.segments(ada.stores.files, writer)[:-1]]
    assert len(closed) > 5
    sizes: dict[str, int] = {}
    original = Files.piece

    def spy(self: Files, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        data = original(self, path, offset_bytes, limit_bytes)
        sizes[path] = sizes.get(path, 0) + len(data)
        return data

    monkeypatch.setattr(Files, "piece", spy)
    ship.ship(ada.stores)
    assert sum(sizes.get(path, 0) > 2_000 for path in closed) > 3  # the spy sees what is read
    sizes.clear()
    ada.event("note", "one more")
    assert ship.ship(ada.stores).events == 1
    assert [path for path in closed if sizes.get(path, 0) > 1_000] == []


SHIP = """
import sys
from agentws.features.fleet import ship
from agentws.workspace import Environment, Workspace
root, home = sys.argv[1:]
environment = Environment(state=(home + "/state", None), config=home + "/config.toml")
ship.ship(Workspace.open(root, environment=environment).stores)
"""


def test_a_shipper_that_is_killed_within_a_batch_leaves_each_event_once(
    joined: Make, opened: Database, cluster: Server, fleet: str, tmp_path: Path
) -> None:
    ada = joined()
    waits = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'robin' AND {}"
    with fleet_database.connected(fleet) as owner, owner.transaction():
        owner.rows("LOCK TABLE agentws.events IN ACCESS EXCLUSIVE MODE")
        process = subprocess.Popen([sys.executable, "-c", SHIP, ada.root, str(tmp_path / "home-robin")])
        while cluster.run(waits.format("wait_event_type = 'Lock'")) != [(1,)]:
            assert process.poll() is None, "it ended before the lock"
            time.sleep(0.02)
        process.kill()
        process.wait()
    while cluster.run(waits.format("state <> 'idle'")) != [(0,)]:
        time.sleep(0.02)
    ship.ship(ada.stores)
    (count, different) = opened.row("SELECT count(*), count(DISTINCT (writer, seq)) FROM agentws.events")
    assert count == different == sum(read.last_seq(ada.stores.files, each) for each in read.writers(ada.stores.files))
    assert verify.verify(opened, "garden", ada.stores)[0].wrong == []


@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_what_postgresql_took_back_is_run_again(opened: Database, state: str) -> None:
    opened.rows("CREATE SEQUENCE public.tries")
    opened.rows(
        "CREATE FUNCTION public.odd() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN"
        f" IF nextval('public.tries') < 3 THEN RAISE SQLSTATE '{state}'; END IF;"
        " RETURN currval('public.tries'); END $$"
    )
    assert opened.row("SELECT public.odd()") == (3,)
    opened.rows("ALTER SEQUENCE public.tries RESTART")
    with pytest.raises(OutsideProgramError, match=state), opened.transaction():
        opened.rows("SELECT public.odd()")
    assert opened.row("SELECT last_value FROM public.tries") == (1,)


def test_a_server_that_hangs_ends_the_statement(fleet: str, cluster: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with fleet_database.connected(fleet) as opened:
        (pid,) = opened.row("SELECT pg_backend_pid()")
        bounded = Database(opened.connection, patience_s=0.3)
        os.kill(int(str(pid)), signal.SIGSTOP)
        try:
            with pytest.raises(RemoteAwayError, match="out of reach"):
                bounded.rows("SELECT 1")
        finally:
            os.kill(int(str(pid)), signal.SIGCONT)


def test_limits_are_set_where_the_user_sets_none(fleet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"
    with fleet_database.connected(fleet) as opened:
        assert opened.row(asked) == ("2min", "1min")
        assert opened.patience_s == 135
        info = opened.connection.info.get_parameters()
        assert (info["keepalives_idle"], info["tcp_user_timeout"], info["connect_timeout"]) == ("15", "20000", "10")
    with fleet_database.connected(f"{fleet}&options=-c%20statement_timeout%3D5s&tcp_user_timeout=7") as opened:
        assert opened.row(asked) == ("5s", "1min")
        assert (opened.patience_s, opened.connection.info.get_parameters()["tcp_user_timeout"]) == (20, "7")
    with fleet_database.connected(f"{fleet}&options=-c%20statement_timeout%3D0") as opened:
        assert (opened.row(asked)[0], opened.patience_s) == ("0", None)


def test_of_two_machines_with_other_texts_the_narrower_counts_and_says_so(
    joined: Make, opened: Database, tmp_path: Path
) -> None:
    one = joined(text="all")
    own = membership.read(one.stores.environment)
    assert ship.ship(one.stores).notices == []
    assert "rain at noon" in texts(opened)
    shutil.copytree(one.root, tmp_path / "other")
    elsewhere = Environment(state=(str(tmp_path / "state"), None), config=str(tmp_path / "config.toml"))
    two = Workspace.open(str(tmp_path / "other"), environment=elsewhere)
    two.event("note", "From the other machine")
    membership.join(two.stores, own.url, own.team, "shared")
    ship.ship(two.stores)
    for _ in range(2):
        done = ship.ship(one.stores)
        assert any("Only shared text is shipped" in notice for notice in done.notices)
        assert "rain at noon" not in texts(opened)
        assert ship.ship(two.stores).filled == 0
    assert not any(table.only_here for table in verify.drill(one.stores).tables)
    own_text(two, "all")
    ship.ship(two.stores)
    assert ship.ship(one.stores).notices == []
    assert "rain at noon" in texts(opened)
    own_text(two, "shared")
    ship.ship(two.stores)
    (notice,) = ship.ship(one.stores).notices
    writer = two.stores.installation().writer  # type: ignore[union-attr]
    assert f"({writer})" in notice
    assert "fleet leave --machine WRITER" in notice
    membership.leave(one.stores, writer)
    assert ship.ship(one.stores).notices == [], "a machine that is lost has no say"
    assert [each.left for each in watch.status(opened, own.team)] == [False]
    with pytest.raises(MissingFileError, match="no machine"):
        membership.leave(one.stores, "0" * 16)
    ship.ship(two.stores)
    membership.leave(two.stores)
    assert ship.ship(one.stores).notices == [], "a machine that left has no say"


def test_no_member_holds_up_the_first_event_of_a_month(joined: Make, opened: Database, robin: Database) -> None:
    workspace = joined()
    robin.rows("SELECT pg_advisory_lock(hashtext('agentws'), 2)")
    with pytest.raises(MayNotWriteError):
        robin.rows("SELECT FROM agentws.migrations FOR KEY SHARE")
    opened.rows("SET lock_timeout = '2s'")
    opened.rows("SELECT agentws.ensure_month(now())")
    opened.rows("SELECT agentws.ensure_month(now() + interval '1 month')")
    assert ship.ship(workspace.stores).events
