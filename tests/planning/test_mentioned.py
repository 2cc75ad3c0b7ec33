"""Which of the words between backticks are files."""

from __future__ import annotations

import pytest

from agentws.planning import mentioned


@pytest.mark.parametrize(
    "span",
    [
        *("src/app.py", "notes.md", "~/garden", "~/.config/shop.toml", "/tmp/secrets/", "/home/sam/box", "logs/cron/"),
        *("README.md", "./run.sh", ".env", "templates/index.html", "/app/static/site.css", "/config/shop.yaml"),
    ],
)
def test_files_and_folders_are_told(span: str) -> None:
    assert mentioned.files([f"Changed `{span}` today"]) == [span]


@pytest.mark.parametrize(
    "span",
    [
        *("openai/gpt-5", "maker/family/model-v3.1-large", "/users/me", "/v2/user", "from/to", "shop.example.dev"),
        *("/sitemap.xml", "/index.html", "/assets/cover.jpg", "/api/v2/openapi.json"),
        *("/data", "/tmp/", "git push origin/main", "a.b", "POST /messages", "llama3.2"),
    ],
)
def test_models_addresses_and_words_are_none(span: str) -> None:
    assert mentioned.files([f"Changed `{span}` today"]) == []


def test_what_lies_beside_a_file_is_one() -> None:
    assert mentioned.files(["`memory/policy.md` and `memory/archive`"]) == ["memory/policy.md", "memory/archive"]


def test_each_is_told_once_at_its_last_place() -> None:
    assert mentioned.files(["`a.md`, `b.md`", "`a.md`"]) == ["b.md", "a.md"]


@pytest.mark.parametrize(
    "text",
    [
        "`~/GARDEN/` — FOLDER DOES NOT EXIST on this machine",
        "| Repository | ⚠️ path | `~/GARDEN/` not found |",
        "The helper couldn't find it at `~/GARDEN/`",
        "cat: no such file: `~/GARDEN/`",
        "`~/GARDEN/` path does not exist",
    ],
)
def test_what_the_same_words_say_is_not_there_is_none(text: str) -> None:
    assert mentioned.files([text]) == []
    assert mentioned.files([text, "Made `~/GARDEN/`"]) == ["~/GARDEN/"]


@pytest.mark.parametrize(
    "text",
    [
        "`a.md` says that the pump was not found",
        "`a.md`: fixed a crash if the file does not exist",
        "Could not find the pump, so wrote `a.md`",
        "The pump was not found (`a.md`)",
        "`a.md`, which is missing",  # it may be worth to look for it
    ],
)
def test_what_is_said_of_something_else_takes_no_file_away(text: str) -> None:
    assert mentioned.files([text]) == ["a.md"]
