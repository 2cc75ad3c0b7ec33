"""remember --about: whether an entry is still true of the file that it is about is told, and costs next to nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agentws.core.disk import read_trace
from agentws.core.disk.cache import Cache
from agentws.core.disk.files import Files
from agentws.core.formats.documents import managed, sources
from agentws.core.stores import freshness
from agentws.errors import AgentwsError, UsageError
from agentws.features.boot import assembly
from agentws.features.memory import command_why as why
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW

FACT = "The index is one file"
PATHS = ("src/index.py", "заметки/дом.md", "索引 ファイル.txt", "a/b/c/فهرس", "-x.py", "with space.md")


def put(workspace: Workspace, path: str, content: str = "one\n") -> Path:
    """The file, changed long enough ago that its times tell of the next change."""
    file = Path(workspace.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    os.utime(file, ns=(1, 1))
    return file


def line(workspace: Workspace, fact: str = FACT) -> str:
    """The line that a boot prints of the fact."""
    return next((one for one in workspace.boot().text.split("\n") if fact in one), "")


def told(workspace: Workspace) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.says) for one in workspace.doctor().findings if one.name == "memory-drifted"]


def test_a_file_that_changes_or_goes_is_told_by_boot_doctor_and_why(workspace: Workspace) -> None:
    for number, path in enumerate(PATHS):
        file = put(workspace, path)
        fact = f"{FACT} number {number}"
        done = workspace.remember(fact, about=path)
        place = f"MEMORY.md:{done.line}"

        def state(place: str = place) -> tuple[str, str]:
            return workspace.memory.why(place).about, workspace.memory.why(place).freshness

        assert done.about is not None
        assert (line(workspace, fact), state()) == (f"- {fact}", (path, "fresh"))
        assert told(workspace) == []
        file.write_text("two\n")
        assert (line(workspace, fact), state()) == (f"- {fact} (drifted: {path})", (path, "drifted"))
        assert told(workspace) == [("MEMORY.md", done.line, f"this entry describes {path}, which has changed since")]
        assert f"About {path}: drifted, changed since." in why.why_lines(workspace.memory.why(place), NOW)
        file.unlink()
        assert (line(workspace, fact), state()) == (f"- {fact} (gone: {path})", (path, "gone"))
        assert told(workspace) == [("MEMORY.md", done.line, f"this entry describes {path}, which was deleted")]
        file.write_text("one\n")
        assert (line(workspace, fact), state(), told(workspace)) == (f"- {fact}", (path, "fresh"), [])


def test_saying_it_again_ties_it_to_the_file_as_it_is_now_and_nothing_else_changes(workspace: Workspace) -> None:
    file = put(workspace, "src/x.py")
    first = workspace.remember(FACT, about="src/x.py")
    file.write_text("two\n")
    memory = Path(workspace.root, "MEMORY.md").read_bytes()

    again = workspace.remember(FACT, about="src/x.py")

    assert (again.is_new, again.line, Path(workspace.root, "MEMORY.md").read_bytes()) == (False, first.line, memory)
    assert line(workspace) == f"- {FACT}"
    before = Path(workspace.root, sources.PATH).read_bytes()
    workspace.remember(FACT, about="src/x.py")
    workspace.remember(FACT)
    assert Path(workspace.root, sources.PATH).read_bytes() == before
    assert workspace.undo().verb == "remember"
    assert line(workspace).endswith("(drifted: src/x.py)")


def test_what_cannot_be_looked_at_is_refused_and_nothing_is_written(workspace: Workspace, tmp_path: Path) -> None:
    root = Path(workspace.root)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("secret")
    put(workspace, "src/x.py")
    (root / "link").symlink_to(outside / "x")
    (root / "folder").symlink_to(outside)
    (root / "inside").symlink_to(root / "src/x.py")
    os.mkfifo(root / "pipe")
    with (root / "huge").open("wb") as huge:
        huge.truncate(freshness.LIMIT_BYTES + 1)
    put(workspace, "line\nend")
    memory = (root / "MEMORY.md").read_bytes()
    bad = (
        "link", "folder/x", "inside", "folder", "src", "pipe", "huge", "nothing", "src/nothing", "../outside/x", "..",
        str(outside / "x"), "/etc/passwd", "src/../../outside/x", "MEMORY.md", "", ".", "line\nend", "src/x.py/y",
        ".agentws/changes.jsonl", "memory/sources.jsonl",
    )  # fmt: skip

    def holds(path: str) -> None:
        with pytest.raises(UsageError):
            workspace.remember(FACT, about=path)
        assert (root / "MEMORY.md").read_bytes() == memory
        assert (root / sources.PATH).read_bytes() == b""

    (root / sources.PATH).touch()
    table.holds(holds, bad)


def test_what_takes_the_place_of_a_file_is_never_followed(workspace: Workspace, tmp_path: Path) -> None:
    file = put(workspace, "src/x.py")
    workspace.remember(FACT, about="src/x.py")
    same = tmp_path / "same"
    same.mkdir()
    (same / "x.py").write_text("one\n")
    file.unlink()
    file.symlink_to(same / "x.py")
    assert line(workspace).endswith("(gone: src/x.py)")
    file.unlink()
    file.mkdir()
    assert line(workspace).endswith("(gone: src/x.py)")
    file.rmdir()
    file.parent.rmdir()
    file.parent.symlink_to(same)
    assert line(workspace).endswith("(gone: src/x.py)")


def test_a_row_that_leads_out_of_the_workspace_is_not_looked_at(workspace: Workspace, tmp_path: Path) -> None:
    workspace.remember(FACT)
    (tmp_path / "x").write_text("x")
    rows = Path(workspace.root, sources.PATH)
    before = rows.read_text()
    for path in ("../x", str(tmp_path / "x"), "a/../../x", "x\x00y"):
        one = next(iter(sources.decode(before).stated.values()))
        rows.write_text(sources.encode([one.with_keys(about=sources.About(path, "00" * 32))]))

        assert (line(workspace), told(workspace)) == (f"- {FACT}", [])


def test_a_file_that_has_grown_beyond_the_limit_has_changed_and_is_not_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(workspace, "big")
    workspace.remember(FACT, about="big")
    with file.open("r+b") as big:
        big.truncate(freshness.LIMIT_BYTES + 1)
    read: list[str] = []
    real = Files.stamped
    monkeypatch.setattr(Files, "stamped", lambda *given: (read.append(given[1]), real(*given))[1])

    assert line(workspace).endswith("(drifted: big)")
    assert read == [sources.PATH]


def test_a_file_is_read_only_where_its_stamp_is_new(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many entries: a stat a file, and the content of what has changed alone."""
    read: list[str] = []
    workspace.stores.cache = Cache(str(tmp_path / "cache"), workspace.root)
    real = Files.stamped
    monkeypatch.setattr(freshness.read_trace, "is_settled", lambda stamp: True)
    monkeypatch.setattr(Files, "stamped", lambda *given: (read.append(given[1]), real(*given))[1])
    paths = [f"src/{number}.py" for number in range(300)]
    for path in paths:
        put(workspace, path)
    rows = [
        sources.Stated(managed.of_text(f"{FACT} {path}"), at="", about=freshness.about(workspace.stores.files, path))
        for path in paths
    ]
    Path(workspace.root, sources.PATH).write_text(sources.encode(rows))
    read.clear()

    assert {tie.state for tie in freshness.of(workspace.stores).values()} == {"fresh"}
    assert sorted(read) == sorted([sources.PATH, *paths])
    read.clear()
    assert {tie.state for tie in freshness.of(workspace.stores).values()} == {"fresh"}
    assert read == []
    Path(workspace.root, paths[7]).write_text("two\n")
    states = freshness.of(workspace.stores)
    assert ([entry for entry in states if states[entry].is_doubtful], read) == ([rows[7].entry], [paths[7]])
    workspace.stores.cache.clear()
    assert {tie.state for tie in freshness.of(workspace.stores).values()} == {"fresh", "drifted"}
    assert len(read) == 1 + 301


