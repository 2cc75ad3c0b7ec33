"""P3: where a journal ends is found after anything; a crash's traces go to quarantine, damage stops the writing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentws.core.disk import files as _files, lock
from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, segment
from agentws.core.journal import end, head, stamp, sync_failure
from agentws.core.journal.append import Appender
from agentws.core.journal.entry import PendingEvent
from agentws.errors import AgentwsError, DamagedError

AGENT, WRITER = "an-agent", "0123456789abcdef"


def entry(text: str, kind: str = "note", *, session: str | None = None, **body: object) -> PendingEvent:
    at = stamp.now()
    told = {"text": text, **body}
    return PendingEvent(kind, told, id=stamp.identifier(at), at=stamp.text(at), salt=stamp.salt(), session=session)


def write(root: Path, *texts: str) -> list[str]:
    """Append one by one, as a process of its own would; returns the notices."""
    notices = []
    for text in texts:
        appender = Appender(Files(str(root)), AGENT, WRITER)
        appender.append([entry(text)])
        notices += appender.notices
    return notices


def place(root: Path, number: int = 1) -> Path:
    return root / segment.path(WRITER, number)


def hint(root: Path) -> Path:
    return root / f".agentws/{WRITER}.head"


def texts(root: Path, number: int = 1) -> list[str]:
    lines = place(root, number).read_bytes().split(b"\n")
    assert lines.pop() == b""
    told = [event.decode(line, writer=WRITER) for line in lines]
    return [str((one.body or {})["text"]) for one in told if one.kind != event.OPENED]


def kept(root: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((root / ".agentws/quarantine").glob("*"))]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Three events, and a hint of them all."""
    root = tmp_path / "robin"
    root.mkdir()
    write(root, "one", "two", "three")
    return root


def test_a_tail_that_is_torn_at_any_byte_is_kept_aside_and_the_next_event_follows_the_last_whole_one(
    journal: Path, tmp_path: Path
) -> None:
    durable, told = place(journal).read_bytes(), hint(journal).read_bytes()
    write(journal, "torn")
    whole = place(journal).read_bytes()

    for size in range(len(durable) + 1, len(whole)):
        shutil.rmtree(journal / ".agentws/quarantine", ignore_errors=True)
        place(journal).write_bytes(whole[:size])
        hint(journal).write_bytes(told)

        (notice,) = write(journal, "next")

        assert texts(journal) == ["one", "two", "three", "next"], size
        assert kept(journal) == [whole[len(durable) : size]]
        assert ".agentws/quarantine/" in notice


def test_a_tail_that_was_only_not_acknowledged_is_kept(journal: Path) -> None:
    told = hint(journal).read_bytes()
    write(journal, "whole")
    hint(journal).write_bytes(told)

    notices = write(journal, "next")

    assert texts(journal) == ["one", "two", "three", "whole", "next"]
    assert notices == []


@pytest.mark.parametrize("with_hint", [True, False])
def test_a_bad_stretch_with_a_good_line_behind_it_is_a_power_cut_s(journal: Path, with_hint: bool) -> None:
    durable, told = place(journal).read_bytes(), hint(journal).read_bytes()
    write(journal, "lost", "never acknowledged")
    lines = place(journal).read_bytes()[len(durable) :].splitlines(keepends=True)
    bad = bytes(len(lines[0])) + lines[1]
    place(journal).write_bytes(durable + bad)
    hint(journal).write_bytes(told)
    if not with_hint:
        hint(journal).unlink()

    write(journal, "next")

    assert texts(journal) == ["one", "two", "three", "next"]
    assert kept(journal) == [bad]


def test_any_byte_that_is_flipped_in_the_newest_durable_line_stops_the_writing_and_names_the_line(
    journal: Path,
) -> None:
    whole = place(journal).read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1

    for at in range(start, len(whole)):
        bad = bytearray(whole)
        bad[at] ^= 0x01 if whole[at : at + 1] != b"\n" else 0x2A
        place(journal).write_bytes(bad)

        with pytest.raises(DamagedError, match=r"000001\.jsonl:4: damaged") as raised:
            write(journal, "next")

        assert raised.value.exit_code == 14
        assert place(journal).read_bytes() == bad, "something was written"
        assert kept(journal) == []


