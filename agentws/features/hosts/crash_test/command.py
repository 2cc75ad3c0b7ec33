"""The verb agentws crash-test."""

from __future__ import annotations

from agentws.core import environment
from agentws.core.terminal import output
from agentws.core.terminal.options import Verb, flag, number, text, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run


def crash_test(run: Run, *, host: str, runs: int, seed: int | None, program: str | None, no_fence: bool) -> None:
    """Run a job of ten actions in an agent program, kill it at random moments, and count what was done.

    It uses a scripted model and a temporary folder.
    """
    from agentws.features.hosts.crash_test import job

    outcome = job.crash_test(host, environment.variables(), runs=runs, seed=seed, program=program, fence=not no_fence)
    fields: dict[str, object] = output.fields(outcome, "host program runs seed kills once twice lost reported asked")
    lines = [
        f"{outcome.host}: {outcome.runs * job.ACTIONS} actions, killed {outcome.kills} times (--seed {outcome.seed})",
        f"  done once   {outcome.once}",
        f"  done twice  {outcome.twice}",
        f"  lost        {outcome.lost}",
        f"  reported    {outcome.reported}, whose result was unknown after a kill",
    ]
    run.done("crash-test", fields, lines, [])


VERBS = (
    Verb(
        "crash-test",
        crash_test,
        (
            word("host", "HOST", "claude-code, codex, gemini, qwen, copilot, droid or pi.", completes="host"),
            number("--runs", "N", "Run the job N times.", default=1, least=1),
            number("--seed", "S", "Kill at the same moments as a run with this seed.", least=0),
            text("--program", "PATH", "The agent program. Default: the one on the PATH."),
            flag("--no-fence", "Switch off the question before a repeated call, to compare."),
        ),
        "agentws crash-test claude-code",
        "agentws crash-test codex --runs 5 --seed 7 --json",
    ),
)
