"""What every test stands on: a home of its own, a fixed present, and a workspace to work with."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agentws import features
from agentws.core.terminal import output
from agentws.workspace import Environment, Workspace
from tests.thorough import THOROUGH, in_turn

# The same examples on every machine, and no clock that fails them on a busy one; `make crash` and `make hostile` look
# further each time.
settings.register_profile(
    "repeatable",
    max_examples=100 if THOROUGH else 40,
    deadline=None,
    derandomize=not THOROUGH,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# A run that was put into the background ignores Ctrl-C, and so would every process that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

NOW = datetime(2026, 11, 20, 7, 15, tzinfo=UTC)
QUICK = (
    *(
        "adapters",
        "contracts",
        "core/formats",
        "core/journal/events",
        "core/markdown",
        "core/notes",
        "core/text",
        "core/tokens",
    ),
    *(
        "cli/test_golden.py",
        "test_docs.py",
        "test_imports.py",
        "test_mutants.py",
        "test_private_texts.py",
        "test_table.py",
    ),
)
"""What `make test` runs: what touches no world, one smoke test a verb (its golden file), the documentation; besides,
every folder called `plan`, and the formats of the hosts.
"""

AGENT_PROGRAMS = tuple({name.partition("_")[0] for host in features.all_hosts() for name, _ in host.variables})
"""How the variables begin by which a program tells that its agent calls: whoever runs these tests may be one."""

WHOLE = ("examples", "frozen", "sessions")
"""Where `make test-all` tries every case; elsewhere it takes a sample of the cases of each slow test.

`make crash`, `make hostile` and `make fleet` try them all.
"""
MOST_CASES = 2

ON_DISKS = ("power_cuts.py", "real_disks.py")
"""The tests whose files lie on disks of their own, with a power to cut or an end to meet."""

DISK_IS_TOLD = ("hosts_real", "judges", "sessions", "test_doctor.py", "test_status.py", "test_verdict.py")
"""Where verbs say what kind of disk a workspace lies on, or real programs do."""
MEMORY = "/dev/shm"
LEAST_ROOM_BYTES = 1 << 30


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file without a test of the kind that was asked for, quick or slow."""
    if config.option.markexpr not in ("slow", "not slow") or not collection_path.name.startswith("test_"):
        return None
    if config.option.markexpr == "not slow":
        return None if _is_quick(collection_path) else True
    return True if _is_quick(collection_path) and "mark.slow" not in collection_path.read_text() else None


def pytest_collection(session: pytest.Session) -> None:
    """Share the work where several workers read all tests: each compiles a part, and finds the others' compiled."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    here = Path(__file__).parent
    files = sorted(path for path in here.rglob("test_*.py") if not pytest_ignore_collect(path, session.config))
    for path in files[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # told when it is collected
            importlib.import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Spare the collector of garbage all that was collected: it would be looked through again and again."""
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what stands elsewhere; within these places a test is slow only where it says so itself.

    Of the slow ones `make test-all` takes a sample.
    """
    for item in items:
        if not _is_quick(item.path):
            item.add_marker(pytest.mark.slow)
    if config.option.markexpr != "slow" or THOROUGH:
        return
    here = Path(__file__).parent
    whole = {here / place for place in WHOLE}
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") and whole.isdisjoint(item.path.parents):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left = {item for name, group in cases.items() for item in {*group} - {*in_turn(name, group, MOST_CASES)}}
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=list(left))


def _is_quick(path: Path) -> bool:
    """Return whether a file of tests belongs to `make test`."""
    here = Path(__file__).parent
    quick = {here / place for place in QUICK}
    return (
        not quick.isdisjoint((path, *path.parents))
        or "plan" in path.relative_to(here).parts
        or path.parent in (here / "features/hosts", here / "features/hosts/payloads")
    )


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the real home, and none sees what the developer's shell has set."""
    home = tempfile.mkdtemp(prefix="home-", dir=tmp_path_factory.getbasetemp())
    for name in list(os.environ):
        if name.startswith(("AGENTWS_", "GIT_", "XDG_", *AGENT_PROGRAMS)) and name != "AGENTWS_THOROUGH":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("container", "")
    monkeypatch.setattr(output, "_above", [""])


@pytest.fixture(autouse=True)
def _unsynced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is synced in a test's own process, but on disks that a test makes: no machine loses its power here.

    What syncs are worth is told by `crash.harness`, and by the power cuts. A call for what is not open still fails.
    """
    if not THOROUGH and not request.path.name.endswith(ON_DISKS):
        monkeypatch.setattr(os, "fsync", lambda fd: os.fstat(fd) and None)
        monkeypatch.setattr(os, "fdatasync", lambda fd: os.fstat(fd) and None)


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """In memory where the machine has room there: thousands of small folders are made and thrown away.

    With `PYTEST_DEBUG_TEMPROOT` they are made in that folder and stay, for whoever wants to look.
    """
    within = {request.path.name, *(folder.name for folder in request.path.parents)}
    on_disk = request.path.name.endswith(ON_DISKS) or not within.isdisjoint(DISK_IS_TOLD)
    if on_disk or "PYTEST_DEBUG_TEMPROOT" in os.environ or not _has_room(MEMORY):
        yield tmp_path_factory.mktemp(re.sub(r"\W", "_", request.node.name)[:30])
        return
    folder = tempfile.mkdtemp(prefix="agentws-test-", dir=MEMORY)
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _has_room(folder: str) -> bool:
    """Whether such a folder is there, takes enough, and lets programs run that lie in it."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    runs = not found.f_flag & os.ST_NOEXEC
    return runs and os.access(folder, os.W_OK) and found.f_bavail * found.f_frsize >= LEAST_ROOM_BYTES


@pytest.fixture
def environment() -> Environment:
    """A fixed present: Friday, 2026-11-20 07:15 UTC."""
    return Environment(now=NOW, timezone="UTC")


@pytest.fixture
def workspace(tmp_path: Path, environment: Environment) -> Workspace:
    """A new workspace without git, from the default template."""
    return Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=False)
