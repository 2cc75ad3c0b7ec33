"""The layers of an agent's memory are told: of each section which it is, and what each costs where there is room."""

from __future__ import annotations

import re

import pytest

from agentws.planning.boot import assemble
from agentws.planning.boot import request as roles
from agentws.planning.boot.request import Source
from agentws.planning.tokens import counters
from tests import marks
from tests.planning.boot.test_assemble import day, note, request, soul

TASK = Source("tasks/roof.md", roles.TASK, "- [ ] nails\n", title="Task: Roof · tasks/roof.md")
MEMORY = Source("MEMORY.md", roles.MEMORY, "- Sam wants short answers\n")
HANDOFF = Source("handoffs/a.md", roles.HANDOFF, "- Import the rest.\n", title="Handoff · handoffs/a.md")


def told(text: str) -> dict[str, int]:
    """What the line with the date says of each layer."""
    line = marks.without(text).partition("## Now\n")[2].partition("\n")[0]
    found = re.findall(r"(working|session|long-term) ([\d,]+)", line)
    return {layer: int(cost.replace(",", "")) for layer, cost in found}


def test_each_section_says_which_layer_it_belongs_to() -> None:
    made = assemble.fit(request(soul("Be kind.\n"), MEMORY, HANDOFF, TASK, day("2026-11-19", "- chose SQLite\n")))

    assert {section.source: section.layer for section in made.sections} == {
        "SOUL.md": "identity",
        "MEMORY.md": "long-term",
        "handoffs/a.md": "session",
        "tasks/roof.md": "working",
        "memory/2026-11-19.md": "session",
    }


@pytest.mark.parametrize(
    "role", [value for name, value in vars(roles).items() if name.isupper() and isinstance(value, str)]
)
def test_every_role_has_a_layer(role: str) -> None:
    made = assemble.fit(request(Source("a.md", role, "- a\n", title="A")))

    assert all(section.layer for section in made.sections)
    assert made.sections


@pytest.mark.parametrize("counter", counters.NAMES)
def test_what_each_layer_costs_is_told_where_there_is_room(counter: str) -> None:
    made = assemble.fit(request(soul("Be kind.\n"), MEMORY, HANDOFF, TASK, budget=4000, counter=counter))

    costs = dict.fromkeys(("working", "session", "long-term"), 0)
    for section in made.sections:
        if section.layer in costs:
            costs[section.layer] += section.tokens
    assert told(made.text) == costs
    assert all(costs.values())


@pytest.mark.parametrize("budget", range(700, 1500, 37))
def test_nothing_is_given_up_for_it_and_the_count_stays_exact(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [day(f"2026-11-{n:02d}", note(12)) for n in range(19, 12, -1)]
    asked = [soul(), MEMORY, HANDOFF, TASK, *days]

    made = assemble.fit(request(*asked, budget=budget, counter="chars4"))
    monkeypatch.setattr(assemble, "_by_layer", lambda sections: {})
    plain = assemble.fit(request(*asked, budget=budget, counter="chars4"))

    assert [section.tokens for section in made.sections] == [section.tokens for section in plain.sections]
    assert made.tokens == -(-len(made.text) // 4) <= budget
    assert f" {made.tokens:,} of {budget:,} tokens" in made.text
    assert made.text.partition("## Now")[0] == plain.text.partition("## Now")[0]
