"""Search by meaning: with an embedder of the user's that knows what three words mean, and counts what it is asked."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")

from agentws.errors import MissingFileError, OutsideProgramError, UsageError
from agentws.features.search import embedding
from agentws.features.search.recall import recall
from agentws.features.search.searcher import Searcher
from agentws.features.search.vectors import minilm
from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import NOW, put, without_templates

EMBEDDER = """
import json, sys
MEANINGS = (("gravel", "stones", "pebbles"), ("shed", "hut", "key"), ("tea", "drink", "mint"), ("secret", "present"))
with open({seen!r}, "a") as seen:
    for line in sys.stdin:
        text = json.loads(line).lower()
        print(json.dumps([text.count("") % 2 / 100] + [float(sum(map(text.count, words))) for words in MEANINGS]))
        print(text, file=seen)
"""
LOG = "memory/2026-11-20.md"
TEXT = """# 2026-11-20

- 07:15 Pebbles for the garden, they drain #shared
- 07:16 The hut needs paint
- 07:17 Mint grows by the wall
- 07:18 A present for Robin, said nobody
"""
QUESTION = "which stones?"


class World:
    """A workspace, the settings of its user, and what the embedder was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache, self.settings, self.seen = folder / "cache", folder / "config.toml", folder / "seen"
        program = folder / "embedder.py"
        program.write_text(EMBEDDER.format(seen=str(self.seen)))
        self.embedder = shlex.join([sys.executable, str(program)])
        self.set(embedder=self.embedder)
        Workspace.init(str(folder / "robin"), environment=Environment(cache=None), name="Robin", git=False)
        without_templates(str(folder / "robin"))
        put(self.opened(), LOG, TEXT)

    def set(self, **settings: str) -> None:
        lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        self.settings.write_text(f"[vectors]\n{lines}")

    def opened(self) -> Workspace:
        environment = Environment(
            now=NOW, cache=str(self.cache), state=(str(self.folder / "state"), None), config=str(self.settings)
        )
        return Workspace.open(str(self.folder / "robin"), environment=environment)

    def asked(self) -> list[str]:
        """What the embedder was asked since the last look."""
        found = self.seen.read_text().splitlines() if self.seen.exists() else []
        self.seen.unlink(missing_ok=True)
        return found

    def first(self, question: str = QUESTION, **words: object) -> str:
        hits = self.opened().search(question, **words).hits  # type: ignore[arg-type]
        return hits[0].text if hits else ""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_without_vectors_nothing_is_asked_and_words_alone_count(world: World) -> None:
    assert world.first() == ""
    assert world.asked() == []


def test_what_means_the_same_is_found_and_the_reason_is_told(world: World) -> None:
    world.opened().search.refresh_vectors()

    found = world.opened().search(QUESTION)

    assert "Pebbles" in found.hits[0].text
    assert {"similarity", "similarity_of_best"} <= {name for name, _, _ in found.hits[0].reasons}
    assert not found.is_certain
    assert found.unknown_words == ["stones"]


def test_a_text_is_made_a_vector_of_once(world: World) -> None:
    done = world.opened().search.refresh_vectors()
    assert (done.added, done.known, done.entries) == (done.entries, done.entries, done.entries)
    assert "pebbles for the garden, they drain #shared" in world.asked()

    put(world.opened(), LOG, TEXT.replace("07:15", "09:45") + "- 07:20 Tea with Kim\n")
    again = world.opened().search.refresh_vectors()

    assert world.asked() == ["tea with kim"]
    assert (again.added, again.known - done.known) == (1, 1)


def test_of_what_changed_the_old_vector_goes(world: World) -> None:
    world.opened().search.refresh_vectors()
    put(world.opened(), LOG, TEXT.replace("Mint", "Sage"))

    assert world.opened().search.refresh_vectors().removed == 1


