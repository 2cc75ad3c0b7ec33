"""What `doctor` found, as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.formats.text import names
from agentws.formats.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def fields(done: Any) -> dict[str, object]:
    """The fields of `agentws/doctor@1`."""
    return {
        "well": done.well,
        "root": done.root,
        "fix": done.fix,
        "dry_run": done.dry_run,
        "findings": [_finding(one) for one in done.findings],
        "mended": [{**_finding(one), "done": one.mended} for one in done.mended],
        "notices": done.notices,
    }


def _finding(one: Any) -> dict[str, object]:
    return {
        "severity": one.severity,
        "name": one.name,
        "says": one.says,
        "path": one.path or None,
        "line": one.line or None,
        "remedy": one.remedy,
        "mendable": bool(one.mends),
    }


def lines(done: Any) -> Iterator[str]:
    """The verdict, what was mended, and what is left, the worst first."""
    yield _verdict(done)
    for one in done.mended:
        yield ""
        yield _said("mended", one)
        yield f"         ✓ {one.mended}"
    for one in done.findings:
        yield ""
        yield _said(one.severity, one)
        yield f"         → {one_line(one.remedy)}"
    if done.mendable and not (done.fix and not done.dry_run):
        count = len(done.mendable)
        yield ""
        would = "would mend" if done.dry_run else "mends"
        yield one_line(f"agentws doctor --fix {would} {count} of these: {names.some(map(_short, done.mendable))}")


def _verdict(done: Any) -> str:
    needing = sum(one.needs_you for one in done.findings)
    advice = len(done.findings) - needing
    extra = f", {advice} piece{'s' * (advice != 1)} of advice" if advice else ""
    if not needing:
        return f"All is well{extra}."
    return f"{needing} thing{'s need' if needing > 1 else ' needs'} you{extra}."


def _said(label: str, one: Any) -> str:
    # The name of a file must not make a line that looks like one of ours.
    return f"{label:<8} {one_line(f'{one.where}: {one.says}' if one.where else one.says)}"


def _short(one: Any) -> str:
    return str(one.where or one.name)
