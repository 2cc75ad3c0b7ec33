"""What every Summarizer must hold: the command is one, whatever program it runs."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from agentws.core.disk.system.user_programs import Command

if TYPE_CHECKING:
    from agentws.core.ports import Summarizer


def command(code: str) -> Summarizer:
    return Command(shlex.join([sys.executable, "-c", code]))


SUMMARIZERS = {
    "answers": command("print('- so it is [1]')"),
    "fails": command("import sys; sys.exit('no\\nmodel')"),
    "says nothing": command("pass"),
    "is not there": Command("no-such-program-here"),
    "is not readable": Command("'"),
}


@pytest.fixture(params=SUMMARIZERS)
def summarizer(request: pytest.FixtureRequest) -> Summarizer:
    return SUMMARIZERS[request.param]


def test_it_says_something_or_why_it_does_not(summarizer: Summarizer) -> None:
    answer = summarizer.summarize("1 | 2026-03-02 a line\n")

    assert bool(answer.text) != bool(answer.failure)


def test_why_it_does_not_is_one_line(summarizer: Summarizer) -> None:
    assert "\n" not in summarizer.summarize("").failure


def test_it_can_be_asked_again(summarizer: Summarizer) -> None:
    first, second = summarizer.summarize("1 | a\n"), summarizer.summarize("1 | a\n")

    assert (first.text, first.failure) == (second.text, second.failure)
