"""Boot reads the newest segment of the journal, and what that refers to; whatever it finds there, an agent starts."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.disk import read_trace
from agentws.core.disk.files import Files
from agentws.core.formats.journal import segment
from agentws.core.stores import record as recording
from agentws.core.stores.record import Happening
from agentws.features.boot import assembly, journal as reading
from agentws.features.boot.result import BootOptions
from agentws.workspace import Environment, Workspace
from tests.core.journal import journals

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
BIG = "x" * 60_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Workspace.init(str(tmp_path / "robin"), environment=surroundings(tmp_path), name="Robin", git=False)
    return tmp_path / "robin"


def surroundings(folder: Path, minutes_ago: int = 0, state: str = "state") -> Environment:
    now = NOW - timedelta(minutes=minutes_ago)
    return Environment(now=now, timezone="UTC", state=(str(folder / state), None), cache=str(folder / "cache"))


def opened(root: Path, minutes_ago: int = 0, state: str = "state") -> Workspace:
    return Workspace.open(str(root), environment=surroundings(root.parent, minutes_ago, state))


def record(root: Path, *what: tuple[str, dict[str, object]], ago: int = 5, state: str = "state") -> str:
    """The cursor of the last one recorded."""
    done, _ = recording.record(opened(root, ago, state).stores, [Happening(kind, body) for kind, body in what])
    return str(done[-1].cursor)


def action(call: str, **more: object) -> tuple[str, dict[str, object]]:
    return "action", {"call": call, "tool": "pay", "input": {"bill": call}, **more}


def result(call: str) -> tuple[str, dict[str, object]]:
    return "result", {"call": call, "tool": "pay", "output": "paid"}


def segments(root: Path) -> list[Path]:
    return sorted(root.glob("journal/*/0*.jsonl"))


def test_a_lost_event_comes_before_a_changed_identity_file(root: Path) -> None:
    opened(root).boot()
    with (root / "SOUL.md").open("a") as file:
        file.write("- edited by hand\n")
    record(root, action("a"))
    (root / ".agentws" / f"{segments(root)[0].parent.name}.poison").touch()

    notices = [line for line in opened(root).boot(budget=1_000).text.split("\n") if line.startswith("- ⚠ ")]

    assert "lost an event" in notices[0]


def test_calls_of_agentws_are_not_counted_among_what_was_done_earlier(root: Path) -> None:
    own = [
        ("action", {"tool": "Bash", "call": f"own{n}", "input": {"command": "cd x && agentws todo"}}) for n in range(9)
    ]
    others = [("action", {"tool": "Bash", "call": f"c{n}", "input": {"command": "make"}}) for n in range(3)]
    ends = [("result", {"call": str(body["call"])}) for _, body in (*own, *others)]
    record(root, *own, *others, *ends, ago=120)
    record(root, *[("note", {"text": f"word {n}"}) for n in range(140)])

    activity = opened(root).boot().text.partition("## Recent activity")[2]

    assert "[… 15 older events: agentws journal list]" in activity


def test_calls_of_agentws_in_flight_are_not_taken_from_the_count_of_older_events(root: Path) -> None:
    record(
        root, *[("action", {"tool": "Bash", "call": f"own{n}", "input": {"command": "agentws log x"}}) for n in "ab"]
    )
    record(root, *[("note", {"text": f"word {n}"}) for n in range(132)])

    assert "[… 4 older events: agentws journal list]" in opened(root).boot().text


def test_older_moves_of_a_task_that_are_not_listed_are_counted(root: Path) -> None:
    record(root, action("a", importance=9), *[("task.changed", {"task": "gate", "text": f"{n}"}) for n in range(20)])
    record(root, *[("note", {"text": f"word {n}"}) for n in range(140)], result("a"))

    text = opened(root).boot().text

    assert "[… 32 older events: agentws journal list]" in text, "19 moves and 13 notes"
    assert "pay a → paid !9" in text


def test_without_a_journal_the_text_says_nothing_of_one(root: Path) -> None:
    before = opened(root).boot().text

    (root / "journal").mkdir()

    assert opened(root).boot().text == before
    assert "journal" not in before
    assert "In flight" not in before


def test_an_action_without_a_result_is_in_flight_until_one_is_recorded(root: Path) -> None:
    record(root, action("a"), result("a"), action("b"))

    flying = opened(root).boot().text
    record(root, result("b"))
    ended = opened(root).boot().text

    assert "In flight: 1 action" in flying
    assert "- 07:10 pay b · call b · no result recorded" in flying
    assert "In flight" not in ended
    assert "- 07:10 pay b → paid" in ended


def test_of_each_task_the_newest_move_alone_is_told(root: Path) -> None:
    record(
        root,
        ("task.added", {"task": "gate", "text": "Mend the gate"}),
        ("task.added", {"task": "fence", "text": "Paint the fence"}),
        ("task.waiting", {"task": "gate", "text": "a hinge"}),
        ("task.done", {"task": "gate", "text": "New hinge"}),
    )

    lines = [line for line in opened(root).boot().text.split("\n") if "[task." in line]

    assert lines == ["- 07:10 [task.added] fence: Paint the fence", "- 07:10 [task.done] gate: New hinge"]


def test_an_action_without_a_call_id_names_the_cursor_that_ends_it(root: Path) -> None:
    cursor = record(root, ("action", {"tool": "pay"}))

    assert f"call {cursor}" in opened(root).boot().text

    record(root, ("result", {"call": cursor}))
    assert "In flight" not in opened(root).boot().text


def test_what_earlier_segments_left_open_or_decided_is_read_through_the_references(root: Path) -> None:
    record(root, action("old"), ("decision", {"text": "Chose SQLite"}), ("error", {"text": "no network"}), ago=9000)
    for _ in range(40):
        record(root, ("note", {"text": BIG}))

    text = opened(root).boot().text

    assert len(segments(root)) > 2
    assert "- 11-14 01:15 (6 days ago) pay old · call old · no result recorded" in text
    assert "[decision] Chose SQLite" in text
    assert "[error] an earlier action → no network" in text


def test_nothing_but_the_newest_segment_and_the_references_is_read(root: Path) -> None:
    record(root, action("old"))
    for _ in range(60):
        record(root, ("note", {"text": BIG}))
    watched = read_trace.Watched(str(root))

    assembled(opened(root), watched)

    first, *middle, last = (str(path.relative_to(root)) for path in segments(root))
    asked = {(step[0], step[1]) for step in watched.steps if str(step[1]).startswith("journal/")}
    assert ("part", last) in asked
    assert ("piece", first) in asked
    assert not any(path in middle for _, path in asked)
    assert watched.is_whole


def assembled(workspace: Workspace, files: Files) -> str:
    return assembly.assemble(workspace.stores.through(files), NOW, BootOptions(tokenizer="bytes"))[0].text


@pytest.mark.parametrize("budget", [200, 500, 2000, 8000])
def test_budgets_are_kept_and_in_flight_is_never_left_out(root: Path, budget: int) -> None:
    (root / "handoffs").mkdir(exist_ok=True)
    (root / "handoffs/2026-11-19-a.md").write_text("---\nsession: a\n---\n" + "- go on with the bills\n" * 90)
    (root / "memory/2026-11-19.md").write_text("- the hedge was cut, all of it\n" * 90)
    record(root, *(action(f"c{n}") for n in range(40)), *(("decision", {"text": f"chose {n}"}) for n in range(40)))

    booted = opened(root).boot(budget=budget)

    assert booted.tokens <= budget
    assert "## In flight" in booted.text
    assert "- 07:10 pay" in booted.text
    assert "hedge was cut" in booted.text


def test_a_shared_audience_sees_none_of_it(root: Path) -> None:
    record(root, action("a"), ("note", {"text": "my own business"}))

    booted = opened(root).boot(audience="shared")

    assert "my own business" not in booted.text
    assert "In flight" not in booted.text
    assert not [left for left in booted.context.omitted if left.source.startswith("journal/")], "nothing is named"


def test_an_unchanged_journal_is_not_read_anew_and_a_changed_one_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(root, action("a"))
    first = opened(root).boot().text

    with monkeypatch.context() as patch:
        patch.setattr(assembly, "assemble", None)
        assert opened(root).boot().text == first
    record(root, ("note", {"text": "one more"}))

    assert "one more" in opened(root).boot().text


def damaged(cut: Callable[[list[bytes]], Sequence[bytes]]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        path.write_bytes(b"\n".join(cut(path.read_bytes().split(b"\n"))))

    return apply


def nested(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], re.sub(rb'"body":.*', b'"body":' + b"[" * 60_000, lines[2]), *lines[3:]]


DAMAGE = {
    "a line of zeros": damaged(lambda lines: [*lines[:2], b"\0" * 300, *lines[2:]]),
    "no JSON": damaged(lambda lines: [*lines[:2], b'{"agentws":1,"seq":x}', *lines[2:]]),
    "another object": damaged(lambda lines: [*lines[:2], b"{}", b"[]", *lines[2:]]),
    "a body that is none": damaged(
        lambda lines: [*lines[:2], re.sub(rb'"body":.*', b'"body":7}', lines[2]), *lines[3:]]
    ),
    "deep nesting": damaged(nested),
    "odd words": damaged(lambda lines: [*lines[:2], lines[2].replace(b'"session":null', b'"session":7'), *lines[3:]]),
    "no first line": damaged(lambda lines: [b"x", *lines[1:]]),
    "odd references": damaged(
        lambda lines: [
            re.sub(
                rb'"open":\[\].*?"sessions"',
                b'"open":[{"call":"c","seq":-1},{"call":"d","seq":1e9,"segment":1,"offset":1},'
                b'{"call":"e","seq":4,"segment":1,"offset":99999,"kind":"action"}],"errors":7,"significant":[[]],"sessions"',
                lines[0],
            ),
            *lines[1:],
        ]
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_a_notice_and_the_rest_is_told(root: Path, what: str) -> None:
    record(root, ("note", {"text": "before"}), ("note", {"text": "damaged"}), ("note", {"text": "after"}))

    DAMAGE[what](segments(root)[0])
    booted = opened(root).boot()

    assert "after" in booted.text
    assert any("journal/" in notice for notice in booted.notices)


def test_a_line_that_is_being_written_is_passed_over_in_silence(root: Path) -> None:
    record(root, ("note", {"text": "before"}), action("torn"))
    path = segments(root)[0]

    path.write_bytes(path.read_bytes()[:-20])
    booted = opened(root).boot()

    assert "before" in booted.text
    assert "In flight" not in booted.text
    assert booted.notices == []


@pytest.mark.parametrize("left", [b"", b'{"agentws":1,"se'])
def test_a_new_segment_without_a_line_leaves_the_one_before_it_to_tell(root: Path, left: bytes) -> None:
    record(root, action("a"))

    segments(root)[0].with_name("000002.jsonl").write_bytes(left)

    assert "call a · no result recorded" in opened(root).boot().text


def test_a_reference_that_a_purge_has_moved_is_found_and_one_that_is_gone_is_still_in_flight(root: Path) -> None:
    record(root, ("note", {"text": "y" * 5000}), action("old"), ago=90)
    for _ in range(20):
        record(root, ("note", {"text": BIG}))
    first, *_ = segments(root)
    lines = first.read_bytes().split(b"\n")

    first.write_bytes(b"\n".join([lines[0], re.sub(rb'"salt":.*', b'"salt":null,"body":null}', lines[1]), *lines[2:]]))
    moved = opened(root).boot()
    first.write_bytes(lines[0] + b"\n")
    gone = opened(root).boot()

    assert "- 05:45 pay old · call old · no result recorded" in moved.text
    assert moved.notices == []
    assert "call old · no result recorded" in gone.text
    assert any("missing earlier events (3)" in notice for notice in gone.notices)


def test_a_segment_larger_than_any_is_read_from_its_end(root: Path) -> None:
    record(root, ("note", {"text": "a note"}))
    path = segments(root)[0]
    line = path.read_bytes().split(b"\n")[1]

    path.write_bytes(path.read_bytes() + b"".join(line + b"\n" for _ in range(9000)))
    booted = opened(root).boot()

    assert path.stat().st_size > segment.LIMIT_BYTES * 2
    assert any("only its end was read" in notice for notice in booted.notices)
    assert "a note" in booted.text
    assert misplaced(root) == []


def misplaced(root: Path) -> list[int]:
    """The offsets of recent events at which the newest segment has another line, if there are recent events."""
    data = segments(root)[-1].read_bytes()
    (read,) = reading.read(opened(root).stores, [], [])
    assert read.recent
    return [
        each.offset for each in read.recent if not data.startswith(b'{"agentws":1,"seq":%d,' % each.seq, each.offset)
    ]


def test_a_segment_of_countless_lines_is_read_from_its_end(root: Path) -> None:
    record(root, action("a"), ("note", {"text": "a note"}))
    path = segments(root)[0]
    first, *events = path.read_bytes().splitlines(keepends=True)

    path.write_bytes(first + b"{}\n" * 300_000 + b"".join(events))
    tracemalloc.start()
    booted = opened(root).boot()
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "a note" in booted.text
    assert "call a · no result recorded" in booted.text
    assert any("only its end was read" in notice for notice in booted.notices)
    assert most_bytes < 16 << 20
    assert misplaced(root) == []


def test_several_writers_are_told_together_and_those_in_flight_say_whose_they_are(root: Path) -> None:
    first = record(root, action("a"), ago=50)
    second = record(root, action("b"), ago=20, state="other")
    journals.knows(opened(root))

    text = opened(root).boot().text

    assert f"call a · writer {first.partition(':')[0]}" in text
    assert f"call b · writer {second.partition(':')[0]}" in text


def test_of_many_writers_the_newest_are_read_and_the_others_accounted_for(root: Path) -> None:
    record(root, action("a"))
    folder = segments(root)[0].parent
    for number in range(11):
        copy = folder.with_name(f"{int(folder.name, 16) + 1 + number:016x}")
        copy.mkdir()
        (copy / "000001.jsonl").write_bytes(segments(root)[0].read_bytes())
    journals.knows(opened(root))

    booted = opened(root).boot()

    assert "In flight: 8 actions" in booted.text
    assert ("journal/", "4 earlier writers") in [(left.source, left.why) for left in booted.context.omitted]


def test_a_boot_as_of_then_knows_nothing_that_came_later(root: Path) -> None:
    record(root, action("a"), ago=60)
    record(root, result("a"), ("note", {"text": "later"}), ago=20)

    then = Workspace.open(str(root), environment=surroundings(root.parent).as_it_was(NOW - timedelta(minutes=40)))

    assert "call a · no result recorded" in then.boot().text
    assert "later" not in then.boot().text


def test_other_things_in_the_folder_are_no_journal(root: Path) -> None:
    (root / "journal/notes").mkdir(parents=True)
    (root / "journal/0123456789abcdef").symlink_to("/etc")
    (root / "journal/0123456789abcdee").mkdir()
    (root / "journal/0123456789abcdee/000001.jsonl").mkdir()

    booted = opened(root).boot()

    assert "Recent activity" not in booted.text
    (who, what) = booted.notices
    assert "1 writer not vouched for" in who
    assert "000001.jsonl" in what


def test_parts_for_a_host_tell_it_too(root: Path) -> None:
    record(root, action("a"))

    first = opened(root).boot(host="claude-code", part=1)
    texts = [opened(root).boot(host="claude-code", part=part + 1).text for part in range(first.parts)]

    assert "call a · no result recorded" in "".join(texts)
