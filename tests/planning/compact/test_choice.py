"""What enters MEMORY.md, what leaves it, and what the digest takes."""

from __future__ import annotations

import pytest

from agentws.formats.documents import managed, sources
from agentws.planning.compact import decision, digest
from agentws.planning.compact.decision import Room
from agentws.planning.compact.units import Day
from tests.planning.compact.values import Desk, day
from tests.table import holds

KINDS = [
    ("- [decision] SQLite for the index\n", "SQLite for the index", "Decisions"),
    ("- 09:12 [rule] 本番環境に触る前に必ずサムに聞く !8 #ops\n", "本番環境に触る前に必ずサムに聞く", "Rules"),
    ("- [lesson] Backups of the phone need the cable ^t3fk\n", "Backups of the phone need the cable", "Lessons"),
    ("- [preference] Кофе без сахара\n", "Кофе без сахара", "Preferences"),
    ("- [fact] الطابق الثالث\n", "الطابق الثالث", "Facts"),
    ("- The pier closes at nine !7\n", "The pier closes at nine", "Facts"),
    (
        "## Entscheidungen\n\n- Wir bleiben bei einem Server im Keller\n",
        "Wir bleiben bei einem Server im Keller",
        "Decisions",
    ),
    ("**Lesson:** cables wear out.\n", "cables wear out.", "Lessons"),
    ("- Lesson: the lamp needs oil twice a week\n", "the lamp needs oil twice a week", "Lessons"),
    ("## Log\n\n- Walked to the pier and met the harbour master\n", "", ""),
    ("- [todo] Call Tom about the roof of the shed\n", "", ""),
    ("- [decision] Leave the harbour by noon (via net:chat)\n", "", ""),
    ("- ~~[decision] Leave the harbour by noon~~\n", "", ""),
    ("- [fact] The code of the gate is known to Sam #private\n", "", ""),
]

NAMES = ("Ada", "Bo", "Cleo", "Dora", "Edda", "Finn", "Gus", "Hal", "Ida", "Jo", "Kai", "Lou")


def test_what_is_marked_enters_as_a_plain_bullet_in_any_language() -> None:
    def check(row: tuple[str, str, str]) -> None:
        line, text, title = row
        desk = Desk()
        desk.run(day(line))
        assert desk.entries == ({text: title} if text else {})

    holds(check, KINDS)


def test_what_was_said_on_three_days_enters() -> None:
    desk = Desk()
    text = "- The harbour office opens at seven, and not before\n"

    desk.run(day(text, "2026-03-01"), day(text, "2026-03-02"))
    assert desk.entries == {}
    desk.run(day(text, "2026-03-03"))

    assert list(desk.entries) == ["The harbour office opens at seven, and not before"]
    assert "harbour office" not in desk.page


def test_a_voice_from_outside_confirms_nothing() -> None:
    desk = Desk()
    said = "The harbour office opens at seven, and not before"
    days = [day(f"- {said}{' (via net:chat)' * (number > 1)}\n", f"2026-03-0{number}") for number in (1, 2, 3)]

    desk.run(*days)

    assert desk.entries == {}


FULL = Room(section=60, both=400)


def test_what_waits_stands_in_the_digest_and_enters_when_there_is_room() -> None:
    desk = Desk()

    choice = desk.run(
        *(day(f"- [decision] Berth {n} belongs to the boat of skipper {n}\n", f"2026-03-0{n}") for n in range(1, 8)),
        room=FULL,
    )

    waiting = [n for n in range(1, 8) if f"Berth {n} " not in desk.memory]
    assert waiting
    assert choice.waiting == len(waiting)
    assert all(f"Berth {n} " in desk.page for n in waiting)
    desk.run(day("- nothing new was said at the pier today\n", "2026-03-08"))
    assert all(f"Berth {n} " in desk.memory for n in range(1, 8))
    assert "Berth" not in desk.page


ORDER = [
    ("- [rule] Never sail alone at night", "- [decision] The blue lamp hangs on the pier"),
    ("- [decision] The blue lamp hangs on the pier !8", "- [decision] The red lamp hangs in the shed"),
    ("- [decision] The blue lamp hangs on the pier", "## Decisions\n\n- The red lamp hangs in the shed, above"),
]


@pytest.mark.parametrize(("first", "second"), ORDER)
def test_a_rule_comes_before_importance_and_that_before_the_rest(first: str, second: str) -> None:
    desk = Desk()

    desk.run(day(f"{second}\n", "2026-03-01"), day(f"{first}\n", "2026-03-02"), room=Room(section=22, both=400))

    (text,) = desk.entries
    assert text[:10] in first


