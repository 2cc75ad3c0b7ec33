"""The start-up context: order, budget, what is left out, who may see it."""

from __future__ import annotations

import pytest

from agentws.core.disk.system import shipped
from agentws.core.notes import request as roles, vocabulary as words
from agentws.core.notes.request import Request, Source
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble
from tests import marks

SOUL = "# Soul\n\n" + "".join(
    f"- **Principle number {n} is kept.** And this is why it matters so much.\n" for n in range(30)
)


def request(
    *sources: Source, budget: int = 4000, counter: str = "bytes", shared: bool = False, now: str = "Fri", **more: object
) -> Request:
    return Request(
        name="Robin",
        now=now,
        sources=sources,
        budget=budget,
        counter=counters.counter(counter, shipped.open_o200k),
        shared=shared,
        private_tags=["private"],
        **more,  # type: ignore[arg-type]
    )


def soul(text: str = SOUL) -> Source:
    return Source("SOUL.md", roles.IDENTITY, text)


def day(date: str, text: str) -> Source:
    return Source(f"memory/{date}.md", roles.DAY, text, title=f"{date} · memory/{date}.md", brief=date)


def note(count: int, word: str = "note") -> str:
    return "".join(f"- {word} {n}: something happened that takes a few words to tell\n" for n in range(count))


def test_words_of_the_workspaces_own_open_what_stands_below_them() -> None:
    days = day("2026-11-19", note(200)), day("2026-11-18", f"## Zum Abarbeiten\n\n- Zaun streichen\n\n{note(200)}")
    own = words.extended({"open": ["zum abarbeiten"]})
    usual, opened = (assemble.fit(request(*days, today="2026-11-20", words=known)).text for known in (words.USUAL, own))

    assert "## Next" not in usual
    assert "## Next, of 2026-11-18, 2 days ago · Zum Abarbeiten\n- Zaun streichen\n" in marks.without(opened)


def test_what_fits_is_shown_whole_and_nothing_is_left_out() -> None:
    made = assemble.fit(request(soul("# Soul\n\nBe kind.\n"), day("2026-11-19", "- chose SQLite\n")))

    assert "Be kind." in made.text
    assert "- chose SQLite\n" in made.text
    assert made.text.endswith("Nothing was left out.\n")
    assert not made.cut
    assert [section.reason for section in made.sections] == ["whole", "whole"]


@pytest.mark.parametrize("counter", counters.NAMES)
@pytest.mark.parametrize("budget", [200, 201, 333, 500, 999, 1000, 1001, 2000, 8000])
def test_the_text_never_exceeds_the_budget_and_its_cost_is_exact(counter: str, budget: int) -> None:
    days = [day(f"2026-11-{n:02d}", note(40)) for n in range(19, 9, -1)]

    made = assemble.fit(request(soul(), *days, budget=budget, counter=counter))

    assert made.tokens == counters.tokens(counters.counter(counter, shipped.open_o200k), made.text) <= budget


def test_what_seldom_changes_comes_before_what_always_changes() -> None:
    made = assemble.fit(
        request(
            soul("Be kind.\n"),
            Source("MEMORY.md", roles.MEMORY, "- Sam likes tea\n"),
            Source("handoffs/x.md", roles.HANDOFF, "- finish the import\n", title="Handoff"),
            day("2026-11-19", "- imported half\n"),
        )
    )

    places = [
        made.text.index(words) for words in ("Be kind", "likes tea", "## Now", "finish the import", "imported half")
    ]
    assert places == sorted(places)


def test_a_log_line_more_leaves_the_stable_prefix_byte_identical() -> None:
    stable = (soul(), Source("MEMORY.md", roles.MEMORY, note(60, "memory")))
    quiet = assemble.fit(request(*stable, day("2026-11-19", note(60)), now="Thu 21:00"))
    busy = assemble.fit(
        request(
            *stable,
            Source("handoffs/x.md", roles.HANDOFF, note(9), title="Handoff"),
            day("2026-11-20", note(50)),
            day("2026-11-19", note(61)),
            now="Fri 2026-11-20 07:15 and more words than before",
            notices=["something is odd"],
        )
    )

    prefix = quiet.text.partition("## Now")[0]
    assert busy.text.startswith(prefix)
    assert quiet.stable_prefix_tokens == busy.stable_prefix_tokens == len(prefix.encode())


def test_room_that_the_days_leave_goes_back_to_the_identity_files() -> None:
    made = assemble.fit(request(soul(), day("2026-11-19", "- one line\n"), budget=2000, counter="chars4"))

    assert "one line" in made.text
    assert made.sections[0].reason == "whole"


def test_identity_is_excerpted_rather_than_dropped_when_it_alone_exceeds_the_budget() -> None:
    text = "# Soul\n\n" + ("I am made of many words. " * 200) + "\n\n## Boundaries\n\n- Private things stay private.\n"

    made = assemble.fit(request(soul(text), budget=400))

    assert "Private things stay private." in made.text
    assert made.sections[0].source == "SOUL.md"


def test_what_is_from_outside_in_a_file_is_below_a_heading_that_says_so_however_long_its_path() -> None:
    path = f"notes/{'a' * 170}.md"
    pinned = Source(path, roles.PINNED, "- our own\n- theirs (via net:mail)\n")

    headings = [line for line in assemble.fit(request(pinned, budget=2_000)).text.split("\n") if line.startswith("## ")]

    assert any(line.startswith(f"## {path}, from outside [") for line in headings)


