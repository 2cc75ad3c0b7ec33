"""Hints for git's errors about other machines."""

from __future__ import annotations

from agentws.errors import OutsideProgramError

_HINTS = (
    ("host key verification failed", "The host key is unknown. Connect once with ssh to accept the key."),
    ("permission denied (", "ssh must log in without a prompt: install your key there, or ssh-add."),
    ("could not read username", "git must log in without a prompt: use a credential helper."),
    ("could not read password", "git must log in without a prompt: use a credential helper."),
    ("authentication failed", "Check the login and the token of the credential helper."),
    (
        "dubious ownership",
        "Another user owns it. If you trust that: git config --global --add safe.directory PATH",
    ),
    ("not appear to be a git repository", "Create the repository first: git init --bare"),
    ("does not exist", "Create the repository first: git init --bare"),
    ("repository not found", "Create the repository first, and check that you may read it."),
    ("could not resolve host", "Check the network and the name of the host."),
    ("connection refused", "Check that the host runs a server on this port."),
    ("timed out", "Check the network."),
    ("unreachable", "Check the network."),
    ("no space left", "The disk there is full: free some space and re-run."),
    ("quota exceeded", "The disk quota there is exceeded: free some space and re-run."),
    ("read-only file system", "The disk there is read-only: mount it writable."),
    ("unable to create temporary", "You may not write there: check owner and mode of the repository."),
    ("insufficient permission", "You may not write there: check owner and mode of the repository."),
    (".lock': file exists", "If no git command is running there, remove the lock file named above."),
    ("hash algorithm", "The repository uses SHA-256. Create one without: git init --bare"),
    ("mismatched algorithms", "The repository uses SHA-256. Create one without: git init --bare"),
    ("hook declined", "The server refuses these refs. Use a repository without such a rule."),
    ("hidden ref", "The server refuses refs of our own. Use another repository."),
    ("does not support --atomic", "The server cannot move several refs at once. Use another server."),
    ("permission denied", "Check the owner and mode of the repository, or the key of ssh."),
)


_AWAY = (
    "could not resolve host", "name or service not known", "temporary failure in name resolution", "connection refused",
    "timed out", "unreachable", "no route to host", "did not connect within", "did not finish within",
    "connection reset",
)  # fmt: skip


def is_away(message: str) -> bool:
    """Return whether git or ssh report that the other machine is unreachable now."""
    said = message.lower()
    return any(words in said for words in _AWAY)


def explained(error: OutsideProgramError, otherwise: str) -> OutsideProgramError:
    """Return the error with a hint for its message, else with its own hint, else with `otherwise`."""
    said = error.message.lower()
    hint = next((hint for words, hint in _HINTS if words in said), error.hint)
    return OutsideProgramError(error.message, hint=hint or otherwise)
