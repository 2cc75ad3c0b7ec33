"""One thing to do: written with a reference, listed wherever it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentws.core.notes import reference
from agentws.errors import SecretRefusedError, UsageError
from agentws.features.tasks.todo import render as todo
from agentws.workspace import Workspace
from tests import table

DAY = "memory/2026-11-20.md"


def text_of(workspace: Workspace, path: str = DAY) -> str:
    return (Path(workspace.root) / path).read_text()


def put(workspace: Workspace, path: str, text: str) -> None:
    place = Path(workspace.root) / path
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)


def test_a_thing_to_do_is_one_line_with_its_reference(workspace: Workspace) -> None:
    done = workspace.todo("Call Tom")

    assert text_of(workspace) == f"# 2026-11-20\n\n- 07:15 [todo] Call Tom ^{done.ref}\n"
    assert (done.path, done.line) == (DAY, 3)
    assert reference.written(done.entry) == done.ref != ""


@pytest.mark.parametrize("sign", ["", "^"])
def test_what_is_open_is_not_written_again_as_its_reference(workspace: Workspace, sign: str) -> None:
    one = workspace.todo("Call Tom", due="2026-11-24")
    before = text_of(workspace)

    with pytest.raises(UsageError, match="is open already: Call Tom") as error:
        workspace.todo(f"{sign}{one.ref}", due="2026-11-26")

    assert f"agentws drop {one.ref}" in str(error.value.hint)
    assert text_of(workspace) == before
    workspace.drop(one.ref)
    assert workspace.todo(one.ref).entry.startswith(f"- 07:15 [todo] {one.ref} ^"), "nothing is called so any more"


def test_due_and_for_whom_stand_behind_the_text_and_the_reference_before_the_origin(workspace: Workspace) -> None:
    one = workspace.todo("Send it\r\nwith both pages", due="2026-11-24", for_whom="Sam Lind")
    other = workspace.todo("Pay at once ^abcd", via="net:mail")

    assert text_of(workspace).split("\n")[2:5] == [
        f"- 07:15 [todo] Send it (for Sam Lind) (due 2026-11-24) ^{one.ref}",
        "  with both pages",
        f"- 07:15 [todo] Pay at once \\^abcd ^{other.ref} (via net:mail)",
    ]


def test_what_was_acknowledged_is_listed_whatever_its_words_look_like(workspace: Workspace) -> None:
    """Either it is refused, and nothing is written, or it is open."""
    signs = (
        "✅",
        "✔",
        "☑",
        "☐",
        "❌",
        "⏳",
        "🔴",
        "~~old~~",
        "~~",
        "[x]",
        "[ ]",
        "[done]",
        "Done:",
        "| a | ✅ |",
        "# ",
        "> ",
    )
    texts = [form.format(sign) for sign in signs for form in ("{}", "Oil {} the gate")]

    def check(text: str) -> None:
        for one in workspace.todos().rows:
            workspace.done(one.ref)
        before = len(text_of(workspace)) if (Path(workspace.root) / DAY).exists() else 0
        try:
            ref = workspace.todo(text).ref
        except UsageError:
            assert len(text_of(workspace)) == before
        else:
            assert [one.ref for one in workspace.todos().rows] == [ref]

    table.holds(check, ["Oil the gate", *texts])
    assert "in backticks" in refused(workspace, "✅ Explained")
    assert workspace.todo("Explain the `✅` and `~~old~~`").ref in [one.ref for one in workspace.todos().rows]


def refused(workspace: Workspace, text: str) -> str:
    with pytest.raises(UsageError) as error:
        workspace.todo(text)
    return error.value.hint or ""


def test_what_is_noted_again_in_the_same_minute_is_open_again(workspace: Workspace) -> None:
    refs = []
    for _ in range(3):
        refs.append(workspace.todo("Water the fern").ref)
        assert [one.ref for one in workspace.todos().rows] == [refs[-1]]
        workspace.done(refs[-1])
        assert workspace.todos().rows == []
    assert len({*refs}) == len(refs)


def test_when_it_is_due_is_a_day_or_a_minute_to_come(workspace: Workspace) -> None:
    def check(case: tuple[str, str]) -> None:
        given, expected = case
        assert f"(due {expected})" in workspace.todo("Send it", due=given).entry

    table.holds(
        check,
        [
            ("2026-11-24", "2026-11-24"),
            ("today", "2026-11-20"),
            ("2026-11-20", "2026-11-20"),
            ("tomorrow", "2026-11-21"),
            ("monday", "2026-11-23"),
            ("in 3d", "2026-11-23"),
            ("2h", "2026-11-20T09:15"),
            ("2026-11-24T09:00", "2026-11-24T09:00"),
        ],
    )
    for wrong in ("soon", ""):
        with pytest.raises(UsageError):
            workspace.todo("Send it", due=wrong)
    for wrong in ("", " ", "Sam)", "[x]"):
        with pytest.raises(UsageError):
            workspace.todo("Send it", for_whom=wrong)
    with pytest.raises(UsageError, match="The item has no text"):
        workspace.todo("  ", due="monday", for_whom="Sam")


def test_a_due_date_in_the_text_is_a_date_and_the_only_one(workspace: Workspace) -> None:
    for text, due, message in (
        ("Call Tom (due 2026-13-45)", None, "'2026-13-45' is not a date"),
        ("Call Tom 📅 2027-02-30", None, "'2027-02-30' is not a date"),
        ("Call Tom (due 3.12.)", None, "'3.12.' is not a date"),
        ("Call Tom (due 2026-11-30)", "3d", "is due on 2026-11-30 already"),
    ):
        with pytest.raises(UsageError, match=message):
            workspace.todo(text, due=due)
    assert workspace.todos().rows == []

    workspace.todo("Call Tom (due 2026-11-30T09:00)")
    workspace.todo("Ask Ada (due to the rain)", due="3d")
    assert [row.due for row in workspace.todos().rows] == ["2026-11-30", "2026-11-23"]


def test_a_time_that_is_none_is_answered_with_one_to_come(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as error:
        workspace.todo("Call Tom", due="27.3.")
    assert "2026-11-23T09:00" in str(error.value.hint)


def test_what_is_overdue_already_is_written_with_a_notice(workspace: Workspace) -> None:
    late = workspace.todo("Pay the rent", due="2026-11-10")

    assert "(due 2026-11-10)" in late.entry
    assert late.notices == ["The due date 2026-11-10 is in the past: already overdue."]
    (row,) = workspace.todos().rows
    assert row.is_late
    assert workspace.todo("Water the fern", due="today").notices == []


def test_no_part_of_it_may_carry_a_secret(workspace: Workspace) -> None:
    token = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"

    with pytest.raises(SecretRefusedError):
        workspace.todo(f"Use {token}")
    with pytest.raises(SecretRefusedError):
        workspace.todo("Use it", for_whom=token)
    assert not (Path(workspace.root) / DAY).exists()


def test_all_that_is_open_is_listed_with_a_reference_of_its_own(workspace: Workspace) -> None:
    day = "# Wednesday\n\n## Next steps\n\n- [ ] Paint the fence\n- [x] Sweep\n\nTODO: call the plumber\n"
    put(workspace, "memory/2026-11-18.md", day)
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Renew the passport\n- Leo likes coffee\n")
    workspace.tasks.add("Move the address book", steps=["Export it"])
    workspace.tasks.add("Over")
    workspace.tasks.done("over")
    written = workspace.todo("田中さんに電話する")

    found = workspace.todos()

    assert {(one.text, one.path, one.line, one.form) for one in found.rows} == {
        ("田中さんに電話する", DAY, 3, "line"),
        ("Paint the fence", "memory/2026-11-18.md", 5, "line"),
        ("call the plumber", "memory/2026-11-18.md", 8, "line"),
        ("Renew the passport", "MEMORY.md", 3, "box"),
        ("Move the address book", "tasks/move-the-address-book.md", 1, "task"),
        ("Export it", "tasks/move-the-address-book.md", 8, "step"),
    }
    assert len({one.ref for one in found.rows}) == 6
    assert next(one for one in found.rows if one.path == DAY).ref == written.ref
    assert [one.since for one in found.rows if one.text == "Paint the fence"] == ["2026-11-18"]
    assert {one.since for one in found.rows if one.form == "task"} == {"2026-11-20"}
    assert found.left_out == 0


def test_steps_and_boxes_are_listed_as_they_stand_in_their_file(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- [ ] Renew the passport\n- [ ] Sell the boat\n")
    workspace.tasks.add("Move the address book", steps=["Export it", "Look at it", "Import it"])

    told = [one.text for one in workspace.todos().rows]

    assert [text for text in told if text.endswith(" it")] == ["Export it", "Look at it", "Import it"]
    assert told.index("Renew the passport") < told.index("Sell the boat")


def test_what_no_day_has_mentioned_for_two_weeks_is_listed_and_can_be_listed_alone(workspace: Workspace) -> None:
    put(workspace, "memory/2026-09-01.md", "# Long ago\n\n- [ ] Paint the fence\n- [ ] Oil the gate\n")
    put(workspace, "memory/2026-11-06.md", "- [ ] Sell the boat\n")
    workspace.todo("Call Tom")

    every, stale = workspace.todos(), workspace.todos(stale=True)

    assert [one.text for one in every.rows] == ["Call Tom", "Sell the boat", "Paint the fence", "Oil the gate"]
    assert [one.text for one in stale.rows] == ["Paint the fence", "Oil the gate"]
    assert (len(workspace.todos(stale=True, limit=1).rows), workspace.todos(stale=True, limit=1).left_out) == (1, 1)


def test_the_list_begins_with_what_is_overdue_and_says_when_the_rest_is_due(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-17.md", "- 09:00 [todo] Send the survey (due 2026-11-18) ^s4nd\n")
    put(workspace, "memory/2026-11-18.md", "- [ ] Renew the passport by 3 December\n")
    workspace.todo("Pay the rent", due="monday")
    workspace.todo("Water the fern", due="today")
    workspace.todo("Call Tom")

    printed = todo.list_lines(workspace.todos())
    lines = [line.rpartition("  (")[0].split("  ", 2)[-1].strip() for line in printed]

    assert lines[:-1] == [
        "Send the survey [was due 11-18]",
        "Water the fern [due today]",
        "Pay the rent (due 2026-11-23)",
        "Call Tom",
        "Renew the passport by 3 December",
    ]


def test_a_question_to_a_person_is_listed_and_not_closed_by_done(workspace: Workspace) -> None:
    asked = workspace.ask("May I send the invoice?", action={"send": "invoice"})
    workspace.todo("Call Tom")

    rows = workspace.todos().rows

    assert [(row.text, row.form, row.state) for row in rows] == [
        ("Call Tom", "line", "open"),
        ("May I send the invoice?", "approval", "waiting"),
    ]
    with pytest.raises(UsageError, match="is a question to a person") as error:
        workspace.done(rows[1].ref)
    assert f"agentws ask show {asked.id}" in str(error.value.hint)


def test_what_others_wrote_is_listed_apart_with_its_origin(workspace: Workspace) -> None:
    workspace.todo("Pay them at once", via="net:mail")
    workspace.log("Pay them twice", kind="todo", via="tool:web")
    workspace.log("Nothing to do here", via="tool:web")
    workspace.tasks.add("Sell the house", steps=["call a broker"], via="net:mail")

    found = workspace.todos()

    assert found.rows == []
    assert [(one.text, one.src) for one in found.outside] == [
        ("Pay them at once", "net:mail"),
        ("Pay them twice", "tool:web"),
        ("Sell the house", "net:mail"),
    ]


def test_a_marker_of_the_workspaces_own_makes_an_item(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "# Wednesday\n\nAbzuarbeiten: Zaun streichen\n")
    assert workspace.todos().rows == []

    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(f'{manifest.read_text()}\n[vocabulary]\ntodo = ["abzuarbeiten"]\n')

    again = Workspace.open(workspace.root, environment=workspace.stores.environment)
    assert [one.text for one in again.todos().rows] == ["Zaun streichen"]


def test_each_reference_that_boot_prints_closes_what_stands_beside_it(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n" + "".join(f"- [ ] Renew card {n}\n- Fact {n}\n" for n in range(40)))
    for day in range(10, 20):
        lines = "".join(f"- It rained in the morning, {n} mm, and Kim came at noon.\n" for n in range(60))
        put(workspace, f"memory/2026-11-{day}.md", f"- [ ] Oil the gate {day}\n\n## Log\n\n{lines}")
    workspace.todo("Call Tom")
    workspace.log("\n".join(f"It rained, {n} mm." for n in range(300)))

    printed = re.findall(r"^- (.*) \^(\w+)$", workspace.boot(budget=1700).text, re.MULTILINE)

    assert len(printed) > 5
    for text, ref in printed:
        (closed,) = workspace.done(ref, dry_run=True).closed
        assert closed.row.text in text


def test_what_compaction_kept_is_open_since_the_day_that_it_names(workspace: Workspace) -> None:
    put(workspace, "memory/digest.md", "# Digest\n\n## Open\n\n- [ ] 2026-10-02 Ask the bank ^b4nk\n- [ ] Oil it\n")

    rows = workspace.todos().rows

    assert [(row.text, row.since) for row in rows] == [("Ask the bank", "2026-10-02"), ("Oil it", "")]
    assert rows[0].ref == "b4nk"


def test_status_lines_and_what_a_heading_says_are_no_items(workspace: Workspace) -> None:
    put(
        workspace,
        "memory/2026-11-18.md",
        "# Wednesday\n\n## Next steps\n\n- The pump runs, 3 bar\n- Waiting room painted ⏳\n\n## Known problems\n\n"
        "- The tap drips\n\n## Fixed\n\n- The tap drips: new washer\n\n"
        "| pump | waiting |\n|---|---|\n| tap | ⏳ open |\n",
    )

    assert workspace.todos().rows == []


def test_of_two_versions_of_a_list_the_newer_one_counts(workspace: Workspace) -> None:
    october = "- [ ] Buy tar\n- [ ] Oil the gate\n- [ ] Paint the shed\n- [ ] Count the slates\n"
    november = "- [x] Buy tar\n- [ ] Oil the gate\n- [ ] Order the fern\n"
    put(workspace, "memory/2026-10-18.md", f"# October\n\n## Offene Punkte\n\n{october}")
    put(workspace, "memory/2026-11-18.md", f"# November\n\n## Offene Punkte\n\n{november}")

    assert [row.text for row in workspace.todos().rows] == ["Oil the gate", "Order the fern"]
