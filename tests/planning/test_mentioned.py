"""Which of the words between backticks are files."""

from __future__ import annotations

import pytest

from agentws.planning import mentioned


@pytest.mark.parametrize(
    "span",
    [
        *("src/app.py", "notes.md", "~/garden", "~/.config/shop.toml", "/tmp/secrets/", "/home/sam/box", "logs/cron/"),
        *("README.md", "./run.sh", ".env", "templates/index.html"),
    ],
)
def test_files_and_folders_are_told(span: str) -> None:
    assert mentioned.files([f"Changed `{span}` today"]) == [span]


@pytest.mark.parametrize(
    "span",
    [
        *("openai/gpt-5", "maker/family/model-v3.1-large", "/users/me", "/v2/user", "from/to", "shop.example.dev"),
        *("/data", "/tmp/", "git push origin/main", "a.b", "POST /messages", "llama3.2"),
    ],
)
def test_models_addresses_and_words_are_none(span: str) -> None:
    assert mentioned.files([f"Changed `{span}` today"]) == []


def test_what_lies_beside_a_file_is_one() -> None:
    assert mentioned.files(["`memory/policy.md` and `memory/archive`"]) == ["memory/policy.md", "memory/archive"]


def test_each_is_told_once_at_its_last_place() -> None:
    assert mentioned.files(["`a.md`, `b.md`", "`a.md`"]) == ["b.md", "a.md"]
