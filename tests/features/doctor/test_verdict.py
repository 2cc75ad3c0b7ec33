"""`status` and `doctor` have one verdict: over every kind of damage, they never contradict each other."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentws.core.findings import ADVICE, PROBLEM, WARNING, Check, Finding
from agentws.core.formats import layout
from agentws.features.doctor import command_status as render
from agentws.features.doctor.plan import verdict
from agentws.workspace import Environment, Workspace

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
LONG_AGO = (datetime(2020, 1, 1, tzinfo=UTC).timestamp(),) * 2
TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
Damage = Callable[[Path], object]


def put(path: str, text: str | bytes) -> Damage:
    def done(root: Path) -> None:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)

    return done


def old(damage: Damage, path: str) -> Damage:
    return lambda root: (damage(root), os.utime(root / path, LONG_AGO))


def changed(path: str, before: str, after: str) -> Damage:
    def done(root: Path) -> None:
        text = (root / path).read_text()
        assert before in text
        (root / path).write_text(text.replace(before, after, 1))

    return done


def segment(root: Path) -> str:
    return str(next(root.glob("journal/*/000001.jsonl")).relative_to(root))


def notes(root: Path) -> None:
    for number in range(4):
        at = (NOW - timedelta(hours=number)).isoformat()
        put(f"handoffs/{number}.md", f"---\nsession: s{number}\nat: {at}\nstatus: open\n---\n- go on\n")(root)


BOTH: dict[str, Damage] = {
    "manifest damaged": put("agentws.toml", "format = [\n"),
    "time zone unknown": changed("agentws.toml", '"UTC"', '"Mars/Olympus"'),
    "pinned file gone": changed("agentws.toml", "[history]", '[boot]\npinned = ["GONE.md"]\n\n[history]'),
    "task damaged": put("tasks/a.md", "---\na: [\n---\n"),
    "handoff damaged": put("handoffs/a.md", "---\na: [\n---\n"),
    "context damaged": put("contexts/a.md", "---\na: [\n---\n"),
    "boot file in UTF-16": put("USER.md", "# User\n".encode("utf-16")),
    "old log in UTF-16": put("memory/2026-11-01.md", "# A day\n".encode("utf-16")),
    "link for a document": lambda root: (root / "notes.md").symlink_to("/etc/hosts"),
    "file for a folder": put("tasks", "x"),
    "device for a document": lambda root: os.mkfifo(root / "x.md"),
    "journal a link": lambda root: (root / "journal").rename(root / "j") and (root / "journal").symlink_to("j"),
    "handoffs wait": notes,
    "handoff of long ago": put("handoffs/a.md", "---\nsession: x\nat: 2026-11-01T07:00:00+00:00\n---\n- go on\n"),
    "history failed": put(".agentws/history-failure", "2026-11-19T07:00:00+00:00: git is locked.\n"),
    "repository broken": put(".git/HEAD", "nonsense\n"),
    "git locked long ago": old(put(".git/index.lock", ""), ".git/index.lock"),
    "change interrupted": lambda root: (root / ".agentws/undo/000099.pending").mkdir(parents=True),
    "disk lost an event": lambda root: put(f".agentws/{segment(root).split('/')[1]}.poison", "{}\n")(root),
    "journal damaged": lambda root: changed(segment(root), "looked around", "looked a-way!")(root),
    "seals fail": put(".agentws/seal-failure", "2026-11-19: ssh-keygen failed\n"),
    "compaction fails": put(".agentws/compaction-failures", "2026-11-18: no\n2026-11-19: no\n2026-11-20: no\n"),
    "writer not told of": put(layout.WRITERS, ""),
    "log of a day to come": put("memory/2026-12-24.md", "- presents\n"),
    "root writable by all": lambda root: root.chmod(0o777),
    "file writable by all": lambda root: (root / "SOUL.md").chmod(0o666),
    "key open": lambda root: next((root.parent / "state").rglob("key")).chmod(0o644),
    "conflict copy": put("MEMORY.sync-conflict-20261119-101112-ABCDEFG.md", "# Memory\n"),
    "folder synchronised": lambda root: (root.parent / ".stfolder").mkdir(),
    "kept aside": old(put(".USER.md.agentws-old", "an edit"), ".USER.md.agentws-old"),
    "git not kept out": lambda root: (root / ".agentws/.gitignore").unlink(),
    "not adopted any more": lambda root: (root / "agentws.toml").unlink(),
}
DEEPER: dict[str, Damage] = {
    "secret": put("notes.md", f"token {TOKEN}\n"),
    "memory too large": put(
        "MEMORY.md", "# Memory\n\n" + "".join(f"- fact {n}: herons like it\n" for n in range(2000))
    ),
    "loaded twice": lambda root: put("CLAUDE.md", f"@{root}/USER.md\n")(root),
    "table damaged": put("data/orders.jsonl", '{"id": 1}\nhand-made\n{"id": 3}\n'),
    "exam unreadable": put("exam.toml", "[[must]\n"),
}
NONE: dict[str, Damage] = {
    "nothing": lambda root: None,
    "one fresh handoff": put("handoffs/a.md", "---\nsession: x\nat: 2026-11-20T06:00:00+00:00\n---\n- go on\n"),
    "a quarantine": put(".agentws/quarantine/2026-11-19.md.1", "- half a li"),
    "an unread file": put("tasks/mend the roof.txt", "# Roof\n"),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace in which something has happened, as `as_it_was` beside it keeps it."""
    base = tmp_path_factory.mktemp("model")
    environment = Environment(now=NOW, timezone="UTC", state=(str(base / "world/state"), None))
    made = Workspace.init(str(base / "world/robin"), environment=environment, name="Robin")
    made.log("woke up")
    made.event("note", "looked around")
    made.journal.seal()
    shutil.copytree(base / "world", base / "as_it_was", symlinks=True)
    return base


