"""Old segments compressed: which, how, and that every reader goes on to read them."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats import layout, manifest
from agentws.core.formats.journal import packed, segment
from agentws.core.journal import read, reference, select, shared, unpacked
from agentws.core.journal.sealing import pack, verify
from agentws.core.journal.sealing.verified import VerifiedJournal
from agentws.errors import DamagedError, MissingFileError
from agentws.features.forget.purge import purge
from agentws.features.journal import compaction as step, listing
from agentws.features.journal.seal import seal
from agentws.features.search import search as searching
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.format_reader import reader

NEWEST = 3


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Many small segments, sealed; some are old enough to be compressed."""
    journals.small(monkeypatch)
    monkeypatch.setattr(pack, "NEWEST", NEWEST)
    journals.fill(workspace, calls=20)
    for number in range(60):
        journals.record(workspace, "note", text=f"nothing much {number} {'x' * 200}")
    seal(workspace.stores)
    return workspace


def told(workspace: Workspace) -> list[tuple[object, ...]]:
    return [
        (one.cursor, one.kind, one.hash, one.body, one.wrong) for one in listing.events(workspace.stores, whole=True)
    ]


def compressed(workspace: Workspace) -> list[Path]:
    return sorted((journals.folder(workspace) / "packed").glob("*.gz"))


def sound(workspace: Workspace) -> VerifiedJournal:
    found = verify.verify(workspace.stores.files, workspace.stores.manifest.agent_id, journals.here(workspace))
    assert [(one.path, one.line, one.what) for one in found.findings] == []
    return found


def test_old_segments_are_compressed_and_read_as_before(journal: Workspace) -> None:
    before, plain = told(journal), {path.name: path.read_bytes() for path in journals.segments(journal)}
    events = sound(journal).writers[0].events
    folder = f"journal/{journals.here(journal).writer}"

    done = step.compact(journal.stores, dry_run=False)

    assert len(done.compressed) == len(compressed(journal)) > 10
    assert {path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()) for path in compressed(journal)} == {
        name: data for name, data in plain.items() if f"{folder}/{name}" in done.compressed
    }
    assert len(journals.segments(journal)) == len(plain) - len(done.compressed) >= NEWEST
    assert told(journal) == before
    assert sound(journal).writers[0].events == events
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] == []
    assert done.after < done.before == sum(map(len, (plain[Path(path).name] for path in done.compressed)))


def test_again_there_is_nothing_to_do_and_a_dry_run_does_nothing(journal: Workspace) -> None:
    names = sorted(os.listdir(journals.folder(journal)))

    planned = step.compact(journal.stores, dry_run=True)

    assert sorted(os.listdir(journals.folder(journal))) == names
    assert "requires" not in Path(journal.root, layout.MANIFEST).read_text()
    assert planned.compressed == step.compact(journal.stores, dry_run=False).compressed != []
    assert step.compact(journal.stores, dry_run=False).compressed == []


