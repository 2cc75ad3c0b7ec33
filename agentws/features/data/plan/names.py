"""Names of tables and row logs as paths below `data/`, the same on every file system."""

from __future__ import annotations

import hashlib

from agentws.core.formats import layout

SUFFIX = ".jsonl"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST_PART = 180
_LONGEST = 480
_CUT = "%-"
"""The mark before the digest of a long name; elsewhere two digits follow a percent sign, or nothing."""
_SHOWN = 60


def path(name: str) -> str:
    """Return the path of the rows with a name: capitals and other letters as `%41`, a long name by its digest."""
    encoded = [_encode(part) for part in name.split("/")]
    whole = "/".join(encoded)
    if len(whole) <= _LONGEST and max(map(len, encoded)) <= _LONGEST_PART:
        return f"{layout.DATA}/{whole}{SUFFIX}"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:40]
    return f"{folder_of(name)}/{encoded[-1][:_SHOWN].rstrip('%')}{_CUT}{digest}{SUFFIX}"


def folder_of(prefix: str) -> str:
    """Return the folder in which all names with a prefix are."""
    first, slash, _ = prefix.partition("/")
    encoded = _encode(first)
    return f"{layout.DATA}/{encoded}" if slash and len(encoded) <= _LONGEST_PART else layout.DATA


def is_whole(path: str) -> bool:
    """Return whether a path shows the whole name; of other files, the first line does."""
    return _CUT not in path


def name_of(path: str) -> str:
    """Return the name that a whole path shows; empty if it is the path of no name."""
    inner = path.removeprefix(f"{layout.DATA}/").removesuffix(SUFFIX)
    try:
        return "/".join(map(_decode, inner.split("/")))
    except ValueError:
        return ""


def _encode(part: str) -> str:
    data = part.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in data) or "%"


def _decode(part: str) -> str:
    if part == "%":
        return ""
    first, *rest = part.split("%")
    data = first.encode() + b"".join(bytes([int(text[:2], 16)]) + text[2:].encode() for text in rest)
    return data.decode("utf-8", "surrogatepass")
