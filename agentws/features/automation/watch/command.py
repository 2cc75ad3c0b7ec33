"""The verb agentws watch."""

from __future__ import annotations

import signal

from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, number
from agentws.errors import NeedsYouError
from agentws.features.automation.watch import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.automation.watch.watch import Watcher

_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def watch(run: Run, *, settle: int, poll: int | None, once: bool) -> None:
    """Record and compare documents as they change, until Ctrl-C. With --json, one JSON line per event."""
    watcher = run.workspace().watch(settle_s=settle, poll_s=poll, once=once)
    if not once:
        _end_with_signals(watcher)
    for seen in watcher:
        if run.quiet and seen.kind not in render.LOUD:
            continue
        if run.as_json:
            output.text(render.json_line(seen))
        else:
            output.lines(render.lines(seen))
    if once and watcher.warned:
        many = "1 document" if watcher.warned == 1 else f"{watcher.warned:,} documents"
        raise NeedsYouError(f"{many} lost content.", hint="The warnings above name the documents.")


def _end_with_signals(watcher: Watcher) -> None:
    """Let the first signal stop the watcher; the second one ends the process as usual."""

    def end(which: int, frame: object) -> None:
        signal.signal(which, signal.SIG_DFL)
        watcher.stop()

    for which in _ENDS:
        if signal.getsignal(which) != signal.SIG_IGN:
            signal.signal(which, end)


VERBS = (
    Verb(
        "watch",
        watch,
        (
            number("--settle", "SECONDS", "Record a state after this long without changes.", default=30, least=1),
            number(
                "--poll", "SECONDS", "Check the files this often, instead of waiting for file system events.", least=1
            ),
            flag("--once", "Check once and exit; exit code 3 if a document lost content."),
        ),
        "agentws watch",
        "agentws watch --settle 10 -q       only warnings",
        "agentws watch --json",
        "agentws watch --once               from cron",
    ),
)