def test_an_entry_leaves_only_for_new_ones_where_the_room_is_full_and_nothing_confirmed_it_for_long() -> None:
    desk = Desk()
    room = Room(section=30, both=30)
    desk.run(day("- [decision] The blue lamp hangs on the pier of the island\n", "2026-03-01"), room=room)

    desk.run(day("- [decision] The red lamp hangs in the shed of the harbour !9\n", "2026-03-20"), room=room)
    assert list(desk.entries) == ["The blue lamp hangs on the pier of the island"]
    choice = desk.run(day("- [decision] The third lamp hangs in the boat of the skipper !9\n", "2026-06-20"), room=room)

    assert list(desk.entries) == ["The third lamp hangs in the boat of the skipper"]
    assert [one.why for one in choice.gone] == [decision.UNCONFIRMED]
    assert "blue lamp" in desk.superseded


def test_what_is_said_again_is_confirmed_and_stays() -> None:
    desk = Desk()
    room = Room(section=30, both=30)
    said = "- [decision] The blue lamp hangs on the pier of the island\n"
    desk.run(day(said, "2026-03-01"), room=room)
    desk.run(day(said, "2026-04-15"), room=room)

    desk.run(day("- [decision] The third lamp hangs in the boat of the skipper !9\n", "2026-06-20"), room=room)

    assert list(desk.entries) == ["The blue lamp hangs on the pier of the island"]


@pytest.mark.parametrize(
    "over",
    [
        "- ~~The blue lamp hangs on the pier~~",
        "- [dropped] The blue lamp hangs on the pier",
        "- [done] gone (closes ^{})",
    ],
)
def test_what_is_struck_dropped_or_closed_leaves_at_once(over: str) -> None:
    desk = Desk()
    log = day("- [decision] The blue lamp hangs on the pier\n", "2026-03-01")
    (entry,) = (one for one in decision.candidates.read([log])[0] if one.kind == "decision")
    desk.run(log)

    choice = desk.run(day(over.format(entry.ref) + "\n", "2026-03-02"))

    assert desk.entries == {}
    assert [one.why for one in choice.gone] == [decision.TAKEN_BACK]


def test_what_somebody_took_out_does_not_come_back_from_the_same_day() -> None:
    desk = Desk()
    log = day("- [decision] The blue lamp hangs on the pier\n")
    desk.run(log)
    desk.memory = desk.memory.replace("blue", "green")

    desk.run(log)

    assert list(desk.entries) == ["The green lamp hangs on the pier"]


def test_what_the_owner_says_already_is_not_said_again() -> None:
    desk = Desk("# Memory\n\n- **The blue lamp** hangs on the pier.\n")

    desk.run(day("- [decision] The blue lamp hangs on the pier\n"))

    assert "From the logs" not in desk.memory


def test_numbers_tell_lines_apart() -> None:
    desk = Desk()

    desk.run(*(day(f"- [fact] Paid: {n}00 EUR for the lamp oil\n", f"2026-03-0{n}") for n in (1, 2, 3)))

    assert len(desk.entries) == 3


def test_mode_propose_writes_nothing_into_the_section() -> None:
    desk = Desk()

    choice = desk.run(day("- [decision] The blue lamp hangs on the pier\n"), mode="propose")

    assert desk.entries == {}
    assert [one.text for one in choice.proposed] == ["The blue lamp hangs on the pier"]
    assert "- 2026-03-02 The blue lamp hangs on the pier\n" in desk.page
    assert choice.waiting == 1


def test_what_is_proposed_stands_first_in_the_digest_until_it_is_decided_on() -> None:
    desk = Desk()
    text = "- Kim of the harbour lends the boat\n- [rule] Ask Sam before the boat is lent\n- [decision] Tea at noon\n"
    desk.run(day(text), mode="propose")
    lines = [line.text for line in digest.lines(desk.page)]
    assert lines[:2] == ["2026-03-02 Ask Sam before the boat is lent", "2026-03-02 Tea at noon"]

    again = desk.run(mode="propose")
    assert ([*again.proposed], again.waiting) == ([], 2), "proposed once, and it waits"
    assert desk.page.count("Ask Sam") == 1

    known = sources.decode(desk.sidecar).made
    boat, tea = (known[managed.of_text(text)] for text in ("Ask Sam before the boat is lent", "Tea at noon"))
    taken = sources.Made("author", boat.sources, day=boat.day, run="")
    desk.sidecar += sources.encode([taken, sources.Declined((tea.entry,), at="2026-03-09", by="person")])
    last = desk.run(mode="propose")

    assert ([*last.proposed], last.waiting) == ([], 0)
    assert [line.text for line in digest.lines(desk.page)] == ["2026-03-02 Kim of the harbour lends the boat"]