@pytest.fixture
def damaged(model: Path) -> Callable[[Damage], Workspace]:
    """The same folder each time, since a copy would be noticed: what lies in it is put back before it is damaged."""

    def opened(damage: Damage) -> Workspace:
        root = model / "world/robin"
        for path in [*root.iterdir(), *(path for path in root.parent.iterdir() if path != root)]:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(model / "as_it_was", model / "world", symlinks=True, dirs_exist_ok=True)
        damage(root)
        environment = Environment(now=NOW, timezone="UTC", state=(str(model / "world/state"), None))
        return Workspace.open(str(root), environment=environment)

    return opened


@pytest.mark.parametrize("name", BOTH)
def test_what_a_quick_look_can_see_needs_you_in_both(name: str, damaged: Callable[[Damage], Workspace]) -> None:
    workspace = damaged(BOTH[name])

    examined, found = workspace.doctor(), workspace.status()

    assert not examined.well
    assert not found.well
    assert {(one.where, one.says) for one in found.findings} <= {(one.where, one.says) for one in examined.findings}
    assert [check.remedy for check in found.checks if not check.ok and not check.remedy] == []


@pytest.mark.parametrize("name", DEEPER)
def test_what_only_the_doctor_sees_is_named_by_status_as_not_checked(
    name: str, damaged: Callable[[Damage], Workspace], capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = damaged(DEEPER[name])
    found = workspace.status()

    render.print_full(found)

    said = capsys.readouterr().out
    assert not workspace.doctor().well
    assert found.well
    assert "well" not in said
    assert "agentws doctor" in said
    assert render.status_fields(found)["not_checked"] == list(verdict.DEEPER)


@pytest.mark.parametrize("name", NONE)
def test_what_needs_nobody_needs_nobody_in_either(name: str, damaged: Callable[[Damage], Workspace]) -> None:
    workspace = damaged(NONE[name])

    assert [one.name for one in workspace.doctor().findings if one.needs_you] == []
    assert [check.name for check in workspace.status().checks if not check.ok] == []


def test_neither_changes_anything(damaged: Callable[[Damage], Workspace]) -> None:
    workspace = damaged(BOTH["git not kept out"])
    before = {path: path.lstat().st_mtime_ns for path in Path(workspace.root).rglob("*")}

    workspace.status()
    workspace.doctor()

    assert {path: path.lstat().st_mtime_ns for path in Path(workspace.root).rglob("*")} == before


def test_what_one_side_says_is_not_said_again_by_the_other() -> None:
    check = Check("changes", ok=False, says="a change was interrupted")
    finding = Finding("interrupted", WARNING, "a change was interrupted", remedy="agentws doctor --fix")

    assert verdict.unsaid([finding], [check]) == []
    assert verdict.findings([finding], [check]) == [finding]
    assert [one.name for one in verdict.unsaid([finding], [Check("changes", ok=True, says="none")])] == ["interrupted"]
    assert [one.severity for one in verdict.findings([], [check])] == [PROBLEM]


def test_advice_tells_nothing_that_a_failing_check_needs() -> None:
    check = Check("manifest", ok=False, says="the time zone is not known")
    advice = Finding("time-zone", ADVICE, "another zone", remedy="Nothing.")

    assert verdict.unsaid([advice], []) == []
    assert [one.name for one in verdict.findings([advice], [check])] == ["manifest", "time-zone"]


def test_many_findings_are_counted() -> None:
    many = [Finding("clock", WARNING, f"no {number}", remedy="Set it.") for number in range(9)]

    assert [check.says for check in verdict.unsaid(many, [])][-1] == "4 more findings"


def test_status_names_the_documents_that_cannot_be_read_and_keeps_labels_apart_from_what_they_say(
    damaged: Callable[[Damage], Workspace], capsys: pytest.CaptureFixture[str]
) -> None:
    def five(root: Path) -> None:
        notes(root)
        for name in "abcde":
            put(f"tasks/{name}.md", "---\na: [\n---\n")(root)

    render.print_full(damaged(five).status())

    said = capsys.readouterr().out
    assert "tasks/a.md:" in said
    assert "; also: tasks/b.md, tasks/c.md, tasks/d.md and 1 more" in " ".join(said.split())
    assert "not checked secrets" in said
    assert "handoffs-open ✗" in said
