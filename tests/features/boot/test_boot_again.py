"""A boot that finds everything as it was gives its old answer again, and one that does not never does."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.disk import lock
from agentws.core.disk.files import Files
from agentws.core.disk.system import shipped
from agentws.core.tokens import counters
from agentws.errors import AgentwsError
from agentws.features.boot import apply as boot, assembly, render
from agentws.workspace import Environment, Workspace

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
LINES = (
    "- 07:15 [decision] Chose SQLite !8",
    "- a note #private",
    "plain words",
    "## Log",
    "- [ ] to do",
    "é \x1b[31m",
)
FILES = ("SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md", "CURRENT.md", "TOOLS.md", "tasks/a.md", "contexts/blog.md")
FILES += (
    "CLAUDE.md",
    "AGENTS.md",
    "handoffs/2026-11-19-a.md",
    "handoffs/b.md",
    "memory/2026-11-20.md",
    "memory/2026-11-19.md",
)
FILES += ("memory/2025-01-01.md", "memory/topic.md", "memory/2026-02-31.md")
MANIFESTS = (
    "[boot]\nbudget = 900\n",
    '[boot]\npinned = ["CURRENT.md", "nope.md"]\n',
    '[boot]\ncontext = "blog"\nbudge = 3\n',
    '[boot]\ntokenizer = "chars4"\n',
    "[boot]\nbudget = 1\n",
    "[boot\n",
    "",
)
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "No/Where")


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "agentws")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "robin"
    Workspace.init(str(folder), environment=Environment(now=NOW, timezone="UTC"), name="Robin", git=False)
    (folder / "memory/2026-11-19.md").write_text("# 2026-11-19\n\n- 09:00 [fact] Sam likes tea\n")
    return folder


def told(root: Path, now: datetime, cache: str | None, **asked: object) -> object:
    """All that a boot tells, as plain values, or the error that it ends in."""
    as_of = bool(asked.pop("as_of", False))
    try:
        workspace = Workspace.open(str(root), environment=Environment(now=now, cache=cache, as_of=as_of))
        booted = workspace.boot(**asked)  # type: ignore[arg-type]
    except AgentwsError as error:
        return type(error), error.message
    fields = render.boot_fields(booted)
    whole = booted.context
    return fields, booted.text, booted.cut, whole.text, whole.tokens, whole.cut, booted.messages, workspace.notices


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Grows by one for each boot that was assembled."""
    made: list[object] = []
    really = assembly.assemble

    def counted(*arguments: object, **named: object) -> object:
        made.append(arguments)
        return really(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(assembly, "assemble", counted)
    return made


# That it is used


def test_nothing_is_assembled_twice(root: Path, home: str, assembled: list[object]) -> None:
    first = told(root, NOW, home)
    again = told(root, NOW, home)

    assert first == again
    assert len(assembled) == 1


def test_a_handoff_that_was_written_here_is_looked_up_once(root: Path, home: str, assembled: list[object]) -> None:
    workspace = Workspace.open(str(root), environment=Environment(now=NOW, timezone="UTC", cache=home))
    with workspace.session("reed-1"):
        workspace.handoff(doing="Counting herons", session="reed-1")
    told(root, NOW, None)
    assembled.clear()

    first = told(root, NOW, home)
    again = told(root, NOW, home)

    assert "Counting herons" in first[1]  # type: ignore[index]
    assert first == again
    assert len(assembled) == 1


def test_the_parts_of_a_boot_are_made_by_one_of_those_that_ask_for_them(
    root: Path, home: str, assembled: list[object]
) -> None:
    (root / "USER.md").write_text("- a heron stood at the weir\n" * 900)
    numbers = range(1, 9)

    with ThreadPoolExecutor(len(numbers)) as many:
        answers = [many.submit(told, root, NOW, home, host="claude-code", part=number) for number in numbers]
        texts = [answer.result() for answer in answers]

    assert len(assembled) == 1
    assert texts[-1][1] == ""  # type: ignore[index]
    assert sum(text[1] != "" for text in texts) > 2  # type: ignore[index]
    assert texts == [told(root, NOW, None, host="claude-code", part=number) for number in numbers]


def test_a_part_that_was_not_there_before_is_told(root: Path, home: str) -> None:
    told(root, NOW, home, host="claude-code", part=7)

    (root / "USER.md").write_text("- a heron stood at the weir\n" * 900)

    assert told(root, NOW, home, host="claude-code", part=2) == told(root, NOW, None, host="claude-code", part=2)


def test_where_no_lock_can_be_had_parts_are_told_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = told(root, NOW, None, host="claude-code", part=1)
    monkeypatch.setattr(boot, "_TIMEOUT_S", 0.0)

    with lock.Lock(Files(str(root)), "boot", timeout_s=1.0):
        assert told(root, NOW, None, host="claude-code", part=1) == wanted


def test_the_minute_is_always_the_present_one(root: Path, home: str, assembled: list[object]) -> None:
    told(root, NOW, home)

    for minute in range(0, 16 * 60, 37):
        now = NOW + timedelta(minutes=minute)
        again = told(root, now, home)
        assert f"Fri 2026-11-20 {now:%H:%M} UTC" in again[1]  # type: ignore[index]
        made = len(assembled)
        assert again == told(root, now, None)
        assembled[made:] = []
    assert len(assembled) == 1


def test_a_text_that_holds_its_own_first_line_is_not_mistaken(root: Path, home: str) -> None:
    (root / "SOUL.md").write_text("# Soul\n\nFri 2026-11-20 07:15 UTC · main session\n")
    told(root, NOW, home)

    later = NOW + timedelta(minutes=3)

    assert told(root, later, home) == told(root, later, None)


@pytest.mark.parametrize("name", counters.NAMES)
def test_every_minute_costs_the_same(name: str) -> None:
    counter = counters.counter(name, shipped.open_o200k)

    for zone in ("UTC", "CET", "+03", "-0330"):
        for around in ("Fri 2026-11-20 {} {} · main session · newest log today", "Now: Fri 2026-11-20 {} {}\n"):
            costs = {
                counter.units(around.format(f"{hour:02d}:{minute:02d}", zone))
                for hour in range(24)
                for minute in range(60)
            }
            assert len(costs) == 1


def test_ten_questions_are_remembered_side_by_side(root: Path, home: str, assembled: list[object]) -> None:
    questions = [{"budget": 500 + number} for number in range(5)] + [{"audience": "shared"}, {"tokenizer": "bytes"}]

    for _ in range(2):
        for question in questions:
            told(root, NOW, home, **question)

    assert len(assembled) == len(questions)


# Where it is kept


def test_it_is_kept_for_this_user_alone_and_not_in_the_workspace(root: Path, home: str) -> None:
    before = sorted(root.rglob("*"))

    told(root, NOW, home)

    assert sorted(root.rglob("*")) == before
    found = list(Path(home).rglob("*"))
    modes = {stat.S_IMODE(path.stat().st_mode) for path in found if path.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in [Path(home), *found] if path.is_dir()} == {0o700}


def test_it_does_not_grow(root: Path, home: str) -> None:
    for number in range(30):
        told(root, NOW, home, budget=500 + number)

    assert len([path for path in Path(home).rglob("*") if path.is_file()]) <= 12


@pytest.mark.parametrize("place", [None, "/proc/no/such/place", "/dev/null/x"])
def test_without_a_place_for_it_boot_is_as_ever(root: Path, place: str | None) -> None:
    assert told(root, NOW, place) == told(root, NOW, None)


def entries(home: str) -> list[Path]:
    return [path for path in Path(home).rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"Robin", b"Ribon").replace(b"UTC", b"ABC")),
        lambda path: path.write_bytes(b"0" * 64 + b"\n[]"),
        lambda path: path.chmod(0o644),
        lambda path: (path.rename(f"{path}.x"), path.symlink_to(f"{path}.x")),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), os.mkfifo(path)),
    ],
)
def test_an_entry_that_is_damaged_or_open_to_others_is_not_believed(
    root: Path, home: str, spoil: Callable[[Path], object], assembled: list[object]
) -> None:
    whole = told(root, NOW, home)
    for path in entries(home):
        spoil(path)

    assert told(root, NOW, home) == whole
    assert len(assembled) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_an_entry_of_somebody_else_is_not_believed(root: Path, home: str, assembled: list[object]) -> None:
    told(root, NOW, home)
    for path in entries(home):
        os.chown(path, 12345, 12345)

    told(root, NOW, home)

    assert len(assembled) == 2