def test_the_manifest_tells_earlier_versions(journal: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    step.compact(journal.stores, dry_run=False)
    data = Path(journal.root, layout.MANIFEST).read_bytes()

    assert b'[requires]\nread = ["journal.gz"]' in data
    monkeypatch.setattr(manifest, "READ_FEATURES", ())
    with pytest.raises(Exception, match=r"features that this version does not have: journal\.gz"):
        manifest.decode(data, where=layout.MANIFEST)


def test_what_the_newest_segment_refers_to_stays_as_it_is(journal: Workspace) -> None:
    journals.record(journal, "action", call="left-open", tool="t")
    for number in range(60):
        journals.record(journal, "note", text=f"more {number} {'y' * 200}")
    writer = journals.here(journal).writer

    done = step.compact(journal.stores, dry_run=False)

    refs = reference.outlined(journal.stores.files, writer)
    held = {ref["segment"] for ref in (*refs.open.values(), *refs.errors, *refs.significant)}
    assert held
    assert not held & {segment.number_of(Path(path).name) for path in done.compressed}
    assert reference.at(journal.stores.files, writer, refs.open["left-open"]) is not None


def test_the_same_lines_give_the_same_file() -> None:
    data = b'{"a":1}\n' * 1000

    assert packed.pack(data) == packed.pack(data)
    assert packed.pack(data)[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    assert gzip.decompress(packed.pack(data)) == data
    assert packed.unpack(packed.pack(data), len(data)) == data
    assert packed.beginning(packed.pack(data)[:60], 20) == data[:20]
    assert packed.unpack(packed.pack(b""), 0) == b""


def bomb(lines: bytes) -> bytes:
    return gzip.compress(lines + b" " * (1 << 26), mtime=0)


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "bomb": bomb,
    "truncated": lambda lines: packed.pack(lines)[:-9],
    "without its end": lambda lines: packed.pack(lines)[:-1],
    "trailing garbage": lambda lines: packed.pack(lines) + b"words",
    "two members": lambda lines: packed.pack(lines[:100]) + packed.pack(lines[100:]),
    "not gzip": lambda lines: lines,
    "empty": lambda lines: b"",
    "another checksum": lambda lines: packed.pack(lines)[:-8] + b"\0\0\0\0" + packed.pack(lines)[-4:],
    "large": lambda lines: b"\x1f\x8b" + os.urandom(unpacked.MOST_PACKED_BYTES),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_compressed_segment_is_named_and_costs_little(journal: Workspace, what: str) -> None:
    done = step.compact(journal.stores, dry_run=False)
    path = compressed(journal)[2]
    path.write_bytes(HOSTILE[what](gzip.decompress(path.read_bytes())))

    found = verify.verify(journal.stores.files, journal.stores.manifest.agent_id, journals.here(journal)).findings

    assert [one.path for one in found][:1] == [done.compressed[2]]
    assert "packed/" in found[0].what
    with pytest.raises(DamagedError, match="packed/"):
        unpacked.content(journal.stores.files, done.compressed[2])
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] != []


def test_a_bomb_is_not_unpacked() -> None:
    many = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join(many.compress(bytes(1 << 20)) for _ in range(512)) + many.flush()

    with pytest.raises(ValueError, match="more than"):
        packed.unpack(data, unpacked.MOST_BYTES)


def test_a_line_changed_within_a_compressed_segment_is_found(journal: Workspace) -> None:
    done = step.compact(journal.stores, dry_run=False)
    path = compressed(journal)[-2]
    lines = gzip.decompress(path.read_bytes())
    path.write_bytes(packed.pack(lines.replace(b"nothing much", b"nothing less", 1)))

    found = verify.verify(journal.stores.files, journal.stores.manifest.agent_id, journals.here(journal)).findings

    assert [one.path for one in found] == [done.compressed[-2]]
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] != []


def test_a_damaged_segment_is_not_compressed(journal: Workspace) -> None:
    path = Path(journal.root, step.compact(journal.stores, dry_run=True).compressed[-2])
    path.write_bytes(path.read_bytes().replace(b"nothing much", b"nothing less", 1))

    done = step.compact(journal.stores, dry_run=False)

    assert path.exists()
    assert path.name not in [Path(one).name for one in done.compressed]
    assert [notice for notice in journal.notices if path.name in notice and "not compressed" in notice]


def test_an_event_in_a_compressed_segment_is_purged(journal: Workspace) -> None:
    step.compact(journal.stores, dry_run=False)
    writer = journals.here(journal).writer
    first = next(one for one in listing.events(journal.stores, whole=True) if one.kind == "note")
    assert first.segment <= len(compressed(journal))

    done = purge(journal.stores, [first.cursor], reason="a name")

    assert not any(line.waiting for line in done.lines)
    assert read.find(journal.stores.files, writer, first.seq).body is None
    assert not segment_stands(journal, first.segment)
    words = str((first.body or {})["text"]).encode()
    assert not [path for path in compressed(journal) if words in gzip.decompress(path.read_bytes())]
    sound(journal)


def segment_stands(workspace: Workspace, number: int) -> bool:
    return workspace.stores.files.exists(segment.path(journals.here(workspace).writer, number))


def test_a_plain_segment_beside_its_compressed_form_is_the_segment(journal: Workspace) -> None:
    before = told(journal)
    path = journals.segments(journal)[1]
    other = journals.folder(journal) / "packed" / f"{path.name}.gz"
    other.parent.mkdir()
    other.write_bytes(packed.pack(b"something else\n"))

    assert told(journal) == before
    sound(journal)
    step.compact(journal.stores, dry_run=False)
    assert told(journal) == before
    assert not path.exists()


