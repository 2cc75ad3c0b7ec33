"""JSON for people: every language is read, nothing hides, and the value is the same."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.json import plainjson, values

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from([None, 2]))
def test_it_is_the_same_value_and_shows_all_that_it_holds(value: object, indent: int | None) -> None:
    text = values.dumps(value, indent=indent)
    assert json.loads(text) == json.loads(plainjson.dumps(value, indent=indent))
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") or char == "\n" for char in text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Лена Мороз",
            "陳小明，台北（東）",
            "田中さん Tシャツ",
            "שלום",
            "مرحبا",
            "हिन्दी",
            "한국어",
            "Zoë 250 €",
            "«Ёлка»",
        ),
        "می\u200cخواهم",  # a joiner that Persian needs
        "👩\u200d🚀",
        "e\u0301",
    ],
)
def test_any_language_is_read(text: str) -> None:
    assert values.dumps({text: text}) == f'{{"{text}": "{text}"}}'
    assert values.dumps(text, indent=2) == f'"{text}"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p\u0430ypal.example", '"p\\u0430ypal.example"'),  # a Cyrillic letter within a Latin word
        ("\u0391pple", '"\\u0391pple"'),
        ("\U0001d429ay", '"\\ud835\\udc29ay"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("a\u200bb", '"a\\u200bb"'),
        ("a\u00a0b", '"a\\u00a0b"'),
        ("\ue000", '"\\ue000"'),
        ("\udcff", '"\\udcff"'),
        ("\u0338x", '"\\u0338x"'),  # it would strike out what stands before it
        ("\u2028", '"\\u2028"'),
        ("\nЛена", '"\\nЛена"'),
        ("\x1fЛена", '"\\u001fЛена"'),
    ],
)
def test_nothing_hides_or_pretends(text: str, shown: str) -> None:
    assert values.dumps(text) == shown
    assert json.loads(shown) == text
