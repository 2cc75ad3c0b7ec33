"""The page is enough: a reader that knows nothing else agrees with us on what was written and what was forged."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.journal.sealing import verify
from agentws.features.forget.purge import purge
from agentws.features.journal import listing
from agentws.features.journal.seal import seal
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.core.journal.sealing.test_verify import forge
from tests.format_reader import reader

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "format" / "journal.md"
AGENT = "0f3c9a52d4e84c6f9b7a1d2e3f405162"

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


@pytest.fixture
def journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Workspace:
    """Two writers, several segments, blobs, other scripts, a purge, seals."""
    journals.small(monkeypatch)
    journals.fill(workspace)
    journals.fill(journals.another(workspace, tmp_path), calls=2)
    seal(workspace.stores)
    purge(workspace.stores, [f"{journals.here(workspace).writer}:4"], reason="a name")
    journals.record(workspace, "note", text="behind the seal \u2028 \ud83d\ude00")
    seal(workspace.stores)
    return workspace


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The journal of the format page, as files."""
    text = PAGE.read_text(encoding="utf-8")
    segments = re.findall(r"^```jsonl\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (signers,) = re.findall(r"^```text\n(\w{16} namespaces=.*?)^```$", text, re.DOTALL | re.MULTILINE)
    writer = json.loads(segments[0].split("\n")[0])["body"]["writer"]
    for number, segment in enumerate(segments, 1):
        path = tmp_path / "journal" / writer / f"{number:06d}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(segment, encoding="ascii")
    (tmp_path / "identity").mkdir()
    (tmp_path / "identity" / "allowed_signers").write_text(signers)
    return tmp_path


def test_the_reader_knows_the_standard_library_and_the_page_alone() -> None:
    source = Path(reader.__file__).read_text(encoding="utf-8")
    imported = {
        name.name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for name in node.names
    }

    assert not any(isinstance(node, ast.ImportFrom) for node in ast.walk(ast.parse(source)))
    assert imported <= set(sys.stdlib_module_names)
    assert sum(1 for line in source.split("\n") if line.strip()) <= 90


def test_the_example_of_the_page_is_sound(example: Path) -> None:
    events, wrong = reader.verify(example, AGENT)

    assert wrong == []
    ((writer, found),) = events.items()
    assert [event["kind"] for event in found] == [
        "segment.opened", "session.started", "action", "result", "action", "purged", "segment.opened", "seal",
    ]  # fmt: skip
    assert found[3]["body"] is None
    assert found[6]["body"]["open"][0]["call"] == f"{writer}:5"


def test_we_read_the_example_of_the_page_as_the_reader_does(example: Path) -> None:
    found = verify.verify(Files(str(example)), AGENT)

    assert ([finding.what for finding in found.findings], found.notes) == ([], [])
    assert (found.writers[0].last, found.writers[0].sealed, found.writers[0].purged) == (8, 7, 1)


def test_the_reader_finds_what_we_wrote(journal: Workspace) -> None:
    events, wrong = reader.verify(journal.root, journal.stores.manifest.agent_id)

    assert wrong == []
    ours = [
        (event.cursor, event.kind, event.session, event.body) for event in listing.events(journal.stores, whole=True)
    ]
    theirs = [
        (f"{writer}:{event['seq']}", event["kind"], event["session"], event["body"])
        for writer, found in events.items()
        for event in found
    ]
    assert sorted(map(repr, theirs)) == sorted(map(repr, ours))
    assert len(events) == 2


CHANGES: dict[str, Callable[[list[bytes]], object]] = {
    "edited": lambda lines: lines.append(lines.pop().replace(b'"v":1', b'"v":2')),
    "deleted": lambda lines: lines.pop(1),
    "swapped": lambda lines: lines.insert(1, lines.pop(2)),
    "repeated": lambda lines: lines.insert(1, lines[1]),
    "inserted": lambda lines: lines.insert(1, b"{}"),
    "cut": lambda lines: lines.append(lines.pop()[:-9]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_reader_and_we_find_the_same_journals_to_be_changed(journal: Workspace, what: str) -> None:
    agent = journal.stores.manifest.agent_id
    for path in journals.segments(journal):
        before = path.read_bytes()
        lines = before.split(b"\n")[:-1]
        if len(lines) < 3:
            continue
        CHANGES[what](lines)
        path.write_bytes(b"".join(line + b"\n" for line in lines))

        _, wrong = reader.verify(journal.root, agent)

        assert wrong
        assert verify.verify(journal.stores.files, agent).findings
        path.write_bytes(before)


def test_the_reader_finds_a_chain_that_was_made_anew(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    journals.small(monkeypatch)
    journals.fill(workspace)
    sealed = seal(workspace.stores)
    forge(workspace, seq=3)

    _, wrong = reader.verify(workspace.root, workspace.stores.manifest.agent_id)

    assert len(wrong) == 1, wrong
    assert "seals another line" in wrong[0]
    assert sealed.cursor


def test_the_reader_finds_a_seal_with_a_signature_of_nobody(journal: Workspace) -> None:
    Path(journal.root, "identity", "allowed_signers").write_text("")

    _, wrong = reader.verify(journal.root, journal.stores.manifest.agent_id)

    assert len(wrong) == len([one for one in journal.journal.list() if one.kind == "seal"]) >= 2
    assert all("no good signature" in each for each in wrong)
