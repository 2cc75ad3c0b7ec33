"""Whatever is done to a line of a journal is found, and the line is named (P7)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import chain
from agentws.core.journal.sealing import verify
from agentws.core.journal.sealing.verified import VerifiedJournal
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.thorough import THOROUGH

Lines = list[bytes]
Place = tuple[str, int]


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    journals.small(monkeypatch)
    journals.fill(workspace)
    assert len(journals.segments(workspace)) >= 3
    return workspace


def verified(workspace: Workspace) -> VerifiedJournal:
    own = journals.here(workspace)
    return verify.verify(workspace.stores.files, own.agent, own)


def places(workspace: Workspace) -> set[Place]:
    return {(finding.path, finding.line) for finding in verified(workspace).findings}


def lines_of(path: Path) -> Lines:
    return path.read_bytes().split(b"\n")[:-1]


def each_line(workspace: Workspace) -> Iterator[tuple[Path, str, int]]:
    """(file, RelPath, index from 0) of each line of the journal."""
    for path in journals.segments(workspace):
        for index in range(len(lines_of(path))):
            yield path, str(path.relative_to(workspace.root)), index


def tampered(path: Path, change: Callable[[Lines], object]) -> Callable[[], int]:
    """Change the lines of a file; returns what puts them back."""
    before = path.read_bytes()
    lines = lines_of(path)
    change(lines)
    after = b"".join(line + b"\n" for line in lines)
    assert after != before
    path.write_bytes(after)
    return lambda: path.write_bytes(before)


def test_a_journal_that_nobody_touched_is_sound(journal: Workspace) -> None:
    found = verified(journal)

    assert (found.findings, found.notes) == ([], [])
    assert [(each.events, each.first) for each in found.writers] == [(sum(1 for _ in each_line(journal)), 1)]


EDITS = {
    "the body": lambda line: re.sub(rb'"body":\{"v":1', b'"body":{"v":2', line),
    "the salt": lambda line: re.sub(rb'"salt":"....', b'"salt":"0000', line),
    "the kind": lambda line: re.sub(rb'"kind":"\w', b'"kind":"x', line),
    "the time": lambda line: line.replace(b'"at":"2', b'"at":"1', 1),
    "the number": lambda line: re.sub(rb'"seq":(\d+)', rb'"seq":\g<1>7', line, count=1),
    "the hash before": lambda line: re.sub(rb'"prev":"....', b'"prev":"0000', line),
    "the digest": lambda line: re.sub(rb'"digest":"....', b'"digest":"0000', line, count=1),
    "a new key": lambda line: line.replace(b',"prev":', b',"evil":1,"prev":', 1),
    "the format": lambda line: line.replace(b'"agentws":1', b'"agentws":2', 1),
    "half of it": lambda line: line[: len(line) // 2],
    "all of it": lambda line: b"",
    "no JSON": lambda line: line.replace(b":", b";"),
    "no ASCII": lambda line: line[:-2] + "ü".encode() + line[-2:],
    "forgotten without an event": lambda line: (
        chain.header(line) + b',"salt":null,"body":null,"purged":"01a1f9ae-f375-75b6-b4e5-8779ba8ff94a"}'
    ),
    "forgotten with words": lambda line: (
        chain.header(line) + b',"salt":null,"body":{"v":1},"purged":"01a1f9ae-f375-75b6-b4e5-8779ba8ff94a"}'
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_line_is_named(journal: Workspace, what: str) -> None:
    def edit(lines: Lines) -> None:
        lines[index] = EDITS[what](lines[index])

    for path, name, index in each_line(journal):
        undo = tampered(path, edit)

        found = places(journal)

        assert found == {(name, index + 1)}, (name, index + 1)
        undo()


def test_a_deleted_line_is_named_by_the_place_where_it_stood(journal: Workspace) -> None:
    for path, name, index in each_line(journal):
        undo = tampered(path, lambda lines: lines.pop(index))  # noqa: B023 - called at once

        found = places(journal)

        assert (name, index + 1) in found, (name, index + 1, found)
        undo()


def test_swapped_lines_are_named(journal: Workspace) -> None:
    def swap(lines: Lines) -> None:
        lines[index], lines[index + 1] = lines[index + 1], lines[index]

    for path, name, index in each_line(journal):
        if index + 1 == len(lines_of(path)):
            continue
        undo = tampered(path, swap)

        found = places(journal)

        assert (name, index + 1) in found, (name, index + 1, found)
        undo()


def test_a_line_that_stands_twice_is_named(journal: Workspace) -> None:
    for path, name, index in each_line(journal):
        undo = tampered(path, lambda lines: lines.insert(index, lines[index]))  # noqa: B023

        found = places(journal)

        assert found == {(name, index + 2)}, (name, index + 2, found)
        undo()


def test_a_line_from_elsewhere_is_named(journal: Workspace) -> None:
    elsewhere = lines_of(journals.segments(journal)[1])[1]
    for path, name, index in each_line(journal):
        if elsewhere in lines_of(path)[max(0, index - 1) : index + 1]:
            continue
        undo = tampered(path, lambda lines: lines.insert(index, elsewhere))  # noqa: B023

        found = places(journal)

        assert (name, index + 1) in found, (name, index + 1, found)
        undo()


def test_a_line_that_was_put_between_and_goes_on_from_the_one_before_is_named(journal: Workspace) -> None:
    previous = b""
    for path, name, index in list(each_line(journal)):
        here = lines_of(path)[index]
        if previous and index:
            forged = forgery(previous, here)
            undo = tampered(path, lambda lines: lines.insert(index, forged))  # noqa: B023

            found = places(journal)

            assert found & {(name, index + 1), (name, index + 2)}, (name, index + 1, found)
            if index + 1 < len(lines_of(path)) - 1:
                assert found == {(name, index + 1)}
            undo()
        previous = here


def forgery(previous: bytes, model: bytes) -> bytes:
    """A line that stands rightly behind `previous`, as anybody can make it who knows the format."""
    fields = json.loads(model)
    tail = b'"salt":"%s","body":{"v":1,"text":"forged"}' % (b"0" * 32)
    fields.update(kind="note", prev=chain.hash_of(previous), digest=digest.of(tail))
    del fields["salt"], fields["body"]
    return json.dumps(fields, separators=(",", ":")).encode()[:-1] + b"," + tail + b"}"


def test_words_that_are_no_event_are_named_wherever_they_are_put(journal: Workspace) -> None:
    for path, name, index in each_line(journal):
        undo = tampered(path, lambda lines: lines.insert(index, b"no event"))  # noqa: B023

        found = places(journal)

        assert found == {(name, index + 1)}, (name, index + 1, found)
        undo()


def test_lines_that_lost_the_newline_between_them_are_named(journal: Workspace) -> None:
    for path, name, index in each_line(journal):
        if index + 1 == len(lines_of(path)):
            continue
        undo = tampered(path, lambda lines: lines.insert(index, lines.pop(index) + lines.pop(index)))  # noqa: B023

        found = places(journal)

        assert (name, index + 1) in found, found
        assert found <= {(name, index + 1), (name, index + 2)}, (name, index + 1, found)
        undo()


def test_a_segment_that_was_cut_is_named_at_the_line_where_it_ends(journal: Workspace) -> None:
    for path, name, index in each_line(journal):
        before = path.read_bytes()
        kept = b"".join(line + b"\n" for line in lines_of(path)[:index])
        for torn in (b"", lines_of(path)[index][:40]):
            path.write_bytes(kept + torn)

            found = places(journal)

            assert (name, index + 1) in found, (name, index + 1, torn, found)
        path.write_bytes(before)


def test_a_segment_that_is_gone_is_named(journal: Workspace) -> None:
    for path in journals.segments(journal):
        before = path.read_bytes()
        path.unlink()

        found = verified(journal).findings

        assert found
        last = path == journals.segments(journal)[-1] or path.name > journals.segments(journal)[-1].name
        named = {finding.path for finding in found}
        assert str(path.relative_to(journal.root)) in named or (last and "on disk" in found[-1].what)
        path.write_bytes(before)


def test_a_writer_whose_folder_is_gone_is_missed(journal: Workspace) -> None:
    journals.folder(journal).rename(Path(journal.root) / "journal" / "hidden")

    assert not verified(journal).sound


def test_the_segment_of_another_agent_is_no_journal_of_this_one(journal: Workspace) -> None:
    own = journals.here(journal)

    found = verify.verify(journal.stores.files, "another", own)

    assert (str(journals.segments(journal)[0].relative_to(journal.root)), 1) in {
        (finding.path, finding.line) for finding in found.findings
    }


def test_a_flipped_bit_is_found_at_its_line_wherever_it_is(journal: Workspace) -> None:
    for path in journals.segments(journal)[:: 1 if THOROUGH else 2]:
        name, before = str(path.relative_to(journal.root)), path.read_bytes()
        for position in range(0, len(before), 1 if THOROUGH else 13):
            line = before.count(b"\n", 0, position) + 1
            path.write_bytes(before[:position] + bytes([before[position] ^ 1]) + before[position + 1 :])

            found = places(journal)

            assert (name, line) in found, (name, line, position, found)
        path.write_bytes(before)


def test_a_blob_that_is_gone_or_changed_is_named_by_its_line(journal: Workspace) -> None:
    (blob, *_) = (journals.folder(journal) / "blobs").iterdir()
    (line,) = [
        (name, index + 1) for path, name, index in each_line(journal) if blob.name.encode() in lines_of(path)[index]
    ]
    before = blob.read_bytes()

    blob.write_bytes(before + b" ")
    assert places(journal) == {line}
    blob.unlink()
    assert places(journal) == {line}


# What looks like a crash is none where the machine knows better


def test_what_a_crash_left_behind_the_durable_end_is_a_note(journal: Workspace) -> None:
    path = journals.segments(journal)[-1]
    count = len(lines_of(path))
    for left in (b'{"agentws":1,"seq":', b"\0" * 100, b"\0" * 100 + b"\n" + lines_of(path)[-1] + b"\n"):
        before = path.read_bytes()
        path.write_bytes(before + left)

        found = verified(journal)

        assert found.sound
        assert (str(path.relative_to(journal.root)), count + 1) in {(note.path, note.line) for note in found.notes}
        path.write_bytes(before)


def test_a_torn_tail_is_a_note_where_this_machine_knows_nothing(journal: Workspace) -> None:
    for hint in (Path(journal.root) / ".agentws").glob("*.head"):
        hint.unlink()
    path = journals.segments(journal)[-1]
    path.write_bytes(path.read_bytes()[:-20])

    found = verified(journal)

    assert found.sound
    assert [note.line for note in found.notes] == [len(lines_of(path)) + 1]


# Whatever stands there


def test_what_is_no_file_is_named_and_never_opened(journal: Workspace) -> None:
    path = journals.segments(journal)[1]
    for put in (lambda: os.mkfifo(path), lambda: path.symlink_to("/etc/passwd"), path.mkdir):
        path.unlink()
        put()

        found = verify.verify(journal.stores.files, journal.stores.manifest.agent_id, progress=lambda done, total: None)

        assert (str(path.relative_to(journal.root)), 1) in {(each.path, each.line) for each in found.findings}
        path.rmdir() if path.is_dir() and not path.is_symlink() else None
        path.exists() or path.is_symlink() or path.touch()


def test_a_segment_of_rubbish_is_one_finding_however_long(journal: Workspace) -> None:
    path = journals.segments(journal)[1]
    name = str(path.relative_to(journal.root))
    for rubbish in (b"\n" * 300_000, b"{" * 2_000_000, b"x\n" * 100_000 + b"[" * 100_000 + b"\n"):
        path.write_bytes(rubbish)

        found = verified(journal)

        assert [(each.path, each.line) for each in found.findings] == [(name, 1)]
    os.truncate(path, 10 << 30)
    assert not verified(journal).sound