def test_an_identity_of_one_endless_word_still_boots() -> None:
    made = assemble.fit(request(soul("x" * 5000), day("2026-11-19", "- one line\n"), budget=300))

    assert made.tokens <= 300
    assert "one line" in made.text


def test_the_open_handoff_has_the_first_claim_on_the_changing_part() -> None:
    handoff = Source("handoffs/x.md", roles.HANDOFF, "- finish the import of the address book\n", title="Handoff")
    days = [day(f"2026-11-{n}", note(80)) for n in (19, 18)]

    made = assemble.fit(request(soul(), handoff, *days, budget=600))

    assert "finish the import" in made.text


def test_two_newest_days_share_and_older_ones_follow_while_there_is_room() -> None:
    days = [day(f"2026-11-{n}", note(3, f"day{n}")) for n in (19, 17, 16)]

    made = assemble.fit(request(soul("Be kind.\n"), *days, budget=2000))

    assert [made.text.index(f"day{n} 0") for n in (19, 17, 16)] == sorted(
        made.text.index(f"day{n} 0") for n in (19, 17, 16)
    )


def test_every_file_is_either_whole_or_accounted_for() -> None:
    days = [day(f"2026-11-{n:02d}", note(30)) for n in range(19, 5, -1)]

    made = assemble.fit(request(soul(), *days, budget=1500))

    whole = {section.source for section in made.sections if section.reason == "whole"}
    left_out = {omission.source for omission in made.omitted}
    assert whole | left_out == {"SOUL.md", *(source.path for source in days)}
    assert not whole & left_out
    assert "[… 12 days, 21,840 tokens: cat memory/2026-11-17.md …]\n" in made.text


def test_in_a_small_budget_neither_of_two_identity_files_takes_the_others_first_line() -> None:
    def lines(what: str, count: int) -> str:
        return "".join(f"- **{what} {at}:** says a few words about it, as is usual here\n" for at in range(count))

    files = (
        Source("IDENTITY.md", roles.IDENTITY, lines("Trait", 12)),
        Source("USER.md", roles.USER, lines("Habit", 14)),
    )
    log = f"- {' '.join(f'pear{at}' for at in range(300))}\n- 08:00 fed the cat\n"

    shown = assemble.fit(request(*files, day("2026-11-19", log), budget=900, counter="o200k_base")).text

    assert "**Trait 0:**" in shown
    assert "**Habit 0:**" in shown


def test_a_shared_audience_sees_no_user_no_memory_and_nothing_private() -> None:
    log = "- public thing\n- hidden thing #private\n\n## Family #private\n\n- hidden too\n\n## Work\n\n- also public\n"
    sources = (
        soul("Be kind.\n"),
        Source("USER.md", roles.USER, "- Sam lives at the lake\n"),
        Source("MEMORY.md", roles.MEMORY, "- Sam likes tea\n"),
        Source("tasks/a.md", roles.TASK, "- buy the ring\n", title="Task: the ring", labels=["private"]),
        day("2026-11-19", log),
    )

    made = assemble.fit(request(*sources, shared=True))

    for hidden in ("lake", "tea", "ring", "hidden thing", "hidden too"):
        assert hidden not in made.text
    assert "- public thing" in made.text
    assert "#### Work\n- also public\n" in made.text
    assert {o.source: o.why for o in made.omitted}["MEMORY.md"] == "not for a shared audience"


def test_the_same_request_gives_the_same_bytes() -> None:
    sources = (soul(), *(day(f"2026-11-{n}", note(20)) for n in (19, 18, 17)))

    assert assemble.fit(request(*sources, budget=1234)).text == assemble.fit(request(*sources, budget=1234)).text


def test_a_counter_whose_parts_do_not_add_up_is_still_kept_within_the_budget() -> None:
    class Odd:
        name, exact, trust, units_per_token = "odd", False, "an estimate", 1

        def units(self, text: str) -> int:
            return len(text) + (len(text) // 100) * 3

    asked = request(soul(), day("2026-11-19", note(50)), budget=900)
    asked.counter = Odd()

    assert Odd().units(assemble.fit(asked).text) <= 900


def test_table_rows_keep_their_header() -> None:
    table = "## Services\n\n| name | url |\n|---|---|\n" + "".join(
        f"| service{n} | https://x/{n} |\n" for n in range(200)
    )

    made = assemble.fit(request(Source("MEMORY.md", roles.MEMORY, table), budget=900))

    assert "| name | url |\n|---|---|\n| service0 " in made.text


def test_notices_are_part_of_the_text() -> None:
    made = assemble.fit(request(soul("Be kind.\n"), notices=["memory/x.md: not UTF-8"]))

    assert "- ⚠ memory/x.md: not UTF-8" in made.text


def test_a_next_list_that_its_log_shows_is_not_repeated_and_nothing_is_left_out() -> None:
    log = "## Next steps\n\n- paint the fence\n- oil the gate\n"

    made = assemble.fit(request(day("2026-11-19", log), counter="chars4", today="2026-11-20"))

    assert made.text.count("paint the fence") == 1
    assert not made.omitted
    assert made.text.endswith("Nothing was left out.\n")
