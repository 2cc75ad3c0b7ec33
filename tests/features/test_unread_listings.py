"""A list names the files that it cannot read, does not call itself empty, and exits 3: unreadable is not absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import forked

FRONT_MATTER = b"---\ntags: [a\n---\n# Roof\n"
UTF_16 = "# Roof\n".encode("utf-16")
CONFLICT = b"# Roof\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> theirs\n"
EMPTY = {
    "tasks": (("task", "list"), "No tasks"),
    "contexts": (("context", "list"), "No contexts"),
    "handoffs": (("handoff", "list"), "No open handoff"),
    "approvals": (("ask", "list"), "No approvals"),
    "checkpoints": (("checkpoint", "list"), "No checkpoint"),
    "memory": (("todo",), "No open items"),
}
UNREAD_FILES = [
    ("tasks/roof.md", FRONT_MATTER),
    ("tasks/roof.md", UTF_16),
    ("contexts/roof.md", FRONT_MATTER),
    ("contexts/roof.md", UTF_16),
    ("handoffs/2026-11-23T090000-roof.md", UTF_16),
    ("approvals/t3fk9b.md", FRONT_MATTER),
    ("approvals/t3fk9b.md", UTF_16),
    ("memory/2026-11-23.md", UTF_16),
    ("memory/2026-11-23.md", CONFLICT),
    ("memory/digest.md", CONFLICT),
]


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    assert forked.run_text("init", "robin", cwd=tmp_path).returncode == 0
    return tmp_path / "robin"


def _check(robin: Path, verb: tuple[str, ...], path: str, *, empty: str) -> None:
    listed = forked.run_text(*verb, cwd=robin)
    as_json = forked.run_text(*verb, "--json", cwd=robin)

    assert (listed.returncode, as_json.returncode) == (3, 3)
    assert f"{path}:" in listed.stderr
    assert "could not be read (see above)." in listed.stderr
    assert empty not in listed.stdout
    assert any(path in notice for notice in json.loads(as_json.stdout)["notices"])


@pytest.mark.parametrize(("path", "data"), UNREAD_FILES)
def test_a_list_names_the_file_that_it_cannot_read_and_exits_3(robin: Path, path: str, data: bytes) -> None:
    folder = path.partition("/")[0]
    (robin / folder).mkdir(exist_ok=True)
    (robin / path).write_bytes(data)

    verb, empty = EMPTY[folder]

    _check(robin, verb, path, empty=empty)


@pytest.mark.parametrize(
    ("path", "data"),
    [("memory/2026-11-23.md", CONFLICT), ("MEMORY.md", UTF_16), ("tasks/roof.md", UTF_16), ("tasks/roof.md", None)],
)
def test_a_search_names_the_file_that_it_cannot_read_and_exits_3(robin: Path, path: str, data: bytes | None) -> None:
    (robin / path).parent.mkdir(exist_ok=True)
    assert forked.run_text("log", "the pelican is shy", cwd=robin).returncode == 0
    target = robin / path
    if data is None:  # a link in place of the folder
        target.parent.rename(robin / "elsewhere")
        target.parent.symlink_to(robin / "elsewhere")
        path = "tasks"
    else:
        target.write_bytes(data)

    for _ in range(2):  # the second time from the index
        _check(robin, ("search", "heron"), path, empty="Nothing found.")
    found = forked.run_text("search", "pelican", cwd=robin)
    asked = forked.run_text("search", "--stdin", given='{"id": 1, "query": "pelican"}\n', cwd=robin)

    assert (found.returncode, asked.returncode) == (3, 3)
    assert "the pelican is shy" in found.stdout
    assert "the pelican is shy" in asked.stdout
    assert f"{path}:" in asked.stderr


@pytest.mark.parametrize("folder", sorted(EMPTY))
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_list_names_a_link_or_file_in_place_of_its_folder_and_exits_3(robin: Path, folder: str, kind: str) -> None:
    place = robin / folder
    if place.is_dir():
        place.rename(robin / "elsewhere")
    (robin / "elsewhere").mkdir(exist_ok=True)
    if kind == "link":
        place.symlink_to(robin / "elsewhere")
    else:
        place.write_text("")

    verb, empty = EMPTY[folder]

    _check(robin, verb, folder, empty=empty)


def test_what_can_be_read_is_listed_beside_what_cannot(robin: Path) -> None:
    (robin / "tasks").mkdir(exist_ok=True)
    (robin / "tasks" / "roof.md").write_bytes(UTF_16)
    (robin / "tasks" / "oak.md").write_text("---\nstatus: open\n---\n# Oak\n")

    tasks, items = forked.run_text("task", "list", cwd=robin), forked.run_text("todo", cwd=robin)

    assert (tasks.returncode, items.returncode) == (3, 3)
    assert "oak" in tasks.stdout
    assert "Oak" in items.stdout
    for listed in (tasks, items):
        assert "Convert it: iconv -f UTF-16 -t UTF-8 tasks/roof.md" in listed.stderr


@pytest.mark.parametrize(
    ("path", "data"),
    [("memory/2026-11-23.md", CONFLICT), ("memory/2026-11-23.md", UTF_16), ("MEMORY.md", UTF_16), ("USER.md", UTF_16)],
)
def test_boot_does_not_say_that_nothing_was_left_out_beside_a_file_that_was_not_read(
    robin: Path, path: str, data: bytes
) -> None:
    (robin / path).write_bytes(data)

    booted = forked.run_text("boot", cwd=robin)
    omitted = json.loads(forked.run_text("boot", "--json", cwd=robin).stdout)["omitted"]

    assert "Nothing was left out." not in booted.stdout
    assert f"cat {path}" in booted.stdout
    assert path in [each["source"] for each in omitted]


@pytest.mark.parametrize("folder", ["memory", "tasks", "handoffs", "contexts", "approvals", "journal"])
def test_boot_names_a_file_in_place_of_a_folder(robin: Path, folder: str) -> None:
    if (robin / folder).is_dir():
        (robin / folder).rename(robin / "elsewhere")
    (robin / folder).write_text("")

    booted = forked.run_text("boot", cwd=robin)

    assert f"{folder}: not a folder, but a link or file, so it is not read." in booted.stdout
    assert "Nothing was left out." not in booted.stdout