def test_what_is_proposed_and_has_no_room_in_the_digest_waits_for_it() -> None:
    desk = Desk()
    text = "".join(f"- [rule] Boat {name} of the harbour is never lent to {name * 2}\n" for name in NAMES)

    first = desk.run(day(text), mode="propose", room=Room(both=150))
    shown = desk.page.count("Boat")

    assert (len(first.proposed), first.waiting, len(first.queued)) == (len(NAMES), len(NAMES), len(NAMES) - shown)
    again = desk.run(mode="propose")
    assert ([*again.proposed], again.waiting) == ([], len(NAMES))


def test_mode_auto_fills_the_section_with_lines_said_twice_until_marked_ones_need_the_room() -> None:
    desk = Desk()
    said = "- Kim of the harbour lends the boat on Mondays\n- Walked to the pier and met Kim {}\n"
    days = [day(said.format(number), f"2026-03-0{number}") for number in (1, 2)]

    desk.run(*days, mode="auto", room=Room(section=30, both=400))
    assert list(desk.entries) == ["Kim of the harbour lends the boat on Mondays"]
    lamp = day("- [decision] The blue lamp hangs on the pier of the island\n", "2026-03-03")
    choice = desk.run(lamp, mode="auto", room=Room(section=30, both=400))

    assert list(desk.entries) == ["The blue lamp hangs on the pier of the island"]
    assert [one.why for one in choice.gone] == [decision.GAVE_WAY]


def test_section_and_digest_keep_their_room_together() -> None:
    for both in (80, 200, 700):
        desk = Desk("")
        lines = "".join(f"- Kim told of journey {n} to the island {n * 7}, by boat {n % 5}\n" for n in range(60))
        desk.run(
            *(day(f"- [decision] Berth {n} is for boat {n}\n{lines}", f"2026-03-{n:02d}") for n in range(1, 20)),
            room=Room(both=both),
        )

        assert len(desk.memory) + len(desk.page) <= both * 4


def test_entries_of_earlier_versions_that_are_no_memory_move_to_the_digest() -> None:
    desk = Desk()
    desk.run(
        day("- [decision] The blue lamp hangs on the pier\n- [fact] The pier is 40 m long\n- [rule] Ask Sam first\n")
    )
    desk.memory = desk.memory.replace("### Rules", "### Open").replace("### Facts", "### What happened")

    desk.run()

    assert desk.entries == {"The blue lamp hangs on the pier": "Decisions"}
    titles = {one.text: one.title for one in digest.lines(desk.page)}
    assert titles == {"[ ] Ask Sam first": "Open", "The pier is 40 m long": "2026-W10"}


@pytest.mark.parametrize("mark", ["[ ]", "[todo]", "TODO:"])
def test_what_is_open_in_a_day_that_moves_stands_in_the_digest_until_it_is_closed(mark: str) -> None:
    desk = Desk()
    desk.run(day(f"- {mark} Call Tom about the roof of the shed\n", "2026-03-01"))
    (line,) = digest.lines(desk.page)
    assert (line.title, line.text.startswith("[ ] 2026-03-01 Call Tom about the roof of the shed ^")) == ("Open", True)

    desk.run(day("- [x] Call Tom about the roof of the shed\n", "2026-03-02"))

    assert not [one for one in digest.lines(desk.page) if one.title == "Open"]


def test_a_second_run_changes_nothing() -> None:
    desk = Desk()
    desk.run(
        day("- [decision] The blue lamp hangs on the pier\n- [ ] Call Tom about the roof\n- Walked to the pier alone\n")
    )
    before = (desk.memory, desk.page)

    desk.run()

    assert (desk.memory, desk.page) == before


