"""Files that are sent in the place of others: a folder of this machine's own, for as long as they are sent."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from agentws.formats import layout
from agentws.storage.disk import files as _files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentws.formats.travel.inventory import Entry

_FOLDER = f"{layout.LOCAL}/outgoing"


@contextmanager
def written(root: str, entries: Sequence[Entry], texts: Mapping[str, bytes]) -> Iterator[str]:
    """A folder that holds these files of the workspace, with the texts of theirs, their modes and times.

    What a killed process has left of it goes first: whoever moves the workspace is the only one at work.
    """
    folder = os.path.join(root, _FOLDER)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder, 0o700)
        for entry in entries:
            _write(os.path.join(folder, entry.path), entry, texts[entry.path])
        yield folder
    except OSError as error:
        raise _files.failure(error, _FOLDER) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(place: str, entry: Entry, text: bytes) -> None:
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    with open(place, "xb") as file:
        file.write(text)
        os.fchmod(file.fileno(), entry.mode)
    os.utime(place, ns=(entry.mtime_ns, entry.mtime_ns))
