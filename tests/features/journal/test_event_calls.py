"""What a result or an error ends: any form of an action's id that is printed, and no id that no action has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.journal import calls, read as reading, reference, select
from agentws.core.journal.events import replay
from agentws.errors import UsageError
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.features.journal.test_event import lines


def begun(workspace: Workspace, call: str | None) -> str:
    cursor = workspace.event("action", tool="search", call=call).cursor
    assert cursor is not None
    return cursor


def in_flight(workspace: Workspace) -> list[str | None]:
    reader = select.Reader(workspace.stores.files, select.Wanted())
    writers = reading.writers(workspace.stores.files)
    events = select.merged([reader.behind(writer, 0) for writer in writers])
    return [one.call for one in replay.replay(events).actions.values()]


FORMS = {
    "its call": lambda cursor, call: call or cursor,
    "its cursor": lambda cursor, call: cursor,
    "as journal list prints it": lambda cursor, call: cursor[10:],
    "the beginning of the writer": lambda cursor, call: f"{cursor[:4]}:{cursor.partition(':')[2]}",
    "its number, of one writer": lambda cursor, call: cursor.partition(":")[2],
}


@pytest.mark.parametrize("kind", ["result", "error"])
@pytest.mark.parametrize("call", [None, "call-1", "7:7", "0a"])
@pytest.mark.parametrize("form", FORMS)
def test_an_action_is_ended_by_each_form_of_its_id(
    workspace: Workspace, form: str, call: str | None, kind: str
) -> None:
    cursor = begun(workspace, call)

    workspace.event(kind, call=FORMS[form](cursor, call))

    assert in_flight(workspace) == []
    assert lines(workspace)[-1]["body"]["call"] == (call or cursor)


@pytest.mark.parametrize("kind", ["result", "error"])
@pytest.mark.parametrize("wrong", ["nonsense", "99", "006b:1", "call", "call-12", "\u00fc", ":", "1:"])
def test_an_id_that_no_action_has_is_refused_with_those_there_are(workspace: Workspace, wrong: str, kind: str) -> None:
    begun(workspace, "call-1")
    before = lines(workspace)

    with pytest.raises(UsageError) as caught:
        workspace.event(kind, call=wrong)

    assert lines(workspace) == before
    assert wrong.isascii() is False or "call-1" in (caught.value.hint or "")


def test_an_event_that_is_no_action_is_none(workspace: Workspace) -> None:
    cursor = workspace.event("note", "hello", body={"input": {"call": "c1"}}).cursor
    assert cursor is not None

    for wrong in (cursor, cursor[10:], "c1"):
        with pytest.raises(UsageError):
            workspace.event("result", call=wrong)


def test_an_action_that_has_ended_or_left_the_list_of_those_in_flight_is_still_one(workspace: Workspace) -> None:
    names = [f"call-{number}" for number in range(70)]
    workspace.journal.record_lines([json.dumps({"kind": "action", "call": name}).encode() for name in names])

    workspace.event("result", call=names[0])
    workspace.event("error", call=names[0])
    workspace.event("result", call=names[-1])

    assert set(in_flight(workspace)) == set(names[1:-1])


def test_a_wrong_id_reads_no_more_of_a_longer_journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    monkeypatch.setattr(calls, "_MOST_BYTES", 8 * journals.SMALL_SEGMENT, raising=False)
    first = begun(workspace, "first")
    workspace.event("result", call="first")
    begun(workspace, "open")
    read = []
    for more in (20, 40):
        journals.fill(workspace, calls=more)
        read.append(blocks_read(workspace, monkeypatch, "typo"))

    assert max(read) <= 16 < len(journals.segments(workspace)) / 2
    assert "older" in refused(workspace, "first")
    for still_known in (first, "open", "c39"):
        workspace.event("result", call=still_known)


def test_a_process_that_asks_again_reads_only_what_changed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals.small(monkeypatch)
    journals.fill(workspace, calls=20)
    for call in ("typo", "other"):  # the second look is the one that is remembered
        refused(workspace, call)

    assert blocks_read(workspace, monkeypatch, "third") == 0
    begun(workspace, "late")
    assert 0 < blocks_read(workspace, monkeypatch, "fourth") <= 5 < len(journals.segments(workspace))
    workspace.event("result", call="late")


@pytest.mark.parametrize("call", ["theirs", "a/b@c=d+#", None])
def test_what_another_process_begins_meanwhile_is_known(workspace: Workspace, tmp_path: Path, call: str | None) -> None:
    others = (
        Workspace.open(workspace.root, environment=workspace.stores.environment),
        journals.another(workspace, tmp_path),
    )
    for number, other in enumerate(others):
        name = call and f"{call}-{number}"
        for _ in range(3):
            refused(workspace, name or "nobody")
        cursor = begun(other, name)

        workspace.event("result", call=name or cursor)

    writers = [journals.here(one).writer for one in (workspace, others[1])]
    assert reference.open_calls(workspace.stores.files, writers) == []


def refused(workspace: Workspace, call: str) -> str:
    with pytest.raises(UsageError) as caught:
        workspace.event("result", call=call)
    return caught.value.message


def blocks_read(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, call: str) -> int:
    """How many segments of the journal are read for a call that no action has."""
    read = []
    real = reading.blocks

    def noted(*arguments: Any, **more: Any) -> Any:
        read.append(arguments[1:])
        return real(*arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(reading, "blocks", noted)
        refused(workspace, call)
    return len(read)


def test_an_action_of_another_writer_is_ended_too(workspace: Workspace, tmp_path: Path) -> None:
    begun(workspace, "mine")
    other = journals.another(workspace, tmp_path)
    begun(other, "theirs")
    cursor = begun(other, None)

    workspace.event("result", call="theirs")
    workspace.event("error", call=f"{cursor[10:]}")

    writers = [journals.here(one).writer for one in (workspace, other)]
    assert [ref["call"] for _, ref in reference.open_calls(workspace.stores.files, writers)] == ["mine"]


def test_where_actions_are_left_out_what_ends_one_is_left_out_too(workspace: Workspace) -> None:
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[journal]\ngranularity = "milestones"\n')
    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)

    opened.event("action", call="c1")

    assert opened.event("result", call="c1").seq is None


def test_lines_that_end_what_nobody_began_are_answered_so_and_the_others_go_on(workspace: Workspace) -> None:
    cursor = begun(workspace, None)
    asked = [
        {"kind": "action", "call": "a"}, {"kind": "result", "call": "a"}, {"kind": "result", "call": "b"},
        {"kind": "result", "call": cursor[10:]}, {"kind": "error", "text": "no call"},
    ]  # fmt: skip

    answers, _ = workspace.journal.record_lines([json.dumps(one).encode() for one in asked])

    assert ["error" in one for one in answers] == [False, False, True, False, False]
    assert in_flight(workspace) == []


@pytest.mark.parametrize("kind", ["PLAN_GENERATED", "Deploy.Started", "ACTION", "x-Y.z_1"])
def test_kinds_keep_their_capitals(workspace: Workspace, kind: str) -> None:
    workspace.event(kind, "one", session="s")
    workspace.event("note", "two", session="s")

    assert [one["kind"] for one in lines(workspace)] == [kind, "note"]
    assert workspace.session.list().rows[0].run.counts == {kind: 1, "note": 1}
    assert workspace.journal.verify().sound


WORDS = {"ok": "ok", '"ok"': "ok", '{"a": 1}': {"a": 1}, "5": 5, "erledigt: 3 von 4": "erledigt: 3 von 4", "{": "{",
         "天気は晴れ": "天気は晴れ", "": "", "[1, 2": "[1, 2"}  # fmt: skip


@pytest.mark.parametrize("option", ["--input", "--output"])
@pytest.mark.parametrize("words", WORDS)
def test_what_is_no_json_is_text(workspace: Workspace, words: str, option: str, capfd: Any) -> None:
    main.run(["-C", workspace.root, "event", "note", f"{option}={words}"])

    assert lines(workspace)[-1]["body"][option[2:]] == WORDS[words]
    assert ("recorded as text" in capfd.readouterr().err) == (words in ("{", "[1, 2"))
