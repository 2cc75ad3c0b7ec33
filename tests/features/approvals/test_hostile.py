"""What an agent may try under its own user id, and what comes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.identity import approvers
from agentws.errors import (
    AgentwsError,
    ApprovalPendingError,
    ApprovalRefusedError,
    ChangedUnderneathError,
    DamagedError,
    UsageError,
)
from agentws.features.approvals import approval_events
from agentws.workspace import Environment, Workspace
from tests import forked
from tests.conftest import NOW
from tests.features.approvals.keys import answer, line, made, pinned, signed
from tests.features.approvals.people import ACTION, at, file_of, kinds, told

NOBODY = 65_534
WON, LATE, OTHER = 0, 13, 99


def test_of_twenty_processes_that_answer_at_once_one_decides(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id

    def answered(number: int) -> int:
        try:
            at(workspace).approvals.decide(id, approve=bool(number % 2), typed=True, message=f"number {number}")
        except ChangedUnderneathError as error:
            return LATE if "already" in error.message else OTHER
        return WON

    assert sorted(raced(20, answered)) == [WON] + [LATE] * 19
    assert kinds(workspace) == ["asked", "decided"]
    winner = told(workspace)[1][1]
    assert f"> {winner['text']}\n" in file_of(workspace, id).read_text()


def test_of_twenty_processes_that_use_it_at_once_one_does(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    at(workspace).approvals.decide(id, approve=True, typed=True)

    def used(_: int) -> int:
        try:
            at(workspace).approvals.use(id, ACTION)
        except ApprovalRefusedError:
            return LATE
        return WON

    assert sorted(raced(20, used)) == [WON] + [LATE] * 19
    assert kinds(workspace).count("used") == 1


def test_a_terminal_that_is_faked_approves_no_high_risk(workspace: Workspace) -> None:
    here = at(workspace)
    low, high = (here.ask("Pay?", action=ACTION, risk=risk).id for risk in ("low", "high"))
    config = Path(os.environ["HOME"], ".config/agentws/config.toml")
    config.parent.mkdir(parents=True)
    config.write_text("[ask]\ntyped = true\n")

    codes = [faked(workspace, f"ask approve {id}", id) for id in (high, low)]

    assert codes[0] == 16
    assert not at(workspace).approvals.show(high).is_usable
    # What the guide says: one line of `script` types for a person, so that a low risk is all that this is good for.
    assert (codes[1], at(workspace).approvals.show(low).proof) == (0, "typed")


def test_settings_that_the_agent_edits_approve_no_high_risk(workspace: Workspace) -> None:
    here = at(workspace, typed=True)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id

    with pytest.raises(ApprovalRefusedError, match="high risk needs a signature"):
        here.approvals.decide(id, approve=True, typed=True)


def test_a_forged_file_is_pending_whatever_it_says(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned(monkeypatch, tmp_path, made(tmp_path / "stick"))
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id
    file = file_of(workspace, id)
    forged = file.read_text().replace("status: pending", "status: approved\nproof: signed\ndecided_by: sam")
    file.write_text(f"{forged}\n## Answer\n\nApproved by sam (signed).\n")

    with pytest.raises(ApprovalPendingError, match="nobody has answered yet"):
        here.approvals.use(id, ACTION)
    assert "status: pending" in file.read_text()


def test_an_event_that_is_forged_proves_nothing(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id
    with pytest.raises(AgentwsError, match="only a command of agentws"):
        here.event("approval.decided", body={"id": id})
    from agentws.core.stores import record

    body = {"id": id, "verdict": "approved", "action_digest": here.approvals.show(id).action_digest, "proof": "signed"}
    record.record(here.stores, [record.told("approval.decided", body=body)])

    assert here.approvals.show(id).status == "pending"
    with pytest.raises(ApprovalPendingError, match="Nothing proves that a person answered"):
        here.approvals.use(id, ACTION)


def test_a_forged_answer_does_not_stand_in_the_way_of_a_person(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = made(tmp_path / "stick")
    pinned(monkeypatch, tmp_path, key)
    test_an_event_that_is_forged_proves_nothing(workspace)
    (one,) = at(workspace).approvals.list()

    at(workspace).approvals.decide(one.id, approve=True, signature=answer(at(workspace), one.id, key))

    assert at(workspace).approvals.use(one.id, ACTION).status == "used"


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_the_list_counts_where_another_user_owns_it_and_all_above(tmp_path: Path) -> None:
    open_to_all(tmp_path)
    file = tmp_path / "etc" / "approvers"
    file.parent.mkdir(mode=0o755)
    file.write_text("")
    file.chmod(0o644)

    def reach(path: Path) -> Callable[[int], int]:
        return lambda _: WON if approvers.within_reach(str(path)) else LATE

    assert approvers.within_reach(str(file)), "the superuser writes everything"
    assert raced(1, reach(file), user=NOBODY) == [LATE]
    file.chmod(0o666)
    assert raced(1, reach(file), user=NOBODY) == [WON]
    file.chmod(0o644)
    file.parent.chmod(0o777)
    assert raced(1, reach(file), user=NOBODY) == [WON]
    file.parent.chmod(0o755)
    os.chown(file.parent, NOBODY, NOBODY)
    assert raced(1, reach(file), user=NOBODY) == [WON]
    os.chown(file.parent, 0, 0)
    (tmp_path / "link").symlink_to(file)
    assert raced(1, reach(tmp_path / "link"), user=NOBODY) == [WON]
    assert raced(1, reach(tmp_path / "nothing"), user=NOBODY) == [WON]


def open_to_all(folder: Path) -> None:
    """Let another user come to this folder."""
    folder.chmod(0o755)
    for above in folder.parents:
        if above.stat().st_uid == os.geteuid() and not above.stat().st_mode & 0o001 and len(above.parts) > 2:
            above.chmod(above.stat().st_mode | 0o011)


def raced(count: int, do: Callable[[int], int], *, user: int = 0) -> list[int]:
    """The exit codes of so many processes that do it at once, as this user."""
    start, go = os.pipe()
    pids = []
    for number in range(count):
        pid = os.fork()
        if pid == 0:
            code = OTHER
            try:
                if user:
                    os.setgroups([])
                    os.setgid(user)
                    os.setuid(user)
                os.close(go)
                os.read(start, 1)
                code = do(number)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        pids.append(pid)
    os.close(start)
    os.close(go)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def faked(workspace: Workspace, verb: str, typed: str) -> int:
    """The exit code of a verb at a terminal that `script` makes, where a program types."""
    if shutil.which("script") is None:
        pytest.skip("script is not here: NOT TESTED")
    command = f"{sys.executable} -m agentws -C {workspace.root} {verb}"
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], input=f"{typed}\n", capture_output=True, text=True, check=False
    )
    return done.returncode


def test_a_use_is_neither_forgotten_nor_altered_away(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay Lena?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True, message="Lena may.")
    here.approvals.use(id, ACTION)
    (used,) = (one for one in here.journal.list() if one.kind == "approval.used")
    with pytest.raises(UsageError, match="nothing private"):
        here.journal.purge([used.cursor], reason="gone")

    here.memory.forget(matching=["Lena"], confirm=True)
    (segment,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    assert "Lena" not in segment.read_text()
    assert "Lena" not in file_of(workspace, id).read_text()
    with pytest.raises((ApprovalRefusedError, DamagedError)):
        at(workspace).approvals.use(id, ACTION)


def test_a_use_whose_line_was_altered_still_counts(workspace: Workspace) -> None:
    here = at(workspace)
    first, second = (here.ask("Pay?", action=ACTION, again=True).id for _ in range(2))
    for id in (first, second):
        here.approvals.decide(id, approve=True, typed=True)
    here.approvals.use(first, ACTION)
    (segment,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    text = segment.read_text()
    line = next(line for line in text.split("\n") if '"approval.used"' in line)

    segment.write_text(text.replace(line, line.replace(first, "zzzzzz")))
    for id in (first, second):
        with pytest.raises((ApprovalRefusedError, DamagedError)):
            at(workspace).approvals.use(id, ACTION)
    found = approval_events.by_id(at(workspace).stores, [])
    assert "approval.used" in [fact.kind for fact in found["zzzzzz"]], "it counts, whatever it says now"


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_the_loan_story_with_the_key_of_a_person_and_an_agent_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the proof is played here: the list is root's, the agent is nobody, and the key lies with neither."""
    open_to_all(tmp_path)
    key, lists, home = made(tmp_path / "stick"), tmp_path / "etc", tmp_path / "home"
    for folder, mode in ((lists, 0o755), (home, 0o700), (tmp_path / "stick", 0o700)):
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    (lists / "approvers").write_text(line(key))
    (lists / "approvers").chmod(0o644)
    Workspace.init(str(home / "robin"), environment=Environment(now=NOW, timezone="UTC"), git=False)
    for path in (home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    forked.import_all()  # nobody may read where this interpreter lies
    monkeypatch.setattr(approvers, "FILE", str(lists / "approvers"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(home))  # that of the tests may be closed to another user
    loan, note = {"tool": "pay_out", "loan": 7, "amount": 250}, home / "note"

    def here() -> Workspace:
        return Workspace.open(str(home / "robin"), environment=Environment(now=NOW, timezone="UTC"))

    def asks(_: int) -> int:
        here().tasks.add("Loan 7", start=True)
        id = here().ask("Pay out loan 7?", action=loan, risk="high", task="loan-7", expires="2d").id
        note.write_text(f"{id}\n{here().approvals.statement(id)}")
        return WON

    def tries(_: int) -> int:
        """The agent signs with a key of its own, which it pins where it can."""
        id, _, words = note.read_text().partition("\n")
        own = made(home / "keys")
        Path(here().root, "identity", "approvers").write_text(line(own))
        sealed = signed(own, line(own), namespace="agentws-approvers")
        Path(here().root, "identity", "approvers.sig").write_text(sealed)
        for signature in (signed(own, words), None):
            with pytest.raises(ApprovalRefusedError):
                here().approvals.decide(id, approve=True, signature=signature, typed=True)
        with pytest.raises(ApprovalPendingError):
            here().approvals.use(id, loan, risk="high")
        return WON

    def uses(_: int) -> int:
        id = note.read_text().partition("\n")[0]
        done = here().approvals.decide(id, approve=True, signature=(home / "answer").read_text())
        assert (done.proof, done.is_usable) == ("signed", True)
        with pytest.raises(ApprovalRefusedError):
            here().approvals.use(id, {**loan, "amount": 950}, risk="high")
        here().approvals.use(id, loan, risk="high")
        with pytest.raises(ApprovalRefusedError):
            here().approvals.use(id, loan, risk="high")
        return WON

    assert raced(1, asks, user=NOBODY) == [WON]
    assert raced(1, tries, user=NOBODY) == [WON]
    (home / "answer").write_text(signed(key, note.read_text().partition("\n")[2]))  # at the machine of the person
    (home / "answer").chmod(0o644)
    assert raced(1, uses, user=NOBODY) == [WON]


def test_of_eight_threads_of_one_program_that_answer_and_use_it_one_does(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id

    def tried(do: Callable[[], object]) -> bool:
        try:
            do()
        except (ApprovalRefusedError, ChangedUnderneathError):
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: tried(lambda: here.approvals.decide(id, approve=True, typed=True)), range(8)))
        uses = list(pool.map(lambda _: tried(lambda: here.approvals.use(id, ACTION)), range(8)))

    assert (sum(answers), sum(uses)) == (1, 1)
    assert [kinds(workspace).count(kind) for kind in ("asked", "decided", "used")] == [1, 1, 1]


def test_a_file_that_changes_after_it_was_shown_is_neither_signed_nor_approved(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = made(tmp_path / "stick")
    pinned(monkeypatch, tmp_path, key)
    for id, risk in (("bcdfgh", "high"), ("bcdfgj", "low")):
        file = file_of(workspace, id)
        file.parent.mkdir(exist_ok=True)
        text = f'---\nstatus: pending\nrisk: {risk}\n---\n# Pay?\n\n```json\n{{"pay": 5}}\n```\n'
        file.write_text(text)
        shown = at(workspace).approvals.show(id)
        before = at(workspace).approvals.statement(id)
        file.write_text(text.replace("5", "5000"))  # nothing of it is in the journal yet

        words = at(workspace).approvals.statement(shown)
        assert words == before
        given: dict[str, Any] = {"signature": signed(key, words)} if risk == "high" else {"typed": True}
        with pytest.raises(ChangedUnderneathError, match="after it was shown"):
            at(workspace).approvals.decide(id, approve=True, shown=shown, **given)
        if risk == "high":
            with pytest.raises(ApprovalRefusedError, match="not over these words"):
                at(workspace).approvals.decide(id, approve=True, **given)


def test_the_statement_says_on_stderr_what_it_is_about(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    one = at(workspace).ask("Pay the deposit?", action=ACTION, risk="high")

    assert main.run(["ask", "show", one.id, "--statement", "-C", workspace.root]) == 0

    printed = capsys.readouterr()
    assert printed.out == at(workspace).approvals.statement(one.id)
    for text in ("Pay the deposit?", '"amount": 250', one.action_digest):
        assert text in printed.err
