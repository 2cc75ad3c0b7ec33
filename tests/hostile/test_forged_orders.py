"""Whoever can write to the folder, without a key, orders things to be taken away: a line with a chain that fits, behind
the newest seal, in the hope that the next seal covers it and that somebody carries it out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event, segment
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.core.journal.sealing import order_check, pack
from agentws.core.stores import record, seals, writer_trust
from agentws.core.stores.record import Happening
from agentws.errors import DamagedError
from agentws.features.identity import vouch
from agentws.features.journal import compaction
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="NOT TESTED: seals; ssh-keygen is not here")
WORDS = "what was agreed"
FORGED = "01a1f7cf-0953-7981-9182-ec5e9ad68d7f"


@pytest.fixture
def robin(tmp_path: Path) -> Workspace:
    """A journal of several segments, sealed, with the state of the machine outside of the folder."""
    state = tmp_path / "state"
    state.mkdir()
    here = Environment(now=NOW, timezone="UTC", state=(str(state), None))
    made = Workspace.init(str(tmp_path / "robin"), environment=here, name="Robin", git=False)
    made.event("decision", WORDS)
    return made


def reopened(robin: Workspace) -> Workspace:
    return Workspace.open(robin.root, environment=robin.stores.environment)


def forge(robin: Workspace, writer: str, kind: str, body: dict[str, object]) -> int:
    """Append a line as anybody can who may write to the folder; returns its number."""
    number = read.segments(robin.stores.files, writer)[-1]
    path = Path(robin.root, segment.path(writer, number))
    last = path.read_bytes().split(b"\n")[-2]
    seq, prev = segment.seq_of(last) + 1, chain.hash_of(last)
    text = plainjson.dumps(body, separators=(",", ":"))
    tail = event.tail(text, "0" * 32)
    fields = json.loads(chain.header(last) + b"}")
    fields |= {"seq": seq, "id": FORGED, "kind": kind, "session": None, "src": "agent"}
    fields |= {"prev": prev, "digest": digest.of(tail)}
    line = json.dumps(fields, separators=(",", ":")).encode()[:-1] + b"," + tail + b"}\n"
    assert chain.check(line[:-1], seq=seq, prev=prev)
    with path.open("ab") as file:
        file.write(line)
    return seq


def purge_order(robin: Workspace, writer: str) -> dict[str, object]:
    found = next(one for one in robin.journal.list() if (one.body or {}).get("text") == WORDS)
    return {"v": 1, "writer": found.writer, "seq": found.seq, "digest": found.digest, "reason": "tidying"}


def has_words(robin: Workspace) -> bool:
    return any((one.body or {}).get("text") == WORDS for one in reopened(robin).journal.list())


@pytest.mark.parametrize("is_sealed", [True, False])
def test_a_forged_purge_in_our_journal_is_neither_sealed_nor_carried_out(robin: Workspace, is_sealed: bool) -> None:
    if is_sealed:
        seals.seal(robin.stores)
    writer = robin.stores.appender().writer
    seq = forge(robin, writer, event.PURGE, purge_order(robin, writer))

    reopened(robin).event("note", "work goes on")
    with pytest.raises(DamagedError, match="has not given this order"):
        seals.seal(reopened(robin).stores)
    purged = reopened(robin).event("note", "a slip").cursor
    reopened(robin).journal.purge([str(purged)], reason="a slip")

    assert has_words(robin)
    assert any(
        one.what.startswith("this installation has not given") for one in reopened(robin).journal.verify().findings
    )
    assert all(one.kind != event.SEAL or (one.body or {})["seq"] < seq for one in reopened(robin).journal.list())


def test_a_forged_retirement_is_neither_sealed_nor_carried_out(
    robin: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "NEWEST", 1)
    for number in range(40):
        robin.event("note", f"{number} " + "x" * 62_000)
    seals.seal(robin.stores)
    writer = robin.stores.appender().writer
    _, seq, hash_ = (1, *read.before(robin.stores.files, writer, 2))  # type: ignore[misc]
    forge(
        robin, writer, event.RETIRED, {"v": 1, "writer": writer, "through": 1, "seq": seq, "hash": hash_, "seal": seq}
    )

    reopened(robin).event("note", "work goes on")
    with pytest.raises(DamagedError):
        seals.seal(reopened(robin).stores)
    done = compaction.compact(reopened(robin).stores, dry_run=False)

    assert done.retired == []
    assert read.segments(robin.stores.files, writer)[0] == 1
    assert has_words(robin)


def test_a_list_of_waiting_orders_that_somebody_wrote_orders_nothing(robin: Workspace) -> None:
    writer = robin.stores.appender().writer
    found = next(one for one in robin.journal.list() if (one.body or {}).get("text") == WORDS)
    waiting = [found.writer, found.seq, found.digest, FORGED]
    Path(robin.root, ".agentws").mkdir(exist_ok=True)
    for told in ([waiting], [[writer, found.seq]]):
        Path(robin.root, ".agentws", "purges").write_text(json.dumps({"seen": {}, "waiting": told}))
        seals.seal(reopened(robin).stores)

    assert has_words(robin)


def blank(robin: Workspace, order: str, words: str = WORDS) -> None:
    """Blank the line as somebody can who may write to the folder."""
    (found,) = [one for one in robin.journal.list() if (one.body or {}).get("text") == words]
    path = Path(robin.root, segment.path(found.writer, found.segment))
    lines = path.read_bytes().split(b"\n")
    (at,) = [number for number, line in enumerate(lines) if words.encode() in line]
    lines[at] = chain.header(lines[at]) + b',"salt":null,"body":null,"purged":"%s"}' % order.encode()
    path.write_bytes(b"\n".join(lines))


def found_in(robin: Workspace) -> list[str]:
    return [one.what for one in reopened(robin).journal.verify().findings]


def known_other(robin: Workspace, tmp_path: Path) -> Workspace:
    """Another machine that this one knows, with its key."""
    other = stranger(robin, tmp_path)
    robin.event("note", "still here")
    vouch.vouch(reopened(robin).stores, other.stores.appender().writer)
    assert writer_trust.of(reopened(robin).stores).unknown == set()
    return other


def stranger(robin: Workspace, tmp_path: Path) -> Workspace:
    (tmp_path / "elsewhere").mkdir()
    there = Environment(now=NOW, timezone="UTC", state=(str(tmp_path / "elsewhere"), None))
    other = Workspace.open(robin.root, environment=there)
    other.event("note", "from the other machine")
    seals.seal(other.stores)
    return other


def test_an_order_in_the_journal_of_another_known_writer_needs_its_seal(robin: Workspace, tmp_path: Path) -> None:
    other_writer = known_other(robin, tmp_path).stores.appender().writer
    forge(robin, other_writer, event.PURGE, purge_order(robin, other_writer))

    seals.seal(reopened(robin).stores)

    assert has_words(robin)


def test_an_order_that_another_known_writer_has_sealed_is_carried_out(robin: Workspace, tmp_path: Path) -> None:
    other = known_other(robin, tmp_path)
    order = Happening(event.PURGE, purge_order(robin, other.stores.appender().writer))
    record.record(reopened(other).stores, [order])

    seals.seal(reopened(robin).stores)
    assert has_words(robin)
    seals.seal(reopened(other).stores)
    seals.seal(reopened(robin).stores)

    assert not has_words(robin)
    assert found_in(robin) == []


def test_a_line_that_repeats_the_number_of_a_sealed_order_orders_nothing(robin: Workspace, tmp_path: Path) -> None:
    other = known_other(robin, tmp_path)
    slip = robin.event("note", "a slip")
    target = next(one for one in robin.journal.list() if one.cursor == slip.cursor)
    body = purge_order(robin, target.writer) | {"seq": target.seq, "digest": target.digest}
    (done,), _ = record.record(reopened(other).stores, [Happening(event.PURGE, body)])
    seals.seal(reopened(other).stores)
    writer = other.stores.appender().writer
    forge(robin, writer, event.PURGE, purge_order(robin, writer))
    path = Path(robin.root, segment.path(writer, 1))
    lines = path.read_bytes().split(b"\n")
    lines[-2] = lines[-2].replace(b'"seq":%d,' % segment.seq_of(lines[-2]), b'"seq":%d,' % done.seq, 1)
    path.write_bytes(b"\n".join(lines))

    seals.seal(reopened(robin).stores)

    assert has_words(robin)


def test_an_order_that_borrows_the_id_of_one_that_was_given_is_none(robin: Workspace) -> None:
    slip = robin.event("note", "a slip")
    target = next(one for one in robin.journal.list() if one.cursor == slip.cursor)
    body = purge_order(robin, target.writer) | {"seq": target.seq, "digest": target.digest}
    (given,), _ = record.record(robin.stores, [Happening(event.PURGE, body)])
    writer = robin.stores.appender().writer
    forge(robin, writer, event.PURGE, purge_order(robin, writer))
    path = Path(robin.root, segment.path(writer, 1))
    path.write_bytes(path.read_bytes().replace(FORGED.encode(), str(given.id).encode()))

    with pytest.raises(DamagedError, match="has not given this order"):
        seals.seal(reopened(robin).stores)

    assert has_words(robin)


def test_a_line_that_an_order_blanked_counts_only_by_the_word_of_who_may_order_it(
    robin: Workspace, tmp_path: Path
) -> None:
    seals.seal(robin.stores)
    other_writer = known_other(robin, tmp_path).stores.appender().writer
    forge(robin, other_writer, event.PURGE, purge_order(robin, other_writer))
    blank(robin, FORGED)

    assert found_in(robin) == [order_check.UNSEALED]


def test_the_word_of_a_stranger_explains_no_blanked_line(robin: Workspace, tmp_path: Path) -> None:
    robin.event("note", "the first one here")
    seals.seal(robin.stores)
    other = stranger(robin, tmp_path)
    record.record(reopened(other).stores, [Happening(event.PURGE, purge_order(robin, other.stores.appender().writer))])
    (order,) = [one.id for one in other.journal.list() if one.kind == event.PURGE]
    seals.seal(reopened(other).stores)
    blank(robin, order)

    assert found_in(robin) == [order_check.STRANGER]


def test_a_forged_order_in_our_journal_explains_no_blanked_line(robin: Workspace) -> None:
    seals.seal(robin.stores)
    writer = robin.stores.appender().writer
    forge(robin, writer, event.PURGE, purge_order(robin, writer))
    blank(robin, FORGED)

    assert order_check.NOT_GIVEN in found_in(robin)


def test_orders_of_an_earlier_version_verify_as_before(robin: Workspace, tmp_path: Path) -> None:
    """Its installation has kept no orders: what it has written so far is its own, and others' are a note at most."""
    other = known_other(robin, tmp_path)
    cursor = next(one.cursor for one in robin.journal.list() if (one.body or {}).get("text") == WORDS)
    robin.journal.purge([cursor], reason="a slip")
    more = robin.event("note", "another slip")
    target = next(one for one in robin.journal.list() if one.cursor == more.cursor)
    body = {"v": 1, "writer": target.writer, "seq": target.seq, "digest": target.digest, "reason": "tidying"}
    record.record(reopened(other).stores, [Happening(event.PURGE, body)])
    (order,) = [one.id for one in other.journal.list() if one.kind == event.PURGE and one.writer != target.writer]
    (folder,) = (tmp_path / "state").rglob("orders")
    folder.unlink()
    told = json.loads((folder.parent / "writer").read_text())
    del told["orders"]
    (folder.parent / "writer").write_text(json.dumps(told))

    assert found_in(robin) == []
    reopened(robin).event("note", "work goes on")
    assert seals.seal(reopened(robin).stores).seq is not None
    blank(robin, order, "another slip")
    seen = reopened(robin).journal.verify()
    assert seen.findings == []
    assert order_check.UNSEALED in [one.what for one in seen.notes]


def test_our_own_orders_are_sealed_and_carried_out(robin: Workspace) -> None:
    seals.seal(robin.stores)
    cursor = next(one.cursor for one in robin.journal.list() if (one.body or {}).get("text") == WORDS)

    robin.journal.purge([cursor], reason="a slip")
    robin.event("note", "work goes on")
    seals.seal(reopened(robin).stores)

    assert not has_words(robin)
    assert reopened(robin).journal.verify().findings == []
