"""P1, P5: what an append promises while others append, rotate, purge and exchange files."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats.journal import chain, event, segment, segment_index
from agentws.core.journal import head, stamp, sync_failure
from agentws.core.journal.append import Appender
from agentws.core.journal.entry import PendingEvent
from agentws.errors import AgentwsError, DamagedError, DiskError, UsageError
from tests.core.journal.test_end import AGENT, WRITER, entry, place


def appender(root: Path) -> Appender:
    return Appender(Files(str(root)), AGENT, WRITER)


def events(root: Path) -> list[event.Event]:
    """All events, the chain between them checked."""
    found: list[event.Event] = []
    prev = chain.genesis(AGENT, WRITER)
    number = 1
    while place(root, number).exists():
        *lines, rest = place(root, number).read_bytes().split(b"\n")
        assert rest == b""
        for line in lines:
            prev = chain.check(line, seq=len(found) + 1, prev=prev)
            found.append(event.decode(line, writer=WRITER, segment=number))
        number += 1
    return found


def texts(root: Path) -> list[str]:
    return [str((one.body or {})["text"]) for one in events(root) if one.kind != event.OPENED]


def full(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next line needs a new segment."""
    monkeypatch.setattr(segment, "LIMIT_BYTES", place(root, newest(root)).stat().st_size)


def newest(root: Path) -> int:
    return max(number for number in range(1, 99) if place(root, number).exists())


def test_an_event_is_told_its_number_hash_and_place(tmp_path: Path) -> None:
    one, two = entry("one"), entry("two")

    appender(tmp_path).append([one, two])

    _, first, second = events(tmp_path)
    assert (one.seq, one.hash, one.segment) == (2, first.hash, 1)
    assert (two.seq, two.hash) == (3, second.hash)
    assert one.stored == place(tmp_path).read_bytes().splitlines(keepends=True)[1]


