"""Names of row logs as paths: every name has its own, on every file system."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.features.data.plan import names

TEXTS = st.text(st.characters(codec=None), min_size=1) | st.text("aA/.%~", min_size=1)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("orders", "data/orders.jsonl"),
        ("langgraph/thread-1", "data/langgraph/thread-1.jsonl"),
        ("Orders", "data/%4frders.jsonl"),
        ("../escape", "data/%2e%2e/escape.jsonl"),
        ("a//b", "data/a/%/b.jsonl"),
        ("é\0", "data/%c3%a9%00.jsonl"),
    ],
)
def test_a_name_is_a_path_that_shows_it(name: str, path: str) -> None:
    assert names.path(name) == path
    assert names.name_of(path) == name


@given(TEXTS)
def test_a_path_is_lower_case_within_its_folder_and_leads_back_to_the_name(name: str) -> None:
    path = names.path(name)

    assert path == path.lower()
    assert path.isascii()
    assert not {"", ".", ".."}.intersection(path.split("/"))
    assert path.startswith(names.folder_of(name))
    assert not names.is_whole(path) or names.name_of(path) == name


@pytest.mark.parametrize("name", ["x" * 500, "ä" * 300, "a/" * 300 + "z", "y" * 400 + "/z"])
def test_a_long_name_is_kept_apart_by_its_digest(name: str) -> None:
    path = names.path(name)

    assert not names.is_whole(path)
    assert max(map(len, path.split("/"))) <= 200
    assert path != names.path(name + "z")
