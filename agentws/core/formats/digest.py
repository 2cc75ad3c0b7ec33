"""Digests of content: SHA-256 in hexadecimal; a faster BLAKE2b for this machine's cache."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ABSENT = ""
"""The digest of a file that does not exist."""

_WITH_SHA2 = 0x030C0000
"""The interpreter from which on SHA-256 is in `_sha2`."""
_made: dict[str, Callable[..., Any]] = {}


def of(data: bytes) -> str:
    """Return the SHA-256 digest of `data`: 64 lower-case hexadecimal digits."""
    return str(sha256()(data).hexdigest())


def sha256() -> Callable[..., Any]:
    """Return the function that makes a SHA-256 object, for digests of streams."""
    if "sha256" not in _made:
        _made["sha256"] = _sha256()
    return _made["sha256"]


def quick(data: bytes, secret: bytes = b"") -> str:
    """Return a BLAKE2b digest (40 hexadecimal digits) for this machine's cache; three times as fast as SHA-256.

    With a `secret` (64 bytes at most) it cannot be computed without knowing that secret.
    """
    if "blake2b" not in _made:
        try:
            from _blake2 import blake2b
        except ImportError:
            from hashlib import blake2b
        _made["blake2b"] = blake2b
    return str(_made["blake2b"](data, digest_size=20, key=secret).hexdigest())


def hasten() -> None:
    """Use OpenSSL's SHA-256 from now on: slow to load, but twice as fast, which pays from hundreds of digests on."""
    from hashlib import sha256

    _made["sha256"] = sha256


# hashlib loads OpenSSL, which costs a third of an interpreter start on the hot path.
def _sha256() -> Callable[..., Any]:
    # Python would search every folder of the path for a missing module.
    try:
        if sys.hexversion < _WITH_SHA2:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
        else:
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256
    return sha256  # type: ignore[no-any-return,unused-ignore]
