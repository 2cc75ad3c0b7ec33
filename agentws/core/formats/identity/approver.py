"""Keys of people who may approve, and what their signatures claim. See docs/format/approval.md.

Lines are those of OpenSSH's `allowed_signers`: principals, options, key. ssh-keygen itself verifies a signature; this
module only reads which key it claims, and whether a person touched that key.
"""

from __future__ import annotations

import binascii

from agentws.core import Record
from agentws.core.formats.identity.sshsig import Reader

NAMESPACE, LIST_NAMESPACE, RULES_NAMESPACE = "agentws-approval", "agentws-approvers", "agentws-rules"
"""Purposes of a person's signature: one answer; the list of keys in a workspace; its rules."""
ELSEWHERE = "agentws-elsewhere"
"""The extra namespace in the line of a plain key that is kept and used only on another machine."""
TOUCHED = ("sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com")
"""Kinds of keys in hardware, which say whether somebody touched it."""
KINDS = (*TOUCHED, "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa")
_FOR_APPROVALS = {NAMESPACE, LIST_NAMESPACE, RULES_NAMESPACE, ELSEWHERE}
MOST_CHARS = 4096
MOST_KEYS = 50
UNCHECKED = "the signature could not be checked"
"""Why a signature proves nothing where ssh-keygen did not run: later it may."""
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG"
_PRESENT = 0x01
_OF_COUNTER = 5
"""The size of what follows a signature by hardware: flags, and a counter."""


class ApproverKey(Record):
    """A line of the approvers list: its owner (`principal`), the key's `kind`, its `blob` in base64, the `line`.

    `wrong` says why the line cannot be used; empty if it can.
    """

    line: str
    principal: str
    kind: str
    blob: str
    wrong: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the approver's key as OpenSSH writes it: `SHA256:…`."""
        from hashlib import sha256

        try:
            raw = binascii.a2b_base64(self.blob.encode("ascii"), strict_mode=True)
        except (UnicodeEncodeError, binascii.Error):
            return ""
        return "SHA256:" + binascii.b2a_base64(sha256(raw).digest(), newline=False).decode("ascii").rstrip("=")

    @property
    def is_touched(self) -> bool:
        """Return whether the approver's key is in hardware that can ask for a touch."""
        return self.kind in TOUCHED

    @property
    def is_elsewhere(self) -> bool:
        """Return whether the approver's line marks the key as one on another machine."""
        return ELSEWHERE in _namespaces(self.line)


def keys_of(text: str) -> list[ApproverKey]:
    """Return the approvers' keys in their list, at most MOST_KEYS; bad lines come with what is wrong with them."""
    approver_keys = []
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            approver_keys.append(_key(line.strip()))
    return approver_keys[:MOST_KEYS]


def _key(line: str) -> ApproverKey:
    words = line.split()
    at = next((at for at, word in enumerate(words) if word in KINDS), 0)
    principal = words[0].strip('"').split(",")[0]
    if not at or at + 1 >= len(words):
        return ApproverKey(line, principal, "", "", "not a line of allowed_signers: PRINCIPAL KEYTYPE KEY")
    approver_key, options = ApproverKey(line, principal, words[at], words[at + 1]), " ".join(words[1:at])
    names = _namespaces(options)
    if "cert-authority" in options:
        approver_key.wrong = "a certificate authority cannot approve"
    elif not principal or any(char in principal for char in "*?!") or not principal.isprintable():
        approver_key.wrong = f"{principal!r} is a pattern, not a name"
    elif not approver_key.fingerprint:
        approver_key.wrong = "the key is not base64"
    elif not approver_key.is_touched and not (NAMESPACE in names and names <= _FOR_APPROVALS):
        approver_key.wrong = f'a plain key needs the option namespaces="{NAMESPACE}": a key for approvals alone'
    return approver_key


def _namespaces(options: str) -> set[str]:
    """Return the namespaces that the options of a line name."""
    return {*options.partition('namespaces="')[2].partition('"')[0].split(",")}


class Signature(Record):
    """An approver's parsed signature: the `blob` of the key that it claims, and its `namespace`.

    `is_present` is whether a hardware key confirmed that somebody touched it; None for other keys.
    """

    text: str
    blob: str
    namespace: str
    is_present: bool | None


def signature(text: str) -> Signature:
    """Return the approver's signature in an armored text; ValueError says what is wrong."""
    lines = [line.strip() for line in text.strip().split("\n")]
    if len(text) > MOST_CHARS or len(lines) < 3 or lines[0] != _BEGIN or lines[-1] != _END:
        raise ValueError("not an SSH signature")
    try:
        reader = Reader(binascii.a2b_base64("".join(lines[1:-1]).encode("ascii"), strict_mode=True))
    except (UnicodeEncodeError, binascii.Error):
        raise ValueError("not base64") from None
    if reader.take(len(_MAGIC)) != _MAGIC or reader.number() != 1:
        raise ValueError("not an SSH signature of version 1")
    key, namespace = reader.text(), reader.text()
    reader.text(), reader.text()  # reserved; the hash, which ssh-keygen checks
    signed = Reader(reader.text())
    reader.end()
    kind = Reader(key).text().decode("ascii", "replace")
    is_present = None
    if kind in TOUCHED:
        if signed.text().decode("ascii", "replace") != kind:
            raise ValueError("the signature is of another kind than its key")
        signed.text()
        is_present = bool(signed.take(_OF_COUNTER)[0] & _PRESENT)
        signed.end()
    blob = binascii.b2a_base64(key, newline=False).decode("ascii")
    plain = "\n".join(lines) + "\n"
    return Signature(plain, blob, namespace.decode("ascii", "replace"), is_present=is_present)
