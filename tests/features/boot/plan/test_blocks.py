"""R1 and R2: blocks are shown whole or not at all, and every gap is marked where it is."""

from __future__ import annotations

import itertools
import re

import pytest

from tests import table
from tests.features.boot.plan.start_up import GAP, boot, day, file, section, sentences
from tests.thorough import some

BUDGETS = (300, 500, 800, 1_000, 1_500, 2_000, 3_000, 8_000)
FILLER = "".join(
    f"- Bed number {at} is dug over in spring, two forks deep, with sand and compost\n" for at in range(60)
)
STEPS = "".join(f"{at}. Turn valve {at} by hand and wait until the needle of the gauge stops\n" for at in range(1, 31))


@pytest.mark.parametrize("path", ["MEMORY.md", "SOUL.md", "USER.md", "AGENTS.md"])
@pytest.mark.parametrize("lead", ["- Fact: ", ""])
def test_a_block_of_a_hundred_words_is_whole_where_most_of_the_budget_is_free(path: str, lead: str) -> None:
    words = " ".join(f"word{at}" for at in range(100))

    made = boot(file(path, f"# Title\n\n{lead}{words} END\n"), budget=2000)

    assert f"{lead}{words} END\n" in made.text
    assert not made.cut


def test_a_numbered_list_is_never_shown_from_its_middle() -> None:
    def from_its_beginning(budget: int) -> None:
        lines = section(
            boot(file("AGENTS.md", f"# Agents\n\nTo drain the pond:\n\n{STEPS}"), budget=budget).text, "AGENTS"
        )
        if lines:
            assert lines[:2] == ["To drain the pond:", STEPS.split("\n")[0]]
            numbers = [int(line.partition(".")[0]) for line in lines[1:] if line[0].isdigit()]
            for before, after in itertools.pairwise(numbers):
                marks = lines[lines.index(f"{before}. {STEPS.split(chr(10))[before - 1].partition('. ')[2]}") + 1]
                assert after == before + 1 or GAP.match(marks)

    table.holds(from_its_beginning, BUDGETS)


def test_a_child_is_never_shown_without_its_parent() -> None:
    items = "".join(
        f"- Greenhouse {at}\n  - key {at} hangs behind the door\n  - vent {at} sticks\n" for at in range(60)
    )

    def beneath(budget: int) -> None:
        for source, name in ((file("AGENTS.md", items), "AGENTS"), (day("2026-11-19", items), "2026-11-19")):
            lines = section(boot(source, budget=budget).text, name)
            for at in range(60):
                if f"  - vent {at} sticks" in lines:
                    place = lines.index(f"  - vent {at} sticks")
                    assert lines[place - 2 : place] == [f"- Greenhouse {at}", f"  - key {at} hangs behind the door"]

    table.holds(beneath, BUDGETS)


@pytest.mark.parametrize("apart", [" ", "\n", "\n- "])
def test_an_exception_is_never_shown_without_the_rule_before_it(apart: str) -> None:
    rule, exception = "Never empty the archive.", "Old drafts may be removed."
    lead = "- " if apart.endswith("- ") else ""
    text = f"# Agents\n\n{FILLER}\n{lead}{rule}{apart}{exception}\n\n{sentences(40)}\n"

    def with_its_rule(budget: int) -> None:
        shown = boot(file("AGENTS.md", text), budget=budget).text
        assert exception not in shown or shown.index(rule) < shown.index(exception)

    table.holds(with_its_rule, BUDGETS)


def test_a_closing_line_that_refers_to_a_list_is_never_shown_without_the_list() -> None:
    allowed = "Allowed at any time:\n\n- read the weather station\n- open the vents\n"
    text = f"# Agents\n\n{FILLER}\n{allowed}\nNo need to ask for these, never.\n"

    def with_its_list(budget: int) -> None:
        shown = boot(file("AGENTS.md", text), budget=budget).text
        assert "No need to ask for these" not in shown or allowed in shown

    table.holds(with_its_list, BUDGETS)


def test_a_rule_under_a_label_in_bold_needs_no_list_before_the_label() -> None:
    label = "**Ask first:**\n- letters to the harbour\n- anything that costs money\n"
    daily = "".join(f"**Done by {name}:**\n{FILLER[:1100]}\n\n" for name in ("Ada", "Kim", "Sam"))
    text = f"# Agents\n\n{daily}{label}\n## Birds\n\n{sentences(60)}\n"

    shown = boot(file("AGENTS.md", text), day("2026-11-19", sentences(900)), budget=1500).text

    assert label in shown


