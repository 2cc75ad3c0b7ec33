"""R3 to R9: which file may use how much of the budget, what comes first, and that the budget is used."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings, strategies as st

from agentws.core.formats.documents import handoff
from agentws.core.notes import request as roles, sources
from agentws.core.notes.request import Source
from tests import table
from tests.features.boot.plan.start_up import GAP, TODAY, boot, day, file, open_lines, section, sentences
from tests.thorough import THOROUGH, some

BUDGETS = (300, 500, 1_000, 2_000, 4_000, 8_000)


def items(count: int, word: str) -> str:
    return "".join(f"- {word} {at} was looked after and written down, as on every other day\n" for at in range(count))


def days(count: int, lines: int = 150) -> list[Source]:
    dates = ((date.fromisoformat(TODAY) - timedelta(days=back)).isoformat() for back in range(count))
    return [day(one, items(lines, f"bed {one}")) for one in dates]


# R3


@pytest.mark.parametrize("name", ["AGENTS.md", "MEMORY.md"])
def test_a_file_that_does_not_fit_keeps_a_rule_in_capitals_before_other_rules(name: str) -> None:
    text = f"{items(300, 'What must be done')}- NEVER sell the ox\n"

    lines = section(boot(file(name, text), *days(2)).text, name)

    assert "- NEVER sell the ox" in lines
    assert lines[0].startswith("- What must be done 0 ")


def test_identity_files_come_first_and_in_one_order() -> None:
    names = ("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "notes/style.md", "MEMORY.md")

    text = boot(*(file(name, f"Of {name}\n") for name in names), *days(2)).text

    places = [text.index(f"## {name} [") for name in names] + [text.index("## Now"), text.index("## 2026-11-20")]
    assert places == sorted(places)


@pytest.mark.parametrize(("budget", "hundredths"), [(1_200, 10), (4_000, 20), (8_000, 50)])
def test_identity_files_use_their_share_and_no_more_where_the_days_need_the_rest(budget: int, hundredths: int) -> None:
    made = boot(file("AGENTS.md", items(900, "rule")), *days(20), budget=budget)

    shown = next(one for one in made.sections if one.source == "AGENTS.md")
    share = budget * hundredths // 100
    assert share - 40 < shown.tokens <= share


def test_a_small_file_is_whole_before_a_large_one_uses_the_rest() -> None:
    soul = items(12, "promise")

    made = boot(file("SOUL.md", soul), file("AGENTS.md", items(900, "rule")), *days(20), budget=2000)

    assert soul in made.text
    assert section(made.text, "AGENTS")


def test_a_file_that_does_not_fit_keeps_its_rules() -> None:
    rules = "- Never open the sluice at night\n- Ask the owner about each tree !9\n"
    text = f"{items(300, 'habit')}{rules}{items(300, 'use')}"

    for budget in (2_000, 4_000):
        lines = section(boot(file("AGENTS.md", text), *days(9), budget=budget).text, "AGENTS")
        assert "- Never open the sluice at night" in lines
        assert "- Ask the owner about each tree !9" in lines


def test_each_of_ten_daily_boots_shows_the_humans_name_and_the_deadline() -> None:
    user = f"# User\n\n- **Name:** Mirela\n\n{sentences(60, 'plum')}\n"
    memory = f"# Memory\n\n- Deadline: the seed list is due on 4 December, never later\n\n{sentences(80, 'quince')}\n"
    logs = days(10)

    def shown(count: int) -> None:
        for budget in (500, 2_000, 8_000):
            text = boot(
                file("SOUL.md", items(90, "promise")), file("USER.md", user), file("AGENTS.md", items(200, "rule")),
                file("MEMORY.md", memory), *logs[-count:], budget=budget,
            ).text  # fmt: skip
            assert "Mirela" in text, budget
            assert "4 December" in text or budget == 500, budget

    table.holds(shown, some(range(1, 11)))


def test_what_a_template_left_to_be_filled_in_is_not_shown() -> None:
    text = "# User\n\n- **Name:**\n- **Born:** 1980\n- **Tea:** _(which one?)_\n\n<!-- fill this in -->\n\nMirela.\n"

    lines = section(boot(file("USER.md", text)).text, "USER")

    assert lines == ["- **Born:** 1980", "Mirela."]


def test_the_stable_part_is_the_same_while_nothing_is_handed_back() -> None:
    stable = file("SOUL.md", items(90, "promise")), file("MEMORY.md", items(200, "fact"))

    def same(budget: int) -> None:
        made = [boot(*stable, *days(9, lines), budget=budget) for lines in (150, 151, 163, 170, 201)]
        assert len({one.text[: one.stable_prefix_chars] for one in made}) == 1

    table.holds(same, some((500, 731, 1_000, 1_234, 2_000, 4_321, 8_000)))


# R4


def handed(at: str, text: str, logged: tuple[str, ...] = ()) -> Source:
    """An open handoff, in a workspace with logs of the days `logged`."""
    note = handoff.decode(f"---\nat: {at}\n---\n{text}".encode(), path=f"handoffs/{at[:10]}.md")
    return sources.of_handoff(note, today=TODAY, logged=logged)


@pytest.mark.parametrize(
    ("at", "logged"),
    [
        ("2026-10-30T09:00:00+01:00", ()),
        ("2026-11-13T09:00:00+01:00", ()),
        ("2026-11-16T09:00:00+01:00", ("2026-11-19", "2026-11-18", "2026-11-17")),
    ],
)
def test_an_old_handoff_is_one_line_with_its_age_and_does_not_come_first(at: str, logged: tuple[str, ...]) -> None:
    age = sources.distance(at[:10], TODAY)
    log = day("2026-11-19", f"- [ ] mend the fence\n{items(9, 'bed')}")

    for budget in (1_000, 8_000):
        text = boot(handed(at, f"## Doing\n\n{sentences(9)}\n", logged), log, budget=budget).text
        assert "pear tree" not in text
        (line,) = (line for line in text.split("\n") if at[:10] in line)
        assert age in line
        assert f"agentws handoff show {at[:10]}" in line
        assert text.index("## Open") < text.index(line)


def test_a_recent_handoff_is_whole_with_its_age_and_comes_first() -> None:
    text = f"## Doing\n\n{sentences(9)}\n"

    shown = boot(handed("2026-11-19T18:00:00+01:00", text), day("2026-11-19", "- [ ] mend the fence\n")).text

    (heading,) = (line for line in shown.split("\n") if line.startswith("## Handoff"))
    assert "yesterday" in heading
    assert sentences(9) in shown
    assert shown.index("## Handoff") < shown.index("## Open")


def test_an_item_has_the_day_by_which_it_is_due_however_it_is_written_and_overdue_ones_come_first() -> None:
    texts = ("prune the pear 📅 2026-12-01", "sow (due 2026-12-02)", "pay (due 2026-11-02)", "weed 📅 2026-11-20")

    lines = open_lines(boot(day("2026-11-19", "".join(f"- [ ] {text}\n" for text in texts))).text)

    assert [line.rpartition(" ^")[0] for line in lines] == [
        "- 11-19 pay [was due 11-02]",
        "- 11-19 weed [due today]",
        "- 11-19 prune the pear [due 12-01]",
        "- 11-19 sow (due 2026-12-02)",
    ]


def test_a_due_mark_that_holds_more_than_the_day_stays() -> None:
    texts = (
        "ring (due 2026-11-20T09:00)",
        "pay (due 2026-11-02 17:00, or it doubles)",
        "sow (due 2026-11-20), then weed",
    )

    lines = open_lines(boot(day("2026-11-19", "".join(f"- [ ] {text}\n" for text in texts))).text)

    assert [line.rpartition(" ^")[0] for line in lines] == [
        "- 11-19 pay (due 2026-11-02 17:00, or it doubles) [was due 11-02]",
        "- 11-19 ring (due 2026-11-20T09:00) [due today]",
        "- 11-19 sow (due 2026-11-20), then weed [due today]",
    ]


def test_an_open_item_has_its_day_with_the_year_if_that_is_another_one() -> None:
    logs = day("2026-01-02", "- [ ] prune the pear\n"), day("2025-12-31", "- [ ] call Mirela\n")

    lines = open_lines(boot(*logs).text)

    assert [line.rpartition(" ^")[0] for line in lines] == ["- 01-02 prune the pear", "- 2025-12-31 call Mirela"]


def test_an_open_item_is_listed_with_the_heading_that_it_is_below() -> None:
    text = "# Log\n\n## Barn of Ines\n\n- [ ] register the name\n\n## Open items\n\n- [ ] buy salt\n"

    lines = open_lines(boot(day("2026-11-19", text)).text)

    assert [line.rpartition(" ^")[0] for line in lines] == [
        "- 11-19 Barn of Ines: register the name",
        "- 11-19 buy salt",
    ]


def test_two_open_todos_of_a_new_workspace_are_listed() -> None:
    def listed(budget: int) -> None:
        log = "# 2026-11-20\n\n- [todo] call Mirela\n- [todo] mend the fence\n"
        lines = open_lines(boot(file("SOUL.md", items(60, "promise")), day("2026-11-20", log), budget=budget).text)
        assert [re.sub(r"^- (?:11-20 )?| \^\w+$", "", line) for line in lines] == ["call Mirela", "mend the fence"]

    table.holds(listed, BUDGETS)


def test_an_entry_of_a_log_that_open_lists_is_not_repeated_among_the_entries_of_the_day() -> None:
    log = "".join(
        f"- 09:{at} [todo] order part {at} ^k{at}ab\n- 09:{at} the pump leaks at seal {at}\n" for at in range(10, 40)
    )

    def is_shown_once(budget: int) -> None:
        text = boot(day("2026-11-20", f"- a list\n  - [ ] weed\n{log}- [decision] brass seals\n"), budget=budget).text
        listed = {line.split()[4] for line in open_lines(text) if "order part" in line}
        of_day = {line.split()[5] for line in section(text, "Fri 2026-11-20") if "order part" in line}
        assert listed
        assert not listed & of_day
        assert (len(listed | of_day) == 30) == (" lines, " not in text)
        assert "- [decision] brass seals" in text
        assert budget < 2000 or "  - [ ] weed" in text

    table.holds(is_shown_once, (400, 700, 1000, 1500, 2000, 4000))


def test_a_list_of_which_open_lists_all_is_not_repeated_and_of_which_it_lists_a_part_is_whole() -> None:
    listed = ["#### Left to do", "- [ ] weed", "- [ ] prune"]
    for more, repeated in (([], []), (["- [x] paint"], [*listed, "- [x] paint"])):
        log = "\n".join(("## Left to do", "", "- [ ] weed", "- [ ] prune", *more, "", "## Notes", "", "- rain", ""))
        text = boot(day("2026-11-19", log), budget=2000).text

        assert len(open_lines(text)) == 2
        assert section(text, "2026-11-19") == [*repeated, "#### Notes", "- rain", "Nothing was left out."]


def test_of_many_open_items_three_are_shown_and_the_rest_is_counted_with_the_command() -> None:
    log = "".join(f"- [ ] item {at} of the long list of the garden\n" for at in range(90))

    lines = section(boot(day("2026-11-19", log), *days(3)[2:], budget=1000).text, "Open")

    assert len(lines) >= 4
    assert lines[-1].endswith(": agentws todo]")
    assert lines[-1].startswith(f"[… {90 - len(lines) + 1} lines, ")


def test_items_that_share_a_heading_are_below_one_line_and_the_rest_is_counted_by_items() -> None:
    roof = "".join(f"- [ ] mend slate {at} on the north side\n" for at in range(60))
    log = f"# 2026-11-19\n\n- [ ] call Ines\n\n## Roof\n\n{roof}\n## Stove\n\n- [ ] sweep it\n"

    for budget in (600, 2_000, 8_000):
        lines = section(boot(day("2026-11-19", log), *days(3)[2:], budget=budget).text, "Open")
        shown = [line for line in lines if line.startswith("  - mend slate ")]
        assert re.sub(r"\^\w+", "^", lines[0]) == "- 11-19 call Ines ^"
        assert lines[1] == "- 11-19 Roof:"
        assert lines[2 : 2 + len(shown)] == shown
        rest = int(match[1]) if (match := re.match(r"\[… (\d+) line", lines[-1])) else 0
        assert len(shown) + rest + sum("Stove: sweep it" in line for line in lines) + 1 == 62
    assert shown[0].startswith("  - mend slate 0 on the north side ^")


def test_next_leaves_out_what_open_lists_and_what_is_done() -> None:
    log = "## Next steps\n\n- [x] order seeds\n- [ ] prune the pear tree\n- ask Mirela about the shed\n"

    morning = f"## Morning\n\n{items(30, 'row')}"
    log = f"# Garden, 2026-11-18\n\n{morning}\n{log}\n## Notes\n\n{items(90, 'bed')}"
    shown = boot(day("2026-11-18", log), day("2026-11-19", items(90, "note")), budget=1000).text

    assert section(shown, "Next") == ["- ask Mirela about the shed"]
    assert shown.count("prune the pear tree") == 1


def test_next_has_the_headings_of_its_list_and_those_in_it_since_they_may_state_a_condition() -> None:
    deal = (
        "## Barn of Ines\n\n- She pays\n- **Next steps** (once it is signed):\n  - write to her\n  - clear the barn\n"
    )
    steps = "## Next steps (after the frost)\n\n### Early\n\n1. order seeds\n\n### Late\n\n1. mow\n"
    expected = {
        deal: ["· Barn of Ines · Next steps (once it is signed)", "- write to her", "- clear the barn"],
        steps: ["· Next steps (after the frost)", "##### Early", "1. order seeds", "##### Late", "1. mow"],
    }
    for log, (headings, *lines) in expected.items():
        text = f"# Log of 2026-11-18\n\n{items(40, 'row')}\n{log}\n## Notes\n\n{items(90, 'bed')}"
        shown = boot(day("2026-11-18", text), day("2026-11-19", items(90, "note")), budget=2000).text

        assert section(shown, f"Next, of 2026-11-18, 2 days ago {headings} ") == lines


def test_a_long_handoff_is_cut_and_not_left_out() -> None:
    text = f"## Doing\n\n{sentences(90)}\n"
    newest = Source("handoffs/a.md", roles.HANDOFF, text, title="Handoff", read_with="agentws handoff show a")

    for budget in (1_000, 2_000, 8_000):
        lines = section(boot(newest, *days(9), budget=budget).text, "Handoff")
        assert any("pear tree number 0 " in line for line in lines), budget
        assert any(GAP.match(line) for line in lines) or text.strip().split("\n")[-1] in lines, budget


def test_a_handoff_that_does_not_fit_keeps_the_beginning_of_each_part() -> None:
    doing = "".join(f"- Greenhouse {at}: {sentences(3)}\n" for at in range(30))
    text = f"## Doing\n\n{doing}\n## Next step\n\n- Call Mirela\n\n## Failed attempts\n\n- Glue does not hold\n"
    newest = Source("handoffs/a.md", roles.HANDOFF, text, title="Handoff", read_with="agentws handoff show a")

    for budget in (600, 1_000, 2_000):
        lines = section(boot(newest, *days(9), budget=budget).text, "Handoff")
        assert lines[1].startswith("- Greenhouse 0: "), budget
        assert {"- Call Mirela", "- Glue does not hold"} <= {*lines}, budget


@pytest.mark.parametrize("budget", [200, 220, 260, 300, 400])
def test_a_handoff_and_the_open_items_are_named_in_any_budget(budget: int) -> None:
    files = [file(path, items(90, path)) for path in ("SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md")]
    text = f"## Doing\n\n{sentences(40)}\n"
    left = Source("handoffs/a.md", roles.HANDOFF, text, title="Handoff", read_with="agentws handoff show a")

    shown = boot(*files, left, day("2026-11-19", "- [ ] pay the seed bill (due 2026-11-02)\n"), budget=budget).text

    assert "## Handoff" in shown or ": agentws handoff show a]" in shown
    assert "pay the seed bill" in shown or ": agentws todo]" in shown


@settings(derandomize=True, max_examples=30, deadline=None)
@given(st.integers(200, 900), st.integers(0, 60), st.integers(0, 60), st.integers(1, 60), st.booleans())
def test_what_is_in_flight_is_named_in_any_budget_and_a_cut_block_never_exceeds_it(
    budget: int, name: int, plan: int, lines: int, is_long: bool
) -> None:
    call = f"- 07:12 pay {'bill ' * 40 * is_long}· call c7 · no result recorded\n"
    title = "In flight: 1 action, result unknown: check first"
    flying = Source("journal/", roles.IN_FLIGHT, call, title=title, brief=title, read_with="agentws journal list")
    user = file("USER.md", f"{sentences(name + 1)}\n\n{sentences(3, 'plum')}\n")
    plans = handed("2026-11-19T18:00:00+01:00", f"{sentences(plan + 1)}\n\n{items(plan, 'step')}")

    text = boot(user, file("MEMORY.md", items(50, "fact")), plans, flying, *days(3, lines), budget=budget).text

    assert title in text
    assert text.startswith("# Robin\nHeadings that end in [")


# R5


def test_of_equal_blocks_one_is_shown_with_their_number() -> None:
    log = (
        "- the sluice gate opened by itself\n" * 20
        + "- Mirela moved the bees\n"
        + "- the sluice gate opened by itself\n" * 15
    )

    text = boot(file("SOUL.md", items(30, "promise")), day("2026-11-19", log), budget=500).text

    assert "- Mirela moved the bees\n" in text
    assert text.count("- the sluice gate opened by itself ×35\n") == text.count("the sluice gate") == 1


def test_of_blocks_that_differ_only_in_their_time_one_is_shown() -> None:
    beats = [f"- {at // 3:02d}:{at % 3 * 20:02d} heartbeat: all pumps run\n" for at in range(72)]
    log = "".join([*beats[:9], "- 03:05 Mirela moved the bees\n", *beats[9:]])

    text = boot(day("2026-11-19", log), budget=500).text

    assert "Mirela moved the bees" in text
    assert "- 23:40 heartbeat: all pumps run ×72\n" in text
    assert text.count("heartbeat") == 1


def test_a_quotation_and_a_scale_are_not_counted_as_repetitions() -> None:
    log = "- 1:300 map printed\n- 1:400 map printed\n- fed the cat\n\n> fed the cat\n"

    shown = boot(day("2026-11-19", log)).text

    assert "×" not in shown


def test_a_comment_sign_in_an_item_hides_no_other_item() -> None:
    logs = (
        day("2026-11-19", "- [ ] strip <!-- in the header\n"),
        day("2026-11-18", "- [ ] pay\n- [ ] strip --> below\n"),
    )

    lines = open_lines(boot(*logs).text)

    assert [line.split()[2] for line in lines] == ["strip", "pay", "strip"]


@pytest.mark.parametrize(
    "text",
    [
        "Pay of the club (#private):\n\n"
        + "".join(f"- Kim{at} gets {at} seeds a week and a pear\n" for at in range(60)),
        "| Name #private | Seeds |\n|---|---|\n" + "".join(f"| Kim{at} | {at} and a pear |\n" for at in range(90)),
    ],
)
def test_what_a_private_line_introduces_is_not_for_a_shared_audience(text: str) -> None:
    for source in (file("AGENTS.md", f"Keep the shed dry.\n\n{text}"), day("2026-11-19", f"- rain\n\n{text}")):
        assert "Kim" not in boot(source, shared=True, private_tags=["private"]).text


def test_lines_that_differ_in_a_number_are_different() -> None:
    log = "- paid 12 Euro for seeds\n- paid 13 Euro for seeds\n- read page 7:30\n- read page 7:31\n"

    lines = section(boot(day("2026-11-19", log)).text, "2026-11-19")

    assert lines[:4] == log.strip().split("\n")


def test_days_come_newest_first_and_each_is_kept_from_its_end() -> None:
    text = boot(*days(3), budget=4000).text

    newest = section(text, "2026-11-20")
    assert text.index("## 2026-11-20") < text.index("## 2026-11-19")
    assert GAP.match(newest[0])
    assert newest[-1].startswith("- bed 2026-11-20 149 ")


# R6


_BUDGETS = st.one_of(
    st.tuples(st.just("o200k_base"), st.integers(2_000, 9_000)),
    st.tuples(st.just("bytes"), st.integers(3_000, 30_000)),  # three hundredths of less are shorter than a line
)


@settings(derandomize=True, max_examples=60 if THOROUGH else 20, deadline=None)
@given(_BUDGETS, st.integers(0, 400), st.integers(0, 400), st.integers(1, 12), st.integers(1, 200))
@example(("bytes", 3_836), 43, 333, 8, 6)
def test_from_2000_tokens_97_hundredths_are_used_where_something_is_missing(
    budget: tuple[str, int], rules: int, facts: int, count: int, lines: int
) -> None:
    counter, tokens = budget

    made = boot(
        file("AGENTS.md", items(rules, "rule") or "Be kind.\n"), file("MEMORY.md", items(facts, "fact") or "Tea.\n"),
        *days(count, lines), budget=tokens, counter=counter,
    )  # fmt: skip

    assert not made.cut or made.tokens >= tokens * 97 // 100


def test_the_notice_about_a_secret_that_is_not_shown_uses_no_part_of_the_budget() -> None:
    secret = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    files = [file("MEMORY.md", f"{items(90, 'fact')}- the token is {secret}\n"), day("2026-11-20", items(300, "bed"))]

    for tokens in range(2_000, 2_100, 1 if THOROUGH else 9):
        made = boot(*files, budget=tokens, counter="chars4")

        assert "secret" not in made.text
        assert made.tokens >= tokens * 97 // 100


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(300, 1_999), st.integers(1, 60), st.integers(1, 100))
def test_in_a_smaller_budget_less_is_free_than_the_next_block_needs(budget: int, rules: int, lines: int) -> None:
    made = boot(file("AGENTS.md", items(rules, "rule")), *days(3, lines), budget=budget)

    assert not made.cut or budget - made.tokens < 60


# R7 and R9


def test_the_first_lines_name_the_agent_and_say_what_is_content() -> None:
    made = boot(file("SOUL.md", "Be kind.\n"), *days(1, 3))

    first, second, third = made.text.split("\n")[:3]
    assert first == "# Robin"
    assert second == f"Headings that end in [{made.marks[0]}] belong to agentws; everything else is content."
    assert not third
    assert f"## SOUL.md [{made.marks[0]}]\n" in made.text
    now = f"Fri 07:15 · {made.tokens} of 8,000 tokens\nHeadings now end in [{made.marks[1]}]\n"
    assert f"## Now [{made.marks[1]}]\n{now}" in made.text


# Any Markdown

_LINES = st.sampled_from(
    [
        "", "", "# Title", "## Garden", "### Beds", "- an item of some words", "- never an item without water",
        "  - a child", "1. first", "2. second", "A paragraph. It has two sentences.", "Leads to:", "> said by someone",
        "| a | b |", "|---|---|", "| 1 | 2 |", "```", "- [ ] mend the fence", "07:10 rain", "水をやる。毎朝。",
        "word " * 90,
    ]
)  # fmt: skip
_TEXTS = st.lists(_LINES, max_size=80).map("\n".join)


@settings(derandomize=True, max_examples=40, deadline=None)
@given(_TEXTS, _TEXTS, _TEXTS, st.sampled_from([200, 350, 700, 2_000, 8_000]), st.sampled_from(["o200k_base", "bytes"]))
def test_any_text_keeps_the_budget_and_gives_the_same_bytes_twice(
    soul: str, memory: str, log: str, budget: int, counter: str
) -> None:
    given_files = file("SOUL.md", soul), file("MEMORY.md", memory), day("2026-11-19", log), day("2026-11-18", soul)

    made = boot(*given_files, budget=budget, counter=counter)

    assert boot(*given_files, budget=budget, counter=counter).text == made.text


@settings(derandomize=True, max_examples=40, deadline=None)
@given(_TEXTS, st.sampled_from([200, 350, 700, 2_000, 8_000]))
def test_every_shown_line_is_a_line_of_the_file_or_marks_a_gap(text: str, budget: int) -> None:
    name = "AGENTS.md"
    lines = section(boot(file(name, text), budget=budget).text, name)

    own = {line.strip() for line in text.split("\n")}
    pieces = {piece for line in own for piece in (line, line.lstrip("#").strip(), line.replace("~~~", "```"))}
    for line in lines:
        bare = line.lstrip("#\\").strip()
        assert bare in pieces or GAP.match(line) or any(bare in each for each in own if ". " in each), line
