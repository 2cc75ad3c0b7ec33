"""What the verbs that run at every turn may import, by name: each module on this path is paid for at every start."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import agentws
from agentws import features
from agentws.core.formats.secrets import secrets
from agentws.core.terminal import secret_filter
from tests import forked, internal_imports, table


def modules(*names: str) -> set[str]:
    """These modules of agentws, and the packages that they stand in."""
    parts = [("agentws", *name.split(".")) for name in names]
    return {".".join(each[:length]) for each in parts for length in range(1, len(each) + 1)}


EVERY = modules(
    "cli.commands",
    "cli.fast_lane",
    "core.terminal.invocation",
    "cli.main",
    "core.terminal.options",
    "core.terminal.output",
    "errors",
    "core.formats.digest",
    "core.formats.json.plainjson",
    "core.formats.layout",
    "core.formats.manifest",
    "core.disk.cache",
    "core.disk.files",
    "core.disk.locate",
    "core.environment",
    "core.stores.stores",
    "verbs",
    "workspace",
)
AGAIN = EVERY | modules(
    "features.boot.command",
    "core.formats.audience",
    "features.boot.apply",
    "features.boot.result",
    "core.disk.dir_cache",
    "core.disk.local_dir",
    "core.disk.local_time",
    "core.disk.read_trace",
    "core.installation.installation",
    "core.installation.state_dir",
    "core.disk.system.shipped",
)
FOOTING = modules(
    "core.disk.lock",
    "core.disk.tombstone",
    "core.identity.admission",
    "core.identity.join",
    "core.identity.pins",
    "core.identity.writers",
    "core.installation.host_info",
    "core.installation.stale_copy",
    "core.journal.append",
    "core.journal.end",
    "core.journal.entry",
    "core.journal.head",
    "core.journal.read",
    "core.journal.stamp",
    "core.journal.sync_failure",
    "core.journal.tail",
    "core.journal.sealing.writer_join",
    "core.stores.identity_drift",
    "core.stores.facts",
)
"""What says who may write here, and whether SOUL.md is what it was."""
ANEW = (
    AGAIN
    | FOOTING
    | modules(
        "changes",
        "features.boot.assembly",
        "features.boot.reading",
        "planning",
        "core.disk.lenient",
        "features.boot.alarms",
    )
)
LIVELY = ANEW | modules(
    "features.boot.journal",
    "core.journal.line_check",
    "core.journal.reference",
)
"""Where there is a journal to tell of."""
TO_LOG = EVERY | modules(
    "core.formats.documents.daily",
    "core.formats.journal.chain",
    "core.formats.journal.event",
    "core.formats.journal.segment",
    "core.formats.secrets.password_words",
    "core.formats.secrets.secrets",
    "features.daily.log",
    "core.disk.daily_log",
    "core.disk.local_dir",
    "core.disk.local_time",
    "core.disk.lock",
    "core.installation.installation",
    "core.installation.stale_copy",
    "core.installation.state_dir",
    "core.journal.head",
    "core.journal.stamp",
)
LOG = TO_LOG | modules("features.daily.command_log")
RECORD = EVERY | modules(
    "core.formats.journal.chain",
    "core.formats.journal.event",
    "core.formats.journal.segment",
    "core.formats.json.plainjson",
    "core.formats.secrets.password_words",
    "core.formats.secrets.redaction",
    "core.disk.dir_cache",
    "core.disk.local_dir",
    "core.disk.lock",
    "core.installation.installation",
    "core.installation.state_dir",
    "core.journal.append",
    "core.journal.end",
    "core.journal.entry",
    "core.journal.head",
    "core.journal.stamp",
    "core.journal.sync_failure",
    "core.journal.tail",
    "core.stores.record",
)
EVENT = RECORD | modules("features.journal.command_event", "features.journal.event")
HOOK = RECORD | modules(
    "features.hosts.command_hook",
    "features.hosts.entry.deadline",
    "features.hosts.entry.door",
    "features.hosts.entry.trace",
    "core.formats.secrets.secrets",
    "core.text.sizes",
    "features.hosts.call",
    "features.hosts.hook.call",
    "features.hosts.hook.events",
)
"""Before and after each call of a tool, besides the host's own `calls`."""
GATE = modules("features.approvals.gate", "features.approvals.rules_cache")
"""Before a call, to find that there are no rules."""

