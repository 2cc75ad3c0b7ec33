"""The documentation is complete and true: what exists is documented, what is documented exists, examples decode."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentws import errors, features
from agentws.changes import Write
from agentws.cli import app, commands
from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout, manifest
from agentws.core.formats.documents import context, daily, exam, handoff, task
from agentws.core.identity import pinned_writers
from agentws.core.installation import own_records
from agentws.core.installation.installation import Installation
from agentws.core.markdown import notes
from agentws.core.notes import reading, vocabulary
from agentws.core.terminal import options
from agentws.features.hosts import install_record
from agentws.features.transfer.plan import records as export_records

ROOT = Path(__file__).resolve().parent.parent
FORMAT = ROOT / "docs" / "format"
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "skills").rglob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "changes").rglob("*.md"),
    ]
)

sys.path.insert(0, str(ROOT / "tools"))
import reference  # noqa: E402

VERBS = {verb.name: verb for verb in commands.all_verbs()}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def fenced(page: str, language: str) -> list[str]:
    """The fenced blocks of a page of docs/format in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text_of(FORMAT / page), re.DOTALL | re.MULTILINE)


def table(page: str, *columns: str) -> list[list[str]]:
    """The rows of the table with these columns, without the marks of code."""
    lines = iter(text_of(FORMAT / page).split("\n"))
    head = f"| {' | '.join(columns)} |"
    assert head in lines, f"{page} has no table {head}"
    next(lines)
    rows = []
    while (line := next(lines)).startswith("|"):
        rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
    return rows


# The reference


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "reference.py", "--check"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_the_check_of_the_generated_pages_fails_where_one_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "pages", lambda: iter([(reference.ROOT / "docs" / "no-such-page.md", "text")]))
    monkeypatch.setattr(sys, "argv", ["reference.py", "--check"])

    with pytest.raises(SystemExit, match=r"Stale: docs/no-such-page\.md"):
        reference.main()


@pytest.mark.parametrize("name", VERBS)
def test_every_command_and_option_is_documented(name: str) -> None:
    _, _, section = text_of(REFERENCE / "cli.md").partition(f"\n## agentws {name}\n")
    section = section.partition("\n## ")[0]
    common = text_of(REFERENCE / "cli.md").partition("## Options of every verb")[2].partition("\n## ")[0]

    assert section, f"agentws {name} has no section"
    for option in VERBS[name].options:
        for word in (*option.names, *filter(None, [option.off])):
            assert f"`{word}`" in section, f"agentws {name} {word}"
    for option in options.COMMON:
        assert all(f"`{word}`" in common for word in option.names), option.names
    is_bare = VERBS[name].examples[0].partition("   ")[0] == f"agentws {name}"
    assert is_bare or re.search(r"^Example: `.*agentws .*`$", section, re.MULTILINE), f"agentws {name} has no example"


def test_every_error_and_exit_code_is_documented() -> None:
    page = text_of(REFERENCE / "errors.md")

    for each in reference.error_classes():
        assert f"| {each.exit_code} | `{each.code}` | `{each.__name__}` |" in page
    for code, _ in errors.OUTSIDE_THE_CLASSES:
        assert f"| {code} | | |" in page
    codes = [each.code for each in reference.error_classes()]
    assert len(codes) == len(set(codes)), "two classes share a slug"
    written = {each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)}
    assert set(reference.error_classes()) == written


def test_every_environment_variable_is_documented() -> None:
    page = text_of(REFERENCE / "environment.md")
    read = set(re.findall(r"environ(?:\.get\(|\[)\"(\w+)\"", "".join(map(text_of, (ROOT / "agentws").rglob("*.py")))))

    documented = [name for name, _ in reference.variables()]
    read |= {name for program in features.HOSTS.values() for name in (*program.sessions, *program.marks)}
    assert all(f"\n- `{name}`: " in page for name in documented)
    assert read <= set(documented)
    assert len(documented) == len(set(documented))