def test_any_byte_that_is_flipped_in_an_earlier_line_is_found_before_its_segment_is_closed(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = place(journal).read_bytes()
    monkeypatch.setattr(segment, "LIMIT_BYTES", len(whole) + 10)

    # The digest, the tail and the number of each line, and the chain from one to the next.
    for at in range(0, whole.rindex(b"\n", 0, -1), 7):
        bad = bytearray(whole)
        bad[at] ^= 0x01
        place(journal).write_bytes(bad)
        line = whole.count(b"\n", 0, at) + 1

        with pytest.raises(DamagedError, match=rf"000001\.jsonl:({line}|{line + 1}): damaged"):
            write(journal, "next")

        assert place(journal).read_bytes() == bad
        assert not place(journal, 2).exists()


@pytest.mark.parametrize("lost", ["the hint", "the line that the hint names"])
def test_no_byte_of_a_segment_can_be_flipped_so_that_it_is_no_error_of_ours(journal: Path, lost: str) -> None:
    whole, told = place(journal).read_bytes(), hint(journal).read_bytes()

    for at in range(len(whole)):
        for flip in (0x01, 0x20, 0xFF) if at % 5 == 0 else (0x01,):
            shutil.rmtree(journal / ".agentws/quarantine", ignore_errors=True)
            bad = bytearray(whole)
            bad[at] ^= flip
            place(journal).write_bytes(bad)
            hint(journal).write_bytes(told if lost != "the hint" else b"")
            try:
                write(journal, "next")
            except AgentwsError:
                pass
            now = place(journal).read_bytes()
            assert now.startswith(bad) or any(
                bad.endswith(part) and now.startswith(bad[: len(bad) - len(part)]) for part in kept(journal)
            ), "bytes were destroyed"


def test_a_file_that_is_shorter_than_what_was_durable_stops_the_writing(journal: Path) -> None:
    whole = place(journal).read_bytes()

    for size in (0, 1, whole.index(b"\n") + 1, len(whole) - 1):
        place(journal).write_bytes(whole[:size])

        with pytest.raises(
            DamagedError, match=rf"000001\.jsonl: {len(whole) - size:,} durable bytes are missing at its end"
        ):
            write(journal, "next")

        assert place(journal).read_bytes() == whole[:size]


def test_a_newest_segment_that_is_gone_stops_the_writing(journal: Path) -> None:
    place(journal).unlink()

    with pytest.raises(
        DamagedError, match=r"000001\.jsonl: this segment is missing, and it contained durable events"
    ) as raised:
        write(journal, "next")

    assert raised.value.hint is not None
    assert not place(journal).exists()


def test_an_older_journal_that_was_put_back_under_a_newer_hint_stops_the_writing(journal: Path) -> None:
    older = place(journal).read_bytes()
    write(journal, "four")
    place(journal).write_bytes(older)

    with pytest.raises(DamagedError, match="durable bytes are missing at its end"):
        write(journal, "five")


def test_another_journal_of_the_same_length_under_a_hint_stops_the_writing(journal: Path) -> None:
    """Chained anew from the line on that was changed: only the hint knows."""
    durable = place(journal).read_bytes()
    told = hint(journal).read_bytes()
    first = durable[: durable.index(b"\n") + 1]
    place(journal).write_bytes(first)
    hint(journal).unlink()
    write(journal, "one", "two", "THREE")
    hint(journal).write_bytes(told)
    assert len(place(journal).read_bytes()) == len(durable)

    with pytest.raises(DamagedError, match=r"000001\.jsonl:4: damaged: a line was changed"):
        write(journal, "next")


def test_an_older_journal_that_was_put_back_with_its_hint_goes_on(journal: Path) -> None:
    older, told = place(journal).read_bytes(), hint(journal).read_bytes()
    write(journal, "four")
    place(journal).write_bytes(older)
    hint(journal).write_bytes(told)

    write(journal, "five")

    assert texts(journal) == ["one", "two", "three", "five"]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\0" * 200,
        b"garbage\n",
        b'0000000000000000000000000000000000000000 ["0123456789abcdef",1,10,10,4,"",[],0]\n',
        b"\xff" * 9000,
    ],
)
def test_a_hint_that_says_nothing_is_no_hint(journal: Path, said: bytes) -> None:
    hint(journal).write_bytes(said)

    notices = write(journal, "next")

    assert texts(journal) == ["one", "two", "three", "next"]
    assert notices == []


def test_a_torn_hint_is_no_hint(journal: Path) -> None:
    told = hint(journal).read_bytes()

    for size in range(len(told)):
        hint(journal).write_bytes(told[:size] + b"x" * 40)
        assert head.read(Files(str(journal)), WRITER) is None or told[:size].endswith(b"\n")


@pytest.mark.parametrize(
    "values", ["[{w},1,10,1000000000000,4,{h},[],0]", "[{w},1,-5,10,4,{h},[],0]", "[{w},{w},1,1,1,1,1,1]"]
)
def test_a_hint_with_impossible_values_is_no_hint(journal: Path, values: str) -> None:
    from agentws.core.formats import digest

    body = values.replace("{w}", f'"{WRITER}"').replace("{h}", '"00"').encode()
    hint(journal).write_bytes(digest.quick(body).encode() + b" " + body + b"\n")

    write(journal, "next")

    assert texts(journal) == ["one", "two", "three", "next"]


