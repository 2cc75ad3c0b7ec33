"""The verb `agentws demo`."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator

from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, optional
from agentws.features.init import command
from agentws.features.init import demo as _demo
from agentws.features.init.demo import Demo


def demo(run: Run, *, directory: str | None) -> None:
    """Play a crash: an agent is killed in the middle of an action, and its next boot shows that. Takes seconds."""
    folder = command.root_of(run, directory) if directory else f"{tempfile.mkdtemp(prefix='agentws-demo-')}/robin"
    played = _demo.play(folder, run.environment())
    boots = [{"budget": budget, "text": text} for budget, text in played.boots]
    run.done("demo", {"folder": played.folder, "boots": boots}, _lines(played, is_temporary=directory is None), ())


def _lines(played: Demo, *, is_temporary: bool) -> Iterator[str]:
    yield "Robin has worked for Sam for some days. Today this is Robin's program:"
    yield ""
    yield from (f"    {line}" for line in _demo.AGENT.splitlines())
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
