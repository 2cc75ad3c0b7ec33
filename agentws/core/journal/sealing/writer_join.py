"""Registration of a writer in `identity/`: its key, and the newest events of the other writers at that moment.

Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core.disk import files as _files, local_dir, locate, lock
from agentws.core.formats import digest, layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.identity import writer
from agentws.core.formats.journal import chain, segment
from agentws.core.installation import host_info
from agentws.core.journal import read
from agentws.errors import MissingFileError


def join(files: _files.Files, name: str, key: str, *, at: str) -> bool:
    """Add the missing lines for the writer `name` with this public key, durably; False if nothing was missing.

    Without a key (empty) only its name is added, if it is not listed. Other content of these files is kept byte for
    byte: people may edit them.
    """
    if _joined(files, name, key) and (not key or _signs(files, name, key)):
        return False
    local_dir.prepare(files)
    seen = heads(files, but=name)
    with lock.Lock(files, lock.APPEND):
        locate.check_not_left(files)  # the agent may have moved away while this waited
        if not _joined(files, name, key):
            after = writer.news(seen, _text(files, layout.WRITERS))
            line = writer.line(writer=name, key=key, host=host_info.name(), at=at, after=after)
            add(files, layout.WRITERS, line)
        # Last, so that every key that counts has its writer listed.
        if key and not _signs(files, name, key):
            add(files, layout.SIGNERS, writer.signer(name, key))
        _finish(files)
    return True


def is_told(files: _files.Files, name: str) -> bool:
    """Return whether `identity/` lists this writer, with a key or without."""
    return any(line.writer == name for line in writer.lines(_text(files, layout.WRITERS)))


def finish(files: _files.Files) -> None:
    """Make durable what a killed `join` has written, and remove its leftovers."""
    with lock.Lock(files, lock.APPEND):
        _finish(files)


def sweep(files: _files.Files) -> None:
    """Remove what killed processes have left in `identity/`; one listing if there is nothing."""
    folder = layout.WRITERS.rpartition("/")[0]
    if any(name.endswith((".agentws-new", ".agentws-old")) for name in files.unsorted(folder)):
        finish(files)


def heads(files: _files.Files, *, but: str) -> dict[str, dict[str, object]]:
    """Return the number and hash of the newest readable event of each other writer."""
    result: dict[str, dict[str, object]] = {}
    for name in read.writers(files):
        line = read.newest_line(files, name) if name != but else b""
        if line:
            result[name] = {"seq": segment.seq_of(line), "hash": chain.hash_of(line)}
    return result


def news(files: _files.Files, *, but: str) -> dict[str, dict[str, object]]:
    """Return those of `heads` that no line of `identity/` lists at their present number; if there are none, the last
    one.
    """
    return writer.news(heads(files, but=but), _text(files, layout.WRITERS))


def add(files: _files.Files, path: str, line: str) -> None:
    """Append a line to a file of `identity/`, durably. The caller holds the append lock."""
    files.make_folder(path.rpartition("/")[0])
    known = files.read(path) if files.exists(path) else None
    before = known or b""
    glue = b"" if not before or before.endswith(b"\n") else b"\n"
    expects = ABSENT if known is None else digest.of(known)
    files.replace(path, before + glue + line.encode("ascii") + b"\n", expects=expects)


def settle(files: _files.Files, path: str) -> None:
    """Remove what a killed `add` has left beside a file of `identity/`. The caller holds the append lock.

    The file begins with the content that it replaced; any other content there is somebody's edit, and stays beside.
    """
    folder, _, name = path.rpartition("/")
    old = f"{folder}/.{name}.agentws-old"
    now = files.read(path)
    before = files.read(old) if files.exists(old) else now
    expects = before if now.startswith(before) else now
    files.settle(path, expects=digest.of(expects))
    files.sync_way(path)


def _finish(files: _files.Files) -> None:
    for path in (layout.WRITERS, layout.SIGNERS, layout.KEPT_OUT):
        if files.exists(path):
            settle(files, path)
        else:
            files.settle(path, expects=ABSENT)  # its first line was never added


def _joined(files: _files.Files, name: str, key: str) -> bool:
    if not key:
        return is_told(files, name)
    return (name, key) in writer.joined(_text(files, layout.WRITERS))


def _signs(files: _files.Files, name: str, key: str) -> bool:
    return key in writer.signers(_text(files, layout.SIGNERS)).get(name, ())


def _text(files: _files.Files, path: str) -> str:
    try:
        return files.read(path).decode("utf-8", "replace")
    except MissingFileError:
        return ""
