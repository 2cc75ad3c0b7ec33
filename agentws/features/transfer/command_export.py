"""The verb `agentws export`."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, text, word
from agentws.features.transfer import exporter
from agentws.features.transfer.exporter import Exported, Format


def export(run: Run, *, path: str, format: Format | None) -> None:
    """Write memory, logs, tasks and identity files for other programs. Secrets are masked."""
    run.check_main_audience()
    done = run.workspace().memory.export(path, format=format)
    run.result("export", done, "path format entries files secrets skipped notices", _lines(done))


def _lines(done: Exported) -> Iterator[str]:
    yield f"Exported {done.entries} entries of {done.files} files to {done.path}"
    if done.secrets:
        yield f"Masked secrets: {done.secrets}"
    if done.skipped:
        yield f"Not exported: {', '.join(done.skipped)}"


VERBS = (
    Verb(
        "export",
        export,
        (
            word("path", "PATH", "A new file or folder: .jsonl, .md, or a folder for MemFS."),
            text("--format", "FORMAT", f"One of: {', '.join(exporter.FORMATS)}. Default: by the suffix."),
        ),
        "agentws export robin.jsonl            read again by: agentws import --from agentws robin.jsonl",
        "agentws export robin.md",
        "agentws export ~/robin --format memfs",
    ),
)
