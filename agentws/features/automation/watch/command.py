"""The verb agentws watch."""

from __future__ import annotations

import signal

from agentws.core.formats.json import plainjson
from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, number
from agentws.core.text import sh
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from agentws.features.automation.watch.poll import Observation
    from agentws.features.automation.watch.watch import Watcher

_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def watch(run: Run, *, settle: int, poll: int | None, once: bool) -> None:
    """Record and compare documents as they change, until Ctrl-C."""
    watcher = run.workspace().history.watch(settle_s=settle, poll_s=poll, once=once)
    if not once:
        _end_with_signals(watcher)
    for seen in watcher:
        if run.quiet and seen.kind not in LOUD:
            continue
        if run.as_json:
            output.text(json_line(seen))
        else:
            output.lines(change_lines(seen))
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
            number("--settle", "SECONDS", "Record a state after so long without changes.", default=30, least=1),
            number("--poll", "SECONDS", "Check the files this often, without file system events.", least=1),
            flag("--once", "Check once; exit code 3 if a document lost content."),
        ),
        "agentws watch",
        "agentws watch --settle 10 -q       only warnings",
        "agentws watch --json",
        "agentws watch --once               from cron",
    ),
)


LOUD = ("warning", "failed")
"""The kinds of sightings that are printed with --quiet."""
_SHORT = 10
_STATUS = {"added": "added", "removed": "removed", "changed": "edited", "moved": "moved"}


def json_line(seen: Observation) -> str:
    """Return a sighting as a JSON line of `agentws/watch@1`."""
    facts = dict(seen.facts)
    if command := _restore(facts):
        facts["restore"] = command
    shown = output.without_secrets({"event": seen.kind, "at": seen.at.isoformat(), **facts})
    return plainjson.dumps({"schema": "agentws/watch@1", **shown}) + "\n"


def change_lines(seen: Observation) -> Iterator[str]:
    """Yield a sighting of `watch` as lines for people, the first with its time."""
    first, *rest = _LINES[seen.kind](seen.facts)
    yield f"{seen.at:%H:%M:%S}  {first}"
    yield from (f"          {line}" for line in rest)


def _watching(facts: dict[str, Any]) -> list[str]:
    how = "by file system events" if facts["eyes"] == "events" else "by checks every few seconds"
    return [f"Watching {facts['root']} {how}. End: Ctrl-C"]


def _edited(facts: dict[str, Any]) -> list[str]:
    if "more" in facts:
        return [f"{facts['more']:,} more documents changed outside agentws"]
    sentence = f"{_STATUS[facts['status']]} outside agentws: {one_line(facts.get('was') or facts['path'])}"
    if facts["status"] == "moved":
        return [f"{sentence} to {one_line(facts['path'])}"]
    counts = (
        f" +{facts['added']} -{facts['removed']}"
        if (facts["added"] or facts["removed"]) and facts["status"] != "removed"
        else ""
    )
    return [f"{sentence}{counts}"]


def _warning(facts: dict[str, Any]) -> list[str]:
    if "more" in facts:
        return [
            f"warning: {facts['more']:,} more documents lost content",
            "To see them: agentws diff --stat --since yesterday",
        ]
    path, lost = one_line(facts["path"]), f"{facts['lost']} of {facts['entries']} entries"
    sentence = {
        "removed": f"{path} was removed.",
        "shrank": f"{path} shrank from {facts['before_bytes']:,} to {facts['after_bytes']:,} bytes.",
        "lost": f"{path} lost {lost}.",
    }[facts["why"]]
    if facts["lost"] and facts["why"] != "lost":
        sentence += f" Lost: {lost}."
    command = _restore(facts)
    return [
        f"warning: {sentence}",
        f"Restore: {command}" if command else "History does not contain the earlier content.",
    ]


def _restore(facts: dict[str, Any]) -> str:
    """Return the command that restores a document, empty if history does not have it."""
    if not (facts.get("why") and facts.get("state")):
        return ""
    path, state = facts["path"], facts["state"][:_SHORT]
    words = ["--at", state, "--", path] if path.startswith("-") else [path, "--at", state]
    return sh.join(["agentws", "restore", *words])


_LINES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "watching": _watching,
    "edited": _edited,
    "warning": _warning,
    "recorded": lambda facts: [f"recorded state {facts['state'][:_SHORT]}"],
    "notice": lambda facts: [f"notice: {facts['text']}"],
    "failed": lambda facts: [f"failed: {facts['text']}"],
    "stopped": lambda facts: ["stopped"],
}
