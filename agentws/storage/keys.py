"""The key of this installation: Ed25519, as OpenSSH keeps it, in a folder of this user that never leaves the machine.

Made and used by `ssh-keygen`, else by the package `cryptography` (`pip install 'agentws[crypto]'`); where neither is
here there is no key, and journals stay unsealed. Specified in docs/format/identity.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile

from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, OutsideProgramError
from agentws.formats import digest, sshkey, sshsig
from agentws.storage import files as _files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    _Made = TypeVar("_Made", bytes, str)

PRIVATE, PUBLIC = "key", "key.pub"
MISSING = "neither ssh-keygen nor the package cryptography is here (pip install 'agentws[crypto]')"
"""Why nothing can be signed or checked on a machine without both."""
_TIMEOUT_S = 20.0
_SAID = 300


class Key:
    """A key that can sign: its `public` half is `ssh-ed25519 AAAA…`."""

    __slots__ = ("_folder", "public")

    def __init__(self, folder: str, public: str) -> None:
        self._folder = folder
        self.public = public

    def sign(self, message: bytes) -> str:
        """The signature of the message, armored. OutsideProgramError where no program makes one."""
        return _first(
            lambda program: _sign_by_program(program, os.path.join(self._folder, PRIVATE), message),
            lambda: _sign_by_library(_private(self._folder), message),
        )


def is_possible() -> bool:
    """True where something here can sign and check."""
    return _program() is not None or _library()


def find(folder: str) -> Key | None:
    """The key that is kept in this folder, None where there is none yet; DamagedError where it cannot be read."""
    try:
        return Key(folder, sshkey.public(_private(folder)))
    except MissingFileError:
        return None
    except ValueError as error:
        raise DamagedError(
            f"{folder}/{PRIVATE}: cannot be read as this installation's key: {error}.",
            hint="Move that file away: the next seal makes a new key. What was sealed with the old one stays good.",
        ) from error


def ensure(folder: str, *, comment: str) -> Key | None:
    """The key of this folder; made, durably, where there is none. None where nothing here can make one."""
    if not is_possible():
        return None
    found = find(folder)
    if found is None:
        private = _first(lambda program: _make_by_program(program, folder, comment), _make_by_library)
        sshkey.public(private)
        _keep(_files.Files(folder), PRIVATE, private, 0o600)
        found = find(folder)
    if found is None:
        raise OutsideProgramError(f"{folder}/{PRIVATE}: the key of this installation could not be kept.")
    if not _files.Files(folder).exists(PUBLIC):
        _keep(_files.Files(folder), PUBLIC, f"{found.public} {comment}\n".encode(), 0o644)
    return found


def verify(signature: str, message: bytes, *, public: str) -> bool:
    """True where this key has signed these words. OutsideProgramError where nothing here can tell."""
    try:
        parsed = sshsig.parse(signature)
    except ValueError:
        return False
    if parsed.key != public:
        return False
    if _library():
        return _verify_by_library(parsed, message)
    program = _program()
    if program is None:
        raise OutsideProgramError(f"Signatures cannot be checked: {MISSING}.")
    return _verify_by_program(program, signature, message, public)


def _private(folder: str) -> bytes:
    return _files.Files(folder).read(PRIVATE, limit_bytes=sshkey.LIMIT_BYTES)


def _keep(files: _files.Files, name: str, data: bytes, mode: int) -> None:
    """Put a file in its place; where another process was first, its file is the one, and this one goes."""
    # Under a name of its own until then: no lock is held here.
    aside = f".{name}-{os.urandom(8).hex()}"
    try:
        fd = files.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            _files.write_all(fd, data)
            _files.sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise _files.failure(error, f"{files.root}/{aside}") from error
    try:
        files.move(aside, name, expects=digest.of(data))
    except ChangedUnderneathError:
        files.remove(aside, expects=digest.of(data))


# ssh-keygen, and the package cryptography


def _first(by_program: Callable[[str], _Made], by_library: Callable[[], _Made]) -> _Made:
    """What the first of the two gives that is here and works."""
    program = _program()
    if program is not None:
        try:
            return by_program(program)
        except OutsideProgramError:
            if not _library():
                raise
    elif not _library():
        raise OutsideProgramError(f"Nothing can be signed: {MISSING}.")
    return by_library()


def _program() -> str | None:
    """The absolute path of ssh-keygen, None where it is missing or cannot work."""
    found = shutil.which("ssh-keygen")
    # One that is named relative to the present folder may be part of a workspace that somebody else has made.
    if found is None or not os.path.isabs(found):
        return None
    import pwd

    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return None  # in a container under a user that has no name ssh-keygen refuses all work
    return found


def _run(program: str, *words: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Exit status, output and error text of one call, with nothing of our surroundings."""
    try:
        done = subprocess.run(
            [program, *words],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=os.sep,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise OutsideProgramError(f"ssh-keygen did not finish within {_TIMEOUT_S:g} s.") from error
    except OSError as error:
        raise OutsideProgramError(f"ssh-keygen could not be run: {error}.") from error
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()[:_SAID]


def _failed(said: str) -> OutsideProgramError:
    return OutsideProgramError(
        f"ssh-keygen failed: {said.splitlines()[0] if said else 'it does not say why'}",
        hint="OpenSSH 8.2 or newer is needed, or: pip install 'agentws[crypto]'",
    )


def _make_by_program(program: str, folder: str, comment: str) -> bytes:
    try:
        with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as aside:
            path = os.path.join(aside, PRIVATE)
            status, _, said = _run(program, "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path)
            if status:
                raise _failed(said)
            return _private(aside)
    except OSError as error:
        raise _files.failure(error, folder) from error


def _sign_by_program(program: str, private: str, message: bytes) -> str:
    status, out, said = _run(program, "-q", "-Y", "sign", "-f", private, "-n", sshsig.NAMESPACE, stdin=message)
    if status:
        raise _failed(said)
    return out.decode("ascii", "replace")


def _verify_by_program(program: str, signature: str, message: bytes, public: str) -> bool:
    try:
        with tempfile.TemporaryDirectory(prefix="agentws-") as aside:
            signers, signed = os.path.join(aside, "signers"), os.path.join(aside, "signature")
            for path, text in ((signers, f"agentws {public}\n"), (signed, signature)):
                with open(path, "x", encoding="ascii") as file:
                    file.write(text)
            words = ("-Y", "verify", "-f", signers, "-I", "agentws", "-n", sshsig.NAMESPACE, "-s", signed)
            status, out, said = _run(program, *words, stdin=message)
    except OSError as error:
        raise _files.failure(error, tempfile.gettempdir()) from error
    if status and "incorrect signature" not in said:
        raise _failed(said)  # it is too old to know -Y, or the disk is full: it has judged nothing
    return status == 0 and out.startswith(b"Good ")


def _library() -> bool:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: F401
    except ImportError:
        return False
    return True


def _make_by_library() -> bytes:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    private: bytes = ed25519.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    return private


def _sign_by_library(private: bytes, message: bytes) -> str:
    from cryptography.hazmat.primitives import serialization

    try:
        raw = serialization.load_ssh_private_key(private, password=None).sign(sshsig.to_sign(message))  # type: ignore[call-arg,union-attr,unused-ignore]
    except ValueError as error:
        raise OutsideProgramError(f"The key of this installation cannot sign: {error}.") from error
    return sshsig.armor(sshkey.public(private), raw)


def _verify_by_library(signature: sshsig.Signature, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ed25519

    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(sshsig.raw_key(signature.key))
        key.verify(signature.raw, sshsig.to_sign(message))
    except (InvalidSignature, ValueError):
        return False
    return True