def test_a_hint_of_another_writer_is_no_hint(journal: Path) -> None:
    other = Appender(Files(str(journal)), AGENT, "fedcba9876543210")
    other.append([entry("mine")])
    shutil.copy(journal / ".agentws/fedcba9876543210.head", hint(journal))

    write(journal, "next")

    assert texts(journal) == ["one", "two", "three", "next"]


def test_a_hint_that_lags_by_segments_is_good_enough(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = hint(journal).read_bytes()
    monkeypatch.setattr(segment, "LIMIT_BYTES", len(place(journal).read_bytes()) + 10)
    write(journal, "four", "five", "six", "seven")
    assert place(journal, 3).exists()
    hint(journal).write_bytes(told)

    write(journal, "next")

    newest = max(number for number in range(1, 9) if place(journal, number).exists())
    assert texts(journal, newest)[-1] == "next"


@pytest.mark.parametrize("left", [b"", bytes(500), b'{"agentws":1,"seq":5,"id":"'])
def test_a_new_segment_of_which_a_power_cut_has_left_nothing_gets_its_first_line_again(
    journal: Path, monkeypatch: pytest.MonkeyPatch, left: bytes
) -> None:
    told = hint(journal).read_bytes()
    monkeypatch.setattr(segment, "LIMIT_BYTES", len(place(journal).read_bytes()) + 10)
    write(journal, "four")
    assert texts(journal, 2) == ["four"]
    place(journal, 2).write_bytes(left)
    hint(journal).write_bytes(told)

    write(journal, "next")

    assert texts(journal) == ["one", "two", "three"]
    assert texts(journal, 2) == ["next"]
    assert kept(journal) == ([left] if left else [])


@pytest.mark.parametrize("left", [b"", bytes(500)])
def test_a_first_segment_of_which_a_power_cut_has_left_nothing_begins_the_journal_again(
    tmp_path: Path, left: bytes
) -> None:
    write(tmp_path, "lost")
    hint(tmp_path).unlink()
    place(tmp_path).write_bytes(left)

    write(tmp_path, "next")

    assert texts(tmp_path) == ["next"]


def test_mending_twice_changes_nothing_more(journal: Path) -> None:
    place(journal).write_bytes(place(journal).read_bytes() + b'{"agentws":1,"se')
    store = Files(str(journal))
    with lock.Lock(store, lock.APPEND, timeout_s=1):
        first = end.find(store, AGENT, WRITER, None)
        tree = {path: path.read_bytes() for path in journal.rglob("*") if path.is_file()}

        second = end.find(store, AGENT, WRITER, None)

    assert len(first.notices) == 1
    assert second.notices == []
    assert (second.head.seq, second.head.hash) == (first.head.seq, first.head.hash)
    assert {path: path.read_bytes() for path in journal.rglob("*") if path.is_file()} == tree


def test_a_mark_of_a_failed_sync_is_taken_away_by_whoever_goes_on_in_a_new_segment(journal: Path) -> None:
    store = Files(str(journal))
    known = head.read(store, WRITER)
    assert known is not None
    sync_failure.mark(store, known, OSError(5, "Input/output error"))
    assert sync_failure.stands(store, WRITER)

    (notice,) = write(journal, "next")

    assert not sync_failure.stands(store, WRITER)
    assert texts(journal, 2) == ["next"]
    assert texts(journal) == ["one", "two", "three"]
    assert "A disk error lost an event" in notice
    assert write(journal, "more") == []


def test_a_sync_that_fails_while_a_tail_is_mended_leaves_a_mark(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier whole line may be lost by it, on which later ones would rest."""
    place(journal).write_bytes(place(journal).read_bytes() + b"torn")
    inode = place(journal).stat().st_ino
    real = _files.sync_data

    def fail(fd: int) -> None:
        if os.fstat(fd).st_ino == inode:
            raise OSError(5, "Input/output error")
        real(fd)

    monkeypatch.setattr(_files, "sync_data", fail)
    with pytest.raises(AgentwsError):
        write(journal, "next")

    assert sync_failure.stands(Files(str(journal)), WRITER)


def test_a_segment_much_larger_than_any_of_ours_is_damage_and_not_read_into_memory(journal: Path) -> None:
    os.truncate(place(journal), 3 << 30)

    with pytest.raises(DamagedError, match=r"000001\.jsonl"):
        write(journal, "next")

    assert place(journal).stat().st_size == 3 << 30
