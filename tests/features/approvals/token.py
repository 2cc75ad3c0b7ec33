"""A key in hardware, played: what it signs, and what it says of a touch (OpenSSH's PROTOCOL.u2f)."""

from __future__ import annotations

import base64
from hashlib import sha256, sha512

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from agentws.core.formats.identity.sshsig import packed

_APPLICATION = b"ssh:"


class Token:
    """A key of one of the two kinds; `public` is its line."""

    def __init__(self, kind: str) -> None:
        self.kind = kind.encode()
        if b"ed25519" in self.kind:
            self._ed = ed25519.Ed25519PrivateKey.generate()
            raw = self._ed.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            parts = packed(raw)
        else:
            self._ec = ec.generate_private_key(ec.SECP256R1())
            form = serialization.PublicFormat.UncompressedPoint
            point = self._ec.public_key().public_bytes(serialization.Encoding.X962, form)
            parts = packed(b"nistp256") + packed(point)
        self._blob = packed(self.kind) + parts + packed(_APPLICATION)
        self.public = f"{kind} {base64.b64encode(self._blob).decode()}"

    def sign(self, words: str, *, flags: int) -> str:
        """The armored signature of these words, with these flags."""
        about = packed(b"agentws-approval") + packed(b"") + packed(b"sha512")
        message = b"SSHSIG" + about + packed(sha512(words.encode()).digest())
        end = bytes([flags]) + (7).to_bytes(4, "big")
        signed = sha256(_APPLICATION).digest() + end + sha256(message).digest()
        signature = packed(self.kind) + packed(self._raw(signed)) + end
        blob = b"SSHSIG" + (1).to_bytes(4, "big") + packed(self._blob) + about + packed(signature)
        text = base64.b64encode(blob).decode()
        lines = [text[at : at + 70] for at in range(0, len(text), 70)]
        return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])

    def _raw(self, signed: bytes) -> bytes:
        if b"ed25519" in self.kind:
            return self._ed.sign(signed)
        numbers = decode_dss_signature(self._ec.sign(signed, ec.ECDSA(hashes.SHA256())))
        return b"".join(packed(_positive(number)) for number in numbers)


def _positive(number: int) -> bytes:
    return number.to_bytes(number.bit_length() // 8 + 1, "big")