def test_a_purge_takes_away_the_compressed_form_that_a_kill_left(journal: Workspace) -> None:
    one = next(one for one in listing.events(journal.stores, whole=True) if one.kind == "note")
    path = journals.folder(journal) / f"{one.segment:06d}.jsonl"
    other = journals.folder(journal) / "packed" / f"{path.name}.gz"
    other.parent.mkdir()
    other.write_bytes(packed.pack(path.read_bytes()))

    purge(journal.stores, [one.cursor], reason="a name")

    assert not other.exists()
    sound(journal)


def test_a_reader_that_follows_goes_through_compressed_segments(journal: Workspace) -> None:
    expected = [one[0] for one in told(journal)]
    step.compact(journal.stores, dry_run=False)

    class EnoughError(Exception):
        pass

    class Stop:
        def __call__(self) -> None:
            raise EnoughError

        def close(self) -> None:
            pass

    found: list[str] = []
    reads = select.Reader(journal.stores.files, select.Wanted())
    with pytest.raises(EnoughError):
        found.extend(one.cursor for one in select.follow(journal.stores.files, reads, {}, pause=Stop()))

    assert found == expected


def test_numbers_and_pieces_are_those_of_the_lines(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    path = segment.path(writer, 2)
    whole, numbers = journal.stores.files.read(path), read.segments(journal.stores.files, writer)
    step.compact(journal.stores, dry_run=False)
    files = Files(journal.root)

    assert read.segments(files, writer) == numbers
    assert list(read.newest_first(files, writer)) == numbers[::-1]
    assert read.newest(files, writer, NEWEST + 2) == numbers[-NEWEST - 2 :]
    assert read.later(files, writer, 0) == numbers
    assert read.later(files, writer, numbers[-2]) == numbers[-1:]
    assert read.part(files, path, 50) == (whole[:50], len(whole))
    assert read.part(files, path, 50, from_end=True) == (whole[-50:], len(whole))
    assert read.piece(files, path, 100, 50) == whole[100:150]
    assert read.beginning(files, path, 50) == whole[:50]
    assert read.exists(files, path)
    assert not read.exists(files, segment.path(writer, 999))
    assert b"".join(block for _, block in read.blocks(files, writer, 2)) == whole
    with pytest.raises(MissingFileError, match="000999"):
        read.part(files, segment.path(writer, 999), 5)


def test_others_hear_no_more_of_a_compressed_segment_than_of_a_plain_one(journal: Workspace) -> None:
    def heard() -> tuple[list[object], bytes]:
        files = shared.SharedFiles(journal.stores.files, ())
        events = list(select.Reader(files, select.Wanted()).behind(writer, 0))
        return [one.cursor for one in events], read.part(files, segment.path(writer, 2), 1 << 20)[0]

    writer = journals.here(journal).writer
    before = heard()
    done = step.compact(journal.stores, dry_run=False)

    assert segment.path(writer, 2) in done.compressed
    assert heard() == before
    assert b"nothing much" not in before[1]
    with pytest.raises(MissingFileError):
        shared.SharedFiles(journal.stores.files, ()).read(segment.packed_path(segment.path(writer, 2)))


def test_what_is_searched_stands_where_it_stood(journal: Workspace) -> None:
    def found() -> set[tuple[str, int, str]]:
        hits = searching.search(journal.stores, "much nothing", k=50).hits
        return {(hit.unit.path, hit.line, hit.text) for hit in hits}

    before = found()
    done = step.compact(journal.stores, dry_run=False)

    assert {path for path, _, _ in before} & {*done.compressed}
    assert found() == before


def test_words_in_a_compressed_segment_are_forgotten(journal: Workspace) -> None:
    step.compact(journal.stores, dry_run=False)
    assert [path for path in compressed(journal) if b"nothing much 7" in gzip.decompress(path.read_bytes())]

    done = journal.memory.forget(matching=["nothing much 7"])

    assert done.events
    assert not [path for path in compressed(journal) if b"nothing much 7" in gzip.decompress(path.read_bytes())]
    sound(journal)
