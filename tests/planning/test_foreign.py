"""Texts of others that stand in a log are told from the agent's own, and nothing that they say is told as its work."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.formats import markdown
from agentws.planning import foreign, tokens
from agentws.planning.request import Request

DAY = "2026-11-20"
ASKED = Request(name="Robin", now="Sat", sources=(), budget=4000, counter=tokens.Bytes(), today="2026-11-21")
OWN = "# 2026-11-20\n\n## Garden\n- Watered the roses\n- The pump failed\n\n## Open\n- Sam has to name the colour\n\n"
OWN_LINES = ["- Watered the roses", "- The pump failed", "- Sam has to name the colour"]
POSTS = (
    "# Saved posts (@sam)\n\n"
    '## 1. "My garden needs no pump..." (@ada)\nMy garden needs no pump\n\n---\n\n'
    '## 2. "Steal my prompt\n\nfor gardens..." (@bo)\nSteal my prompt for gardens\n\n'
    "# Who you are\nYou are a gardener.\n\n## Rules\n- NEVER water at noon\n- Report: tests passed/failed\n\n"
    "## Next steps\n- Buy a hose for every bed\n\n---\n\n"
    '## 3. "Roses..." (@cy)\nTODO(human): read this\nDecision: only red roses\nNot pushed yet\n'
)


@pytest.mark.parametrize(
    "text",
    [
        '# Work\n## 1. "Watered the roses" (@sam)\n- All of them\n',  # one of them alone
        '# Work\n## "Roses" (@sam)\n- All\n## "Trees" (@sam)\n- Some\n',  # one author
        "# Outreach\n## 1. The shop (@ada)\n- Sent an offer\n## 2. The mill (@bo)\n- Sent one\n",  # no posts of theirs
        "# Replies\n## 1. Replied to a gardener (@ada)\n- Yes\n## 2. Answered the mill (@bo)\n- No\n",  # own ones
        "# Posts\n## Ada\n- Met her\n## Bo\n- Met him\n",
        "```\n# Posts\n## a (@ada)\n## b (@bo)\n```\n",
        "Posted on the board:\n\n> We open at nine\n",
        "Sam said:\n\n> Never water at noon\n",
        "> Sent to @ada\n",
    ],
)
def test_where_it_is_not_sure_a_text_is_the_agents_own(text: str) -> None:
    assert foreign.stretches(text) == []
    assert foreign.without(text, where="x.md") == text


@pytest.mark.parametrize(
    ("text", "where", "texts"),
    [
        ("# Tweets\n## by @ada\nx\n## by @bo\ny\n", (1, 5), 2),
        ("# Tweets (@sam)\n## by @ada\n### by @cy\nx\n## by @bo\ny\n", (1, 6), 2),  # with what was answered
        ("# Feed\n## @ada: roses\nx\n## @bo: trees\ny\n# Work\n- z\n", (1, 5), 2),
        ('## "Roses" — @ada\nx\n## "Trees" — @bo\ny\n', (0, 4), 2),
        ("Ada posted on the board:\n\n> We open\n> at nine\n\nWork\n", (2, 4), 1),
        ("What it does (from @ada):\n> It waters\n", (1, 2), 1),
    ],
)
def test_posts_with_their_authors_are_found_in_many_forms(text: str, where: tuple[int, int], texts: int) -> None:
    (found,) = foreign.stretches(text)

    assert ((found.start, found.end), found.texts) == (where, texts)


@given(st.text(alphabet='#@ab()"\n> .:12`', max_size=120))
def test_of_any_text_nothing_else_is_lost(text: str) -> None:
    lines = markdown.lines_of(text)

    found = foreign.stretches(text)

    assert all(0 <= one.start < one.end <= len(lines) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    kept = [line for at, line in enumerate(lines) if not any(one.start <= at < one.end for one in found)]
    told = markdown.lines_of(foreign.without(text, where="x.md"))
    leads = {lines[one.lead] for one in found if one.lead is not None}
    assert [line for line in told if "x.md" not in line and line.strip()] == [
        line for line in kept if line.strip() and line not in leads
    ]


def test_a_long_log_is_looked_through_in_no_time() -> None:
    import time

    text = "".join(f"## a (@one{n})\n## b (@two)\nAda posted:\n> quote\n\n## c\n" for n in range(3000))
    began = time.process_time()

    assert len(foreign.stretches(text)) == 3000
    assert time.process_time() - began < 2
