"""What every VectorStore must hold. A store whose client is not installed is left out: docs/guides/vectors.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("numpy")

from agentws.errors import OutsideProgramError
from agentws.features.search.vectors import choice
from agentws.features.search.vectors.numbers import OtherSizeError
from tests.contracts import played_stores

if TYPE_CHECKING:
    from agentws.core.ports import VectorStore

A, B, C = (letter * 32 for letter in "abc")
TOLD = {"source": "memory/2031-04-02.md:3", "time": "2031-04-02T07:15", "context": "Garden"}
SERVER = "AGENTWS_QDRANT_URL"
"""Names a Qdrant server that the suite may fill and empty."""
WEAVIATE, PINECONE = "AGENTWS_WEAVIATE_URL", "AGENTWS_PINECONE_URL"
"""Name a Weaviate server, and the host of a Pinecone index; without them these are played."""
_played: dict[str, str] = {}


def played(name: str) -> str:
    """The address of the store of this name that is played."""
    return _played[name]


@pytest.fixture(autouse=True)
def _servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for url, key in ((WEAVIATE, "WEAVIATE_API_KEY"), (PINECONE, "PINECONE_API_KEY")):
        if not os.environ.get(url):
            monkeypatch.setenv(key, played_stores.KEY)
    with (
        played_stores.served(played_stores.Weaviate()) as at_weaviate,
        played_stores.served(played_stores.Pinecone()) as at_pinecone,
    ):
        _played.update(weaviate=at_weaviate, pinecone=at_pinecone)
        yield


def builtin(folder: Path) -> VectorStore:
    from agentws.features.search.vectors.memory_map import MemoryMap

    return MemoryMap(str(folder), "vectors")


def qdrant(folder: Path) -> VectorStore:
    pytest.importorskip("qdrant_client")
    from agentws.features.search.vectors.qdrant import Qdrant

    return Qdrant("agentws-test", folder=str(folder / "qdrant"))


def server(_: Path) -> VectorStore:
    pytest.importorskip("qdrant_client")
    from agentws.features.search.vectors.qdrant import Qdrant

    url = os.environ.get(SERVER)
    if not url:
        pytest.skip(f"{SERVER} names no server")
    return Qdrant("agentws-test", url=url)


def chroma(folder: Path) -> VectorStore:
    pytest.importorskip("chromadb")
    from agentws.features.search.vectors.chroma import Chroma

    return Chroma("agentws-test", str(folder / "chroma"))


def weaviate(_: Path) -> VectorStore:
    from agentws.features.search.vectors.weaviate import Weaviate

    return Weaviate("agentws-test", os.environ.get(WEAVIATE) or played("weaviate"))


def pinecone(_: Path) -> VectorStore:
    from agentws.features.search.vectors.pinecone import Pinecone

    return Pinecone("agentws-test", os.environ.get(PINECONE) or played("pinecone"))


STORES = {
    "builtin": builtin,
    "qdrant": qdrant,
    "qdrant server": server,
    "chroma": chroma,
    "weaviate": weaviate,
    "pinecone": pinecone,
}
Opened = Callable[[], "VectorStore"]


@pytest.fixture(params=STORES)
def opened(request: pytest.FixtureRequest, tmp_path: Path, _servers: None) -> Iterator[Opened]:
    """Opens the store, again and again the same one; it is emptied at the end."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    STORES[request.param](folder).close()  # is left out here, where its client is not there
    yield lambda: STORES[request.param](folder)
    store = STORES[request.param](folder)
    store.destroy()
    store.close()


@pytest.fixture
def store(opened: Opened) -> Iterator[VectorStore]:
    found = opened()
    yield found
    found.close()


def fill(store: VectorStore) -> None:
    store.put([(A, [1.0, 0.0, 0.0], TOLD), (B, [0.0, 2.0, 0.0], {**TOLD, "context": "Shed"})])
    store.put([(C, [0.6, 0.8, 0.0], TOLD)])


def test_an_empty_one_knows_nothing(store: VectorStore) -> None:
    assert store.keys() == set()
    assert store.nearest([1.0, 0.0, 0.0], 5) == []
    assert store.similarities([1.0, 0.0, 0.0], {A}) == {}
    assert store.metadata({A}) == {}
    assert store.keep({A}) == 0


