import calendar

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats import layout


@pytest.mark.parametrize("year", [1, 4, 100, 400, 1900, 2000, 2024, 2026, 2100, 9999])
def test_the_days_are_exactly_those_of_the_calendar(year: int) -> None:
    for month in range(14):
        for day in range(34):
            text = f"{year:04d}-{month:02d}-{day:02d}"
            real = 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]

            assert layout.is_day(text) == real, text
            assert layout.day_of(f"{text}.md") == (text if real else None)


def test_there_is_no_year_zero() -> None:
    assert not layout.is_day("0000-01-01")


@pytest.mark.parametrize("name", ["2026-11-20.md", "2026-11-20-standup.md", "2026-11-20.2.md", "2026-11-20-.md"])
def test_a_date_with_a_slug_or_number_is_a_daily_log(name: str) -> None:
    assert layout.day_of(name) == "2026-11-20"


@pytest.mark.parametrize(
    "name",
    ["2026-11-20", "2026-11-20.txt", "x2026-11-20.md", "2026-11-20x.md", "2026-11-2.md", "2026-11-20 .md", ".md", "",
     "2026-11-20.mdx", "2026/11/20.md", "２０２６-11-20.md", "2026-11-２０.md", "+026-11-20.md", "2026-1_-20.md",
     "2026-02-31-x.md"],
)  # fmt: skip
def test_any_other_name_is_no_daily_log(name: str) -> None:
    assert layout.day_of(name) is None


NAMES = st.lists(
    st.one_of(
        st.from_regex(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}[-.a-z0-9]{0,5}(\.md)?", fullmatch=True),
        st.text(max_size=16),
        st.sampled_from(["2026-02-30.md", "2026-02-28.md", "0000-01-01.md", "2026-11-20.2.md", "٢٠٢٦-11-20.md"]),
    )
)


@given(NAMES)
def test_the_daily_logs_of_a_folder_are_those_that_each_name_says(names: list[str]) -> None:
    assert layout.daily_logs(names) == [name for name in names if layout.day_of(name)]


@given(st.text(max_size=20))
def test_any_name_has_an_answer(name: str) -> None:
    day = layout.day_of(name)

    assert day is None or (name.startswith(day) and layout.is_day(day))
    assert layout.is_document(name) in (True, False)


@pytest.mark.parametrize(
    "path", ["agentws.toml", ".gitignore", "SOUL.md", "memory/2026-11-20.md", "memory/archive/2026/x.md",
             "memory/sources.jsonl", "tasks/x.md", "memory/.gitattributes", "identity/writers.jsonl"],
)  # fmt: skip
def test_documents_are_versioned(path: str) -> None:
    assert layout.is_document(path)


@pytest.mark.parametrize(
    "path", [".agentws/changes.jsonl", ".env", "x.py", "journal/a/000001.jsonl", "checkpoints/t/1.json", ".x.md",
             "memory/.git/x.md", "memory/.x.md", "other/x.md", ".git/config", "tasks/../x.md/y"],
)  # fmt: skip
def test_what_is_no_document_is_not_versioned(path: str) -> None:
    assert not layout.is_document(path)


@pytest.mark.parametrize("name", ["ſoul.md", "uſer.md", "agentſ.md", "ıdentity.md", "ＭEMORY.md"])
def test_a_letter_that_only_folds_to_another_one_makes_no_file_of_the_agent(name: str) -> None:
    assert layout.usual(name) == name


@pytest.mark.parametrize(("name", "usual"), [("soul.MD", "SOUL.md"), ("Memory.md", "MEMORY.md"), ("AGENTS.md",) * 2])
def test_letters_of_either_case_do(name: str, usual: str) -> None:
    assert layout.usual(name) == usual
