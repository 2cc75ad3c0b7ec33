"""Checkpoints saved, listed, restored, compared and pruned; by many at once."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats import digest
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.travel import sync_path
from agentws.errors import DamagedError, LockHeldError, MissingFileError, TooLargeError, UsageError
from agentws.features.checkpoints import listing, task_checkpoints
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.hostile import worlds

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def robin(workspace: Workspace) -> Workspace:
    workspace.tasks.add("Roof")
    return workspace


def ids(of: Workspace, task: str | None = None) -> list[str]:
    return [row.head.id for row in of.checkpoints.list(task).rows]


def events(of: Workspace, kind: str) -> list[dict[str, Any]]:
    return [one.body or {} for one in of.journal.list(kinds=[kind])]


def test_what_was_saved_comes_back_and_the_journal_knows(robin: Workspace) -> None:
    first = robin.checkpoints.save("roof", {"n": 1}, label="begun")
    second = robin.checkpoints.save("ro", {"n": 2})

    found = robin.checkpoints.restore("roof")

    assert (found.id, found.state, found.notices) == (second.id, {"n": 2}, [])
    assert second.parent == first.id
    assert [row.head.label for row in robin.checkpoints.list("roof").rows] == ["begun", ""]
    assert [body["id"] for body in events(robin, "checkpoint.saved")] == [first.id, second.id]
    assert events(robin, "checkpoint.saved")[0]["digest"] == first.head.digest
    assert [body["id"] for body in events(robin, "checkpoint.restored")] == [second.id]


def test_nothing_is_saved_or_pruned_while_one_is_chosen_to_be_restored(
    robin: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.checkpoints.save("roof", {"n": 1})
    other = Workspace.open(robin.root, environment=robin.stores.environment)
    other.stores.files.patience_s = 0.0
    choose = task_checkpoints.TaskCheckpoints.counting

    def slowly(*words: Any) -> Any:
        found = choose(*words)
        with pytest.raises(LockHeldError):
            other.checkpoints.save("roof", {"n": 2})
        with pytest.raises(LockHeldError):
            other.checkpoints.prune()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(task_checkpoints.TaskCheckpoints, "counting", slowly)
        assert robin.checkpoints.restore("roof").state == {"n": 1}
    other.checkpoints.save("roof", {"n": 2})
    assert robin.checkpoints.restore("roof").state == {"n": 2}


def test_a_second_attempt_follows_what_was_restored(robin: Workspace) -> None:
    first, second = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2))
    robin.checkpoints.restore("roof", "1")
    assert [row.is_next for row in robin.checkpoints.list("roof").rows] == [True, False]

    third = robin.checkpoints.save("roof", {"n": 3})
    fourth = robin.checkpoints.save("roof", {"n": 4})
    other = robin.checkpoints.save("roof", {"n": 5}, parent="2")

    assert (third.parent, fourth.parent, other.parent) == (first.id, third.id, second.id)
    found = robin.checkpoints.diff("roof", "2", "3")
    assert [one.plain() for one in found.differences] == [{"place": "n", "kind": "changed", "before": 2, "after": 3}]
    last = robin.checkpoints.diff("roof")
    assert [one.plain() for one in last.differences] == [{"place": "n", "kind": "changed", "before": 2, "after": 5}]
    with pytest.raises(MissingFileError, match="follows no checkpoint"):
        robin.checkpoints.diff("roof", after="1")


@dataclasses.dataclass
class House:
    name: str
    roof: Path


def test_values_of_python_are_saved_and_a_circle_is_named(robin: Workspace) -> None:
    robin.checkpoints.save("roof", House("Elm Row", Path("plans/roof.pdf")), schema=("house", 2))
    assert robin.checkpoints.show("roof").state == {"name": "Elm Row", "roof": "plans/roof.pdf"}
    assert robin.checkpoints.show("roof").head.schema == ("house", 2)
    circle: dict[str, Any] = {"a": []}
    circle["a"].append(circle)
    with pytest.raises(UsageError, match=r"state\.a\[0\] refers back to state"):
        robin.checkpoints.save("roof", circle)
    assert len(ids(robin)) == 1


def test_secrets_are_taken_out_and_the_place_is_told(robin: Workspace) -> None:
    done = robin.checkpoints.save("roof", {"a": [1, {"note": f"use {TOKEN} for it"}], "b": 2})

    assert any("a[1].note" in notice for notice in done.notices)
    assert TOKEN not in Path(robin.root, done.path).read_text()
    found = robin.checkpoints.restore("roof")
    assert found.state["b"] == 2
    assert any("1 possible secrets were removed" in notice for notice in found.notices)


def test_a_text_that_was_clean_is_a_secret_under_another_name(robin: Workspace) -> None:
    long = "x9fK" * 100
    robin.checkpoints.save("roof", {"note": long, "of": {"name": "plan", "value": long}})
    for state in ({"password": long}, {"name": "DB_PASSWORD", "value": long}, {"note": f"{long} {TOKEN}"}):
        robin.checkpoints.save("roof", {"note": long, "n": [state]})
        saved = robin.checkpoints.show("roof")
        assert saved.head.redacted == 1, state
        assert saved.state["note"] == long


def test_what_is_too_large_or_named_wrongly_is_refused(robin: Workspace) -> None:
    robin.config.set("checkpoint.max_bytes", "1000")
    with pytest.raises(TooLargeError, match=r"checkpoint\.max_bytes"):
        robin.checkpoints.save("roof", {"a": "x" * 1000})
    with pytest.raises(TooLargeError):
        robin.checkpoints.save("roof", {"a": "x" * checkpoint.BLOB_BYTES})
    robin.checkpoints.save("roof", {"a": "x" * 900})
    with pytest.raises(MissingFileError, match="No task"):
        robin.checkpoints.save("cellar", {})
    for schema in (("", 1), ("a b", 1), ("a", 0)):
        with pytest.raises(UsageError, match="is not a schema"):
            robin.checkpoints.save("roof", {}, schema=schema)


def test_a_long_text_is_stored_once_and_goes_with_the_last_that_needs_it(robin: Workspace) -> None:
    text = "äö" * checkpoint.BLOB_BYTES
    for number in range(3):
        robin.checkpoints.save("roof", {"n": number, "text": text})
    robin.checkpoints.save("roof", {"n": 3})
    (blob,) = Path(robin.root, "checkpoints/blobs").iterdir()
    assert robin.checkpoints.show("roof", "2").state == {"n": 1, "text": text}

    robin.config.set("checkpoint.keep", "2")
    assert robin.checkpoints.prune(dry_run=True).freed < len(text)
    robin.checkpoints.prune()
    assert blob.exists()
    robin.config.set("checkpoint.keep", "1")
    assert robin.checkpoints.prune().freed > len(text)
    assert not blob.exists()

    robin.checkpoints.save("roof", {"text": text})
    blob.write_bytes(blob.read_bytes()[:-1])
    with pytest.raises(DamagedError, match="content was changed"):
        robin.checkpoints.restore("roof")
    robin.checkpoints.save("roof", {"text": text})
    assert robin.checkpoints.restore("roof").state == {"text": text}
    blob.unlink()
    with pytest.raises(DamagedError, match="is missing"):
        robin.checkpoints.restore("roof")


def test_what_the_rules_do_not_keep_is_pruned_and_told_first(robin: Workspace) -> None:
    saved = [robin.checkpoints.save("roof", n, label="read" if n == 1 else "").id for n in range(6)]
    robin.config.set("checkpoint.keep", "2")
    robin.checkpoints.restore("roof", "4")

    planned = robin.checkpoints.prune("roof", dry_run=True)
    assert [head.id for _, head in planned.gone] == [saved[0], saved[2]]
    assert ids(robin) == saved
    done = robin.checkpoints.prune()

    assert ([head.id for _, head in done.gone], done.kept) == ([saved[0], saved[2]], 4)
    assert ids(robin) == [saved[1], saved[3], saved[4], saved[5]]
    assert events(robin, "checkpoint.pruned")[0]["ids"] == [saved[0], saved[2]]
    assert [row.gone for row in robin.checkpoints.list("roof").rows] == [True, True, False, False]
    assert robin.checkpoints.save("roof", 6).head.seq == 7


def test_a_file_that_no_event_tells_of_is_restored_with_a_notice(robin: Workspace) -> None:
    known = robin.checkpoints.save("roof", {"n": 1}).head
    fields = {**known.plain(), "seq": 2}
    made = checkpoint.encode({key: fields[key] for key in ("task", "seq", "at", "writer")}, checkpoint.body({"n": 9}))
    Path(robin.root, checkpoint.path("roof", made.header.id)).write_bytes(made.content)

    assert listing.NOT_TOLD in robin.checkpoints.restore("roof").notices
    assert listing.NOT_TOLD not in robin.checkpoints.restore("roof", "1").notices


def test_a_damaged_file_is_a_notice_of_the_list_and_never_restored(robin: Workspace) -> None:
    first, second = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2))
    whole = Path(robin.root, first.path)
    whole.write_bytes(whole.read_bytes().replace(b'"n":1', b'"n":7'))
    with pytest.raises(DamagedError, match="its state was changed"):
        robin.checkpoints.restore("roof", "1")
    cut = Path(robin.root, second.path)
    cut.write_bytes(cut.read_bytes()[:40])

    found = robin.checkpoints.list("roof")

    assert [row.head.id for row in found.rows] == [first.id]
    assert any(second.id in notice for notice in found.notices)
    assert robin.checkpoints.save("roof", {"n": 3}).head.seq == 3


def test_the_checkpoints_of_a_renamed_task_stay_its_own(robin: Workspace) -> None:
    first = robin.checkpoints.save("roof", {"n": 1})
    robin.tasks.rename("roof", "Gutter")
    second = robin.checkpoints.save("gutter", {"n": 2})

    assert ids(robin, "gutter") == ids(robin) == [first.id, second.id]
    assert (second.head.seq, second.parent) == (2, first.id)
    assert {row.task for row in robin.checkpoints.list().rows} == {"gutter"}
    robin.tasks.add("Roof")
    assert ids(robin, "gutter") == [second.id]


def test_what_a_killed_save_left_is_taken_out_by_the_next(robin: Workspace) -> None:
    robin.checkpoints.save("roof", 1)
    left = Path(robin.root, "checkpoints/roof/.000002-5a0c71.json.agentws-new")
    left.write_bytes(b'{"agentws":1,')
    robin.checkpoints.save("roof", 2)
    assert not left.exists()
    assert len(ids(robin)) == 2


def _saves(root: str, name: str, count: int) -> None:
    found = Workspace.open(root, environment=Environment(now=NOW, timezone="UTC"))
    for number in range(count):
        found.checkpoints.save("roof", {"by": name, "n": number})


def test_threads_and_processes_save_at_once_and_none_is_lost(robin: Workspace) -> None:
    context = multiprocessing.get_context("spawn")
    workers: list[Any] = [context.Process(target=_saves, args=(robin.root, f"p{one}", 8)) for one in range(3)]
    workers += [threading.Thread(target=_saves, args=(robin.root, f"t{one}", 8)) for one in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    found = robin.checkpoints.list("roof").rows
    assert [row.head.seq for row in found] == list(range(1, 49))
    assert [row.head.parent for row in found[1:]] == [row.head.id for row in found[:-1]]
    states = [robin.checkpoints.show("roof", row.head.id).state for row in found]
    for name in ("p0", "p1", "p2", "t0", "t1", "t2"):
        assert [state["n"] for state in states if state["by"] == name] == list(range(8))
    assert [body["id"] for body in events(robin, "checkpoint.saved")] == [row.head.id for row in found]
    assert robin.journal.verify().findings == []


def test_an_odd_header_of_somebody_else_is_read_as_far_as_it_goes(robin: Workspace) -> None:
    fields = {"task": "roof", "seq": 1, "at": "some time", "label": "\x1b[2J", "parent": ["a"], "session": {"a": 1}}
    made = checkpoint.encode(fields, checkpoint.body({"n": 1}))
    odd = json.loads(made.content)
    odd |= {"parent": ["a"], "session": {"a": 1}, "writer": 7}
    first = json.dumps({key: odd[key] for key in odd if key not in ("blobs", "state")}, separators=(",", ":"))
    line = first[:-1].encode() + b",\n"
    path = Path(robin.root, f"checkpoints/roof/000001-{digest.of(line)[:6]}.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(line + made.content.partition(b"\n")[2])

    done = worlds.run_here("checkpoint", "list", "--json", cwd=Path(robin.root))
    shown = worlds.run_here("checkpoint", "list", cwd=Path(robin.root))
    back = worlds.run_here("task", "rollback", "roof", "--to", "1", cwd=Path(robin.root))

    assert (done.code, shown.code, back.code) == (0, 0, 0), back.err
    assert b"\x1b" not in shown.out
    assert robin.checkpoints.prune().kept == 1


def test_files_of_others_in_such_a_folder_are_left_alone(robin: Workspace) -> None:
    other = Path(robin.root, "checkpoints/epoch-1.bin")
    other.parent.mkdir()
    other.write_bytes(b"weights")
    Path(robin.root, "checkpoints/roof").mkdir()
    beside = Path(robin.root, "checkpoints/roof/state.json")
    beside.write_text("{}")
    robin.checkpoints.save("roof", 1)
    robin.checkpoints.prune()

    assert len(ids(robin)) == 1
    assert (other.read_bytes(), beside.read_text()) == (b"weights", "{}")
    assert not sync_path.travels("checkpoints/epoch-1.bin")
    assert not sync_path.travels("checkpoints/roof/state.json")
    assert sync_path.travels("checkpoints/roof/000001-5a0c71.json")
    assert sync_path.travels(f"checkpoints/blobs/{'0' * 64}")


def test_a_copy_in_another_tasks_folder_is_named_and_removes_nothing_there(robin: Workspace) -> None:
    robin.tasks.add("Gutter")
    saved = [robin.checkpoints.save("roof", n).id for n in range(3)]
    own = robin.checkpoints.save("gutter", "own").id
    folder = Path(robin.root, "checkpoints")
    for id in saved:
        (folder / "gutter" / f"{id}.json").write_bytes((folder / "roof" / f"{id}.json").read_bytes())
    robin.config.set("checkpoint.keep", "1")

    found = robin.checkpoints.list("gutter")
    assert ([row.head.id for row in found.rows], len(found.notices)) == ([own], 3)
    assert "made for the task 'roof'" in found.notices[0]
    assert robin.checkpoints.prune("gutter").gone == []
    assert ids(robin, "roof") == saved
    assert robin.checkpoints.restore("gutter").state == "own"


def test_a_file_or_a_task_that_leads_elsewhere_stops_no_prune(robin: Workspace) -> None:
    saved = [robin.checkpoints.save("roof", n).id for n in range(3)]
    made = checkpoint.encode(
        {"task": "../memory", "seq": 9, "parent": None, "at": robin.stores.now_text(), "label": ""}, checkpoint.body(1)
    )
    Path(robin.root, "checkpoints/roof", f"{made.header.id}.json").write_bytes(made.content)
    task = Path(robin.root, "tasks/roof.md")
    task.write_text(task.read_text().replace("---\n", "---\nwas: ['../victim', '..', '']\n", 1))
    robin.config.set("checkpoint.keep", "1")

    done = robin.checkpoints.prune()

    assert [head.id for _, head in done.gone] == saved[:2]
    assert "made for the task '../memory'" in done.notices[0]
    assert ids(robin, "roof") == saved[2:]


def test_an_older_state_is_never_given_for_one_that_is_gone(robin: Workspace) -> None:
    first, second = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2))
    robin.tasks.pause("roof")
    Path(robin.root, second.path).unlink()

    missing = f"{second.path} is missing"
    for ask in (robin.checkpoints.restore, robin.checkpoints.show, robin.tasks.resume):
        with pytest.raises(MissingFileError, match=missing) as refused:
            ask("roof")
        assert "agentws checkpoint list roof" in (refused.value.hint or "")
    assert any(missing in notice for notice in robin.checkpoints.list("roof").notices)
    assert robin.checkpoints.restore("roof", "1").state == {"n": 1}
    assert robin.checkpoints.restore("roof").state == {"n": 1}

    Path(robin.root, first.path).unlink()
    with pytest.raises(MissingFileError, match=f"{first.path} is missing") as refused:
        robin.tasks.resume("roof")
    assert "agentws checkpoint save roof" in (refused.value.hint or "")
    assert robin.tasks.show("roof").task.state == "paused"
    robin.checkpoints.save("roof", {"n": 3})
    assert robin.tasks.resume("roof").state == {"n": 3}


def test_what_was_restored_and_is_gone_is_not_replaced_by_the_newest(robin: Workspace) -> None:
    first, second = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2))
    robin.tasks.rollback("roof", "1")
    Path(robin.root, first.path).unlink()

    with pytest.raises(MissingFileError, match=f"{first.path} is missing"):
        robin.checkpoints.restore("roof")
    assert robin.checkpoints.restore("roof", second.id).state == {"n": 2}


def test_a_damaged_checkpoint_is_called_so_and_not_passed_over(robin: Workspace) -> None:
    first, second = (robin.checkpoints.save("roof", {"n": n}) for n in (1, 2))
    Path(robin.root, second.path).write_bytes(b"broken\n")

    for word in (None, "2", second.id):
        with pytest.raises(DamagedError, match="not a checkpoint"):
            robin.checkpoints.restore("roof", word)
    assert robin.checkpoints.restore("roof", first.id).state == {"n": 1}


def test_what_was_removed_on_purpose_is_not_missing(robin: Workspace) -> None:
    robin.checkpoints.save("roof", {"n": 1})
    robin.checkpoints.save("roof", {"of": "Lena Moosbrugger"})
    robin.memory.forget(matching=["Lena Moosbrugger"], reason="asked for")
    assert robin.checkpoints.restore("roof").state == {"n": 1}

    robin.checkpoints.save("roof", {"n": 2})
    for path in ("tasks", "checkpoints"):
        shutil.rmtree(Path(robin.root, path))
    robin.tasks.add("Roof")
    robin.tasks.pause("roof")
    assert robin.tasks.resume("roof").state is None


def test_doctor_tells_of_a_state_that_is_gone_until_another_counts(robin: Workspace) -> None:
    made = robin.checkpoints.save("roof", {"n": 1})
    robin.tasks.rename("roof", "Gutter")
    assert not [one for one in robin.doctor().findings if one.name == "checkpoint-missing"]

    shutil.rmtree(Path(robin.root, "checkpoints"))
    (found,) = [one for one in robin.doctor().findings if one.name == "checkpoint-missing"]
    assert (found.path, found.needs_you) == (made.path, True)
    assert made.path in robin.checkpoints.list("gutter").notices[0]
    robin.checkpoints.save("gutter", {"n": 2})
    assert not [one for one in robin.doctor().findings if one.name == "checkpoint-missing"]
