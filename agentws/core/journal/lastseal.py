"""The newest seal of this installation, kept in its state, to notice a journal that lost it."""

from __future__ import annotations

from agentws.core.disk import files
from agentws.core.formats.json import plainjson
from agentws.errors import MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.installation import Installation

_SEALED = "sealed"


def remembered(own: Installation) -> tuple[int, str] | None:
    """Return (number, hash) of the event of this installation's newest seal; None if it has made none.

    A journal without that event, or with another hash at its number, was cut, or replaced by an older copy.
    """
    row = newest(own.folder)
    return row[1:] if row is not None and row[0] == own.writer else None


def newest(folder: str) -> tuple[str, int, str] | None:
    """Return (writer, number, hash) of the newest seal kept in this state, under whichever writer id."""
    try:
        decoded = plainjson.loads(files.Files(folder).read(_SEALED, limit_bytes=1 << 12))
        writer, seq, hash_ = decoded["writer"], decoded["seq"], decoded["hash"]
        sound = isinstance(writer, str) and isinstance(seq, int) and isinstance(hash_, str)
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError):
        return None  # an attacker who damaged it could have removed it as well
    return (writer, seq, hash_) if sound else None


def forget(current: Installation) -> None:
    """Remove the remembered seal, durably: a person has agreed that the events it covered are lost."""
    own = files.Files(current.folder)
    if own.exists(_SEALED):
        own.remove(_SEALED, expects=own.digest(_SEALED))


def remember(current: Installation, seq: int, hash: str) -> None:
    """Save the newest seal, durably, unless a later one is known. The caller holds the append lock."""
    known = remembered(current)
    if known is not None and known[0] >= seq:
        return  # another process has sealed later
    own = files.Files(current.folder)
    fields = {"agentws": 1, "writer": current.writer, "seq": seq, "hash": hash}
    own.replace(_SEALED, plainjson.dumps(fields).encode() + b"\n", expects=own.digest(_SEALED))
