"""What weighs more of the agent's own files, and what does not belong under what is open."""

from __future__ import annotations

from agentws.planning.boot import request as roles
from agentws.planning.boot.request import Source
from agentws.planning.tokens import counters
from tests.planning.boot.test_choice import boot, chatter, day, open_of, section
from tests.table import holds

COMMANDS = (
    "The lamp in the hall: NEVER switch it off",
    "Die Lampe im Flur NIEMALS ausschalten",
    "La lampe du couloir, **JAMAIS** éteindre",
    "La lámpara del pasillo: NUNCA apagarla",
    "Лампу в прихожей НИКОГДА не выключать",
    "The lamp in the hall (DO NOT switch it off)",
)
NO_COMMANDS = (
    "The lamp in the hall was never switched off",
    "The LAMP in the hall was NEW last year",
    "They DO like the lamp in the hall a lot",
    "The lamp: does NOTHING when it is pressed",
)


def memory(text: str, *, budget: int = 4000) -> str:
    """What is shown of a long-term memory that is too long."""
    source = Source("MEMORY.md", roles.MEMORY, text)
    return boot(source, day(20, chatter(300)), budget=budget).partition("## Now")[0]


def first_of(*lines: str) -> str:
    """Which of these lines of MEMORY.md, each of them as long, goes first where there is room for one."""
    text = "".join(f"## Of {number}\n{line}\n" for number, line in enumerate(lines))
    for budget in range(800, 9000, 100):
        made = boot(Source("MEMORY.md", roles.MEMORY, text), day(20, chatter(900)), budget=budget).partition("## Now")[
            0
        ]
        shown = [line for line in lines if line in made]
        if shown:
            return shown[0] if len(shown) == 1 else "several"
    return "none"


# MEMORY.md


def test_a_word_of_rules_in_capitals_is_a_mark_wherever_it_stands() -> None:
    def goes_first(line: str) -> None:
        assert f"- {line}\n" in memory(f"## Lamps\n- {line}\n## Log\n{chatter(200, 'learned')}")

    def does_not(line: str) -> None:
        assert f"- {line}\n" not in memory(f"## Lamps\n- {line}\n## Log\n{chatter(200, 'learned')}")

    holds(goes_first, COMMANDS)
    holds(does_not, NO_COMMANDS)


def test_a_warning_sign_on_a_line_or_its_heading_goes_first() -> None:
    rest = f"## Log\n{chatter(200, 'learned')}"

    assert "- The stove stays hot for an hour\n" in memory(f"## The stove ⚠️\n- The stove stays hot for an hour\n{rest}")
    assert "- ⚠ The stove stays hot for an hour\n" in memory(f"## Stove\n- ⚠ The stove stays hot for an hour\n{rest}")
    assert "stays hot" not in memory(f"## Stove\n- The stove stays hot for an hour\n{rest}")


def test_a_row_of_a_table_goes_behind_what_is_remembered_in_words() -> None:
    table = "## About Sam\n| what | value |\n|---|---|\n" + "".join(f"| phone {n} | {n * 7919} |\n" for n in range(90))

    text = memory("## Town\n- Sam lives in Bern now\n" + table)

    assert "- Sam lives in Bern now\n" in text


ORDER = (
    ("- [rule] The lamp in the hall stays on", "- The lamp in hall is NEVER put off"),
    ("- The lamp in hall is NEVER put off", "- ⚠ The lamp in the hall is very old"),
    ("- ⚠ The lamp in the hall is very old", "- [fact] The lamp in the hall is old"),
    ("- [lesson] A lamp in halls can burn ⚠", "- [lesson] The lamp in the hall burns"),
)


def test_rules_then_commands_then_warnings_then_facts() -> None:
    def in_order(row: tuple[str, str]) -> None:
        assert first_of(row[0], row[1]) == row[0]
        assert first_of(row[1], row[0]) == row[0]

    holds(in_order, ORDER)


