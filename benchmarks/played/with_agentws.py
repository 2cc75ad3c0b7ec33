"""The job with agentws: each action is recorded before it begins and after it ended."""

from __future__ import annotations

import os
import re

import job

from agentws import Workspace
from agentws.errors import UnknownResultError


def main() -> None:
    """Do what the journal has no result of."""
    workspace = Workspace.open("w") if os.path.exists("w/agentws.toml") else Workspace.init("w", git=False)
    job.begin()
    with workspace.session("Go on with the job") as session:
        while (number := job.next_action(results(workspace))) is not None:
            try:
                with session.action("act", {"number": number}) as call:
                    call.result(job.act(number))
            except UnknownResultError as error:
                asked = re.search(r"done --call (\S+)`", error.hint or "")
                if job.is_done_after_all(number) and asked:
                    workspace.event("result", f"done {number}", call=asked[1])


def results(workspace: Workspace) -> list[str]:
    """Return the results in the journal."""
    bodies = [event.body or {} for event in workspace.journal.list() if event.kind == "result"]
    return [str(body.get("output") or body.get("text")) for body in bodies]


main()
