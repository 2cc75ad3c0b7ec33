"""Open items of many logs: only files that have changed are read, and what is known of the others says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.disk import read_trace
from agentws.core.disk.files import Files
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

DAYS = [f"2026-10-{day:02}" for day in range(1, 31)]
KEY = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", cache=str(tmp_path / "cache"))


@pytest.fixture
def month(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with a log for each day of a month. Files count as unchanged for long."""
    monkeypatch.setattr(read_trace, "_SETTLED_NS", -1)
    for day in DAYS:
        write(workspace, day, f"# {day}\n\n- [ ] Water bed {day[-2:]} (due {day})\n- The heron is back\n")
    return workspace


@pytest.fixture
def reads(month: Workspace, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The logs that are read from now on."""
    read, paths = Files.read, list[str]()

    def noted(files: Files, path: str) -> bytes:
        if path.startswith("memory/2"):
            paths.append(path)
        return read(files, path)

    monkeypatch.setattr(Files, "read", noted)
    return paths


def write(workspace: Workspace, day: str, text: str) -> None:
    Path(workspace.root, "memory", f"{day}.md").write_text(text)


def rows(workspace: Workspace) -> list[tuple[str, int, str, str, str, str]]:
    return [(row.path, row.line, row.text, row.ref, row.since, row.due) for row in workspace.todos().rows]


def kept(workspace: Workspace) -> str:
    """What the cache has of open items."""
    return entry(workspace).read_text()


def entry(workspace: Workspace) -> Path:
    assert workspace.stores.cache.folder is not None
    return Path(workspace.stores.cache.folder, "open-items")


def test_each_log_is_read_once(month: Workspace, reads: list[str]) -> None:
    first = rows(month)
    assert len(reads) == len(DAYS)
    del reads[:]

    assert rows(month) == first
    assert len(first) == len(DAYS)
    assert reads == []


def test_a_changed_log_is_read_again(month: Workspace, reads: list[str]) -> None:
    rows(month)
    del reads[:]
    write(month, DAYS[3], "- [x] Water bed 30\n- [ ] Oil the gate\n")

    texts = [text for _, _, text, *_ in rows(month)]

    assert reads == [f"memory/{DAYS[3]}.md"]
    assert any(text == "Oil the gate" for text in texts)
    assert not any("Water bed 04" in text for text in texts)


def test_a_removed_log_has_no_items(month: Workspace) -> None:
    rows(month)
    Path(month.root, "memory", f"{DAYS[0]}.md").unlink()

    assert not any("Water bed 01" in text for _, _, text, *_ in rows(month))


def test_a_known_item_is_closed(month: Workspace) -> None:
    rows(month)

    month.done("Water bed 07")

    assert not any("Water bed 07" in text for _, _, text, *_ in rows(month))


def test_lists_of_known_logs_are_replaced_as_ever(month: Workspace) -> None:
    for day in DAYS[:2]:
        write(month, day, "## Next\n\n- [ ] Paint the fence\n- [ ] Mend the roof\n")
    write(month, DAYS[2], "## Next\n\n- Paint the fence\n- Buy slates\n")
    first = rows(month)

    assert rows(month) == first
    assert not any(path == f"memory/{DAYS[1]}.md" for path, *_ in first)


def test_words_of_the_manifest_count_for_known_logs(month: Workspace) -> None:
    write(month, DAYS[0], "Sowing: the beans\n")
    rows(month)
    with open(f"{month.root}/agentws.toml", "a", encoding="utf-8") as file:
        file.write('\n[vocabulary]\ntodo = ["sowing"]\n')

    again = Workspace.open(month.root, environment=month.stores.environment)

    assert any("the beans" in text for _, _, text, *_ in rows(again))


def test_a_secret_is_not_cached(month: Workspace) -> None:
    write(month, DAYS[0], f"- [ ] Water the ferns\n- [ ] Revoke {KEY}\n")

    assert any("Revoke" in text for _, _, text, *_ in rows(month))

    assert "Water bed 02" in kept(month)
    assert KEY not in kept(month)


def test_a_damaged_cache_changes_nothing(month: Workspace) -> None:
    first = rows(month)
    entry(month).write_bytes(b"{}\n[]")

    assert rows(month) == first


def test_an_unreadable_log_is_named_each_time(month: Workspace) -> None:
    Path(month.root, "memory", f"{DAYS[5]}.md").write_bytes(b"<<<<<<< ours\n- [ ] Sow\n=======\n>>>>>>> theirs\n")

    for _ in range(2):
        assert any(f"{DAYS[5]}.md" in notice for notice in month.todos().unread)


def test_a_shared_audience_does_not_see_what_is_known(month: Workspace, environment: Environment) -> None:
    write(month, DAYS[0], "- [ ] Call Tom #private\n")
    rows(month)
    environment.audience = "shared"
    shared = Workspace.open(month.root, environment=environment)

    assert not any("Tom" in text for _, _, text, *_ in rows(shared))