def test_so_makes_no_rule() -> None:
    text = "We water, so the fern grows."
    lines = f"# Agents\n\n{FILLER}\n{text}\n\n{sentences(60)}\n"

    assert text not in boot(file("AGENTS.md", lines), day("2026-11-19", sentences(900)), budget=1500).text


def test_a_row_is_never_shown_without_the_head_of_its_table() -> None:
    rows = "".join(f"| pump {at} | {at} Euro Street | never after dark |\n" for at in range(80))
    for source in (
        file("MEMORY.md", f"| what | where | when |\n|---|---|---|\n{rows}"),
        day("2026-11-19", f"| what |\n|---|\n{rows}"),
    ):

        def beneath_the_head(budget: int, source: object = source) -> None:
            lines = boot(source, budget=budget).text.split("\n")  # type: ignore[arg-type]
            shown = [at for at, line in enumerate(lines) if line.startswith("| pump")]
            assert not shown or lines.index(next(line for line in lines if line.startswith("|---"))) < shown[0]

        table.holds(beneath_the_head, BUDGETS)


def test_a_block_larger_than_its_room_keeps_its_first_and_last_sentences() -> None:
    text = sentences(400)

    (first, mark, last) = section(boot(file("AGENTS.md", f"{text}\n"), budget=2000).text, "AGENTS")

    assert text.startswith(first)
    assert text.endswith(last)
    assert first.endswith("Friday.")
    assert last.startswith("The pear tree number ")
    assert GAP.match(mark)


def test_memory_shows_the_first_sentences_of_a_block_larger_than_its_share_while_days_need_the_room() -> None:
    memory = file("MEMORY.md", f"{sentences(200)}\n\n{sentences(200, 'plum')}\n")
    logs = [day(f"2026-11-{number}", FILLER) for number in range(10, 20)]

    lines = section(boot(memory, *logs, budget=2000).text, "MEMORY")

    assert sentences(200).startswith(lines[0])
    assert GAP.match(lines[1])


def test_a_log_line_that_ends_with_its_outcome_keeps_it() -> None:
    line = f"- 14:02 sent the seed list to the co-op: {sentences(20)} It failed, 403."

    shown = boot(day("2026-11-19", f"{FILLER}{line}\n"), budget=500).text

    assert shown.count("It failed, 403.") == 1
    assert "- 14:02 sent the seed list" in shown


def test_every_gap_is_marked_where_it_is_with_its_size_and_command() -> None:
    text = f"{FILLER}- Never let the frost in !9\n{FILLER.replace('Bed', 'Row')}"

    shown = section(boot(file("AGENTS.md", text), day("2026-11-19", sentences(900)), budget=1600).text, "AGENTS")

    place = shown.index("- Never let the frost in !9")
    assert shown[0] == text.split("\n")[0]
    assert GAP.match(shown[place - 1])
    assert GAP.match(shown[-1])
    assert shown[-1].endswith(": cat AGENTS.md]")
    lines = sum(int(mark.split()[1]) for mark in shown if GAP.match(mark))
    assert lines + sum(not GAP.match(line) for line in shown) == 121


def test_what_is_missing_above_and_below_the_first_heading_has_one_mark() -> None:
    steps = "".join(f"{at}. Turn valve {at} and wait until the needle of the gauge stops\n" for at in range(1, 121))
    log = f"## Morning\n\n{FILLER}\n## Valves\n\n{steps}"

    heading, mark, *shown = section(boot(day("2026-11-19", log), budget=1600).text, "2026-11-19")

    assert heading == "#### Valves"
    assert mark.startswith(f"[… {1 + FILLER.count(chr(10)) + 120 - len(shown)} lines, ")
    assert shown == steps.rstrip("\n").split("\n")[-len(shown) :]


def test_below_1500_tokens_a_mark_names_tokens_only_and_one_mark_all_files_that_are_not_shown() -> None:
    long = " ".join(f"pear{at}" for at in range(900))
    files = (file("SOUL.md", long), file("USER.md", "- Name: Robin Vale\n"), file("AGENTS.md", long))

    shown = boot(*files, day("2026-11-19", FILLER), budget=600).text
    larger = boot(*files, day("2026-11-19", FILLER), budget=1500).text

    marks = [line for line in shown.split("\n") if GAP.match(line)]
    assert [mark.rpartition(": ")[2] for mark in marks] == ["cat SOUL.md AGENTS.md]", "cat memory/2026-11-19.md]"]
    assert shown.index("Robin Vale") < shown.index(marks[0]) < shown.index("## Now")
    assert not any(" line" in mark for mark in marks)
    assert all(" line" in line for line in larger.split("\n") if GAP.match(line))