def test_what_left_for_want_of_room_waits_in_the_digest_and_comes_back() -> None:
    desk = Desk()
    small = Room(section=30, both=400)
    desk.run(day("- [decision] The blue lamp hangs on the pier of the island\n", "2026-03-01"), room=small)
    desk.run(day("- [decision] The third lamp hangs in the boat of the skipper !9\n", "2026-06-20"), room=small)
    assert "blue lamp" in desk.page

    desk.run(day("- nothing new was said at the pier today\n", "2026-06-21"), room=small)
    assert "blue lamp" in desk.page
    desk.run(day("- nothing new was said at the pier again\n", "2026-06-22"))

    assert sorted(desk.entries) == [
        "The blue lamp hangs on the pier of the island",
        "The third lamp hangs in the boat of the skipper",
    ]
    assert "lamp" not in desk.page


def test_the_row_of_what_left_says_why() -> None:
    desk = Desk()
    desk.run(day("- [decision] The blue lamp hangs on the pier\n", "2026-03-01"))

    desk.run(day("- [dropped] The blue lamp hangs on the pier\n", "2026-03-02"))

    (row,) = (one for one in sources.decode(desk.sidecar).made.values() if one.kind == "decision")
    assert (row.state, row.reason, row.until) == ("superseded", decision.TAKEN_BACK, "2026-11-20")


def test_what_its_author_declined_is_not_offered_again() -> None:
    desk = Desk()
    text = "The blue lamp hangs on the pier"
    desk.sidecar = sources.encode([sources.Declined((managed.of_text(text),), at="2026-03-01", by="person")])

    choice = desk.run(day(f"- [decision] {text}\n"), mode="propose")

    assert choice.proposed == []


def test_what_waits_enters_when_something_left_though_no_day_is_new() -> None:
    desk = Desk()
    lines = [f"- [rule] Boat {name} of the harbour is never lent to {name * 2}\n" for name in NAMES]
    desk.run(day("".join(lines)), room=Room(section=100))
    first = [*desk.entries]
    assert 2 < len(first) < len(NAMES)
    desk.memory = desk.memory.replace(f"- {first[0]}\n", "").replace(f"- {first[1]}\n", "")

    choice = desk.run(room=Room(section=100))

    assert len(choice.new) == 2
    assert not {*first[:2]} & {*desk.entries}, "what was taken out stays out"
    assert {managed.of_text(text) for text in desk.entries} <= {*sources.decode(desk.sidecar).made}
    before = desk.memory, desk.page, desk.sidecar
    desk.run(room=Room(section=100))
    assert (desk.memory, desk.page, desk.sidecar) == before


@pytest.mark.parametrize("mode", decision.MODES)
def test_what_an_answer_left_out_goes_into_the_digest_and_not_into_memory(mode: str) -> None:
    desk = Desk()
    texts = {"agent": "The blue lamp hangs on the pier", "person": "The red boat is sold to nobody"}
    rows = [sources.Declined((managed.of_text(text),), at="2026-03-01", by=by) for by, text in texts.items()]
    desk.sidecar = sources.encode(rows)

    choice = desk.run(day("".join(f"- [decision] {text}\n" for text in texts.values())), mode=mode)

    assert (desk.entries, choice.proposed, choice.waiting) == ({}, [], 0)
    assert texts["agent"] in desk.page
    assert texts["person"] not in desk.page
    assert [one.why for one in choice.dropped] == [f"{decision.DECLINED}: {decision.DIGESTED}"]


def test_a_digest_of_somebody_else_is_left_alone_and_nothing_moves_into_it() -> None:
    desk = Desk()
    desk.run(day("- [rule] Ask Sam first\n"))
    desk.memory = desk.memory.replace("### Rules", "### Open")
    desk.page = theirs = "# My digest\n\n- of books\n"

    desk.run(day("- Walked to the pier and met Kim of the harbour\n", "2026-03-03"))

    assert desk.page == theirs
    assert desk.entries == {"Ask Sam first": "Open"}


def test_what_moves_from_an_earlier_version_is_open_there_or_stays() -> None:
    desk = Desk()
    desk.run(day("".join(f"- [fact] Berth {n} of the island is for boat {n * 7}\n" for n in range(30))))
    count = len(desk.entries)
    desk.memory = desk.memory.replace("### Facts", "### Open")

    desk.run(room=Room(both=300))

    shown = [one for one in digest.lines(desk.page) if one.title == "Open"]
    assert shown
    assert len(shown) + len(desk.entries) == count


