"""The signing key of this installation: Ed25519 in OpenSSH's format, in a private folder of this user.

If the key was added to an ssh-agent, its private file may be removed: then the agent signs. Made and used by
`ssh-keygen`, else by the package `cryptography` (`pip install 'agentws[crypto]'`); without both there is no key, and
journals stay unsealed. Specified in docs/format/identity.md.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from agentws.core.disk import files as _files
from agentws.core.formats import digest
from agentws.core.formats.identity import sshsig
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DamagedError,
    DiskError,
    MissingFileError,
    OutsideProgramError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    _Made = TypeVar("_Made", bytes, str)

PRIVATE, PUBLIC = "key", "key.pub"
MISSING = "neither ssh-keygen nor the Python package cryptography was found (pip install 'agentws[crypto]')"
"""The reason why a machine without both cannot sign or check."""
_TIMEOUT_S = 20.0
_MAKING_S = 5.0
"""How long a first write waits for its key to be made; after that the first seal makes it."""
_MAKING = ".making-"
_RANDOM_BYTES = 8
_OLD_S = 3600
_SAID = 300
_FROM_ROOT = ("/bin/sh", "-c", 'cd / && exec "$0" "$@"')
"""Starts a program that must not depend on the present folder."""


class Key:
    """A key that can sign: its `public` half is `ssh-ed25519 AAAA…`.

    Its private half is the file `path`; with a `socket`, an ssh-agent holds it, and `path` is the public half.
    """

    def __init__(self, path: str, public: str, *, socket: str | None = None) -> None:
        self._path = path
        self._socket = socket
        self.public = public

    def sign(self, message: bytes) -> str:
        """Return the key's armored signature of the message. OutsideProgramError if no program can sign."""
        if self._socket is not None:
            program = _program()
            if program is None:
                raise OutsideProgramError(
                    "Signing with an ssh-agent needs ssh-keygen, which was not found.", hint="Install OpenSSH."
                )
            return _sign_by_program(program, self._path, message, socket=self._socket)
        folder, _, name = self._path.rpartition("/")
        return _first(
            lambda program: _sign_by_program(program, self._path, message),
            lambda: _sign_by_library(_private(folder, name), message),
        )


def is_possible() -> bool:
    """Return whether this machine can make keys, sign and verify."""
    return _program() is not None or _library()


def find(folder: str, *, socket: str | None = None) -> Key | None:
    """Return the signing key in this folder, None for none; DamagedError if it is unreadable.

    If only its public half is readable, the key is that of the ssh-agent at `socket`.
    """
    try:
        return Key(f"{folder}/{PRIVATE}", sshsig.public_of(_private(folder)))
    except MissingFileError:
        try:
            return _in_agent(folder, socket)
        except OutsideProgramError:
            if not _files.Outside(folder).exists(PRIVATE):
                raise
            return find(folder, socket=socket)  # another process made both halves meanwhile
    except DiskError:
        held = _in_agent(folder, socket)
        if held is None:
            raise
        return held
    except ValueError as error:
        raise DamagedError(
            f"{folder}/{PRIVATE}: unreadable key: {error}.",
            hint="Move the key file away: the next seal creates a new key. Old seals stay valid.",
        ) from error


def publics(folder: str) -> set[str]:
    """Return the public halves of the keys in this folder; none if they are unreadable."""
    result = set()
    for name in (PRIVATE, PUBLIC):
        try:
            data = _private(folder, name)
            result.add(sshsig.public_of(data) if name == PRIVATE else " ".join(data.decode("ascii").split()[:2]))
        except (AgentwsError, ValueError):
            continue
    return result


def at(path: str) -> Key:
    """Return the signing key in a file of the user (absolute path), for a signature with a key kept elsewhere.

    DamagedError if it is not an Ed25519 key without a passphrase.
    """
    folder, _, name = path.rpartition("/")
    try:
        return Key(path, sshsig.public_of(_private(folder or os.sep, name)))
    except ValueError as error:
        raise DamagedError(
            f"{path}: unusable key: {error}.", hint="Give an Ed25519 key without a passphrase."
        ) from error


def ensure(folder: str, *, comment: str, socket: str | None = None) -> Key | None:
    """Return the key of this folder, made durably if it is missing. None if this machine cannot make one."""
    if not is_possible():
        return None
    key = find(folder, socket=socket)
    if key is None:
        make(folder, PRIVATE, comment=comment)
        key = find(folder)
    if key is None:
        raise OutsideProgramError(f"{folder}/{PRIVATE}: the key of this installation could not be saved.")
    if not _files.Outside(folder).exists(PUBLIC):
        _keep(_files.Outside(folder), PUBLIC, f"{key.public} {comment}\n".encode(), 0o600)
    return key


def make(folder: str, name: str, *, comment: str) -> None:
    """Make a new key as the file `name` of this folder, durably; an existing file is kept."""
    clear(folder)
    private = _first(lambda program: _make_by_program(program, folder, comment), _make_by_library)
    sshsig.public_of(private)
    _keep(_files.Outside(folder), name, private, 0o600)


