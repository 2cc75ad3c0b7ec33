"""States as trees, changed a path at a time; core/states/test_plumbing.py compares with what git itself writes."""

from __future__ import annotations

import pytest

from agentws.core.formats.git import tree_state
from agentws.core.formats.git.objects import Entry

ONE, TWO, ABSENT = "1" * 40, "2" * 40, ("0", "0" * 40)


def state(*paths: str) -> tree_state.State:
    """A state with files at these paths."""
    return changed(tree_state.empty(), dict.fromkeys(paths, ("100644", ONE)))


def changed(before: tree_state.State, changes: dict[str, Entry]) -> tree_state.State:
    return before.changed(changes, "sha1")[0]


def test_a_change_leaves_the_state_before_as_it_was() -> None:
    before = state("a.md", "memory/b.md", "memory/c.md")

    after = changed(before, {"memory/b.md": ("100755", TWO), "memory/c.md": ABSENT})

    assert after.entries() == {"a.md": ("100644", ONE), "memory/b.md": ("100755", TWO)}
    assert sorted(before.entries()) == ["a.md", "memory/b.md", "memory/c.md"]
    assert after.entry("memory/b.md") == ("100755", TWO)
    assert after.entry("memory") is None


def test_only_trees_above_a_change_are_made_anew() -> None:
    before = state("tasks/a.md", "memory/archive/b.md")

    after, made, gone = before.changed({"memory/archive/c.md": ("100644", TWO)}, "sha1")

    assert set(made) == {after.ids[folder] for folder in ("", "memory", "memory/archive")}
    assert after.ids["tasks"] == before.ids["tasks"]
    assert gone == []


def test_what_stands_in_the_way_is_gone() -> None:
    before = state("x", "y/a.md", "y/z/b.md")

    after, _, gone = before.changed({"x/new.md": ("100644", TWO), "y": ("100644", TWO)}, "sha1")

    assert sorted(after.entries()) == ["x/new.md", "y"]
    assert sorted(gone) == ["x", "y/a.md", "y/z/b.md"]


def test_a_folder_goes_with_its_last_file() -> None:
    after = changed(state("a.md", "y/z/b.md"), {"y/z/b.md": ABSENT})

    assert set(after.trees) == {""}


def test_a_state_is_as_it_was_after_it_was_kept_as_a_plain_value() -> None:
    before = state("a.md", "memory/\udcff\n.md", "memory/archive/b c.md")

    after = tree_state.restored(*before.plain())

    assert (after.entries(), after.ids) == (before.entries(), before.ids)
    assert changed(after, {"a.md": ABSENT}).ids == changed(before, {"a.md": ABSENT}).ids
    told, parts = before.plain()
    with pytest.raises(ValueError, match="sizes"):
        tree_state.restored(told, parts + b"x")


def test_modes_that_git_no_longer_writes_are_read_as_those_of_today() -> None:
    told = b"100664 blob %b\ta.md\0" % ONE.encode() + b"040000 tree %b\tb\0" % TWO.encode()

    listed = tree_state.listed(told + b"100775 blob %b\tb/c.md\0" % ONE.encode())

    assert listed.entries() == {"a.md": ("100644", ONE), "b/c.md": ("100755", ONE)}
    assert listed.ids == {"b": TWO}


def test_rows_that_some_program_wrote_out_of_order_are_found_and_written_in_order() -> None:
    names = (b"b.md", b"a.md", b"a", b"c.md")
    told = b"".join(b"100644 blob %b\t%b\0" % (ONE.encode(), name) for name in names)

    after = changed(tree_state.listed(told), {"a.md": ("100644", TWO), "b.md": ABSENT})

    assert list(after.entries().items()) == [
        ("a", ("100644", ONE)),
        ("a.md", ("100644", TWO)),
        ("c.md", ("100644", ONE)),
    ]


def test_thousands_of_new_files_are_not_each_compared_with_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []
    real = tree_state._order

    def noted(head: bytes) -> bytes:
        asked.append(head)
        return real(head)

    monkeypatch.setattr(tree_state, "_order", noted)
    paths = [f"memory/{number * 7 % 1000:04}.md" for number in range(1000)]

    after = state(*paths)

    assert list(after.entries()) == sorted(paths)
    assert len(asked) < 100 * len(paths)