def test_the_digest_says_what_no_line_before_it_says_and_newer_weeks_first() -> None:
    desk = Desk()
    same = [day(f"- Kim walked along the pier of the island, round {n}\n", f"2026-03-{n:02d}") for n in range(1, 29)]
    other = day("- The harbour master sold the engine to a baker in Porto\n", "2026-03-01")

    desk.run(*same, Day("memory/2026-03-01.2.md", other.day, other.text), room=Room(both=120))

    assert "baker in Porto" in desk.page
    shown = [line.text for line in digest.lines(desk.page) if "round" in line.text]
    assert shown == sorted(shown, reverse=True)
    assert shown[0].startswith("2026-03-2")


def test_the_digest_says_items_before_what_is_nested_below_them_in_later_runs_too() -> None:
    text = "- Kim asked for the ledger of barn {0}\n  - grey binder {0}, shelf {0}, behind oats {0}\n"
    listed = "- Barns:\n  - Sam painted the western door of the barn\n"
    desk = Desk()

    def shown(*words: str) -> list[int]:
        return [sum(word in line.text for line in digest.lines(desk.page)) for word in words]

    desk.run(day("".join(text.format(number) for number in range(4)) + listed), room=Room(both=130))
    assert shown("ledger", "binder", "painted") == [4, 1, 1]  # what stands below a label is an item itself

    desk.run(day(text.format(9), "2026-03-03"), room=Room(both=125))
    assert shown("ledger", "binder", "painted") == [5, 0, 1]


def test_a_short_line_under_a_heading_that_counts_enters() -> None:
    desk = Desk()

    desk.run(day("## Decisions\n\n- Keep 5 maps\n- None.\n"))

    assert list(desk.entries) == ["Keep 5 maps"]


OVER = [
    "- ~~The office is at Canal Street 7~~\n",
    "- [dropped] move the archive of the harbour to Lisbon\n",
    "- [private] The gate of the harbour opens with four knocks\n",
    "- [secret] The gate of the harbour opens with four knocks\n",
    "- The gate of the harbour opens with four knocks #secret\n",
]


def test_what_is_dropped_or_secret_stands_neither_in_memory_nor_in_the_digest() -> None:
    def check(line: str) -> None:
        desk = Desk()
        desk.run(day(line))
        assert (desk.entries, desk.page) == ({}, "")

    holds(check, OVER)


MARKS = [
    ("- [done] renew the certificate of the harbour\n", "renew the certificate of the harbour ✅"),
    ("- [x] renew the certificate of the harbour\n", "renew the certificate of the harbour ✅"),
    ("- ❌ buy the second server for the office\n", "❌ buy the second server for the office"),
]


def test_what_is_done_or_crossed_shows_its_mark_also_after_later_runs() -> None:
    def check(row: tuple[str, str]) -> None:
        desk = Desk()
        desk.run(day(row[0]))
        desk.run(day("- Walked to the pier and met the harbour master\n", "2026-03-03"))
        assert f"- 2026-03-02 {row[1]}\n" in desk.page

    holds(check, MARKS)


@pytest.mark.parametrize("room", [None, Room(section=12, both=400)])
def test_a_reference_closes_what_an_earlier_run_folded(room: Room | None) -> None:
    said = "- [decision] Use gRPC for the feed of the harbour office{}\n"
    for first, again in ((" ^t3fk", ""), ("", " ^t3fk"), (" ^t3fk", " ^b4bb")):
        desk = Desk()
        desk.run(day(said.format(first), "2026-03-01"), room=room)
        desk.run(day(said.format(again), "2026-03-02"), room=room)
        assert "gRPC" in desk.memory + desk.page

        desk.run(day("- [decision] REST for the feed (closes ^t3fk)\n", "2026-03-03"), room=room)

        assert "gRPC" not in desk.memory + desk.page


def berths(numbers: range, date: str) -> Day:
    return day("".join(f"- [rule] Berth {n} belongs to the boat of skipper {n}\n" for n in numbers), date)


@pytest.mark.parametrize("room", [Room(both=60), Room(section=60, both=90), Room(section=30, both=1000)])
def test_what_is_marked_is_counted_until_it_enters_however_small_the_room_was(room: Room) -> None:
    desk = Desk()
    days = [berths(range(n * 8, n * 8 + 8), f"2026-03-0{n + 1}") for n in range(9)]

    for count, one in enumerate(days, 1):
        choice = desk.run(one, room=room)
        assert len(desk.entries) + choice.waiting == 8 * count
    again = desk.run(room=room)
    assert (again.waiting, list(again.new)) == (choice.waiting, [])
    for _ in range(2):
        desk.run(room=Room(section=4000, both=5000))

    assert len(desk.entries) == 72
    assert "Berth" not in desk.page
    assert sources.decode(desk.sidecar).waiting == {}


