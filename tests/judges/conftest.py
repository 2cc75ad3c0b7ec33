"""The real agent programs are judges: they are fetched and run only where somebody asks for it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

collect_ignore_glob = [] if "AGENTWS_JUDGES" in os.environ else ["test_*.py"]

_CACHE = os.environ.get("AGENTWS_JUDGES_CACHE", "")


@pytest.fixture(scope="session")
def judges_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs are installed: a folder that is kept, where AGENTWS_JUDGES_CACHE names one."""
    if not _CACHE:
        return tmp_path_factory.mktemp("judges")
    folder = Path(_CACHE).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


_SCENES = {
    "a smooth day": r"recorded_with_what|is_recorded_once|what_is_said_(and|is)",
    "refusals": r"needs_a_yes|refused_is|that_is_refused",
    "the service ends a turn": r"service",
    "Escape": r"escape",
    "Ctrl-C": r"ctrl_c",
    "compaction": r"compact",
    "kill -9 in a call": r"kill",
    "resume": r"resumed|that_goes_on",
    "two sessions at once": r"two_sessions|told_apart",
    "the next day": r"next_day",
}
"""What sessions go through, and the names of the tests that play it."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print which scenes were played with which programs."""
    table: dict[tuple[str, str], str] = {}
    for word in ("passed", "failed"):
        for report in terminalreporter.getreports(word):
            file, _, name = report.nodeid.rpartition("/")[2].partition("::")
            host = name.partition("[")[2].rstrip("]") or file[len("test_") : -len(".py")].replace("_", "-")
            table |= {(scene, host): word for scene, names in _SCENES.items() if re.search(names, name)}
    hosts = sorted({host for _, host in table})
    if hosts:
        terminalreporter.section("scenes by program")
        terminalreporter.line(" ".join([" " * 24, *(f"{host:11}" for host in hosts)]))
    for scene in _SCENES if hosts else ():
        row = (f"{table.get((scene, host), '–'):11}" for host in hosts)
        terminalreporter.line(" ".join([f"{scene:24}", *row]))
