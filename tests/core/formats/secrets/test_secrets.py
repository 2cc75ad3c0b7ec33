import itertools
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.secrets import checks, secrets, shapes
from agentws.core.text import invisible
from tests import table
from tests.core.formats.secret_corpus import (
    FALSE_EXAMPLES,
    LOGINS,
    LOOK_ALIKES,
    NO_SECRETS,
    PASSWORD_SIGNS,
    PASSWORD_WORDS,
    SENTENCES,
    Dice,
    Example,
    password_example,
    true_examples,
)
from tests.thorough import THOROUGH

TRUE_EXAMPLES = true_examples()
_RANDOM = "q7Vx" + "Zt29LmK4pRw8Ns3Bd6Hy"
_TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
AROUND = {
    "alone": ("", ""),
    "a bullet": ("- ", ""),
    "a bullet with more": ("- noted at 10:15: ", " (rotate it)\n"),
    "backticks": ("it is `", "`, so far"),
    "double quotes": ('it is "', '".'),
    "single quotes": ("it is '", "'"),
    "an equals sign": ("VALUE=", "\n"),
    "a table": ("| what | ", " |\r\n"),
    "a long text": ("it rains, and it pours\n" * 60, "\n"),
}


def test_a_secret_is_found_with_its_kind_and_exact_place() -> None:
    def check(row: tuple[Example, str]) -> None:
        example, place = row
        before, after = AROUND[place]
        text = before + example.text + after

        (finding,) = secrets.find(text)

        assert (finding.kind, text[finding.start : finding.end]) == (example.kind, example.secret)

    table.holds(check, itertools.product(TRUE_EXAMPLES, AROUND))


def test_every_kind_has_two_examples() -> None:
    counts = {kind: sum(example.kind == kind for example in TRUE_EXAMPLES) for kind in shapes.KINDS}

    assert min(counts.values()) >= 2
    assert len(counts) >= 40


def test_speaking_of_secrets_is_not_having_one() -> None:
    def check(text: str) -> None:
        assert secrets.find(text) == []
        assert secrets.find(f"- {text}\r\n") == []
        assert secrets.find(f"(`{text}`)") == []

    table.holds(check, FALSE_EXAMPLES)


def test_look_alikes_of_passwords_and_new_tokens_stay_silent() -> None:
    def check(text: str) -> None:
        assert secrets.find(text) == []
        assert secrets.find(f"- {text}\r\nand 4821 more") == []

    assert len(set(LOOK_ALIKES)) >= 90
    table.holds(check, LOOK_ALIKES)


def test_a_short_password_is_found_behind_every_word_and_sign() -> None:
    def check(row: tuple[int, str, str]) -> None:
        sort, word, sign = row
        example = password_example(Dice(word + sign), word, sign, sort)
        for before in ("", "- ", "wifi (home), "):
            (finding,) = secrets.find(before + example.text)
            assert (before + example.text)[finding.start : finding.end] == example.secret

    table.holds(check, itertools.product(range(3), PASSWORD_WORDS, PASSWORD_SIGNS))


def test_a_password_beside_a_name_or_behind_a_dash_is_found() -> None:
    def check(row: tuple[str, str]) -> None:
        shape, secret = row
        text = shape.format(secret)
        (finding,) = secrets.find(f"- {text}\r\nand 4821 more")
        assert f"- {text}"[finding.start : finding.end] == secret
        assert secret not in secrets.hide(text)[0]

    table.holds(check, LOGINS)


def test_what_people_and_programs_write_down_is_found_by_kind() -> None:
    def check(row: tuple[int, tuple[str, str, Callable[[Dice], str]]]) -> None:
        number, (kind, sentence, make) = row
        for turn in range(3):
            secret = make(Dice(f"sentence {number} {turn}"))
            text = sentence.format(secret)
            for before, after in (("", ""), ("- ", "\r\nand 4821 more"), ("- 10:15 noted: ", "\n\n## Next\n")):
                (finding,) = secrets.find(before + text + after)
                found = (before + text + after)[finding.start : finding.end]

                assert (finding.kind, found) == (kind, secret)
            assert secret not in secrets.hide(text)[0]

    assert len(SENTENCES) >= 60
    table.holds(check, enumerate(SENTENCES))


