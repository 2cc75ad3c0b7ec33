"""What a summarizer holds to, whatever program it runs."""

from __future__ import annotations

import shlex
import sys

import pytest

from agentws.core.disk.system.user_programs import Command


def command(code: str) -> Command:
    return Command(shlex.join([sys.executable, "-c", code]))


SUMMARIZERS = {
    "answers": command("print('- so it is [1]')"),
    "fails": command("import sys; sys.exit('no\\nmodel')"),
    "says nothing": command("pass"),
    "is not there": Command("no-such-program-here"),
    "is not readable": Command("'"),
}


@pytest.fixture(params=SUMMARIZERS)
def summarizer(request: pytest.FixtureRequest) -> Command:
    return SUMMARIZERS[request.param]


def test_it_says_something_or_why_it_does_not(summarizer: Command) -> None:
    answer = summarizer.summarize("1 | 2026-03-02 a line\n")

    assert bool(answer.text) != bool(answer.failure)


def test_why_it_does_not_is_one_line(summarizer: Command) -> None:
    assert "\n" not in summarizer.summarize("").failure


def test_it_can_be_asked_again(summarizer: Command) -> None:
    first, second = summarizer.summarize("1 | a\n"), summarizer.summarize("1 | a\n")

    assert (first.text, first.failure) == (second.text, second.failure)
