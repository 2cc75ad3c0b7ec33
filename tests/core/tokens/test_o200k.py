"""Exact token counts: equal to tiktoken's for every text.

tiktoken is given the ranks of our own table, so that nothing is downloaded. That the table is made of the published
file is what tools/build_o200k.py checks, and what the digests in tests/core/disk/system/test_vocabulary.py hold on to.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from types import ModuleType

import pytest
import tiktoken
from hypothesis import example, given, strategies as st

from agentws.core.disk.system import shipped
from agentws.core.tokens import counters, o200k
from agentws.core.tokens.counters import FACTORS, Bound
from agentws.core.tokens.o200k import NO_TOKEN, O200k
from tests.thorough import THOROUGH

# As published in tiktoken_ext/openai_public.py.
PUBLISHED_PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    )
)
PUBLISHED_SPECIAL_TOKENS = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

# What the pattern, the merging, or an earlier mistake might trip over.
MORSELS = [
    *(
        "a",
        "b",
        "s",
        "S",
        "t",
        "T",
        "re",
        "VE",
        "ll",
        "LL",
        "lL",
        "m",
        "d",
        "D",
        "r",
        "'",
        "''",
        "’",
        "ſ",
        "ʼ",
        "A",
        "B",
    ),
    *("AB", "Ab", "aB", "the", " the", "ing", "XMLHttp", "0", "1", "23", "456", "²", "½", "٣", "१", "Ⅷ", "_", "`", "#"),
    *(" ", "  ", "   ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x85", "\xa0", "\u2028", "\u3000", "\u200b", "\x00"),
    *("\x1c", "\x1f", "/", "//", "!", "...", "-", "--", "=", "==", "|", '"', "(", "<|endoftext|>", "https://a.b/c\n/d"),
    *(
        "é",
        "e\u0301",
        "É",
        "ß",
        "ẞ",
        "ı",
        "İ",
        "ǅ",
        "ª",
        "ʰ",
        "K",
        "Ω",
        "中",
        "文",
        "日本",
        "の",
        "カ゛",
        "한국",
        "ไทย",
    ),
    *("ा", "क्", "षि", "א", "ב", "שָׁ", "ـ", "سلام", "\u0301", "\u20dd", "\ufe0f", "\ufeff", "\u200d", "\ue000"),
    *("😀", "👨\u200d👩\u200d👧", "👍🏽", "🇩🇪", "1️⃣", "𝒜", "𐐀", "𐐨", "𞤀", "\U0001df0a", "\u1c89", "\U00010d4a"),
    *("\U0010ffff", "\ud83d", "\ude00", "\ud800", "\udfff"),
]


@pytest.fixture(scope="module")
def counter() -> O200k:
    return O200k(shipped.open_o200k())


@pytest.fixture(scope="module")
def published(counter: O200k) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "o200k_base",
        pat_str=PUBLISHED_PATTERN,
        mergeable_ranks={counter.token(rank): rank for rank in range(counter.size)},
        special_tokens=PUBLISHED_SPECIAL_TOKENS,
    )


@pytest.fixture(scope="module")
def claude(counter: O200k) -> Bound:
    return Bound("claude", counter, factor=FACTORS["claude"])


def test_the_table_holds_every_published_token_once(counter: O200k) -> None:
    every = [counter.token(rank) for rank in range(counter.size)]

    assert counter.size == 199_998
    assert [counter.rank(token) for token in every] == list(range(199_998))
    assert {bytes([byte]) for byte in range(256)} <= set(every)
    assert min(PUBLISHED_SPECIAL_TOKENS.values()) >= counter.size


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", b"agentws", b"a" * 129, b"<|endoftext|>"])
def test_what_is_no_token_has_no_rank(counter: O200k, data: bytes) -> None:
    assert counter.rank(data) == NO_TOKEN


def test_the_pattern_is_still_the_published_one(published: tiktoken.Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})

    assert as_published(public) == (PUBLISHED_PATTERN, PUBLISHED_SPECIAL_TOKENS)


@given(text=st.text())
@example(text="")
@example(text="\ufeff")
def test_any_text_counts_as_in_tiktoken(counter: O200k, published: tiktoken.Encoding, text: str) -> None:
    assert counter.units(text) == len(published.encode_ordinary(text))


@given(morsels=st.lists(st.sampled_from(MORSELS), max_size=40))
def test_hard_morsels_in_any_order_count_as_in_tiktoken(
    counter: O200k, published: tiktoken.Encoding, morsels: list[str]
) -> None:
    text = "".join(morsels)

    assert counter.units(text) == len(published.encode_ordinary(text))


def test_every_code_point_is_classed_as_in_tiktoken(counter: O200k, published: tiktoken.Encoding) -> None:
    """Whatever Unicode version this Python has: among letters, digits, marks, after an apostrophe, before a slash."""
    for start in range(0, 0x110000, 64):
        text = "".join(
            f"a{character}B{character}1{character} {character} x'{character}s!{character}/\n"
            for character in map(chr, range(start, start + 64, 1 if THOROUGH else sparsely(start)))
        )

        assert counter.units(text) == len(published.encode_ordinary(text)), hex(start)


def test_white_space_is_unicodes_and_not_pythons(counter: O200k) -> None:
    found = {character for character in map(chr, range(0x10000)) if is_white_space(counter, character)}

    assert found == set(WHITE_SPACE) - {"\r", "\n"}
    assert "\x1c".isspace()


def is_white_space(counter: O200k, character: str) -> bool:
    """Only white space leaves the punctuation before it, and joins the word after it."""
    return not "\ud800" <= character <= "\udfff" and list(counter.pieces(f"!{character}a")) == ["!", f"{character}a"]


@pytest.mark.parametrize("ending", ["s", "t", "re", "ve", "m", "ll", "d"])
def test_contractions_ignore_case(counter: O200k, published: tiktoken.Encoding, ending: str) -> None:
    endings = {ending, ending.upper(), ending.title(), ending.swapcase(), ending.title().swapcase(), "ſ"}
    for text in (f"{word}'{end}{after}" for word in ("I", "we", "ÉT") for end in endings for after in ("", "x", "'d")):
        assert counter.units(text) == len(published.encode_ordinary(text)), text


@pytest.mark.parametrize(
    "alphabet", ["a", "=", "=-", "ab", "ha", "ACGT", "0", "é", "中", "aé", "abcdefghijklmnopqrstuvwxyz"]
)
@pytest.mark.parametrize("length", [100, 255, 256, 257, 1_000, 100_000])
def test_a_long_word_counts_as_in_tiktoken_and_takes_no_square_of_time(
    counter: O200k, published: tiktoken.Encoding, alphabet: str, length: int
) -> None:
    if length == 100_000 and not THOROUGH and alphabet not in ("a", "=", "ha", "abcdefghijklmnopqrstuvwxyz"):
        length = 10_000
    text = (alphabet * length)[:length]
    shuffled = "".join(random.Random(length).choices(alphabet, k=length))

    assert counter.units(text) == len(published.encode_ordinary(text))
    assert counter.units(shuffled) == len(published.encode_ordinary(shuffled))


@pytest.mark.parametrize("text", [" " * 20_000, " " * 20_000 + "x", "\n" * 20_000, "\r\n \t" * 5_000, "9" * 20_000])
def test_long_runs_count_as_in_tiktoken(counter: O200k, published: tiktoken.Encoding, text: str) -> None:
    assert counter.units(text) == len(published.encode_ordinary(text))


def test_a_large_mixed_text_counts_as_in_tiktoken(counter: O200k, published: tiktoken.Encoding) -> None:
    for seed in range(20 if THOROUGH else 1):
        text = mixed(counter, random.Random(seed), size=200_000)

        assert counter.units(text) == len(published.encode_ordinary(text))


def test_pieces_joined_are_the_text(counter: O200k) -> None:
    text = mixed(counter, random.Random(0), size=20_000)

    assert "".join(counter.pieces(text)) == text


def test_what_is_remembered_changes_no_count(
    counter: O200k, published: tiktoken.Encoding, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(o200k, "_REMEMBERED", 3)
    forgetful = O200k(shipped.open_o200k())
    text = mixed(counter, random.Random(1), size=20_000)

    assert forgetful.units(text) == forgetful.units(text) == len(published.encode_ordinary(text))


def test_a_machine_of_the_other_byte_order_counts_the_same(counter: O200k, monkeypatch: pytest.MonkeyPatch) -> None:
    table = bytearray(shipped.open_o200k())
    end = 128 + 65_536 + 4 * 2**18 + 4 * (counter.size + 1)
    for start, stop in ((20, 36), (128 + 65_536, end)):
        swapped = memoryview(bytes(table[start:stop])).cast("I")
        table[start:stop] = b"".join(number.to_bytes(4, "big") for number in swapped)
    monkeypatch.setattr("sys.byteorder", "big")

    assert O200k(bytes(table)).units("It's a big-endian world: Größe, 中文.") == counter.units(
        "It's a big-endian world: Größe, 中文."
    )


# The law that budgets rely on: counts add up at line starts.


def may_be_cut(before: str, after: str) -> bool:
    run = after[: len(after) - len(after.lstrip(WHITE_SPACE))]
    return before.endswith(("\n", "\r")) and not after.startswith("/") and not set(run) & {"\n", "\r"}


@given(before=st.lists(st.sampled_from(MORSELS), max_size=20), after=st.lists(st.sampled_from(MORSELS), max_size=20))
def test_counts_add_up_at_line_starts(counter: O200k, claude: Bound, before: list[str], after: list[str]) -> None:
    for left in ("".join(before) + end for end in ("\n", "\r\n", " \n", "!\n\n", "/\n", "\r")):
        for right in (
            start + "".join(after) for start in ("", "a", "#", "- ", "'s", " x", "\t/", "\u3000中", "\u0301", "0")
        ):
            if may_be_cut(left, right):
                assert counter.units(left + right) == counter.units(left) + counter.units(right)
                assert claude.units(left + right) == claude.units(left) + claude.units(right)


def test_counts_add_up_at_the_line_starts_of_a_large_text(counter: O200k) -> None:
    text = mixed(counter, random.Random(2), size=100_000)
    cuts = [at for at in range(1, len(text)) if text[at - 1] == "\n" and may_be_cut(text[:at][-1:], text[at:][:200])]
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert len(cuts) > 500
    assert sum(counter.units(part) for part in parts) == counter.units(text)


@pytest.mark.parametrize(
    ("before", "after", "together"),
    [
        ("!\n", "/usr", 1),  # a slash is drawn into the line ends after punctuation
        ("Prowl", "arr", 0),
        ("shenziswa", "worked", 5),  # merging is greedy: more text can end in worse tokens
        ("０", "１００" * 100, 100),  # three digits at a time, counted from the first
        ("a\n", "\nb", -1),
    ],
)
def test_counts_do_not_add_up_elsewhere(counter: O200k, before: str, after: str, together: int) -> None:
    assert counter.units(before + after) - counter.units(before) - counter.units(after) == together


# Bounds for tokenizers that are not public.


@pytest.mark.parametrize(("name", "numerator"), [("claude", 3), ("gemini", 2)])
def test_words_cost_the_factor_and_all_else_costs_bytes(counter: O200k, name: str, numerator: int) -> None:
    bound = Bound(name, counter, factor=FACTORS[name])

    assert (bound.name, bound.exact, bound.trust) == (name, False, "a declared bound")
    assert bound.units(" tokenizer") == numerator * counter.units(" tokenizer")
    assert bound.units("a") == 1
    assert bound.units("2026") == 4
    assert bound.units("------") == 6
    assert bound.units("中文") == 6


def test_a_factor_may_be_a_fraction(counter: O200k) -> None:
    bound = Bound("third", counter, factor=(4, 3))

    assert bound.units_per_token == 3
    assert bound.units(" word") == 4
    assert counters.tokens(bound, " word") == 2


@given(text=st.text())
def test_a_bound_is_never_below_o200k_nor_above_bytes(counter: O200k, claude: Bound, text: str) -> None:
    assert counter.units(text) <= claude.units(text) <= len(text.encode())


def sparsely(point: int) -> int:
    """Among ideographs, Hangul and private characters one of eight will do; where nothing is assigned, one of 64."""
    if 0x3400 <= point < 0xA000 or 0xAC00 <= point < 0xF900 or 0x17000 <= point < 0x18D00 or 0x20000 <= point < 0x33480:
        return 8
    return 64 if 0x33480 <= point < 0xE0000 or point >= 0xE0200 else 1


def as_published(public: ModuleType) -> tuple[str, dict[str, int]]:
    made = public.o200k_base()
    return made["pat_str"], made["special_tokens"]


def mixed(counter: O200k, source: random.Random, *, size: int) -> str:
    """Markdown, code, words and bytes of any vocabulary, in `size` characters."""
    return "".join(_lines(counter, source, size))[:size]


def _lines(counter: O200k, source: random.Random, size: int) -> Iterator[str]:
    made = 0
    while made < size:
        words = [
            re.sub("[\r\n]", " ", counter.token(source.randrange(counter.size)).decode("utf-8", "replace"))
            for _ in range(source.randrange(1, 12))
        ]
        line = source.choice(
            (
                f"- {' '.join(words)}\n",
                f"## {source.randrange(10**6)} {''.join(words)}\r\n",
                f"{' ' * source.randrange(9)}{'_'.join(words)} = {source.random()!r}  # {words[0]}'S\n\n",
                f"| {' | '.join(words)} |\n|---|---|\n",
                f"/{'/'.join(words)}\n",
                f"{''.join(source.choices(MORSELS[:-4], k=9))}\n",
            )
        )
        made += len(line)
        yield line
