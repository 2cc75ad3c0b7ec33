"""Letters with their marks: what a name may hold, a tag reads back."""

from __future__ import annotations

import unicodedata

import pytest

from agentws.core.formats.documents import daily
from agentws.core.markdown import notes
from agentws.core.notes import transitions
from agentws.core.text import letters

TITLES = ("रिंग परीक्षण", "งานบ้าน วันนี้", "שָׁלוֹם עולם", "كِتَابٌ جديد", "தமிழ் வேலை", "မြန်မာ စာ", "ខ្មែរ", "Việt Nam", "ශ්‍රී ලංකා")


def is_expected(code: int) -> bool:
    char = chr(code)
    chooses_a_picture = code in range(0xFE00, 0xFE10) or code in range(0x180B, 0x1810)
    return unicodedata.category(char) in ("Mn", "Mc") and not chooses_a_picture


def test_every_mark_of_the_living_scripts_is_known_and_nothing_that_divides_words() -> None:
    known = {code for code in range(0x3100) if letters.is_mark(chr(code))}

    assert {code for code in range(0x3100) if is_expected(code)} <= known
    assert {unicodedata.category(chr(code)) for code in known} <= {"Mn", "Mc", "Cn"}


@pytest.mark.parametrize("title", TITLES)
def test_the_slug_of_a_title_is_a_name_and_reads_back_from_a_line_whole(title: str) -> None:
    slug = transitions.slug(title, [])

    assert letters.is_name(slug)
    assert slug.count("-") == title.count(" ")
    entry = daily.entry("text", time="07:15", tags=(slug,), task=slug)
    assert notes.read(entry)[0].tags == (slug, f"task:{slug}")
    assert notes.has_label(f"(#{slug})", [slug.casefold()])


@pytest.mark.parametrize("name", ["\u0301a", "a b", "a/b", "a\u200bb", "a\ufe0f", "…"])
def test_what_divides_or_cannot_be_seen_makes_no_name(name: str) -> None:
    assert not letters.is_name(name)


def test_a_mark_of_punctuation_ends_a_tag() -> None:
    assert notes.tags_in("#कार्य। #next, #plain—") == ("कार्य", "next", "plain")
