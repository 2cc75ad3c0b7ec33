"""The beginning of a journal retired by rule: what goes, what proves it, and what is no retirement."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, segment
from agentws.core.formats.journal.purge import Retirement
from agentws.core.journal import read, select, stamp, walk
from agentws.core.journal.sealing import pack, retire, verify
from agentws.core.stores import record, writer_trust
from agentws.core.stores.record import Happening
from agentws.errors import MissingFileError, UsageError
from agentws.features.daily.config import settings
from agentws.features.forget.purge import purge
from agentws.features.journal import compaction as step, listing, render as rendered
from agentws.features.journal.replay import replay
from agentws.features.journal.retract import retract
from agentws.features.journal.seal import seal
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals
from tests.format_reader import reader

NEWEST = 3
CLOCK = [0]
YEARS = timedelta(days=3 * 366)


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Small segments of long ago, then of today; all of it sealed."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not here")
    journals.small(monkeypatch)
    monkeypatch.setattr(pack, "NEWEST", NEWEST)
    monkeypatch.setattr(stamp, "now", lambda: CLOCK[0])  # segments are opened by the clock of the machine
    CLOCK[0] = moment(workspace)
    journals.fill(workspace, calls=9)
    fill(workspace, "long ago")
    seal(workspace.stores)
    later = reopened(workspace, YEARS)
    settings.set_setting(later.stores, "journal.keep", "2y")
    fill(later, "today")
    seal(later.stores)
    return later


def reopened(workspace: Workspace, age: timedelta = timedelta()) -> Workspace:
    now = workspace.stores.environment.now
    assert now is not None
    CLOCK[0] = moment(workspace, age)
    environment = Environment(now=now + age, timezone="UTC", state=workspace.stores.environment.state)
    return Workspace.open(workspace.root, environment=environment)


def moment(workspace: Workspace, age: timedelta = timedelta()) -> int:
    assert workspace.stores.environment.now is not None
    return round((workspace.stores.environment.now + age).timestamp() * 1_000_000)


def fill(workspace: Workspace, what: str) -> None:
    for number in range(40):
        journals.record(workspace, "note", text=f"{what} {number} {'x' * 300}")


def found(workspace: Workspace) -> list[tuple[str, str]]:
    memory = writer_trust.remembered(workspace.stores)
    own = journals.here(workspace)
    done = verify.verify(workspace.stores.files, workspace.stores.manifest.agent_id, own, memory=memory)
    return [(one.path, one.what) for one in done.findings]


def texts(workspace: Workspace) -> list[str]:
    return [(one.body or {})["text"].partition(" x")[0] for one in listing.events(workspace.stores, kinds=["note"])]


def retired_ones(workspace: Workspace) -> list[event.Event]:
    return list(listing.events(workspace.stores, kinds=[event.RETIRED]))


def test_what_is_older_than_the_rule_goes_by_one_sealed_event(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    before = {one.seq: one.hash for one in listing.events(journal.stores)}
    planned = step.compact(journal.stores, dry_run=True)
    assert texts(journal)[0] == "long ago 0"

    done = step.compact(journal.stores, dry_run=False)

    assert done.retired == planned.retired != []
    (order,) = retired_ones(journal)
    assert order.body is not None
    first = read.segments(journal.stores.files, writer)[0]
    assert order.body == {
        "v": 1, "writer": writer, "through": first - 1, "seq": read.retired(journal.stores.files, writer),
        "hash": before[read.retired(journal.stores.files, writer)], "seal": order.body["seal"],
    }  # fmt: skip
    assert {text.rpartition(" ")[0] for text in texts(journal)} >= {"today"}
    assert texts(journal)[-40:] == [f"today {number}" for number in range(40)]
    assert "long ago 0" not in texts(journal)
    assert found(journal) == []
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] == []
    assert 'read = ["journal.retired", "journal.gz"]' in Path(journal.root, "agentws.toml").read_text()
    assert {one.seq: one.hash for one in listing.events(journal.stores)}.items() >= {
        seq: hash_ for seq, hash_ in before.items() if seq > order.body["seq"]
    }.items()


def test_again_there_is_nothing_to_do_and_what_grows_old_goes_later(journal: Workspace) -> None:
    step.compact(journal.stores, dry_run=False)

    assert step.compact(journal.stores, dry_run=False).retired == []
    assert len(retired_ones(journal)) == 1

    later = reopened(journal, YEARS)
    fill(later, "tomorrow")
    seal(later.stores)
    assert step.compact(later.stores, dry_run=False).retired
    assert texts(later)[-40:] == [f"tomorrow {number}" for number in range(40)]
    assert "today 0" not in texts(later)
    assert found(later) == []
    assert reader.verify(later.root, later.stores.manifest.agent_id)[1] == []


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_workflow_that_goes_on_stays_whole_and_one_that_does_not_is_named(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, goes_on: bool
) -> None:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not here")
    journals.small(monkeypatch)
    monkeypatch.setattr(pack, "NEWEST", NEWEST)
    monkeypatch.setattr(stamp, "now", lambda: CLOCK[0])
    paid: list[int] = []
    fill(reopened(workspace), "before")

    def run(place: Workspace) -> bool:
        with place.workflow("loan-7") as flow:
            flow.step("pay", paid.append, 250)
            if place.stores.environment.now != workspace.stores.environment.now:
                flow.step("tell", len, "Lena")
            flow.approval("Ship the keys?", action={"ship": "keys"})
        return flow.is_paused

    assert run(reopened(workspace))
    fill(reopened(workspace), "long ago")
    seal(workspace.stores)
    later = reopened(workspace, YEARS)
    settings.set_setting(later.stores, "journal.keep", "2y")
    if goes_on:
        assert run(reopened(workspace, YEARS))
    fill(later, "today")
    seal(later.stores)

    done = reopened(workspace, YEARS).memory.compact()

    assert done.journal is not None
    assert done.journal.retired, "what came before it goes"
    assert ("loan-7" in " ".join(done.notices)) is not goes_on
    assert run(reopened(workspace, YEARS))
    assert paid == ([250] if goes_on else [250, 250])


def test_a_manifest_that_was_put_back_is_told_again(journal: Workspace) -> None:
    manifest = Path(journal.root, "agentws.toml")
    before = manifest.read_bytes()
    step.compact(journal.stores, dry_run=False)
    told = manifest.read_text()
    manifest.write_bytes(before)

    step.compact(journal.stores, dry_run=True)
    assert manifest.read_bytes() == before
    step.compact(journal.stores, dry_run=False)

    assert manifest.read_text() == told


@pytest.mark.parametrize("keep", ["", "4y", "9999d"])
def test_without_a_rule_or_with_a_longer_one_nothing_goes(journal: Workspace, keep: str) -> None:
    settings.set_setting(journal.stores, "journal.keep", keep)

    assert step.compact(journal.stores, dry_run=False).retired == []
    assert retired_ones(journal) == []
    assert texts(journal)[0] == "long ago 0"


def test_a_rule_that_is_no_time_is_named(journal: Workspace) -> None:
    with pytest.raises(UsageError, match=r"journal\.keep"):
        settings.set_setting(journal.stores, "journal.keep", "ever")


def test_a_clock_that_jumped_ahead_takes_nothing_more(journal: Workspace) -> None:
    kept = step.compact(journal.stores, dry_run=True).retired

    assert step.compact(reopened(journal, 20 * YEARS).stores, dry_run=True).retired == kept


def test_what_no_seal_covers_stays(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    monkeypatch.setattr(pack, "NEWEST", NEWEST)
    fill(workspace, "long ago")
    later = reopened(workspace, YEARS)
    settings.set_setting(later.stores, "journal.keep", "1d")
    fill(later, "today")

    assert retire.due(later.stores.files, journals.here(later).writer, "2100-01-01") is None


def test_a_damaged_segment_ends_what_goes(journal: Workspace) -> None:
    path = journals.segments(journal)[2]
    path.write_bytes(path.read_bytes().replace(b'"v":1', b'"v":2', 1))

    done = step.compact(journal.stores, dry_run=False)

    assert [Path(one).name for one in done.retired] == ["000001.jsonl", "000002.jsonl"]
    assert [Path(path).name for path, _ in found(journal)] == ["000003.jsonl"]


@pytest.mark.parametrize("verb", [purge, retract], ids=["purge", "retract"])
def test_an_order_about_a_line_of_another_that_stays_is_kept(
    journal: Workspace, tmp_path: Path, verb: Callable[..., object]
) -> None:
    other = journals.another(journal, tmp_path)
    cursor = journals.record(other, "note", text="a name")
    journals.knows(journal, other)
    seal(other.stores)
    fill(other, "beside")
    verb(journal.stores, [cursor], reason="a name")
    fill(journal, "more")
    seal(journal.stores)
    later = reopened(journal, YEARS)
    fill(later, "later")
    seal(later.stores)

    step.compact(later.stores, dry_run=False)

    orders = [one.kind for one in listing.events(later.stores, kinds=[event.PURGE, event.RETRACTED])]
    assert orders == [event.PURGE if verb is purge else event.RETRACTED]
    assert found(later) == []


def cut(workspace: Workspace, through: int) -> None:
    for path in journals.segments(workspace)[:through]:
        path.unlink()


def last_of(workspace: Workspace, number: int) -> tuple[int, str]:
    told = read.before(workspace.stores.files, journals.here(workspace).writer, number + 1)
    assert told is not None
    return told


def order(by: Workspace, of: Workspace, number: int, **changed: object) -> None:
    """Record a retirement; the segments are not touched."""
    seq, hash_ = last_of(of, number)
    body = Retirement(journals.here(of).writer, number, seq=seq, hash=hash_, seal=seq).body()
    record.record(by.stores, [Happening(event.RETIRED, {**body, **changed}, session=record.NOBODY)])


FORGED: dict[str, tuple[int, dict[str, object]]] = {
    "no event": (0, {}),
    "fewer segments": (3, {}),
    "another hash": (4, {"hash": "0" * 64}),
    "another number": (4, {"seq": 3}),
    "another writer": (4, {"writer": "0" * 16}),
    "no retirement": (4, {"through": "4"}),
}


@pytest.mark.parametrize("what", FORGED)
def test_what_only_pretends_a_retirement_is_found(journal: Workspace, what: str) -> None:
    number, changed = FORGED[what]
    if number:
        order(journal, journal, number, **changed)
    seal(journal.stores)
    cut(journal, 4)

    ((path, says),) = found(journal)

    assert path == segment.path(journals.here(journal).writer, 1)
    assert says == "4 segments are missing from here on"
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] != []


def test_a_retirement_that_no_seal_covers_is_found(journal: Workspace) -> None:
    order(journal, journal, 4)
    cut(journal, 4)

    ((path, says),) = found(journal)

    assert path == segment.path(journals.here(journal).writer, 1)
    assert says == "4 segments are missing from here on, and no seal covers the event that retires them"
    assert reader.verify(journal.root, journal.stores.manifest.agent_id)[1] != []
    seal(journal.stores)
    assert found(journal) == []


def test_a_retirement_by_a_writer_whom_nobody_knows_counts_for_nothing(journal: Workspace, tmp_path: Path) -> None:
    journals.knows(journal)
    stranger = journals.another(journal, tmp_path, "stranger")
    order(stranger, journal, 4)
    seal(stranger.stores)
    memory = writer_trust.remembered(journal.stores)
    assert journals.here(stranger).writer in memory.strangers

    assert step.compact(journal.stores, dry_run=False)
    cut(journal, 4)
    settings.set_setting(journal.stores, "journal.keep", "")

    assert [says for path, says in found(journal) if path.endswith("000001.jsonl")] != []


def test_a_segment_missing_behind_what_was_retired_is_found(journal: Workspace) -> None:
    step.compact(journal.stores, dry_run=False)
    writer = journals.here(journal).writer
    (first, *_) = read.segments(journal.stores.files, writer)
    path = Path(journal.root, segment.path(writer, first))
    (path if path.exists() else Path(journal.root, segment.packed_path(segment.path(writer, first)))).unlink()

    assert [says for _, says in found(journal)] != []


def whole(workspace: Workspace) -> dict[Path, bytes]:
    """All files of this installation's journal, in order."""
    paths = sorted(path for path in journals.folder(workspace).rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in paths}


