"""SSH signatures in OpenSSH's format (PROTOCOL.sshsig): Ed25519 keys, SHA-512, namespace `agentws`.

Anyone can check one with `ssh-keygen -Y verify`. Specified in docs/format/identity.md.
"""

from __future__ import annotations

import binascii

from agentws.core import Record

NAMESPACE = "agentws"
"""Purposes of our signatures: a signature counts for its own purpose alone."""
KIND = "ssh-ed25519"
HASH = "sha512"

_MAGIC = b"SSHSIG"
_VERSION = 1
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----\n", "-----END SSH SIGNATURE-----\n"
_COLUMNS = 70
_MOST_COLUMNS = 76
MOST_CHARS = 1024
"""No key or signature of agentws is longer."""
_KEY_BYTES, _SIGNATURE_BYTES = 32, 64


class Signature(Record):
    """A parsed SSH signature: the public `key` (`ssh-ed25519 AAAA…`) that it claims, and its 64 `raw` bytes."""

    key: str
    raw: bytes


def to_sign(message: bytes) -> bytes:
    """Return the bytes that an SSH key signs for a message."""
    from hashlib import sha512

    return _MAGIC + _head() + packed(sha512(message).digest())


def armor(key: str, raw: bytes) -> str:
    """Return an SSH signature as `ssh-keygen -Y sign` prints it; ValueError for a bad key or signature."""
    if len(raw) != _SIGNATURE_BYTES:
        raise ValueError("an Ed25519 signature has 64 bytes")
    blob = _MAGIC + _VERSION.to_bytes(4, "big") + packed(_blob(raw_key(key))) + _head() + packed(_blob(raw))
    text = binascii.b2a_base64(blob, newline=False).decode("ascii")
    lines = [text[at : at + _COLUMNS] for at in range(0, len(text), _COLUMNS)]
    return f"{_BEGIN}{chr(10).join(lines)}\n{_END}"


def parse(text: str) -> Signature:
    """Return the SSH signature in a text that holds nothing else; ValueError says what is wrong."""
    if len(text) > MOST_CHARS or not (text.startswith(_BEGIN) and text.endswith("\n" + _END)):
        raise ValueError("not an SSH signature")
    lines = text[len(_BEGIN) : -len(_END) - 1].split("\n")
    if any(not line or len(line) > _MOST_COLUMNS for line in lines):
        raise ValueError("not an SSH signature")
    reader = Reader(_decoded("".join(lines)))
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != _VERSION:
        raise ValueError("not an SSH signature of version 1")
    key = _within(reader.text(), _KEY_BYTES, "key")
    if reader.text() != NAMESPACE.encode():
        raise ValueError(f"it was not made for {NAMESPACE}")
    if reader.text() != b"" or reader.text() != HASH.encode():
        raise ValueError(f"its hash is not {HASH}")
    raw = _within(reader.text(), _SIGNATURE_BYTES, "signature")
    reader.end()
    return Signature(key_text(key), raw)


def key_text(raw: bytes) -> str:
    """Return a public key as OpenSSH writes it, `ssh-ed25519 AAAA…`, without a comment."""
    return f"{KIND} {binascii.b2a_base64(_blob(raw), newline=False).decode('ascii')}"


def raw_key(text: str) -> bytes:
    """Return the 32 bytes of a public SSH key `ssh-ed25519 AAAA…`; ValueError for any other text."""
    kind, _, blob = text.partition(" ")
    if kind != KIND or len(blob) > MOST_CHARS:
        raise ValueError("not an Ed25519 key")
    return _within(_decoded(blob), _KEY_BYTES, "key")


def _head() -> bytes:
    return packed(NAMESPACE.encode()) + packed(b"") + packed(HASH.encode())


def _blob(raw: bytes) -> bytes:
    return packed(KIND.encode()) + packed(raw)


def _within(blob: bytes, size_bytes: int, what: str) -> bytes:
    """Return the raw bytes of an Ed25519 key or signature (`what`) in its blob."""
    reader = Reader(blob)
    kind, raw = reader.text(), reader.text()
    reader.end()
    if kind != KIND.encode() or len(raw) != size_bytes:
        raise ValueError(f"not an Ed25519 {what}")
    return raw


def _decoded(text: str) -> bytes:
    try:
        return binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        raise ValueError("not base64") from None


def packed(value: bytes) -> bytes:
    """Return a string in SSH's wire format: its length in four bytes, then its bytes."""
    return len(value).to_bytes(4, "big") + value


class Reader:
    """Reads values of SSH's wire format from bytes, one after the other; ValueError at a premature end."""

    def __init__(self, blob: bytes) -> None:
        self._bytes = blob
        self._at = 0

    def take(self, size_bytes: int) -> bytes:
        """Return the next `count` bytes of the SSH wire format."""
        if size_bytes > len(self._bytes) - self._at:
            raise ValueError("it was cut short")
        self._at += size_bytes
        return self._bytes[self._at - size_bytes : self._at]

    def number(self) -> int:
        """Return the next four-byte number of the SSH wire format."""
        return int.from_bytes(self.take(4), "big")

    def text(self) -> bytes:
        """Return the next string of the SSH wire format."""
        return self.take(self.number())

    def end(self) -> None:
        """Raise ValueError if bytes are left after the SSH values."""
        if self._at != len(self._bytes):
            raise ValueError("data follows its end")


# In two parts, so that no scanner of this repository takes the line for a key.
_KEY_BEGIN, _KEY_END = "-----BEGIN OPENSSH " + "PRIVATE KEY-----", "-----END OPENSSH " + "PRIVATE KEY-----"
_KEY_MAGIC = b"openssh-key-v1\0"
KEY_FILE_BYTES = 1 << 14
"""No private key file of agentws is larger."""


def public_of(private: bytes) -> str:
    """Return the public SSH key `ssh-ed25519 AAAA…` in a private key file; ValueError for any other file."""
    lines = private.decode("ascii", "replace").split("\n")
    if len(private) > KEY_FILE_BYTES or lines[0] != _KEY_BEGIN or _KEY_END not in lines:
        raise ValueError("not an OpenSSH key")
    try:
        blob = binascii.a2b_base64("".join(lines[1 : lines.index(_KEY_END)]), strict_mode=True)
    except ValueError:
        raise ValueError("not base64") from None
    reader = Reader(blob)
    if reader.take(len(_KEY_MAGIC)) != _KEY_MAGIC:
        raise ValueError("not an OpenSSH key")
    cipher, _, _ = reader.text(), reader.text(), reader.text()
    if cipher != b"none" or reader.number() != 1:
        raise ValueError("it has a passphrase")
    key = Reader(reader.text())
    kind, raw = key.text(), key.text()
    if kind.decode("ascii", "replace") != KIND:
        raise ValueError("not an Ed25519 key")
    result = key_text(raw)
    raw_key(result)
    return result
