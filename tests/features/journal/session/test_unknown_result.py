"""A program that repeats an action which a crash left without a result gets UnknownResultError once."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from agentws.core.stores import fence, kept_out
from agentws.core.stores.stores import Stores
from agentws.errors import NeedsYouError, UnknownResultError
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

MAIL = {"to": "sam@example.org", "at": [1, 2]}


class Killed(BaseException):
    """The process ends here."""


def opened(workspace: Workspace) -> Workspace:
    """Return the workspace as a new process opens it."""
    return Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC"))


@pytest.fixture
def crashed(workspace: Workspace) -> Workspace:
    """A workspace in which a process was killed while it sent a mail."""
    child = os.fork()
    if not child:
        with opened(workspace).session(session="died") as session, session.action("send_mail", MAIL, call="mail-1"):
            os._exit(9)
    os.waitpid(child, 0)
    return opened(workspace)


def act(workspace: Workspace, session: str = "later", given: Any = MAIL, call: str | None = None) -> bool:
    """Return whether a session of its own process may send the mail."""
    with opened(workspace).session(session=session) as run:
        try:
            with run.action("send_mail", given, call=call):
                return True
        except UnknownResultError:
            return False


def open_calls(workspace: Workspace) -> list[str]:
    return [line for line in opened(workspace).boot().text.splitlines() if "no result recorded" in line]


def test_the_error_says_what_to_do_and_the_second_time_it_is_done(crashed: Workspace) -> None:
    with crashed.session(session="later") as session:
        with pytest.raises(UnknownResultError) as caught, session.action("send_mail", MAIL):
            pytest.fail("the block ran")
        with session.action("send_mail", MAIL) as call:
            call.result("sent")

    assert isinstance(caught.value, NeedsYouError)
    assert (caught.value.code, caught.value.exit_code) == ("unknown-result", 3)
    assert caught.value.message == (
        "An identical call was running when the session of 07:15 crashed. Its result is unknown."
    )
    assert caught.value.hint == "Check first, then run `agentws done --call mail-1` or repeat the call."
    assert open_calls(crashed) == []
    assert not fence._read(crashed.stores.files)["calls"]


def test_an_action_that_ran_when_its_session_ended_is_asked_about_until_its_result_is_recorded(
    workspace: Workspace,
) -> None:
    with opened(workspace).session(session="ended") as session:
        running = session.action("send_mail", MAIL, call="mail-1")
        running.__enter__()

    with opened(workspace).session(session="later") as later, pytest.raises(UnknownResultError) as caught:
        later.action("send_mail", MAIL).__enter__()
    running.result("sent")

    assert "was running when the session of 07:15 ended. Its result" in caught.value.message
    assert act(workspace, session="last")


def test_an_action_with_the_id_of_the_first_one_is_asked_about_too(crashed: Workspace) -> None:
    assert not act(crashed, call="mail-1")
    assert open_calls(crashed), "the question ends nothing"
    assert act(crashed, call="mail-1")
    assert open_calls(crashed) == []


@pytest.mark.parametrize("given", [{**MAIL, "at": [2, 1]}, {"to": "kim@example.org"}, None, "sam@example.org"])
def test_another_action_is_done(crashed: Workspace, given: Any) -> None:
    assert act(crashed, given=given)


def test_the_order_of_keys_is_no_difference(crashed: Workspace) -> None:
    assert not act(crashed, given=dict(reversed(MAIL.items())))


def test_a_recorded_result_lifts_it(crashed: Workspace) -> None:
    crashed.session.start(session="looks")
    crashed.event("result", "it was sent", call="mail-1")

    assert act(crashed)


def test_killed_before_the_question_was_durable_it_is_asked_again(
    crashed: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with crashed.session(session="later"), monkeypatch.context() as patched:
        patched.setattr(fence, "_change", _killed)
        with pytest.raises(Killed):
            act(crashed)

    assert not act(crashed)
    assert act(crashed)


def test_killed_behind_it_the_repeat_is_the_decision(crashed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(fence.Repeated, "question", lambda *_: "asked")
        assert not act(crashed)

    assert act(crashed)


@pytest.mark.parametrize("call", [None, "mail-1"])
def test_killed_between_the_repeat_and_the_mark_the_first_call_has_ended(
    crashed: Workspace, monkeypatch: pytest.MonkeyPatch, call: str | None
) -> None:
    act(crashed, call=call)
    child = os.fork()
    if not child:
        monkeypatch.setattr(fence, "lift", lambda *_: os._exit(9))
        act(crashed, call=call)
    os.waitpid(child, 0)

    assert len(open_calls(crashed)) == 1, "the repeat"
    assert not act(crashed, call=call), "which nobody has decided about yet"
    assert act(crashed, call=call)


def test_a_full_disk_stops_no_session(crashed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        from agentws.errors import DiskError

        raise DiskError("No space left.")

    monkeypatch.setattr(fence, "_change", refused)
    started = crashed.session.start(session="later")

    assert "Calls that were in flight are not held back: No space left." in started.notices


def _killed(*_: object) -> None:
    raise Killed


def test_a_call_that_was_made_ends_whatever_its_result_says(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    workspace.memory.forget(matching=["Zebulon Quark"])

    with workspace.session(session="s") as session:
        with session.action("look_up", {"id": 1}) as call:
            call.result("row: Zebulon Quark")
        with pytest.raises(ValueError, match="no such customer"), session.action("look_up", {"id": 2}):
            raise ValueError("no such customer: Zebulon Quark")

    ends = [one for one in workspace.journal.list() if one.kind in ("result", "error")]
    assert [one.kind for one in ends] == ["result", "error"]
    assert "Quark" not in str([one.body for one in ends])
    assert open_calls(workspace) == []


def test_a_call_with_forgotten_text_is_known_again(workspace: Workspace) -> None:
    workspace.log("met Zebulon Quark")
    workspace.memory.forget(matching=["Zebulon Quark"])
    stores = Stores(workspace.root, Environment(now=NOW, timezone="UTC"))
    stores.load()
    given = {"tool": "send_mail", "input": {**MAIL, "text": "to Zebulon Quark"}}
    kept = kept_out.read(stores)
    assert kept is not None

    recorded = kept_out.without_in_body(kept, given, [])

    assert fence.key(fence._as_recorded(stores, given)) == fence.key(recorded) != fence.key(given)


@pytest.mark.parametrize("text", ['{"calls":{"x":5},"watched":{}}', '{"calls":{"x":{}},"watched":{"y":1}}', "[]", "{"])
def test_a_fence_file_of_another_form_is_made_anew(crashed: Workspace, text: str) -> None:
    with opened(crashed).session(session="first"):
        pass
    (Path(crashed.root) / ".agentws/fence.json").write_text(text)

    assert not act(crashed), "asked"
    assert act(crashed), "decided"


SENDS = """
import os, sys
from agentws.workspace import Workspace
given = {"to": {"sam", "kim", "lea", "tom"}, "by": {frozenset({"a", "b", "c"}): 1, 7: 2}}
with Workspace.open(sys.argv[1]).session(session=sys.argv[2]) as session:
    with session.action("send_mail", given):
        os._exit(9)
