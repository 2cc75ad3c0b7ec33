"""Parse the address of a sync remote: a URL, a repository's path, or a folder of repositories."""

from __future__ import annotations

import os

from agentws.core.formats.git import gitconfig
from agentws.errors import RemoteAwayError, UsageError

_SCHEMES = ("ssh://", "https://", "file://")
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
_LONGEST_NAME = 64
_AGENT_CHARS = 8


class Address:
    """The address of a remote: `url` for git, `shown` for people (without a password).

    `path` is its absolute path on this machine, empty for another machine.
    """

    __slots__ = ("path", "shown", "url")

    def __init__(self, text: str) -> None:
        self.path = _path(text)
        self.url = self.path or text
        self.shown = self.path or _shown(text)

    def repository(self, agent: str = "") -> str:
        """Return what git is given: the URL, the repository's path, or the path of the agent's repository in a folder.

        Empty if the folder holds none. RemoteAwayError if the path does not exist.
        """
        if not self.path:
            return self.url
        if is_repository(self.path) or is_repository(f"{self.path}/.git"):
            return self.path
        paths = [path for path in self.within() if path.endswith(f"-{agent[:_AGENT_CHARS]}.git")]
        return paths[0] if paths else ""

    def within(self) -> list[str]:
        """Return the paths of the repositories in the folder."""
        try:
            names = sorted(os.listdir(self.path))
        except OSError as error:
            why = "not found" if isinstance(error, FileNotFoundError) else os.strerror(error.errno or 0)
            raise RemoteAwayError(
                f"{self.shown}: {why}.", hint="Mount the disk, or create the folder, and re-run."
            ) from error
        paths = [f"{self.path}/{name}" for name in names if name.endswith(".git")]
        return [path for path in paths if is_repository(path)]

    def made_for(self, agent: str, name: str) -> str:
        """Return the path of the repository to make for an agent in the folder."""
        plain = "".join(char if char in _NAME_CHARS else "-" for char in name).strip("-.")[:_LONGEST_NAME]
        return f"{self.path}/{plain or 'agent'}-{agent[:_AGENT_CHARS]}.git"


def is_repository(path: str) -> bool:
    """Return whether a folder looks like a git repository by its content."""
    return os.path.isfile(f"{path}/HEAD") and os.path.isdir(f"{path}/objects") and os.path.isdir(f"{path}/refs")


def _path(text: str) -> str:
    """Return the absolute path of an address, empty for another machine; UsageError for an unsafe address."""
    if not text or not text.isprintable():
        raise UsageError(
            "The remote is not a path or URL.", hint="Give a folder, a repository, or a URL of ssh or https."
        )
    if "::" in text or text.startswith("-") or not gitconfig.is_safe_url(text):
        raise UsageError(
            f"{_shown(text)!r} names a program or an option, not a place.",
            hint="Give a folder, a repository, or a URL of ssh or https.",
        )
    if "://" in text:
        if not text.lower().startswith(_SCHEMES):
            raise UsageError(f"{_shown(text)}: only ssh, https and file are possible.", hint="Use ssh or https.")
        return os.path.abspath(text[len("file://") :]) if text.lower().startswith("file://") else ""
    first, colon, _ = text.partition(":")
    return "" if colon and "/" not in first else os.path.abspath(text)


def _shown(text: str) -> str:
    """Return a URL without user name and password; a URL of ssh is unchanged."""
    scheme, mark, rest = text.partition("://")
    login, slash, path = rest.partition("/")
    if not mark or "@" not in login or scheme.lower() == "ssh":
        return text
    return f"{scheme}://{login.rpartition('@')[2]}{slash}{path}"