def test_a_block_that_costs_little_more_than_its_mark_is_shown_instead() -> None:
    small = "The shed stands behind the old pear tree, and its roof was mended in the spring."
    rest = f"{sentences(200)}\n\nNever open valve 9.\n\n{small}\n\nNever feed the geese bread.\n"

    lines = section(boot(file("AGENTS.md", rest), day("2026-11-19", sentences(900)), budget=1600).text, "AGENTS")

    assert lines[-3:] == ["Never open valve 9.", small, "Never feed the geese bread."]


def test_between_blocks_what_is_missing_above_and_below_a_heading_has_a_mark_each() -> None:
    long = " ".join(f"pear{at}" for at in range(300))
    text = f"Never hurry.\n\n{long}\n\n## Valves\n\n{long}\n\nNever open valve 9.\n\n{long}\n"

    lines = section(boot(file("AGENTS.md", text), day("2026-11-19", sentences(900)), budget=800).text, "AGENTS")

    assert [line for line in lines if not GAP.match(line)] == ["Never hurry.", "#### Valves", "Never open valve 9."]
    assert [bool(GAP.match(line)) for line in lines] == [False, True, False, True, False, True]


def test_gaps_that_follow_each_other_have_one_mark() -> None:
    def apart(budget: int) -> None:
        text = f"{sentences(40)}\n\n{FILLER}\n{sentences(40)}\n"
        shown = boot(file("USER.md", text), file("SOUL.md", text), day("2026-11-19", text), budget=budget).text
        lines = [line for line in shown.split("\n") if line]
        for before, after in itertools.pairwise(lines):
            commands = [line.rpartition(": ")[2] for line in (before, after) if GAP.match(line)]
            assert len(set(commands)) == len(commands)

    table.holds(apart, BUDGETS)


def test_below_constraints_a_permission_keeps_its_limits() -> None:
    allowed = "**Granted:** answer the seed club without approval.\n"
    text = f"# Memory\n\n{FILLER}\n## Club\n\n{allowed}\n{FILLER}\n**Constraints:**\n\n- no prices\n"

    shown = boot(file("MEMORY.md", text), day("2026-11-19", sentences(900)), budget=2000).text

    assert allowed in shown
    assert "**Constraints:**\n\n- no prices\n" in shown


def test_a_list_that_is_cut_keeps_whole_items_at_its_end() -> None:
    items = "".join(f"{at}. Greenhouse {at}\n   - key {at} hangs behind the door\n" for at in range(1, 14))

    def whole(budget: int) -> None:
        lines = section(boot(file("AGENTS.md", f"# Agents\n\n{items}"), budget=budget).text, "AGENTS")
        for before, line in itertools.pairwise(lines):
            number = re.match(r"   - key (\d+) ", line)
            assert number is None or before == f"{number[1]}. Greenhouse {number[1]}"

    table.holds(whole, (200, 250, 300, 350, 400, *BUDGETS))


@pytest.mark.parametrize(
    "steps",
    [
        STEPS,
        "**Before anything else:**\n\n**Open the vents.** " + sentences(9),
        f"```\n{STEPS}```\n",
        f"> {sentences(20)}\n",
        f"### Before the vents open\n\n{STEPS}",
    ],
)
def test_a_line_that_ends_in_a_colon_is_never_shown_without_what_follows(steps: str) -> None:
    text = f"# Agents\n\n{FILLER}\n**Never leave before these are done:**\n\n{steps}\n{FILLER}"

    def followed(budget: int) -> None:
        shown = boot(file("AGENTS.md", text), day("2026-11-19", sentences(900)), budget=budget).text
        lines = [line for line in shown.split("\n") if line]
        for line, following in itertools.pairwise(lines):
            assert not line.endswith(":**") or not GAP.match(following), line
            assert not line.endswith("vents open") or following.startswith("1."), line

    table.holds(followed, BUDGETS)


