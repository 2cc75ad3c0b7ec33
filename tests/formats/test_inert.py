import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agentws.formats.inert import inert, one_line

ANY_TEXT = st.text(st.characters(exclude_categories=()))
BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
TAGS = [*range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0)]


def _acts(char: str) -> bool:
    return char not in "\n\t" and (
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) in BIDI or ord(char) in TAGS
    )


def test_every_character_that_acts_is_made_visible_or_dropped_and_no_other() -> None:
    for code in range(sys.maxunicode + 1):
        if 0x20000 < code < 0xE0000:  # nothing but ideographs and what is not assigned
            continue
        char = chr(code)
        shown = inert(f"a{char}b")

        assert not any(map(_acts, shown)), hex(code)
        if char in "\n\t" or char.isprintable():
            assert shown == f"a{char}b" or 0xFFF0 < code < 0x10000 or code in TAGS, hex(code)


@given(ANY_TEXT)
def test_nothing_that_acts_is_left_and_doing_it_twice_changes_nothing(text: str) -> None:
    shown = inert(text)

    assert not any(map(_acts, shown))
    assert inert(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown


@given(ANY_TEXT)
def test_lines_stay_lines(text: str) -> None:
    assert inert(text).count("\n") == text.count("\n")


def test_an_escape_sequence_is_shown_in_words() -> None:
    assert inert("\x1b]8;;https://evil.example\x07x\x1b[2J") == "\\u{1b}]8;;https://evil.example\\u{7}x\\u{1b}[2J"


def test_a_carriage_return_at_a_line_end_says_nothing_and_elsewhere_it_is_shown() -> None:
    assert inert("one\r\ntwo\r\n") == "one\ntwo\n"
    assert inert("safe\rrm -rf") == "safe\\u{d}rm -rf"


def test_words_of_every_language_and_emoji_stay_as_they_are() -> None:
    text = "naïve שלום السلام 日本語 🦊 👩‍👩‍👧 ❤️ Zażółć"

    assert inert(text) == text


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text)

    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()
    assert not any(map(_acts, shown))
