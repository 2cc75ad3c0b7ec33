"""What stands at the end of a boot: by host, command and budget, and counted into it."""

from __future__ import annotations

import pytest

from agentws.core.disk.system import shipped
from agentws.core.notes import request
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble

COUNTER = counters.counter("o200k_base", shipped.open_o200k)
SOUL = request.Source(
    "SOUL.md", request.IDENTITY, "# Soul\n\nI am Robin, and I look after the garden.\n", title="SOUL.md"
)


def boot(*, budget: int = 8000, recorded: str | None = "Prompts and tool calls", more: int = 0, **asked: str) -> str:
    lines = "".join(f"- bed {n}: dug over, two forks deep\n" for n in range(more))
    day = request.Source("memory/2026-11-20.md", request.DAY, f"# 2026-11-20\n\n{lines}", title="2026-11-20")
    made = assemble.fit(
        request.Request(
            name="Robin", now="Fri 2026-11-20 07:15 CET", sources=[SOUL, day], budget=budget, counter=COUNTER,
            recorded=recorded, today="2026-11-20", **asked,  # type: ignore[arg-type]
        )
    )  # fmt: skip
    assert COUNTER.units(made.text) == made.tokens <= budget
    return made.text


def test_an_agent_in_a_host_is_told_what_it_writes_itself() -> None:
    _, found, end = boot().partition("\n## Record as you go ")

    assert found
    assert COUNTER.units(f"## Record as you go {end}") <= 100
    verbs = ("`agentws log ", "`todo ", "`done ", "`remember ", "`task add ", "`handoff --doing ", "`curate`")
    assert all(verb in end for verb in verbs)
    assert end.endswith("Prompts and tool calls are recorded automatically. No secrets.\n")


def test_its_heading_ends_in_the_mark_of_what_changes() -> None:
    text = boot()

    (now,) = (line for line in text.splitlines() if line.startswith("## Now"))
    (end,) = (line for line in text.splitlines() if line.startswith("## Record"))
    assert end.split()[-1] == now.split()[-1]


def test_another_command_stands_there_whole_and_for_all_others() -> None:
    end = boot(command="'/opt/a b/agentws' -C /home/leo/robin").partition("\n## Record")[2]

    assert "`'/opt/a b/agentws' -C /home/leo/robin log " in end
    assert "Begin every command like the first one." in end
    assert "in place of" not in boot()


@pytest.mark.parametrize(("budget", "lines"), [(2000, 2), (1000, 1), (500, 1), (220, 0)])
def test_the_smaller_the_budget_the_less_is_said(budget: int, lines: int) -> None:
    text = boot(budget=budget, more=400)

    assert text.count("\n## Record") == (lines == 2)
    assert text.count("Record as you go: `agentws log ") == (lines == 1)


def test_without_a_host_it_is_a_line_where_that_costs_nearly_nothing() -> None:
    assert boot(recorded=None).endswith(
        '\n\nRecord as you go: `agentws log "…"`, `todo`, `done`, `remember`, `task`, `handoff`. No secrets.\n'
    )
    assert "Record as you go" not in boot(recorded=None, budget=2000, more=400)


def test_messages_tell_it_as_a_rule_and_not_in_the_record() -> None:
    made = assemble.fit(
        request.Request(name="Robin", now="now", sources=[SOUL], budget=8000, counter=COUNTER, recorded="Messages")
    )

    start, end = made.own[-1]
    assert made.text[start:end].lstrip().startswith("## Record as you go")
    assert end == len(made.text)
