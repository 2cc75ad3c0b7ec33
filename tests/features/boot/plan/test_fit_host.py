"""A start-up context for a reader that caps the texts it is given."""

from __future__ import annotations

import random

import pytest

from agentws.core.disk.system import shipped
from agentws.core.notes import request as roles
from agentws.core.notes.request import Request, Source
from agentws.core.text import sizes
from agentws.core.tokens import counters
from agentws.features.boot.plan import assemble, fit_host
from tests import marks

SOME_WORDS = "the agent moved build cache fixed naïve 日本語 test 🦊 release `code` why **bold lead** SQLite"
WORDS = SOME_WORDS.split()
SYLLABLES = [first + vowel for first in "bdfgklmnprstvwz" for vowel in "aeiou"]
"""Of these so many words are made that none of the lines says what another said."""
COUNTERS = {name: counters.counter(name, shipped.open_o200k) for name in counters.NAMES}


def request(*, budget: int, counter: str = "o200k_base", seed: int = 1, days: int = 8, name: str = "Robin") -> Request:
    dice = random.Random(seed)

    def word() -> str:
        return "".join(dice.choices(SYLLABLES, k=dice.randint(1, 3))) if dice.random() < 0.8 else dice.choice(WORDS)

    def text(lines: int) -> str:
        return "".join(f"- {' '.join(word() for _ in range(dice.randint(3, 40)))}\n" for _ in range(lines))

    stable = [Source("SOUL.md", roles.IDENTITY, text(30)), Source("MEMORY.md", roles.MEMORY, text(200))]
    logs = [
        Source(f"memory/2026-11-{20 - n}.md", roles.DAY, text(60), title=f"2026-11-{20 - n}", brief=f"2026-11-{20 - n}")
        for n in range(days)
    ]
    return Request(name=name, now="Fri", sources=[*stable, *logs], budget=budget, counter=COUNTERS[counter])


CHARACTERS = fit_host.Cap(10_000, sizes.utf16_units)
QUARTERS = fit_host.Cap(10_000, lambda text: max(sizes.utf8_bytes(text), 4 * COUNTERS["o200k_base"].units(text)))


@pytest.mark.parametrize("counter", counters.NAMES)
@pytest.mark.parametrize("budget", [200, 1000, 3000, 8000])
@pytest.mark.parametrize("cap", [CHARACTERS, QUARTERS], ids=["characters", "quarters"])
def test_one_text_keeps_budget_and_cap_and_its_count_is_honest(counter: str, budget: int, cap: fit_host.Cap) -> None:
    made = fit_host.in_one(request(budget=budget, counter=counter), cap)

    assert made.tokens == counters.tokens(COUNTERS[counter], made.text) <= budget
    assert cap.size(made.text) <= cap.most
    for section in made.sections:
        assert section.tokens <= made.tokens


def test_one_text_uses_what_it_is_given() -> None:
    by_cap = fit_host.in_one(request(budget=50_000), CHARACTERS)
    by_budget = fit_host.in_one(request(budget=1000), CHARACTERS)

    assert sizes.utf16_units(by_cap.text) > 9_500
    assert by_budget.tokens > 930


def test_without_a_cap_nothing_changes() -> None:
    plain = assemble.fit(request(budget=3000))

    assert fit_host.in_one(request(budget=3000), None).text == plain.text
    made, texts = fit_host.in_parts(request(budget=3000), None)
    assert texts == [made.text] == [plain.text]


@pytest.mark.parametrize("counter", counters.NAMES)
@pytest.mark.parametrize("budget", [200, 1000, 8000, 40_000])
@pytest.mark.parametrize("cap", [CHARACTERS, QUARTERS], ids=["characters", "quarters"])
def test_the_parts_are_the_text_and_keep_the_budget_with_their_headings(
    counter: str, budget: int, cap: fit_host.Cap
) -> None:
    made, texts = fit_host.in_parts(request(budget=budget, counter=counter), cap)

    assert sum(map(COUNTERS[counter].units, texts)) <= budget * COUNTERS[counter].units_per_token
    assert all(cap.size(text) <= cap.most for text in texts)
    bodies = [text.partition("\n\n")[2] for text in texts] if len(texts) > 1 else texts
    assert "".join(bodies) == made.text
    for number, text in enumerate(texts if len(texts) > 1 else (), start=1):
        assert marks.without(text).startswith(f"# Robin · start-up context, part {number} of {len(texts)}\n")