def test_one_look_reads_no_more_than_its_share_and_the_next_goes_on(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.stores.cache = Cache(str(tmp_path / "cache"), workspace.root)
    monkeypatch.setattr(freshness.read_trace, "is_settled", lambda stamp: True)
    monkeypatch.setattr(freshness, "_MOST_READ_BYTES", 10)
    for number in range(3):
        put(workspace, f"{number}", "12345678")
        workspace.remember(f"{FACT} {number}", about=f"{number}")
    workspace.stores.cache.clear()

    looks = [[tie.state for tie in freshness.of(workspace.stores).values()] for _ in range(3)]

    assert looks == [["fresh", "", ""], ["fresh", "fresh", ""], ["fresh", "fresh", "fresh"]]


def test_an_edit_in_the_same_moment_with_the_same_size_and_time_is_seen(workspace: Workspace) -> None:
    file = put(workspace, "x", "one\n")
    workspace.remember(FACT, about="x")
    for content, expected in (("one\n", ""), ("two\n", "drifted"), ("one\n", ""), ("six\n", "drifted")) * 5:
        file.write_text(content)
        os.utime(file, ns=(1, 1))

        assert (f"({expected}: x)" in line(workspace)) == bool(expected), content


def test_damage_of_the_rows_or_of_the_cache_costs_no_boot(workspace: Workspace) -> None:
    file = put(workspace, "x")
    workspace.remember(FACT, about="x")
    file.write_text("two\n")
    rows = Path(workspace.root, sources.PATH)
    text = rows.read_text()
    odd = '{"about":["x"]}\n{"about":[\nnot json\n{"stated":5,"about":[1,2]}\n[]\n"about":[\n'
    rows.write_text(odd + text + odd)
    assert line(workspace).endswith("(drifted: x)")
    rows.write_bytes(b"\xff\xfe" + text.encode())
    assert line(workspace) == f"- {FACT}"
    rows.unlink()
    rows.symlink_to("/etc/passwd")
    assert line(workspace) == f"- {FACT}"
    rows.unlink()
    rows.mkdir()
    assert line(workspace) == f"- {FACT}"


def test_an_entry_that_a_person_wrote_may_be_tied_and_stays_theirs(workspace: Workspace) -> None:
    memory = Path(workspace.root, "MEMORY.md")
    memory.write_text(memory.read_text() + f"- {FACT}\n")
    put(workspace, "x").write_text("one\n")

    done = workspace.remember(FACT, about="x")

    assert (done.is_new, workspace.memory.why(f"MEMORY.md:{done.line}").src) == (False, "unknown")
    with pytest.raises(UsageError, match="not written by agentws"):
        workspace.remember("other", replaces=f"MEMORY.md:{done.line}")


def test_a_shared_session_learns_of_no_file_that_is_not_for_it(workspace: Workspace) -> None:
    put(workspace, "x").write_text("one\n")
    workspace.remember(FACT, about="x")
    put(workspace, "x").write_text("two\n")
    shared = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", audience="shared"))

    assert FACT not in shared.boot(audience="shared").text
    said = []
    for path in ("USER.md", "nothing.md"):
        with pytest.raises(UsageError) as error:
            shared.remember("y", about=path)
        said.append(error.value.message.replace(path, "PATH"))
    assert said[0] == said[1]


def test_an_answer_that_is_remembered_says_the_same_as_one_made_anew(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    real = assembly.assemble
    monkeypatch.setattr(read_trace, "is_settled", lambda stamp: True)
    monkeypatch.setattr(assembly, "assemble", lambda *given, **keys: (made.append(""), real(*given, **keys))[1])
    known = Workspace.open(
        workspace.root, environment=Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    )
    file = put(workspace, "src/x.py")
    workspace.remember(FACT, about="src/x.py")

    for content in ("one\n", "two\n", None, "one\n", "six\n"):
        file.write_text(content) if content is not None else file.unlink()
        anew = workspace.boot().text
        made.clear()
        assert [known.boot().text for _ in range(3)] == [anew] * 3
        assert len(made) == 1, content


def test_a_stamp_of_a_moment_ago_is_not_relied_on() -> None:
    now = time.time_ns()

    assert read_trace.is_settled("")
    assert read_trace.is_settled("?")
    assert not read_trace.is_settled(f"1 1 {now} 7")
    assert read_trace.is_settled(f"1 1 {now - 10**9} 7")


def test_after_a_long_life_a_boot_looks_once_at_each_file_that_something_is_still_said_of(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10,000 entries, of which most have left since: 51 looks, and nothing is read."""
    looked: list[str] = []
    workspace.stores.cache = Cache(str(tmp_path / "cache"), workspace.root)
    paths = [f"src/{number}.py" for number in range(100)]
    for path in paths:
        put(workspace, path)
    ties = {path: freshness.about(workspace.stores.files, path) for path in paths}
    rows: list[sources.Row] = []
    for number in range(10_000):
        one = sources.Stated(managed.of_text(f"{FACT} {number}"), at="", about=ties[paths[number % 100]])
        rows += [one, one.with_keys(state="superseded", about=None)] if number % 2 else [one]
    Path(workspace.root, sources.PATH).write_text(sources.encode(rows))
    monkeypatch.setattr(read_trace, "is_settled", lambda stamp: True)

    assert len(freshness.of(workspace.stores)) == 5_000
    real = Files.status
    monkeypatch.setattr(Files, "status", lambda *given: (looked.append(given[1]), real(*given))[1])
    monkeypatch.setattr(Files, "part", None)
    assert {tie.state for tie in freshness.of(workspace.stores).values()} == {"fresh"}
    assert sorted(looked) == sorted([sources.PATH, *paths[::2]])


def test_a_boot_that_is_given_again_reads_neither_the_rows_nor_the_files(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Workspace.open(
        workspace.root, environment=Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    )
    put(workspace, "src/x.py")
    workspace.remember(FACT, about="src/x.py")
    monkeypatch.setattr(read_trace, "is_settled", lambda stamp: True)
    first = known.boot().text
    read: list[str] = []
    real = Files._part
    monkeypatch.setattr(Files, "_part", lambda *given, **keys: (read.append(given[1]), real(*given, **keys))[1])

    assert known.boot().text == first
    assert "MEMORY.md" in read
    assert not {sources.PATH, "src/x.py"} & {*read}


def test_what_compaction_made_may_be_tied_and_stays_its_own(workspace: Workspace) -> None:
    root = Path(workspace.root)
    put(workspace, "x")
    (root / "MEMORY.md").write_text(f"# M\n\n## From the logs\n\n### Facts\n\n- {FACT}\n")
    source = sources.Source("memory/2026-10-01.md", 3, 3, "ab" * 32)
    made = sources.Made(managed.of_text(FACT), [source], day="2026-10-01", run="r1", kind="fact")
    (root / sources.PATH).write_text(sources.encode([made, sources.Ran("r1", days=1), sources.Ran("r2", days=1)]))

    workspace.remember(FACT, about="x")

    found = sources.decode((root / sources.PATH).read_text())
    row = found.made[made.entry]
    assert (row.about and row.about.path, row.kind, len(row.sources)) == ("x", "fact", 1)
    assert (found.stated, list(found.runs)) == ({}, ["r1", "r2"])
    (root / "x").write_text("two\n")
    assert line(workspace).endswith("(drifted: x)")


def test_a_line_from_outside_stays_from_outside(workspace: Workspace) -> None:
    put(workspace, "x")
    memory = Path(workspace.root, "MEMORY.md")
    memory.write_text(f"# M\n\n- {FACT} (via net:mail)\n")

    done = workspace.remember(FACT, via="net:mail", about="x")

    assert (done.is_new, workspace.memory.why(f"MEMORY.md:{done.line}").src) == (False, "net:mail")


def test_a_plain_fact_is_kept_where_nothing_can_be_written_down_of_it(workspace: Workspace, tmp_path: Path) -> None:
    put(workspace, "x")
    (tmp_path / "rows").write_text("theirs\n")
    Path(workspace.root, sources.PATH).symlink_to(tmp_path / "rows")

    done = workspace.remember(FACT)

    assert f"- {FACT}\n" in Path(workspace.root, "MEMORY.md").read_text()
    assert [one for one in done.notices if sources.PATH in one]
    assert (tmp_path / "rows").read_text() == "theirs\n"
    with pytest.raises(AgentwsError):
        workspace.remember(FACT, about="x")


def test_a_boot_that_does_not_know_of_all_files_yet_is_not_given_again(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Workspace.open(
        workspace.root, environment=Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))
    )
    for number in range(3):
        put(workspace, f"{number}", "12345678")
        workspace.remember(f"{FACT} {number}", about=f"{number}")
        put(workspace, f"{number}", "87654321")
    monkeypatch.setattr(read_trace, "is_settled", lambda stamp: True)
    monkeypatch.setattr(freshness, "_MOST_READ_BYTES", 10)

    assert [known.boot().text.count("(drifted: ") for _ in range(4)] == [1, 2, 3, 3]
