"""P15: no pattern of the package takes more than linear time, whatever it is fed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentws.core.formats.secrets import checks, shapes
from tests.patterns import collected
from tests.patterns.collected import ALL, Found

_ROOT = Path(__file__).parents[2]
_MOST_TEXTS = 600 if os.environ.get("AGENTWS_THOROUGH") else 40

BAD = {
    "blanks before the end": r"\s+$",
    "two runs side by side": r"^\s*x?\s*$",
    "a run within a run": r"(a+)+b",
    "three runs and what they are apart by": r"^(.*),(.*),(.*)x",
    "a search from every place": r"\w+@",
    "an opening that nothing closes": r"\([^)]*\)",
    "a word and another behind it": r"\bfoo\b.*bar",
    "alternatives that overlap": r"^(?:a|ab|b)*c",
    "runs with nothing needed between": r"^\W*(?:\d+\W+)?\**(?:one|two)\b",
}
GOOD = {
    "a run that gives nothing back": r"(?<!\s)\s++$",
    "a bounded run": r"\bfoo\b.{0,60}bar",
    "words": r"\b(?:one|two|three)\b",
    "a string": r'"(?:[^"\\]|\\.)*+"',
}


def _slow(patterns: Sequence[Found]) -> dict[str, str]:
    """Of each slow pattern its place, with what it is slow on."""
    rows = [
        json.dumps([one.where, _text(one.source), one.flags, one.methods, isinstance(one.source, bytes)])
        for one in patterns
    ]
    slow: dict[str, str] = {}
    begin = 0
    while begin < len(rows):
        run = subprocess.run(
            [sys.executable, "-m", "tests.patterns.measured", str(_MOST_TEXTS)],
            input="\n".join(rows[begin:]), cwd=_ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = [json.loads(line) for line in run.stdout.splitlines()]
        for number, text in told:
            if text is not None:
                slow[f"{patterns[begin + number].where}: {_text(patterns[begin + number].source)}"] = text
        if run.returncode == 0:
            break
        assert run.returncode < 0, run.stderr  # ended by the limit: go on behind the one that it was at
        stopped = begin + told[-1][0]
        slow[f"{patterns[stopped].where}: {_text(patterns[stopped].source)}"] = "it never ended"
        begin = stopped + 1
    return slow


def _text(source: str | bytes) -> str:
    return source.decode("latin-1") if isinstance(source, bytes) else source


@pytest.mark.slow
def test_every_pattern_takes_linear_time() -> None:
    assert not _slow(collected.patterns())


@pytest.mark.slow
def test_a_pattern_that_is_not_linear_is_found() -> None:
    slow = _slow([Found(name, source, 0, ALL[-1:]) for name, source in BAD.items()])
    assert {line.partition(":")[0] for line in slow} == set(BAD)


def test_a_pattern_that_is_linear_is_not() -> None:
    assert not _slow([Found(name, source, 0, ALL[-1:]) for name, source in GOOD.items()])


def test_no_call_makes_a_pattern_that_nobody_feeds() -> None:
    assert not collected.unread(), "Put these into MADE of tests/patterns/collected.py, with arguments to make one."


def test_patterns_are_found_in_modules_functions_and_tables() -> None:
    for _, _, pattern in shapes.RULES:
        checks._compiled(pattern)  # what was compiled by then is named as before
    collected.patterns.cache_clear()

    found = {one.where for one in collected.patterns()}

    assert {
        "agentws.features.handoff.plan.derive._PATCHED",
        "agentws.core.formats.documents.handoff._WORDS",
        "agentws.core.formats.secrets.checks._compiled",
        "agentws.core.formats.json.splice.__init__",
    } <= found


def test_what_only_is_matched_is_not_searched() -> None:
    found = next(
        one for one in collected.patterns() if one.where == "agentws.features.automation.schedule.plan.units._PLAIN"
    )
    assert found.methods == ("fullmatch",)
    assert re.compile(found.source)
