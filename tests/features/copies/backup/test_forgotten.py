"""What is forgotten and stands in backups still: they are named, with what to do."""

from __future__ import annotations

import gzip
import shutil
import tracemalloc
from pathlib import Path

from agentws.core.stores.traces import HeldCopies
from agentws.features.copies.backup.store import erase
from agentws.features.copies.backup.store.matches import TextSearch
from agentws.features.forget.forget import Sought
from agentws.workspace import Workspace


def held(workspace: Workspace, *names: str) -> list[HeldCopies]:
    """What the known backups hold of these names."""
    search = TextSearch(Sought(subjects=names), workspace.stores.environment)
    return erase.look(workspace.stores, search, reaches=False)


def test_the_backups_that_hold_it_are_named_and_no_others(robin: Workspace, stick: Path) -> None:
    (clean,) = robin.copies.create(str(stick))
    robin.log("Anna Lind sends the survey")
    (first,) = robin.copies.create()
    robin.event("note", "rang Anna Lind")
    (second,) = robin.copies.create()

    done = robin.memory.forget(subjects=["Anna Lind"])
    (third,) = robin.copies.create()

    told = next(words for words in done.elsewhere if words.startswith("Backups contain matches"))
    assert first.name in told
    assert second.name in told
    assert clean.name not in told
    assert "--copies" in told
    (left,) = held(robin, "Anna Lind")
    assert left.names == [first.name, second.name]
    assert third.name not in left.names
    for made in (first, second):
        shutil.rmtree(made.path)
    assert not held(robin, "Anna Lind")[0].is_held


def test_a_compressed_segment_is_looked_into(robin: Workspace, stick: Path) -> None:
    place = Path(robin.root, "journal", "00aaaaaaaaaaaaaa")
    place.mkdir()
    (place / "000001.jsonl.gz").write_bytes(gzip.compress(b'{"text":"Anna Lind"}\n'))
    robin.copies.create(str(stick))

    assert held(robin, "Anna Lind")[0].names


def test_a_medium_that_is_not_there_is_named(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    shutil.rmtree(stick)

    (told,) = held(robin, "tiles")

    assert told.absent
    assert "cannot be reached now" in next(told.words(how=""))


def test_a_purge_tells_of_backups(robin: Workspace, stick: Path) -> None:
    cursor = robin.event("note", "a slip").cursor
    assert not any(
        "Backups" in notice for notice in robin.journal.purge([cursor], reason="a slip", dry_run=True).notices
    )
    robin.copies.create(str(stick))

    done = robin.journal.purge([cursor], reason="a slip")

    assert any(str(stick) in notice for notice in done.notices)


def test_what_is_packed_to_be_endless_is_looked_at_in_little_memory(robin: Workspace, stick: Path) -> None:
    place = Path(robin.root, "journal", "00aaaaaaaaaaaaaa")
    place.mkdir()
    (place / "000001.jsonl.gz").write_bytes(gzip.compress(b" " * (128 << 20) + b"Anna Lind", 1))
    robin.copies.create(str(stick))

    tracemalloc.start()
    try:
        found = held(robin, "Anna Lind")[0].names
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found
    assert most < 100 << 20


def test_a_damaged_one_may_hold_it(robin: Workspace, stick: Path) -> None:
    place = Path(robin.root, "journal", "00aaaaaaaaaaaaaa")
    place.mkdir()
    data = gzip.compress(b"nothing of it" * 999)
    (place / "000001.jsonl.gz").write_bytes(data[:10] + b"\xff" * 9 + data[19:])
    robin.copies.create(str(stick))

    assert held(robin, "Anna Lind")[0].names
