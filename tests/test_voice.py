"""tools/voice.py finds what docs/style.md rules out, in texts that are said and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import voice


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("A shelf of {boards} boards is none.", "is none"),
        ("{name} is no oven.", "is no X"),
        ("The cook is told so.", "is told"),
        ("The lid is of theirs.", "of theirs"),
        ("It goes by its end.", "goes by"),
        ("It stands there still.", "stands there"),
        ("The bread is over.", "is over"),
        ("The kettle takes no more.", "takes no"),
        ("Whoever bakes, waits.".lower(), "whoever"),
        ("Nothing was done. What is hot stays hot.", "where … or what … as a subject"),
        ("Bread is hot, so for cakes.", "so for"),
        ("Files besides the usual.", "besides"),
        ("Show the cake, and do nothing.", "and do nothing"),
        ("It is not used any more.", "any more"),
        ("Mend the lid.", "mend"),
        ("{name} is not there.", "is not there"),
        ("--hot and --cold exclude each other.", "exclude each other"),
        ("Bake the bread anew.", "anew"),
        ("See what is burnt: oven list", "See what"),
        ("Shorten it to one line.", "it without its noun"),
    ],
)
def test_a_text_that_the_page_rules_out_is_found(text: str, rule: str) -> None:
    for source in (f"raise Error(f{text!r})", f"hint = {text!r}", f"say(\n    'First. '\n    {text!r}\n)"):
        (found,) = (fault for fault in voice.faults(source, "oven.py") if fault.rule == rule)
        assert (found.path, found.line) == ("oven.py", 2 if source.startswith("say") else 1)


@pytest.mark.parametrize(
    "source",
    [
        '"""Where the oven is none of ours."""',
        "def bake():\n    '''What is no bread.'''",
        "x = 1  # what is over is no more",
        "say('There is no more to bake, so the oven stays cold.')",
        "say('What should the next cook know?')",
        "say('Bake the bread. Then cut it, and see what is left.')",
        r"FIND = r'\bis no [a-z]+'",
        "kind = 'besides'",
    ],
)
def test_comments_docstrings_patterns_and_words_are_free(source: str) -> None:
    assert voice.faults(source, "oven.py") == []


@pytest.mark.parametrize("answer", ["True where it is hot.", "False for cold ones.", "Whether it is hot."])
def test_the_docstring_of_a_question_begins_with_return(answer: str) -> None:
    for source in (f'"""{answer}"""', f"class Oven:\n    def is_hot(self):\n        '{answer}'"):
        (found,) = voice.faults(source, "oven.py")
        assert found.rule == "a docstring begins with Return"
    assert voice.faults('"""Return whether it is hot."""', "oven.py") == []


def test_the_docstring_of_a_verb_is_its_help() -> None:
    source = "def bake(run: Invocation) -> None:\n    '''Bake what is no bread.'''\n"

    (found,) = voice.faults(source, "agentws/cli/commands/bake.py")
    assert (found.line, found.rule) == (1, "is no X")
    assert voice.faults(source, "agentws/cli/bake.py") == []
    for other in (source.replace("run: Invocation", ""), source.replace("bake(", "_bake(")):
        assert voice.faults(other, "agentws/cli/commands/bake.py") == []


def test_a_page_is_checked_outside_of_code() -> None:
    page = "# Oven\n\nThe oven is told.\n\n```sh\nthe oven is told\n```\n\nSay `is told`, and whoever bakes hears.\n"

    found = voice.page_faults(page, "oven.md")

    assert [(fault.line, fault.rule) for fault in found] == [(3, "is told"), (9, "whoever")]


def test_docstrings_and_comments_are_read_without_code() -> None:
    source = '"""An oven\n\nof ours."""\n\nX = 1  # `is told` about bread\n\n\ndef bake():\n    """Bake."""\n'

    assert voice.remarks_of(source) == ["An oven of ours.", "Bake.", "# `…` about bread"]


def test_most_docstrings_keep_to_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "oven.py").write_text('"""The oven is told."""\n\nHOT = 1  # degrees\n')
    monkeypatch.setattr(voice, "ROOT", tmp_path / "agentws")
    monkeypatch.setattr(voice, "_pages", list)
    monkeypatch.setattr(voice, "_files", lambda: [tmp_path / "oven.py"])

    assert voice.main() == 1
    assert "50.0% of 2 docstrings and comments break docs/style.md (at most 3%)" in capsys.readouterr().out
