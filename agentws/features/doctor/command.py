"""The verb `agentws doctor`: its options and its call."""

from __future__ import annotations

import os

from agentws.core import environment
from agentws.core.findings import quoted
from agentws.core.formats import layout
from agentws.core.terminal import console_script as _console_script
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag
from agentws.core.text import names
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError
from agentws.features.doctor import render_verdict as verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.features.doctor.apply import Examined


def doctor(run: Run, *, fix: bool, accept_loss: bool, dry_run: bool) -> None:
    """Find present and likely future problems, each with its remedy. Exits 3 if there is one.

    It includes every finding of `status`.
    """
    done = run.workspace().doctor(
        fix=fix or (dry_run and not accept_loss),
        accept_loss=accept_loss,
        dry_run=dry_run,
        script=_console_script.path(),
        variables=environment.variables(),
    )
    run.result("doctor", done, _EXAMINED, examined_lines(done))
    if not done.well:
        raise NeedsYouError(verdict.complaint(done))


_FINDING = "severity name says path? line? remedy mendable=!!mends"
_EXAMINED = f"well root fix dry_run findings[{_FINDING}] mended[{_FINDING} done=mended] notices"
VERBS = (
    Verb(
        "doctor",
        doctor,
        (
            flag("--fix", "Apply safe fixes; report what is left."),
            flag("--accept-loss", "Accept that another program removed lines and facts. For a person."),
            flag("--dry-run", "Show what --fix would do."),
        ),
        "agentws doctor",
        "agentws doctor --fix --dry-run      what it would fix",
        "agentws doctor --fix                applies safe fixes; revert documents: agentws undo",
        "agentws doctor --accept-loss        report no longer what another program removed",
        "agentws doctor --json",
    ),
)


def examined_lines(done: Examined) -> Iterator[str]:
    """Yield the lines of `agentws doctor`: the verdict, what was fixed, and the findings left, the worst first."""
    yield verdict.headline(done)
    for finding in done.mended:
        yield ""
        yield _line("fixed", finding)
        yield f"         ✓ {finding.mended}"
    if done.fix and not done.mended and not done.mendable and done.findings:
        yield ""
        yield "Nothing here can be fixed automatically: follow the arrows."
    for finding in done.findings:
        yield ""
        yield _line(finding.severity, finding)
        yield f"         → {one_line(finding.remedy)}"
    if fixes := _fixes(done):
        yield ""
        yield fixes
    if done.findings and (place := _place(done.root)):
        yield ""
        yield f"Paths and commands of the shell are meant in {place}: cd {quoted(place)}"


def _place(root: str) -> str:
    """Return where an `.agentmem/` is from the current folder; empty for another workspace, or within it."""
    path = os.path.realpath(os.getcwd())
    is_apart = os.path.basename(root) == layout.OWN_FOLDER and path != os.path.realpath(root)
    return os.path.relpath(os.path.realpath(root), path) if is_apart else ""


def _fixes(done: Examined) -> str:
    """Return which of the findings left `--fix` would fix; empty for none."""
    if not done.mendable or (done.fix and not done.dry_run):
        return ""
    would = "would fix" if done.dry_run else "fixes"
    return one_line(f"agentws doctor --fix {would} {len(done.mendable)}: {names.some(map(_short, done.mendable))}")


def _line(label: str, item: Any) -> str:
    # The name of a file must not make a line that looks like one of agentws.
    return f"{label:<8} {one_line(f'{item.where}: {item.says}' if item.where else item.says)}"


def _short(item: Any) -> str:
    return str(item.where or item.name)
