"""The log of rows: durable, all or none, and shared by threads and processes."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentws.core.disk import files
from agentws.errors import (
    ChangedUnderneathError,
    DamagedError,
    DiskError,
    LockHeldError,
    MissingFileError,
    NotForAudienceError,
    UsageError,
)
from agentws.features.data import row_log
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

NAME = "langgraph/thread-1"
LONG = "langgraph/" + "ä" * 300


def test_rows_are_read_in_the_order_in_which_they_were_added(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)

    offsets = [*log.append({"n": 1}, {"n": 2, "text": "é\n\ud800"}), *log.append({"n": 3})]

    assert [offset for offset, _ in log.read()] == offsets
    assert [row["n"] for _, row in log.read()] == [1, 2, 3]
    assert log.at(offsets[1]) == {"n": 2, "text": "é\n\ud800"}
    assert [row for _, row in log.read(offsets[2])] == [{"n": 3}]
    assert log.size == Path(workspace.root, log.path).stat().st_size


def test_without_rows_there_is_no_file(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)

    with log.locked():
        assert list(log.read()) == log.append() == []
    assert (log.size, log.delete(), workspace.data.row_logs()) == (0, False, [])
    assert not Path(workspace.root, log.path).exists()


@pytest.mark.parametrize("name", [NAME, LONG])
def test_another_reader_goes_on_where_it_was(workspace: Workspace, name: str) -> None:
    writer, reader = workspace.data.rows(name), workspace.data.rows(name)
    rows, end = reader.since()
    assert rows == []

    writer.append({"n": 1}, {"n": 2})
    rows, end = reader.since(end)
    assert [row["n"] for _, row in rows] == [1, 2]

    writer.append({"n": 3})
    rows, end = reader.since(end)
    assert [row["n"] for _, row in rows] == [3]
    assert reader.since(end) == ([], end)


@pytest.mark.parametrize("name", [NAME, LONG])
def test_a_batch_torn_at_any_byte_is_read_as_none_and_removed(workspace: Workspace, name: str) -> None:
    log = workspace.data.rows(name)
    log.append({"n": 0}, {"n": 1})
    path, before = Path(workspace.root, log.path), log.size
    log.append({"n": 2}, {"n": 3, "text": "é"}, {"n": 4})
    whole = path.read_bytes()

    for end in range(before, len(whole) + 1):
        path.write_bytes(whole[:end])
        # Only the newline behind a whole row may be missing.
        numbers = [0, 1, 2, 3, 4] if end >= len(whole) - 1 else [0, 1]
        reader = workspace.data.rows(name)
        assert [row["n"] for _, row in reader.read()] == numbers
        offset = workspace.data.rows(name).append({"n": 9})[0]
        assert [row["n"] for _, row in reader.read()] == [*numbers, 9]
        assert reader.at(offset) == {"n": 9}


def test_a_power_cut_leaves_zeros_that_are_removed(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    with open(os.path.join(workspace.root, log.path), "ab") as file:
        file.write(b' {"n":2}\n' + bytes(4096))

    other = workspace.data.rows(NAME)
    assert [row["n"] for _, row in other.read()] == [1]
    other.append({"n": 3})

    assert [row["n"] for _, row in log.read()] == [1, 3]
    assert any("quarantine" in notice for notice in workspace.notices)


@pytest.mark.parametrize("name", [NAME, LONG])
def test_the_torn_first_batch_leaves_nothing(workspace: Workspace, name: str) -> None:
    log = workspace.data.rows(name)
    log.append({"n": 1}, {"n": 2})
    path = Path(workspace.root, log.path)
    whole = path.read_bytes()

    for end in range(len(whole) - 1):
        path.write_bytes(whole[:end])
        other = workspace.data.rows(name)
        assert list(other.read()) == []
        other.append({"n": 3})
        assert [row for _, row in other.read()] == [{"n": 3}]
        assert workspace.data.row_logs("langgraph/") == [name]


@pytest.mark.parametrize(
    "row",
    [
        *({"x": float("nan")}, {"x": b""}, {"x": {1, 2}}, {("a",): 1}, [1], "text"),
        *({1: "a", "1": "b"}, {"x": {None: 1}}, {"x": [1, ({"y": {True: 1}},)]}, OrderedDict({1.5: 1})),
    ],
)
def test_what_is_not_json_is_refused_and_nothing_is_written(workspace: Workspace, row: object) -> None:
    log = workspace.data.rows(NAME)

    with pytest.raises(UsageError):
        log.append({"n": 1}, row)  # type: ignore[arg-type]

    assert workspace.data.row_logs() == []


def test_a_broken_line_in_the_middle_is_damage(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    log.append({"n": 2})
    path = Path(workspace.root, log.path)
    path.write_text(path.read_text().replace('{"n":1}', '{"n":1'))

    with pytest.raises(DamagedError, match=r"thread-1\.jsonl:1:"):
        list(workspace.data.rows(NAME).read())


def test_the_last_line_is_damage_if_it_was_once_sound(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    with open(os.path.join(workspace.root, log.path), "r+b") as file:
        file.write(b"[")

    with pytest.raises(DamagedError):
        list(log.read())


def test_at_refuses_what_is_no_beginning(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    with pytest.raises(MissingFileError):
        log.at(0)
    log.append({"n": 1})

    for offset in (1, 8, 100):
        with pytest.raises(MissingFileError):
            log.at(offset)


def test_replaced_rows_are_a_new_generation_for_every_reader(workspace: Workspace) -> None:
    log, other = workspace.data.rows(NAME), workspace.data.rows(NAME)
    log.append({"n": 1}, {"n": 2})
    before = other.generation
    assert other.since(generation=before)[1] == log.size

    offsets = log.replace([{"n": 3}, {"n": 4}])

    assert [other.at(offset) for offset in offsets] == [{"n": 3}, {"n": 4}]
    assert other.generation != before
    for call in (other.since, other.at):
        with pytest.raises(ChangedUnderneathError):
            call(0, generation=before)
    assert other.append({"n": 5})[0] > offsets[-1]
    assert [row["n"] for _, row in log.read()] == [3, 4, 5]


@pytest.mark.parametrize("name", [NAME, LONG])
def test_a_deleted_log_begins_anew(workspace: Workspace, name: str) -> None:
    log, other = workspace.data.rows(name), workspace.data.rows(name)
    log.append({"n": 1})
    before = other.generation

    assert log.delete()

    assert other.generation != before
    assert list(other.read()) == []
    other.append({"n": 2})
    assert [row for _, row in log.read()] == [{"n": 2}]


def test_a_failed_replacement_changes_nothing(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    generation = log.generation

    with pytest.raises(UsageError):
        log.replace([{"n": 2}, {"x": b""}])

    assert [row for _, row in log.read(generation=generation)] == [{"n": 1}]
    assert os.listdir(os.path.join(workspace.root, "data/langgraph")) == ["thread-1.jsonl"]


def test_what_another_program_puts_in_its_place_is_followed(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    path = Path(workspace.root, log.path)
    beside = path.with_name("beside")
    beside.write_text('{"n":7}')  # without a newline
    beside.rename(path)

    log.append({"n": 8})

    assert [row["n"] for _, row in log.read()] == [7, 8]
    assert path.read_text().endswith('{"n":7}\n{"n":8}\n')


@pytest.mark.parametrize("first_bytes", [1, 7, 1 << 16])
def test_marked_rows_are_read_from_the_end(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, first_bytes: int
) -> None:
    monkeypatch.setattr("agentws.features.data.rows_file._FIRST_BYTES", first_bytes)
    monkeypatch.setattr("agentws.features.data.rows_file.PIECE_BYTES", max(64, first_bytes))
    log = workspace.data.rows(NAME)
    assert [*log.backwards(b'"mark"')] == []
    for number in range(20):
        log.append(
            {"n": number, "text": "x" * (number * 37 % 200)}, {"n": number, "mark" if number % 3 else "m": "mark"}
        )
    with open(f"{workspace.root}/{log.path}", "a") as file:
        file.write('{"mark": "to')

    assert [*log.backwards(b'"mark":')] == [(offset, row) for offset, row in log.read() if "mark" in row][::-1]


def test_a_row_with_the_key_of_the_head_is_a_row(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"agentws-rows": "x"})

    assert [row for _, row in log.read()] == [{"agentws-rows": "x"}]


def test_names_are_listed_by_their_beginning(workspace: Workspace) -> None:
    names = ["Orders", "langgraph/A", "langgraph/a", "langgraph/a/b", LONG, "orders"]
    for name in names:
        workspace.data.rows(name).append({"name": name})

    assert workspace.data.row_logs() == sorted(names)
    assert workspace.data.row_logs("langgraph/a") == ["langgraph/a", "langgraph/a/b"]
    assert workspace.data.row_logs("langgraph/ä") == [LONG]
    assert workspace.data.row_logs("nothing") == []
    assert [row for name in names for _, row in workspace.data.rows(name).read()] == [{"name": name} for name in names]


def test_a_full_disk_takes_the_batch_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})

    def refuse(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(files, "sync_data", refuse)
        with pytest.raises(DiskError):
            log.append({"n": 2}, {"n": 3})
    log.append({"n": 4})

    assert [row["n"] for _, row in workspace.data.rows(NAME).read()] == [1, 4]


def test_many_open_logs_close_the_oldest(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_log, "_MOST_OPEN", 3)
    logs = [workspace.data.rows(f"thread-{number}") for number in range(8)]
    with logs[0].locked():
        for turn in range(2):
            for log in logs:
                log.append({"turn": turn})
        opened = [log for log in logs if log._open is not None]

    assert logs[0] in opened
    assert len(opened) <= 4
    assert all([row["turn"] for _, row in log.read()] == [0, 1] for log in logs)


def test_the_lock_excludes_other_objects_and_is_given_back(workspace: Workspace) -> None:
    impatient = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", patience_s=0.01))
    with workspace.data.rows(NAME).locked():
        for change in (impatient.data.rows(NAME).append, lambda row: impatient.data.rows(NAME).replace([row])):
            with pytest.raises(LockHeldError):
                change({"n": 1})
    impatient.data.rows(NAME).append({"n": 2})

    assert [row["n"] for _, row in workspace.data.rows(NAME).read()] == [2]


def test_a_shared_audience_has_no_rows(workspace: Workspace) -> None:
    shared = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", audience="shared"))

    with pytest.raises(NotForAudienceError):
        _ = shared.data.rows


def _count(root: str, worker: int) -> None:
    log = Workspace.open(root).data.rows(NAME)

    def count(thread: int) -> None:
        for number in range(20):
            with log.locked():
                position = sum(1 for _ in log.read())
                log.append({"by": [worker, thread], "n": number, "at": position}, {"at": position + 1})

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(count, range(3)))


def test_threads_and_processes_share_one_log(workspace: Workspace) -> None:
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=_count, args=(workspace.root, worker)) for worker in range(2)]
    for child in children:
        child.start()
    _count(workspace.root, 2)
    for child in children:
        child.join()

    rows = [row for _, row in workspace.data.rows(NAME).read()]
    assert [row["at"] for row in rows] == list(range(3 * 3 * 20 * 2))
    assert {json.dumps(row["by"]) for row in rows if "by" in row} == {f"[{w}, {t}]" for w in range(3) for t in range(3)}


def test_a_forked_child_writes_with_a_lock_of_its_own(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    with log.locked():
        child = os.fork()
        if child == 0:
            try:
                log.append({"n": 3})  # waits for the parent
            finally:
                os._exit(0)
        log.append({"n": 2})
    os.waitpid(child, 0)

    assert [row["n"] for _, row in log.read()] == [1, 2, 3]


def test_a_child_that_leaves_the_block_it_was_forked_in_locks_again(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    child = 0
    try:
        with log.locked():
            child = os.fork()
        if child == 0:
            with log.locked():
                depth = log._depth
            os._exit(0 if (depth, log._depth) == (1, 0) else 1)
    finally:
        if child == 0:
            os._exit(2)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_torn_line_is_no_row_even_if_its_beginning_can_be_parsed(workspace: Workspace) -> None:
    log = workspace.data.rows(NAME)
    log.append({"n": 1})
    _, end = log.since()
    path = Path(workspace.root, log.path)
    path.write_bytes(path.read_bytes() + b'{"value":{"n":2}')

    assert log.since(end, parse=lambda line: {"line": line}) == ([], end)
