"""What the tests of seal, purge and renew share: journals to work with, and what must hold of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.formats.journal import chain, event
from agentws.core.formats.journal.event import Event
from agentws.core.installation import installation, keys
from agentws.core.installation.installation import Installation
from agentws.core.stores import record
from agentws.core.stores.record import Happening
from agentws.workspace import Environment, Workspace

needs_signing = pytest.mark.skipif(not keys.is_possible(), reason="nothing here can sign: NOT TESTED")
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here: NOT TESTED")


def note(workspace: Workspace, *texts: str) -> list[str]:
    """The cursors of new events with these texts."""
    recorded, _ = record.record(workspace.stores, [Happening("note", {"text": text}) for text in texts])
    return [str(one.cursor) for one in recorded]


def here(workspace: Workspace) -> Installation:
    found = installation.find(
        workspace.stores.files, workspace.stores.manifest.agent_id, workspace.stores.environment.state
    )
    assert found is not None
    return found


def elsewhere(workspace: Workspace, state: Path) -> Workspace:
    """The same workspace, used by another installation."""
    surroundings = Environment(now=workspace.stores.environment.now, timezone="UTC", state=(str(state), None))
    return Workspace.open(workspace.root, environment=surroundings)


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def journal(workspace: Workspace, writer: str | None = None) -> Path:
    return Path(workspace.root) / "journal" / (writer or here(workspace).writer)


def stored(workspace: Workspace, writer: str | None = None) -> list[bytes]:
    """All lines of a writer."""
    segments = sorted(journal(workspace, writer).glob("*.jsonl"))
    return [line for path in segments for line in path.read_bytes().split(b"\n")[:-1]]


def events(workspace: Workspace, writer: str | None = None) -> list[Event]:
    name = writer or here(workspace).writer
    return [event.decode(line, writer=name) for line in stored(workspace, name)]


def of_kind(workspace: Workspace, kind: str, writer: str | None = None) -> list[Event]:
    return [found for found in events(workspace, writer) if found.kind == kind]


def check_chain(workspace: Workspace, writer: str | None = None) -> int:
    """Follow the chain of a writer from its beginning; the number of its events."""
    name = writer or here(workspace).writer
    prev, seq = chain.genesis(workspace.stores.manifest.agent_id, name), 0
    for seq, line in enumerate(stored(workspace, name), 1):
        prev = chain.check(line, seq=seq, prev=prev)
    return seq


def everywhere(root: str, words: str) -> list[str]:
    """The files beneath a root, hidden ones too, whose content or name holds these words."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            if words.encode() in path.read_bytes():
                found.append(str(path.relative_to(root)))
    return found


def tree(root: str) -> dict[str, bytes]:
    """Every file beneath a root, but locks."""
    files = (path for path in Path(root).rglob("*") if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def copies(root: str, place: Path) -> Iterator[Path]:
    """Fresh copies of a workspace, one after the other, always at the place where it was (state is bound to it)."""
    kept = place / "kept"
    shutil.copytree(root, kept, symlinks=True)
    while True:
        for name in os.listdir(root):
            path = os.path.join(root, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        shutil.copytree(kept, root, symlinks=True, dirs_exist_ok=True)
        yield Path(root)