def put(data: dict[Path, bytes], folder: str = "") -> None:
    """Put the files back, or those of a folder."""
    for path, content in data.items():
        if not folder or path.parent.name == folder:
            path.write_bytes(content)


def test_what_a_kill_left_goes_with_the_next_run(journal: Workspace) -> None:
    data = whole(journal)
    done = step.compact(journal.stores, dry_run=False)
    put(data, "blobs")
    gone = [path for path in data if str(path.relative_to(journal.root)) in done.retired]
    for path in gone[2:]:
        path.write_bytes(data[path])
    (gone[0].parent / f".{gone[0].name}.agentws-old").write_bytes(data[gone[0]])

    assert found(journal) == []
    assert step.compact(journal.stores, dry_run=False).retired == [
        str(path.relative_to(journal.root)) for path in gone[2:]
    ]
    assert not [path for path in gone if path.exists()]
    assert list(gone[0].parent.glob(".*.agentws-old")) == []
    assert found(journal) == []


def test_a_copy_that_still_has_the_beginning_agrees(journal: Workspace, tmp_path: Path) -> None:
    data = whole(journal)
    done = step.compact(journal.stores, dry_run=False)
    put(data, "blobs")
    put({path: content for path, content in data.items() if str(path.relative_to(journal.root)) in done.retired})

    assert found(journal) == []
    assert sorted(step.compact(journal.stores, dry_run=False).retired) == done.retired
    assert found(journal) == []


