"""What is open over all days, what closes the rest, and the newest list of next steps."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys

from agentws.core.notes import open_items, reading
from agentws.core.notes.entry import Entry
from agentws.core.notes.open_items import OpenItems
from tests.table import holds

TODAY = "2026-11-30"


def entries(name: str, text: str) -> list[Entry]:
    day = name[:10] if name.startswith("20") else ""
    return reading.read(text, path=f"memory/{name}.md" if day else name, day=day)


def of(files: dict[str, str], *, today: str = TODAY) -> OpenItems:
    return open_items.of([entries(name, text) for name, text in files.items()], today=today)


def texts(found: OpenItems) -> list[str]:
    return [item.entry.body for item in found.open]


OPEN = (
    ("- [ ] Call Tom", True),
    ("- [~] Call Tom", True),
    ("☐ Call Tom", True),
    ("- 09:00 [todo] Call Tom", True),
    ("- [TODO] Call Tom", True),
    ("- [待办] 给汤姆打电话", True),
    ("TODO: call Tom", True),
    ("It rained.\nTODO: call Tom", True),
    ("**Roof**\n[todo] call Tom", True),
    ("It rained.\n[todo](list.md) is a link", False),
    ("- **Zu tun:** Tom anrufen", True),
    ("- [waiting] the bank", True),
    ("- ⏳ the bank", True),
    ("- Waiting for: the bank", True),
    ("- [x] Call Tom", False),
    ("- [ ] Call Tom ✅ 2026-11-20", False),
    ("- [ ]", False),
    ("TODO:", False),
    ("Action item: call Tom", False),
    ("- the bank ⏳", False),
    ("- Call Tom", False),
    ("- TODO call Tom", False),
    ("- [question] Which ferry?", False),
    ("- 🔴 The roof leaks", False),
    ("- he said TODO: call Tom", False),
    ("> - [ ] Call Tom", False),
    ("```\n- [ ] Call Tom\n```", False),
    ("<!-- an example:\n- [ ] Call Tom\n-->", False),
    ("<!-- no end\n- [ ] Call Tom", True),
    ("<!-- one line -->\n- [ ] Call Tom", True),
    ("- [x] replace <!-- above\n- [ ] Call Tom\n- [x] strip --> below", True),
    ("Use `<!--` above.\n\n- [ ] Call Tom\n\nUse `-->` below.", True),
    ("- [ ] Call Tom (via net:mail)", False),
    ("| Call Tom | waiting |", False),
    ("- [ ] <item>", False),
    ("- [ ] [Task name]", False),
    ("- ⏳ [who]", False),
    ("- [ ] YYYY-MM-DD: an example", False),
    ("- [ ] <item> ^t3fk", True),
    ("- [ ] [[Garden plan]]", True),
    ("- [ ] [Garden](plan.md) [Pier]", True),
    ("- [ ] [Garden] and [Pier]", True),
    ("- [ ] <https://pier.example/form>", True),
    ("## Next steps\n- Call Tom", False),
    ("## Offene Punkte\n- Tom anrufen", False),
)


def test_open_is_what_says_so_itself_and_nothing_else() -> None:
    def check(row: tuple[str, bool]) -> None:
        assert bool(of({"2026-11-20": row[0]}).open) == row[1]

    holds(check, OPEN)


def test_files_of_identity_hold_no_items() -> None:
    for name in ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md"):
        assert of({name: "- [ ] Call Tom\n"}).open == []
    assert texts(of({"MEMORY.md": "- [ ] Call Tom\n"})) == ["Call Tom"]


def test_items_are_in_one_order_overdue_then_due_today_then_the_newest_day_then_as_the_file_has_them() -> None:
    found = of(
        {
            "MEMORY.md": "- [ ] Read the lease\n",
            "2026-11-18": "- [ ] Oil the gate\n- [ ] Pay the gas (due 2026-11-29)\n- [ ] Renew it 📅 2026-11-21\n",
            "2026-11-17": "- [ ] Hand in the form (due 2026-11-30)\n",
            "2026-11-20": "- [ ] Call Tom\n- [ ] Book the ferry (due 2026-12-24)\n",
        }
    )

    assert [(item.entry.body, item.due, item.is_overdue) for item in found.open] == [
        ("Renew it", "2026-11-21", True),
        ("Pay the gas (due 2026-11-29)", "2026-11-29", True),
        ("Hand in the form (due 2026-11-30)", "2026-11-30", False),
        ("Call Tom", "", False),
        ("Book the ferry (due 2026-12-24)", "2026-12-24", False),
        ("Oil the gate", "", False),
        ("Read the lease", "", False),
    ]


def test_a_date_inside_a_sentence_is_no_day_by_which_it_is_to_be_done() -> None:
    (item,) = of({"2026-11-18": "- [ ] Answer the letter of 2026-11-20\n"}).open
    assert (item.due, item.is_overdue) == ("", False)


def test_equal_text_on_several_days_is_one_item_with_its_first_and_its_newest_day() -> None:
    found = of(
        {
            "2026-11-18": "- [ ] Call TOM\n",
            "2026-11-20": "- 09:30 [todo] **Call Tom** !7\n",
            "2026-11-19": "TODO: call Tom",
        }
    )

    (item,) = found.open
    assert (item.since, item.last, item.entry.day, len(item.said)) == ("2026-11-18", "2026-11-20", "2026-11-20", 3)


def test_an_item_said_again_with_another_day_is_one_item_and_the_newest_day_counts() -> None:
    (item,) = of(
        {
            "2026-11-18": "- [todo] Call Tom (due 2026-12-03) ^t3fk\n",
            "2026-11-19": "- [todo] Call Tom (for Sam) (due 2026-12-01) ^w2pq\n",
            "2026-11-20": "- [ ] Call Tom\n",
        }
    ).open
    assert (item.due, item.since, item.last) == ("2026-12-01", "2026-11-18", "2026-11-20")


def test_what_two_people_are_to_get_is_two_items() -> None:
    found = of({"2026-11-18": "- [ ] Send the survey (for Sam)\n- [ ] Send the survey (for Ada)\n"})
    assert texts(found) == ["Send the survey (for Sam)", "Send the survey (for Ada)"]


CLOSED = (
    ("- [ ] Call Tom", "- [x] Call Tom", True),
    ("- [ ] Call Tom", "- ✅ call Tom", True),
    ("- [ ] Call Tom 📅 2026-11-24", "- [ ] Call Tom 📅 2026-11-24 ✅ 2026-11-19", True),
    ("- [ ] Call Tom", "- 09:00 [done] Call Tom", True),
    ("- [ ] Call Tom", "- ~~Call Tom~~", True),
    ("- [ ] 家賃を払う", "- [x] 家賃を払う", True),
    ("- [todo] Call Tom ^t3fk", "- [done] He signs (closes ^t3fk)", True),
    ("- [todo] Call Tom ^t3fk", "- [x] Call Tom on Monday ^t3fk", True),
    ("- [todo] Call Tom ^t3fk", "- [x] Call Tom", True),
    ("- [todo] Call Tom ^t3fk", "- [done] Call Tom", False),
    ("- [todo] Call Tom ^t3fk", "- ~~Call Tom~~", False),
    ("- [todo] ~~Call Tom~~ ^t3fk", "It rained.", False),
    ("- [todo] Call Tom (due 2026-11-24) ^t3fk", "- [x] Call Tom", True),
    ("- [ ] Call Tom", "- [x] Call Tom (due 2026-11-24T09:00)", True),
    ("- [ ] Call Tom 📅 2026-11-24 at home", "- [x] Call Tom at home", True),
    ("- [todo] Call Tom (for Sam) (due 2026-11-24) ^t3fk", "- [x] Call Tom", True),
    ("- [ ] Call Tom", "- [x] Call Tom (for Sam)", True),
    ("- [ ] Call Tom (for Ada)", "- [x] Call Tom (for Sam)", False),
    ("- [ ] Call Tom (for Ada) about it", "- [x] Call Tom about it", False),
    ("- [ ] Call Tom", "- Call Tom", False),
    ("- [ ] Call Tom", "- Called Tom, done", False),
    ("- [ ] Call Tom", "- [x] Call Tom about it", False),
    ("- [ ] Call Tom", "- [done] Call Tom: he signs (closes ^t3fk)", True),
    ("- [ ] Call Tom", "- [done] Call Tom: he signs", False),
    ("- [ ] Call Tom", "- [x] Call Tom (via net:mail)", False),
    ("- [ ] Call Tom", "- [x] Call Tom #shared", False),
    ("- [ ] Call Tom", "- [ ] Call Tom", False),
)


def test_an_item_is_closed_by_its_reference_by_a_tick_or_where_it_has_none_by_a_line_of_equal_text() -> None:
    def check(row: tuple[str, str, bool]) -> None:
        item, later, is_closed = row
        found = of({"2026-11-18": item, "2026-11-20": later})
        assert (found.open == []) == is_closed
        closed = {(entry.day, by.day) for entry, by in found.closed.items()}
        assert closed == ({("2026-11-18", "2026-11-20")} if is_closed else set())

    holds(check, CLOSED)


def test_the_newest_statement_counts() -> None:
    assert texts(of({"2026-11-18": "- [x] Call Tom", "2026-11-20": "- [ ] Call Tom"})) == ["Call Tom"]
    assert texts(of({"2026-11-20": "- [x] Call Tom\n- [ ] Call Tom\n"})) == ["Call Tom"]
    assert texts(of({"2026-11-20": "- [ ] Call Tom\n- [x] Call Tom\n"})) == []
    assert texts(of({"MEMORY.md": "- [ ] Call Tom\n", "2026-11-20": "- [x] Call Tom\n"})) == []
    assert texts(of({"MEMORY.md": "- [x] Call Tom\n", "2026-11-20": "- [ ] Call Tom\n"})) == ["Call Tom"]


def test_what_says_the_same_before_is_closed_with_an_item_and_what_says_it_later_is_open_again() -> None:
    first = {"2026-11-17": "- [ ] Call Tom\n", "2026-11-18": "- [todo] Call Tom ^t3fk\n"}
    closed = {**first, "2026-11-19": "- [done] Call Tom: by phone (closes ^t3fk)\n"}

    assert texts(of(closed)) == []
    assert texts(of({**closed, "2026-11-20": "- [todo] Call Tom ^x7mp\n"})) == ["Call Tom"]


def test_of_two_items_with_one_reference_the_one_with_the_words_of_the_closing_line_is_closed() -> None:
    found = of({"2026-11-18": "- [ ] Call Tom ^t3fk\n- [ ] Call Ada ^t3fk\n- [done] Call Ada: today (closes ^t3fk)\n"})
    assert texts(found) == ["Call Tom"]


def test_steps_of_two_tasks_with_the_same_words_are_two_items() -> None:
    found = of({"tasks/porch.md": "- [ ] test\n", "tasks/roof.md": "- [ ] test\n", "tasks/wall.md": "- [x] test\n"})
    assert [item.entry.path for item in found.open] == ["tasks/porch.md", "tasks/roof.md"]


OLD = "## Shopping\n- [ ] tar\n- [ ] rope\n- [ ] paint\n- [ ] nails\n"
LISTS = (
    ("## Shopping\n- [ ] tar\n- [ ] rope\n- [ ] brush\n", ["brush", "rope", "tar"]),
    ("## Shopping (2)\n- tar\n- rope\n", []),
    ("## Shopping\n- [x] tar\n- [x] rope\n- [ ] brush\n", ["brush"]),
    ("## Shopping\n- [ ] tar\n- [ ] brush\n", ["brush", "nails", "paint", "rope", "tar"]),
    ("## Shopping\n- [x] tar\n- [x] rope\n", ["nails", "paint"]),
    ("## Harbour\n- [ ] tar\n- [ ] rope\n- [ ] brush\n", ["brush", "nails", "paint", "rope", "tar"]),
)


def test_a_newer_list_under_the_same_heading_that_repeats_half_of_the_older_one_replaces_it() -> None:
    def check(row: tuple[str, list[str]]) -> None:
        newer, expected = row
        found = of({"2026-10-18": OLD, "2026-11-20": newer})
        assert sorted(texts(found)) == expected

    holds(check, LISTS)
    replaced = of({"2026-10-18": OLD, "2026-11-20": LISTS[0][0]}).closed
    assert {(entry.body, by.line) for entry, by in replaced.items()} == {("paint", 2), ("nails", 2)}


def test_an_item_with_a_reference_is_not_closed_by_a_newer_list() -> None:
    old = OLD.replace("nails", "nails ^t3fk")
    assert texts(of({"2026-10-18": old, "2026-11-20": LISTS[0][0]})) == ["tar", "rope", "brush", "nails"]


def test_a_box_of_memory_is_not_closed_by_a_newer_list() -> None:
    found = of({"MEMORY.md": "- [ ] nails\n", "2026-10-18": OLD, "2026-11-20": LISTS[0][0]})
    assert sorted(texts(found)) == ["brush", "nails", "rope", "tar"]


def test_nothing_closes_because_it_is_old() -> None:
    later = {f"2026-11-{day}": "## Next steps\n- Sleep\n- Eat\n" for day in range(10, 20)}
    assert texts(of({"2026-01-05": "- [ ] Call Tom\n", **later})) == ["Call Tom"]


def test_the_newest_list_below_a_heading_of_open_items_is_the_next_list_and_is_not_counted() -> None:
    text = "# 2026-11-20\n\n## Log\n- It rained\n\n## Offene Punkte\n- Zaun\n  - grün\n- Dach\n\n## Log\n- Schnee\n"
    found = of({"2026-11-19": "## Next steps\n- Oil the gate\n", "2026-11-20": text, "2026-11-21": "- Sun\n"})

    assert found.open == []
    assert found.next is not None
    assert (found.next.path, found.next.day) == ("memory/2026-11-20.md", "2026-11-20")
    assert (found.next.heading, found.next.first_line, found.next.end_line) == ("Offene Punkte", 7, 9)
    assert [entry.body for entry in found.next.entries] == ["Zaun", "grün", "Dach"]


def test_a_next_list_ends_where_the_log_goes_on() -> None:
    steps = "## Next steps\n- Oil the gate, at 14:30\n  - 2 drops\n- Paint it\n\n"
    for entry in ("- 13:13 Oiled the gate\n", "- [13:13 ET] Oiled the gate\n", "* 9:05: oiled\n- Painted\n"):
        found = of({"2026-11-20": steps + entry}).next
        assert found is not None
        assert [step.body.split(",")[0] for step in found.entries] == ["Oil the gate", "2 drops", "Paint it"], entry
    timed = of({"2026-11-20": "## Next steps\n- 09:00 Oil the gate\n"}).next
    assert timed is not None
    assert len(timed.entries) == 1


def test_the_digest_has_the_next_list_of_a_day_that_was_archived() -> None:
    digest = {
        "memory/digest.md": "## Open\n\n- [ ] 2026-11-02 Oil the gate ^t3fk\n\n## 未完了 (2026-11-03)\n\n- 屋根\n"
    }
    found = of(digest)

    assert [(item.entry.body, item.since, item.ref) for item in found.open] == [("Oil the gate", "2026-11-02", "t3fk")]
    assert found.next is not None
    assert (found.next.day, [entry.body for entry in found.next.entries]) == ("2026-11-03", ["屋根"])
    assert of({"MEMORY.md": "## Next steps\n- Oil the gate\n"}).next is None
    again = of({"memory/digest.md": "## Roof (north) (2026-11-03)\n\n- 屋根\n"}).next
    assert again is not None
    assert (again.day, again.headings) == ("2026-11-03", ("Roof (north)",))
    newer = of({**digest, "2026-11-19": "**Next steps:**\n- Oil the gate\n"}).next
    assert newer is not None
    assert newer.day == "2026-11-19"


def test_references_that_are_alike_are_lengthened_until_they_differ() -> None:
    found = of({"2026-11-18": "".join(f"- [ ] berth{number} rope{number}\n" for number in range(3000))})
    refs = [item.ref for item in found.open]

    assert len(set(refs)) == len(refs) == 3000
    assert {len(ref) for ref in refs} == {4, 5}
    assert all(item.ref.startswith(item.entry.ref) for item in found.open)


def test_a_reference_is_closed_by_a_machine_whose_clock_is_behind_and_by_no_older_line() -> None:
    def check(case: tuple[str, bool]) -> None:
        day, is_over = case
        found = of({"2026-11-21": "- 00:01 [todo] Call Tom ^t3fk\n", day: "- 23:59 [done] He signs (closes ^t3fk)\n"})
        assert texts(found) == ([] if is_over else ["Call Tom"])

    holds(check, [("2026-11-22", True), ("2026-11-20", True), ("2026-11-19", False)])


def test_entries_leave_the_memory_with_the_answer_about_them() -> None:
    days = [f"2026-11-{day:02}" for day in range(10, 15)]
    gc.collect()
    gc.disable()  # as a run of the command line has it: what a circle of references holds stays
    try:
        of(dict.fromkeys(days, "## Chores\n\n- [ ] oil the mill\n- [ ] sweep the loft\n"))
        left = [each for each in gc.get_objects() if isinstance(each, Entry) and each.day in days]
    finally:
        gc.enable()

    assert left == []


def test_what_is_open_takes_no_longer_for_each_line_however_many_there_are() -> None:
    many = range(20_000)
    logs = (
        "- [ ] check mail\n- [x] check mail\n" * len(many),
        "".join(f"- [todo] pay {at} ^t3fk\n- [done] oar {at} (closes ^t3fk)\n" for at in many),
        "- [todo] pay ^t3fk\n- [done] pay (closes ^t3fk)\n" * len(many),
        "".join(f"## Todo\n\n- [ ] oar {at}\n- [ ] rope {at}\n- [ ] mail\n\n## Log\n\n" for at in many),
        f"- [done] {'oar: ' * 2 * len(many)}(closes ^t3fk)\n",
    )
    code = """
