"""The verb `agentws demo`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from agentws.core import Result
from agentws.core.disk import clock
from agentws.core.environment import Environment
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.init import command
from agentws.workspace import Workspace


def demo(run: Run, *, directory: str | None) -> None:
    """Play a crash: an agent is killed in the middle of an action, and its next boot shows that."""
    folder = command.root_of(run, directory) if directory else f"{tempfile.mkdtemp(prefix='agentws-demo-')}/robin"
    played = play(folder, run.environment())
    boots = [{"budget": budget, "text": text} for budget, text in played.boots]
    run.done("demo", {"folder": played.folder, "boots": boots}, _lines(played, is_temporary=directory is None), ())


def _lines(played: Demo, *, is_temporary: bool) -> Iterator[str]:
    yield "Robin has worked for Sam for some days. Today this is Robin's program:"
    yield ""
    yield from (f"    {line}" for line in AGENT.splitlines())
    yield ""
    yield "It was killed (kill -9) while it sent the mail. This is how Robin wakes up:"
    yield ""
    for budget, text in played.boots:
        yield f"$ agentws boot --budget {budget}"
        yield from text.splitlines()
        yield ""
    yield "All of this is in plain files. Try next:"
    yield f"  cd {shlex.quote(played.folder)}"
    yield "  cat memory/*.md                    what Robin has logged"
    yield '  agentws done "address book"        close an open item'
    yield "  agentws boot --explain             the tokens of each section"
    yield "  agentws status                     the health of the workspace"
    if is_temporary:
        yield f"Delete this folder afterwards: rm -rf {shlex.quote(os.path.dirname(played.folder))}"


VERBS = (
    Verb(
        "demo",
        demo,
        (optional("directory", "[DIRECTORY]", "A new folder for it. Default: a temporary one."),),
        "agentws demo",
        "agentws demo ~/robin               keeps the workspace there",
    ),
)


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
