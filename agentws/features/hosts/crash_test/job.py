"""A job of ten actions that leave marks, played in a real agent program that is killed at random moments."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from time import monotonic, sleep

from agentws.core import Result
from agentws.errors import OutsideProgramError, UsageError
from agentws.features.hosts.crash_test import model
from agentws.features.hosts.crash_test.programs import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.features.hosts.crash_test.programs import Program

ACTIONS = 10
_ACT = "#!/bin/sh\nsleep 0.1\necho $1 >> marks\nsleep 0.1\n"
_MOST_KILLS = 6
_MOST_CALLS, _MOST_DELAY_S = 4, 1.5
"""A session is killed after so many calls at most, and so long at most after the last of them."""
_SESSION_S = 120.0
_QUESTION = re.compile(r"An identical call was running.*?done --call (\S+?)[`\\]")
_NO_RESULT = ("unknown", "refused, interrupted", "An identical")
"""How boot begins where it knows no result of a call."""
_PROMPT = "Go on with the job."


class Outcome(Result):
    """The result of runs: how many actions were done `once`, `twice` or more often, or were `lost`.

    `reported` counts those of which the agent was told that the result is unknown.

    `kills` counts the sessions that were killed, `asked` the calls that were denied with a question.
    """

    __slots__ = ("asked", "host", "kills", "lost", "once", "program", "reported", "runs", "seed", "twice")

    def __init__(self, host: str, program: str, *, runs: int, seed: int) -> None:
        self.host = host
        self.program = program
        self.runs = runs
        self.seed = seed
        self.once = self.twice = self.lost = self.reported = self.kills = self.asked = 0


class _Job:
    """The model's side of one run: which action is next, and what it does when it is asked about one."""

    def __init__(self, folder: str, agentws: str) -> None:
        self._folder = folder
        self._agentws = agentws
        self._is_waiting = False
        self.action = 0
        self.calls = 0
        self.asked = 0
        self.reported: set[int] = set()

    def begin(self) -> None:
        """Begin a session: the model repeats the action that it knows no result of."""
        self._is_waiting = False
        self.calls = 0

    def decide(self, text: str, result: str) -> str | None:
        """Return the next command after the result of the last one; None at the end of the job.

        The first request of a session, `text`, holds the boot: what it says is done is not done again.
        """
        if not result and self._is_known(text):
            self.action += 1
        asked = _QUESTION.search(result) if self._is_waiting else None
        if asked is not None:
            self.asked += 1
            self.reported.add(self.action)
            if self.marks().count(str(self.action)):
                self._is_waiting = False
                self.action += 1
                return f"{self._agentws} done --call {asked[1]} -m 'its mark is there'"
        elif self._is_waiting:
            self.action += 1
        if self.action >= ACTIONS:
            return None
        self._is_waiting = True
        self.calls += 1
        return f"./act {self.action}"

    def _is_known(self, boot: str) -> bool:
        """Return whether a boot in JSON tells the result of the present action."""
        results = (line.partition(f"./act {self.action} ")[2].partition("→ ")[2] for line in boot.split("\\n"))
        return any(result and not result.startswith(_NO_RESULT) for result in results)

    def marks(self) -> list[str]:
        """Return the marks that actions have left, in order."""
        try:
            with open(f"{self._folder}/marks", encoding="utf-8") as file:
                return file.read().split()
        except FileNotFoundError:
            return []


def crash_test(
    host: str,
    environment: Mapping[str, str],
    *,
    runs: int = 1,
    seed: int | None = None,
    program: str | None = None,
    fence: bool = True,
) -> Outcome:
    """Run the job `runs` times in the host's program, and return what became of its actions.

    UsageError for a host that cannot be played; OutsideProgramError if its program is missing or ends at once.
    """
    if host not in PROGRAMS:
        raise UsageError(f"{host!r} cannot be played.", hint=f"Choose one of: {', '.join(PROGRAMS)}.")
    played = PROGRAMS[host]
    value = shutil.which(program or played.name)
    if value is None:
        raise OutsideProgramError(
            f"There is no program {program or played.name!r}.", hint="Install the program, or: --program PATH"
        )
    outcome = Outcome(host, value, runs=runs, seed=int.from_bytes(os.urandom(2)) if seed is None else seed)
    chance = random.Random(outcome.seed)  # noqa: S311
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="agentws-crash-", ignore_cleanup_errors=True) as folder:
            _run(outcome, played, os.path.realpath(folder), environment, chance, fence=fence)
    return outcome


def _run(
    outcome: Outcome, played: Program, folder: str, outer: Mapping[str, str], chance: random.Random, *, fence: bool
) -> None:
    home, workspace = f"{folder}/home", f"{folder}/workspace"
    os.mkdir(home)
    own = [sys.executable, "-m", "agentws"]
    job = _Job(workspace, f"{sys.executable} -m agentws")
    with model.served(played.shell, job.decide) as address:
        variables = played.prepare(home, workspace, address)
        around = {**_plain(outer), "HOME": home, **variables}
        _agentws(own, ["init", workspace, "--no-git", "--name", "Played"], folder, around)
        if not fence:
            _agentws(own, ["config", "fence", "off"], workspace, around)
        _agentws(own, ["install", outcome.host], workspace, around)
        with open(f"{workspace}/act", "w", encoding="utf-8") as file:
            file.write(_ACT)
        os.chmod(f"{workspace}/act", 0o700)
        if played.trust is not None:
            played.trust(outcome.program, workspace, around)
        for kill in range(_MOST_KILLS + 1):
            if job.action >= ACTIONS:
                break
            job.begin()
            calls = chance.randint(1, _MOST_CALLS) if kill < _MOST_KILLS else None
            words = played.line(outcome.program, _PROMPT)
            outcome.kills += _session(words, workspace, around, job, calls, chance.uniform(0, _MOST_DELAY_S))
            if not kill and not job.calls:
                raise OutsideProgramError(f"{outcome.program} made no call.", hint="Start the program once by hand.")
    marks = job.marks()
    counts = [marks.count(str(action)) for action in range(ACTIONS)]
    outcome.once += counts.count(1)
    outcome.lost += counts.count(0)
    outcome.twice += sum(count > 1 for count in counts)
    outcome.reported += len(job.reported)
    outcome.asked += job.asked


def _session(
    words: list[str], workspace: str, around: Mapping[str, str], job: _Job, calls: int | None, delay_s: float
) -> bool:
    """Run a session of the program; kill it `delay_s` after so many calls, and return whether that was done."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(
        words, cwd=workspace, env=dict(around), stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    ends = monotonic() + _SESSION_S
    try:
        while process.poll() is None and monotonic() < ends:
            if calls is not None and job.calls >= calls:
                sleep(delay_s)
                break
            sleep(0.02)
        return process.poll() is None
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _agentws(own: list[str], words: list[str], folder: str, around: Mapping[str, str]) -> None:
    done = subprocess.run([*own, *words], cwd=folder, env=dict(around), capture_output=True, text=True, check=False)
    if done.returncode:
        raise OutsideProgramError(f"agentws {words[0]} failed: {done.stderr.strip()[-300:]}")


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables of hosts and of agentws."""
    own = ("AGENTWS", "XDG_", "ANTHROPIC", "CLAUDE", "CODEX", "OPENAI", "GEMINI", "GOOGLE", "QWEN", "COPILOT", "GITHUB")
    return {name: value for name, value in environment.items() if not name.startswith((*own, "GH_"))}
