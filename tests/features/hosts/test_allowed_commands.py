"""What an agent may run without being asked is no way out: each verb of it, tried on files elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.cli import commands as index
from agentws.core.hosts import allowance
from agentws.core.terminal import options
from agentws.workspace import Workspace
from tests import forked, table
from tests.thorough import THOROUGH

CANARY = "zanzibar"
FILLING = "heron"
"""A word for what must be said besides."""


def commands() -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Each verb that is allowed: its words, its options that take a value, the words that it must have."""
    for name in allowance.VERBS:
        for verb in index.of(name).values():
            taking = [option.names[-1] for option in verb.options if option.kind != options.FLAG]
            yield verb.name.split(), taking, [word.parameter for word in verb.words]


def calls(places: list[str]) -> Iterator[list[str]]:
    """Each verb with each place, as each of its words and behind each of its options."""
    for words, taking, arguments in commands():
        for place in places:
            for at in range(len(arguments)):
                yield [*words, *(place if at == each else FILLING for each in range(len(arguments)))]
            for option in taking:
                yield [*words, option, place]
                if arguments:
                    yield [*words, option, place, *(FILLING for _ in arguments)]


@pytest.fixture
def outside(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another workspace, in whose files the canary sits; links to two of them lie in the one that is meant."""
    other = Path(Workspace.init(str(Path(workspace.root).with_name("other")), name="Otter", git=False).root)
    for name in ("MEMORY.md", "SOUL.md", "memory/2026-11-20.md"):
        other.joinpath(name).write_text(f"# {CANARY}\n\n- [todo] {CANARY}\n")
    Path(workspace.root, "link.md").symlink_to(other / "MEMORY.md")
    Path(workspace.root, "links").symlink_to(other)
    Path(workspace.root, ".agentws").mkdir(exist_ok=True)
    Path(workspace.root, ".agentws", "key").write_text(f"{CANARY}\n")
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("CLAUDECODE", "1")
    return other


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_kept(words: list[str], other: Path) -> None:
    """Nothing of the canary is printed, and nothing beside it is changed."""
    before = contents(other)
    done = forked.run(*words)
    assert CANARY.encode() not in done.stdout + done.stderr, done.stdout + done.stderr
    assert done.returncode != 70, done.stderr
    assert contents(other) == before


def test_every_allowed_verb_is_tried() -> None:
    tried = {words[0] for words, _, _ in commands()}

    assert tried == set(allowance.VERBS)
    assert "--apply" in {option for _, taking, _ in commands() for option in taking}


def test_no_allowed_verb_prints_or_changes_a_file_elsewhere(outside: Path) -> None:
    places = [f"{outside}/MEMORY.md", f"{os.path.relpath(outside)}/MEMORY.md:3", "link.md", ".agentws/key"]
    tried = list(zip(*(calls([place]) for place in places), strict=True))
    if not THOROUGH:  # each place of each verb with one of them, in turn
        tried = [each[number % 4 :: 4] for number, each in enumerate(tried)]

    table.holds(lambda words: is_kept(words, outside), [words for each in tried for words in each])


@pytest.mark.parametrize("option", ["-C", "--workspace"])
def test_no_allowed_verb_reaches_another_workspace_from_behind(outside: Path, option: str) -> None:
    elsewhere = [[*words, *(FILLING for _ in asked), option, str(outside)] for words, _, asked in commands()]

    table.holds(lambda words: is_kept(words, outside), [*elsewhere, ["handoff", option, str(outside), "list"]])


@pytest.mark.parametrize("words", [["log", "A heron"], ["todo"], ["status", "--line"]])
def test_behind_the_verb_an_agent_names_the_workspace_of_its_folder_alone(
    outside: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    def code(*more: str) -> int:
        return forked.run(*more).returncode

    assert code(*words, "-C", ".") == code(*words, "-C", workspace.root) == code("-C", str(outside), *words) == 0
    assert code(*words, "-C", str(outside)) == code("-C", workspace.root, *words, "-C", str(outside)) == 2
    monkeypatch.chdir("/")
    assert code(*words, "-C", workspace.root) == 2
    monkeypatch.setenv("AGENTWS_WORKSPACE", workspace.root)
    assert code(*words, "-C", workspace.root) == 0
    assert code(*words, "-C", str(outside)) == 2
    monkeypatch.delenv("CLAUDECODE")
    assert code(*words, "-C", str(outside)) == 0


@pytest.mark.parametrize(
    ("place", "code"),
    [("../other/SOUL.md", 2), ("../nothing", 2), ("links/SOUL.md", 2), (".agentws/key", 2), ("link.md", 1), ("no", 1)],
)
def test_an_answer_is_a_file_of_the_workspace(outside: Path, place: str, code: int) -> None:
    done = forked.run("curate", "--apply", place)

    assert done.returncode == code
    assert place.encode() in done.stderr