def test_a_new_entry_is_found_by_its_words_until_it_has_a_vector(world: World) -> None:
    world.opened().search.refresh_vectors()
    put(world.opened(), LOG, TEXT + "- 08:00 Stones came by cart\n")

    assert any("cart" in hit.text for hit in world.opened().search(QUESTION).hits[:2])
    assert world.opened().search.vectors().known == world.opened().search.vectors().entries - 1


def test_the_index_may_be_made_anew(world: World) -> None:
    world.opened().search.refresh_vectors()
    world.opened().search.rebuild()
    put(world.opened(), "memory/2026-11-01.md", "# 2026-11-01\n\n- Rain\n")

    assert "Pebbles" in world.first()


def test_a_filter_narrows_what_is_nearest(world: World) -> None:
    put(world.opened(), "memory/2026-11-01.md", "# 2026-11-01\n\n- Pebbles from the river\n")
    world.opened().search.refresh_vectors()

    assert "river" in world.first(until="2026-11-02")
    assert world.first(QUESTION, rooms=["tasks"]) == ""


def test_what_is_interrupted_is_kept_and_gone_on_with(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_AT_ONCE", 1)

    def stop(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.opened().search.refresh_vectors(progress=stop)
    assert len(world.asked()) == 2

    done = world.opened().search.refresh_vectors()
    assert len(world.asked()) == done.added == done.entries - 2


def test_a_workspace_names_no_embedder_and_no_store(world: World) -> None:
    world.settings.unlink()
    manifest = world.folder / "robin" / "agentws.toml"
    ran = world.folder / "ran"
    manifest.write_text(
        f"{manifest.read_text()}\n[vectors]\nembedder = {json.dumps(f'touch {ran}')}\nstore = 'http://127.0.0.1:9'\n"
    )
    world.opened().search("garden")
    with contextlib.suppress(MissingFileError):  # the model of the package is asked for, and may not be installed
        world.opened().search.refresh_vectors()

    place = next(world.cache.rglob("search.vectors.json"), None)
    assert place is None or json.loads(place.read_text()) == [["", minilm.MODEL]]
    assert not ran.exists()


def test_a_shared_audience_never_finds_what_is_private(world: World) -> None:
    world.opened().search.refresh_vectors()

    assert "present" in world.first("secret")
    heard = world.opened().search("secret", audience="shared")
    assert all("present" not in hit.text for hit in heard.hits)
    assert any("Pebbles" in hit.text for hit in world.opened().search(QUESTION, audience="shared").hits)


def test_what_is_forgotten_leaves_no_vector(world: World) -> None:
    before = world.opened().search.refresh_vectors()
    world.opened().memory.forget(matching=["Pebbles"], confirm=True)

    status = world.opened().search.vectors()
    assert status.known == before.entries - 1
    kept = b"".join(path.read_bytes() for path in world.cache.rglob("search.vectors*") if path.is_file())
    assert b"memory/2026-11-20.md:3" not in kept
    assert "Pebbles" not in world.first()
    world.asked()
    world.opened().search.refresh_vectors()
    assert all("pebbles" not in text for text in world.asked())


def test_stores_that_were_left_are_reached_by_forgetting(world: World) -> None:
    world.opened().search.refresh_vectors()
    world.set(embedder=f"{world.embedder} another")
    world.opened().search.refresh_vectors()

    world.opened().memory.forget(matching=["Pebbles"], confirm=True)

    for settings in (world.embedder, f"{world.embedder} another"):
        world.set(embedder=settings)
        assert world.opened().search.refresh_vectors().added == 0


def test_a_store_out_of_reach_is_named_when_something_is_forgotten(world: World) -> None:
    pytest.importorskip("qdrant_client")
    world.set(embedder=world.embedder, store="http://127.0.0.1:9")
    with pytest.raises(OutsideProgramError):
        world.opened().search.refresh_vectors()

    done = world.opened().memory.forget(matching=["Pebbles"], confirm=True)

    assert any("http://127.0.0.1:9" in notice for notice in done.notices)


@pytest.mark.parametrize("embedder", ["no-such-program-here", f"{shlex.quote(sys.executable)} -c pass"])
def test_where_the_embedder_fails_words_alone_count(world: World, embedder: str) -> None:
    world.opened().search.refresh_vectors()
    place = next(world.cache.rglob("search.vectors.json"))
    place.write_text(json.dumps([["", embedder]]))
    world.set(embedder=embedder)

    found = world.opened().search("pebbles")

    assert "Pebbles" in found.hits[0].text
    assert any(notice.startswith("Searched without vectors: ") for notice in found.notices)
    with pytest.raises(OutsideProgramError):
        world.opened().search.refresh_vectors()


def test_vectors_of_another_embedder_are_not_compared(world: World) -> None:
    world.opened().search.refresh_vectors()
    world.set(embedder=f"{world.embedder} another")

    found = world.opened().search(QUESTION)

    assert found.hits == []
    assert any("index refresh --vectors" in notice for notice in found.notices)


def test_what_a_prompt_recalls_waits_for_no_model(world: World) -> None:
    world.opened().search.refresh_vectors()
    world.asked()

    with_vectors = Searcher(world.opened().stores)
    by_words = Searcher(world.opened().stores, by_words=True)
    assert [one.unit.text for one in by_words.find(QUESTION).hits] == []
    assert world.asked() == []
    assert with_vectors.find(QUESTION).hits
    recall._search(world.opened().stores, QUESTION)
    assert world.asked() == [QUESTION]


def test_they_can_be_turned_off(world: World) -> None:
    world.opened().search.refresh_vectors()
    world.set(embedder="off")
    world.asked()

    found = world.opened().search(QUESTION)

    assert (found.hits, found.notices, world.asked()) == ([], [], [])
    with pytest.raises(UsageError):
        world.opened().search.refresh_vectors()


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_file_is_as_none(world: World, damage: bytes) -> None:
    world.opened().search.refresh_vectors()
    for path in world.cache.rglob("*"):
        if path.is_file() and "vector" in path.name:
            path.write_bytes(damage)

    assert "Pebbles" in world.first("pebbles")
    assert world.opened().search.refresh_vectors().added
    assert "Pebbles" in world.first()


def _with_size(world: World, count: int) -> None:
    program = world.folder / "embedder.py"
    said = f"print(json.dumps([1.0] * {count})) if {count} else "
    program.write_text(EMBEDDER.format(seen=str(world.seen)).replace("print(json", f"{said}print(json", 1))


def test_an_embedder_that_makes_others_now_is_told_of_and_its_vectors_made_again(world: World) -> None:
    world.opened().search.refresh_vectors()
    _with_size(world, 9)

    found = world.opened().search("who keeps the hut key?")
    assert any("9 numbers, not 5" in notice for notice in found.notices)
    assert any("hut" in hit.text for hit in found.hits)
    again = world.opened().search.refresh_vectors()

    assert again.added == again.entries
    assert not world.opened().search("who keeps the hut key?").notices


def test_forgetting_a_heading_reaches_what_is_told_beside_vectors(world: World) -> None:
    put(world.opened(), "MEMORY.md", "# Memory\n\n## Marigoldproject\n\n- Pebbles for the path\n")
    world.opened().search.refresh_vectors()
    assert any(b"Marigoldproject" in path.read_bytes() for path in world.cache.rglob("*") if path.is_file())

    world.opened().memory.forget(matching=["Marigoldproject"], confirm=True)

    assert not any(b"Marigoldproject" in path.read_bytes() for path in world.cache.rglob("*") if path.is_file())


def test_a_secret_in_a_heading_stands_beside_no_vector(world: World) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    put(world.opened(), "MEMORY.md", f"# Memory\n\n## Key {secret}\n\n- Pebbles for the path\n")
    world.opened().search.refresh_vectors()

    (told,) = world.cache.rglob("search.vectors-*.jsonl")
    assert "Pebbles" not in told.read_text()
    assert secret not in told.read_text()