def test_what_waits_without_room_is_taken_back_and_confirmed_like_all_others() -> None:
    small = Room(section=20, both=20)
    for over in ("- [dropped] {}", "- ~~{}~~", "- gone (closes ^t3fk)"):
        desk = Desk()
        said = "The blue lamp hangs on the pier of the island"
        desk.run(day(f"- [decision] {said} ^t3fk\n", "2026-03-01"), room=small)
        desk.run(day(f"- [decision] {said}\n", "2026-03-02"), room=small)
        (row,) = sources.decode(desk.sidecar).waiting.values()
        assert (row.made.confirmed, row.made.kind) == (("2026-03-01", "2026-03-02"), "decision")

        choice = desk.run(day(f"{over.format(said)}\n", "2026-03-03"))

        assert (choice.waiting, desk.entries, "lamp" in desk.page) == (0, {}, False)
        assert sources.decode(desk.sidecar).waiting == {}


def test_what_memory_says_already_waits_for_nothing() -> None:
    desk = Desk("# Memory\n\n- Our office is in Hamburg, Am Kanal 7\n")

    choice = desk.run(
        day(
            "- [fact] Our office is in Hamburg, Am Kanal 7\n"
            "- [decision] The blue lamp hangs on the pier of the island now\n"
        ),
        day("- [decision] The blue lamp now hangs on the pier of the island\n", "2026-03-04"),
    )

    assert (choice.waiting, len(desk.entries), desk.page) == (0, 1, "")
    assert {one.why for one in choice.dropped} == {decision.SAID}


NOTHING = [
    "## Lessons learned\n\n### What went well\n\n- Then: http://localhost:3000/start\n",
    "## Decisions\n\n- [No new decisions today]\n",
]


def test_an_address_or_a_placeholder_is_no_item_of_a_heading_that_counts() -> None:
    def check(text: str) -> None:
        desk = Desk()
        desk.run(day(text))
        assert desk.entries == {}

    holds(check, NOTHING)


@pytest.mark.parametrize("text", ["Tom likes oat milk", "昼はそば"])
def test_a_short_line_counts_where_it_was_said_on_three_days_and_only_there(text: str) -> None:
    desk = Desk()
    two = [day(f"- {text}\n", f"2026-03-0{n}") for n in (1, 2)]
    desk.run(*two)
    assert (desk.entries, desk.page) == ({}, "")

    desk.run(day(f"- {text}\n", "2026-03-03"), besides=tuple(two))

    assert [*desk.entries] == [text]


def test_a_password_behind_other_words_is_withheld_wherever_it_stands() -> None:
    desk = Desk()

    desk.run(day("- Wifi password of the flat: hunter22\n- The network of the flat still says hunter22 to all\n"))

    assert (desk.entries, desk.page) == ({}, "")


def test_what_is_struck_has_no_successor_in_its_own_words() -> None:
    desk = Desk()
    desk.run(day("- [decision] The blue lamp hangs on the pier\n", "2026-03-01"))

    (gone,) = desk.run(day("- ~~The blue lamp hangs on the pier~~\n", "2026-03-02")).gone

    assert (gone.successor, gone.why) == ("", decision.TAKEN_BACK)


def test_what_was_confirmed_is_no_fact_by_that_word() -> None:
    desk = Desk()

    desk.run(day("- Confirmed: the pump of the island was painted\n- FYI: the pier is 40 m long\n"))

    assert [*desk.entries] == ["the pier is 40 m long"]


def test_of_what_finds_no_room_anywhere_the_first_are_known_to_later_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "MOST_QUEUED", 3)
    desk = Desk()
    small = Room(section=20, both=20)
    lines = [f"- [fact] The pump of house {name} has {len(name)} valves\n" for name in ("Anna", "Ben", "Carla", "Dora")]

    first = desk.run(day("".join(lines) + "- [rule] Ask Sam before any pump is opened\n"), room=small)
    assert (list(desk.entries), first.waiting, len(first.queued)) == (["Ask Sam before any pump is opened"], 3, 3)
    assert sorted(one.why for one in first.dropped) == [decision.LEFT] + [decision.QUEUED] * 3

    again = desk.run(day("- rain\n", "2026-03-02"), room=small)
    assert again.waiting == 3
