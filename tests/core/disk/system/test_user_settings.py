"""The user's own settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentws.core.disk.system import user_settings
from agentws.errors import AgentwsError, DamagedError, TooLargeError

PAGE = Path(__file__).parents[4] / "docs/format/config.md"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_the_example_of_the_page_is_read_as_it_says(file: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert example is not None
    file.write_text(example[1].replace("\n\n", "\ncall_chars = 16000\n\n", 1))

    found = user_settings.read(str(file))

    assert (found.summarizer, found.timeout_s, found.call_chars) == ("llm -m gpt-5-mini", 180, 16_000)
    assert found.notices == []


@pytest.mark.parametrize("content", [None, "", "# nothing\n", "[compaction]\n"])
def test_without_settings_there_is_no_summarizer(file: Path, content: str | None) -> None:
    if content is not None:
        file.write_text(content)

    found = user_settings.read(str(file))

    assert (found.summarizer, found.timeout_s, found.call_chars) == ("", 120.0, 24_000)


def test_without_a_home_there_are_no_settings() -> None:
    assert user_settings.read(None).summarizer == ""


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("[compaction]\nsummarizer = llm\n", 2, "Invalid value"),
        ("[compaction]\n\nsummarizer = 'llm", 3, ""),
        ("[compaction]\nsummarizer = 3\n", 2, "summarizer must be a command line in quotes"),
        ("[compaction]\nsummarizer = ['llm', '-m']\n", 2, "summarizer must be a command line in quotes"),
        ("\n[compaction]\ntimeout_s = 0\n", 3, "timeout_s must be a number"),
        ("[compaction]\ntimeout_s = true\n", 2, "timeout_s must be a number"),
        ("[compaction]\ntimeout_s = nan\n", 2, "timeout_s must be a number"),
        ("[compaction]\ncall_chars = 10\n", 2, "call_chars must be a number from 2000 to 1,000,000"),
        ("# mine\ncompaction = 1\n", 2, "compaction must be a table"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_line(file: Path, content: str, line: int, what: str) -> None:
    file.write_text(content)

    with pytest.raises(DamagedError) as raised:
        user_settings.read(str(file))

    assert raised.value.message.startswith(f"{file}:{line}: {what}")


def test_bytes_that_are_no_text_are_named_by_file_and_line(file: Path) -> None:
    file.write_bytes(b"[compaction]\r\nsummarizer = 'caf\xe9'\r\n")

    with pytest.raises(DamagedError, match=re.escape(f"{file}:2: not UTF-8.")):
        user_settings.read(str(file))


def test_a_word_that_is_not_known_is_said_and_does_nothing(file: Path) -> None:
    file.write_text("[compaction]\nsumarizer = 'llm'\n[colors]\nerror = 'red'\n")

    found = user_settings.read(str(file))

    assert found.summarizer == ""
    assert [notice.removeprefix(f"{file}: ") for notice in found.notices] == [
        "unknown setting colors, ignored.",
        "unknown setting compaction.sumarizer, ignored.",
    ]


def test_a_file_that_is_too_large_is_refused(file: Path) -> None:
    file.write_text("# " + "x" * 70_000)

    with pytest.raises(TooLargeError):
        user_settings.read(str(file))


def test_a_folder_in_its_place_is_an_error_with_its_name(file: Path) -> None:
    file.mkdir()

    with pytest.raises(AgentwsError, match=re.escape(str(file))):
        user_settings.read(str(file))
