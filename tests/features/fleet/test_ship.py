"""Shipping: each event once, chains checked by the database, private text at home, purges travel."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import chain
from agentws.core.journal import read
from agentws.errors import DamagedError, MayNotWriteError, RemoteAwayError, UsageError
from agentws.features.fleet import database as fleet_database, membership, reading, ship, verify, watch
from agentws.features.fleet.database import Database
from agentws.workspace import Workspace
from tests.features.fleet.conftest import Make
from tests.fleet.cluster import as_role


@pytest.fixture
def opened(fleet: str) -> Database:
    with fleet_database.connected(fleet) as connection:
        yield connection


def stored(workspace: Workspace) -> list[tuple[str, int, str]]:
    """Every line of the journal: writer, number, header."""
    files = workspace.stores.files
    return [
        (writer, chain_seq, chain.header(line).decode())
        for writer in read.writers(files)
        for number in read.segments(files, writer)
        for chain_seq, line in enumerate((line for _, line in read.lines(files, writer, number)), 1)
    ]


def events(opened: Database) -> list[tuple[object, ...]]:
    return opened.rows("SELECT writer, seq, header FROM agentws.events ORDER BY writer, seq")


def tails(opened: Database, kind: str = "note") -> list[tuple[object, ...]]:
    return opened.rows("SELECT tail, absent FROM agentws.events WHERE kind = %s ORDER BY seq", (kind,))


def test_every_event_is_there_once_however_often_it_is_shipped(joined: Make, opened: Database) -> None:
    ada = joined()
    first = ship.ship(ada.stores)
    ada.event("note", "later")
    ship.ship(ada.stores)
    assert ship.ship(ada.stores).events == 0
    assert ship.ship(ada.stores, again=True).refused == {}
    assert events(opened) == stored(ada)
    assert first.events > 0


def test_a_dropped_database_is_filled_again_the_same(joined: Make, opened: Database) -> None:
    ada = joined()
    ship.ship(ada.stores)
    before = opened.rows("SELECT * FROM agentws.events ORDER BY writer, seq")
    opened.rows("DELETE FROM agentws.events; DELETE FROM agentws.writers; DELETE FROM agentws.agents")
    ship.ship(ada.stores)
    assert opened.rows("SELECT * FROM agentws.events ORDER BY writer, seq") == before


def test_two_agents_of_two_teams_do_not_meet(joined: Make, fleet: str) -> None:
    ada, bo = joined("ada"), joined("bo", role="sam", team="cellar")
    ship.ship(ada.stores)
    ship.ship(bo.stores)
    for role, name in (("robin", "ada"), ("watcher", "ada"), ("sam", "bo"), ("stranger", None)):
        with fleet_database.connected(as_role(fleet, role)) as opened:
            assert [row[0] for row in opened.rows("SELECT name FROM agentws.agents")] == ([name] if name else [])
            assert bool(events(opened)) == (name is not None)


def test_text_stays_at_home_unless_others_may_read_it(joined: Make, opened: Database) -> None:
    ada = joined()
    ship.ship(ada.stores)
    assert tails(opened) == [(None, "private")]


def test_with_all_everything_but_private_text_is_shipped(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.event("note", "the surprise is a boat #private")
    ada.event("note", "a body", body={"private": True, "plan": "boat"})
    done = ship.ship(ada.stores)
    shipped = [tail for tail, _ in tails(opened)]
    assert "rain at noon" in str(shipped[0])
    assert shipped[1:] == [None, None]
    assert done.at_home >= 2
    assert not any("boat" in str(row) for row in opened.rows("SELECT events::text FROM agentws.events"))


def test_words_of_any_language_are_those_of_the_search_in_a_workspace(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.event("note", "Zürich grüßt")
    ship.ship(ada.stores)
    found = opened.rows("SELECT seq FROM agentws.events WHERE words @@ '''1:zurich'' & ''1:grusst'''")
    assert len(found) == 1


@pytest.mark.parametrize(
    "text", ["a\0b", "\ud800 alone", "\\u0000", "'; DROP TABLE agentws.events; --", "\u202e", "%s {} $1"]
)
def test_hostile_text_is_kept_byte_by_byte(joined: Make, opened: Database, text: str) -> None:
    ada = joined(text="all")
    ada.event("note", body={"text": f"odd {text}"})
    ship.ship(ada.stores)
    files = ada.stores.files
    (writer,) = read.writers(files)
    for seq, header, tail in opened.rows("SELECT seq, header, tail FROM agentws.events WHERE tail IS NOT NULL"):
        place = read.stored(files, writer, int(str(seq)))
        assert place is not None
        assert f"{header},{tail}}}" == place[2].decode()
    assert len(tails(opened)) == 2


def test_a_purge_travels(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ship.ship(ada.stores)
    (writer,) = read.writers(ada.stores.files)
    (seq,) = opened.row("SELECT seq FROM agentws.events WHERE kind = 'note'")
    ada.journal.purge([f"{writer}:{seq}"], reason="a name")
    done = ship.ship(ada.stores)
    assert done.removed == 1
    assert tails(opened) == [(None, "purged")]
    assert opened.row("SELECT words FROM agentws.events WHERE kind = 'note'") == (None,)
    assert all(not each.wrong for each in verify.verify(opened, "garden", ada.stores))


@pytest.mark.parametrize("is_cut_off", [False, True])
def test_what_follows_a_purged_prompt_leaves_the_database_too(
    joined: Make, opened: Database, monkeypatch: pytest.MonkeyPatch, *, is_cut_off: bool
) -> None:
    ada = joined(text="all")
    with ada.session("Tidy up") as session:
        prompt = session.event("note", "Ask Anna Lind for the key", via="user")
        session.event("decision", "Anna Lind has the key")
    ship.ship(ada.stores)
    ada.journal.purge([str(prompt.cursor)], reason="a name")
    if is_cut_off:
        monkeypatch.setattr(ship.Shipment, "_documents", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ship.ship(ada.stores)
        monkeypatch.undo()
    ship.ship(ada.stores)
    assert all(not each.wrong for each in verify.verify(opened, "garden", ada.stores))
    assert "Anna" not in str(tails(opened))


def test_a_changed_copy_is_refused_and_the_reason_stays(joined: Make, opened: Database, tmp_path: Path) -> None:
    ada = joined()
    ship.ship(ada.stores)
    (writer,) = read.writers(ada.stores.files)
    opened.rows('UPDATE agentws.events SET header = replace(header, \'"kind":"note"\', \'"kind":"noto"\')')
    done = ship.ship(ada.stores, again=True)
    assert "does not continue" in done.refused[writer]
    assert watch.status(opened, "garden")[0].refused == [done.refused[writer]]
    assert any("header was changed" in what for what in verify.verify(opened, "garden")[0].wrong)


def test_a_fork_is_refused_by_the_database(joined: Make, opened: Database) -> None:
    ada = joined()
    (writer,) = read.writers(ada.stores.files)
    segment = Path(ada.root, "journal", writer, "000001.jsonl")
    ada.event("note", "the first way")
    ship.ship(ada.stores)
    head = opened.row("SELECT head_seq, head_hash FROM agentws.writers")
    line = segment.read_bytes().splitlines()[-1]
    forged = line.replace(b'"note"', b'"nota"')
    header = chain.header(forged).decode()
    own = membership.joined(ada.stores)
    assert own is not None
    with fleet_database.connected(own.url) as robin:
        for first, headers in (
            (head[0], [header]),
            (int(str(head[0])) + 1, [header]),
            (int(str(head[0])) + 5, [header]),
        ):
            refusal = robin.row(
                "SELECT refusal FROM agentws.accept_lines('garden', %s, %s, %s, %s, %s, %s, %s)",
                (ada.stores.manifest.agent_id, writer, first, headers, [None], [None], [None]),
            )
            assert "does not continue" in str(refusal)
    assert opened.row("SELECT head_seq, head_hash FROM agentws.writers") == head


PLAIN = '{"agentws":1,"seq":1,"id":"i","at":"2026-11-30T09:00:00.000000Z","kind":"note","session":"s1","src":"agent",'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ('"s1"', "null"),
        ('"s1"', r'"a \",\"src\":\"b\" ,\\"'),
        ('"agent",', '"agent","later":"field",'),
    ],
)
def test_every_valid_header_is_taken(joined: Make, opened: Database, before: str, after: str) -> None:
    assert accepted(joined(), PLAIN.replace(before, after) if before else PLAIN) is None
    kind, session, src = opened.row("SELECT kind, session, src FROM agentws.events")
    assert (kind, src) == ("note", "agent")
    assert session == {"": "s1", "null": None}.get(after, after.strip('"') if before == '"s1"' else "s1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"seq":1', '"seq":01'),
        ('"seq":1', '"seq":1,"seq":1'),
        ("11-30", "02-31"),
        (".000000Z", ""),
        ("note", "no te"),
        ("note", "n" * 65),
        ('"s1"', "s1"),
        ('"s1"', '"s"1"'),
        ('"agent",', '"agent"'),
        ('"agent",', '"agent";'),
        ('"agent"', r'"ag\nent"'),
        (',"src":"agent"', ""),
    ],
)
def test_a_header_that_no_agent_writes_is_refused(joined: Make, opened: Database, before: str, after: str) -> None:
    assert before in PLAIN
    assert "was refused: " in str(accepted(joined(), PLAIN.replace(before, after)))
    assert events(opened) == []


def accepted(workspace: Workspace, begin: str) -> object:
    """Ship one line with this beginning, else in order; return why it was refused."""
    agent, writer, own = workspace.stores.manifest.agent_id, "0123456789abcdef", membership.joined(workspace.stores)
    assert own is not None
    header = f'{begin}"prev":"{chain.genesis(agent, writer)}","digest":"{digest.of(b"{}")}"'
    values = (agent, writer, 1, [header], ["{}"], [None], [None])
    with fleet_database.connected(own.url) as robin:
        call = "SELECT refusal FROM agentws.accept_lines('garden', %s, %s, %s, %s, %s, %s::text[], %s::text[])"
        return robin.row(call, values)[0]


def test_a_damaged_journal_is_shipped_up_to_the_damage(joined: Make, opened: Database) -> None:
    ada = joined()
    for number in range(4):
        ada.event("note", f"note {number}")
    (writer,) = read.writers(ada.stores.files)
    segment = Path(ada.root, "journal", writer, "000001.jsonl")
    segment.write_bytes(segment.read_bytes().replace(b"note 3", b"note 7"))
    with pytest.raises(DamagedError, match=r"000001\.jsonl:\d+"):
        ship.ship(ada.stores)


def test_a_server_that_is_away_says_what_waits(joined: Make) -> None:
    ada = joined()
    own = membership.read(ada.stores.environment)
    config = Path(str(ada.stores.environment.config))
    config.write_text(config.read_text().replace(own.url, "postgresql://robin@/fleet?host=/nowhere"))
    with pytest.raises(RemoteAwayError, match=r"keeps all of its 2 events.*Nothing is lost"):
        ship.ship(ada.stores)


def test_who_left_ships_nothing(joined: Make) -> None:
    ada = joined()
    membership.leave(ada.stores)
    with pytest.raises(UsageError, match="in no fleet"):
        ship.ship(ada.stores)


def test_a_reader_ships_nothing(joined: Make, fleet: str) -> None:
    ada = joined()
    agent = ada.stores.manifest.agent_id
    with fleet_database.connected(as_role(fleet, "watcher")) as opened:
        for call in (
            "agentws.accept_lines('garden', %s, '0123456789abcdef', 1, '{a}', '{b}', '{c}', '{d}')",
            "agentws.end_judging('garden', %s, '0123456789abcdef', 9, 'mine')",
            "agentws.join_agent('garden', %s, 'eve', '{}', '{}', '{}')",
            "agentws.choose('garden', %s, '0123456789abcdef', NULL, '')",
        ):
            with pytest.raises(MayNotWriteError, match="may not ship"):
                opened.rows(f"SELECT {call}", (agent,))
        for statement in (
            "DELETE FROM agentws.events",
            "UPDATE agentws.writers SET head_seq = 9",
            "TRUNCATE agentws.agents",
        ):
            with pytest.raises(MayNotWriteError):
                opened.rows(statement)


def test_batches_are_bounded(joined: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MOST_LINES", 3)
    ada = joined()
    for number in range(7):
        ada.event("note", f"note {number}")
    (writer,) = read.writers(ada.stores.files)
    sizes = [len(batch) for batch in reading.Reader.of(ada.stores, "all").batches(writer, 0)]
    assert max(sizes) == 3
    assert sum(sizes) == read.last_seq(ada.stores.files, writer)


def test_what_is_verified_is_sound(joined: Make, opened: Database) -> None:
    ada = joined()
    ada.journal.seal()
    ship.ship(ada.stores)
    (checked,) = verify.verify(opened, "garden", ada.stores)
    assert (list(checked.wrong), checked.seals) == ([], 1)
    opened.rows("UPDATE agentws.events SET tail = replace(tail, '\"v\":1', '\"v\":2') WHERE kind = 'seal'")
    (checked,) = verify.verify(opened, "garden")
    assert any("the body was changed" in what for what in checked.wrong)


def test_each_month_has_its_partition_and_a_wrong_clock_none(joined: Make, opened: Database) -> None:
    for moment in ("2026-11-20", "2019-01-01", "9000-01-01", "2026-10-01"):
        opened.rows("SELECT agentws.ensure_month(%s)", (moment,))
    names = [
        row[0]
        for row in opened.rows(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'agentws.events'::regclass ORDER BY 1"
        )
    ]
    assert names == ["agentws.events_202610", "agentws.events_202611", "agentws.events_default"]


def documents(opened: Database) -> dict[object, object]:
    return dict(opened.rows("SELECT path, text FROM agentws.documents WHERE gone IS NULL"))


def test_documents_are_shipped_as_versions_without_private_text(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.remember("The boat is a surprise #private")
    ada.remember("Leo likes coffee")
    first = ship.ship(ada.stores)
    ada.remember("Leo likes tea")
    ship.ship(ada.stores)
    assert (first.documents > 1, ship.ship(ada.stores).documents) == (True, 0)
    assert "tea" in str(documents(opened)["MEMORY.md"])
    versions = opened.rows("SELECT gone IS NULL FROM agentws.documents WHERE path = 'MEMORY.md' ORDER BY seen")
    assert versions == [(False,), (True,)]
    assert opened.rows("SELECT path FROM agentws.documents WHERE text LIKE '%boat%'") == []


def test_lines_below_private_text_keep_their_numbers(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.log("The boat is a surprise #private")
    written = ada.log("Leo likes coffee")
    ship.ship(ada.stores)
    (shipped,) = [str(text).split("\n") for text in documents(opened).values() if "coffee" in str(text)]
    assert shipped[written.line - 1].endswith("Leo likes coffee")


def test_only_documents_for_a_shared_audience_are_shipped_by_default(joined: Make, opened: Database) -> None:
    ada = joined()
    ada.remember("Leo likes coffee")
    ship.ship(ada.stores)
    assert "MEMORY.md" not in documents(opened)


def test_forgotten_text_is_gone_from_earlier_versions(joined: Make, opened: Database) -> None:
    ada = joined(text="all")
    ada.remember("Leo likes coffee")
    ship.ship(ada.stores)
    ada.memory.forget(matching="Leo likes coffee")
    ship.ship(ada.stores)
    assert opened.rows("SELECT path FROM agentws.documents WHERE text LIKE '%coffee%'") == []


def test_only_the_oldest_line_may_follow_retired_ones(
    joined: Make, opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = joined()
    for word in ("clay", "sand"):
        ada.event("note", word)
    monkeypatch.setattr(reading, "_MOST_LINES", 1)
    monkeypatch.setattr(read, "retired", lambda files, writer: 2)
    asked: list[tuple[object, object]] = []
    row = Database.row

    def spy(self: Database, statement: str, values: tuple[object, ...] = ()) -> tuple[object, ...]:
        if "accept_lines" in statement:
            asked.append((values[3], values[-1]))
        return row(self, statement, values)

    monkeypatch.setattr(Database, "row", spy)
    ship.ship(ada.stores)
    assert len(asked) > 3
    assert [seq for seq, may_jump in asked if may_jump] == [3]