def test_threads_with_one_appender_and_appenders_of_one_process_write_one_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment, "LIMIT_BYTES", 20_000)
    shared, own = appender(tmp_path), appender(tmp_path)
    failures: list[BaseException] = []

    def work(name: str, by: Appender) -> None:
        try:
            for number in range(40):
                by.append([entry(f"{name} {number}")])
        except BaseException as error:
            failures.append(error)

    whose = {"a": shared, "b": shared, "c": own, "d": shared}
    threads = [threading.Thread(target=work, args=each) for each in whose.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    found = texts(tmp_path)
    for name in "abcd":
        assert [text for text in found if text.startswith(name)] == [f"{name} {number}" for number in range(40)]
    assert newest(tmp_path) > 1


def test_another_file_put_in_the_place_of_the_segment_while_it_is_written_takes_no_event_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    by.append([entry("one")])
    real = Appender._put

    def put(self: Appender, fd: int, lines: list[bytes], start: head.Head) -> None:
        """An editor saves the file: what it had read, as a new one."""
        monkeypatch.setattr(Appender, "_put", real)
        shutil.copy(place(tmp_path), tmp_path / "saved")
        real(self, fd, lines, start)
        os.replace(tmp_path / "saved", place(tmp_path))

    monkeypatch.setattr(Appender, "_put", put)
    by.append([entry("two")])

    assert texts(tmp_path) == ["one", "two"]


def test_a_segment_of_the_same_bytes_in_another_file_is_gone_on_with(tmp_path: Path) -> None:
    by = appender(tmp_path)
    by.append([entry("one")])
    shutil.copy(place(tmp_path), tmp_path / "copy")
    os.replace(tmp_path / "copy", place(tmp_path))

    by.append([entry("two")])

    assert texts(tmp_path) == ["one", "two"]


def test_a_process_that_has_written_before_sees_what_others_have_added_and_rotated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = appender(tmp_path), appender(tmp_path)
    mine.append([entry("one")])
    other.append([entry("two")])
    full(tmp_path, monkeypatch)
    other.append([entry("three")])
    monkeypatch.undo()

    mine.append([entry("four")])

    assert texts(tmp_path) == ["one", "two", "three", "four"]
    assert newest(tmp_path) == 2


def test_a_sync_outside_of_the_lock_that_a_rotation_overtakes_is_still_an_acknowledgement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = appender(tmp_path), appender(tmp_path)
    mine.append([entry("one")])
    real = Appender._make_durable

    def overtaken(self: Appender, *arguments: object) -> None:
        monkeypatch.setattr(Appender, "_make_durable", real)
        full(tmp_path, monkeypatch)
        other.append([entry("three")])
        real(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Appender, "_make_durable", overtaken)
    mine.append([entry("two")])
    monkeypatch.undo()
    mine.append([entry("four")])

    assert texts(tmp_path) == ["one", "two", "three", "four"]
    assert newest(tmp_path) == 2, "its hint of the first segment misleads nobody"


def test_a_group_that_does_not_fit_goes_on_in_the_next_segments(tmp_path: Path) -> None:
    big = [entry("." * 60_000 + str(number)) for number in range(40)]

    appender(tmp_path).append(big)

    assert [text[60_000:] for text in texts(tmp_path)] == [str(number) for number in range(40)]
    assert newest(tmp_path) == 3
    for number in (1, 2, 3):
        assert place(tmp_path, number).stat().st_size <= segment.LIMIT_BYTES


def opened(root: Path, number: int) -> dict[str, object]:
    first = next(one for one in events(root) if one.segment == number)
    assert first.kind == event.OPENED
    return first.body or {}


def test_a_new_segment_tells_what_is_open_unresolved_and_significant_as_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    by.append([entry("begins", "session.started", session="s1"), entry("begins", "session.started", session="s2")])
    by.append([entry("", "action", call="done"), entry("", "result", call="done"), entry("", "action", call="open")])
    by.append([entry("", "action", call="failed"), entry("no", "error", call="failed"), entry("so", "decision")])
    by.append([entry("ends", "session.ended", session="s1")])
    full(tmp_path, monkeypatch)
    by.append([entry("next")])

    told = opened(tmp_path, 2)

    def names(key: str) -> list[object]:
        refs = told[key]
        assert isinstance(refs, list)
        data = place(tmp_path).read_bytes()
        for ref in refs:
            line = data[ref["offset"] : data.index(b"\n", ref["offset"])]
            found = event.decode(line, writer=WRITER)
            assert (found.seq, found.kind) == (ref["seq"], ref["kind"])
        return [ref.get("call") or ref["kind"] for ref in refs]

    assert names("open") == ["open"]
    assert names("errors") == ["failed"]
    assert names("significant") == ["error", "decision"]
    assert told["sessions"] == ["s2"]
    assert told["overflowed"] == {"open": 0, "errors": 0, "significant": 0}
    assert "so" not in str(told)


def test_what_overflows_the_references_is_counted_over_all_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    for half in (0, 1):
        by.append([entry("", "action", call=f"c{half}-{number}") for number in range(40)])
        by.append([entry("", "error") for _ in range(10)])
        by.append([entry("", "decision") for _ in range(20)])
        full(tmp_path, monkeypatch)
        by.append([entry("next")])
        monkeypatch.undo()

    told = opened(tmp_path, 3)

    assert len(told["open"]) == segment_index.MOST_OPEN  # type: ignore[arg-type]
    assert len(told["errors"]) == segment_index.MOST_ERRORS  # type: ignore[arg-type]
    assert len(told["significant"]) == segment_index.MOST_SIGNIFICANT  # type: ignore[arg-type]
    assert told["overflowed"] == {"open": 80 - 64, "errors": 20 - 16, "significant": 60 - 32}


def test_the_largest_first_line_leaves_room_for_the_largest_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = appender(tmp_path)
    long = "x" * 100
    by.append([entry("", "action", call=f"{long}{number:028d}") for number in range(80)])
    by.append([entry("", "error", call=f"{long}{number:028d}") for number in range(30)])
    by.append([entry("", "session.started", session=f"{long}{number:028d}") for number in range(30)])
    full(tmp_path, monkeypatch)
    by.append([entry("next")])
    monkeypatch.undo()

    (first,) = [line for line in place(tmp_path, 2).read_bytes().splitlines() if b'"segment.opened"' in line]
    assert len(first) < chain.LINE_LIMIT_BYTES
    assert opened(tmp_path, 2)["number"] == 2


@pytest.mark.parametrize("size", [63_900, 63_981, 63_982, 63_983, 64_000, 64_500, 200_000])
def test_no_line_is_longer_than_64_kib_whatever_its_body(tmp_path: Path, size: int) -> None:
    at = stamp.now()
    one = PendingEvent(
        "k" * 64,
        {"text": "." * size},
        id=stamp.identifier(at),
        at=stamp.text(at),
        salt=stamp.salt(),
        session="s" * 128,
        src="a" * 128,
    )

    appender(tmp_path).append([one])

    (stored,) = place(tmp_path).read_bytes().splitlines(keepends=True)[1:]
    assert len(stored) <= chain.LINE_LIMIT_BYTES
    body = event.decode(stored[:-1], writer=WRITER).body or {}
    blob = tmp_path / segment.blob_path(WRITER, str(body.get("blob")))
    assert blob.exists() == ("text" not in body)
    if blob.exists():
        assert body["size"] == blob.stat().st_size > event.BODY_LIMIT_BYTES


def test_a_body_that_no_blob_may_hold_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        appender(tmp_path).append([entry("." * (33 << 20))])

    assert not (tmp_path / "journal").exists()


def test_an_event_belongs_to_the_newest_session_that_has_not_ended(tmp_path: Path) -> None:
    by = appender(tmp_path)
    by.append([entry("", "session.started", session="s1"), entry("a"), entry("", "session.started", session="s2")])
    by.append([entry("b"), entry("of s1", session="s1"), entry("", "session.ended", session="s2"), entry("c")])
    appender(tmp_path).append([entry("d"), entry("", "session.ended", session="s1"), entry("e")])

    found = {str((one.body or {})["text"]): one.session for one in events(tmp_path) if one.kind == "note"}
    assert found == {"a": "s1", "b": "s2", "of s1": "s1", "c": "s1", "d": "s1", "e": None}


def test_an_end_that_names_no_session_ends_the_newest(tmp_path: Path) -> None:
    by = appender(tmp_path)
    by.append([entry("", "session.started", session="s1"), entry("", "session.ended"), entry("after")])
    by.append([entry("later")])
    appender(tmp_path).append([entry("another process")])

    ends, *rest = events(tmp_path)[2:]
    assert ends.session == "s1"
    assert [one.session for one in rest] == [None, None, None]


def test_a_clock_that_steps_back_changes_no_order(tmp_path: Path) -> None:
    moments = ["2026-11-20T12:00:00.000000Z", "2026-11-20T10:00:00.000000Z", "1970-01-01T00:00:00.000000Z"]
    by = appender(tmp_path)
    for at in moments:
        one = entry(at)
        one.at = at
        by.append([one])

    assert texts(tmp_path) == moments
    assert [one.seq for one in events(tmp_path)] == [1, 2, 3, 4]


def test_damage_is_told_again_by_the_same_process_and_nothing_is_written(tmp_path: Path) -> None:
    by = appender(tmp_path)
    by.append([entry("one"), entry("two")])
    whole = place(tmp_path).read_bytes()
    place(tmp_path).write_bytes(whole[:-30])

    for _ in range(2):
        with pytest.raises(DamagedError):
            by.append([entry("three")])

    assert place(tmp_path).read_bytes() == whole[:-30]


def test_after_another_process_has_found_the_segment_empty_a_process_that_knew_more_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk had failed to keep even the first line: what this process remembers was never durable."""
    mine = appender(tmp_path)

    def fail(fd: int) -> None:
        raise OSError(5, "Input/output error")

    from agentws.core.disk import files

    real = files.sync_data
    monkeypatch.setattr(files, "sync_data", fail)
    with pytest.raises(AgentwsError):
        mine.append([entry("lost")])
    monkeypatch.setattr(files, "sync_data", real)
    place(tmp_path).write_bytes(b"")
    appender(tmp_path).append([entry("other")])

    mine.append([entry("mine")])

    assert texts(tmp_path)[-2:] == ["other", "mine"]
    assert not sync_failure.stands(Files(str(tmp_path)), WRITER)


def opened_segments(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The segments that are opened from now on, by their names."""
    opened: list[str] = []
    really = os.open

    def noted(path: str, *rest: int, **named: int) -> int:
        if str(path).endswith(".jsonl"):
            opened.append(str(path))
        return really(path, *rest, **named)

    monkeypatch.setattr(os, "open", noted)
    return opened


def test_a_process_opens_the_segment_once_also_where_another_one_writes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = appender(tmp_path), appender(tmp_path)
    ours.append([entry("one")])
    theirs.append([entry("two")])
    opened = opened_segments(monkeypatch)

    for text in ("three", "four"):
        ours.append([entry(text)])
        theirs.append([entry(f"{text} of theirs")])

    assert opened == []
    assert texts(tmp_path) == ["one", "two", "three", "three of theirs", "four", "four of theirs"]


def test_a_forked_child_opens_the_segment_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system tells of a failed sync once to all who share an open file."""
    shared = appender(tmp_path)
    shared.append([entry("one")])
    opened = opened_segments(monkeypatch)

    child = os.fork()
    if not child:
        try:
            shared.append([entry("two")])
        finally:
            os._exit(len(opened))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    shared.append([entry("three")])

    assert opened == []
    assert texts(tmp_path) == ["one", "two", "three"]


def test_a_line_that_another_process_left_torn_is_taken_out_though_the_segment_is_open(tmp_path: Path) -> None:
    ours = appender(tmp_path)
    ours.append([entry("one")])
    with place(tmp_path).open("ab") as file:
        file.write(b'{"agentws":1,"seq":3,"id":"01')

    ours.append([entry("two")])

    assert texts(tmp_path) == ["one", "two"]
    assert any("incomplete" in notice for notice in ours.notices)


def test_nothing_stays_open_of_an_appender_that_nobody_has_any_more(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    one = appender(tmp_path)
    one.append([entry("one")])
    assert len(os.listdir("/dev/fd")) == before + 1

    del one

    assert len(os.listdir("/dev/fd")) == before


def test_an_append_asks_the_system_for_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look of each process makes four of them slower: so many are counted, and no time is measured."""
    ours = appender(tmp_path)
    ours.append([entry("one")])
    asked: list[str] = []
    for name in ("open", "stat", "fstat", "pread", "write", "fdatasync", "fsync"):
        really = getattr(os, name)

        def noted(*words: object, name: str = name, really: Callable[..., object] = really, **named: object) -> object:
            asked.append(name)
            return really(*words, **named)

        monkeypatch.setattr(os, name, noted)

    ours.append([entry("two")])

    counts = {name: asked.count(name) for name in asked}
    assert counts.pop("stat") <= 13
    assert counts.pop("fstat") <= 6
    assert counts == {"open": 4, "write": 1, "fdatasync": 1}  # the workspace, `.agentws`, its lock, the hint


def test_a_failed_sync_that_no_mark_tells_of_stops_a_process_that_knows_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread of it may have found the end in between."""
    ours = appender(tmp_path)
    ours.append([entry("one")])
    ours._unmarked = ours._known.copy(), OSError("lost")  # type: ignore[union-attr]
    monkeypatch.setattr(sync_failure, "mark", lambda *_: False)

    with pytest.raises(DiskError):
        ours.append([entry("two")])
    assert texts(tmp_path) == ["one"]
