"""What boot found in files that have not changed is kept, and is never anything else than what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentws.planning.boot.index import Index
from agentws.planning.notes import reading
from agentws.storage.disk.cache import Cache
from agentws.workspace import Environment, Workspace

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # in the form of one, and nobody's
FILES = {
    "SOUL.md": "# Soul\n\nI am Robin.\n\n- Never: push to main\n",
    "MEMORY.md": "# Memory\n\n## Rules\n\n- Ask before sending\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    "memory/2026-11-20.md": "# 2026-11-20\n\n- 07:00 [todo] Book the movers\n",
    "memory/2026-11-19.md": f"# 2026-11-19\n\n## Next\n\n- [ ] Call Sam\n  - at noon\n\nThe token is {SECRET}\n",
    "memory/2026-11-18.md": "# 2026-11-18\n\n```\ncode\n```\n\n- port: 8080\n- ⏳ Antwort #private !9\n- Erledigt: x\n",
}
NOTES = [path for path in FILES if path != "SOUL.md"]
"""Where something may be open: who the agent is asks for nothing, and is read where it has to be cut."""
NEWEST = "memory/2026-11-20.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "robin"
    Workspace.init(str(folder), environment=Environment(now=NOW, timezone="UTC"), name="Robin", git=False)
    for path, text in FILES.items():
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "agentws")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths of the files that were read for their entries."""
    paths: list[str] = []
    really = reading.read

    def noted(text: str, *, path: str, **rest: object) -> object:
        paths.append(path)
        return really(text, path=path, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "read", noted)
    return paths


def told(root: Path, home: str | None, **asked: object) -> object:
    workspace = Workspace.open(str(root), environment=Environment(now=NOW, cache=home))
    booted = workspace.boot(**asked)  # type: ignore[arg-type]
    sections = [(one.source, one.tokens, one.tokens_in, one.shown, one.of) for one in booted.context.sections]
    return booted.text, booted.tokens, booted.notices, sections


def add(path: Path, text: str = "- 07:10 one more line\n") -> None:
    with path.open("a") as file:
        file.write(text)


def test_after_one_new_line_only_the_newest_log_is_read_again(root: Path, home: str, read: list[str]) -> None:
    told(root, home)
    for _ in range(3):
        read.clear()
        add(root / NEWEST)
        told(root, home)
        assert read == [NEWEST]


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_has_changed_is_read_as_it_is_now(root: Path, home: str, path: str, read: list[str]) -> None:
    told(root, home)
    add(root / path, "- [decision] Chose SQLite\n- [done] Call Sam\n")
    read.clear()

    again = told(root, home)

    assert sorted(read) == sorted({path, NEWEST}.intersection(NOTES))
    assert again == told(root, None)
    assert "Chose SQLite" in str(again)


@pytest.mark.parametrize(
    "asked", [{}, {"budget": 300}, {"tokenizer": "bytes"}, {"audience": "shared"}, {"budget": 900}]
)
def test_with_an_index_all_is_told_as_without(root: Path, home: str, asked: dict[str, object]) -> None:
    told(root, home)
    add(root / NEWEST)

    assert told(root, home, **asked) == told(root, None, **asked)


def test_a_secret_stays_hidden_and_is_not_in_the_index(root: Path, home: str) -> None:
    told(root, home)
    add(root / NEWEST)

    again = told(root, home)

    assert SECRET not in str(again)
    assert "redacted" in str(again)
    assert not any(SECRET.encode() in path.read_bytes() for path in Path(home).rglob("*") if path.is_file())


def test_other_words_are_read_with_other_words(root: Path, home: str) -> None:
    told(root, home)
    add(root / "agentws.toml", '\n[vocabulary.headings]\nrules = ["next"]\n')

    assert told(root, home) == told(root, None)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"Sam", b"Tom")),
        lambda path: path.write_bytes(b"0" * 64 + b"\n[]"),
    ],
)
def test_an_index_that_is_lost_or_damaged_is_made_again(
    root: Path, home: str, spoil: Callable[[Path], object], read: list[str]
) -> None:
    told(root, home)
    add(root / NEWEST)
    expected = told(root, None)
    spoil(next(Path(home).rglob("index")))
    read.clear()

    assert told(root, home) == expected
    assert set(NOTES) <= set(read)
    read.clear()
    add(root / NEWEST)
    told(root, home)
    assert read == [NEWEST]


def test_another_program_reads_for_itself(
    root: Path, home: str, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told(root, home)
    read.clear()
    monkeypatch.setattr("agentws.__version__", "0.0.0")

    assert told(root, home) == told(root, None)
    assert set(read) > {NEWEST}


def test_little_that_is_new_is_not_written(root: Path, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "MEMORY.md").write_text("".join(f"- fact {number} of many\n" for number in range(400)))
    told(root, home)
    written: list[str] = []
    really = Cache.put
    monkeypatch.setattr(
        Cache, "put", lambda self, name, *rest, **more: (written.append(name), really(self, name, *rest, **more))
    )
    add(root / "SOUL.md")

    told(root, home)

    assert "index" not in written


@pytest.mark.parametrize("is_large", [False, True])
@pytest.mark.parametrize("listed", ["pinned", "context"])
@pytest.mark.parametrize("path", [NEWEST, "memory/2026-11-19.md", "MEMORY.md"])
def test_a_file_of_two_roles_is_told_in_each_as_without_an_index(
    root: Path, home: str, monkeypatch: pytest.MonkeyPatch, path: str, listed: str, is_large: bool
) -> None:
    item = f"says {'a long word ' * (140 if is_large else 1)}(via net:mail)"
    add(root / path, "".join(f"- 08:00 [rule] item {at} {item}\n" for at in range(180 if is_large else 2)))
    if listed == "pinned":
        add(root / "agentws.toml", f'\n[boot]\npinned = ["{path}"]\n')
    else:
        (root / "contexts").mkdir(exist_ok=True)
        (root / "contexts/desk.md").write_text(f"---\nfiles: [{path}]\n---\n# Desk\n")
        add(root / "agentws.toml", '\n[boot]\ncontext = "desk"\n')

    found = [told(root, each) for each in (home, home, None)]

    monkeypatch.setattr(Index, "recognise", lambda *_: None)
    plain = told(root, None)
    assert [one == plain for one in found] == [True, True, True]
