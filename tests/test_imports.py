"""What the verbs that run at every turn may import, by name: each module on this path is paid for at every start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DOOR = {f"agentws.cli.{name}" for name in ("asked", "environment", "lane", "main", "options", "output", "verbs")}
ROOMS = {"agentws", "agentws.cli", "agentws.errors", "agentws.formats", "agentws.operations", "agentws.storage"}
FORMATS = {f"agentws.formats.{name}" for name in ("digest", "layout", "manifest", "plainjson")}
STORAGE = {f"agentws.storage.{name}" for name in ("cache", "files", "place", "stores", "surroundings")}
EVERY = DOOR | ROOMS | FORMATS | STORAGE | {"agentws.workspace"}
AGAIN = EVERY | {
    "agentws.storage.here",
    *("agentws.operations.boot", "agentws.operations.boot.booted", "agentws.formats.audience"),
    *("agentws.storage.answers", "agentws.storage.held", "agentws.storage.trace", "agentws.storage.vocabulary"),
    *(
        f"agentws.storage.{name}" for name in ("installation", "local", "state_folder")
    ),  # whether this installation is the one it was
}
FOOTING = {
    *("agentws.storage.journal", "agentws.storage.lock"),
    *(f"agentws.storage.{name}" for name in ("facts", "machine", "neighbours", "newcomer", "pins", "drift")),
    "agentws.storage.last_change",
    *(f"agentws.storage.{name}" for name in ("standing", "tombstone", "journal.reading", "journal.stamp")),
    *(
        f"agentws.storage.journal.{name}"
        for name in ("append", "ending", "entry", "head", "joining", "lastseal", "poison", "tail")
    ),
}
"""What says who may write here, and whether SOUL.md is what it was."""
ANEW = (
    AGAIN
    | FOOTING
    | {
        *(f"agentws.operations.boot.{name}" for name in ("assembly", "reading")),
        *("agentws.storage.lenient", "agentws.storage.local", "agentws.planning", "agentws.changes"),
    }
)
LIVELY = ANEW | {
    *("agentws.operations.boot.journal", "agentws.operations.boot.newest_segment", "agentws.operations.boot.scan"),
    *("agentws.storage.journal", "agentws.storage.journal.linkage", "agentws.storage.journal.reading"),
}
"""Where there is a journal to tell of."""
LOG = EVERY | {
    *(
        "agentws.storage.here",
        "agentws.storage.installation",
        "agentws.storage.state_folder",
        "agentws.storage.journal",
        "agentws.storage.journal.head",
    ),
    *("agentws.storage.journal.stamp", "agentws.storage.last_change"),  # which copies are older than this machine knows
    *("agentws.formats.chain", "agentws.formats.event", "agentws.formats.segment"),
    *("agentws.operations.log", "agentws.storage.daily_log", "agentws.storage.local", "agentws.storage.lock"),
    *(f"agentws.formats.{name}" for name in ("daily", "password_words", "secrets")),
}
EVENT = EVERY | {
    *("agentws.operations.event", "agentws.storage.recording", "agentws.storage.installation"),
    "agentws.storage.state_folder",
    *("agentws.storage.local", "agentws.storage.lock", "agentws.storage.held", "agentws.storage.journal"),
    *(f"agentws.storage.journal.{name}" for name in ("append", "ending", "entry", "head", "poison", "stamp", "tail")),
    *(f"agentws.formats.{name}" for name in ("chain", "event", "password_words", "plainvalue", "redaction", "segment")),
}
HOOK = (EVENT - {"agentws.operations.event"}) | {
    *("agentws.cli.deadline", "agentws.cli.hooking", "agentws.cli.tracing", "agentws.hosts", "agentws.hosts.call"),
    *(f"agentws.operations.hook{part}" for part in ("", ".fitting", ".hearing", ".recording")),
    *("agentws.formats.secrets", "agentws.formats.sizes"),
}
"""Before and after each call of a tool, besides the host's own `calls` (tests/cli/test_hook_fast_lane.py)."""

