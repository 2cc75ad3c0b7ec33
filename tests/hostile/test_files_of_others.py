"""Files as other programs leave them: another encoding, an unresolved merge, a copy beside the file, a decomposed name.

Each kind is either read as what it is or left alone with a word about it; no verb writes into such a file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats import copies, layout
from agentws.core.markdown import conflict
from agentws.core.text import utf8
from agentws.errors import DamagedError, MissingFileError, UnsafeFileError, UsageError
from agentws.workspace import Environment, Workspace
from tests import forked, table

DAY = "memory/2026-11-20.md"
ENCODINGS = {
    "UTF-16": "utf-16",
    "UTF-16, big endian": "utf-16-be-marked",
    "UTF-16LE without a mark": "utf-16-le",
    "UTF-16BE without a mark": "utf-16-be",
    "UTF-32": "utf-32",
    "UTF-32LE without a mark": "utf-32-le",
    "UTF-32BE without a mark": "utf-32-be",
}
WRITES: dict[str, tuple[str, Callable[[Workspace], object]]] = {
    "log": (DAY, lambda one: one.log("The heron is back")),
    "todo": (DAY, lambda one: one.todo("Feed the heron")),
    "done": (DAY, lambda one: one.done("gate")),
    "remember": ("MEMORY.md", lambda one: one.remember("Herons nest in the oak")),
    "compact": ("MEMORY.md", lambda one: one.memory.compact()),
    "curate": ("MEMORY.md", lambda one: one.memory.brief()),
    "task start": ("tasks/fence.md", lambda one: one.tasks.start("fence")),
    "task step": ("tasks/fence.md", lambda one: one.tasks.step("fence", "1")),
    "task edit": ("tasks/fence.md", lambda one: one.tasks.edit("fence", goal="Wood")),
    "task done": ("tasks/fence.md", lambda one: one.tasks.done("fence")),
}
CONFLICT = "<<<<<<< HEAD\n- the gate is blue\n=======\n- the gate is red\n>>>>>>> kitchen\n"
DIFF3 = "<<<<<<< HEAD\n- the gate is blue\n||||||| 3f2a\n- the gate\n=======\n- the gate is red\n>>>>>>> kitchen\n"


def encoded(text: str, encoding: str) -> bytes:
    return b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-marked" else text.encode(encoding)


def put(workspace: Workspace, path: str, text: str | bytes) -> Path:
    target = Path(workspace.root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode() if isinstance(text, str) else text)
    return target


def noted(workspace: Workspace) -> Workspace:
    """A workspace with a line in each of the files that the verbs add to."""
    workspace.log("first")
    put(workspace, "memory/2026-11-19.md", "# 2026-11-19\n\n- [ ] Mend the gate\n")
    workspace.remember("The oak is old")
    workspace.tasks.add("Fence", steps=["buy wood"])
    return workspace


def test_no_verb_adds_to_a_file_in_another_encoding_and_the_command_that_converts_it_is_named(
    workspace: Workspace,
) -> None:
    noted(workspace)

    def check(row: tuple[str, str]) -> None:
        verb, encoding = row
        path, write = WRITES[verb]
        target = Path(workspace.root, path)
        text = target.read_text()
        target.write_bytes(encoded(text, ENCODINGS[encoding]))
        before = target.read_bytes()
        try:
            with pytest.raises(DamagedError) as caught:
                write(workspace)
            assert target.read_bytes() == before
        finally:
            target.write_text(text)
        assert caught.value.exit_code == 14
        assert f"{path}: the file is {encoding[:6]}" in caught.value.message
        hint = caught.value.hint or ""
        assert hint.startswith("Convert it: iconv -f ")
        assert f" -t UTF-8 {path} > {path}.new && mv {path}.new {path}" in hint

    table.holds(check, [(verb, encoding) for verb in WRITES for encoding in ENCODINGS])


def test_ordinary_texts_are_in_no_other_encoding() -> None:
    table.holds(
        lambda data: utf8.check_file("MEMORY.md", data),
        [
            b"",
            b"a",
            "# Größe\n".encode(),
            b"\xef\xbb\xbf# BOM\n",
            b"\0" * 64,
            "日本\n".encode(),
            "grün".encode("latin-1"),
        ],
    )


def test_boot_status_and_doctor_say_of_such_a_file_what_happens_to_it(workspace: Workspace) -> None:
    noted(workspace)
    put(workspace, "MEMORY.md", "# Memory\n\n- a heron\n".encode("utf-16"))
    put(workspace, DAY, "# Log\n\n- 09:00 the heron left\n".encode("utf-32"))

    shown = workspace.boot()

    assert "heron" not in shown.text
    assert all(
        f"{path}: {name}, so not read" in shown.text for path, name in (("MEMORY.md", "UTF-16"), (DAY, "UTF-32"))
    )
    found = {one.path: one for one in workspace.doctor().findings if one.name == "encoding"}
    assert found.keys() == {"MEMORY.md", DAY}
    assert found[DAY].remedy == f"iconv -f UTF-32 -t UTF-8 {DAY} > {DAY}.new && mv {DAY}.new {DAY}"


def test_a_byte_order_mark_on_standard_input_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert forked.run_text("init", "robin", cwd=tmp_path).returncode == 0
    for words in (("log", "-"), ("todo", "-"), ("remember", "-"), ("event", "note", "-")):
        done = forked.run_text(*words, given="\ufeffherons", cwd=tmp_path / "robin")
        assert done.returncode == 0, done.stderr

    files = [path for path in (tmp_path / "robin").rglob("*") if path.suffix in (".md", ".jsonl")]
    assert any("herons" in path.read_text() for path in files)
    assert not [path for path in files if "\ufeff" in path.read_text()]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (CONFLICT, 1),
        (f"# Memory\n\n{DIFF3}", 3),
        (CONFLICT.replace("\n", "\r\n"), 1),
        (f"```\nopen\n```\n{CONFLICT}", 4),
        (CONFLICT.replace("- the gate is red\n", "```\n- the gate is red\n"), 1),
        (f"```\n{CONFLICT}```\n", 0),
        ("- <<<<<<< is how git begins a conflict\n=======\n>>>>>>> is how it ends\n", 0),
        ("<<<<<<< HEAD\n- no more than half of it\n=======\n", 0),
        ("Title\n=======\n\ntext\n", 0),
    ],
)
def test_a_conflict_is_found_at_its_line_and_an_example_in_a_block_of_code_is_none(text: str, line: int) -> None:
    assert conflict.line(text) == line


@pytest.mark.parametrize("markers", [CONFLICT, DIFF3])
def test_a_memory_with_a_conflict_is_neither_changed_nor_shown_until_it_is_resolved(
    workspace: Workspace, markers: str
) -> None:
    noted(workspace)
    memory = put(workspace, "MEMORY.md", f"# Memory\n\n{markers}")
    before = memory.read_bytes()

    for verb in ("remember", "compact", "curate"):
        with pytest.raises(DamagedError, match=r"^MEMORY\.md:3: an unresolved merge conflict"):
            WRITES[verb][1](workspace)

    assert memory.read_bytes() == before
    shown = workspace.boot().text
    assert "the gate is" not in shown
    assert "MEMORY.md:3: an unresolved merge conflict; the file is not read until it is resolved." in shown
    assert [one.where for one in workspace.doctor().findings if one.name == "merge-conflict"] == ["MEMORY.md:3"]
    memory.write_text("# Memory\n\n- the gate is red\n")
    assert "the gate is red" in workspace.boot().text


@pytest.mark.parametrize("markers", [CONFLICT, DIFF3])
def test_what_stands_in_the_conflict_of_a_log_is_not_compacted(workspace: Workspace, markers: str) -> None:
    log = put(
        workspace,
        "memory/2026-11-02.md",
        f"# 2026-11-02\n\n- decision: green\n{markers.replace('the', 'decision: the')}",
    )
    before = log.read_bytes()

    done = workspace.memory.compact()

    assert log.read_bytes() == before
    assert "decision: the gate" not in Path(workspace.root, "MEMORY.md").read_text()
    assert any("an unresolved merge conflict begins at line 4" in notice for notice in done.notices)


COPIES = {
    "Syncthing": "{}.sync-conflict-20261120-101112-ABCDEFG.md",
    "Dropbox": "{} (Ada's conflicted copy 2026-11-20).md",
    "Dropbox, German": "{} (In Konflikt stehende Kopie von Ada 2026-11-20).md",
    "Dropbox, French": "{} (Copie en conflit de Ada 2026-11-20).md",
    "Dropbox, Russian": "{} (конфликтующая копия с компьютера Ada 2026-11-20).md",
    "Dropbox, Japanese": "{} (Ada の競合コピー 2026-11-20).md",
    "OneDrive": "{}-DESKTOP-4F9K2QX.md",
    "OneDrive, laptop": "{}-LAPTOP-4F9K2QXA.md",
    "OneDrive, a short name": "{}-LAPTOP-7F3K.md",
    "OneDrive, a person's name": "{}-ANNAS-PC.md",
    "OneDrive, a numbered office": "{}-KIEL-WS-0042.md",
    "OneDrive, again": "{}-ANNAS-PC-2.md",
    "OneDrive, macOS": "{}-Adas-MacBook-Pro.md",
    "Nextcloud": "{} (conflicted copy 2026-11-20 101112).md",
    "ownCloud": "{}_conflict-20261120-101112.md",
    "Seafile": "{} (SFConflict ada 2026-11-20-10-11-12).md",
    "rclone": "{}.conflict1.md",
    "iCloud": "{} 2.md",
    "browser": "{} (1).md",
    "Finder": "{} copy.md",
    "Finder, again": "{} copy 2.md",
    "Nautilus": "{} (copy).md",
    "Nautilus, again": "{} (another copy).md",
    "Nautilus, German": "{} (Kopie).md",
    "Explorer": "{} - Copy.md",
    "Explorer, German": "{} - Kopie.md",
    "Explorer, Spanish, again": "{} - copia (2).md",
}


def test_a_copy_by_another_program_is_read_by_no_verb_and_reported_once(workspace: Workspace) -> None:
    noted(workspace)
    put(workspace, "memory/2026-11-20-garden.md", "# Garden\n\n- the gate is red\n")
    before = {row.text for row in workspace.todos().rows}

    def check(program: str) -> None:
        made = [
            put(workspace, COPIES[program].format("memory/2026-11-20-garden"), "# Log\n\n- [ ] feed the pelican\n"),
            put(workspace, COPIES[program].format(DAY[:-3]), "# Log\n\n- [ ] feed the pelican\n- decision: pelicans\n"),
            put(workspace, COPIES[program].format("tasks/fence"), "---\nstatus: open\n---\n# Pelican\n"),
            put(workspace, COPIES[program].format("MEMORY"), "# Memory\n\n- pelicans nest\n"),
        ]
        try:
            assert "elican" not in workspace.boot().text
            assert {row.text for row in workspace.todos().rows} == before
            assert [one.slug for one in workspace.tasks.list().tasks] == ["fence"]
            assert not workspace.search("pelican").hits
            findings = workspace.doctor().findings
            names = [one.path for one in findings if "copy" in one.name or one.name == "unread-file"]
            assert sorted(names) == sorted(str(path.relative_to(workspace.root)) for path in made)
        finally:
            for path in made:
                path.unlink()

    table.holds(check, list(COPIES))


def test_names_that_only_look_alike_are_files_of_their_own() -> None:
    names = [
        "fence.md", "fence-2.md", "fence (old).md", "fence with copy.md", "Chapter 2.md", "fence-desktop-new.md",
        "AWS.md", "AWS-IAM.md", "fence-EU.md", "fence-Q3-2026.md", "garden-ANNAS-PC.md",
        "2026-11-20.md", "2026-11-20-laptop-setup.md", "2026-11-20-conflict-with-bob.md", "2026-11-20.2.md",
        "2026-11-20-annas-pc.md", "2026-11-20-Standup.md", "2026-11-20-1200.md", "2026-11-20-T-1.md",
        "2026-11-20-API.md", "2026-11-20-OKR-REVIEW.md", "2026-11-20-PC-SETUP.md", "2026-11-20-DESKTOP-APP.md",
    ]  # fmt: skip

    assert layout.markdown_files(names) == names
    assert layout.daily_logs(names) == names[-12:]
    assert not [name for name in names if copies.is_copy(name, names)]


@pytest.mark.parametrize("computer", ["HOMEPC", "ANNAS-PC", "LAPTOP-7F3K", "Adas-MacBook-Pro"])
def test_a_copy_of_a_day_named_after_a_computer_is_no_log_also_when_the_day_is_archived(
    workspace: Workspace, computer: str
) -> None:
    copy = f"memory/2026-11-02-{computer}.md"
    put(workspace, "memory/2026-11-02.md", "# Log\n\n- 09:00 the gate is red\n")
    put(workspace, copy, "# Log\n\n- [ ] feed the pelican\n")
    reported = [("conflict-copy", copy)]
    for _ in range(2):
        assert "pelican" not in workspace.boot().text
        assert not workspace.todos().rows
        assert [(each.name, each.path) for each in workspace.doctor().findings if each.path == copy] == reported
        workspace.memory.compact()
        reported = [("stray-copy", copy)]
    assert not Path(workspace.root, "memory/2026-11-02.md").exists()
    assert Path(workspace.root, copy).exists()


@pytest.mark.parametrize("topic", ["VPN-OUTAGE", "API", "MVP2"])
@pytest.mark.parametrize("has_day", [True, False])
def test_a_log_whose_topic_is_in_capitals_is_read(workspace: Workspace, topic: str, has_day: bool) -> None:
    if has_day:
        put(workspace, "memory/2026-11-02.md", "# Log\n\n- 09:00 the gate is red\n")
    put(workspace, f"memory/2026-11-02-{topic}.md", "# Log\n\n- [ ] feed the pelican\n")

    assert "pelican" in workspace.boot().text
    assert [row.text for row in workspace.todos().rows] == ["feed the pelican"]
    assert not [each for each in workspace.doctor().findings if each.path.endswith(f"{topic}.md")]


@pytest.mark.parametrize("copy", ["{}~", "{}.orig", "{}.rej", "{}.edited-meanwhile-1"])
def test_a_copy_left_by_an_editor_or_a_merge_is_reported_once(workspace: Workspace, copy: str) -> None:
    noted(workspace)
    paths = [put(workspace, copy.format(path), "- pelicans\n") for path in ("MEMORY.md", DAY, "tasks/fence.md")]

    findings = [finding for finding in workspace.doctor().findings for path in paths if path.name in str(finding)]

    assert [Path(workspace.root, finding.path) for finding in findings] == sorted(paths)


NFC, NFD = (unicodedata.normalize(form, "größe-über-åland") for form in ("NFC", "NFD"))


@pytest.mark.parametrize(("on_disk", "typed"), [(NFC, NFD), (NFD, NFC), (NFD, NFC.upper())])
def test_a_name_means_the_same_file_in_either_normal_form(workspace: Workspace, on_disk: str, typed: str) -> None:
    put(workspace, f"tasks/{on_disk}.md", "---\nstatus: open\n---\n# Größe\n")
    put(workspace, f"contexts/{on_disk}.md", "# Größe\n")

    for name in (typed, f"{typed}.md", typed[:5]):
        assert workspace.tasks.show(name).task.slug == on_disk
    assert workspace.tasks.start(typed).task.slug == on_disk
    assert workspace.contexts.show(typed).name == on_disk
    with pytest.raises(UsageError, match="already exists"):
        workspace.contexts.new(typed)
    with pytest.raises(MissingFileError):
        workspace.tasks.show(f"{typed[:5]}.md")


def test_a_new_task_gets_no_name_that_differs_by_its_normal_form_alone(workspace: Workspace) -> None:
    put(workspace, f"tasks/{unicodedata.normalize('NFD', 'höhe')}.md", "---\nstatus: open\n---\n# Höhe\n")

    assert workspace.tasks.add("Höhe").task.slug == "höhe-2"


def test_open_items_in_a_conflict_are_not_listed_and_the_file_is_named(workspace: Workspace) -> None:
    put(workspace, DAY, f"# Log\n\n- [ ] buy nails\n{CONFLICT}")

    found = workspace.todos()

    assert not found.rows
    assert any(notice.startswith(f"{DAY}:4: an unresolved merge conflict") for notice in found.notices)


def test_a_new_context_gets_no_name_that_listings_take_for_a_copy(workspace: Workspace) -> None:
    workspace.contexts.new("plan")

    for name in ("plan.conflict1", "plan-DESKTOP-4F9K2QX", "plan.sync-conflict-20261120-101112"):
        with pytest.raises(UsageError, match="looks like a copy"):
            workspace.contexts.new(name)


UNREAD = {
    "a conflict in a log": ("memory/2026-11-19.md", CONFLICT.encode()),
    "a conflict in MEMORY.md": ("MEMORY.md", f"# Memory\n\n{DIFF3}".encode()),
    "a conflict in a note": ("memory/garden.md", f"# Garden\n\n{CONFLICT}".encode()),
    **{f"a note in {name}": ("memory/garden.md", encoded("- the gate\n", ENCODINGS[name])) for name in ENCODINGS},
    "a task in UTF-16": ("tasks/gate.md", encoded("# the gate\n", "utf-16")),
}


@pytest.mark.parametrize("cached", [True, False], ids=["from the index", "from the files"])
def test_search_returns_no_hit_of_a_file_that_it_cannot_judge_and_names_the_file(tmp_path: Path, cached: bool) -> None:
    surroundings = Environment(cache=str(tmp_path / "cache") if cached else None)
    workspace = Workspace.init(str(tmp_path / "w"), environment=surroundings, name="Robin", git=False)
    log = workspace.log("the gate was painted").path

    def check(kind: str) -> None:
        path, data = UNREAD[kind]
        target = Path(workspace.root, path)
        before = target.read_bytes() if target.exists() else None
        put(workspace, path, data)
        try:
            for _ in range(2):
                found = workspace.search("gate")
                assert {hit.path for hit in found.hits} == {log}
                (notice,) = found.notices
                assert notice.startswith(f"{path}:")
                assert "merge conflict" in notice or "Convert it" in notice
        finally:
            target.unlink() if before is None else target.write_bytes(before)
        assert not workspace.search("gate").notices

    table.holds(check, UNREAD)


BOTH_HEADERS = "<<<<<<< HEAD\n---\nstatus: open\n---\n=======\n---\nstatus: done\n---\n>>>>>>> kitchen\n"
IN_HEADER = "---\n<<<<<<< HEAD\nstatus: open\n=======\nstatus: done\n>>>>>>> kitchen\n---\n"


@pytest.mark.parametrize(("text", "line"), [(BOTH_HEADERS, 1), (IN_HEADER, 2)], ids=["whole file", "front matter"])
def test_a_task_or_context_in_conflict_is_named_by_lists_and_changed_by_no_verb(
    workspace: Workspace, text: str, line: int
) -> None:
    task, context = put(workspace, "tasks/boat.md", text), put(workspace, "contexts/boat.md", text)
    says = f"boat.md:{line}: an unresolved merge conflict begins here."

    remedy = "Edit the file: keep what is right, and delete the lines of markers (<<<<<<<, |||||||, =======, >>>>>>>)."
    assert workspace.tasks.list().unread == [f"tasks/{says} {remedy}"]
    assert workspace.contexts.list().unread == [f"contexts/{says} {remedy}"]
    assert f"tasks/{says} {remedy}" in workspace.todos().notices
    for verb in (
        workspace.tasks.show,
        workspace.tasks.start,
        workspace.tasks.done,
        workspace.tasks.step,
        lambda slug: workspace.tasks.edit(slug, goal="Wood"),
        workspace.contexts.show,
    ):
        with pytest.raises(DamagedError, match=says):
            verb("boat")
    assert task.read_text() == context.read_text() == text
    (notice,) = (one for one in workspace.boot().notices if one.startswith("tasks/boat.md"))
    assert "unresolved merge conflict; both sides are shown" in notice


def test_a_context_that_is_a_link_is_named_by_the_list(workspace: Workspace) -> None:
    put(workspace, "contexts/plan.md", "# Plan\n")
    Path(workspace.root, "contexts", "other.md").symlink_to("plan.md")

    found = workspace.contexts.list()

    assert [one.name for one in found.contexts] == ["plan"]
    assert found.unread == ["contexts/other.md: a symbolic link, not a regular file. agentws opens only regular files."]


@pytest.mark.parametrize(("on_disk", "typed"), [(NFC, NFD), (NFD, NFC)])
def test_a_path_means_the_same_file_in_either_normal_form(workspace: Workspace, on_disk: str, typed: str) -> None:
    path, other = f"memory/{on_disk}/{on_disk}.md", f"memory/{typed}/{typed}.md"
    put(workspace, path, "# Boat\n\n- it is nine metres long\n")
    put(workspace, f"tasks/{on_disk}.md", "---\nstatus: open\n---\n# Boat\n")

    assert workspace.plumbing.locate(other) == path
    assert workspace.memory.why(f"{other}:3").path == path
    assert workspace.config.set("boot.pinned", other).settings[0].value == [path]
    workspace.checkpoints.save(typed, {"step": 1})
    Path(workspace.root, "tasks", f"{on_disk}.md").unlink()  # its checkpoints are left
    assert workspace.checkpoints.list(typed).task == on_disk
    with pytest.raises(MissingFileError):
        workspace.plumbing.locate(f"{other}.old")


def test_restore_finds_a_path_in_either_normal_form(tmp_path: Path) -> None:
    workspace = Workspace.init(str(tmp_path / "w"), name="Robin")
    note = put(workspace, f"memory/{NFD}.md", "- it is nine metres long\n")
    workspace.log("measured the boat")
    note.write_text("- it is ten metres long\n")

    done = workspace.history.restore(f"memory/{NFC}.md")

    assert done.path == f"memory/{NFD}.md"
    assert "nine" in note.read_text()


def test_forget_names_each_document_in_another_encoding_with_its_conversion(workspace: Workspace) -> None:
    for number, encoding in enumerate(ENCODINGS.values()):
        put(workspace, f"memory/note-{number}.md", encoded("- a heron\n", encoding))

    found = workspace.memory.forget(matching=["heron"], dry_run=True)

    named = [one for one in found.unread if one.startswith("Not searched: memory/note-") and "Convert it: iconv" in one]
    assert len(named) == len(ENCODINGS)


@pytest.mark.parametrize("markers", [CONFLICT, DIFF3])
@pytest.mark.parametrize("path", ["MEMORY.md", DAY, "memory/garden.md"])
def test_forget_leaves_memory_with_a_conflict_as_it_is_and_names_the_line(
    workspace: Workspace, path: str, markers: str
) -> None:
    target = put(workspace, path, f"# Garden\n\n{markers}")
    before = target.read_bytes()

    done = workspace.memory.forget(matching=["gate"], confirm=True)

    assert target.read_bytes() == before
    assert any(one.startswith(f"Not searched: {path}:3: an unresolved merge conflict") for one in done.unread)


@pytest.mark.parametrize("target", ["docs/notes.md", "notes.md", ".git/refs/heads/x.md", ".obsidian/x.md"])
def test_a_link_in_the_place_of_memory_is_never_written_through(workspace: Workspace, target: str) -> None:
    public = put(workspace, target, "# Notes\n")
    Path(workspace.root, "MEMORY.md").unlink(missing_ok=True)
    Path(workspace.root, "MEMORY.md").symlink_to(target)

    with pytest.raises(UnsafeFileError):
        workspace.remember("The key is beneath the stone")

    assert public.read_text() == "# Notes\n"


@pytest.mark.parametrize("hidden", [".git/x.md", ".obsidian/x.md", "docs/.x/y.md"])
def test_a_link_of_an_agents_file_into_a_hidden_folder_is_not_followed(workspace: Workspace, hidden: str) -> None:
    put(workspace, hidden, "the stone\n")
    Path(workspace.root, "AGENTS.md").unlink(missing_ok=True)
    Path(workspace.root, "AGENTS.md").symlink_to(hidden)

    assert "the stone" not in workspace.boot().text


def test_an_own_task_that_nobody_can_read_stays_one_beside_those_of_another_program(workspace: Workspace) -> None:
    workspace.config.set("adopted.documents", "tasks")
    put(workspace, "tasks/theirs.md", "# Theirs\n")
    put(workspace, "tasks/boat.md", BOTH_HEADERS)
    put(workspace, "tasks/gate.md", encoded("---\nstatus: open\n---\n", "utf-16"))

    assert [one.partition(":")[0] for one in workspace.tasks.list().unread] == ["tasks/boat.md", "tasks/gate.md"]


def test_a_new_task_takes_no_name_of_another_programs_document(workspace: Workspace) -> None:
    workspace.config.set("adopted.documents", "tasks")
    theirs = put(workspace, "tasks/foo.md", "# Theirs\n")

    assert workspace.tasks.add("Foo").task.slug == "foo-2"
    assert theirs.read_text() == "# Theirs\n"
