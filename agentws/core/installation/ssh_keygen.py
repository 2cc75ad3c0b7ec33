"""Signature checks by ssh-keygen, preferably from a system folder that this user cannot change."""

from __future__ import annotations

import fcntl
import os
import sys

from agentws.errors import OutsideProgramError

_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin")
"""Searched before PATH, which the caller may have set."""
_TIMEOUT_S = 20.0
_SEALS = sys.platform == "linux"
_FOLDER = "/proc/self/fd" if _SEALS else "/dev/fd"


def program() -> str:
    """Return the absolute path of ssh-keygen; OutsideProgramError if there is none."""
    for folder in (*_PLACES, *os.get_exec_path()):
        path = os.path.join(folder, "ssh-keygen")
        if os.path.isabs(path) and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    raise OutsideProgramError("ssh-keygen was not found.", hint="Install OpenSSH 8.2 or newer.")


def verify(line: str, principal: str, namespace: str, signature: str, message: bytes) -> bool:
    """Return whether ssh-keygen verifies a signature by this allowed_signers line. OutsideProgramError, OSError.

    No other process can change what ssh-keygen reads: the agent runs under the same user id.
    """
    from agentws.core.disk import spawn

    fds: list[int] = []
    try:
        for text in (f"{line}\n", signature):
            fds.append(_unchangeable(text.encode()))
        signers, signed = (f"{_FOLDER}/{fd}" for fd in fds)
        if _SEALS:
            fds.append(_unchangeable(message))
        words = ["-Y", "verify", "-f", signers, "-I", principal, "-n", namespace, "-s", signed]
        env = {"PATH": os.defpath, "LC_ALL": "C"}
        stdin = fds[-1] if _SEALS else message
        status, out, _ = spawn.run([program(), *words], env=env, stdin=stdin, timeout_s=_TIMEOUT_S)
    except TimeoutError as error:
        raise OutsideProgramError(f"ssh-keygen did not finish within {_TIMEOUT_S:g} s.") from error
    finally:
        for fd in fds:
            os.close(fd)
    return status == 0 and out.startswith(b"Good ")


def _unchangeable(data: bytes) -> int:
    """Return a descriptor, which ssh-keygen inherits, from which these bytes are read: no other process changes them.

    On Linux it is a sealed file in memory, since `/proc` opens a pipe of another process for writing; on macOS a pipe.
    """
    if sys.platform == "linux" and _SEALS:
        fd = os.memfd_create("agentws", os.MFD_ALLOW_SEALING)
        try:
            os.write(fd, data)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            os.lseek(fd, 0, os.SEEK_SET)
            if os.pread(fd, len(data) + 1, 0) != data:
                raise OSError("another process changed what is judged")
        except BaseException:
            os.close(fd)
            raise
        return fd
    fd, end = os.pipe()
    os.set_blocking(end, False)
    is_whole = os.write(end, data) == len(data)
    os.close(end)
    os.set_inheritable(fd, True)
    if not is_whole:
        os.close(fd)
        raise OSError("the key or the signature is too long")
    return fd


def at_a_terminal() -> dict[str, str]:
    """Return the environment in which ssh-keygen asks a person: without the ssh-agent, which would sign unasked."""
    return {name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}  # noqa: TID251