def test_a_section_that_goes_on_in_another_part_says_so_in_its_heading() -> None:
    lines = "".join(f"- bed {number} was looked after and written down\n" for number in range(900))
    log = Source("memory/2026-11-20.md", roles.DAY, lines, title="Fri 2026-11-20, today")
    pinned = Source("pond.md", roles.PINNED, lines, title=f"pond.md · {'水やり ' * 30}")
    for source, title in ((log, "Fri 2026-11-20, today (continued)"), (pinned, "pond.md · 水やり 水やり")):
        asked = Request(name="Robin", now="Fri", sources=[source], budget=12_000, counter=COUNTERS["o200k_base"])

        made, texts = fit_host.in_parts(asked, CHARACTERS)

        part, continued = texts[1].split("\n\n")[0].split("\n")
        (heading,) = (line for line in made.text.split("\n") if line.startswith(f"## {title[:7]}"))
        assert part.startswith("# Robin · start-up context, part 2 of ")
        assert continued.startswith(f"## {title}")
        assert continued.endswith(f" (continued) {heading.split()[-1]}")
        assert "(continued)" not in texts[0]


@pytest.mark.parametrize("counter", ["bytes", "o200k_base"])
def test_a_great_many_headings_are_within_the_budget_too(counter: str) -> None:
    asked = request(budget=20_000, counter=counter, days=30)

    _, texts = fit_host.in_parts(asked, fit_host.Cap(200, sizes.utf16_units))

    assert len(texts) > 50
    assert sum(map(COUNTERS[counter].units, texts)) <= 20_000


def test_where_a_part_counts_more_than_it_adds_to_the_whole_the_budget_is_kept() -> None:
    def either(text: str) -> int:
        return max(text.count("a"), text.count("b"))

    lines = "".join(f"- {'ab'[number % 2] * 60} {number}\n" for number in range(100))
    log = Source("memory/2026-11-20.md", roles.DAY, lines, title="2026-11-20", brief="2026-11-20")
    asked = Request(name="Robin", now="Fri", sources=[log], budget=10_600, counter=COUNTERS["bytes"])

    _, texts = fit_host.in_parts(asked, fit_host.Cap(100, either))

    assert len(texts) > 50
    assert sum(map(COUNTERS["bytes"].units, texts)) <= 10_600


def test_parts_are_filled_well() -> None:
    _, texts = fit_host.in_parts(request(budget=8000), CHARACTERS)

    assert all(len(text) > 7_200 for text in texts[:-1])
    free = assemble.fit(request(budget=8000)).tokens
    assert sum(map(COUNTERS["o200k_base"].units, texts)) > free * 98 // 100


def test_all_parts_together_keep_what_the_reader_takes_in_all() -> None:
    cap = fit_host.Cap(10_000, sizes.utf16_units, in_all=25_000)

    _, texts = fit_host.in_parts(request(budget=40_000), cap)
    one = fit_host.in_one(request(budget=40_000), fit_host.Cap(10_000, sizes.utf16_units, in_all=4_000))

    assert 22_000 < sum(map(sizes.utf16_units, texts)) <= 25_000
    assert sizes.utf16_units(one.text) <= 4_000


def test_the_stable_prefix_does_not_depend_on_what_happened_today() -> None:
    for fit in (fit_host.in_one, lambda asked, cap: fit_host.in_parts(asked, cap)[0]):
        quiet = fit(request(budget=8000, days=7), CHARACTERS)
        busy = fit(request(budget=8000, days=8), CHARACTERS)

        stable = quiet.text[: quiet.stable_prefix_chars]
        assert busy.text[: busy.stable_prefix_chars] == stable
        assert stable.endswith("\n\n")
        assert marks.without(busy.text[busy.stable_prefix_chars :]).startswith("## Now\n")


def test_a_name_of_any_kind_makes_a_heading_of_one_line() -> None:
    _, texts = fit_host.in_parts(request(budget=8000, name="Ro\nbin\x1b " * 30), CHARACTERS)

    assert len(texts) > 1
    assert "\x1b" not in "".join(texts)
    assert marks.without(texts[1]).split("\n")[0].endswith(f"part 2 of {len(texts)}")