C_PARTS = {"_blake2", "_json", "_sha2", "_sha256", "errno", "fcntl", "gc"}
"""Modules of the interpreter that are in C, or as good as: a start with all of them takes 1.05 times an empty one."""
SLOWER = {"_collections", "_datetime", "_functools", "_heapq", "_operator", "_sre", "_string", "binascii", "mmap"}
SLOWER |= {"collections", "copyreg", "datetime", "enum", "functools", "heapq", "itertools", "keyword", "math", "array"}
SLOWER |= {"operator", "re", "reprlib", "types", "_struct", "_opcode", "_sre"}
"""What a boot that has to be made anew may import besides. `re` and what it needs are most of it."""


def is_pure(name: str) -> bool:
    """Return whether a module decides without a disk, a clock or a process."""
    parts = name.split(".")
    if parts[1:4] == ["core", "journal", "events"] or name == "agentws.core.identity.write_access":
        return True
    return (
        parts[1:2] == ["core"] and parts[2:3] in ([], ["formats"], ["markdown"], ["notes"], ["text"], ["tokens"])
    ) or "plan" in parts


CODE = """
import _signal, sys, time
time.monotonic = lambda: 0.0  # a slow machine waits for programs and locks as long as it takes: no patience ends
_signal.setitimer = lambda *_: (0.0, 0.0)
before = set(sys.modules)
from agentws.cli import main
code = main.start(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


def imported(*words: str, cache: Path, may_fail: bool = False) -> set[str]:
    """The modules that this command line imports into an empty interpreter; it ends with 0, or 3 if it `may_fail`."""
    line = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(line, env=surroundings(cache), capture_output=True, text=True, check=False)
    assert done.returncode in ((0, 3) if may_fail else (0,)), done.stderr
    return set(done.stderr.splitlines()[-1].split()) - {"__future__"}


def printed(*words: str, cache: Path) -> str:
    """What this command line prints before anything is measured."""
    done = forked.run_text(*words, env=surroundings(cache))
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def surroundings(cache: Path) -> dict[str, str]:
    """The environment with this cache."""
    return {**os.environ, "XDG_CACHE_HOME": str(cache)}


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    return lived(tmp_path)


def lived(folder: Path) -> Path:
    """A workspace in a zone with clocks that change, booted once and logged to once."""
    root = folder / "robin"
    printed("init", str(root), "--no-git", cache=folder / "cache")
    manifest = root / "agentws.toml"
    manifest.write_text(manifest.read_text().replace('timezone = "UTC"', 'timezone = "Europe/Berlin"'))
    for words in (["boot"], ["log", "a line"], ["boot"]):
        printed(*words, "-C", str(root), cache=folder / "cache")
    return root


def test_a_boot_with_nothing_changed_imports_no_more_than_it_prints(robin: Path) -> None:
    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == AGAIN
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_a_boot_with_a_log_changed_imports_planning_and_no_slow_library(robin: Path) -> None:
    with next((robin / "memory").glob("2*.md")).open("a") as log:
        log.write("- 23:59 one more\n")

    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    rooms = is_pure
    assert {name for name in found if name.startswith("agentws") and not rooms(name)} <= LIVELY
    assert {name for name in found if not name.startswith(("agentws", "re."))} <= C_PARTS | SLOWER


def test_a_boot_with_an_event_more_imports_what_reads_the_journal_and_no_slow_library(robin: Path) -> None:
    printed("event", "note", "one more", "-C", str(robin), cache=robin.parent / "cache")

    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")
    again = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    rooms = is_pure
    assert {name for name in found if name.startswith("agentws") and not rooms(name)} <= LIVELY
    assert {name for name in found if not name.startswith(("agentws", "re."))} <= C_PARTS | SLOWER
    assert {name for name in again if name.startswith("agentws")} == AGAIN


def test_a_log_line_imports_no_more_than_it_takes_to_write_it(robin: Path) -> None:
    found = imported("log", "Chose SQLite for the index", "-C", str(robin), cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == LOG
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_a_thing_to_do_costs_what_a_log_line_costs_and_its_reference(robin: Path) -> None:
    found = imported("todo", "Call Tom", "-C", str(robin), cache=robin.parent / "cache")

    more = modules("features.tasks.todo.command", "core.notes.reference")
    assert {name for name in found if name.startswith("agentws")} == TO_LOG | more
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_an_event_imports_no_more_than_it_takes_to_record_it(robin: Path) -> None:
    words = ["event", "action", "--tool", "search", "--input", '{"query": "rain"}', "-C", str(robin)]
    printed(*words, cache=robin.parent / "cache")  # the first one makes the writer and the first segment
    found = imported(*words, cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == EVENT
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_the_entry_imports_nothing_but_sys() -> None:
    code = "import sys; before = set(sys.modules); import agentws.cli.main; print(*(set(sys.modules) - before))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(done.stdout.split()) - {"__future__"} == {"agentws", "agentws.cli", "agentws.cli.main"}


def test_every_name_that_a_package_offers_is_there_also_what_it_imports_later() -> None:
    found = [each.name for each in pkgutil.walk_packages(agentws.__path__, "agentws.") if each.ispkg]
    offered = [(name, each) for name in found for each in getattr(importlib.import_module(name), "__all__", ())]

    assert ("agentws.features.journal.session", "show_session") in offered
    for name, each in offered:
        assert hasattr(importlib.import_module(name), each), f"{name}.{each}"


FIRST = """
import importlib, os, sys
import rich.console, sqlite3, typer
for name in sys.argv[1:]:
    if not (child := os.fork()):
        importlib.import_module(name)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.exit(name)