import sys
from agentws.core.notes import open_items, reading
entries = reading.read(sys.stdin.read(), path="memory/2026-11-20.md", day="2026-11-20")
open_items.of([entries], today="2026-11-30")
"""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (15, 15))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    for log in logs:
        subprocess.run([sys.executable, "-c", code], input=log.encode(), check=True, preexec_fn=limit)


HEADING = (
    ("## Pump\n\n- [ ] order it", "Pump"),
    ("## Garden\n\n### Next steps\n\n- [ ] order it", "Garden"),
    ("## 09:15 🔧 Pump ✅\n\n- [ ] order it", "Pump"),
    ("- The hose\n  - [ ] order it", "The hose"),
    ("### Roof\n\nChecklist:\n- [ ] slates", "Roof · Checklist"),
    (
        "## Pump in the cellar of the old mill\n\n### Hose\n\n- [ ] order it",
        "Pump in the cellar of the old mill · Hose",
    ),
    (
        "## Presents for aunts and uncles\n\n### Everything for the winter in the house\n\n- [ ] order it",
        "Everything for the winter in the house",
    ),
    ("## Pump\n\n- [ ] order the pump", ""),
    ("## Open items\n\n- [ ] order it", ""),
    ("## Current status\n\n- [ ] order it", ""),
    ("## Friday\n\n- [ ] order it", ""),
    ("- [ ] order it", ""),
    ("## The workshop (with the old lathe and the drill)\n\n- [ ] order it", "The workshop…"),
    (
        "## Visit of the chimney sweep\n\n### Things to buy for the stove [by Sam]\n\n- [ ] order it",
        "Things to buy for the stove [by Sam]",
    ),
)
TITLES = {
    "2026-11-20 — Kontor Lindqvist": "Kontor Lindqvist",
    "Kontor Lindqvist, November 20, 2026": "Kontor Lindqvist",
    "Daily log of Robin, 2026-11-20": "",
    "2026-11-20": "",
}


def test_the_heading_of_an_item_says_what_it_is_about_or_is_empty() -> None:
    def check(row: tuple[str, str]) -> None:
        assert of({"2026-11-20": f"# 2026-11-20\n\n{row[0]}\n"}).open[0].heading == row[1]

    holds(check, HEADING)
    assert of({"MEMORY.md": "# My memory\n\n- [ ] order it\n"}).open[0].heading == ""
    for title, heading in TITLES.items():
        log = f"# {title}\n\n## Next steps\n\n- [ ] order it\n\n## Pump\n\n- [ ] oil it\n"
        assert [item.heading for item in of({"2026-11-20": log}).open] == [heading, "Pump"]
