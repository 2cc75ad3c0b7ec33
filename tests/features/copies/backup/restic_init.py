"""Repositories of restic whose password is quick to check: its own `init` makes each use of it cost half a second.

That is what a key in a repository says of itself: how often its password is hashed. Here one is taken that restic made,
and its secret put under the same password, hashed less.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.poly1305 import Poly1305

PASSWORD = "a test"
_NONCE = 16
_FEWEST = 2


def make(place: Path) -> None:
    """Make a repository that nothing was saved in yet; RESTIC_PASSWORD is `PASSWORD`."""
    for path, data in _made().items():
        at = place / path
        at.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            at.mkdir(exist_ok=True)
        else:
            at.write_bytes(data)


@functools.cache
def _made() -> dict[str, bytes | None]:
    """The files of one, by path; None for a folder."""
    folder = Path(tempfile.mkdtemp(prefix="agentws-restic-"))
    try:
        env = {**os.environ, "RESTIC_PASSWORD": PASSWORD}
        subprocess.run(["restic", "-q", f"--repo={folder}", "init"], check=True, capture_output=True, env=env)
        (key,) = (folder / "keys").iterdir()
        cheap = _hashed_less(key.read_bytes())
        key.unlink()
        (folder / "keys" / hashlib.sha256(cheap).hexdigest()).write_bytes(cheap)
        found = sorted(folder.rglob("*"))
        return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in found}
    finally:
        shutil.rmtree(folder)


def _hashed_less(key: bytes) -> bytes:
    told = json.loads(key)
    stored = base64.b64decode(told["data"])
    nonce, sealed, tag = stored[:_NONCE], stored[_NONCE:-_NONCE], stored[-_NONCE:]
    before = _derived(told)
    assert _tag(before, nonce, sealed) == tag
    secret = _crypted(before, nonce, sealed)
    told |= {"N": _FEWEST, "r": 1, "p": 1}
    after = _derived(told)
    sealed = _crypted(after, nonce, secret)
    told["data"] = base64.b64encode(nonce + sealed + _tag(after, nonce, sealed)).decode()
    return json.dumps(told).encode()


def _derived(told: dict[str, object]) -> bytes:
    """The key of AES, then the two of Poly1305-AES, that the password gives."""
    n, r, p = (int(str(told[name])) for name in "Nrp")
    salt = base64.b64decode(str(told["salt"]))
    return hashlib.scrypt(PASSWORD.encode(), salt=salt, n=n, r=r, p=p, dklen=64, maxmem=1 << 30)


def _crypted(keys: bytes, nonce: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(keys[:32]), modes.CTR(nonce)).encryptor().update(data)


def _tag(keys: bytes, nonce: bytes, data: bytes) -> bytes:
    once = Cipher(algorithms.AES(keys[32:48]), modes.ECB()).encryptor().update(nonce)
    return Poly1305.generate_tag(keys[48:64] + once, data)
