"""Digests of content: SHA-256 in hexadecimal, everywhere."""

# hashlib loads OpenSSL, which costs a third of an interpreter start on the hot path.
try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha256


def of(data: bytes) -> str:
    """The digest of `data`, 64 lower-case hexadecimal digits."""
    return str(sha256(data).hexdigest())
