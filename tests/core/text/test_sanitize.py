import re
import sys
import unicodedata

from hypothesis import example, given, strategies as st

from agentws.core.text import invisible
from agentws.core.text.sanitize import inert, one_line, written
from tests import table

ANY_TEXT = st.text(st.characters(exclude_categories=()))
BIDI = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]


def _acts(char: str) -> bool:
    return char not in "\n\t" and (
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or ord(char) in BIDI or ord(char) in (0xE0001, 0xE007F)
    )


def test_every_character_that_acts_or_hides_is_a_code_between_latin_letters_and_no_other() -> None:
    for code in range(sys.maxunicode + 1):
        if 0x20000 < code < 0xE0000 or code > 0xE1000:  # nothing but ideographs and what is not assigned
            continue
        char = chr(code)
        shown = inert(f"a{char}b")

        if _acts(char) or invisible.is_ignorable(char):
            assert shown == ("a\ufffdb" if 0xD800 <= code < 0xE000 else f"a\\u{{{code:x}}}b"), hex(code)
        elif not 0xFFF9 <= code <= 0xFFFB:
            assert shown == f"a{char}b", hex(code)


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
    assert inert("one line\r") == "one line"
    assert inert("safe\rrm -rf") == "safe\\u{d}rm -rf"


WORDS = {
    "plain": "naïve שלום السلام 日本語 Zażółć ❤️ 3️⃣ ©️ ☎︎",
    "Persian": "می‌خواهم کتاب‌ها نمی‌دانم خانه‌های کار‌ها ه‍ ",
    "Arabic with marks": "مَ‌ها",
    "Hindi": "क्‍ष क्‌ष हिन्दी श्री", "Marathi": "दुसऱ्‍या", "Bengali": "র‍্যাব ক্‍ষ", "Kannada": "ರ‍್ಯಾಂಕ್",
    "Sinhala": "ශ්‍රී ලංකා ක්‍ය", "Malayalam": "അവന്‍ ന്‌റെ", "Hebrew": "יְרוּשָׁלַ͏ִם", "Thai": "ภาษา\u200bไทย",
    "Khmer": "ភាសា\u200bខ្មែរ ប៉‌ី", "Myanmar": "မြန်မာ\u200bဘာသာ", "Mongolian": "ᠭ᠋ ᠪ᠋᠎ᠠ", "Japanese": "葛󠄀城 辻󠄁 、︁ 神︀",
    "old Korean": "ᄀᅠ ᅟᅡ", "mathematics": "∩︀ 0︀",
    "emoji": "👩‍👩‍👧 👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🏴‍☠️ ❤️‍🔥 🧑🏻‍❤️‍💋‍🧑🏿 🏃🏽‍♀️‍➡️ 🤷‍♂️ 🫱🏻‍🫲🏿 👁️‍🗨️ 🧑‍🧑‍🧒 🇩🇪",
    "flags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f "
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
}  # fmt: skip


def test_words_of_every_language_and_emoji_stay_as_they_are() -> None:
    def check(text: str) -> None:
        assert inert(text) == text
        assert one_line(f"- {text} and more") == f"- {' '.join(text.split())} and more"

    table.holds(check, WORDS.values())


def test_every_emoji_that_another_program_names_stays_as_it_is() -> None:
    from rich._emoji_codes import EMOJI

    assert [emoji for emoji in EMOJI.values() if inert(emoji) != emoji] == []


HIDING = {
    "bits in Latin": "a\u200bb\u200cc\u200dd", "a run in Persian": "می\u200c\u200cخواهم",
    "at an edge": "\u200cمی\u200c ",
    "bytes behind an emoji": "😀\ufe0f\ufe0f\ufe00", "bytes behind a letter": "a\ufe00b\U000e0101",
    "bytes behind an ideograph": "葛\U000e0100\U000e0101\U000e01ef", "tags": "\U000e0068\U000e0069",
    "tags behind a flag": "🏴\U000e0068\U000e0069\U000e007f", "a joiner behind emoji": "👩\u200d👧\u200d",
    "two emoji that are none together": "😀\u200d😀", "a joiner before Latin": "👩\u200da",
    "a filler": "x\u3164y\uffa0",
    "a soft hyphen": "Donau\u00addampf", "operators": "a\u2062b\u2064", "a BOM inside": "a\ufeffb",
    "Mongolian in Latin": "a\u180bb", "a grapheme joiner": "a\u034fb", "a space of no width in Han": "日\u200b本",
}  # fmt: skip


def test_what_hides_is_shown_as_a_code_and_nothing_of_it_is_lost() -> None:
    def check(text: str) -> None:
        shown = inert(text)
        codes = re.findall(r"\\u\{([0-9a-f]+)\}", shown)

        assert codes, shown
        assert re.sub(r"\\u\{([0-9a-f]+)\}", lambda code: chr(int(code[1], 16)), shown) == text
        left = [char for char in shown if invisible.is_ignorable(char)]
        assert len(left) <= 1, shown

    table.holds(check, HIDING.values())


PIECES = st.sampled_from([
    *("a", "می", "ক্", "්", "ශ", "😀", "👩", "👧", "❤", "🏽", "🏴", "葛", "ᠭ", "ไ", "ប៉", "ᄀ", "ᅡ", "ְ", "0", " "),
    *map(chr, (0x200B, 0x200C, 0x200D, 0x034F, 0xFE00, 0xFE0F, 0xE0100, 0xE0067, 0xE007F, 0x180B, 0x180E)),
    *map(chr, (0x115F, 0x1160, 0xFEFF, 0x00AD, 0x3164, 0x1B, 0x85)),
])  # fmt: skip


def test_only_a_code_of_hexadecimal_digits_stands_for_what_is_invisible() -> None:
    assert invisible.without("pass\\u{200b}word") == ("password", [0, 1, 2, 3, 12, 13, 14, 15])
    assert invisible.without("pass\\u{g0}word") is None


@example("\u180b\u180b")
@given(st.lists(PIECES, max_size=12).map("".join))
def test_among_scripts_and_emoji_too_doing_it_twice_changes_nothing(text: str) -> None:
    shown = inert(text)

    assert inert(shown) == shown
    assert not any(map(_acts, shown.replace("\U000e007f", "")))


def test_a_text_to_be_written_keeps_all_but_control_characters_which_become_codes() -> None:
    for code in range(0x200):
        shown = written(f"a{chr(code)}b")
        acts = unicodedata.category(chr(code)) == "Cc" and chr(code) not in "\n\t"
        assert shown == (f"a\\u{{{code:x}}}b" if acts else f"a{chr(code)}b")
    assert written("one\r\ntwo") == "one\ntwo"
    for text in WORDS.values():
        assert written(text) == text


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text)

    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()
    assert not any(map(_acts, shown))
