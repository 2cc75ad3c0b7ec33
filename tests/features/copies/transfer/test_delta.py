"""What has to be sent, and what has to go first."""

from __future__ import annotations

from agentws.core.formats.travel import inventory as delta
from agentws.core.formats.travel.inventory import Inventory, TreeEntry


def tree(*entries: TreeEntry) -> Inventory:
    return {entry.path: entry for entry in entries}


def file(path: str, content: str = "x", *, mode: int = 0o644, second: int = 7, size: int = 1) -> TreeEntry:
    return TreeEntry(path, "f", mode, second * 10**9 + 5, size, content)


def folder(path: str, mode: int = 0o755) -> TreeEntry:
    return TreeEntry(path, "d", mode, 0, 0, "")


def test_content_mode_and_time_count_and_fractions_of_a_second_do_not() -> None:
    wanted = tree(file("a"), file("b"), file("c"), file("d"))
    there = tree(
        file("a", "y"), file("b", mode=0o600), file("c", second=8), TreeEntry("d", "f", 0o644, 7 * 10**9, 1, "x")
    )

    assert [entry.path for entry in delta.between(wanted, there).send] == ["a", "b", "c"]


def test_what_is_no_more_goes_with_its_outermost_folder() -> None:
    found = delta.between({}, tree(folder("a"), file("a/b"), folder("a/c"), file("a/c/d"), file("a-z"), file("e")))

    assert found.gone == ["a", "a-z", "e"]
