"""The verified copy: only what differs is sent, all that was sent is read back, and a copy once begun is continued."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.travel.inventory import TreeEntry
from agentws.errors import ChangedUnderneathError
from agentws.features.copies.transfer import verified_copy
from agentws.features.copies.transfer.transport import Stream
from agentws.features.copies.transfer.tree import Tree

MIGRATION = "0123abcd"


class Counting(Tree):
    """A tree that counts what it sends."""

    sent: list[str]

    def streams(self, entries: Sequence[TreeEntry]) -> Iterator[tuple[TreeEntry, Stream | None]]:
        self.sent += [entry.path for entry in entries]
        return super().streams(entries)


@pytest.fixture
def source(tmp_path: Path) -> Counting:
    root = tmp_path / "source"
    (root / "notes").mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (root / "notes" / name).write_text(name)
    tree = Counting(str(root))
    tree.sent = []
    return tree


@pytest.fixture
def transport(tmp_path: Path) -> Iterator[Any]:
    with verified_copy.reach() as local:
        local.inspect(str(tmp_path / "robin"), MIGRATION)
        local.prepare("1")
        yield local


def test_a_copy_that_was_begun_is_continued_with_what_differs(source: Counting, transport: Any, tmp_path: Path) -> None:
    first = verified_copy.VerifiedCopy(source, transport)
    first.carry(first.look())
    os.remove(tmp_path / "source" / "notes" / "a.md")
    (tmp_path / f".robin.incoming-{MIGRATION}" / "notes" / "b.md").write_text("spoiled")
    source.sent.clear()

    again = verified_copy.VerifiedCopy(source, transport)
    again.look()
    delta = again.compare()
    again.carry(delta)

    assert (source.sent, delta.gone) == (["notes/b.md"], ["notes/a.md"])
    assert not again.compare()


def test_what_arrives_otherwise_is_a_difference_still(
    source: Counting, transport: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "put", lambda entry, stream: None)
    copy = verified_copy.VerifiedCopy(source, transport)

    copy.carry(copy.look())

    assert [entry.path for entry in copy.difference().send] == ["notes", "notes/a.md", "notes/b.md"]
    with pytest.raises(ChangedUnderneathError):
        copy.level()


def test_modes_may_differ_where_content_alone_counts(source: Counting, transport: Any, tmp_path: Path) -> None:
    exact = verified_copy.VerifiedCopy(source, transport)
    exact.carry(exact.look())
    content = verified_copy.VerifiedCopy(source, transport, same=TreeEntry.is_content_of)
    os.chmod(tmp_path / f".robin.incoming-{MIGRATION}" / "notes" / "a.md", 0o600)
    os.chmod(tmp_path / "source" / "notes" / "a.md", 0o644)
    for copy in (exact, content):
        copy.look()

    assert [entry.path for entry in exact.compare().send] == ["notes/a.md"]
    assert not content.compare()
