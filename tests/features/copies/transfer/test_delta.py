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


def link(path: str, target: str) -> TreeEntry:
    return TreeEntry(path, "l", 0o777, 0, len(target), target)


def test_nothing_there_means_all_is_sent_folders_first() -> None:
    found = delta.between(tree(folder("a"), file("a/b"), link("c", "a")), {})

    assert [entry.path for entry in found.send] == ["a", "a/b", "c"]
    assert found.gone == []
    assert (found.files, found.bytes) == (2, 1)


def test_the_same_is_not_sent() -> None:
    assert not delta.between(
        tree(folder("a"), file("a/b"), link("c", "a")), tree(folder("a"), file("a/b"), link("c", "a"))
    )


def test_content_mode_and_time_count_and_fractions_of_a_second_do_not() -> None:
    wanted = tree(file("a"), file("b"), file("c"), file("d"))
    there = tree(
        file("a", "y"), file("b", mode=0o600), file("c", second=8), TreeEntry("d", "f", 0o644, 7 * 10**9, 1, "x")
    )

    assert [entry.path for entry in delta.between(wanted, there).send] == ["a", "b", "c"]


def test_what_is_no_more_goes_with_its_outermost_folder() -> None:
    found = delta.between({}, tree(folder("a"), file("a/b"), folder("a/c"), file("a/c/d"), file("a-z"), file("e")))

    assert found.gone == ["a", "a-z", "e"]


def test_what_is_another_thing_now_goes_before_it_is_sent() -> None:
    found = delta.between(tree(link("a", "b"), folder("f"), file("f/g")), tree(folder("a"), file("a/b"), file("f")))

    assert found.gone == ["a", "f"]
    assert [entry.path for entry in found.send] == ["a", "f", "f/g"]


def test_what_cannot_be_sent_is_named_and_left() -> None:
    pipe = TreeEntry("pipe", "?", 0o644, 0, 0, "")

    assert delta.unsent(tree(pipe, file("a"))) == ["pipe"]
    assert [entry.path for entry in delta.between(tree(pipe), {}).send] == []
