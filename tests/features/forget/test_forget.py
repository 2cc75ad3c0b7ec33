"""forget: what is to be forgotten is nowhere any more, and everything else is as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.documents import managed, sources
from agentws.core.formats.documents.sources import Folded, Left, Made, Source
from agentws.core.formats.journal import packed
from agentws.core.stores.stores import Stores
from agentws.errors import ChangedUnderneathError, NothingToUndoError, UsageError
from agentws.features.forget.forget import Forgotten
from agentws.workspace import Environment, Workspace
from tests.features.journal.keeping import check_chain, elsewhere, everywhere, note, of_kind, reopened, tree

NAME = "Sam Tester"
DAY = "memory/2026-03-02.md"
ARCHIVED = "memory/archive/2026/2026-03-02.md"
LOG = "# 2026-03-02\n\n- met Sam Tester about the roof\n- the roof has 300 tiles\n- there was a long meeting\n"


def put(workspace: Workspace, path: str, text: str) -> Path:
    file = Path(workspace.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def text_of(workspace: Workspace, path: str) -> str:
    return Path(workspace.root, path).read_bytes().decode()


def compacted(workspace: Workspace) -> None:
    """A day that was folded into three memories, one of which left MEMORY.md later."""
    data = LOG.encode()
    put(workspace, ARCHIVED, LOG)
    texts = {3: "Sam Tester knows roofs", 4: "The roof has 300 tiles", 5: "A long meeting was held"}
    made = [made_of(managed.of_text(text), data, 3 if line == 5 else line) for line, text in texts.items()]
    gone = Left(managed.of_text("Sam Tester has no phone"), "Sam Tester has no phone", kind="People", run="r2")
    put(workspace, sources.PATH, sources.encode([*made, made_of(gone.entry, data, 5), gone]))
    lines = sources.line_digests(data)
    folded = Folded(
        DAY, ARCHIVED, day="2026-03-02", size=len(data), digest=digest.of(data), lines=lines, run="r1"
    )  # fmt: skip
    put(workspace, "memory/archive/2026/2026-03.jsonl", sources.encode([folded]))
    entries = "".join(f"- {text}\n" for text in texts.values())
    put(workspace, "MEMORY.md", f"# Memory\n\n- mine\n\n## From the logs\n\n### Facts\n\n{entries}")
    put(
        workspace,
        "memory/archive/superseded.md",
        "# What left\n\n## 2026-04-01\n\n- Sam Tester has no phone (crowded)\n",
    )


def made_of(entry: str, data: bytes, line: int) -> Made:
    return Made(
        entry, [Source(DAY, line, line, sources.of_lines(data, line, line))], day="2026-03-02", worth=1, run="r1"
    )


def forget(workspace: Workspace, **words: object) -> Forgotten:
    return reopened(workspace).memory.forget(subjects=[NAME], **words)  # type: ignore[arg-type]


def places(found: Forgotten) -> set[str]:
    return {f"{path}:{line.line}" for path, line in found.lines}


def test_it_is_found_in_every_document_and_in_the_journal_of_every_writer(workspace: Workspace, tmp_path: Path) -> None:
    compacted(workspace)
    for path in ("USER.md", "tasks/roof.md", "handoffs/2026-11-20-071500-x.md", "contexts/a.md", "memory/topics/b.md"):
        put(workspace, path, f"one\n{NAME}\n")
    here = note(workspace, f"{NAME} called", f"long {'x ' * 40_000} {NAME}", "other")
    there = note(elsewhere(workspace, tmp_path / "other"), "sám tester's mail")

    found = forget(workspace, dry_run=True)

    assert places(found) == {
        "MEMORY.md:9", f"{ARCHIVED}:3", "memory/archive/superseded.md:5", "memory/sources.jsonl:1",
        "memory/sources.jsonl:4", "memory/sources.jsonl:5", "USER.md:2", "tasks/roof.md:2",
        "handoffs/2026-11-20-071500-x.md:2", "contexts/a.md:2", "memory/topics/b.md:2",
    }  # fmt: skip
    assert {said.line.cursor for said in found.events} == {*here[:2], *there}
    assert [bool(said.line.blob) for said in found.events].count(True) == 1


def test_it_is_nowhere_any_more_and_the_second_run_finds_nothing(workspace: Workspace) -> None:
    compacted(workspace)
    workspace.log(f"met {NAME}")
    workspace.remember(f"{NAME} likes tea")
    workspace.undo()
    put(workspace, "USER.md", f"one\n- {NAME}\n\ntwo\n")
    note(workspace, f"{NAME} called", f"long {'x ' * 40_000} {NAME}")
    put(workspace, ".agentws/quarantine/2026-11-20.md.1", f"- torn {NAME}\n- kept")

    done = forget(workspace, reason="asked for it")

    assert everywhere(workspace.root, NAME) == []
    assert text_of(workspace, "USER.md") == "one\n\n\ntwo\n"
    assert text_of(workspace, ".agentws/quarantine/2026-11-20.md.1") == "\n- kept"
    assert not done.is_empty
    again = forget(workspace)
    assert again.is_empty
    assert len(of_kind(workspace, "forgotten")) == 1
    check_chain(workspace)


def test_what_is_not_meant_stays_as_it_was(workspace: Workspace) -> None:
    compacted(workspace)
    put(workspace, "USER.md", f"one\r\n{NAME}\r\n\xff two")
    note(workspace, "other")
    before = tree(workspace.root)

    done = forget(workspace)

    after = tree(workspace.root)
    touched = {path for path, line in done.lines} | {"memory/archive/2026/2026-03.jsonl"}
    ours = (".agentws/", "journal/", "identity/")
    changed = {path for path in before.keys() | after if before.get(path) != after.get(path)}
    assert {path for path in changed if not path.startswith(ours)} == touched
    assert text_of(workspace, "USER.md") == "one\r\n\r\n\xff two"
    assert [found.body is None for found in of_kind(workspace, "note")] == [False]


def test_what_compaction_wrote_down_agrees_with_what_is_left(workspace: Workspace) -> None:
    compacted(workspace)

    forget(workspace)

    known = sources.decode(text_of(workspace, sources.PATH))
    sources.decode(text_of(workspace, "memory/archive/2026/2026-03.jsonl"), known)
    data = Path(workspace.root, ARCHIVED).read_bytes()
    assert known.folded[DAY].is_as_it_was(data)
    assert known.folded[DAY].run == "r1"
    left = managed.read(text_of(workspace, "MEMORY.md")).entries
    assert [entry.text for entry in left] == ["The roof has 300 tiles", "A long meeting was held"]
    assert known.made.keys() == {entry.digest for entry in left}
    for made in known.made.values():
        assert all(sources.of_lines(data, one.line, one.end) == one.digest for one in made.sources)


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_memory_that_was_made_of_a_forgotten_line_is_named_where_it_stands(
    dry_run: bool, workspace: Workspace
) -> None:
    compacted(workspace)

    found = forget(workspace, dry_run=dry_run)

    (left,) = [left for left in found.left if left.place.startswith("MEMORY.md")]
    line = int(left.place.partition(":")[2])
    assert text_of(workspace, "MEMORY.md").split("\n")[line - 1] == "- A long meeting was held"


def test_a_dry_run_changes_nothing(workspace: Workspace) -> None:
    compacted(workspace)
    note(workspace, NAME)
    before = tree(workspace.root)

    assert not forget(workspace, dry_run=True).is_empty

    assert tree(workspace.root) == before


def test_the_journal_tells_that_and_why_but_not_what(workspace: Workspace) -> None:
    file = put(workspace, "USER.md", f"{NAME}\n")
    named = put(workspace, "contexts/sam-tester.md", f"{NAME}\n")
    before = {path.name: digest.of(path.read_bytes()) for path in (file, named)}
    (cursor,) = note(workspace, f"{NAME} called")

    done = forget(workspace, reason="a request of 1 March")

    (event,) = of_kind(workspace, "forgotten")
    body = event.body
    assert body is not None
    assert event.cursor == done.cursor
    assert (body["reason"], body["events"]) == ("a request of 1 March", [cursor])
    assert {row[1]: row[2] for row in body["documents"]} == dict.fromkeys(before.values(), digest.of(b"\n"))
    assert [row[0] for row in body["documents"] if not row[0].startswith("sha256:")] == ["USER.md"]
    assert body["subjects"] == [digest.of(f"{body['salt']} sam tester".encode())]
    assert "tester" not in repr(body).lower()
    (order,) = of_kind(workspace, "purged")
    assert (order.body or {})["reason"] == "a request of 1 March"


def test_a_reason_that_says_it_is_refused(workspace: Workspace) -> None:
    put(workspace, "USER.md", f"{NAME}\n")

    with pytest.raises(UsageError):
        forget(workspace, reason="sam tester asked")

    assert text_of(workspace, "USER.md") == f"{NAME}\n"


def test_a_forgetting_and_what_it_took_from_undo_cannot_be_taken_back(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", f"# Memory\n- {NAME}\n")
    workspace.remember("tea")
    forget(workspace)
    before = tree(workspace.root)

    with pytest.raises(NothingToUndoError, match="forget"):
        reopened(workspace).undo()

    assert tree(workspace.root) == before
    assert everywhere(workspace.root, NAME) == []


def test_what_was_changed_after_a_forgetting_can_be_taken_back(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", f"# Memory\n- {NAME}\n")
    forget(workspace)
    reopened(workspace).remember("tea")

    assert reopened(workspace).undo().verb == "remember"


def test_more_than_was_agreed_to_is_not_forgotten(workspace: Workspace) -> None:
    put(workspace, "USER.md", f"{NAME}\n")
    known = forget(workspace, dry_run=True).known
    put(workspace, "SOUL.md", f"{NAME}\n")
    before = tree(workspace.root)

    with pytest.raises(ChangedUnderneathError):
        forget(workspace, known=known)

    assert tree(workspace.root) == before


def test_an_edit_in_between_is_not_overwritten(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(workspace, "USER.md", f"{NAME}\n")
    real = Stores.apply

    def edited(self: Stores, *args: object, **words: object) -> object:
        file.write_text(f"{NAME}\nmine\n")
        return real(self, *args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr(Stores, "apply", edited)
    with pytest.raises(ChangedUnderneathError):
        forget(workspace)

    assert file.read_text() == f"{NAME}\nmine\n"


def test_what_is_not_a_document_is_named_and_left(workspace: Workspace) -> None:
    put(workspace, "notes.txt", f"one\n{NAME}\n")
    put(workspace, "tasks/sam-tester.md", "# Roof\n")
    put(workspace, "src/README.md", f"{NAME}\n")
    workspace.event("note", "one", session="sam-tester-1")

    found = forget(workspace)

    left = {one.place for one in found.left}
    assert {"notes.txt:2", "tasks/sam-tester.md"} <= left
    assert any(":" in place and "session" in one.why for one in found.left for place in [one.place])
    assert any("src/" in notice for notice in found.notices)


def test_a_version_that_was_kept_beside_a_document_is_one_too(workspace: Workspace) -> None:
    file = put(workspace, "memory/2026-11-20.md.edited-meanwhile-1", f"one\n{NAME}\n")

    forget(workspace)

    assert file.read_text() == "one\n\n"


def test_what_lies_beside_the_segments_of_a_journal_is_searched_and_goes(workspace: Workspace) -> None:
    """Versions that somebody saved at the moment of a change, what a kill has left, blobs that no line names."""
    workspace.event("note", "one")
    large = workspace.event("note", f"{NAME} " + "x" * 70_000)
    writer = workspace.stores.appender().writer
    here = f"journal/{writer}"
    saved = put(workspace, f"{here}/000001.jsonl.edited-meanwhile-1", f'{{}}\n{{"text":"{NAME}"}}\n')
    killed = put(workspace, f"{here}/.000001.jsonl.agentws-new", f"{NAME}\n")
    orphan = put(workspace, f"{here}/blobs/{'0' * 64}", f"{NAME}\n")
    other = put(workspace, f"{here}/blobs/{'1' * 64}", "of somebody else\n")
    gz = Path(workspace.root, f"{here}/packed/000001.jsonl.gz.edited-meanwhile-1")
    gz.parent.mkdir()
    gz.write_bytes(packed.pack(f"{NAME}\n".encode()))
    bad = gz.with_name("000002.jsonl.gz.edited-meanwhile-1")
    bad.write_bytes(gz.read_bytes()[:-9])

    seen = forget(workspace, dry_run=True)
    found = forget(workspace)

    every = {str(path.relative_to(workspace.root)) for path in (saved, killed, orphan, gz)}
    assert set(seen.copies) == set(found.copies) == every
    assert [event.line.cursor for event in found.events] == [large.cursor]
    assert saved.read_text() == "{}\n\n"
    assert not any(path.exists() for path in (killed, orphan, gz))
    assert any(bad.name in words for words in found.unread)
    assert everywhere(workspace.root, NAME) == []
    assert forget(workspace).is_empty
    assert not other.exists()  # the purge of the event swept it


def test_a_pinned_file_elsewhere_is_a_document(workspace: Workspace) -> None:
    put(workspace, "notes/current.md", f"{NAME}\n")
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[boot]\npinned = ["notes/current.md"]\n')

    forget(workspace)

    assert text_of(workspace, "notes/current.md") == "\n"


def test_the_cache_of_this_machine_forgets_too(tmp_path: Path, environment: Environment) -> None:
    here = Environment(now=environment.now, timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.init(str(tmp_path / "robin"), environment=here, name="Robin", git=False)
    put(workspace, "MEMORY.md", f"# Memory\n\n- {NAME}\n")
    Workspace.open(workspace.root, environment=here).boot()
    assert everywhere(str(tmp_path / "cache"), NAME)

    Workspace.open(workspace.root, environment=here).memory.forget(subjects=[NAME])

    assert everywhere(str(tmp_path), NAME) == []


def test_a_line_in_the_segment_of_another_writer_waits_for_it(workspace: Workspace, tmp_path: Path) -> None:
    note(workspace, "one")  # a writer that the other one knows
    other = elsewhere(workspace, tmp_path / "other")
    (cursor,) = note(other, NAME)

    done = forget(workspace)

    (said,) = done.events
    assert (said.line.cursor, said.line.waiting) == (cursor, True)
    elsewhere(workspace, tmp_path / "other").journal.seal()
    assert everywhere(workspace.root, NAME) == []


def test_a_logged_line_that_was_forgotten_is_not_logged_again_by_undo(workspace: Workspace) -> None:
    workspace.log(f"met {NAME}")
    Path(workspace.root, "memory/2026-11-20.md").unlink()

    done = forget(workspace)

    assert list(done.copies) == [local_dir.CHANGES]
    assert everywhere(workspace.root, NAME) == []
    reopened(workspace).log("two")
    assert reopened(workspace).undo().verb == "log"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here: NOT TESTED")
def test_past_states_in_git_that_hold_it_are_named(tmp_path: Path, environment: Environment) -> None:
    workspace = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    workspace.remember(f"{NAME} likes tea")
    git = ["git", "-C", workspace.root]
    holds = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True, text=True).stdout.strip()

    done = forget(workspace)

    assert done.history is not None
    assert (done.history.commits, done.history.paths, done.history.refs) == (
        [holds],
        ["MEMORY.md"],
        ["refs/heads/main"],
    )
    tip = subprocess.run([*git, "show", "HEAD:MEMORY.md"], capture_output=True, check=True, text=True).stdout
    assert NAME not in tip
    assert forget(workspace).history is not None


def test_an_unreadable_document_is_said_and_the_rest_is_done(workspace: Workspace) -> None:
    put(workspace, "USER.md", f"{NAME}\n")
    os.mkfifo(Path(workspace.root, "memory", "2026-01-01.md"))
    large = put(workspace, "memory/2026-01-02.md", "")
    os.truncate(large, 40 << 20)

    done = forget(workspace)

    assert text_of(workspace, "USER.md") == "\n"
    assert any("2026-01-02" in notice for notice in done.notices)


@pytest.mark.parametrize("end", ["old", "new"])
def test_a_record_of_changes_that_was_being_replaced_goes_in_the_same_run(workspace: Workspace, end: str) -> None:
    workspace.log(f"met {NAME}")
    left = put(workspace, f".agentws/.changes.jsonl.agentws-{end}", f'{{"change": "log", "text": "{NAME}"}}\n')

    planned = workspace.memory.forget(subjects=[NAME], dry_run=True)
    done = workspace.memory.forget(subjects=[NAME])

    assert not planned.is_left
    assert not done.is_left
    assert not left.exists()


def test_a_segment_that_a_killed_process_was_about_to_begin_goes_with_the_next_seal(workspace: Workspace) -> None:
    workspace.event("note", f"rang {NAME}")
    folder = next(path for path in Path(workspace.root, "journal").iterdir() if path.is_dir())
    begun, other = folder / ".000003.jsonl.agentws-new", folder / ".notes.agentws-new"
    for path in (begun, other):
        path.write_bytes(b"{}\n")

    workspace.journal.seal()

    assert not begun.exists()
    assert other.exists()
