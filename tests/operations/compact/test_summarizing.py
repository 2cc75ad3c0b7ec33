"""Whatever a summarizer does, what was chosen without it stands."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from agentws.errors import DamagedError
from agentws.operations.compact import reading, summarizing
from agentws.planning import tokens
from agentws.planning.compaction import asking
from agentws.planning.compaction.choice import Choice, Kept
from agentws.planning.compaction.folding import Folder
from agentws.planning.compaction.units import Day
from agentws.workspace import Environment, Workspace

COUNTER = tokens.Bytes()
DAYS = {
    "2026-03-02": ("I moved to Lisbon for the new job at Harbor Goods.", "I pay 1,200 euros rent for the flat."),
    "2026-03-03": ("My sister Anna visits me on May 3.", "I don't drive any more."),
}
GOOD = "- Maria moved to Lisbon for a job at Harbor Goods [1]"


@pytest.fixture
def folder(workspace: Workspace) -> Folder:
    for day, notes in DAYS.items():
        text = f"# {day}\n\n" + "".join(f"- 09:00 **Maria:** {note}\n" for note in notes)
        Path(workspace.root, "memory", f"{day}.md").write_text(text)
    return reading.read(workspace, before="2026-11-01").folder


@pytest.fixture
def choice(folder: Folder) -> Choice:
    lines = asking.lines([Day(one.path, day, one.text) for day, one in folder.days])
    return Choice(new=[Kept(f"{one.day} {one.shown}", "Facts", one.day, one.sources, 100) for one in lines])


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def python(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def says(text: str) -> str:
    return python(f"print({text!r})")


def everything(workspace: Workspace) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(workspace.root).rglob("*") if path.is_file()}


def apply(
    workspace: Workspace,
    folder: Folder,
    choice: Choice,
    command: str | None,
    *,
    settings: Path | None = None,
    timeout_s: float | None = None,
) -> tuple[Choice, list[str]]:
    where = None if settings is None else str(settings)
    return summarizing.apply(
        workspace, folder, choice, command, room=4000, counter=COUNTER, settings=where, timeout_s=timeout_s
    )


def test_a_summarizer_says_it_in_its_words(workspace: Workspace, folder: Folder, choice: Choice) -> None:
    found, notices = apply(workspace, folder, choice, says(GOOD))

    assert [one.text for one in found.new] == [
        "2026-03-02 Maria moved to Lisbon for a job at Harbor Goods",
        *(one.text for one in choice.new[1:]),
    ]
    assert notices == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise SystemExit(1)", "it ended with exit code 1"),
        (f"print({GOOD!r}); raise SystemExit(1)", "it ended with exit code 1"),
        ("import time; time.sleep(60)", "it did not answer within 1 s"),
        ("pass", "it said nothing"),
        ("print('[rest unchanged]')", "it leaves the work undone: [rest unchanged]"),
        (f"print({GOOD!r}); print('[rest unchanged]')", "it leaves the work undone: [rest unchanged]"),
        ("import os; os.kill(os.getpid(), 9)", "it was ended by signal 9"),
        ("print('x' * 10_000_000)", "it said more than 1048576 bytes"),
        ("print('- Maria moved to Lisbon')", "nothing in it could be found in the lines"),
        ("print('- Maria pays 900 euros rent [2]')", "nothing in it could be found in the lines"),
        ("import sys; print(sys.stdin.read())", "it repeats what it was asked"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "what it said is not UTF-8"),
        (
            "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nos._exit(1)",
            "it ended with exit code 1",
        ),
        ("open('MEMORY.md', 'w').write('gone')", "it said nothing"),
        ("import os; print([name for name in os.environ if 'AGENTWS' in name])", "there are no bullets in it"),
    ],
)
def test_a_summarizer_that_misbehaves_changes_nothing(
    workspace: Workspace, folder: Folder, choice: Choice, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    monkeypatch.chdir(workspace.root)
    monkeypatch.setenv("AGENTWS_WORKSPACE", workspace.root)
    before = everything(workspace)

    found, notices = apply(workspace, folder, choice, python(code), timeout_s=1 if "60)" in code else 60)

    assert found is choice
    assert notices[0] == f"The summarizer was of no use: {why}. What was chosen without it stands there."
    assert everything(workspace) == before


def test_a_summarizer_that_is_not_there_is_a_notice(workspace: Workspace, folder: Folder, choice: Choice) -> None:
    found, notices = apply(workspace, folder, choice, "no-such-program-here")

    assert found is choice
    assert "there is no program no-such-program-here" in notices[0]


def test_bullets_that_do_not_hold_are_said_with_why(workspace: Workspace, folder: Folder, choice: Choice) -> None:
    answer = "\n".join([GOOD, *(f"- Pedro number {number} moved to Lisbon [1]" for number in range(5))])

    _, notices = apply(workspace, folder, choice, says(answer))

    assert notices == [
        "Bullets of the summarizer that were left out: 5. “Pedro number 0 moved to Lisbon”: its lines do not say 0; "
        "“Pedro number 1 moved to Lisbon”: its lines do not say 1; "
        "“Pedro number 2 moved to Lisbon”: its lines do not say 2; and 2 more."
    ]


@pytest.mark.parametrize("command", [None, "", "builtin", " builtin "])
def test_without_one_nothing_is_run(workspace: Workspace, folder: Folder, choice: Choice, command: str | None) -> None:
    found, notices = apply(workspace, folder, choice, command)

    assert found is choice
    assert notices == []


def test_the_user_s_settings_name_one(workspace: Workspace, folder: Folder, choice: Choice, settings: Path) -> None:
    settings.write_text(f"[compaction]\nsummarizer = {_quoted(says(GOOD))}\n")

    found, _ = apply(workspace, folder, choice, None, settings=settings)

    assert found.new[0].text == "2026-03-02 Maria moved to Lisbon for a job at Harbor Goods"


@pytest.mark.parametrize("command", ["builtin", ""])
def test_the_command_line_can_say_none(
    workspace: Workspace, folder: Folder, choice: Choice, settings: Path, command: str
) -> None:
    settings.write_text(f"[compaction]\nsummarizer = {_quoted(says(GOOD))}\n")

    found, _ = apply(workspace, folder, choice, command, settings=settings)

    assert found is choice


def test_settings_that_cannot_be_read_are_an_error_before_anything_is_run(
    workspace: Workspace, folder: Folder, choice: Choice, settings: Path, tmp_path: Path
) -> None:
    settings.write_text("[compaction]\nsummarizer = llm\n")

    with pytest.raises(DamagedError, match=r"config\.toml:2: "):
        apply(workspace, folder, choice, f"touch {tmp_path / 'ran'}", settings=settings)

    assert not (tmp_path / "ran").exists()


def test_a_workspace_names_no_program(
    workspace: Workspace, folder: Folder, choice: Choice, environment: Environment, tmp_path: Path
) -> None:
    with Path(workspace.root, "agentws.toml").open("a") as manifest:
        manifest.write(f"\n[compaction]\nsummarizer = 'touch {tmp_path / 'ran'}'\n")
    cloned = Workspace.open(workspace.root, environment=environment)

    found, notices = apply(cloned, folder, choice, None)

    assert found is choice
    assert notices[0].startswith("agentws.toml names a summarizer, which is not run")
    assert not (tmp_path / "ran").exists()


def test_nobody_is_asked_where_nothing_was_chosen(workspace: Workspace, folder: Folder, tmp_path: Path) -> None:
    apply(workspace, folder, Choice(), f"touch {tmp_path / 'ran'}")

    assert not (tmp_path / "ran").exists()


class Scripted:
    """A summarizer that says what it was told to, answer by answer."""

    def __init__(self, *said: str) -> None:
        self.left = list(said)
        self.asked = 0

    def summarize(self, _request: str) -> Scripted.Answer:
        self.asked += 1
        said = self.left.pop(0)
        return Scripted.Answer("", said[1:]) if said.startswith("!") else Scripted.Answer(said, "")

    class Answer:
        def __init__(self, text: str, failure: str) -> None:
            self.text = text
            self.failure = failure


def some_calls(folder: Folder, count: int) -> list[asking.Call]:
    lines = asking.lines([Day(one.path, day, one.text) for day, one in folder.days])
    return [asking.Call(lines, 100)] * count


def test_each_answer_is_checked_alone(folder: Folder) -> None:
    seen: list[tuple[str, int, int]] = []

    bullets, notices = summarizing.ask(
        Scripted("!it said nothing", GOOD, "[...]"),
        some_calls(folder, 3),
        lambda what, done, total: seen.append((what, done, total)),
    )

    assert [bullet.text for bullet in bullets] == ["Maria moved to Lisbon for a job at Harbor Goods"]
    assert notices == [
        "The summarizer was of no use 2 of 3 times: it said nothing; it leaves the work undone: [...]. "
        "What was chosen without it stands there."
    ]
    assert seen == [("summarizer", 1, 3), ("summarizer", 2, 3), ("summarizer", 3, 3)]


def test_one_that_fails_twice_in_a_row_is_asked_no_more(folder: Folder) -> None:
    scripted = Scripted("!late", "!late", GOOD, GOOD)

    bullets, notices = summarizing.ask(scripted, some_calls(folder, 4))

    assert (bullets, scripted.asked) == ([], 2)
    assert notices == [
        "The summarizer was of no use 2 of 2 times: late. What was chosen without it stands there. "
        "It was not asked the other 2 times."
    ]


def _quoted(text: str) -> str:
    assert "'''" not in text
    return f"'''{text}'''"