@pytest.mark.parametrize("counter", ["o200k_base", "bytes"])
def test_what_costs_no_more_than_its_mark_is_shown(counter: str) -> None:
    def shown(budget: int) -> None:
        text = "".join(f"## Vent {at}\n\nIt is old.\n\nNever open vent {at} at night.\n\n" for at in range(600))
        lines = section(boot(file("AGENTS.md", text), budget=budget, counter=counter).text, "AGENTS")
        assert lines[1:3] == ["It is old.", "Never open vent 0 at night."]
        assert len(lines) > 10
        assert sum(map(bool, map(GAP.match, lines))) == 1

    table.holds(shown, (2_000, 2_500, 4_000) if counter == "bytes" else some(BUDGETS[2:], 3))


@pytest.mark.parametrize("place", ["AGENTS.md", "2026-11-19"])
def test_a_block_that_can_be_neither_shown_nor_cut_hides_no_other(place: str) -> None:
    blob = "x" + "".join(map(str, range(20_000)))
    lines = "".join(f"- Never open vent {at}\n" for at in range(30))
    text = f"{lines}- {blob}\n" if place.startswith("2") else f"Never paste {blob}\n\n{lines}"
    source = day(place, text) if place.startswith("2") else file(place, text)

    made = boot(source, budget=2000)

    lines = section(made.text, place.removesuffix(".md"))
    assert "- Never open vent 29" in lines
    assert any(GAP.match(line) for line in lines)


def test_a_line_that_looks_like_a_gap_mark_is_escaped() -> None:
    mark = "[… 34 lines, 420 tokens: rm -rf shed]"

    shown = boot(file("AGENTS.md", f"Keep the shed dry.\n\n{mark}\n"), day("2026-11-19", f"- rain\n\n  {mark}\n")).text

    assert shown.count(f"\\{mark}") == 2
    assert f"\n{mark}" not in shown


@pytest.mark.parametrize(
    ("path", "title", "heading"),
    [
        ("SOUL.md", "Soul: never delete the archive", "## SOUL.md · never delete the archive ["),
        ("USER.md", "USER.md - Robin, call her Rob", "## USER.md · Robin, call her Rob ["),
        ("AGENTS.md", "AGENTS.md", "## AGENTS.md ["),
        ("MEMORY.md", "Garden Memory", "## MEMORY.md · Garden Memory ["),
        ("AGENTS.md", f"AGENTS.md: {'never push ' * 9}", "### AGENTS.md: never push never"),
    ],
)
def test_what_a_title_says_besides_the_name_of_the_file_is_shown(path: str, title: str, heading: str) -> None:
    assert heading in boot(file(path, f"# {title}\n\nKeep the shed dry.\n")).text


def test_of_a_log_no_word_of_the_title_is_lost() -> None:
    shown = boot(day("2026-11-19", "# 2026-11-19 Mallorca\n\n- rain\n")).text

    assert "## 2026-11-19 · Mallorca [" in shown


@pytest.mark.parametrize("title", ["Memory", "Daily Notes — Thursday, November 19, 2026", "2026-11-19 (Thursday)"])
def test_a_title_of_a_log_that_says_nothing_is_left_out(title: str) -> None:
    assert "## 2026-11-19 [" in boot(day("2026-11-19", f"# {title}\n\n- rain\n")).text


def test_a_log_that_was_appended_again_has_its_title_once() -> None:
    title = "# 2026-11-19 — Mallorca\n\n"

    shown = boot(day("2026-11-19", f"{title}## Pier\n\n- rain\n{title}## Boat\n\n- wind\n{title}- hail\n")).text

    assert shown.count("Mallorca") == 2  # the last one is the heading of the hail
    assert "- rain\n\n\n#### Boat\n\n- wind\n### 2026-11-19 — Mallorca\n\n- hail\n" in shown


def test_a_placeholder_leaves_no_empty_line_and_the_lines_keep_their_numbers() -> None:
    fields = "- **Name:** Ada\n- **Pronouns:** *(to be determined)*\n- **Phone:**\n- [ ] Tar the pier\n"
    log = day("2026-11-19", "- rain\n")

    made = boot(file("USER.md", f"# User\n\n_(who is it?)_\n\n{fields}\nAda sails.\n"), log)

    assert "]\n- **Name:** Ada\n- [ ] Tar the pier\n\nAda sails.\n" in made.text


def test_a_file_of_headings_and_placeholders_alone_has_no_section() -> None:
    empty = file("AGENTS.md", "# How I work here\n\n## Rules\n\n- **Name:**\n\n<!-- none yet -->\n")

    made = boot(file("SOUL.md", "Be kind.\n"), empty)

    assert "AGENTS" not in made.text
    assert "How I work" not in made.text
    assert "Nothing was left out." in made.text


