"""The vocabularies for counting tokens: tables in the package, mapped into memory instead of read."""

from __future__ import annotations

import os

from agentws.errors import DamagedError, MissingFileError

_FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "vocabulary"
)
_O200K = "o200k_base.bin"
PATH = os.path.join(_FOLDER, _O200K)
"""The table of o200k_base, where it is installed."""
WORDS_PATH = os.path.join(_FOLDER, "words.json")
"""The words of core/notes/vocabulary.py, where they are installed."""
_MAGIC = b"agentws o200k 1\n"
_HEADER_BYTES = 128
_HINT = "Reinstall agentws, or run: agentws config boot.tokenizer bytes"


def open_o200k(folder: str = _FOLDER) -> memoryview:
    """Return the token vocabulary o200k_base, a read-only table for core/tokens; takes about 0.05 ms.

    The layout is described in tools/build_o200k.py. Only its magic and its length are checked.
    """
    import mmap

    path = os.path.join(folder, _O200K)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise MissingFileError(
            f"The token vocabulary {path} cannot be opened: {error.strerror}.", hint=_HINT
        ) from error
    try:
        size_bytes = os.fstat(descriptor).st_size
        if size_bytes < _HEADER_BYTES:
            raise _damaged(path)
        table = memoryview(mmap.mmap(descriptor, size_bytes, access=mmap.ACCESS_READ))
    except OSError as error:
        raise MissingFileError(f"The token vocabulary {path} cannot be read: {error.strerror}.", hint=_HINT) from error
    finally:
        os.close(descriptor)
    if table[:16] != _MAGIC or int.from_bytes(table[16:20], "little") != size_bytes:
        raise _damaged(path)
    return table


def _damaged(path: str) -> DamagedError:
    return DamagedError(f"The token vocabulary {path} is damaged.", hint=_HINT)