"""


def test_each_module_of_commands_can_be_imported_first() -> None:
    adds = ((name, module) for name, feature in features.FEATURES.items() for module in feature.commands.values())
    names = sorted({f"agentws.features.{name}.{module}" for name, module in adds})

    done = subprocess.run([sys.executable, "-c", FIRST, *names], capture_output=True, text=True, check=False)

    assert len(names) > 40
    assert not done.returncode, done.stderr


SEARCH = EVERY | modules(
    *(
        "features.search.command",
        "features.search.render.search",
        "core.terminal.secret_filter",
        "features.search.asked",
    ),
    *("features.search.verify_hit",),
    *("features.search.corpus", "features.search.filters", "features.search.indexed"),
    *("features.search.result", "features.search.search", "features.search.searcher"),
    *(
        "features.search.sources",
        "core.disk.local_time",
        "features.search.store.database",
        "features.search.store.index",
    ),
    *("features.search.store.refresh", "features.search.store.schema"),
)


def test_a_search_imports_its_own_rooms_and_no_slow_library(robin: Path) -> None:
    printed("search", "line", "-C", str(robin), cache=robin.parent / "cache")

    found = imported("search", "line", "-C", str(robin), cache=robin.parent / "cache")

    rooms = is_pure
    assert {name for name in found if name.startswith("agentws") and not rooms(name)} <= SEARCH
    slow = ("tomllib", "typing", "dataclasses", "json", "subprocess", "pathlib", "inspect", "urllib", "zoneinfo")
    assert not {name for name in found if name.partition(".")[0] in slow}


READS = {
    "search line": 150, "sql": 95, "index status": 95,
    "status": 216, "status --full": 226, "boot --explain": 210, "boot --now 3d": 190, "todo": 105,
    "task list": 115, "task show fence": 118, "task due --dry-run": 150, "handoff list": 170, "handoff show": 170,
    "context list": 115, "session list": 145, "session show": 138, "journal list": 108, "journal audit": 113,
    "journal replay": 138, "journal verify": 132, "why": 160, "identity show": 117, "identity verify": 148,
    "schedule show": 125, "install": 120, "curate": 186, "compact --dry-run": 220,
    "forget --matching heron --dry-run": 208, "doctor": 253, "undo --list": 159, "--version": 15,
}  # fmt: skip
"""Each verb that only reads, and the most modules that it may import."""


SHOWS_DIGITS = ("journal list", "journal audit", "journal replay", "session show", "identity show", "identity verify")
"""The verbs that print ids, digests and signatures, which by chance look like the beginning of a secret."""


def may_hold(text: str) -> bool:
    """Whether a verb looks through this text for secrets."""
    return any(secrets._hinted(text)) or secrets._may_hide(text.replace("\n", ""))


def worked(folder: Path) -> Path:
    """A workspace with some life in it, whose random digits make no verb look through them for secrets."""
    for number in range(20):
        root = lived(folder / str(number))
        at, cache = ["-C", str(root)], root.parent / "cache"
        for words in (
            ["task", "add", "Fence"], ["session", "start"], ["event", "note", "a"], ["handoff", "--doing", "a"]
        ):  # fmt: skip
            printed(*words, *at, cache=cache)
        shown = "".join(printed(*words.split(), *at, cache=cache) for words in SHOWS_DIGITS)
        lines = [line for path in root.glob("journal/*/*.jsonl") for line in path.read_text().splitlines()]
        bodies = ("\n".join(secret_filter.texts(json.loads(line)["body"])) for line in lines)
        if not may_hold(shown) and not any(map(may_hold, bodies)):
            return root
    pytest.fail("every one of twenty had such digits")


def test_no_verb_that_reads_imports_what_makes_help_or_colour(tmp_path: Path) -> None:
    robin = worked(tmp_path)

    def check(words: str) -> None:
        at = [] if words == "--version" else ["-C", str(robin)]
        found = imported(*at, *words.split(), cache=robin.parent / "cache", may_fail=True)

        assert not {name for name in found if name.partition(".")[0] in ("typer", "click", "rich", "shellingham")}
        assert len(found) <= READS[words], len(found)

    table.holds(check, list(READS))


MOST_FOR_A_SYNC = 290
SLOW_FOR_A_SYNC = ("git", "subprocess", "typer", "click", "rich", "tomllib", "json", "urllib", "asyncio", "socket")


def test_a_sync_imports_no_slow_library(robin: Path) -> None:
    (robin.parent / "stick").mkdir()
    printed("sync", str(robin.parent / "stick"), "-C", str(robin), cache=robin.parent / "cache")

    found = imported("sync", "-q", "-C", str(robin), cache=robin.parent / "cache")

    assert not {name for name in found if name.partition(".")[0] in SLOW_FOR_A_SYNC}
    assert len(found) <= MOST_FOR_A_SYNC, len(found)


def test_imports_go_to_the_core_and_to_features_below_alone() -> None:
    print(f"\n{internal_imports.report()}")
    levels = internal_imports.levels()

    upwards = {pair for pair in internal_imports.between_features() if levels[pair[0]] <= levels[pair[1]]}
    from_core = {pair for pair in map(internal_imports.areas, internal_imports.imports()) if pair[0] == "core"}

    assert not upwards
    assert from_core <= {("core", "core"), ("core", "agentws"), ("core", "workspace")}  # its version, a type


def test_no_folder_is_a_flat_heap() -> None:
    """At most 25 modules in a folder, so that a newcomer can read the listing; the crash suite is one list of verbs."""
    root = Path(agentws.__file__).parent.parent
    folders = {path.parent for base in ("agentws", "tests") for path in (root / base).rglob("*.py")}
    heaps = {str(folder.relative_to(root)): len(list(folder.glob("*.py"))) for folder in folders}

    assert {folder for folder, count in heaps.items() if count > 25} == {"tests/crash"}
