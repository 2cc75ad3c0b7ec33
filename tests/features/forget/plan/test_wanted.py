"""What is met as a name or a text that somebody wants forgotten, and what is not."""

from __future__ import annotations

import random
from itertools import product

import pytest

from agentws.core.formats.json import plainjson
from agentws.core.markdown import escape
from agentws.errors import UsageError
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.wanted import Wanted
from tests import table


@pytest.mark.parametrize(
    "text",
    [
        "Sam Tester", "met sam tester today", "SAM TESTER", "Sam Tester's phone", "Sam Tester’s phone",
        "the Sam Testers' house",
        "sam.tester@example.org", "@sam_tester", "tasks/call-sam-tester.md", "**Sam** Tester", "Sam\u00a0Tester",
        "samtester", "Sám Téster", "(Sam Tester)", "Sam  Tester",
    ],
)  # fmt: skip
def test_a_name_is_met_in_any_of_its_forms(text: str) -> None:
    assert Wanted(subjects=["Sam Tester"]).is_in(text)


@pytest.mark.parametrize(
    "text", ["Samuel Tester", "Sam Testerman", "Sam", "Tester", "Balsam Tester", "Sam. Tester passed", "Sam and Tester"]
)
def test_another_name_is_not_met(text: str) -> None:
    assert not Wanted(subjects=["Sam Tester"]).is_in(text)


@pytest.mark.parametrize(
    "text", ["Jurgen Muller", "Jürgen Müller", "JURGEN MULLER", "Juergen Mueller", "Ju\u0308rgen Müller"]
)
def test_accents_do_not_matter_and_umlauts_may_be_spelt_out(text: str) -> None:
    assert Wanted(subjects=["Jürgen Müller"]).is_in(text)


def test_a_name_without_accents_meets_one_with_them() -> None:
    assert Wanted(subjects=["Jose Nino"]).is_in("wrote to José Niño")


def test_a_name_in_a_script_without_spaces_is_met_within_a_sentence() -> None:
    assert Wanted(subjects=["李明"]).is_in("我见了李明，谈了一小时")


def test_a_text_is_met_in_any_case_and_across_white_space_but_with_its_accents() -> None:
    wanted = Wanted(matching=["Haus am Café 7"])

    assert wanted.is_in("das haus  am\ncafé 7.")
    assert not wanted.is_in("das Haus am Cafe 7")


def test_the_lines_are_told_that_a_match_goes_over() -> None:
    wanted = Wanted(subjects=["Sam Tester"])

    assert wanted.among(["we met Sam", "  Tester at noon", "and went home"]) == {0, 1}
    assert wanted.among(["> we met Sam", "> Tester at noon"]) == {0, 1}
    assert wanted.among(["nobody", "Sam Tester", "nobody"]) == {1}


def test_texts_keys_and_numbers_of_a_json_value_are_looked_at() -> None:
    wanted = Wanted(matching=["4930901820"], subjects=["Sam"])

    assert wanted.is_in_value({"a": [{"Sam": 1}]})
    assert wanted.is_in_value({"a": [4930901820]})
    assert not wanted.is_in_value({"a": [True, None, 1.5, "Samuel"]})


@pytest.mark.parametrize("text", ["", " ", "a", "--", "!?"])
def test_what_would_be_found_everywhere_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Wanted(matching=[text])
    with pytest.raises(UsageError):
        Wanted(subjects=[text])


def test_nothing_wanted_is_refused() -> None:
    with pytest.raises(UsageError):
        Wanted()


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (Wanted(subjects=["Jürgen Müller"]), "JÜRGEN MÜLLER"),
        (Wanted(subjects=["Jürgen Müller"]), "Juergen Mueller"),
        (Wanted(subjects=["O'Brien"]), "O’Brien"),
        (Wanted(matching=['say "hello" now']), 'Say "Hello" now'),
        (Wanted(matching=["straße"]), "STRASSE"),
        (Wanted(matching=["日本"]), "日本"),
    ],
)  # fmt: skip
def test_a_stored_line_that_holds_it_is_never_passed_over(wanted: Wanted, text: str) -> None:
    stored = plainjson.dumps({"text": text}).encode()

    assert wanted.is_in(text)
    assert wanted.may_be_in(stored)


def test_a_text_from_outside_that_escapes_a_mark_by_itself_is_found_by_its_words() -> None:
    text = r"heron [decision] \[decision] nest"

    assert Wanted(matching=[text]).is_in(escape.by("tool:web", text))


def test_of_what_is_no_text_little_is_read_closely_and_nothing_is_missed() -> None:
    wanted = Wanted(matching=["Anna Lind"], subjects=["Bo Tester"])
    noise = random.Random(7)
    data = noise.randbytes(1 << 18)

    assert not strike.holds(data, wanted)
    assert len(wanted.legible(data.decode("utf-8", "surrogateescape"))) * 3 < len(data)

    forms = [b"Anna Lind", b"anna\\u0020Lind", b"ann\\x61%20l&#105;nd", b"bo.tester", "bó_tester".encode()]
    forms += ["\uff22\uff2f Tester".encode(), b"xAnna Lindx", b"xbo testerx", "Bo\u00ad Tes\u200bter".encode()]
    for form, around in product(forms, (b"\xff", b"\0", b" ", b"x", b"\x80\x01", b"\xc3")):
        some = noise.randbytes(200) + around + form + around + noise.randbytes(200)
        plain = some.decode("utf-8", "surrogateescape")
        assert strike.holds(some, wanted) == wanted.is_in(plain), (form, around)
        assert strike.holds(some, wanted) or form.startswith(b"x") or around in (b"x", b"\xc3")


FORMS = (
    "Quark, Zebulon",
    "quark,zebulon",
    "[Zebulon](https://x.org/a) Quark",
    "[Zebulon](https://x.org/a)Quark",
    "| Zebulon | Quark |",
    "| Zebulon|Quark |",
    "met Zebu-\nlon Quark",
    "> Zebu-\n> lon Quark",
    "Zebulon-\nQuark",
)
OTHERS = (
    "Quark. Zebulon",
    "Zebulon | quarks",
    "[Zebulon](x) a Quark",
    "Zebu - lon Quark",
    "Zebu-\nlons",
)


def test_a_name_is_met_in_other_written_forms_and_each_of_its_lines_is_named() -> None:
    wanted = Wanted(subjects=["Zebulon Quark"])

    def is_met(text: str) -> None:
        lines = ["first line", *text.split("\n"), "last line"]
        assert wanted.is_in(text.replace("> ", ""))
        assert wanted.among(lines) == {*range(1, len(lines) - 1)}
        assert wanted.is_in_value({"said": [text.replace("> ", "")]})
        assert wanted.may_be_in(plainjson.dumps({"said": text.replace("> ", "")}).encode())

    def is_not_met(text: str) -> None:
        assert not wanted.is_in(text)
        assert not wanted.among(text.split("\n"))

    table.holds(is_met, FORMS)
    table.holds(is_not_met, OTHERS)
