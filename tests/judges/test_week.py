"""A working week of one agent in Claude Code and Codex, with refusals, a kill and a resume: every boot is printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.features.hosts.crash_test.programs import PROGRAMS, trust_codex
from tests.judges import messages_mock, responses_mock, rig, yes
from tests.judges.loopback import Run, Say, serving
from tests.judges.test_claude_code import ClaudeCode
from tests.judges.test_codex import OPTIONS

_DAY_H = 24


class Week(ClaudeCode):
    """A scene with both programs in it, whose days pass."""

    def __init__(self, root: Path, programs: dict[str, Path], addresses: list[str], models: list[Any]) -> None:
        super().__init__(root, programs["claude-code"], addresses[0], models[0])
        self._programs = programs
        self._models = dict(zip(programs, models, strict=True))
        self.variables |= PROGRAMS["codex"].prepare(str(self.home), str(self.workspace), addresses[1])
        self.agentws("install", "claude-code")
        self.agentws("install", "codex")
        trust_codex(str(programs["codex"]), str(self.workspace), self.environment())

    def at(self, day: int, hour: int) -> None:
        """Go on at this hour after the first morning, on the day so many days later."""
        self.pass_hours(day * _DAY_H + hour)

    def works(self, host: str, prompt: str, *turns: Run | Say, resumes: str = "") -> str:
        """A session in which the model makes these turns; what the program told it of its workspace at the start."""
        model = self._models[host]
        model.turns[:] = turns
        before = len(model.asked)
        rig.run(self._words(host, prompt, resumes), self.workspace, self.environment())
        text = max((asked.text for asked in model.asked[before:] if prompt in asked.text), key=len)
        self.show(f"{host}: {prompt}")
        return text

    def is_killed(self, host: str, prompt: str) -> None:
        """A session that is killed in its only call."""
        self._models[host].turns[:] = [Run(rig.BUSY)]
        self.kill_in_a_call(*self._words(host, prompt, ""))
        self.show(f"{host}, killed: {prompt}")

    def show(self, title: str) -> None:
        """Print the boot as it is now."""
        print(f"\n{'=' * 20} {self.variables.get('AGENTWS_NOW', 'now')} · after {title}\n{self.agentws('boot')}")

    def _words(self, host: str, prompt: str, resumes: str) -> list[str]:
        program = str(self._programs[host])
        if host == "codex":
            return [program, "exec", *OPTIONS, *(["resume", resumes] if resumes else []), prompt]
        return [program, "-p", prompt, *(["--resume", resumes] if resumes else [])]


@pytest.fixture
def week(tmp_path: Path, judges_cache: Path) -> Iterator[Week]:
    programs = {"claude-code": rig.claude_code(judges_cache), "codex": rig.codex(judges_cache)}
    models: list[Any] = [messages_mock.ScriptedModel(), responses_mock.ScriptedModel()]
    with serving(models[0]) as first, serving(models[1]) as second:
        yield Week(tmp_path, programs, [first, second], models)


def test_each_session_of_a_week_knows_what_the_ones_before_it_left(week: Week) -> None:
    claude, codex, own = "claude-code", "codex", week.script
    yes.asks(week)

    week.at(0, 0)
    week.works(
        claude,
        "Measure the roof of the boat house",
        Run("echo 42 square metres > roof.txt"),
        Run(f"{own} log --kind decision 'The roof gets tin: slate is too heavy'"),
        Run(f"{own} task add 'Order the tin' --start"),
        Say("The roof has 42 square metres. Tin it is."),
    )
    week.at(0, 2)
    told = week.works(codex, "How large is the roof?", Run("cat roof.txt"), Say("42 square metres."))
    assert "slate is too heavy" in told
    assert "Tin it is." in told

    week.at(1, 0)
    told = week.works(claude, "Pay the tin", Run(yes.COMMAND), Say("The payment needs a yes of yours."))
    assert "Order the tin" in told
    assert not (week.workspace / "paid").exists()
    week.at(1, 1)
    told = week.works(codex, "Was the tin paid?", Say("Not yet: a person has to approve it."))
    assert "money leaves" in told
    (request,) = yes._waiting(week)
    week.agentws("ask", "approve", request, "--yes")
    week.at(1, 3)
    week.works(claude, "It is approved: pay", Run(yes.COMMAND), Run(f"{own} log 'The tin is paid'"), Say("It is paid."))
    assert (week.workspace / "paid").exists()

    week.at(2, 0)
    week.works(codex, "Write to the roofer", Run("echo Dear roofer > letter.txt"), Say("The letter is a draft."))
    week.at(2, 1)
    week.is_killed(codex, "Send the letter")
    week.at(2, 2)
    told = week.works(
        claude, "What became of the letter?", Run("ls letter.txt"), Say("Nobody knows if it was sent: I look first.")
    )
    assert "In flight: 1 action" in told
    call = week.events("action")[-2]["body"]["call"]
    week.agentws("done", "--call", call, "-m", "It was not sent")

    week.at(3, 0)
    week.works(
        claude, "Plan the scaffold", Run(f"{own} log --kind todo 'Rent a scaffold'"), Say("A scaffold is needed.")
    )
    session = week.events("session.started")[-1]["session"]
    week.at(3, 1)
    told = week.works(claude, "Go on with the scaffold", Run("echo two weeks > scaffold.txt"), Say("For two weeks."),
                      resumes=session)  # fmt: skip
    assert told.count("A scaffold is needed.") >= 1
    week.at(3, 4)
    week.works(codex, "Note the price", Run(f"{own} log 'The scaffold costs 300'"), Say("Noted."))

    week.at(4, 0)
    week.works(claude, "Finish the order", Run(f"{own} task done order-the-tin"), Say("The order is done."))
    week.at(4, 2)
    told = week.works(codex, "What is open?", Say("The scaffold."))
    assert "Rent a scaffold" in told
    assert "In flight" not in told
    assert "Order the tin" not in told.partition("## Handoff")[2].partition("\n## ")[2] or "done" in told
    assert not week.events("hook.failed")
