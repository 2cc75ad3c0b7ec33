"""A handoff that a person writes in their editor; and what they wrote kept, where it could not be handed over."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

from agentws.cli import environment
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.formats import handoff, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.workspace import Workspace

_HINT = "<!-- Write below the headings. Empty ones are left out; if all are empty, nothing is written. -->"
_TEMPLATE = "\n".join(f"## {heading}\n\n" for heading in ("Doing", "Decisions", "Pending", "Next step"))
_MOST_KEPT = 100


def keep(workspace: Workspace, text: str, error: AgentwsError) -> None:
    """Keep the text in `.agentws/`, for nobody else to read, and name the file in the error; nothing for no words.

    Where that fails too, the error stays what it is.
    """
    if not handoff.sections(text):
        return
    for number in range(1, _MOST_KEPT):
        path = f"{layout.LOCAL}/handoff-draft-{number}.md"
        try:
            file = os.open(os.path.join(workspace.root, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        except OSError:
            return
        with open(file, "w", encoding="utf-8", errors="surrogateescape") as draft:
            draft.write(text)
        again = f"What you wrote is kept in {path}: mend it, then agentws handoff --stdin < {path}, and remove it."
        error.hint = f"{error.hint} {again}" if error.hint else again
        return


def edited(workspace: Workspace) -> str:
    """What a person writes in their editor, which begins with what is known already."""
    editor = environment.editor()
    if not editor:
        raise UsageError(
            "There is nothing to hand over, and $EDITOR names no editor.",
            hint='agentws handoff --doing "…" --next "…", or --auto',
        )
    with tempfile.TemporaryDirectory(prefix="agentws-") as folder:
        path = os.path.join(folder, "handoff.md")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{_HINT}\n\n{_begun(workspace)}")
        code = _run([*shlex.split(editor), path])
        if code:
            raise OutsideProgramError(f"{editor} ended with {code}; nothing was written.")
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().replace(_HINT, "")


def _begun(workspace: Workspace) -> str:
    try:
        body = workspace.handoff(auto=True, dry_run=True).text.partition("\n---\n")[2]
    except AgentwsError:
        return _TEMPLATE
    missing = [part for part in _TEMPLATE.split("## ") if part and f"## {part.split(chr(10))[0]}\n" not in body]
    return body.rstrip("\n") + "\n\n" + "".join(f"## {part}" for part in missing)


def _run(words: list[str]) -> int:
    try:
        return subprocess.run(words, check=False).returncode
    except OSError as error:
        raise OutsideProgramError(f"{words[0]} could not be started: {error.strerror}.") from error
