"""Mirrors beside the newest backup as earlier versions made them (docs/format/backup.md), made by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, segment
from agentws.core.formats.travel.inventory import FILE
from agentws.core.formats.travel.mirror import is_document
from agentws.features.copies.backup.store import folder, reach
from agentws.workspace import Workspace


def make(robin: Workspace, stick: Path) -> Path:
    """Put what the newest backup lacks of a workspace beside it, as its mirror; returns its `workspace`."""
    place = folder.agents(str(stick))[0]
    name = place.names()[-1]
    manifest = place.manifest(name)
    owner = Path(place.place, "mirror", reach.owner(robin.root))
    shutil.rmtree(owner, ignore_errors=True)
    root = Path(robin.root)
    paths = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    documents: dict[str, Any] = {}
    segments: dict[str, Any] = {}
    for path in paths:
        inner, data = str(path.relative_to(root)), path.read_bytes()
        old = manifest.entries.get(inner)
        if inner.startswith("journal/"):
            _copy(owner, inner, data)
            if path.suffix == ".jsonl" and path.parent.parent.name == "journal" and path.stem.isdigit():
                line = data.splitlines()[-1]
                told = [len(data), digest.of(data), segment.seq_of(line), chain.hash_of(line), 0, 0, 0]
                segments.setdefault(path.parent.name, {})[str(int(path.stem))] = told
        elif is_document(inner) and (old is None or old.content != digest.of(data)):
            _copy(owner, inner, data)
            status = path.stat()
            documents[inner] = [status.st_mode & 0o777, status.st_mtime_ns, len(data), digest.of(data)]
    present = {str(path.relative_to(root)) for path in paths}
    gone = [path for path, one in manifest.entries.items() if one.kind == FILE and path not in present]
    documents |= dict.fromkeys(filter(is_document, gone))
    state = {"agentws": 1, "mirror": 1, "agent": manifest.header.agent, "host": "den", "follows": name}
    state |= {"at": "2026-11-20T06:15:00Z", "segments": segments, "documents": documents}
    (owner / "mirror.json").write_text(json.dumps(state))
    return owner / "workspace"


def _copy(owner: Path, inner: str, data: bytes) -> None:
    place = owner / "workspace" / inner
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