def exchange(folder: str, name: str, *, comment: str) -> None:
    """Replace the key of this folder by the one in the file `name`; the old private half is lost."""
    own = _files.Outside(folder)
    new = own.read(name, limit_bytes=sshsig.KEY_FILE_BYTES)
    for place, data in ((PRIVATE, new), (PUBLIC, f"{sshsig.public_of(new)} {comment}\n".encode())):
        own.replace(place, data, expects=own.digest(place))
    try:
        os.chmod(os.path.join(folder, PRIVATE), 0o600)
    except OSError as error:
        if error.errno not in _files.REFUSED:  # without modes: doctor reports a key that others may read
            raise _files.failure(error, f"{folder}/{PRIVATE}") from error
    own.remove(name, expects=digest.of(new))


def mode(folder: str) -> int | None:
    """Return the mode bits of the installation's private key; None if it is not in this folder."""
    try:
        return _files.Outside(folder).status(PRIVATE).st_mode & 0o777
    except MissingFileError:
        return None


def verify(signature: str, message: bytes, *, public: str, within: str | None = None) -> bool:
    """Return whether this key has signed the message. OutsideProgramError if this machine cannot verify.

    With `within`, a private folder, ssh-keygen is used first: for one signature `cryptography` takes longer to load.
    """
    try:
        parsed = sshsig.parse(signature)
    except ValueError:
        return False
    if parsed.key != public:
        return False
    program = _program() if within is not None or not _library() else None
    if program is not None:
        try:
            return _verify_by_program(program, signature, message, public, within)
        except OutsideProgramError:
            if not _library():
                raise
    if not _library():
        raise OutsideProgramError(f"Signatures cannot be checked: {MISSING}.")
    return _verify_by_library(parsed, message)


def _private(folder: str, name: str = PRIVATE) -> bytes:
    return _files.Outside(folder).read(name, limit_bytes=sshsig.KEY_FILE_BYTES)


def _in_agent(folder: str, socket: str | None) -> Key | None:
    """Return the key whose public half is here and whose private half the ssh-agent holds; None for none."""
    try:
        parts = (
            _files.Outside(folder).read(PUBLIC, limit_bytes=sshsig.KEY_FILE_BYTES).decode("ascii", "replace").split()
        )
        public = " ".join(parts[:2])
        sshsig.raw_key(public)
    except (MissingFileError, ValueError):
        return None
    if not socket:
        raise OutsideProgramError(
            f"{folder}: the private key is missing and no ssh-agent is set.",
            hint=f"Set SSH_AUTH_SOCK. If the key is lost, move {PUBLIC} away: the next seal creates a new key.",
        )
    return Key(f"{folder}/{PUBLIC}", public, socket=socket)


def _keep(files: _files.Files, name: str, data: bytes, mode: int) -> None:
    """Put a file in place, unless another process was first."""
    # In a separate folder until then: no lock of the workspace is held here.
    with _files.Failing(f"{files.root}/{name}"), _scratch(prefix=_MAKING, within=files.root) as folder:
        aside = f"{os.path.basename(folder)}/{name}"
        fd = files.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            _files.write_all(fd, data)
            _files.sync(fd)
        finally:
            os.close(fd)
        with contextlib.suppress(ChangedUnderneathError):
            files.move(aside, name, expects=digest.of(data))


# ssh-keygen, and the package cryptography


def _first(by_program: Callable[[str], _Made], by_library: Callable[[], _Made]) -> _Made:
    """Return the result of ssh-keygen if it is here and works, else of the package."""
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
    """Return the absolute path of ssh-keygen, None if it is missing or does not work."""
    # One that is named relative to the present folder may be part of a workspace that somebody else has made: where it
    # would be the first, there is none.
    places = [os.path.join(folder, "ssh-keygen") for folder in os.get_exec_path()]
    program = next((path for path in places if os.access(path, os.X_OK) and not os.path.isdir(path)), "")
    if not os.path.isabs(program):
        return None
    import pwd

    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return None  # in a container under a user that has no name ssh-keygen refuses all work
    return program


def _run(
    program: str, *words: str, stdin: bytes = b"", socket: str | None = None, timeout_s: float = _TIMEOUT_S
) -> tuple[int, bytes, str]:
    """Return exit status, output and error text of one call, with an empty environment but for the agent at
    `socket`.
    """
    from agentws.core.disk import spawn  # only where something is signed

    env = {"PATH": os.defpath, "LC_ALL": "C"} | ({"SSH_AUTH_SOCK": socket} if socket else {})
    try:
        status, out, data = spawn.run([*_FROM_ROOT, program, *words], env=env, stdin=stdin, timeout_s=timeout_s)
    except TimeoutError as error:
        raise OutsideProgramError(
            f"ssh-keygen did not finish within {timeout_s:g} s.", hint="Re-run the same command."
        ) from error
    except OSError as error:
        raise OutsideProgramError(
            f"ssh-keygen could not be started: {error}.", hint="Check the installation of OpenSSH."
        ) from error
    return status, out, data.decode("utf-8", "replace").strip()[:_SAID]


