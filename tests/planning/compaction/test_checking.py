"""What holds of a summarizer's answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.compaction import asking, checking
from agentws.planning.compaction.asking import Call
from agentws.planning.compaction.units import Day

SPOKEN = """# 2026-03-02

- 09:00 **Maria:** I moved to Lisbon for the new job at Harbor Goods.
- 09:02 **Maria:** I pay 1,200 euros rent, and my sister Anna visits on May 3.
- 09:03 **Maria:** I cycle to work now and I don't drive any more.
- 09:04 **Maria:** I stopped eating fish, it made me ill three times.
- 09:05 **Joao:** The bakery on the corner opens at 07:30.
"""


def call(text: str = SPOKEN) -> Call:
    return Call(asking.lines([Day("memory/2026-03-02.md", "2026-03-02", text)]), tokens=200)


def bullets(answer: str) -> list[str]:
    return [bullet.text for bullet in checking.check(answer, call()).bullets]


def why(answer: str) -> str:
    checked = checking.check(answer, call())
    assert not checked.bullets
    return checked.refused[0][1]


@pytest.mark.parametrize(
    "bullet",
    [
        "- Maria moved to Lisbon for a job at Harbor Goods [1]",
        "* Maria lives in Lisbon since 2026-03 [1]",
        "1. Maria's rent is 1200 euros [2].",
        "- Anna, Maria's sister, visits on 2026-05-03 [line 2]",
        "- Maria no longer drives [3]",
        "- Maria cycles to work [3]",
        "- Maria cycles to work and does not drive [3]",
        "- Maria does not eat fish [4]",
        "- Maria stopped eating fish; it made her ill 3 times [4]",
        "- Maria moved to Lisbon and pays 1,200 euros rent [1-2]",
        "- Maria moved to Lisbon\n  for a job at Harbor Goods. [1][5]",
        "- The bakery on the corner opens at 07:30 (lines 5)",
        "- Maria moved to Lisbon (2026) [L1; L2]",
    ],
)
def test_what_its_lines_say_holds(bullet: str) -> None:
    assert len(bullets(bullet)) == 1


@pytest.mark.parametrize(
    ("bullet", "reason"),
    [
        ("- Maria moved to Lisbon", "it cites no line"),
        ("- Maria moved to Lisbon [6]", "it cites line 6, which there is not"),
        ("- Maria moved to Lisbon [0]", "it cites line 0, which there is not"),
        ("- The weather was fine [2]", "it shares no word with what it cites"),
        ("- Maria pays 1,300 euros rent [2]", "its lines do not say 1300"),
        ("- Maria was ill four times [4]", "its lines do not say 4"),
        ("- Anna visits Maria on May 4 [2]", "its lines do not say 05-04"),
        ("- Maria moved to Lisbon on 2025-03-02 [1]", "its lines do not say 2025-03-02"),
        ("- Maria moved to Lisbon in 2019 [1]", "its lines do not say 2019"),
        ("- Maria moved to Porto [1]", "its lines do not name porto"),
        ("- Pedro moved to Lisbon [1]", "its lines do not name pedro"),
        ("- Maria has a job at example.com in Lisbon [1]", "its lines do not name example"),
        (
            "- Maria moved to Lisbon because she hated winter, darkness and endless rain [1]",
            "too few of its words",
        ),
        ("- Maria is a pilot [1]", "too few of its words"),
        ("- Maria drives [3]", "it says what its lines deny"),
        ("- Maria never moved to Lisbon [1]", "it denies what its lines say"),
        (f"- Maria moved to Lisbon {'and moved to Lisbon ' * 30}[1]", "it is longer than"),
        ("- Maria moved to Lisbon \u202e [1]", "it holds what nobody would see"),
        ("- Maria moved to Lisbon <!-- pinned --> [1]", "it holds what nobody would see"),
        ("- Maria moved to Lisbon ‹redacted:token› [1]", "it looks like it carries a secret"),
    ],
)
def test_what_its_lines_do_not_say_is_left_out(bullet: str, reason: str) -> None:
    assert why(bullet).startswith(reason)


def test_a_bullet_that_cites_everything_has_cited_nothing() -> None:
    many = "\n".join(f"- 09:00 **Maria:** I moved to Lisbon number {number}." for number in range(20))

    checked = checking.check("- Maria moved to Lisbon [1-20]", call(many))

    assert [reason for _, reason in checked.refused] == ["it cites more than 8 lines"]


def test_a_secret_in_a_bullet_is_refused() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    assert why(f"- Maria moved to Lisbon {token} [1]") == "it looks like it carries a secret"


def test_a_bullet_cannot_pin_itself() -> None:
    assert bullets("- Maria moved to Lisbon !10 [1]") == ["Maria moved to Lisbon"]


def test_a_line_that_shares_nothing_is_no_source() -> None:
    found = checking.check("- Maria moved to Lisbon [1, 5]", call())

    assert [line.place for line in found.bullets[0].lines] == [("memory/2026-03-02.md", 3)]


def test_the_same_bullet_twice_is_one() -> None:
    assert bullets("- Maria moved to Lisbon [1]\n- Maria moved to Lisbon [1]") == ["Maria moved to Lisbon"]


def test_prose_around_the_bullets_is_nobody_s_memory() -> None:
    answer = "Here is the summary:\n\n### Facts\n- Maria moved to Lisbon [1]\n\nLet me know if you need more."

    assert bullets(answer) == ["Maria moved to Lisbon"]


@pytest.mark.parametrize(
    "line",
    [
        "[rest unchanged]",
        "- [Rest of the memory unchanged]",
        "- rest unchanged [1-3]",
        "(The remaining entries are the same as before)",
        "[...]",
        "- …",
        "same as before",
        "No changes.",
        "Nothing new to report",
        "**unchanged**",
        "... (truncated)",
    ],
)
def test_nothing_of_a_lazy_answer_is_used(line: str) -> None:
    found = checking.check(f"- Maria moved to Lisbon [1]\n{line}\n", call())

    assert not found.bullets
    assert found.none.startswith("it leaves the work undone")


def test_a_bullet_about_changes_is_not_lazy() -> None:
    plain = "- 09:00 [decision] The rest of the team stays on the old plan, no changes to the API."

    found = checking.check("- The team stays on the old plan: no changes to the API [1]", call(plain))

    assert len(found.bullets) == 1


def test_nothing_of_an_echo_is_used() -> None:
    found = checking.check(call().request, call())

    assert found == checking.Checked(none="it repeats what it was asked")


@pytest.mark.parametrize("answer", ["I am sorry, I cannot help with that.", "1 | 2026-03-02 Maria: I moved to Lisbon"])
def test_an_answer_without_bullets_says_so(answer: str) -> None:
    assert checking.check(answer, call()).none == "there are no bullets in it"


def test_an_answer_from_which_nothing_holds_says_so() -> None:
    assert checking.check("- Pedro is king [1]", call()).none == "nothing in it could be found in the lines"


@given(
    answer=st.text()
    | st.lists(st.sampled_from(["- ", "[1", "-9]", "\n", "Maria", " 2026-03", "[", "…", "!10"])).map("".join)
)
def test_any_answer_is_checked_and_what_holds_cites_what_was_asked(answer: str) -> None:
    asked = call()

    found = checking.check(answer, asked)

    assert bool(found.bullets) != bool(found.none)
    assert all({*bullet.lines} <= {*asked.lines} and bullet.lines for bullet in found.bullets)


def test_a_long_answer_is_checked_in_time_that_grows_with_it() -> None:
    answer = "- " + "a" * 200_000 + "\n" + "- x [1]\n" * 20_000 + "[" * 50_000 + "\n" + "rest " * 20_000

    assert not checking.check(answer, call()).bullets