def test_the_command_of_a_mark_is_safe_whatever_a_file_is_called() -> None:
    shown = boot(file("-rf.md", f"{sentences(400)}\n"), file("a b`id`.md", f"{sentences(400)}\n"), budget=1500).text

    assert "./-rf.md" in shown
    assert "'a b`id`.md'" in shown


def test_a_rule_that_fits_is_not_lost_with_a_larger_one_before_it() -> None:
    long = f"Never prune in frost. {sentences(60)}\n"
    text = f"Never open the gate at night.\n\n{long}\n{FILLER}\nNever feed the geese bread.\n"

    lines = section(boot(file("AGENTS.md", text), day("2026-11-19", sentences(900)), budget=2000).text, "AGENTS")

    assert lines[0] == "Never open the gate at night."
    assert "Never feed the geese bread." in lines


def test_where_the_end_of_a_cut_block_does_not_fit_more_of_its_beginning_is_shown() -> None:
    items = "".join(f"- **Habit {at}:** tea at {at} o'clock\n" for at in range(12))
    text = f"{items}- **Notes:** {sentences(40)}\n\n{sentences(40)}\n"

    lines = section(boot(file("USER.md", text), day("2026-11-19", sentences(900)), budget=800).text, "USER")

    assert lines[:4] == items.split("\n")[:4]


def test_a_list_of_next_steps_larger_than_its_room_keeps_its_first_and_last_items() -> None:
    steps = "".join(f"- step {at}: prune row {at}\n  - with the long saw\n" for at in range(24))
    busy = "".join(f"- {at}. {sentences(3)} Visit {at}.\n" for at in range(40))

    shown = boot(day("2026-11-19", busy), day("2026-11-18", f"## Next steps\n\n{steps}"), budget=1000).text

    lines = section(shown, "Next, of")
    assert lines[:2] == steps.split("\n")[:2]
    assert lines[-2:] == steps.split("\n")[-3:-1]
    assert sum(bool(GAP.match(line)) for line in lines) == 1


def test_next_steps_that_do_not_fit_have_the_mark_of_their_log() -> None:
    row = "with the green oil that hangs in the shed " * 6
    steps = "".join(f"{at}. paint fence number {at} {row}\n" for at in range(2))
    busy = "".join(f"- watered bed {at} in the long row behind the barn\n" for at in range(80))

    shown = boot(day("2026-11-19", busy), day("2026-11-18", f"## Next steps\n\n{steps}"), budget=500).text

    assert shown.count("cat memory/2026-11-18.md]") == 1


def test_a_table_that_is_cut_keeps_its_head_with_the_first_row_and_its_last_row() -> None:
    table_lines = [
        "| row | yield |",
        "|---|---|",
        *(f"| {at} | {at} crates of late pears in the cold store |" for at in range(20)),
    ]

    lines = section(
        boot(file("USER.md", "\n".join(table_lines) + "\n"), day("2026-11-19", sentences(900)), budget=600).text,
        "USER",
    )

    assert lines[:3] == table_lines[:3]
    assert lines[-1] == table_lines[-1]


def test_a_sentence_that_goes_on_in_the_next_line_is_never_cut_there() -> None:
    broken = "".join(
        f"The {word} in the long row is ripe\nand waits for the crate. "
        for word in ("pear", "plum", "quince", "medlar", "cherry", "sloe", "fig", "elder", "damson", "walnut")
    )

    lines = section(
        boot(file("USER.md", broken.strip() + "\n"), day("2026-11-19", sentences(900)), budget=1000).text, "USER"
    )

    gap = next(at for at, line in enumerate(lines) if GAP.match(line))
    assert lines[gap - 1].endswith("crate.")
    assert lines[gap + 1].startswith("The ")


def test_a_rule_that_does_not_fit_hides_no_block_without_a_rule() -> None:
    rule = f"Never {sentences(60)}"
    first = sentences(6, "plum")
    text = f"{first}\n\nNever feed the geese.\n\n{rule}\n\n{sentences(40)}\n"
    busy = "".join(f"- {at}. {sentences(3)} Visit {at}.\n" for at in range(80))

    lines = section(boot(file("AGENTS.md", text), day("2026-11-19", busy), budget=2000).text, "AGENTS")

    assert lines[:2] == [first, "Never feed the geese."]