def test_what_compaction_wrote_is_shown_from_its_beginning_and_the_rest_from_its_end() -> None:
    beds = [f"- Bed {number}: never water it at noon, whatever the almanac says\n" for number in range(20)]
    gates = [f"- Gate {number} has a key of its own, which hangs in the hall\n" for number in range(20)]

    made = memory(f"# Memory\n\n{''.join(gates)}\n## From the logs\n\n### Rules\n{''.join(beds)}", budget=2500)
    own = memory(f"# Memory\n\n{''.join(gates)}\n## Beds\n\n### Rules\n{''.join(beds)}", budget=2500)
    both = memory(f"# Memory\n\n{''.join(gates)}\n## From the logs\n\n### Facts\n{''.join(beds[:1])}", budget=5000)

    shown = [line for line in beds if line in made]
    assert 0 < len(shown) < len(beds)
    assert shown == beds[: len(shown)]
    assert [line for line in beds if line in own] == beds[-len(shown) :]
    assert gates[-1] in both
    assert gates[0] not in both


# How the agent works


def test_rules_of_how_the_agent_works_come_before_what_it_calls_things() -> None:
    text = (
        "## Files\n" + "".join(f"- **Notes {n}:** `notes/{n}.md`\n" for n in range(40)) + "## Red lines\n- Ask first\n"
    )

    made = boot(Source("AGENTS.md", roles.INSTRUCTIONS, text), day(20, chatter(300)), budget=4000)

    assert "- Ask first\n" in made


# What is open

NOT_OPEN = (
    *("- Quoted: 400-475", "- Account: L5387", "- **Fee:** $2,600", "- Plan: `walls.pdf`", "- Key: /home/kim/key.txt"),
    "\n| what | who | state |\n|---|---|---|\n| lamps | Kim | ⏳ ordered |\n| tiles | Sam | pending |\n",
)
OPEN = (
    *("- Quoted: ask again", "- [ ] Account: 5387", "- TODO: 400", "- Fee 2,600 is due", "- P1: two lamps"),
    *("- Run: `make clean`", "\n| state | what |\n|---|---|\n| ⏳ | lamps"),
)


def test_a_number_or_a_file_with_its_name_and_a_row_of_a_table_ask_for_nothing() -> None:
    def listed(line: str) -> str:
        log = f"## Open items\n- Sweep the yard\n{line}\n## Walks\n{chatter(200)}"
        return open_of(day(20, chatter(5)), day(19, log), budget=6000)

    def is_no_item(line: str) -> None:
        text = listed(line)
        assert "Sweep the yard" in text
        assert line.strip("- ") not in text
        assert "more: agentws todo" not in text

    def is_listed(line: str) -> None:
        assert line.strip("- ").rpartition(" ")[2] in listed(line)

    holds(is_no_item, NOT_OPEN)
    holds(is_listed, OPEN)


def test_where_all_that_is_open_stands_in_the_newest_log_it_is_counted_as_open_and_not_as_more() -> None:
    text = boot(day(20, "- [ ] Call Tom\n- [ ] Feed the cat\n"), day(19, chatter(900)), budget=9000)

    assert section(text, "Open")[0] == "2 open: agentws todo. Close one: agentws done WORDS|REF"


def test_what_the_agent_is_told_to_check_is_not_open() -> None:
    checklist = f"{chatter(300)}## Open items\n- [ ] Was the fix tested?\n- 测试过了吗？\n"
    log = day(19, f"## Open items\n- Will Sam come?\n## Walks\n{chatter(200)}")

    text = open_of(Source("AGENTS.md", roles.INSTRUCTIONS, checklist), day(20, chatter(5)), log, budget=6000)

    assert "Will Sam come?" in text
    assert "tested" not in text
    assert "测试" not in text


