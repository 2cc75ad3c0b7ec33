"""Suites of frameworks that judge our sessions, conversations and recorders, each in an environment of its own.

A count of calls proves that the classes under test were ours; an expected failure that passes is a failure.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.judges.adapters import frameworks, pins

_SUITES = Path(__file__).parent
_SUITE_S = 900
_OPENAI = (*pins.OPENAI_AGENTS, *pins.OPENAI_AGENTS_TESTS)
_OPENAI_TESTS = ("memory/test_session.py", "memory/test_session_limit.py", "test_max_turns.py", "test_soft_cancel.py")

SQLITE_ALONE = {
    f"tests/memory/test_session.py::test_sqlite_session_{name}"
    for name in (
        "close_closes_worker_thread_connections",
        "reaps_connections_from_exited_worker_threads",
        "closes_retired_connections_before_the_next_allocation",
        "keeps_connections_of_live_worker_threads",
        "closed_rejects_empty_add_items",
        "pop_item_skips_corrupt_most_recent",
        "pop_item_returns_none_after_dropping_only_corrupt_rows",
        "get_items_limit_skips_corrupt_newest_rows",
        "get_items_session_settings_limit_skips_corrupt_rows",
        "file_lock_is_shared_across_instances",
        "failed_add_items_releases_write_lock",
        "failed_clear_session_rolls_back",
        "failed_pop_item_releases_write_lock",
        "rollback_failure_evicts_connection",
        "close_retries_quarantined_connection",
        "post_commit_cancellation_propagates_after_known_outcome[add]",
        "post_commit_cancellation_propagates_after_known_outcome[pop]",
        "post_commit_cancellation_propagates_after_known_outcome[clear]",
    )
}
"""Tests of the OpenAI Agents SDK that look into SQLite connections, or write broken rows with SQL."""


@pytest.mark.parametrize(
    ("suite", "packages", "counted"),
    [
        ("eventsourcing", pins.EVENTSOURCING, ("AggregateRecorder", "ApplicationRecorder", "ProcessRecorder")),
        ("google_adk", pins.GOOGLE_ADK, ("MemoryService", "SessionService.append", "StaleSessionError")),
        ("pydantic_ai", pins.PYDANTIC_AI, ("save", "load", "fork", "branch", "delete", "ConversationConflict")),
    ],
)
def test_the_suite_passes(
    judges_cache: Path, tmp_path: Path, suite: str, packages: tuple[str, ...], counted: tuple[str, ...]
) -> None:
    python = frameworks.venv(judges_cache, suite, *packages)

    done = _run([str(python), "-m", "unittest", str(_SUITES / f"suite_{suite}.py")], frameworks.ROOT, tmp_path)

    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    for name in counted:
        assert re.search(rf"'{re.escape(name)}': [1-9]", done.stdout), f"{name} of ours was not asked: {done.stdout}"


@pytest.mark.parametrize(
    ("example", "suite", "packages", "end"),
    [
        ("eventsourcing_application", "eventsourcing", pins.EVENTSOURCING, "done: 6 events"),
        ("google_adk_agent", "google_adk", pins.GOOGLE_ADK, "done: The attic has 13 m²."),
        ("openai_agents_session", "openai-agents", _OPENAI, "done: 10 items"),
        ("pydantic_ai_agent", "pydantic_ai", pins.PYDANTIC_AI, "done: 10 messages"),
    ],
)
def test_the_killed_example_goes_on_where_it_was(
    judges_cache: Path, tmp_path: Path, example: str, suite: str, packages: tuple[str, ...], end: str
) -> None:
    python, folder = frameworks.venv(judges_cache, suite, *packages), frameworks.ROOT / "examples/adapters"
    (tmp_path / "robin").mkdir()

    done = _run([str(python), str(folder / "killed.py"), str(folder / f"{example}.py"), "robin"], tmp_path, tmp_path)
    again = _run([str(python), str(folder / f"{example}.py"), "robin"], tmp_path, tmp_path)

    steps = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert steps == ["step 1", "step 2", "step 3", "(kill -9)", "step 3", "step 4", "step 5", "done"], done.stderr
    assert done.stdout.splitlines()[-1] == end
    assert again.stdout.splitlines() == [end], again.stderr


def test_the_openai_agents_sdk_passes_its_tests_with_our_session(judges_cache: Path, tmp_path: Path) -> None:
    python = frameworks.venv(judges_cache, "openai-agents", *_OPENAI)
    source = frameworks.source(judges_cache, pins.OPENAI_AGENTS[0])
    tests = [f"tests/{name}" for name in _OPENAI_TESTS]

    done = _run(
        [str(python), "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "suite_openai_agents", *tests],
        source,
        tmp_path,
    )

    failed = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE))
    assert failed == SQLITE_ALONE, done.stdout[-4000:]
    assert len(re.findall(r"^PASSED ", done.stdout, re.MULTILINE)) > 50
    made = re.search(r"made: \{'sessions': (\d+), 'items': (\d+)\}", done.stdout)
    assert made is not None
    assert min(map(int, made.groups())) > 20, made.group()


def _run(command: list[str], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = frameworks.environment(home)
    environment |= {"PYTHONPATH": f"{_SUITES}:{environment['PYTHONPATH']}", "TMPDIR": str(home)}
    return subprocess.run(command, capture_output=True, text=True, timeout=_SUITE_S, cwd=folder, env=environment)
