"""Opens the person's editor for a handoff or task, and saves the text if the verb fails afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from agentws.core import environment
from agentws.core.formats import layout
from agentws.core.formats.documents import handoff
from agentws.core.terminal import output
from agentws.errors import AgentwsError, OutsideProgramError, UsageError
from agentws.workspace import Workspace

_HINT = "<!-- Write below the headings. Empty ones are left out; if all are empty, nothing is written. -->"
_TEMPLATE = "\n".join(f"## {heading}\n\n" for heading in ("Doing", "Decisions", "Pending", "Next step"))
_INSTEAD = 'agentws handoff --doing "…" --next "…"'
_MOST_KEPT = 100


def keep(workspace: Workspace, text: str, before: str | None = None) -> str:
    """Save an edited text in `.agentws/`, readable by nobody else; return the notice with its path, or empty.

    Without `before` it is a handoff, else the edited form of a document that read `before`. If saving fails too, the
    text is lost without a notice.
    """
    if before is not None:
        path = _draft(workspace, "task", text) if text != before else ""
        return f"Your text is saved in {path}." if path else ""
    path = _draft(workspace, "handoff", text) if handoff.sections(text) else ""
    if not path:
        return ""
    return f"Your text is saved in {path}. Correct the text, then: agentws handoff --stdin < {path}"


def _draft(workspace: Workspace, name: str, text: str) -> str:
    """Save the text; return its path as it can be typed, empty if that fails."""
    for number in range(1, _MOST_KEPT):
        path = os.path.join(workspace.root, layout.LOCAL, f"{name}-draft-{number}.md")
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        except OSError:
            return ""
        with open(file, "w", encoding="utf-8", errors="surrogateescape", newline="") as draft:
            draft.write(text)
        near = os.path.relpath(path)
        return shlex.quote(path if near.startswith(os.pardir) else near)
    return ""


@contextmanager
def kept_if_it_fails(workspace: Workspace, text: str, before: str | None = None) -> Iterator[None]:
    """Save the edited text, as `keep` does, if this block fails, and say where."""
    try:
        yield
    except AgentwsError as error:
        _tell(error, keep(workspace, text, before))
        raise
    except BaseException:
        output.notices([message] if (message := keep(workspace, text, before)) else [], quiet=False)
        raise


def _tell(error: AgentwsError, advice: str) -> None:
    error.hint = f"{error.hint or ''} {advice}".strip() or None


def edited(workspace: Workspace) -> str:
    """Return the handoff that a person writes in their editor, which starts with what is known already."""
    # An agent's shell may be a terminal, too.
    editor = None if workspace.stores.environment.by_agent else environment.editor()
    if not editor:
        raise UsageError(
            "Nothing to hand over, and no editor: $VISUAL and $EDITOR are unset, or an agent is calling.",
            hint=f"{_INSTEAD}, or --auto",
        )
    begun = _begun(workspace)
    with tempfile.TemporaryDirectory(prefix="agentws-") as folder:
        path = os.path.join(folder, "handoff.md")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{_HINT}\n\n{begun}")
        code = _run(editor, path, _INSTEAD)
        text = _left(editor, path, None).replace(_HINT, "")
    if code:
        failed = OutsideProgramError(f"{editor} exited with {code}; nothing was written.")
        _tell(failed, (text.strip() != begun.strip() and keep(workspace, text)) or f"Re-run, or: {_INSTEAD}")
        raise failed
    return text


def text(workspace: Workspace, before: str, *, name: str, instead: str) -> str:
    """Return the edited form of a text from the person's editor; UsageError with the hint `instead` without one."""
    editor = None if workspace.stores.environment.by_agent else environment.editor()
    if not editor:
        raise UsageError(
            "Nothing to change, and no editor: $VISUAL and $EDITOR are unset, or an agent is calling.", hint=instead
        )
    with tempfile.TemporaryDirectory(prefix="agentws-") as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(before)
        code = _run(editor, path, instead)
        made = _left(editor, path, "")
    if code:
        failed = OutsideProgramError(f"{editor} exited with {code}; nothing was changed.")
        _tell(failed, keep(workspace, made, before) or f"Re-run, or: {instead}")
        raise failed
    return made


def _left(editor: str, path: str, newline: str | None) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline=newline) as file:
            return file.read()
    except OSError as error:
        raise OutsideProgramError(
            f"{editor} left no readable file: {error.strerror}.", hint="Re-run, and save under the same name."
        ) from error


def _begun(workspace: Workspace) -> str:
    try:
        body = workspace.handoff(auto=True, dry_run=True).text.partition("\n---\n")[2]
    except AgentwsError:
        return _TEMPLATE
    missing = [part for part in _TEMPLATE.split("## ") if part and f"## {part.split(chr(10))[0]}\n" not in body]
    return body.rstrip("\n") + "\n\n" + "".join(f"## {part}" for part in missing)


_OPENERS = ("xdg-open", "open")
"""In this order: if there are both, it is Linux, and `open` may be a program that opens a virtual terminal."""


def show(path: str) -> bool:
    """Open the file in the person's editor, else in the desktop's program; False without either."""
    chosen = environment.editor()
    openers = [chosen] if chosen else [name for name in _OPENERS if shutil.which(name)]
    if openers and (code := _run(openers[0], path, f"open {shlex.quote(path)} yourself")):
        raise OutsideProgramError(f"{openers[0]} exited with {code}.", hint=f"Open {shlex.quote(path)} yourself.")
    return bool(openers)


def _run(editor: str, path: str, instead: str) -> int:
    """Run the editor and return its exit code; errors have the hint `instead`."""
    hint = f"Set $VISUAL or $EDITOR to an installed editor, or: {instead}"
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise UsageError(f"$VISUAL or $EDITOR is not a command: {error}.", hint=hint) from error
    if not words:
        raise UsageError("$VISUAL or $EDITOR is blank.", hint=hint)
    try:
        return subprocess.run([*words, path], check=False).returncode
    except OSError as error:
        raise OutsideProgramError(f"{words[0]} could not be started: {error.strerror}.", hint=hint) from error