def _failed(message: str) -> OutsideProgramError:
    return OutsideProgramError(
        f"ssh-keygen failed: {message.splitlines()[0] if message else 'no reason given'}",
        hint="OpenSSH 8.2 or newer is needed, or: pip install 'agentws[crypto]'",
    )


def _make_by_program(program: str, folder: str, comment: str) -> bytes:
    with _files.Failing(folder), _scratch(prefix=_MAKING, within=folder) as aside:
        path = os.path.join(aside, PRIVATE)
        words = ("-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path)
        status, _, message = _run(program, *words, timeout_s=_MAKING_S)
        if status:
            raise _failed(message)
        return _private(aside)


def clear(folder: str) -> None:
    """Remove the scratch folders of killed processes, and halves of keys that are older than an hour."""
    from agentws.core.disk import local_time

    try:
        with os.scandir(folder) as entries:
            left = [entry for entry in entries if entry.name.startswith((_MAKING, f".{PRIVATE}-"))]
        for entry in left:
            if local_time.now() - entry.stat(follow_symlinks=False).st_mtime > _OLD_S:
                _remove(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
            elif _is_scratch(entry.name) and (lock := _locked(entry.path, fcntl.LOCK_EX | fcntl.LOCK_NB)) is not None:
                try:  # its maker is dead, or finds it gone and makes another one
                    _remove(entry.path)
                finally:
                    os.close(lock)
    except OSError:
        return  # only a courtesy


def _is_scratch(name: str) -> bool:
    digits = name.removeprefix(_MAKING)
    return name.startswith(_MAKING) and len(digits) == 2 * _RANDOM_BYTES and not digits.strip("0123456789abcdef")


def _locked(folder: str, how: int) -> int | None:
    """Return a descriptor that locks a folder; None if it is gone, locked, or on a disk that locks no folders."""
    try:
        fd = os.open(folder, _files.FOLDER | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(fd, how)
        if os.path.samestat(os.fstat(fd), os.stat(folder)):
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


def _remove(folder: str) -> None:
    import shutil

    shutil.rmtree(folder)


@contextlib.contextmanager
def _scratch(prefix: str, within: str | None = None) -> Iterator[str]:
    """Yield a temporary folder. It stays if it cannot be removed: TemporaryDirectory never gives up.

    `within` another one it is locked, so that `clear` knows that its maker lives.
    """
    if within is None:
        import tempfile

        with _emptied(tempfile.mkdtemp(prefix=prefix)) as folder:
            yield folder
        return
    folder, lock = _made_and_locked(os.path.join(within, prefix))
    try:
        with _emptied(folder):
            yield folder
    finally:
        if lock is not None:
            os.close(lock)


def _made_and_locked(prefix: str) -> tuple[str, int | None]:
    """Return a new folder and its lock: None for the lock on a disk that locks no folders."""
    while True:
        folder = prefix + os.urandom(_RANDOM_BYTES).hex()
        os.mkdir(folder, 0o700)
        lock = _locked(folder, fcntl.LOCK_SH)
        if lock is not None or os.path.isdir(folder):  # else `clear` was faster
            return folder, lock


@contextlib.contextmanager
def _emptied(folder: str) -> Iterator[str]:
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)


def _sign_by_program(program: str, key: str, message: bytes, *, socket: str | None = None) -> str:
    words = ("-q", "-Y", "sign", "-f", key, "-n", sshsig.NAMESPACE)
    status, out, text = _run(program, *words, stdin=message, socket=socket)
    if status and socket:
        raise OutsideProgramError(
            f"The ssh-agent did not sign: {text.splitlines()[0] if text else 'no reason given'}",
            hint=f"Add the private key of {key} to the ssh-agent: ssh-add",
        )
    if status:
        raise _failed(text)
    return out.decode("ascii", "replace")


def _verify_by_program(program: str, signature: str, message: bytes, public: str, within: str | None) -> bool:
    if within is not None:
        clear(within)
    try:
        with _scratch(prefix="agentws-" if within is None else _MAKING, within=within) as aside:
            signers, signed = os.path.join(aside, "signers"), os.path.join(aside, "signature")
            for path, text in ((signers, f"agentws {public}\n"), (signed, signature)):
                with open(path, "x", encoding="ascii") as file:
                    file.write(text)
            words = ("-Y", "verify", "-f", signers, "-I", "agentws", "-n", sshsig.NAMESPACE, "-s", signed)
            status, out, line = _run(program, *words, stdin=message)
    except OSError as error:
        import tempfile

        raise _files.failure(error, tempfile.gettempdir()) from error
    if status and "incorrect signature" not in line:
        raise _failed(line)  # it is too old to know -Y, or the disk is full: it has judged nothing
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
    return sshsig.armor(sshsig.public_of(private), raw)


def _verify_by_library(signature: sshsig.Signature, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ed25519

    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(sshsig.raw_key(signature.key))
        key.verify(signature.raw, sshsig.to_sign(message))
    except (InvalidSignature, ValueError):
        return False
    return True
