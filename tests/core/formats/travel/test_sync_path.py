"""Which files a sync takes along, and which paths of another machine's lead anywhere."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given, strategies as st

from agentws.core.formats.travel import sync_path

NAMES = st.text(alphabet="ab", max_size=6)
GLOBS = st.lists(st.sampled_from(["a", "b", "**", "a*", "?"]), min_size=1, max_size=5)
FOLDERS = st.lists(st.sampled_from("ab"), min_size=1, max_size=5)
PARTS = st.text(alphabet="ab*?", max_size=6)


@pytest.mark.parametrize(
    ("path", "include", "travels"),
    [
        ("agentws.toml", (), True), ("SOUL.md", (), True), ("CLAUDE.md", (), True), (".gitignore", (), True),
        ("memory/.gitattributes", (), True), ("memory/2026-11-20.md", (), True), ("identity/allowed_signers", (), True),
        ("memory/archive/2025/2025-11.jsonl", (), True), ("memory/archive/2025/odd.bin", (), True),
        ("journal/006b/00000001.jsonl", (), True), ("conflicts/0a1b2c3d/a-plan.bin", (), True),
        ("identity/moved.json", (), False), ("identity/moved.json", ("**",), False), ("notes.txt", (), False),
        (".agentws/undo/1", ("**",), False), ("journal/.x", (), False), ("drafts/plan.md", (), False),
        ("knowledge/a/b.pdf", ("knowledge/**",), True), ("knowledge/a/b.pdf", ("knowledge/*",), False),
        ("knowledge/b.pdf", ("knowledge/*.pdf",), True), ("knowledge/b.txt", ("knowledge/*.pdf",), False),
        ("a/b/c.csv", ("**/*.csv",), True), ("c.csv", ("**/*.csv",), True), (".x/c.csv", ("**/*.csv",), False),
        ("knowledge/.git/config", ("knowledge/**",), False), ("tasks/a\x07.md", (), False),
        ("tasks/a\\b.md", (), False),
        ("tasks/" + "a" * 252 + ".md", (), True), ("tasks/" + "a" * 253 + ".md", (), False),
        ("tasks/é.md", (), True), ("tasks/👩‍👧.md", (), True), ("tasks/\udcff.md", (), False),
        ("tasks/" + "é" * 127 + ".md", (), False), ("tasks/\x9b.md", (), False),
    ],
)  # fmt: skip
def test_what_travels(path: str, include: tuple[str, ...], travels: bool) -> None:
    assert sync_path.travels(path, include) is travels


@pytest.mark.parametrize(
    "path", ["", "/", "/etc/x", "a//b", "a/", "../a", "a/../b", ".", "a/.", ".git/config", "a/.GIT/x", "a\0b", "a\nb"]
)
def test_what_leads_elsewhere(path: str) -> None:
    assert not sync_path.is_safe(path)


def test_no_deeper_than_a_folder_may_be() -> None:
    assert sync_path.is_safe("/".join("a" * 64))
    assert not sync_path.is_safe("/".join("a" * 65))
    assert not sync_path.is_safe("/".join(["a" * 255] * 17))


@given(NAMES.filter(bool), PARTS)
def test_a_name_in_a_glob_is_what_it_is_everywhere(name: str, part: str) -> None:
    assert sync_path.travels(name, (part,)) == fnmatch.fnmatchcase(name, part)


@given(GLOBS, FOLDERS)
def test_whoever_looks_for_what_is_included_looks_into_every_folder_above_it(glob: list[str], names: list[str]) -> None:
    include = ("/".join(glob),)
    if sync_path.travels("/".join(names), include):
        for end in range(1, len(names)):
            assert sync_path.is_visited("/".join(names[:end]), include)


def test_a_glob_of_many_stars_is_read_in_linear_steps() -> None:
    # Two hundred stars before a letter that is missing: whoever tried every split of it would not come to an end.
    assert not sync_path.travels("a" * 200, ("*a" * 100 + "b",))
    assert not sync_path.travels("/".join("a" * 60), ("/".join(["**", "a"] * 40 + ["b"]),))


@pytest.mark.parametrize(("folder", "visited"), [("memory", True), ("memory/archive/2025", True), ("drafts", False)])
def test_which_folders_are_looked_into(folder: str, visited: bool) -> None:
    assert sync_path.is_visited(folder) is visited