def test_lines_that_only_look_like_them_stay_silent() -> None:
    def check(text: str) -> None:
        assert secrets.find(text) == []
        assert secrets.find(f"- {text}\r\nand 4821 more") == []

    assert len(set(NO_SECRETS)) >= 90
    table.holds(check, NO_SECRETS)


INVISIBLE = "\u200b\u200d\u2060\ufeff\u00ad\u034f\ufe0f\U000e0041\U000e0100\u3164"


def test_what_is_broken_by_characters_that_nobody_sees_is_still_found() -> None:
    def check(row: tuple[int, Example]) -> None:
        number, example = row
        char = INVISIBLE[number % len(INVISIBLE)]
        middle = example.text.index(example.secret) + len(example.secret) // 2
        for broken in (char, char * 3):
            text = f"á- {example.text[:middle]}{broken}{example.text[middle:]}"
            hidden, count = secrets.hide(text)

            assert count == 1
            assert example.secret[: len(example.secret) // 2] not in hidden.replace("‹redacted:", "")
            assert not set(INVISIBLE) & set(hidden)

    table.holds(check, enumerate(TRUE_EXAMPLES))


def test_an_invisible_character_beside_a_secret_hides_no_secret() -> None:
    token = "gh" + "p_" + "k3Jx9QmZ2vLw8RtY5nBc7PdF4sHg6TaVe1Uo"

    for before, after in (("foo\u200b", "\u200bbar"), ("x\u00ad", ""), ("", "\u2060y")):
        (finding,) = secrets.find(before + token + after)
        assert token in (before + token + after)[finding.start : finding.end]


def test_hiding_leaves_nothing_of_a_secret() -> None:
    def check(example: Example) -> None:
        hidden, count = secrets.hide(f"- {example.text}, so far")

        assert count == 1
        assert example.secret not in hidden
        assert secrets.find(hidden) == []

    table.holds(check, TRUE_EXAMPLES)


def test_the_false_examples_together_stay_false() -> None:
    assert len(set(FALSE_EXAMPLES)) >= 120
    assert secrets.find("\n".join(FALSE_EXAMPLES)) == []


# A PEM block has its dashes for a boundary; all else is bounded by what is no letter and no digit.
TOKENS = [example for example in TRUE_EXAMPLES if example.text == example.secret and example.kind != "private-key"]


def test_a_token_inside_a_longer_run_is_part_of_something_else() -> None:
    def check(example: Example) -> None:
        found = secrets.find("9f8Qz" + example.text)

        assert example.kind not in {finding.kind for finding in found}

    table.holds(check, TOKENS)


def test_lines_are_counted_from_one_by_newlines_alone() -> None:
    tokens = [example.text for example in TRUE_EXAMPLES if example.kind == "github-token"][:4]
    text = f"{tokens[0]}\r\n\n\u2028 then\x0c {tokens[1]} and {tokens[2]}\r\nnothing\n- `{tokens[3]}`"

    found = secrets.find(text)

    assert [finding.line for finding in found] == [1, 3, 3, 5]
    assert [text[finding.start : finding.end] for finding in found] == tokens


def test_a_document_of_all_secrets_gives_all_of_them() -> None:
    text = "\n\n".join(f"- {example.text}" for example in TRUE_EXAMPLES)

    found = secrets.find(text)

    assert [text[f.start : f.end] for f in found] == [example.secret for example in TRUE_EXAMPLES]
    assert all(text.count("\n", 0, f.start) + 1 == f.line for f in found)


def test_an_assignment_of_a_known_token_is_named_after_the_token() -> None:
    token = "gh" + "p_" + "k3Jx9QmZ2vLw8RtY5nBc7PdF4sHg6TaVe1Uo"

    (finding,) = secrets.find(f"GITHUB_TOKEN={token}")

    assert finding.kind == "github-token"


def test_two_parameters_of_one_address_are_two_secrets() -> None:
    key, secret = "k3Jx9QmZ2" + "vLw8RtY5n", "Bc7PdF4sH" + "g6TaVe1Uo"
    text = f"https://api.robin.dev/?api_key={key}&api_secret={secret}"

    found = secrets.find(text)

    assert [text[finding.start : finding.end] for finding in found] == [key, secret]


def test_a_private_key_without_an_end_is_found_as_far_as_it_goes() -> None:
    block = next(example.text for example in TRUE_EXAMPLES if example.kind == "private-key")
    cut = block[: block.index("\n-----END")]

    (finding,) = secrets.find(f"- the key:\n{cut}\n\nThen we went for lunch.")

    assert (finding.line, finding.end - finding.start) == (2, len(cut))


def test_a_finding_does_not_show_the_secret() -> None:
    example = TRUE_EXAMPLES[0]

    assert example.secret not in repr(secrets.find(example.text))


def test_a_placeholder_is_known_and_is_no_secret() -> None:
    assert secrets.has_placeholder("- token: ‹redacted:github-token:k3f9›")
    assert secrets.has_placeholder("cut off: ‹redacted:github-to")
    assert not secrets.has_placeholder("- token: <redacted>, or ‹this›")
    for kind in shapes.KINDS:
        assert secrets.find(f"password: {secrets.PLACEHOLDER_OPEN}{kind}:k3Jx9QmZ2vLw8RtY5nBc›") == []


@pytest.mark.parametrize(
    "part",
    [
        *(
            "a",
            "sk-",
            "eyJ.",
            "eyJaaaaaaaa.",
            "eyJ0eXAiOiJ",
            "ghp_",
            "sk-proj-",
            "token:",
            "token ",
            "token=&a",
            "password",
        ),
        *("://a:", "://a:b@", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMII", "Bearer ", "Bearer a"),
        *(
            ".",
            "MTAx.",
            ":AA",
            "Q~",
            "xoxb-",
            "sig=",
            "?sig=%",
            "-us1",
            "0",
            "SK0 twilio ",
            "_key=",
            "api key (",
            "login: a / ",
            "pass: ",
            "password:\n",
            "curl -u ",
            "seed phrase ",
            "key ",
            "wallet ",
            "[1,",
            "-----",
        ),
        *("sk-ant-", "dp.st.a", "fm2_", "1//0", "access_token$", ".atlasv1.", "‹redacted:", "-", "\\n", "A1b2"),
    ],
)
def test_a_megabyte_made_to_be_slow_is_read_to_its_end(part: str) -> None:
    ends = ("", "\n!@ x")
    for end in ends if THOROUGH else ends[len(part) % 2 :][:1]:
        text = part * (1_000_000 // len(part)) + end

        found = secrets.find(text)

        assert all(0 <= finding.start < finding.end <= len(text) for finding in found)


PIECES = st.sampled_from(
    [
        *(example.text for example in TRUE_EXAMPLES),
        *FALSE_EXAMPLES,
        *(trigger for _, triggers, _ in shapes.RULES for trigger in triggers),
        *("\n", "\r\n", " ", "=", ": ", "`", '"', "‹", "›", "İ", "\x00", "\ud800", "🔑", "://", "@", "-----"),
    ]
)


@given(st.lists(PIECES | st.text(max_size=40), max_size=12).map("".join) | st.text())
def test_any_text_gives_findings_within_it_and_in_order(text: str) -> None:
    found = secrets.find(text)

    ends = [0]
    for finding in found:
        assert ends[-1] <= finding.start < finding.end <= len(text)
        assert finding.kind in shapes.KINDS
        assert finding.line == text.count("\n", 0, finding.start) + 1
        ends.append(finding.end)


def _imports_re(text: str) -> bool:
    """Whether looking through `text` in a new interpreter imports `re`."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); assert 're' not in sys.modules\n"
        "from agentws.core.formats.secrets import secrets\n"
        "before = set(sys.modules); secrets.find(sys.argv[2])\n"
        "assert 're' in sys.modules or set(sys.modules) == before\n"
        "sys.exit(17 if 're' in sys.modules else 0)"
    )
    root = str(Path(secrets.__file__).parents[4])
    command = [sys.executable, "-I", "-S", "-c", program, root, text]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 17), done.stderr
    return done.returncode == 17


@pytest.mark.parametrize(
    "text",
    [
        "",
        "chose SQLite over Postgres, see docs/decisions/0003-storage-is-sqlite.md",
        "task-list is in /home/robin/projects/brain/tasks/2026-05-14.md, key-value store is next",
        "the token was rotated, its password too",
        "pushed 3f786850e387550fdab836ed7e6dc881de23001b to https://github.com/robin/brain/pull/17",
        "‹redacted:github-token:k3f9›",
    ],
)
def test_a_text_without_a_trigger_costs_no_pattern(text: str) -> None:
    assert not _imports_re(text)


def test_a_text_with_a_trigger_is_looked_at_with_patterns() -> None:
    assert _imports_re(TRUE_EXAMPLES[0].text)


@st.composite
def texts_with_pieces_of_secrets(draw: st.DrawFn) -> str:
    """Secrets, whole or cut or grown, among what triggers rules and what does not."""
    triggers = sorted({trigger for _, triggers, _ in shapes.RULES for trigger in triggers})
    example = st.sampled_from(TRUE_EXAMPLES).map(lambda example: example.text)
    pieces = draw(
        st.lists(
            st.one_of(
                example,
                st.sampled_from(triggers),
                st.sampled_from(FALSE_EXAMPLES),
                st.text(st.sampled_from(" \t\n=:\"'`@/.-_aA0fZ9"), max_size=40),
            ),
            max_size=5,
        )
    )
    text = "".join(pieces)
    cut = draw(st.integers(0, max(0, len(text))))
    return text[cut:] if draw(st.booleans()) else text


def test_what_is_looked_for_first_is_what_the_rules_name() -> None:
    looked_for = [
        *secrets._BEGINNINGS.split(" "),
        *secrets._NAMES,
        *secrets._KEYS,
        *(one for _, ones in secrets._GATES for one in ones),
    ]
    named = {trigger for _, triggers, _ in shapes.RULES for trigger in triggers}

    assert sorted(looked_for) == sorted(named)


def test_every_character_that_nobody_sees_is_looked_for_in_a_text() -> None:
    every = [chr(code) for low, high in invisible.RANGES for code in range(low, high + 1)]

    assert [char for char in every if not secrets._may_hide(f"a{char}b")] == []
    assert secrets._may_hide("a\\u{200b}b")
    assert [text for text in ("plain", "café’s menu – 菜单", "меню") if secrets._may_hide(text)] == []


@given(texts_with_pieces_of_secrets())
def test_looking_for_plain_substrings_first_misses_no_secret(text: str) -> None:
    every_rule = list(range(len(shapes.RULES)))

    assert secrets.find(text) == [secrets.SecretFinding(*found) for found in checks.search(text, every_rule)]


@pytest.mark.parametrize("example", TRUE_EXAMPLES, ids=repr)
def test_the_plain_search_finds_what_the_patterns_alone_find(example: Example) -> None:
    for before, after in AROUND.values():
        text = before + example.text + after

        every = checks.search(text, list(range(len(shapes.RULES))))
        assert secrets.find(text) == [secrets.SecretFinding(*found) for found in every]


def test_a_secret_among_invisible_characters_is_told_with_its_line_and_whole_place() -> None:
    text = "one\ntwo\npass\u200bword: hunter2hunter2\n"

    (found,) = secrets.find(text)

    assert (found.line, text[found.start : found.end]) == (3, "hunter2hunter2")


def test_a_name_before_a_secret_is_known_in_any_case() -> None:
    names = "password passwd passphrase passcode pwd secret token credential api_key apikey private_key auth_key my_key"

    for name in names.split():
        for spelled in (name, name.upper(), name.title(), name.swapcase()):
            assert secrets.find(f"{spelled} = {_RANDOM}"), spelled


def test_a_long_text_is_read_in_little_more_memory_than_its_own() -> None:
    half = "Order paint for the gate and a boat\n" * 10_000
    text = f"{half}token {_TOKEN} here\n{half}"
    tracemalloc.start()
    try:
        (secret,) = secrets.find(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert text[secret.start : secret.end] == _TOKEN
    assert peak < 8 * len(text)