C_PARTS = {"_blake2", "_json", "_sha2", "_sha256", "errno", "fcntl", "gc"}
"""Modules of the interpreter that are in C, or as good as: a start with all of them takes 1.05 times an empty one."""
SLOWER = {"_collections", "_datetime", "_functools", "_heapq", "_operator", "_sre", "_string", "binascii", "mmap"}
SLOWER |= {"collections", "copyreg", "datetime", "enum", "functools", "heapq", "itertools", "keyword", "math", "array"}
SLOWER |= {"operator", "re", "reprlib", "types", "_struct", "_opcode", "_sre"}
"""What a boot that has to be made anew may import besides. `re` and what it needs are most of it."""

CODE = """
import sys
before = set(sys.modules)
from agentws.cli import main
code = main.start(sys.argv[1:])
print(*sorted(set(sys.modules) - before), file=sys.stderr)
sys.exit(code)
"""


def imported(*words: str, cache: Path) -> set[str]:
    """The modules that this command line imports into an empty interpreter."""
    surroundings = {name: value for name, value in os.environ.items() if name != "AGENTWS_NOW"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        env={**surroundings, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split()) - {"__future__"}


@pytest.fixture
def robin(tmp_path: Path) -> Path:
    """A workspace in a zone with clocks that change, booted once and logged to once."""
    root = tmp_path / "robin"
    imported("init", str(root), "--no-git", cache=tmp_path / "cache")
    manifest = root / "agentws.toml"
    manifest.write_text(manifest.read_text().replace('timezone = "UTC"', 'timezone = "Europe/Berlin"'))
    for words in (["boot"], ["log", "a line"], ["boot"]):
        imported(*words, "-C", str(root), cache=tmp_path / "cache")
    return root


def test_a_boot_with_nothing_changed_imports_no_more_than_it_prints(robin: Path) -> None:
    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == AGAIN
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_a_boot_with_a_log_changed_imports_planning_and_no_slow_library(robin: Path) -> None:
    with next((robin / "memory").glob("2*.md")).open("a") as log:
        log.write("- 23:59 one more\n")

    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    rooms = ("agentws.planning.", "agentws.formats.")  # all of these two is pure, and made for this
    assert {name for name in found if name.startswith("agentws") and not name.startswith(rooms)} <= LIVELY
    assert {name for name in found if not name.startswith(("agentws", "re."))} <= C_PARTS | SLOWER


def test_a_boot_with_an_event_more_imports_what_reads_the_journal_and_no_slow_library(robin: Path) -> None:
    imported("event", "note", "one more", "-C", str(robin), cache=robin.parent / "cache")

    found = imported("boot", "-C", str(robin), cache=robin.parent / "cache")
    again = imported("boot", "-C", str(robin), cache=robin.parent / "cache")

    rooms = ("agentws.planning.", "agentws.formats.")
    assert {name for name in found if name.startswith("agentws") and not name.startswith(rooms)} <= LIVELY
    assert {name for name in found if not name.startswith(("agentws", "re."))} <= C_PARTS | SLOWER
    assert {name for name in again if name.startswith("agentws")} == AGAIN


def test_a_log_line_imports_no_more_than_it_takes_to_write_it(robin: Path) -> None:
    found = imported("log", "Chose SQLite for the index", "-C", str(robin), cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == LOG
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_a_thing_to_do_costs_what_a_log_line_costs_and_its_reference(robin: Path) -> None:
    found = imported("todo", "Call Tom", "-C", str(robin), cache=robin.parent / "cache")

    more = {"agentws.planning", "agentws.planning.notes", "agentws.planning.notes.reference"}
    assert {name for name in found if name.startswith("agentws")} == LOG | more
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_an_event_imports_no_more_than_it_takes_to_record_it(robin: Path) -> None:
    words = ["event", "action", "--tool", "search", "--input", '{"query": "rain"}', "-C", str(robin)]
    imported(*words, cache=robin.parent / "cache")  # the first one makes the writer and the first segment
    found = imported(*words, cache=robin.parent / "cache")

    assert {name for name in found if name.startswith("agentws")} == EVENT
    assert {name for name in found if not name.startswith("agentws")} <= C_PARTS


def test_the_entry_imports_nothing_but_sys() -> None:
    code = "import sys; before = set(sys.modules); import agentws.cli.main; print(*(set(sys.modules) - before))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert set(done.stdout.split()) - {"__future__"} == {"agentws", "agentws.cli", "agentws.cli.main"}