"""


def test_a_set_is_the_same_input_in_a_process_with_another_order_of_sets(workspace: Workspace) -> None:
    def run(session: str, seed: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "-c", SENDS, workspace.root, session]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)

    assert run("died", "1").returncode == 9
    for seed in ("2", "3", "4"):
        assert "UnknownResultError" in run(f"later{seed}", seed).stderr


@pytest.mark.parametrize("given", [object(), {"by": [object()]}, {object(): 1}, lambda: 1, ["x", {object()}]])
def test_an_input_that_has_no_lasting_form_is_a_type_error_before_anything_is_recorded(
    workspace: Workspace, given: Any
) -> None:
    recorder = opened(workspace).session(session="one")
    words = r"'send_mail' holds a value of type (object|function)\. .* Pass dicts, lists, sets"
    with recorder as session, pytest.raises(TypeError, match=words):
        session.action("send_mail", given)

    assert not list(opened(workspace).journal.list(kinds="action"))


class Currency(Enum):
    EURO = "eur"


@dataclass
class Payment:
    amount: int
    currency: Currency
    pin: str = field(default="0000", repr=False)


def nested(levels: int, innermost: Any) -> Any:
    for _ in range(levels):
        innermost = {"in": innermost}
    return innermost


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Currency.EURO, "eur"),
        ({Currency.EURO: {Currency.EURO}}, {"eur": ["eur"]}),
        (Payment(250, Currency.EURO), {"amount": 250, "currency": "eur"}),
        (bytearray(b"words"), "bytearray(b'words')"),
        (range(3), "range(0, 3)"),
    ],
    ids=["enum", "enum in a set", "dataclass without its hidden field", "bytearray", "range"],
)
def test_a_value_of_a_program_with_a_lasting_form_is_recorded_in_that_form(
    workspace: Workspace, given: Any, kept: Any
) -> None:
    with opened(workspace).session(session="one") as session, session.action("pay", given):
        pass

    (action,) = opened(workspace).journal.list(kinds="action")
    assert (action.body or {})["input"] == kept


def test_an_input_nested_deeper_than_the_journal_keeps_is_recorded_and_still_refuses_an_object(
    workspace: Workspace,
) -> None:
    with opened(workspace).session(session="one") as session:
        with session.action("pay", nested(100, {"b", "a"})):
            pass
        with pytest.raises(TypeError, match=r"holds a value of type object\."):
            session.action("pay", nested(100, object()))

    (action,) = opened(workspace).journal.list(kinds="action")
    assert "['a', 'b']" in str((action.body or {})["input"])


def test_an_input_that_contains_itself_is_a_type_error_that_says_so(workspace: Workspace) -> None:
    given: dict[str, Any] = {}
    given["of"] = given
    with opened(workspace).session(session="one") as session, pytest.raises(TypeError, match="dict, nested too deeply"):
        session.action("pay", given)


def test_a_path_a_day_and_a_decimal_are_recorded_in_words(workspace: Workspace) -> None:
    given = {"at": Path("/a"), "on": date(2026, 11, 20), "costs": Decimal("1.50"), "not": float("nan"), "of": b"words"}

    with opened(workspace).session(session="one") as session, session.action("pay", given):
        pass

    (action,) = opened(workspace).journal.list(kinds="action")
    told = {
        "at": "PosixPath('/a')",
        "on": "datetime.date(2026, 11, 20)",
        "costs": "Decimal('1.50')",
        "not": "nan",
        "of": "b'words'",
    }
    assert (action.body or {})["input"] == told
