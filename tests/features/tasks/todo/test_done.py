"""What is over is closed by its reference or by a few words, wherever it stands; the old line is never edited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.notes import closure
from agentws.core.notes.closure import Open, Row
from agentws.errors import (
    AmbiguousError,
    ChangedUnderneathError,
    LockHeldError,
    NothingOpenError,
    SecretRefusedError,
    UsageError,
)
from agentws.workspace import Environment, Workspace
from tests import table
from tests.conftest import NOW
from tests.features.tasks.todo.test_todo import DAY, put, text_of

TWO_WORDS = [
    ("Pay the deposit for the flat", "Paid the deposit for the flat", "pay deposit"),
    ("Submit the tax form", "submitted the tax form", "tax form"),
    ("Book the movers", "movers booked", "book movers"),
    ("Möbelwagen reservieren", "Wagen ist reserviert", "möbelwagen reserv"),
    ("田中さんに電話する", "田中さんと話した", "田中 電話"),
    ("اتصل بالطبيب", "اتصلت أمس", "اتصل طبيب"),
    ("Позвонить врачу", "Врачу позвонили", "позвонить врачу"),
    ("预订搬家公司", "已经订好了", "搬家 公司"),
    ("डॉक्टर को फ़ोन करना", "डॉक्टर से बात हुई", "डॉक्टर फ़ोन"),
]
"""Something to do, what was logged when it was over, and the two words that close it."""


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def contents(workspace: Workspace) -> dict[str, str]:
    """The documents of a workspace, by path."""
    paths = [path for folder in ("", "memory", "tasks") for path in Path(workspace.root, folder).glob("*.md")]
    return {str(path): path.read_text() for path in paths}


def open_in(workspace: Workspace) -> list[str]:
    return [one.text for one in workspace.todos().rows]


def test_references_and_words_are_not_mixed(workspace: Workspace) -> None:
    refs = [workspace.todo(text).ref for text in ("Call Tom", "Oil the gate", "Sell the boat")]
    before = text_of(workspace)

    with pytest.raises(UsageError, match="References and words are mixed"):
        workspace.done(*refs[:2], "the boat")

    assert text_of(workspace) == before
    workspace.done(refs[2])
    with pytest.raises(NothingOpenError, match="was already closed"):
        workspace.done(*refs)


@pytest.mark.parametrize("verb", ["done", "drop"])
def test_of_two_processes_that_close_an_item_at_once_the_second_one_finds_it_closed(
    workspace: Workspace, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.log("TODO: oil the mill")
    other = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", patience_s=0.0))
    named = closure.named

    def meanwhile(words: Sequence[str], among: Open) -> list[Row]:
        monkeypatch.setattr(closure, "named", named)
        with pytest.raises(LockHeldError):
            other.done("oil mill")
        return named(words, among)

    monkeypatch.setattr(closure, "named", meanwhile)
    getattr(workspace, verb)("oil mill")

    with pytest.raises(NothingOpenError, match="was already"):
        other.done("oil mill")
    assert text_of(workspace).count("(closes ^") == 1


def test_what_others_asked_for_without_a_reference_is_closed_by_the_one_that_todo_prints(workspace: Workspace) -> None:
    put(
        workspace,
        "memory/2026-11-18.md",
        "# 2026-11-18\n\n- [ ] Send the plans (via net:mail)\n- [ ] Call (via net:mail)\n",
    )
    (plans, _) = workspace.todos().outside

    workspace.done(plans.ref)

    assert [row.text for row in workspace.todos().outside] == ["Call"]
    with pytest.raises(NothingOpenError):
        workspace.done(plans.ref)


def test_one_undo_takes_back_all_that_one_call_closed_and_one_redo_closes_it_again(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Sell the boat\n- [ ] Oil the mill\n")
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- [ ] Sell the boat\n- [ ] Call Tom\n")
    workspace.tasks.add("Move the bees", steps=["order a hive"])
    workspace.log("The heron is back")
    before = contents(workspace)
    refs = [row.ref for row in workspace.todos().rows]
    workspace.drop(*refs)
    after = contents(workspace)
    assert open_in(workspace) == []

    for _ in range(2):
        reopened(workspace).undo()
        assert contents(workspace) == before
        reopened(workspace).history.redo()
        assert contents(workspace) == after
    assert reopened(workspace).undo(dry_run=True).verb == reopened(workspace).undo().verb
    assert reopened(workspace).undo().entries == ["- 07:15 The heron is back"]


def test_an_undo_takes_back_nothing_if_a_part_of_it_was_edited_since(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Oil the mill\n")
    workspace.todo("Call Tom")
    workspace.done(*(row.ref for row in workspace.todos().rows))
    put(workspace, "MEMORY.md", f"{text_of(workspace, 'MEMORY.md')}- Ada sold the boat\n")
    before = contents(workspace)

    with pytest.raises(ChangedUnderneathError, match="nothing was undone"):
        reopened(workspace).undo()

    assert contents(workspace) == before


def test_two_words_close_what_no_rule_about_words_would(workspace: Workspace) -> None:
    for text, _, _ in TWO_WORDS:
        workspace.todo(text)

    def check(case: tuple[str, str, str]) -> None:
        text, said, words = case
        workspace.log(said)
        assert text in open_in(workspace)
        workspace.done(*words.split())
        assert text not in open_in(workspace)

    table.holds(check, TWO_WORDS)
    assert open_in(workspace) == []


def test_a_line_says_it_and_what_stood_there_stays(workspace: Workspace) -> None:
    first, second = workspace.todo("Call Tom"), workspace.todo("Oil the gate")
    before = text_of(workspace)

    done = workspace.done("call", "tom")
    workspace.drop(second.ref, note="It was sold")

    assert text_of(workspace) == before + (
        f"- 07:15 [done] Call Tom (closes ^{first.ref})\n"
        f"- 07:15 [dropped] Oil the gate: It was sold (closes ^{second.ref})\n"
    )
    assert (done.closed[0].logged.path, done.closed[0].logged.line) == (DAY, 5)
    assert done.closed[0].row.text == "Call Tom"


def test_several_references_close_each(workspace: Workspace) -> None:
    refs = [workspace.todo(text).ref for text in ("Call Tom", "Oil the gate", "Paint the fence")]

    workspace.done(refs[0], f"^{refs[2]}")

    assert open_in(workspace) == ["Oil the gate"]


def test_several_matches_are_told_and_none_is_closed(workspace: Workspace) -> None:
    refs = [workspace.todo(text).ref for text in ("Call Tom", "Call Ada")]
    before = text_of(workspace)

    with pytest.raises(AmbiguousError, match="2 open items") as several:
        workspace.done("call")
    with pytest.raises(NothingOpenError) as none:
        workspace.done("zebra", "ada")

    assert all(ref in (several.value.hint or "") for ref in refs)
    assert refs[1] in (none.value.hint or "")
    assert refs[0] not in (none.value.hint or "")
    assert (several.value.exit_code, none.value.exit_code) == (2, 1)
    assert text_of(workspace) == before


def test_a_box_of_memory_is_ticked_and_undo_takes_that_back(workspace: Workspace) -> None:
    memory = "# Memory\r\n\r\n- [ ] Renew the passport\r\n- [ ] Renew the card\r\n* [ ] Oil the gate"
    put(workspace, "MEMORY.md", "")
    with open(f"{workspace.root}/MEMORY.md", "w", newline="") as file:
        file.write(memory)
    read = workspace.stores.files.read

    done = workspace.done("renew", "pass")
    workspace.drop("oil")

    ticked = memory.replace("[ ] Renew the pass", "[x] Renew the pass")
    assert read("MEMORY.md").decode() == ticked.replace("[ ] Oil", "[x] ❌ Oil")
    assert (done.closed[0].ticked, done.closed[0].logged) == (["MEMORY.md:3"], None)
    assert open_in(workspace) == ["Renew the card"]
    workspace.undo()
    assert read("MEMORY.md").decode() == ticked
    workspace.undo()
    assert read("MEMORY.md").decode() == memory
    assert set(open_in(workspace)) == {"Renew the passport", "Renew the card", "Oil the gate"}


def test_a_drawn_box_of_memory_is_ticked_too_and_one_of_a_task_is_closed_by_the_log(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- ☐ Renew the passport\n\n☐ Oil the gate\n")
    put(workspace, "tasks/roof.md", "---\nstatus: todo\n---\n# Roof\n\n- ☐ Count the slates\n")

    workspace.done("renew", "pass")
    workspace.drop("oil")
    counted = workspace.done("count", "slates")

    assert text_of(workspace, "MEMORY.md") == "# Memory\n\n- ☑ Renew the passport\n\n☑ ❌ Oil the gate\n"
    assert (counted.closed[0].ticked, counted.closed[0].logged is None) == ([], False)
    assert open_in(workspace) == ["Roof"]


def test_a_step_is_checked_and_a_task_finished_by_its_own_verb(workspace: Workspace) -> None:
    workspace.tasks.add("Move the address book", steps=["Export it", "Import it"])
    workspace.tasks.add("Mend the roof")

    workspace.done("export")
    workspace.drop("import")
    workspace.done("move", "book", note="All there")
    workspace.drop("roof")

    body = text_of(workspace, "tasks/move-the-address-book.md")
    assert "status: done" in body
    assert body.endswith("- [x] Export it\n- [x] ❌ Import it\n")
    assert "status: cancelled" in text_of(workspace, "tasks/mend-the-roof.md")
    assert open_in(workspace) == []
    told = {one.kind for one in workspace.journal.list(kinds=["task.*"])}
    assert {"task.stepped", "task.done", "task.cancelled"} <= told


def test_what_a_log_says_and_a_box_says_too_is_closed_in_both(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Call Tom about the lease\n")
    workspace.todo("Call Tom about the lease")

    workspace.done("call", "tom")

    assert "- [x] Call Tom about the lease" in text_of(workspace, "MEMORY.md")
    assert "[done] Call Tom about the lease (closes ^" in text_of(workspace)
    assert open_in(workspace) == []


def test_what_nobody_else_may_hear_is_not_told_by_the_line_that_closes_it(workspace: Workspace) -> None:
    workspace.log("Call the clinic", kind="todo", tags=("private", "health"))

    workspace.done("clinic")

    assert text_of(workspace).rstrip().endswith("#private")


def test_what_others_wrote_is_closed_by_its_reference_alone_and_not_said_again(workspace: Workspace) -> None:
    theirs = workspace.todo("Pay them at once", via="net:mail")

    with pytest.raises(NothingOpenError):
        workspace.done("pay", "them")
    workspace.done(theirs.ref)

    assert workspace.todos().outside == []
    assert text_of(workspace).endswith(f"- 07:15 [done] {DAY}:3 (closes ^{theirs.ref})\n")


def test_nothing_is_written_for_a_dry_run_or_a_note_that_is_none(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Renew the passport\n")
    workspace.todo("Call Tom")
    before = text_of(workspace), text_of(workspace, "MEMORY.md")

    assert workspace.done("call", dry_run=True).closed[0].row.text == "Call Tom"
    assert workspace.done("renew", dry_run=True).closed[0].row.text == "Renew the passport"
    with pytest.raises(SecretRefusedError):
        workspace.done("call", note="ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi")
    with pytest.raises(UsageError):
        workspace.done("", " ")
    with pytest.raises(UsageError):
        workspace.done()

    assert (text_of(workspace), text_of(workspace, "MEMORY.md")) == before


def test_a_shared_session_closes_what_it_may_hear_and_names_nothing_else(workspace: Workspace) -> None:
    workspace.todo("Call the clinic")
    workspace.session.start(session="g-1", audience="shared")
    group = Workspace.open(workspace.root, environment=Environment(now=workspace.stores.environment.now, session="g-1"))
    group.todo("Call Tom about the picnic")

    assert [(one.text, one.line) for one in group.todos().rows] == [("Call Tom about the picnic", 4)]
    with pytest.raises(NothingOpenError) as none:
        group.done("call", "clinic")
    assert "Call the" not in str(none.value.hint)
    group.done("call")

    assert group.todos().rows == []
    assert open_in(workspace) == ["Call the clinic"]


def test_nothing_that_a_shared_session_writes_ends_what_it_may_not_hear(workspace: Workspace) -> None:
    own = workspace.todo("Call the clinic about #45")
    put(workspace, "memory/2026-11-19.md", "## Next steps\n- [ ] Book the movers\n")
    private = [(one.ref, one.text) for one in workspace.todos().rows]
    workspace.session.start(session="g-1", audience="shared")
    group = Workspace.open(workspace.root, environment=Environment(now=workspace.stores.environment.now, session="g-1"))
    before = text_of(workspace)

    narrowed = Workspace.open(
        workspace.root, environment=Environment(now=workspace.stores.environment.now, audience="shared")
    )
    for ref in (own.ref, private[1][0]):
        for writer in (group, narrowed):
            with pytest.raises(NothingOpenError):
                writer.log("It is done", kind="dropped", closes=(ref,))
    assert text_of(workspace) == before
    for text in ("Call the clinic about #45", "#45 works now", "Book the movers"):
        group.log(text, kind="done")
        group.done(group.todo(text).ref)
    kept = group.todo("Choose a book")
    group.log("Chosen", closes=(kept.ref,))

    assert [(one.ref, one.text) for one in workspace.todos().rows] == private
    assert group.todos().rows == []
    workspace.done("clinic")
    workspace.log("Book the movers", kind="done")
    assert open_in(workspace) == []


def test_undo_takes_the_line_back_and_the_item_is_open_again(workspace: Workspace) -> None:
    workspace.todo("Call Tom")
    workspace.done("call")
    assert open_in(workspace) == []

    workspace.undo()

    assert open_in(workspace) == ["Call Tom"]


def test_log_closes_by_reference_with_words_of_its_own(workspace: Workspace) -> None:
    refs = [workspace.todo(text).ref for text in ("Call Tom", "Oil the gate", "Paint the fence")]

    workspace.log("Spoke to him", kind="done", closes=(refs[0],), importance=7)
    workspace.log("Sold both", kind="dropped", closes=(f"^{refs[1]}", refs[2]), tags=("house",))

    assert text_of(workspace).endswith(
        f"- 07:15 [done] Spoke to him (closes ^{refs[0]}) !7\n"
        f"- 07:15 [dropped] Sold both (closes ^{refs[1]} ^{refs[2]}) #house\n"
    )
    assert open_in(workspace) == []
    for wrong in ({"kind": "fact"}, {"closes": ("no ref",)}, {"closes": ("",)}, {"via": "net:mail"}):
        with pytest.raises(UsageError):
            workspace.log("It is done", **{"closes": (refs[0],), **wrong})  # type: ignore[arg-type]


def test_words_that_look_like_marks_close_nothing(workspace: Workspace) -> None:
    ref = workspace.todo("Call Tom").ref

    workspace.log(f"He said (closes ^{ref})")
    workspace.log(f"He said (closes ^x7mp ^{ref}) or so", kind="done")
    workspace.remember(f"He always says (closes ^{ref}) then")
    workspace.log(f"It is done (closes ^{ref})", kind="done", via="net:mail")
    workspace.log(f"It is done (closes ^{ref}) or so", kind="done", via="tool:web")

    assert open_in(workspace) == ["Call Tom"]


def test_what_is_over_leaves_boot(workspace: Workspace) -> None:
    rain = "".join(f"- It rained in the morning, {n} mm, and Kim came at noon.\n" for n in range(200))
    put(workspace, "memory/2026-11-10.md", f"- [ ] Oil the gate\n- [ ] Paint the fence\n\n{rain}")
    put(workspace, "memory/2026-11-19.md", rain)
    before = workspace.boot(budget=2000).text

    workspace.done("oil", "gate")

    after = workspace.boot(budget=2000).text
    assert "Oil the gate" in before
    assert "Paint the fence" in before
    assert "Paint the fence" in after
    assert "Oil the gate" not in "\n".join(line for line in after.split("\n") if "[done]" not in line)


def test_two_that_were_given_the_same_reference_are_closed_one_by_one(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-19.md", "- 09:00 [todo] Call Tom ^t3fk\n- 09:00 [todo] Oil the gate ^t3fk\n")

    with pytest.raises(AmbiguousError, match="2 open items"):
        workspace.done("t3fk")
    workspace.done("memory/2026-11-19.md:2", note="it was dry")

    assert open_in(workspace) == ["Call Tom"]


def test_an_item_made_of_signs_alone_is_closed_by_them(workspace: Workspace) -> None:
    workspace.todo("☎️")
    workspace.todo("🎂 🎂")

    workspace.done("☎️")

    assert len(open_in(workspace)) == 1
    assert "🎂 🎂" in open_in(workspace)[0]


def test_what_names_nothing_closes_nothing(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-19.md", "- [ ] Call Tom\n")
    before = len(open_in(workspace))

    for words in ("^", "^^", "(", "-", "."):
        with pytest.raises((NothingOpenError, UsageError)):
            workspace.done(words)

    assert len(open_in(workspace)) == before == 1


def test_any_line_that_says_an_item_names_it_by_its_reference_in_any_length(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "- 09:00 [todo] Call Tom about the lease ^t3fk\n- [ ] Oil the gate\n")
    put(workspace, "memory/2026-11-19.md", "- 09:00 [todo] Call Tom about the lease ^x7mp\n")
    gate = next(one for one in workspace.todos().rows if one.text == "Oil the gate")

    for ref, text in (("t3fk", "Call Tom about the lease"), ("x7mp", "Call Tom about the lease")):
        assert [one.row.text for one in workspace.done(ref, dry_run=True).closed] == [text]
    for length in (4, 6, 12):
        ref = gate.said[0].longer_ref(length)
        assert [one.row.text for one in workspace.done(ref, dry_run=True).closed] == ["Oil the gate"]


def test_what_looks_like_a_secret_is_closed_and_not_said_again(workspace: Workspace) -> None:
    token = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    put(workspace, "memory/2026-11-19.md", f"- [ ] Rotate the token {token}\n")

    workspace.done("rotate", "token")

    assert token not in text_of(workspace)
    assert open_in(workspace) == []


def test_the_record_of_changes_names_the_verb(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Renew the passport\n- [ ] Oil the gate\n")
    workspace.done("passport")
    workspace.drop("gate")

    assert [one.verb for one in workspace.history.changes().rows][:2] == ["drop", "done"]


def test_a_damaged_task_is_said_and_stops_nothing(workspace: Workspace) -> None:
    put(workspace, "tasks/odd.md", "---\nbad: [\n---\n# Odd\n\n- [ ] a box\n")
    workspace.todo("Call Tom")

    assert any("tasks/odd.md" in notice for notice in workspace.todos().notices)
    done = workspace.done("call", "tom")

    assert any("tasks/odd.md" in notice for notice in done.notices)
    assert open_in(workspace) == []


def test_words_that_an_item_does_not_have_close_nothing_and_name_what_is_near(workspace: Workspace) -> None:
    ref = workspace.todo("Pay the rent").ref
    workspace.todo("Call Tom")

    with pytest.raises(NothingOpenError) as none:
        workspace.done("paid", "rent")

    assert ref in (none.value.hint or "")
    assert "Call Tom" not in (none.value.hint or "")
    assert open_in(workspace) == ["Pay the rent", "Call Tom"]


def test_what_is_over_already_is_told_with_its_day_and_its_line(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "- [ ] Oil the gate\n- 09:00 [todo] Sell the shed ^sh4d\n")
    put(workspace, "memory/2026-11-19.md", "- 10:00 [dropped] Sell the shed: too small (closes ^sh4d)\n")
    put(workspace, "MEMORY.md", "# Memory\n\n- [x] Renew the passport ^p4ss\n")
    rent, gate = workspace.todo("Pay the rent").ref, workspace.todos().rows[-1].ref
    rates = workspace.todo("Pay the rates").ref
    workspace.done("pay", "the", "rent")
    workspace.done("gate")
    before = text_of(workspace)

    def check(case: tuple[str, str]) -> None:
        given, told = case
        with pytest.raises(NothingOpenError) as error:
            workspace.done(*given.split())
        assert told in error.value.message

    table.holds(
        check,
        [
            (rent, f"{rent!r} was already closed on 2026-11-20: Pay the rent (memory/2026-11-20.md:5)"),
            (f"^{rent}", "was already closed on 2026-11-20: Pay the rent (memory/2026-11-20.md:5)"),
            ("pay the rent", "was already closed on 2026-11-20: Pay the rent (memory/2026-11-20.md:5)"),
            (gate, "was already closed on 2026-11-20: Oil the gate (memory/2026-11-20.md:6)"),
            ("oil gate", "was already closed on 2026-11-20: Oil the gate (memory/2026-11-20.md:6)"),
            ("sh4d", "was already dropped on 2026-11-19: Sell the shed (memory/2026-11-19.md:1)"),
            ("p4ss", "was already closed: Renew the passport (MEMORY.md:3)"),
            ("renew passport", "was already closed: Renew the passport (MEMORY.md:3)"),
            (f"{rent} zzzz", f"{rent!r} was already closed on 2026-11-20"),
            (f"{rates} {rent}", f"{rent!r} was already closed on 2026-11-20"),
            (f"{rates} zzzz", "No open item matches 'zzzz'."),
            ("sing opera", "No open item matches"),
        ],
    )
    assert text_of(workspace) == before
    assert open_in(workspace) == ["Pay the rates"]


def test_what_is_over_does_not_hide_what_is_to_be_done_again(workspace: Workspace) -> None:
    put(
        workspace,
        "memory/2026-10-20.md",
        "- 09:00 [todo] Pay the rent ^r3nt\n- 10:00 [done] Pay the rent (closes ^r3nt)\n",
    )
    workspace.todo("Pay the rent")

    assert [one.row.text for one in workspace.done("pay", "rent").closed] == ["Pay the rent"]


def test_a_line_of_memory_without_a_box_is_closed_by_the_log_and_stays_as_it_was_written(workspace: Workspace) -> None:
    memory = "# Memory\n\nTODO: ask the bank about the card\n\n- [todo] 预订搬家公司\n"
    put(workspace, "MEMORY.md", memory)

    workspace.done("bank", "card")
    workspace.drop("搬家", note="it is full")

    later = Environment(now=workspace.stores.environment.now + timedelta(days=1), timezone="UTC")
    for morning in (workspace, Workspace.open(workspace.root, environment=later)):
        assert open_in(morning) == []
    assert text_of(workspace, "MEMORY.md") == memory


@pytest.mark.parametrize(("kind", "verb"), [("done", "done"), ("dropped", "drop"), ("erledigt", "done")])
def test_a_line_of_a_closing_kind_that_closes_nothing_names_the_verb_that_does(
    workspace: Workspace, kind: str, verb: str
) -> None:
    workspace.todo("Call Tom")

    notices = workspace.log("Call Tom", kind=kind).notices

    assert f"This line closes no item. To close one: agentws {verb} WORDS|REF" in notices
    assert open_in(workspace) == ["Call Tom"]


def test_log_says_where_nothing_open_has_the_reference_and_writes_all_the_same(workspace: Workspace) -> None:
    ref = workspace.todo("Call Tom").ref

    assert workspace.log("Talked to Tom", kind="done", closes=(f"^{ref}",)).notices == []
    for unknown in ("zzzz", ref):
        (notice,) = workspace.log("Once more", kind="done", closes=(unknown,)).notices
        assert notice == f"No open item has the reference {unknown}. The line was written."
    assert text_of(workspace).count("Once more (closes ^") == 2
