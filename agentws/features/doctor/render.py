"""Rendering of `agentws doctor`: its findings as lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text import names
from agentws.core.text.sanitize import one_line
from agentws.features.doctor import render_verdict as verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.features.doctor.report import Examined


def fields(done: Examined) -> dict[str, object]:
    """Return the fields of `agentws/doctor@1`."""
    return {
        **output.fields(done, "well root fix dry_run"),
        "findings": [_finding(one) for one in done.findings],
        "mended": [{**_finding(one), "done": one.mended} for one in done.mended],
        "notices": done.notices,
    }


def _finding(one: Any) -> dict[str, object]:
    return {
        **output.fields(one, "severity name says path? line? remedy"),
        "mendable": bool(one.mends),
    }


def lines(done: Examined) -> Iterator[str]:
    """Yield the lines of `agentws doctor`: the verdict, what was fixed, and the findings left, the worst first."""
    yield verdict.headline(done)
    for one in done.mended:
        yield ""
        yield _said("fixed", one)
        yield f"         ✓ {one.mended}"
    if done.fix and not done.mended and not done.mendable and done.findings:
        yield ""
        yield "Nothing here can be fixed automatically: follow the arrows."
    for one in done.findings:
        yield ""
        yield _said(one.severity, one)
        yield f"         → {one_line(one.remedy)}"
    if fixes := _fixes(done):
        yield ""
        yield fixes


def _fixes(done: Examined) -> str:
    """Return which of the findings left `--fix` would fix; empty for none."""
    if not done.mendable or (done.fix and not done.dry_run):
        return ""
    would = "would fix" if done.dry_run else "fixes"
    return one_line(f"agentws doctor --fix {would} {len(done.mendable)}: {names.some(map(_short, done.mendable))}")


def _said(label: str, one: Any) -> str:
    # The name of a file must not make a line that looks like one of agentws.
    return f"{label:<8} {one_line(f'{one.where}: {one.says}' if one.where else one.says)}"


def _short(one: Any) -> str:
    return str(one.where or one.name)