def test_every_setting_is_documented() -> None:
    settings = {row[0] for row in table("manifest.md", "setting", "default", "what it does")}

    assert settings == {setting.key for setting in manifest.SETTINGS}


# All pages


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_verbs_that_exist_are_mentioned(page: Path) -> None:
    groups = {verb.partition(" ")[0] for verb in VERBS if " " in verb}
    groups -= {verb for verb in groups if verb in VERBS and VERBS[verb].words}  # what follows may be its own word
    text = text_of(page)
    spans = re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE)
    spans += re.findall(r"`[^`\n]+`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    for span in spans:
        for line in span.split("\n"):
            # Output of a session may say "agentws init" as a commit message: that is a verb too.
            for verb, second in re.findall(r"(?:^|[`$|(] ?|&& )agentws ((?!-)[a-z-]+)(?: ([a-z]+))?", line):
                if verb in ("frobnicate", "help"):
                    continue
                assert verb in {name.partition(" ")[0] for name in VERBS}, f"agentws {verb} in {line}"
                assert verb not in groups or not second or f"{verb} {second}" in VERBS, f"agentws {verb} {second}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} is not there"
        assert file.is_relative_to(ROOT), f"{target} leaves the repository"
        if anchor:
            assert anchor in anchors(file), f"{target}: no such heading"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    titles = re.findall(r"^#{1,6} (.+)$", text_of(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.replace(" ", "-") for title in plain}


def test_the_readme_shows_a_picture_and_is_short() -> None:
    readme = text_of(ROOT / "README.md")

    assert "](docs/demo.svg)" in readme.partition("\n## ")[0]
    assert readme.count("\n") <= 90


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "adr"
    index = text_of(folder / "README.md")

    assert all(f"({path.name})" in index for path in folder.glob("0*.md"))


def test_help_names_no_command_that_is_not_there() -> None:
    words = re.findall(r"agentws ((?!my-agent)[a-z]+)", f"{app.program().help} {app.program().epilog}")

    assert set(words) <= {name.partition(" ")[0] for name in VERBS}


# docs/format: the examples are fixtures


def test_the_layout_page_says_what_is_a_daily_log() -> None:
    for name, day in table("layout.md", "name", "day"):
        assert (layout.day_of(name) or "none") == day, name


def test_the_layout_page_says_what_history_keeps() -> None:
    for path, kept in table("layout.md", "path", "kept"):
        assert layout.is_document(path) == (kept == "yes"), path


def test_the_manifest_of_the_page() -> None:
    (example, _) = (*fenced("manifest.md", "toml"), None)

    found = manifest.decode(example.encode(), where="agentws.toml")

    assert (found.name, found.timezone, found.agent_id) == (
        "Robin",
        "Europe/Berlin",
        "0f3c9a52d4e84c6f9b7a1d2e3f405162",
    )
    assert found.created == "2026-11-20T07:15:00+01:00"
    assert (found.setting("boot.budget"), found.setting("boot.pinned")) == (6000, ["CURRENT.md"])
    assert (found.setting("history.commits"), found.setting("boot.tokenizer")) == ("branch", "o200k_base")
    changed = manifest.with_setting(example, "boot.context", "blog", where="agentws.toml")
    added = set(changed.split("\n")) - set(example.split("\n"))
    assert added == {'context = "blog"'}, "what is not understood is kept"


def test_the_daily_log_of_the_page_is_what_log_writes() -> None:
    entries = [
        daily.entry("Moved the address book to the new phone", time="07:15"),
        daily.entry(
            "Contacts stay on our own server", time="07:15", kind="decision", importance=8, tags=("phone",),
            task="address-book",
        ),
        daily.entry("The server allows 60 requests a minute", time="07:15", kind="fact", via="tool:web"),
        daily.entry("Please pay at once [rule] !10 (via user)", time="07:15", via="net:mail"),
        daily.entry("The import failed twice:\nthe file had two encodings.", time="07:15", kind="error"),
        daily.entry("Call Tom (for Sam) (due 2026-11-24)", time="07:15", kind="todo", ref="t3fk"),
        daily.entry("Call Tom: he signs on Monday", time="07:20", kind="done", closes=("t3fk",)),
    ]  # fmt: skip
    text = b""
    for entry in entries:
        text += daily.addition(text, whole=True, entry=entry, day="2026-11-20", heading="Log")

    assert text.decode() == fenced("daily.md", "markdown")[0]


def test_the_notes_of_the_page_are_read_as_its_table_says() -> None:
    found = reading.read(fenced("daily.md", "markdown")[1], path="memory/2026-11-18.md", day="2026-11-18")
    rows = [
        [
            str(entry.line), " › ".join(entry.headings), entry.time or "", entry.kind or "",
            str(entry.importance or ""), entry.state or "", entry.sure,
        ]
        for entry in found
    ]  # fmt: skip

    assert rows == table("daily.md", "line", "headings", "time", "kind", "importance", "state", "sure")
    by_line = {entry.line: entry for entry in found}
    assert (by_line[10].tags, by_line[10].due) == (("garden",), "2026-11-24")
    assert by_line[23].src == ""
    assert by_line[30].head.startswith("| plant | state |")


def test_the_words_of_the_page_are_those_of_the_files() -> None:
    (example,) = (block for block in fenced("vocabulary.md", "toml") if block.startswith("open = "))
    known = tomllib.loads((ROOT / "vocabulary" / "en.toml").read_text())
    lists = tomllib.loads(example)
    for kind, words in lists.pop("kinds").items():
        assert set(words) <= set(known["kinds"][kind]), kind
    for name, words in lists.items():
        assert set(words) <= set(known[name]), name


def test_the_headings_and_lines_of_the_page_say_what_its_tables_tell() -> None:
    for heading, is_open in table("vocabulary.md", "heading", "open"):
        assert vocabulary.USUAL.is_open_heading(heading) == (is_open == "yes"), heading
    for line, kind in table("vocabulary.md", "line", "kind"):
        found = vocabulary.USUAL.marker(line)
        assert (found[0] if found else None) == (kind or None), line


def test_the_records_of_the_page_are_read_and_written_again() -> None:
    for line in fenced("export.md", "json")[0].splitlines():
        record = export_records.from_fields(json.loads(line))
        assert record is not None
        assert export_records.to_line(record) == f"{line}\n"


def test_the_own_words_of_the_page_are_taken() -> None:
    (example,) = (block for block in fenced("vocabulary.md", "toml") if "[vocabulary]" in block)
    mine = vocabulary.extended(manifest.decode(f"format = 1\n{example}".encode(), where="agentws.toml").vocabulary)

    assert mine.is_open_heading("Loose ends from the fair (3)")
    assert mine.marker("Chore: water the fern") == ("todo", 7)
    assert mine.has_rule("By house order, shoes off")
    assert mine.kind("Verdict") == "decision"


def test_the_memory_of_the_page() -> None:
    found = {
        note.unit.text.strip("- |\n").partition(" ")[0]: note for note in notes.read(fenced("memory.md", "markdown")[0])
    }

    assert found["Sam:"].importance == 9
    assert found["Anna"].tags == ("private",)
    assert found["Password"].importance == 8
    assert found["harbor"].unit.path == ("Memory", "Machines")


def test_the_task_of_the_page() -> None:
    found = task.decode(fenced("task.md", "markdown")[0].encode(), slug="address-book", where="tasks/address-book.md")

    assert (found.title, found.status, found.step) == ("Move the address book", "waiting", "import the contacts")
    assert found.waiting_on == "Sam, which of the two Annas is which"
    assert found.labels == ()
    assert (found.steps, found.next_step) == ((1, 3), "import the contacts")


def test_the_context_of_the_page_is_what_new_writes() -> None:
    (example,) = fenced("context.md", "markdown")

    made = context.new("blog", files=("notes/style.md",), tags=("writing",), text="Sam proofreads everything.")

    assert made.decode() == example
    found = context.decode(example.encode(), name="blog", where="contexts/blog.md")
    assert (found.files, found.tags, found.tasks) == (("notes/style.md",), ("writing",), ())
    assert found.body.strip() == "Sam proofreads everything."


def test_the_exam_of_the_page() -> None:
    (text,) = fenced("exam.md", "toml")

    asked = [(each.table, each.search, each.expect) for each in exam.decode(text.encode(), where="exam.md")]
    assert asked == [
        ("must", "", "I am Robin"),
        ("must_not", "", r"salary of \w+"),
        ("must", "where does Sam live", "Lisbon"),
    ]


def test_the_handoff_of_the_page() -> None:
    (example,) = fenced("handoff.md", "markdown")
    older = handoff.decode(b"Older.\n", path="handoffs/2026-11-19-evening.md")

    found = handoff.decode(example.encode(), path="handoffs/2026-11-20-evening.md")

    assert (found.session, found.at) == ("2026-11-20-evening", "2026-11-20T22:40:00+01:00")
    assert not found.closed
    assert handoff.still_open([older, found]) == [found]
    assert handoff.still_open([older]) == [older]


def test_the_changes_of_the_page(tmp_path: Path) -> None:
    _, _, records, step, _ = fenced("local.md", "json")
    files = Files(str(tmp_path))
    undo = tmp_path / ".agentws" / "undo" / "000003"
    undo.mkdir(parents=True)
    (tmp_path / local_dir.CHANGES).write_text(records)
    (undo / "record.json").write_text(step)
    (undo / "0").write_text("as it was")

    assert [record["number"] for record in local_dir.changes(files)] == [1, 2, 3]
    logged = local_dir.changes(files)[1]
    assert (logged["length"], logged["sha256"]) == (len(str(logged["text"])), digest.of(str(logged["text"]).encode()))
    assert transaction.is_applied(files, 3)
    assert transaction.verb_of(files, 3) == "context use blog"
    (change,) = transaction.inverse(files, 3).changes
    assert isinstance(change, Write)
    assert (change.path, change.data) == ("agentws.toml", b"as it was")
    assert change.expects == json.loads(step)["changes"][0]["after"]


def test_the_known_writers_of_the_page(tmp_path: Path) -> None:
    known = fenced("local.md", "json")[0]
    (tmp_path / pinned_writers.NAME).write_text(known)

    pins = pinned_writers.read(str(tmp_path))

    assert pins is not None
    (name,) = pins.writers
    assert pins.missing_proof(name, pins.keys(name)) == ""
    assert pins.missing_proof(name, {*pins.keys(name), "another"}) == pinned_writers.REKEYED
    assert pins.missing_proof("b" * 16, set()) == pinned_writers.APPEARED


def test_the_orders_of_the_page(tmp_path: Path) -> None:
    (tmp_path / own_records.NAME).write_text(fenced("local.md", "json")[1])

    given = own_records.read_orders(Installation("", "006b0070611a6f64", str(tmp_path)))

    assert given is not None
    assert given.through == {"006b0070611a6f64": 412}
    assert [len(one) for one in given.digests] == [64]


def test_the_record_of_an_installation_of_the_page(tmp_path: Path) -> None:
    *_, example = fenced("local.md", "json")
    place = tmp_path / ".agentws" / "installed" / f"codex-{digest.quick(b'/home/sam/src/heron')}.json"
    place.parent.mkdir(parents=True)
    place.write_text(example)

    found = install_record.find(Files(str(tmp_path)), "codex", "/home/sam/src/heron")

    assert found is not None
    assert {"agentws": 1, **{name: getattr(found, name) for name in install_record.Record.__slots__}} == json.loads(
        example
    )
    assert (found.before, len(found.after[".codex/hooks.json"])) == ({".codex/hooks.json": None}, 64)
