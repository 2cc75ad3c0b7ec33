"""Invented names in many scripts, forms in which they may be written, and encodings: what the tests of forget share."""

from __future__ import annotations

import html
import json
import unicodedata
import urllib.parse
from collections.abc import Callable

NAMES = {
    "Latin with accents": ("José Müñoz", "Zoë Ångström-Łukasz", "Ødegård Sæther", "Béatrice L’Œillet", "İpek Işıkçı"),
    "Latin with initials": ("J. R. Testerby", "Maeve O'Testigan"),
    "Vietnamese": ("Nguyễn Thị Hườngdương", "Đặng Thế Ngữ"),
    "Greek": ("Νίκος Δοκιμόπουλος", "Μυρτὼ Ἀνεμώνη"),
    "Cyrillic": ("Алёна Пробная", "Ґалаґан Їжак"),
    "Arabic": ("سمير التجريبي", "أَحْلَام نَمُوذَج"),
    "Hebrew": ("נועם בדיקה", "דָּוִד נִסָּיוֹן"),
    "Devanagari": ("परीक्षित नमूना", "ज़ोया क़लम"),
    "Bengali": ("নমুনা পরীক্ষক", "রহিমা উদাহরণ"),
    "Tamil": ("முருகன் சோதனை", "செல்வி மாதிரி"),
    "Telugu": ("హరి నమూనా",),
    "Malayalam": ("രാജൻ മാതൃക",),
    "Thai": ("สมมติ ทดสอบ", "น้ำผึ้ง ใจดี"),
    "Khmer": ("សុខា គំរូ",),
    "Burmese": ("ကျော်ဇော",),
    "Georgian": ("ნიმუშ გამოცდაძე",),
    "Armenian": ("Օրինակ Փորձյան",),
    "Ethiopic": ("ሰላም ሙከራዬ",),
    "Chinese": ("王測試", "李样本"),
    "Japanese": ("山田ガク", "ﾊﾟﾝﾀﾞ ｼﾞﾛｳ", "ぎんじ"),
    "Korean": ("김민수", "남궁예시"),
}
EVERY = [name for some in NAMES.values() for name in some]

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "NFKD": lambda text: unicodedata.normalize("NFKD", text),
    "capitals": str.upper,
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "soft hyphens": lambda text: "\u00ad".join(text),
    "zero width": lambda text: "\u200b".join(text),
    "two blanks": lambda text: text.replace(" ", "  "),
}
ENCODINGS: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON, not escaped": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "URL": urllib.parse.quote,
    "URL, plus": urllib.parse.quote_plus,
    "HTML, named": lambda text: "".join(_named(char) for char in text),
    "HTML, decimal": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "HTML, hexadecimal": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
}


def _named(char: str) -> str:
    from html.entities import codepoint2name

    name = codepoint2name.get(ord(char))
    return f"&{name};" if name else html.escape(char)


def encoded(text: str, *encodings: str) -> str:
    """The text with these encodings, the first one innermost."""
    for name in encodings:
        text = ENCODINGS[name](text)
    return text
