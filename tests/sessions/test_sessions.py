"""Every console session of the documentation does what it says; and the player of sessions is no yes-man."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.runner import SessionFailedError, matches, play, steps

ROOT = Path(__file__).resolve().parent.parent.parent
PLACES = ("README.md", "docs/tutorial.md", "docs/guides/*.md", "docs/format/*.md", "tests/sessions/*.md")
QUICK = ("README.md", "docs/tutorial.md")
"""What people begin with is played in `make test` too."""
NEEDS_SERVER = "fleet.md"
"""Played by tests/features/fleet/test_guide.py."""
DOCUMENTS = [
    path
    for place in PLACES
    for path in sorted(ROOT.glob(place))
    if path.name != NEEDS_SERVER and steps(path.read_text(encoding="utf-8"))
]


def played(path: Path) -> object:
    """A document as a case: slow, but for those that people begin with."""
    name = str(path.relative_to(ROOT))
    return pytest.param(path, id=name, marks=() if name in QUICK else pytest.mark.slow)


@pytest.mark.parametrize("document", [played(path) for path in DOCUMENTS])
def test_a_document_does_what_it_says(document: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()

    assert play(document, folder) > 0


def test_the_documents_that_people_start_with_have_sessions() -> None:
    names = {path.name for path in DOCUMENTS}

    assert {"README.md", "tutorial.md", "adopting.md"} <= names


@pytest.mark.parametrize(
    ("session", "says"),
    [
        ("$ echo one\ntwo\n", "-two\n+one"),
        ("$ false\n", "exit code 1, not 0"),
        ("$ true # exit 3\n", "exit code 0, not 3"),
        ("$ echo one\n$ echo two\n", "+one"),
        ("$ echo one\none\nand more\n", "-and more"),
        ("$ exit 4\n", "did not come to the end"),
    ],
)
def test_a_session_that_is_not_true_fails_and_shows_the_difference(session: str, says: str, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    document = tmp_path / "wrong.md"
    document.write_text(f"```console\n{session}```\n")

    with pytest.raises(SessionFailedError) as failed:
        play(document, folder)

    assert says in str(failed.value)


def test_blocks_of_a_document_share_folder_and_variables(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    document = tmp_path / "right.md"
    document.write_text(
        "```console\n$ cat > note <<END\n> one\n>\n> two\n> END\n$ export WORD=kept && mkdir a && cd a\n```\n"
        "Text.\n```console\n$ cat ../note; echo $WORD; cat\none\n\ntwo\nkept\n$ false # exit 1\n```\n"
    )

    assert play(document, folder) == 4


def test_dots_stand_for_any_text_and_any_lines() -> None:
    assert matches(["a … c", "…", "z"], "a b c\nd\ne\nz\n")
    assert matches(["…"], "")
    assert not matches(["a … c"], "a b\nc\n")
    assert not matches(["a"], "a\nb\n")
