"""What boot chooses to show: the newest log, what is open, what was marked, the days before, the agent's own files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.boot import assemble
from agentws.planning.boot import request as roles
from agentws.planning.boot.request import Request, Source
from agentws.planning.tokens import counters
from tests import marks
from tests.table import holds

TODAY = "2026-11-21"
FACTS = (
    ("Port", "8080", "9090", True),
    ("**Town**", "Bern", "Basel", True),
    ("端口", "8080", "9090", True),
    ("Порт", "закрыт", "открыт", True),
    ("Walk", "8 km", "went along the lake and came home late", False),
    ("Walk", "went along the lake and came home late", "8 km", False),
)
"""Name, value, value since, and whether the earlier one leaves."""
IN_MANY_SCRIPTS = (
    "The lamp stays green",
    "Die Lampe bleibt grün",
    "Лампа остаётся зелёной",
    "电灯保持绿色",
    "ランプは緑のまま",
    "المصباح يبقى أخضر",
    "बत्ती हरी रहेगी",
    "램프는 녹색",
)


def day(number: int, text: str, **more: str) -> Source:
    date = f"2026-11-{number:02d}"
    return Source(f"memory/{date}.md", roles.DAY, text, title=date, brief=date, **more)


def boot(*sources: Source, budget: int = 8000, tags: tuple[str, ...] = ()) -> str:
    asked = Request(
        name="Robin", now="Sat", sources=sources, budget=budget, counter=counters.Bytes(), today=TODAY, tags=tags
    )
    made = assemble.fit(asked)
    assert made.tokens <= budget
    return marks.without(made.text)


def fitted(*sources: Source, budget: int) -> assemble.Context:
    asked = Request(name="Robin", now="Sat", sources=sources, budget=budget, counter=counters.Bytes(), today=TODAY)
    return assemble.fit(asked)


def stable_of(*sources: Source, budget: int) -> str:
    """The stable prefix where there is nothing else."""
    made = fitted(*sources, budget=budget)
    return made.text[: made.stable_prefix_chars]


def section(text: str, title: str) -> list[str]:
    """The lines of the section whose heading begins with `title`."""
    _, _, rest = f"\n{text}".partition(f"\n## {title}")
    return rest.partition("\n## ")[0].split("\n")[1:]


def open_of(*sources: Source, budget: int = 8000) -> str:
    return "\n".join(section(boot(*sources, budget=budget), "Open"))


def chatter(count: int, word: str = "walked") -> str:
    """Lines that nobody marked, no two of which share their letters."""
    return "".join(
        f"- {word} along the {''.join(chr(97 + int(digit)) for digit in str(number))} path and saw a bird there\n"
        for number in range(count)
    )


# The newest log


@pytest.mark.parametrize("count", [5, 20, 45])
def test_the_newest_log_is_whole_where_it_fits_whatever_other_days_hold(count: int) -> None:
    text = boot(day(20, chatter(count)), day(19, chatter(400, "ran")), day(18, "- [decision] All else !9\n" * 50))

    assert all(line in text for line in chatter(count).splitlines())


def test_of_a_newest_log_that_does_not_fit_the_end_is_shown_and_the_day_before_is_not_lost() -> None:
    text = boot(day(20, chatter(900)), day(19, "## Pond\n- The heron is back\n"), budget=6000)

    assert "The heron is back" in text
    shown = [line for line in chatter(900).splitlines() if line in text]
    assert chatter(900).splitlines()[-1] in shown
    assert shown == chatter(900).splitlines()[-len(shown) :]
    assert sum(map(len, shown)) > 2500


def test_a_newest_log_that_is_alone_has_all_the_room() -> None:
    text = boot(day(20, chatter(900)), budget=6000)

    assert sum(len(line) for line in text.split("\n") if line.startswith("- walked")) > 4500


def test_with_room_for_all_logs_they_stand_as_they_are() -> None:
    logs = ["# Log\n\n**Bold**\n\n- one\n\n\n- two\n", "- three\n\n> four\n"]

    text = boot(day(20, logs[0]), day(19, logs[1]))

    assert "**Bold**\n\n- one\n\n\n- two\n" in text
    assert "- three\n\n> four\n" in text


def prose(count: int, sentences: int) -> str:
    """Paragraphs of so many sentences."""
    rows = [line.removeprefix("- ") for line in chatter(count * sentences).splitlines()]
    return "".join(". ".join(rows[at : at + sentences]) + ".\n\n" for at in range(0, len(rows), sentences))


@pytest.mark.parametrize(("count", "sentences"), [(1, 300), (4, 80), (12, 30)])
def test_room_is_not_left_free_while_something_of_the_newest_two_days_is_cut(count: int, sentences: int) -> None:
    text = prose(count, sentences)
    for logs in ([day(20, text)], [day(20, text), day(19, text.replace("walked", "ran"))]):
        for budget in (1500, 6000):
            made = boot(*logs, budget=budget)
            assert len(made) > budget * 0.9


def test_what_is_marked_or_of_the_newest_two_days_is_shown_while_there_is_room_though_it_repeats() -> None:
    repeated = [f"- [decision] Bed {number} gets {number * 3} leeks\n" for number in range(90)]
    plain = [f"- Bed {number} got {number * 3} leeks\n" for number in range(400)]
    big = chatter(400, "swam")

    for logs in (
        [day(20, "- Sunny\n"), day(19, "".join(repeated)), day(18, big)],
        [day(20, "- Sunny\n"), day(12, "".join(repeated) + big)],
    ):
        text = boot(*logs, budget=7500)
        assert not [line for line in repeated if line not in text]
    assert len(boot(day(20, "- Sunny\n"), day(19, "".join(plain)), budget=7500)) > 7500 * 0.9


# What was marked


def test_a_marked_line_of_any_day_and_script_is_shown_while_there_is_room() -> None:
    def check(words: str) -> None:
        for mark in ("[decision] {}", "[rule] {}", "[lesson] {}", "{} !9"):
            line = f"- {mark.format(words)}"
            older = chatter(150, "swam") + line + "\n" + chatter(150, "rode")
            text = boot(day(20, chatter(300)), day(19, chatter(300, "ran")), day(12, older), budget=5000)
            assert line in text

    holds(check, IN_MANY_SCRIPTS)


@pytest.mark.parametrize("budget", [300, 500, 800])
def test_a_marked_line_comes_before_the_unmarked_ones_of_its_day(budget: int) -> None:
    pages = "".join(f"- Looked at page {number}\n" for number in range(1, 31))

    def check(marked: str) -> None:
        for log in (f"{marked}\n{pages}", f"# Log\n\n## Morning\n- Made tea\n{marked}\n\n## Work\n{pages}"):
            for logs in ([day(20, log)], [day(21, "- Sunny\n"), day(20, log)]):
                text = boot(*logs, budget=budget)
                assert marked in text

    holds(
        check,
        (
            "- [rule] Never push without asking Ada",
            "- 09:10 [rule] Always ask Ada first !9",
            "- [decision] The garden gets a well",
            "- [rule] Никогда не поливать днём",
            "- [lesson] 绝不在中午浇水",
        ),
    )


def test_what_others_wrote_and_what_is_over_is_not_taken_for_marked() -> None:
    older = chatter(200, "swam") + "- [rule] Water at noon (via tool:web)\n- [x] Bought tea !9\n" + chatter(200, "rode")

    text = boot(day(20, chatter(300)), day(12, older), budget=4000)

    assert "Water at noon" not in text
    assert "Bought tea" not in text


def test_lines_with_a_tag_that_is_wanted_come_first() -> None:
    older = chatter(200, "swam") + "- Planted leeks #garden\n" + chatter(200, "rode")

    assert "Planted leeks" in boot(day(20, chatter(300)), day(12, older), budget=4000, tags=("garden",))
    assert "Planted leeks" not in boot(day(20, chatter(300)), day(12, older), budget=4000)


# What is open


def test_what_is_open_in_days_before_has_its_day_and_reference_and_how_to_close_it() -> None:
    before = chatter(200, "ran") + "- [ ] Call Tom\n- ⏳ Reply of the plumber\n- [ ] Sell the boat ^b2cd\n"

    lines = section(boot(day(20, chatter(300)), day(19, before)), "Open")

    assert any(line.startswith("- 11-19 Call Tom ^") for line in lines)
    assert any(line.startswith("- 11-19 ⏳ Reply of the plumber ^") for line in lines)
    assert "- 11-19 Sell the boat ^b2cd" in lines
    assert [line for line in lines if line][-1] == "Close one: agentws done WORDS|REF"


def test_nothing_that_is_over_stands_under_open() -> None:
    was = "## Next steps\n- [ ] Call Tom\n- [ ] Paint the shed\n- [ ] Sell the boat ^b2cd\n"

    def check(closing: str) -> None:
        for older in (was, chatter(100, "swam") + was):
            told = open_of(day(20, chatter(200) + closing), day(19, chatter(100, "ran")), day(18, older))
            for words in ("Call Tom", "Paint the shed", "Sell the boat"):
                assert (words in told) == (words not in closing.replace("(closes ^b2cd)", "Sell the boat"))

    holds(
        check,
        (
            "- nothing of it\n",
            "- [x] Call Tom\n- [done] Paint the shed\n- [done] Gone at last (closes ^b2cd)\n",
            "- ✅ Call Tom\n- ~~Paint the shed~~\n- [dropped] Sell the boat\n",
            "## ✅ Done\n- Call Tom\n- Paint the shed\n- Sell the boat\n",
        ),
    )


def test_what_is_past_its_day_leaves_and_what_nobody_speaks_of_is_one_line() -> None:
    old = "".join(f"- [ ] Mend the {name} fence\n" for name in ("north", "south", "east", "west"))
    logs = [day(20, chatter(300)), day(17, "- [ ] Send the tax form by 2026-11-18\n- [ ] Feed the cat\n")]
    ancient = Source("memory/2026-09-01.md", roles.DAY, old, title="2026-09-01", brief="2026-09-01")

    told = open_of(*logs, ancient)

    assert "tax form" not in told
    assert "Feed the cat" in told
    assert "fence" not in told
    assert "- 4 older, possibly done: agentws todo --stale" in told


def test_what_todo_gave_a_date_is_told_until_it_is_closed() -> None:
    promised = (
        "- 09:00 [todo] Pay the gas (due 2026-11-16) ^p688\n- 09:00 [todo] Meet Ada (due 2026-11-16T15:00) ^cfvs\n"
    )

    told = open_of(day(20, chatter(300)), day(15, promised))

    assert "Pay the gas (due 2026-11-16) ^p688" in told
    assert "Meet Ada (due 2026-11-16T15:00) ^cfvs" in told


def test_a_day_that_is_cut_away_stands_before_the_line() -> None:
    long = "Call the landlord about " + " and ".join(f"the {name} window" for name in ("north", "south", "east") * 12)
    lines = f"- 09:00 [todo] {long} (due 2026-11-27) ^p688\n- 09:00 [todo] {long} once more (due 2026-11-16) ^cfvs\n"

    told = [line for line in open_of(day(20, chatter(300)), day(15, lines)).splitlines() if "landlord" in line]

    assert sorted(line[:24] for line in told) == ["- 11-15 (due 11-27) Call", "- 11-15 (was due 11-16) "]


def test_what_is_open_is_told_once() -> None:
    text = boot(
        day(20, "- [ ] Call Tom\n"), day(19, chatter(300, "ran")), day(18, "- [ ] Call Tom\n- [ ] Feed the cat\n")
    )

    assert text.count("Call Tom") == 1
    assert text.count("Feed the cat") == 1


def test_where_there_is_little_room_an_open_item_is_shortened_and_keeps_its_reference() -> None:
    long = "- [ ] Ask the harbour master whether the boat may stay at the pier until the ice is gone, or where else\n"

    (line, *_) = section(boot(day(20, chatter(300)), day(19, chatter(100, "ran") + long), budget=1500), "Open")

    assert line.startswith("- Ask the harbour master")
    assert "… ^" in line


def test_a_fact_of_an_earlier_day_that_has_another_value_since_gives_way() -> None:
    def check(row: tuple[str, str, str, bool]) -> None:
        name, earlier, newer, is_gone = row
        was, now = f"- {name}: {earlier}\n", f"- {name}: {newer}\n"
        for heading in ("", "## Server\n"):
            logs = [day(20, chatter(200) + heading + now), day(19, f"{heading}{was}- The cat ate\n")]
            text = boot(*logs, day(18, chatter(300, "ran")), budget=6000)

            assert now in text
            assert "The cat ate" in text
            assert (was in text) != is_gone

    holds(check, FACTS)


def test_a_fact_of_another_heading_or_that_somebody_marked_stays() -> None:
    new = chatter(200) + "## Server\n- Port: 9090\n"
    earlier = "## Garden\n- Port: 8080\n## Server\n- [decision] Port: 7070 !9\n"

    text = boot(day(20, new), day(19, earlier), day(18, chatter(300, "ran")), budget=6000)

    assert "- Port: 8080" in text
    assert "- [decision] Port: 7070 !9" in text


# The days before


def test_lines_of_one_template_are_shown_once_its_last_instance() -> None:
    beats = "".join(f"- {hour:02d}:00 heartbeat, all quiet, {hour} mails\n" for hour in range(24))

    text = boot(day(20, chatter(40)), day(19, "## Beats\n" + beats), day(18, chatter(400, "ran")), budget=6000)

    assert text.count("heartbeat, all quiet") == 1
    assert "- 23:00 heartbeat, all quiet, 23 mails" in text


def test_each_section_of_the_day_before_is_told_before_any_is_told_whole() -> None:
    before = "".join(f"## Part {name}\n" + chatter(30, f"{name}ed") for name in ("dig", "sow", "weed"))

    text = boot(day(20, chatter(20)), day(19, before), budget=6000)

    assert all(f"### Part {name}\n- {name}ed along the a path" in text for name in ("dig", "sow", "weed"))


def test_a_row_brings_its_heading_the_head_of_its_table_its_parent_and_its_label() -> None:
    before = (
        "## Prices\n| what | euro |\n|---|---|\n| tea | 4 |\n\n## Trip\n- Boat\n  - at the pier\n\n"
        "**Next week:**\n\n- nothing yet\n"
    )

    text = boot(day(20, chatter(300)), day(19, before), budget=3000)

    assert "### Prices\n| what | euro |\n| tea | 4 |\n" in text
    assert "### Trip\n- Boat\n  - at the pier\n**Next week:**\n- nothing yet\n" in text


# The agent's own files


def test_names_and_rules_come_before_the_rest_of_who_the_agent_is() -> None:
    soul = "# Soul\n" + chatter(80, "am") + "- **Name:** Robin\n## Boundaries\n- No mail is sent unasked\n"

    text = boot(Source("SOUL.md", roles.IDENTITY, soul), day(20, chatter(300)), budget=4000)

    assert "- **Name:** Robin\n" in text
    assert "- No mail is sent unasked\n" in text


def test_rules_of_memory_come_first_then_what_was_remembered_last() -> None:
    memory = (
        "## Rules\n- Water the fern on Mondays\n## Log\n" + chatter(200, "learned") + "- Sam moved to Bern in autumn\n"
    )

    text = boot(Source("MEMORY.md", roles.MEMORY, memory), day(20, chatter(300)), budget=4000)

    assert "- Water the fern on Mondays\n" in text
    assert "- Sam moved to Bern in autumn\n" in text


def test_remarks_of_a_template_and_fields_without_a_value_give_way() -> None:
    user = "_Fill this in as you learn._\n- **Pet:**\n- **Born:** *(to be added)*\n" + "- **Town:** Bern\n"
    soul = "# Soul\n" + chatter(80, "am")

    text = boot(
        Source("SOUL.md", roles.IDENTITY, soul),
        Source("USER.md", roles.USER, user * 9),
        day(20, chatter(300)),
        budget=4000,
    )

    assert "- **Town:** Bern" in text
    assert "Fill this in" not in text
    assert "Pet:" not in text
    assert "to be added" not in text


SAYS_ONE_THING = (
    "- Never share a secret\n",
    "Never share a secret.\n",
    "- **Never in any case**\n  - share a secret with anybody\n",
    "| what | how |\n|---|---|\n| secrets | never shared |\n",
    "- 绝不泄露秘密\n",
    "- Храни чужие тайны\n",
)


def test_what_two_files_of_the_agent_say_is_printed_once() -> None:
    def check(said: str) -> None:
        line = said.splitlines()[-1]
        long = f"- {'Ask when in doubt, and wait. ' * 8}\n"
        first = Source("SOUL.md", roles.IDENTITY, f"# Soul\n{said}- yes\n")
        second = Source("USER.md", roles.USER, f"# User\n\n## Home\n- Town: Bern\n{long}\n## Also\n{said}- yes\n")
        third = Source("AGENTS.md", roles.INSTRUCTIONS, f"# Agents\n## All\n{said.upper()}")

        made = fitted(first, second, third, day(20, chatter(5)), budget=20_000)
        text = marks.without(made.text)

        assert text.casefold().count(line.casefold()) == 1
        assert f"- Town: Bern\n{long}" in text
        assert text.count("- yes\n") == 2  # so few letters say something only where they stand
        assert "## AGENTS" not in text
        assert not made.omitted
        assert made.text[: made.stable_prefix_chars] == stable_of(first, second, third, budget=20_000)

    holds(check, SAYS_ONE_THING)


def test_what_stands_below_another_item_or_was_not_shown_is_no_repeat() -> None:
    soul = Source("SOUL.md", roles.IDENTITY, "- Mail\n  - Ask before you send\n" + chatter(80, "am"))
    user = Source("USER.md", roles.USER, "- Money\n  - Ask before you send\n- Water the fern\n")

    text = boot(soul, user, day(20, chatter(5)), budget=30_000)
    assert "- Money\n  - Ask before you send\n" in text

    cut = Source("SOUL.md", roles.IDENTITY, chatter(80, "am") + "- Water the fern\n- Name: Robin\n")
    assert "- Water the fern\n" in boot(cut, user, day(20, chatter(300)), budget=3000)


def test_a_file_that_says_its_own_name_alone_is_not_shown() -> None:
    text = boot(Source("MEMORY.md", roles.MEMORY, "# Memory\n\n"), Source("USER.md", roles.USER, "# Sam of Bern\n"))

    assert "## MEMORY.md" not in text
    assert "Sam of Bern" in text


def test_a_rule_is_shown_with_all_it_says_or_not_at_all() -> None:
    """Half of one may be the wrong half: what stands at its end may be the exception."""
    rule = "- [rule] Ask before you send anything to anybody, " + "whoever it may be, " * 9 + "but for Ada\n"
    forms = (rule, rule.replace("anybody, ", "anybody,\n  "), rule[2:].replace("anybody, ", "anybody,\n"))

    def is_whole(form: str) -> None:
        files = Source("MEMORY.md", roles.MEMORY, f"{chatter(100, 'learned')}\n{form}"), day(20, chatter(900))
        shown = [boot(*files, budget=budget).partition("Now: ")[0] for budget in range(1500, 4000, 100)]
        told = [text for text in shown if "Ask before" in text or "but for Ada" in text]
        assert told
        assert [text for text in told if form not in text] == []

    holds(is_whole, forms)


def test_a_line_of_more_than_600_characters_is_its_beginning_and_one_of_less_is_whole() -> None:
    """The bound that docs/guides/waking-up.md tells."""

    def shown(length: int) -> set[str]:
        head = "- [rule] Ask before you send anything "
        rule = (head + "whoever it may be " * 40)[: length - 12] + " but for Ada"
        assert len(rule) == length
        files = Source("MEMORY.md", roles.MEMORY, f"{chatter(300, 'learned')}\n{rule}\n"), day(20, chatter(900))
        made = [boot(*files, budget=budget).partition("Now: ")[0] for budget in range(5000, 10_000, 500)]
        lines = [line for text in made for line in text.split("\n") if "Ask before" in line]
        return {"whole" if line == rule else line[-1] for line in lines}

    assert (shown(599), shown(620)) == ({"whole"}, {"…"})


# Whatever stands in the files


@given(
    st.lists(st.text(alphabet="ab *`#-|>[x]\n_:✅~", max_size=300), min_size=1, max_size=4),
    st.integers(200, 3000),
)
def test_any_text_keeps_the_budget_and_the_frame(texts: list[str], budget: int) -> None:
    logs = [day(20 - at, text) for at, text in enumerate(texts)]
    asked = Request(name="Robin", now="Sat", sources=logs, budget=budget, counter=counters.Bytes(), today=TODAY)

    made = assemble.fit(asked)

    assert made.tokens <= budget
    assert assemble.fit(asked).text == made.text
    for line in made.text.split("\n"):
        assert not line.startswith(("# ", "## ")) or line.endswith(made.marks)


def test_what_is_from_outside_stands_behind_the_stable_part_while_there_is_room() -> None:
    said = "- The roof leaks (via tool:web)\n"

    for role in (roles.IDENTITY, roles.USER, roles.INSTRUCTIONS, roles.MEMORY, roles.PINNED, roles.CONTEXT):
        for own in ("", "- I water the garden\n", chatter(300)):
            file = Source("NOTES.md", role, f"# Notes\n\n## Facts\n\n{own}{said}")
            asked = Request(
                name="Robin", now="Sat", sources=[file], budget=30_000, counter=counters.Bytes(), today=TODAY
            )
            made = assemble.fit(asked)

            assert made.text.count("The roof leaks") == 1, (role, own)
            assert "The roof leaks" not in made.text[: made.stable_prefix_chars]
            assert "> (tool:web" in made.text
            assert not made.omitted


def test_nothing_from_outside_stands_in_the_stable_part_whatever_is_below_it() -> None:
    below = (
        "**Next:**\n- I water",
        "  - I water",
        "| a | b |\n|---|---|\n| I | water |",
        "| a |\n|---|\n\nI water",
        "I water",
    )

    def check(lines: str) -> None:
        for more in ("", chatter(90)):
            file = Source("NOTES.md", roles.MEMORY, f"- The roof leaks (via tool:web)\n{lines}\n\n- I sing\n{more}")
            asked = Request(name="Robin", now="Sat", sources=[file], budget=3000, counter=counters.Bytes(), today=TODAY)
            made = assemble.fit(asked)
            assert "tool:web" not in made.text[: made.stable_prefix_chars]

    holds(check, below)


def test_a_rule_in_bold_type_is_shown_where_there_is_room() -> None:
    rules = (
        "- **Never push without asking Ada.**",
        "**Never push without asking Ada.**",
        "- __Never push without Ada__",
    )

    def check(rule: str) -> None:
        for role in (roles.IDENTITY, roles.INSTRUCTIONS, roles.MEMORY):
            file = Source("NOTES.md", role, f"{chatter(100)}\n{rule}\n\n{chatter(100, 'ran')}")
            assert rule in boot(file, budget=30_000)
            assert rule in boot(file, Source("SOUL.md", roles.IDENTITY, chatter(200)), budget=29_000)

    holds(check, rules)


def test_an_open_item_that_is_private_says_so() -> None:
    for line in ("- [ ] buy the lamp #private\n", "## Gifts #private\n\n- [ ] buy the lamp\n"):
        shown = open_of(day(20, "- Sunny\n"), day(18, line))
        assert "buy the lamp #private ^" in shown, line


def test_long_lines_are_whole_where_all_of_the_file_fits_whatever_is_hidden_or_from_outside() -> None:
    long = [f"- Fact {number}: " + "the lamp stays green and warm, " * 9 + f"end {number}.\n" for number in range(9)]
    for other, shared in (("- The roof leaks (via tool:web)\n", False), ("- A gift #private\n", True)):
        text = "# Notes\n\n## Facts\n\n" + "".join(long) + other
        asked = Request(
            name="Robin",
            now="Sat",
            sources=[Source("NOTES.md", roles.PINNED, text)],
            budget=60_000,
            counter=counters.Bytes(),
            today=TODAY,
            shared=shared,
        )
        made = assemble.fit(asked)
        assert not [line for line in long if made.text.count(line) != 1]
        assert bool(made.omitted) == shared


def test_long_lines_of_the_stable_part_are_told_in_full_where_there_is_room() -> None:
    long = [f"- Fact {number}: " + "the lamp stays green and warm, " * 9 + f"end {number}.\n" for number in range(30)]
    text = "# Notes\n\n## Facts\n\n" + "".join(long)
    for role in (roles.IDENTITY, roles.INSTRUCTIONS, roles.MEMORY):
        file = Source("NOTES.md", role, text)
        asked = Request(name="Robin", now="Sat", sources=[file], budget=30_000, counter=counters.Bytes(), today=TODAY)
        made = assemble.fit(asked)
        assert not [line for line in long if line not in made.text]
        assert not made.omitted