def test_a_numbered_list_and_the_list_of_a_file_stand_in_their_order_and_a_log_from_its_end() -> None:
    log = "## Next steps\n1. Pay\n2. Sign\n3. Move\n## Reminders\n- Oil\n- Paint\n"
    memory = Source(
        "MEMORY.md", roles.MEMORY, f"## Walks\n{chatter(400)}## Open items\n- Roof\n- Cellar\n- Lamp\n- Shed\n"
    )

    text = open_of(memory, day(20, chatter(5)), day(19, f"{log}## Walks\n{chatter(200)}"), budget=3200)

    said = [line.split()[-2] for line in text.splitlines() if line.startswith("- ")]
    assert said[:7] == ["Paint", "Oil", "Pay", "Sign", "Move", "Roof", "Cellar"]


def test_a_word_that_is_part_of_the_sentence_is_shown_and_a_marker_with_a_colon_is_not() -> None:
    log = f"- Waiting for Sam to sign\n- TODO: oil the gate\n\n*[Awaiting the answer]*\n\n## Walks\n{chatter(200)}"

    text = open_of(day(20, chatter(5)), day(19, log), budget=6000)

    assert "Waiting for Sam to sign" in text
    assert "TODO" not in text
    assert "answer" not in text


def test_rules_of_a_list_of_rules_come_before_lines_that_begin_like_one() -> None:
    text = f"## Mornings\n- Don't ask anybody, look\n{chatter(40)}## Red lines\n- Ask before sending\n"
    for budget in range(600, 4000, 50):
        made = boot(Source("AGENTS.md", roles.INSTRUCTIONS, text), day(20, chatter(300)), budget=budget)
        shown = [line for line in ("- Don't ask anybody, look\n", "- Ask before sending\n") if line in made]
        if shown:
            break

    assert shown == ["- Ask before sending\n"]


def test_what_stands_under_open_is_not_told_again_of_a_file_that_is_continued() -> None:
    items = [f"- Ask {name} about the boat\n" for name in ("Sam", "Ada", "Ole", "Pia")]
    memory = "## Facts\n" + chatter(30, "learned") + "## Open items\n" + "".join(items)

    text = boot(Source("MEMORY.md", roles.MEMORY, memory), day(20, chatter(5)), budget=4500)

    assert "## MEMORY.md, continued" in text
    assert [text.count(item.strip("- \n")) for item in items] == [1] * 4


def test_what_is_cut_under_open_is_told_in_full_where_there_is_room() -> None:
    long = f"- Ask Sam about the boat{' and the net' * 40}, and the oars\n"
    memory = "## Facts\n" + chatter(30, "learned") + "## Open items\n" + long

    text = boot(Source("MEMORY.md", roles.MEMORY, memory), day(20, chatter(5)), budget=6000)

    assert "Ask Sam about the boat" in "\n".join(section(text, "Open"))
    assert "and the oars" in text


def test_of_one_day_what_is_urgent_is_listed_first_then_what_is_marked_as_waiting() -> None:
    items = ("🔴 The roof leaks", "Sweep the yard", "⏳ Sam's answer about the boat", "Paint the gate")
    log = "## Open items\n" + "".join(f"- {item}\n" for item in items) + "## Walks\n" + chatter(200)

    listed = open_of(day(20, chatter(5)), day(19, log), day(18, "- 🔴 Mend the pump\n" + chatter(90)), budget=6500)

    order = [listed.index(words) for words in ("The roof leaks", "Sam's answer", "Paint the", "Sweep the", "Mend the")]
    assert order == sorted(order)


def test_no_file_is_continued_for_a_line_or_two() -> None:
    files = [
        Source("SOUL.md", roles.IDENTITY, "# Soul\n" + chatter(40, "am")),
        Source("USER.md", roles.USER, "# User\n" + "".join(f"- **Key {at}:** {at}\n" for at in range(90))),
    ]
    lengths = []
    for budget in range(3100, 3700, 20):
        text = boot(*files, day(20, chatter(20)), budget=budget)
        for part in text.split("\n## ")[1:]:
            title, _, rest = part.partition("\n")
            if title.endswith("continued"):
                lengths.append(len(rest))

    line = counters.yardstick(counters.Bytes())
    assert line * 2 <= min(lengths) <= line * 3
