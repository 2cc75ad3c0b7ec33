"""Signature checks by ssh-keygen, preferably from a system folder that this user cannot change."""

from __future__ import annotations

import os

from agentws.errors import OutsideProgramError

_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin")
"""Searched before PATH, which the caller may have set."""
_TIMEOUT_S = 20.0


def program() -> str:
    """Return the absolute path of ssh-keygen; OutsideProgramError if there is none."""
    for folder in (*_PLACES, *os.get_exec_path()):
        path = os.path.join(folder, "ssh-keygen")
        if os.path.isabs(path) and os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    raise OutsideProgramError("ssh-keygen was not found.", hint="Install OpenSSH 8.2 or newer.")


def run(*words: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Return exit status, output and error text of one call of ssh-keygen, with an empty environment."""
    from agentws.core.disk import spawn

    try:
        status, out, said = spawn.run(
            [program(), *words], env={"PATH": os.defpath, "LC_ALL": "C"}, stdin=stdin, timeout_s=_TIMEOUT_S
        )
    except TimeoutError as error:
        raise OutsideProgramError(f"ssh-keygen did not finish within {_TIMEOUT_S:g} s.") from error
    except OSError as error:
        raise OutsideProgramError(f"ssh-keygen could not be started: {error}.", hint="Install OpenSSH.") from error
    return status, out, said.decode("utf-8", "replace").strip()


def verify(line: str, principal: str, namespace: str, signature: str, message: bytes) -> bool:
    """Return whether ssh-keygen verifies a signature by this allowed_signers line. OutsideProgramError, OSError."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="agentws-", ignore_cleanup_errors=True) as folder:
        signers, signed = os.path.join(folder, "signers"), os.path.join(folder, "signature")
        for path, text in ((signers, f"{line}\n"), (signed, signature)):
            with open(path, "x", encoding="utf-8") as file:
                file.write(text)
        status, out, _ = run(
            "-Y", "verify", "-f", signers, "-I", principal, "-n", namespace, "-s", signed, stdin=message
        )
    return status == 0 and out.startswith(b"Good ")


def at_a_terminal() -> dict[str, str]:
    """Return the environment in which ssh-keygen asks a person: without the ssh-agent, which would sign unasked."""
    return {name: value for name, value in os.environ.items() if name != "SSH_AUTH_SOCK"}  # noqa: TID251
