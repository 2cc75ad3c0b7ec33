"""The file exam.toml: its questions, and where an error in it is."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import exam
from agentws.core.formats.documents.exam import Question, Table
from agentws.errors import DamagedError


def test_the_questions_are_read_in_the_order_of_the_file() -> None:
    text = """\
[[must]]
boot = "Robin"
budget = 600

[[must_not]]
boot = 'salary of \\w+'
audience = "shared"

[[must]]
search = "where does Sam live"
expect = "Lisbon"
"""

    assert exam.decode(text.encode(), where="exam.toml") == [
        Question(Table.MUST, "Robin", budget=600, line=1),
        Question(Table.MUST_NOT, r"salary of \w+", audience="shared", line=5),
        Question(Table.MUST, "Lisbon", search="where does Sam live", line=9),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[must]]\nboot = \n", "exam.toml:2: Invalid value."),
        (f'[[must]]\nboot = "a"\n\n[[must]]\nboot = "{"b" * 1001}"\n', "exam.toml:4: [[must]]: an expression may have"),
        ('[[must]]\nboot = "a"\nexpects = "b"\n', "exam.toml:1: [[must]]: 'expects' is unknown: "),
        ('[[must]]\nexpect = "b"\n', "exam.toml:1: [[must]]: needs either `boot` or `search`."),
        ('[[must]]\nboot = "b"\nsearch = "c"\n', "exam.toml:1: [[must]]: needs either `boot` or `search`."),
        ('[[must]]\nboot = "b"\nexpect = "c"\n', "exam.toml:1: [[must]]: `boot` is the expression itself"),
        ('[[must_not]]\nsearch = "b"\n', "exam.toml:1: [[must_not]]: `search` needs `expect`."),
        ('[[must]]\nboot = ""\n', "exam.toml:1: [[must]]: `boot` is empty."),
        ("[[must]]\nboot = 3\n", "exam.toml:1: [[must]]: `boot` must be a text in quotes."),
        ('[[must]]\nboot = "a"\nbudget = true\n', "exam.toml:1: [[must]]: `budget` must be a number of tokens."),
        ('[[must]]\nboot = "a"\nbudget = 0\n', "exam.toml:1: [[must]]: `budget` must be a number of tokens."),
        ('[[must]]\nboot = "a"\naudience = "all"\n', "exam.toml:1: [[must]]: `audience` must be one of: main, shared."),
        ('\n[[should]]\nboot = "a"\n', "'should' is unknown: use [[must]] and [[must_not]]."),
        ('[must]\nboot = "a"\n', "exam.toml: write [[must]], with two brackets."),
        ("must = [1]\n", "exam.toml: [[must]]: not a table."),
        ("# nothing\n", "exam.toml: no [[must]] and no [[must_not]]."),
    ],
)
def test_an_error_names_the_line_of_its_question(text: str, says: str) -> None:
    with pytest.raises(DamagedError) as error:
        exam.decode(text.encode(), where="exam.toml")

    assert says in error.value.message
    assert error.value.message.startswith("exam.toml")


def test_bytes_that_are_not_utf8_and_a_file_that_is_too_large_are_errors() -> None:
    with pytest.raises(DamagedError, match=r"exam\.toml:2: not UTF-8"):
        exam.decode(b'[[must]]\nboot = "\xff"\n', where="exam.toml")
    with pytest.raises(DamagedError, match="larger than 64 KiB"):
        exam.decode(b"#" * (exam.MOST_BYTES + 1), where="exam.toml")


def test_a_header_inside_a_long_text_gives_no_question_a_wrong_line() -> None:
    text = '[[must]]\nboot = """\n[[must]]\n"""\n\n[[must]]\nboot = 3\n'

    with pytest.raises(DamagedError) as error:
        exam.decode(text.encode(), where="exam.toml")

    assert error.value.message.startswith("exam.toml: [[must]]: `boot` must be a text in quotes")


def test_what_is_written_is_read_again() -> None:
    questions = [
        Question(Table.MUST, r"I\s+am\s+Robin\."),
        Question(Table.MUST_NOT, "Sam's \\d+ \u202e", audience="shared"),
        Question(Table.MUST, "Lisbon", search="where", budget=300),
    ]

    text = exam.encode([("from SOUL.md", question) for question in questions])

    read = exam.decode(text.encode(), where="exam.toml")
    assert [(each.table, each.expect, each.search, each.audience, each.budget) for each in read] == [
        (each.table, each.expect, each.search, each.audience, each.budget) for each in questions
    ]
    assert text.count("# from SOUL.md\n[[") == 3
