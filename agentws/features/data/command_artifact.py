"""The verbs `agentws artifact add|list|get`: their options and calls."""

from __future__ import annotations

import sys

from agentws.core.terminal import invocation, output
from agentws.core.terminal.options import Verb, text, word
from agentws.core.text import sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run
    from agentws.features.data.artifacts import Artifact


def add(run: Run, *, file: str, name: str | None, note: str) -> None:
    """Keep a copy of a file by its digest, and print its name and digest.

    A later file of the same name counts; the earlier one stays, by its digest.
    """
    result = run.workspace().data.add_artifact(invocation.path_meant(file), name=name, note=note)
    run.result("artifact-add", result, f"{_FIELDS} notices", [_line(result)])


def list_artifacts(run: Run) -> None:
    """List the artifacts, the newest of each name."""
    result = run.workspace().data.list_artifacts()
    lines = [*map(_line, result.artifacts)] or ["No artifacts. Keep a file: agentws artifact add FILE"]
    run.result("artifact-list", result, f"artifacts[{_FIELDS}] notices", lines, look=output.ROWS)


def get(run: Run, *, name: str, file: str) -> None:
    """Verify an artifact and write it to a new file."""
    data = run.workspace().data
    if file != "-":
        result = data.get_artifact(name, invocation.path_meant(file))
        run.result("artifact-get", result, f"{_FIELDS} file notices", [f"{file}  {_line(result)}"], file=file)
        return
    with data.open_artifact(name) as source:
        while piece := source.read(1 << 20):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()


def _line(artifact: Artifact) -> str:
    parts = (artifact.name, artifact.digest[:12], sizes.readable(artifact.bytes), artifact.at[:10], artifact.note)
    return "  ".join(filter(None, (*parts, "" if artifact.is_here else "not in this copy")))


_FIELDS = "name digest bytes at note path here=is_here"
VERBS = (
    Verb(
        "artifact add",
        add,
        (
            word("file", "FILE", "The file to keep."),
            text("--name", "NAME", "Its name. Default: that of the file."),
            text("--note", "TEXT", "A description of the file.", default=""),
        ),
        "agentws artifact add weights.safetensors --name ranker --note 'trained on 2,000 answers'",
    ),
    Verb("artifact list", list_artifacts, (), "agentws artifact list"),
    Verb(
        "artifact get",
        get,
        (
            word("name", "NAME", "Name, or the first digits of a digest.", completes="artifact"),
            word("file", "FILE", "The new file; `-` is standard output."),
        ),
        "agentws artifact get ranker weights.safetensors",
    ),
)