def test_another_program_makes_its_own_answers(
    root: Path, home: str, assembled: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    told(root, NOW, home)
    monkeypatch.setattr("agentws.__version__", "0.0.0")

    told(root, NOW, home)

    assert len(assembled) == 2


def test_a_program_that_was_edited_makes_its_answers_anew(
    root: Path, home: str, assembled: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "days.py"
    shutil.copy(str(assembly.__file__), program)
    monkeypatch.setattr(assembly, "__file__", str(program))
    told(root, NOW, home)
    told(root, NOW, home)
    assert len(assembled) == 1
    program.write_text(program.read_text() + "\n")

    told(root, NOW, home)

    assert len(assembled) == 2


# That it never tells anything else


def edit(dice: random.Random, root: Path) -> str:
    """One thing that may happen to a workspace; says what it was."""
    path = root / dice.choice(FILES)
    what = dice.choice(
        ["append", "append", "same size", "delete", "new", "rename", "mode", "swap", "manifest", "left", "folder"]
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _edit(dice, root, path, what)
    except OSError:
        return f"{what} failed"
    return f"{what} {path.name}"


def _edit(dice: random.Random, root: Path, path: Path, what: str) -> None:
    if what == "append":
        with path.open("a") as file:
            file.write(dice.choice(LINES) + dice.choice(["\n", ""]))
    elif what == "same size":
        before = path.stat()
        content = path.read_text()
        path.write_text(content.replace("a", "o") if "a" in content else content.swapcase())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif what == "delete":
        path.unlink()
    elif what == "new":
        front = dice.choice(["", "---\nprivate: yes\n---\n", "---\nstatus: done\n---\n", "---\nbad: [\n"])
        path.write_text(front + "\n".join(dice.sample(LINES, 3)))
    elif what == "rename":
        path.rename(path.with_name(dice.choice(["x.md", "2026-11-18.md", "2026-11-21.md"])))
    elif what == "mode":
        path.chmod(dice.choice([0o000, 0o644]))
    elif what == "swap":
        path.unlink(missing_ok=True)
        dice.choice([lambda: path.symlink_to(root / "SOUL.md"), path.mkdir, lambda: os.mkfifo(path)])()
    elif what == "manifest":
        head = f'format = 1\nid = "x"\nname = "{dice.choice(["Robin", ""])}"\ntimezone = "{dice.choice(ZONES)}"\n'
        (root / "agentws.toml").write_text(head + dice.choice(MANIFESTS))
    elif what == "left":
        dice.choice(
            [
                lambda: (root / ".agentws/undo/000009.pending").mkdir(parents=True),
                lambda: (root / ".agentws/undo/000009.pending").rmdir(),
                lambda: (root / ".agentws/history-failure").write_text("2026-11-20T07:00:00: git is gone.\n"),
                lambda: (root / ".agentws/history-failure").unlink(),
            ]
        )()
    elif what == "folder":
        folder = root / dice.choice(["memory", "tasks"])
        if folder.is_symlink():
            folder.unlink()
            folder.mkdir()
        else:
            folder.rename(root / f"away-{dice.random()}")
            folder.symlink_to(root / "contexts")


QUESTIONS: tuple[dict[str, object], ...] = (
    {},
    {},
    {"budget": 300},
    {"tokenizer": "chars4"},
    {"audience": "shared"},
    {"context_name": "blog"},
    {"as_of": True},
    {"budget": 3},
    {"host": "claude-code"},
    {"host": "codex", "part": 1},
    {"host": "claude-code", "part": 2},
)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_the_cache_changes_nothing_that_is_told(root: Path, home: str, seed: int) -> None:
    dice = random.Random(seed)
    now = NOW
    happened: list[str] = []
    for _ in range(8):
        asked = dice.choice(QUESTIONS)
        for _ in range(2):
            now += timedelta(minutes=dice.choice([0, 1, 50]))
            assert told(root, now, home, **asked) == told(root, now, None, **asked), happened
        happened.append(edit(dice, root))
        if dice.random() < 0.2:
            now += timedelta(days=dice.choice([1, 30, 200]))
            happened.append(f"now {now}")


def test_an_edit_of_the_same_size_in_the_same_tick_is_seen(root: Path, home: str) -> None:
    path = root / "MEMORY.md"
    path.write_text("- Sam likes tea\n")
    before = path.stat()
    told(root, NOW, home)

    path.write_text("- Sam likes ale\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert "likes ale" in told(root, NOW, home)[1]  # type: ignore[index]


def test_a_log_that_becomes_a_link_or_a_folder_is_seen(root: Path, home: str) -> None:
    path = root / "memory/2026-11-19.md"
    kinds = (lambda: path.symlink_to(root / "SOUL.md"), path.mkdir, lambda: os.mkfifo(path))
    for make in kinds:
        told(root, NOW, home)
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        make()

        assert told(root, NOW, home) == told(root, NOW, None)


def test_a_workspace_that_may_not_be_written_any_more_says_so(
    root: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(root, NOW, home)
    monkeypatch.setattr("agentws.core.disk.files.os.access", lambda *_: False)

    assert "agentws can write nothing" in told(root, NOW, home)[1]  # type: ignore[index]


def test_what_is_hidden_from_one_moment_is_shown_at_another(root: Path, home: str) -> None:
    (root / "memory/2026-11-21.md").write_text("- 08:00 tomorrow already\n")
    told(root, NOW, home)

    assert "tomorrow already" not in told(root, NOW, home, as_of=True)[1]  # type: ignore[index]
    assert "tomorrow already" in told(root, NOW, home)[1]  # type: ignore[index]


def test_the_same_time_before_and_after_the_clocks_change(root: Path, home: str, assembled: list[object]) -> None:
    manifest = root / "agentws.toml"
    manifest.write_text(manifest.read_text().replace('"UTC"', '"Europe/Berlin"'))
    summer = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)

    assert "02:30 CEST" in told(root, summer, home)[1]  # type: ignore[index]
    assert "02:30 CET" in told(root, summer + timedelta(hours=1), home)[1]  # type: ignore[index]
    assert "02:30 CEST" in told(root, summer, home)[1]  # type: ignore[index]
    assert len(assembled) == 2
