"""What `agentws demo` plays: an agent is killed in the middle of an action; its next boot shows the action."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

from agentws.core import Result
from agentws.core.disk import clock
from agentws.core.environment import Environment
from agentws.errors import OutsideProgramError, UsageError
from agentws.workspace import Workspace

BUDGETS = (8000, 600)
"""The budgets of the two boots, in tokens."""
_USER = """\
# Sam

Sells bicycle parts from a small shop. Prefers e-mail to the telephone.
"""
_NOTES: tuple[tuple[int, str, dict[str, Any]], ...] = (
    (2, "Chose SQLite for the stock list: one file, no server", {"kind": "decision", "importance": 8}),
    (2, "Sam wants short answers, and the link instead of the explanation", {"kind": "preference"}),
    (1, "The token of the nightly backup has to be renewed every 30 days", {"kind": "lesson"}),
    (1, "Which customers still get their invoices on paper?", {"kind": "question"}),
)
AGENT = """\
import sys, time
from agentws import Workspace

with Workspace.open(sys.argv[1]).session("Invoices for November") as session:
    session.decision("Invoices go out as PDF")
    with session.action("send_mail", {"to": "ada@example.org", "subject": "Invoice 117"}):
        print("sending", flush=True)
        time.sleep(600)
"""
"""The agent's program, which is killed while it sends the mail."""


class Demo(Result):
    """The played demonstration: the agent's `folder`, and its next boot as (budget, text), long and short."""

    __slots__ = ("boots", "folder")

    def __init__(self, folder: str, boots: list[tuple[int, str]]) -> None:
        self.folder = folder
        self.boots = boots


def play(folder: str, environment: Environment) -> Demo:
    """Make a workspace in a new folder, kill its agent while it works there, and boot it twice.

    UsageError if the folder is not empty; OutsideProgramError if the agent does not start.
    """
    if os.path.isdir(folder) and os.listdir(folder):
        raise UsageError(f"{folder} is not empty.", hint="Name a new folder, or none for a temporary one.")
    _live(folder, environment)
    _kill(folder)
    woken = Workspace.open(folder, environment=environment)
    return Demo(folder, [(budget, woken.boot(budget=budget).text) for budget in BUDGETS])


def _live(folder: str, environment: Environment) -> None:
    """Make the workspace, with notes of the last days."""
    now = environment.now
    present = now or clock.SystemClock("UTC").now()
    try:
        Workspace.init(folder, name="Robin", environment=environment)
        with open(f"{folder}/USER.md", "w", encoding="utf-8") as file:
            file.write(_USER)
        for days, text, marks in _NOTES:
            environment.now = present - timedelta(days=days)
            Workspace.open(folder, environment=environment).log(text, **marks)
        environment.now = now
        Workspace.open(folder, environment=environment).tasks.add(
            "Move the address book", steps=["export it from the old phone", "import the contacts"], start=True
        )
    finally:
        environment.now = now


def _kill(folder: str) -> None:
    """Start the agent, and kill it as soon as it has begun to send the mail."""
    with subprocess.Popen([sys.executable, "-P", "-c", AGENT, folder], stdout=subprocess.PIPE) as agent:
        try:
            has_begun = agent.stdout is not None and agent.stdout.readline()
        finally:
            agent.kill()
    if not has_begun:
        raise OutsideProgramError("The agent of the demonstration did not start.", hint="Its error is above.")
