"""What people wrote for themselves stands nowhere in this repository: seven words in a row of theirs are a quotation.

`AGENTWS_PRIVATE_TEXTS` names a folder with a folder for each of these people, Markdown or plain text below it. Without
it there is nothing to compare with. Two kinds of runs are nobody's own words: what two people have alike (templates,
licences, turns of phrase), and the names of the files that the format itself defines, which do not count as words.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from agentws.core.formats import layout

ROOT = Path(__file__).resolve().parent.parent
PRIVATE = os.environ.get("AGENTWS_PRIVATE_TEXTS", "")
RUN = 7
OF_OTHERS = {"LICENSE", "NOTICE"}
"""Files whose words are quoted by their nature."""
OF_THE_FORMAT = re.compile("|".join(map(re.escape, (*layout.AGENT_FILES, *layout.HOST_FILES))), re.IGNORECASE)
WORD = re.compile(r"\w+")


def runs(text: str) -> Iterator[tuple[int, str]]:
    """Each run of words in a text, with the line that it begins in."""
    bare = OF_THE_FORMAT.sub(" ", text.lower())
    line, counted, words = 1, 0, []
    for found in WORD.finditer(bare):
        line, counted = line + bare.count("\n", counted, found.start()), found.start()
        words = [*words[-RUN + 1 :], (line, found[0])]
        if len(words) == RUN:
            yield words[0][0], " ".join(word for _, word in words)


def quoted(files: Iterable[tuple[str, str]], private: Path) -> list[str]:
    """`path:line: words` for each run of words in `files` (name, text) that one person alone has below `private`."""
    places: dict[str, list[str]] = {}
    for name, text in files:
        for line, run in runs(text):
            places.setdefault(run, []).append(f"{name}:{line}: {run}")
    texts = [path for path in sorted(private.rglob("*")) if path.suffix in (".md", ".txt") and path.is_file()]
    assert texts, f"no text lies below {private}"
    owners: dict[str, set[str]] = {}
    for path in texts:
        owner = path.relative_to(private).parts[0] if path.parent != private else ""
        for _, run in runs(path.read_text(encoding="utf-8", errors="replace")):
            if run in places:
                owners.setdefault(run, set()).add(owner)
    return [place for run, found in places.items() if len(owners.get(run, ())) == 1 for place in found]


def tree() -> Iterator[tuple[str, str]]:
    """The text files of this repository, those that are not committed yet too."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in listed.stdout.split("\0"):
        if name and name not in OF_OTHERS and (ROOT / name).is_file():
            try:
                yield name, (ROOT / name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


@pytest.mark.skipif(not PRIVATE, reason="AGENTWS_PRIVATE_TEXTS names no folder of private texts")
def test_nobodys_own_words_stand_in_this_repository() -> None:
    assert quoted(tree(), Path(PRIVATE)) == []


def test_seven_words_of_one_person_are_found_however_they_are_set(tmp_path: Path) -> None:
    (tmp_path / "ada" / "memory").mkdir(parents=True)
    (tmp_path / "ada" / "memory" / "2026-11-20.md").write_text("- Painted the *old* garden gate green.\nSam helped.\n")

    assert quoted([("a.py", "x = 1\n# painted THE old garden-gate green: sam!\n")], tmp_path) == [
        "a.py:2: painted the old garden gate green sam"
    ]
    assert quoted([("a.py", "# painted the old garden gate green")], tmp_path) == []


def test_what_two_people_have_and_names_of_files_are_nobodys_words(tmp_path: Path) -> None:
    said = "the same seven words in both texts"
    listed = "SOUL.md, IDENTITY.md, USER.md, AGENTS.md, MEMORY.md"
    for person, text in (("ada", f"{said}\n{listed}\n"), ("sam", f"{said}\n")):
        (tmp_path / person).mkdir()
        (tmp_path / person / "notes.md").write_text(text)

    assert quoted([("a.md", f"{said}\n\n{listed}\n")], tmp_path) == []


def test_a_folder_without_texts_proves_nothing(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no text"):
        quoted([("a.md", "one two three four five six seven")], tmp_path)


def test_the_tree_that_is_looked_at_is_the_whole_one() -> None:
    names = {name for name, _ in tree()}

    assert {"README.md", "agentws/workspace.py", "tests/test_private_texts.py", "templates/default/SOUL.md"} <= names