def test_what_was_retired_is_told_plainly(journal: Workspace) -> None:
    writer = journals.here(journal).writer
    step.compact(journal.stores, dry_run=False)
    files = Files(journal.root)

    with pytest.raises(MissingFileError, match="was retired"):
        read.find(files, writer, 2)
    with pytest.raises(MissingFileError, match=r"No event .*:99999"):
        read.find(files, writer, 99999)
    first = read.retired(files, writer) + 1
    events = list(select.Reader(files, select.Wanted()).behind(writer, 2))
    assert events[0].seq == first
    (checked,) = verify.verify(files, journal.stores.manifest.agent_id, journals.here(journal)).writers
    assert f" events from {first:,} on in " in rendered._checked(checked)
    assert [notice for notice in replay(journal.stores).notices if f"Replayed from {writer}:{first} on" in notice]
    assert walk.last_good(files, journal.stores.manifest.agent_id, writer)["seq"] == read.last_seq(files, writer)


def test_who_follows_from_the_beginning_begins_with_what_is_there(journal: Workspace) -> None:
    step.compact(journal.stores, dry_run=False)
    writer = journals.here(journal).writer

    class EnoughError(Exception):
        pass

    class Stop:
        def __call__(self) -> None:
            raise EnoughError

        def close(self) -> None:
            pass

    seen: list[int] = []
    with pytest.raises(EnoughError):
        seen.extend(
            one.seq
            for one in select.follow(
                journal.stores.files,
                select.Reader(journal.stores.files, select.Wanted()),
                {},
                writer=writer,
                pause=Stop(),
            )
        )
    first = read.retired(journal.stores.files, writer) + 1
    assert seen == list(range(first, read.last_seq(journal.stores.files, writer) + 1))


def test_boot_and_the_next_event_go_on(journal: Workspace) -> None:
    journals.record(journal, "action", call="still-open", tool="t")
    step.compact(journal.stores, dry_run=False)

    cursor = journals.record(journal, "note", text="goes on")
    shown = journal.boot()

    assert "goes on" in shown.text
    assert [notice for notice in shown.notices if "missing" in notice] == []
    assert read.find(journal.stores.files, *read.cursor(journal.stores.files, cursor)).kind == "note"


def test_a_move_takes_the_journal_as_it_is(journal: Workspace, tmp_path: Path) -> None:
    done = step.compact(journal.stores, dry_run=False)
    (tmp_path / "elsewhere").mkdir()
    goal = tmp_path / "elsewhere" / "robin"
    writer = journals.here(journal).writer

    moved = journal.copies.migrate(str(goal))

    assert moved.state == "moved"
    assert done.retired
    assert done.compressed
    far = Workspace.open(str(goal), environment=journal.stores.environment)
    assert verify.verify(far.stores.files, far.stores.manifest.agent_id).findings == []
    assert read.retired(far.stores.files, writer) == read.retired(journal.stores.files, writer) > 0
    assert reader.verify(str(goal), far.stores.manifest.agent_id)[1] == []
