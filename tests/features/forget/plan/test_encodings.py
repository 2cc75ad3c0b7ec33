"""A name is met in every script, form and encoding, and another name in none."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.json import plainjson
from agentws.core.text import words
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.wanted import Wanted, spellings, words_of
from tests.features.forget.plan.names import ENCODINGS, EVERY, FORMS, encoded

_ENCODINGS = st.lists(st.sampled_from(sorted(ENCODINGS)), max_size=4)
_CLOSED = "([{«\u201c\"' \n\t,;:|<"
"""What may stand on either side of a name, in every script."""


@given(st.sampled_from(EVERY), st.sampled_from(sorted(FORMS)), _ENCODINGS, st.sampled_from(_CLOSED))
def test_a_name_is_met_in_any_form_and_any_encodings_one_in_the_other(
    name: str, form: str, encodings: list[str], beside: str
) -> None:
    text = encoded(f"met{beside}{FORMS[form](name)}{beside}today", *encodings)
    wanted = Wanted(subjects=[name])
    stored = plainjson.dumps({"text": text}).encode()

    assert wanted.is_in(text)
    assert wanted.may_be_in(stored)
    assert wanted.is_in(stored.decode())
    assert wanted.is_in_value({"a": [{"text": text}]})
    assert strike.strike(f"# Day\n- one\n- {text}\n".encode(), wanted).blanked >= {3}


@given(st.sampled_from(EVERY), st.sampled_from(["as it is", "NFC", "NFD", "capitals", "soft hyphens"]), _ENCODINGS)
def test_a_text_is_met_in_any_form_and_any_encodings(name: str, form: str, encodings: list[str]) -> None:
    text = encoded(f"x{FORMS[form](name)}y", *encodings)

    assert Wanted(matching=[name]).is_in(text)
    assert Wanted(matching=[name]).may_be_in(plainjson.dumps([text]).encode())


@given(st.sampled_from(EVERY), st.sampled_from(EVERY), _ENCODINGS)
def test_another_name_is_not_met(name: str, other: str, encodings: list[str]) -> None:
    if name != other:
        assert not Wanted(subjects=[name]).is_in(encoded(f"met {other} today", *encodings))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann", "Annual"), ("Ann", "Hannah"), ("Ann", "%41nnual"), ("Ann", "\\u0041nnual"), ("Ann", "Ann2"),
        ("Anna", "Joanna"),
        ("Анна", "Анналы"), ("Νίκη", "Νικητής"), ("علي", "عليه"), ("علي", "معلي"), ("דן", "דניאל"),
        ("राम", "आराम"), ("गीता", "गत"), ("민수", "대한국민수당"), ("김민수", "김민우"),
        ("かき", "がき"), ("ハナ", "バナ"),
        ("李明", "李白"), ("สมชาย", "สมหญิง"),
    ],
)  # fmt: skip
def test_part_of_another_word_is_not_the_name(name: str, text: str) -> None:
    assert not Wanted(subjects=[name]).is_in(f"one {text} two")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("김민수", "김민수가"), ("민수", "민수는"), ("민수", "김민수에게"),
        ("Ann", "Ann이 왔다"), ("Ann", "私はAnnです"),
        ("سارة", "وسارة"), ("נועם", "ולנועם"), ("முருகன்", "முருகனுக்கு"), ("রহিমা", "রহিমাকে"), ("राम", "रामने"),
        ("ნიმუშ", "ნიმუშის"), ("Անի", "Անիին"), ("ሰላም", "የሰላምን"), ("李样本", "我见了李样本，谈了"),
        ("ぎんじ", "ぎんじさん"),
        ("Ann", "Ann’s"), ("Ann Lind", "Ann\u00a0Lind"),
        ("Ann Lind", "Ann-\nLind"),
        ("J. R. Testerby", "J.R.Testerby"), ("Ann Lind", "ann+lind%40example.org"), ("علی", "علي"),
        ("José", r"git: \"Jos\303\251.md\""), ("José", r"b'Jos\xc3\xa9'"), ("José", "Jos%E9"), ("José", "Jos%u00e9"),
        ("Ann Lind", r"Ann\_Lind"), ("Ann Lind", r"one\nAnn\tLind\r\n"),
    ],
)  # fmt: skip
def test_what_is_written_on_to_a_name_does_not_hide_it(name: str, text: str) -> None:
    assert Wanted(subjects=[name]).is_in(text)


@pytest.mark.parametrize("depth", range(5))
def test_json_in_json_is_read_to_depth_four_with_pairs_of_surrogates(depth: int) -> None:
    text = "José 𝔖am 🜚 C:\\new"
    for _ in range(depth):
        text = plainjson.dumps({"text": text})

    assert Wanted(subjects=["José"]).is_in_value({"body": text})
    assert Wanted(matching=["🜚 C:\\new"]).is_in_value({"body": text})


@given(st.text(alphabet='\\u0e9%&;#x+" \u00e9\u200bA', max_size=60))
def test_whatever_is_read_has_an_end(text: str) -> None:
    read = list(words.views(text))

    assert read[0] == text
    assert len(read) <= 1 + 4 * words.DEPTH


def test_a_long_text_is_met_wherever_it_stands_and_no_edge_is_a_word() -> None:
    size = (1 << 16) + 10_000
    wanted = Wanted(subjects=["Ann Lind"])
    for apart in ("x", " ", "é ", "%20"):
        filling = apart * (size // len(apart))
        for at in range(0, size, 1_999):
            inside = filling[:at] + " Ann Lind " + filling[at:]
            assert wanted.is_in(inside), (apart, at)
    assert not wanted.is_in(("x" * 7 + "Ann Lindx") * 20_000)


_ENDLESS = [
    " ", "\\", "%", "%e9", "&", "&#", "\\u00", "\\xe9", "\\303", "&#x", "&eacute", "ann ", "ann-", "ann.", "민", "و",
    "a\u0301", "\u200b", "*_", "> ", "ann\n", "\t",
    "\ud83d\ude00", "\n", "- ann lind\n", "- ann\n", "# ann lind\n", "\\\\",
    "%25", "&amp;", "\u0301\u0323", "\u0e48\u0e38",
]  # fmt: skip


def test_no_text_takes_long() -> None:
    """Under a limit of processor time that one quadratic step would pass by far."""
    code = (
        "import sys, json\n"
        "from agentws.features.forget.plan import strike as striking\n"
        "from agentws.features.forget.plan.wanted import Wanted\n"
        "wanted = Wanted(subjects=['Ann Lind', '민수', 'سارة'], matching=['ann lind'])\n"
        "for piece in json.load(sys.stdin):\n"
        "    for text in (piece * (200_000 // len(piece)), 'ann' + piece * (200_000 // len(piece)) + 'x'):\n"
        "        striking.strike(text.encode('utf-8', 'surrogatepass'), wanted)\n"
        "stairs = ''.join(' ' * depth + '- ann lind\\n' for depth in range(2_000))\n"
        "striking.strike(stairs.encode(), wanted, ours=['an entry'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(_ENDLESS), check=False, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (30, 30)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize("name", ["A. B. Testerby", "A.B. Testerby", "AB Testerby", "A B Testerby"])
@pytest.mark.parametrize("met", ["A. B. Testerby", "A.B. Testerby", "a.b.testerby@mail.example", "A B Testerby"])
def test_initials_are_met_however_they_are_dotted(name: str, met: str) -> None:
    assert Wanted(subjects=[name]).is_in(f"saw {met} today") == (name != "AB Testerby")


def test_a_name_does_not_go_over_the_end_of_a_sentence() -> None:
    assert not Wanted(subjects=["Ana Maria"]).is_in("I rang Ana. Maria came.")


def test_the_words_of_a_name_keep_their_marks() -> None:
    assert list(words_of(spellings("सीता शर्मा")[0])) == ["सीता", "शर्मा"]
