"""What the title of a file's section says, and what of a file is not shown to anybody."""

from __future__ import annotations

import pytest

from agentws.core.notes import request as roles, sources
from agentws.core.notes.request import Request, Source
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble
from tests import marks
from tests.features.boot.plan import start_up

LOG = "2026-11-19"


def boot(*given: Source, budget: int = 4000) -> str:
    asked = Request(name="Robin", now="Fri", sources=given, budget=budget, counter=counters.Bytes(), today="2026-11-20")
    return assemble.fit(asked).text


def log(title: str, **more: str) -> Source:
    return Source(f"memory/{LOG}.md", roles.DAY, f"# {title}\n\n- rain\n", title=f"Thu {LOG}", brief=LOG, **more)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (LOG, f"## Thu {LOG}\n"),
        (f"{LOG} Frost in the glasshouse", f"## Thu {LOG} · Frost in the glasshouse\n"),
        (f"{LOG} — Жаба в саду", f"## Thu {LOG} · Жаба в саду\n"),
    ],
)
def test_the_title_of_a_log_says_what_its_date_does_not(title: str, shown: str) -> None:
    assert shown in marks.without(boot(log(title)))


def test_a_log_of_another_author_says_so() -> None:
    assert "written by Heron, not by you" in boot(log("Notes", author="Heron"))
    assert "not by you" not in boot(log("Notes", author="robin"))


def test_a_heading_far_above_lends_its_date_to_the_one_that_is_shown() -> None:
    text = "## Update of 2026-04-08\n\n### Work done\n\n" + "".join(
        f"- built part {n} of the shed\n" for n in range(90)
    )

    assert "#### Update of 2026-04-08\n##### Work done\n" in boot(Source("MEMORY.md", roles.MEMORY, text), budget=900)


def test_what_looks_like_a_secret_is_hidden_and_named() -> None:
    secret = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    memory = Source("MEMORY.md", roles.MEMORY, f"- token {secret}\n- tea\n")

    assert secret not in boot(memory)
    assert "‹redacted:github-token›" in boot(memory)
    assert sources.hidden([memory, log("x")]) == ["1 secret is hidden: move it out of MEMORY.md."]


def test_a_secret_is_named_where_its_place_is_shown_alone() -> None:
    secret = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    old = start_up.day("2026-10-01", f"- token {secret}\n{start_up.sentences(200)}\n")
    new = start_up.day("2026-11-19", start_up.sentences(400, "plum"))

    hidden = start_up.boot(new, old, budget=1000).text
    shown = start_up.boot(start_up.file("SOUL.md", f"My token is {secret}.\n"), new, old, budget=1000).text

    assert "hidden" not in hidden
    assert "- ⚠ 1 secret is hidden: move it out of SOUL.md.\n" in shown


def test_a_sentence_of_the_handoff_is_no_activity_also_on_a_later_day() -> None:
    note = Source("handoffs/a.md", roles.HANDOFF, "## Decided\n\n- Sam wants the hedge cut (18:00)\n", title="Handoff")
    recent = "- 11-19 18:00 [decision] Sam wants the hedge cut !8\n- 07:00 fed the herons\n"

    text = boot(note, Source("journal/", roles.ACTIVITY, recent, title="Recent activity"))

    assert [line for line in start_up.section(text, "Recent activity") if line.startswith("- ")] == [
        "- 07:00 fed the herons"
    ]