def test_the_nearest_stand_first_whatever_their_length(store: VectorStore) -> None:
    fill(store)

    found = store.nearest([0.0, 5.0, 0.1], 2)

    assert [key for key, _ in found] == [B, C]
    assert [near for _, near in found] == pytest.approx([1.0, 0.8], abs=0.02)


def test_more_than_there_are_may_be_asked_for(store: VectorStore) -> None:
    fill(store)

    assert len(store.nearest([1.0, 0.0, 0.0], 50)) == 3


def test_similarity_is_told_of_those_that_are_known(store: VectorStore) -> None:
    fill(store)

    found = store.similarities([-1.0, 0.0, 0.0], {A, C, "d" * 32})

    assert found == {A: pytest.approx(-1.0, abs=0.02), C: pytest.approx(-0.6, abs=0.02)}


def test_what_they_are_of_is_told(store: VectorStore) -> None:
    fill(store)

    assert store.metadata({A}) == {A: TOLD}
    assert store.metadata({B})[B]["context"] == "Shed"


def test_a_known_key_stays_one_vector(store: VectorStore) -> None:
    fill(store)
    store.put([(A, [1.0, 0.0, 0.0], TOLD)])

    assert store.keys() == {A, B, C}
    assert [key for key, _ in store.nearest([1.0, 0.0, 0.0], 9)].count(A) == 1


def test_it_is_there_when_it_is_opened_again(opened: Opened) -> None:
    first = opened()
    fill(first)
    first.close()

    again = opened()
    assert again.keys() == {A, B, C}
    assert again.nearest([1.0, 0.0, 0.0], 1)[0][0] == A
    again.close()


def test_what_is_not_kept_is_found_no_more(opened: Opened) -> None:
    store = opened()
    fill(store)

    assert store.keep({A, C}) == 1
    assert store.keys() == {A, C}
    assert B not in {key for key, _ in store.nearest([0.0, 1.0, 0.0], 9)}
    assert store.metadata({A, B}) == {A: TOLD}
    store.close()
    again = opened()
    assert again.keys() == {A, C}
    again.close()


def test_nothing_of_what_is_not_kept_stays_in_files(opened: Opened, tmp_path: Path) -> None:
    store = opened()
    store.put([(A, [1.0, 0.0], TOLD), (B, [0.0, 1.0], {**TOLD, "context": "The hidden figtree"})])
    store.keep({A})
    store.close()

    kept = [path for path in tmp_path.rglob("*") if path.is_file() and b"figtree" in path.read_bytes()]
    assert kept == []


def test_it_goes_on_after_all_was_removed(store: VectorStore) -> None:
    fill(store)
    store.destroy()
    assert store.keys() == set()

    fill(store)
    assert store.keys() == {A, B, C}


def test_many_are_kept(store: VectorStore) -> None:
    store.put((f"{at:032x}", [1.0, at / 700, 0.0], TOLD) for at in range(700))

    assert len(store.keys()) == 700
    assert [key for key, _ in store.nearest([1.0, 0.0, 0.0], 1)] == [f"{0:032x}"]
    assert len(store.similarities([1.0, 0.0, 0.0], store.keys())) == 700


def test_a_vector_of_another_size_is_compared_with_none(store: VectorStore) -> None:
    fill(store)

    with pytest.raises(OtherSizeError, match="2 numbers, not 3"):
        store.similarities([1.0, 0.0], {A})
    with pytest.raises(OutsideProgramError):
        store.nearest([1.0, 0.0], 5)


@pytest.mark.parametrize("name", ["weaviate", "pinecone"])
def test_a_server_that_is_away_or_refuses_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = played(name)
    monkeypatch.setenv("WEAVIATE_API_KEY", "wrong")
    monkeypatch.setenv("PINECONE_API_KEY", "wrong")
    for at in (url, "http://127.0.0.1:9"):
        with pytest.raises(OutsideProgramError, match=at):
            choice.store(f"{name}+{at}", "some", "/nowhere").keys()
