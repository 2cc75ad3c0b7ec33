"""LangGraph's own suites judge Saver and Store: its conformance suite, its engine's tests, and a killed graph."""

from __future__ import annotations

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.judges.adapters import frameworks, pins

_HERE = Path(__file__).resolve().parent
_RUN_S, _ENGINE_S = 300, 3600
EXPECTED_FAILURES: frozenset[str] = frozenset()
"""Tests of LangGraph's engine that fail with our Saver, by name: none."""
ENGINE_TESTS = 640
"""At least so many tests of LangGraph 1.2.24 use a checkpointer or a store."""
CAPABILITIES = {
    "put",
    "put_writes",
    "get_tuple",
    "list",
    "delete_thread",
    "delete_for_runs",
    "copy_thread",
    "prune",
}


@pytest.fixture(scope="module")
def python(judges_cache: Path) -> Path:
    """The Python of an environment with LangGraph."""
    wanted = (*pins.LANGGRAPH, pins.LANGGRAPH_CONFORMANCE, *pins.LANGGRAPH_TESTS)
    return frameworks.venv(judges_cache, "langgraph", *wanted)


@pytest.fixture
def scene(python: Path, tmp_path: Path) -> Callable[[str], Any]:
    """Plays a scene in a folder of its own; returns what it prints."""

    def play(name: str) -> Any:
        return json.loads(started(python, tmp_path, str(_HERE / "langgraph_scenes.py"), name, str(tmp_path / "robin")))

    return play


def started(python: Path, folder: Path, *words: str) -> str:
    done = subprocess.run(
        [str(python), *words],
        cwd=folder,
        env=frameworks.environment(folder / "home"),
        capture_output=True,
        text=True,
        timeout=_RUN_S,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_conformance_suite_finds_every_capability_and_no_fault(scene: Callable[[str], Any]) -> None:
    report = scene("conformance")

    assert report["missing"] == report["failures"] == []
    assert report["passed"].keys() == CAPABILITIES
    assert all(report["passed"].values())
    assert all(report["calls"].get(f"a{name}") for name in CAPABILITIES - {"list"})


def test_the_tests_of_the_engine_pass_with_our_saver(python: Path, judges_cache: Path, tmp_path: Path) -> None:
    tests = shutil.copytree(frameworks.source(judges_cache, pins.LANGGRAPH[0]) / "tests", tmp_path / "tests")
    shutil.copy(_HERE / "engine_conftest.py", tests / "conftest.py")
    texts = {file.name: file.read_text(encoding="utf-8") for file in tests.glob("test_*.py")}
    files = [name for name, text in texts.items() if "sync_checkpointer" in text or "sync_store" in text]

    results = engine(python, tmp_path, [f"tests/{name}" for name in files if "postgres" not in name])
    again = [name for name, is_passed in results.items() if not is_passed and name not in EXPECTED_FAILURES]
    results |= engine(python, tmp_path, again) if again else {}  # some compare times, on a busy machine in vain

    failed = {name for name, is_passed in results.items() if not is_passed}
    assert failed == EXPECTED_FAILURES  # also if one passes that is expected to fail
    assert len(results) >= ENGINE_TESTS
    counts = [[*map(int, line.split())] for line in (tmp_path / "counts").read_text().splitlines()]
    puts, writes, gets = map(sum, zip(*counts, strict=True))
    assert puts > 3000
    assert writes > 3000
    assert gets > 1000


def engine(python: Path, folder: Path, tests: list[str]) -> dict[str, bool]:
    """Run tests of the engine that use our Saver or Store; returns whether each has passed, skipped ones left out."""
    report = folder / "report.xml"
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-k", "agentws", f"--junitxml={report}", *tests]
    env = frameworks.environment(folder / "home")
    env |= {"SAVER_COUNTS": str(folder / "counts"), "LANGGRAPH_STRICT_MSGPACK": "true", "NO_DOCKER": "true"}
    done = subprocess.run([str(python), *words], cwd=folder, env=env, capture_output=True, text=True, timeout=_ENGINE_S)
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    return {
        f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}": not {"failure", "error"}
        & {part.tag for part in case}
        for case in ET.parse(report).iter("testcase")
        if not any(part.tag == "skipped" for part in case)
    }


def test_a_graph_that_dies_goes_on_in_another_process(python: Path, tmp_path: Path) -> None:
    folder, examples = tmp_path / "robin", frameworks.ROOT / "examples/adapters"
    agent = str(examples / "langgraph_agent.py")
    folder.mkdir()

    printed = started(python, tmp_path, str(examples / "killed.py"), agent, str(folder)).splitlines()

    before, after = printed[: printed.index("(kill -9)")], printed[printed.index("(kill -9)") + 1 :]
    assert before[-1] == "step 3: the study"
    assert after[:3] == ["step 3: the study", "step 4: the attic", "step 5: the cellar"]
    assert after[-1] == "done: kitchen: 10 m², hall: 11 m², study: 12 m², attic: 13 m², cellar: 14 m²"
    assert started(python, tmp_path, agent, str(folder)).splitlines() == after[-1:]


def test_three_processes_with_four_threads_each_lose_nothing(python: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "robin")
    script = str(_HERE / "langgraph_scenes.py")
    started(python, tmp_path, "-c", f"from agentws import Workspace; Workspace.init({folder!r}, git=False)")
    env = frameworks.environment(tmp_path / "home")
    running = [subprocess.Popen([str(python), script, "write", folder], env=env) for _ in range(3)]
    assert [process.wait(timeout=_RUN_S) for process in running] == [0, 0, 0]

    count = started(
        python,
        tmp_path,
        "-c",
        "from agentws import Workspace; from agentws.adapters.langgraph import Saver\n"
        f"found = list(Saver(Workspace.open({folder!r})).list({{'configurable': {{'thread_id': 'shared'}}}}))\n"
        "print(len(found), sum(len(each.pending_writes) for each in found))",
    )

    assert count.split() == ["300", "300"]


def test_no_class_is_constructed_that_is_not_allowed(scene: Callable[[str], Any]) -> None:
    printed = scene("classes")

    assert printed["strict"] == "{'colour': 'red', 'when': None}"
    assert "Colour.RED" in printed["allowed"]
    assert "touch" in printed["call"]  # the arguments, and nothing was called
    assert printed["ran"] is False


def test_pickle_is_refused_before_anything_is_written(scene: Callable[[str], Any]) -> None:
    printed = scene("pickle")

    assert "pickle" in printed["error"]
    assert printed["rows"] == 0


def test_threads_are_kept_as_long_as_the_manifest_says(scene: Callable[[str], Any]) -> None:
    printed = scene("expiry")

    assert printed["before"] == ["langgraph/threads/new", "langgraph/threads/old"]
    assert printed["after"] == []


def test_prune_keeps_what_delta_channels_need(scene: Callable[[str], Any]) -> None:
    before, after, stored, left = scene("deltas")

    assert before == after == list(range(10))
    assert 1 < left < stored


def test_memory_is_found_by_words_and_by_another_process(scene: Callable[[str], Any]) -> None:
    assert scene("memory") == {
        "value": {"text": "Four tiles of the north side are cracked", "count": 4},
        "order": True,
        "query": ["tiles"],
        "filter": ["tiles"],
        "namespaces": [["house", "cellar"], ["house", "roof"]],
        "depth": [["garden"], ["house"]],
        "async": 1,
    }
