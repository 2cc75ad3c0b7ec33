"""Run git against a sync remote, limited in time and size, without running any program; parse its address."""

from __future__ import annotations

import contextlib
import os
import time

from agentws.core.disk import files as _files, spawn
from agentws.core.formats.git import gitconfig
from agentws.core.states import remote
from agentws.errors import DamagedError, OutsideProgramError, RemoteAwayError, UsageError
from agentws.features.sync.store import folder

_LARGEST_PACK_BYTES = 4 << 30
_MEMORY_BYTES = 4 << 30
_SETTINGS_S = 5.0
_SETTINGS = (
    "core.fsync=all", "core.bigFileThreshold=32m", "core.packedGitWindowSize=2m", "core.packedGitLimit=16m",
    "core.deltaBaseCacheLimit=8m", "fetch.unpackLimit=1", "fetch.showForcedUpdates=false", "transfer.bundleURI=false",
    "pack.threads=2", "pack.windowMemory=8m", "pack.deltaCacheSize=8m",
)  # fmt: skip
_TOO_LARGE = ("signal 25", "file too large", "file size limit", "invalid index-pack output")
_FULL = ("no space left", "quota exceeded")
_BAD = (
    "fsck error", "bad object", "data stream error", "pack has bad", "did not send all necessary objects",
    "sha1 mismatch", "unresolved delta", "broken link", "not our ref", "bad config", "fatal: bad tree",
)  # fmt: skip


_SAYS_NOTHING = (
    "Could not read from remote repository",
    "Please make sure you have the correct access rights",
    "and the repository exists",
    "hint: ",
)
"""Beginnings of git's generic error lines, left out of messages."""
_SHORT = "/tmp"  # noqa: S108 - what is made in it is nobody else's
_SOCKET = "c"
_HOST_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@"
_NOT_CONNECTED = 255
"""The exit status of ssh if it could not connect or log in."""


def ask(
    connection: Connection,
    place: Address,
    url: str,
    word: str,
    *words: str,
    after: tuple[str, ...] = (),
    timeout_s: float,
) -> bytes:
    """Run a git command against the remote at `url` and return its output; `after` are the arguments after the URL.

    OutsideProgramError, with a hint, if the remote is unreachable or refuses; DamagedError if it sends invalid data.
    """
    if place.path:
        folder.check_safe(url)
    left_s = wait(connection, place, timeout_s)
    try:
        return remote.run(
            word, *words, url=url, after=after, git_dir=connection.git_dir, is_path=bool(place.path), timeout_s=left_s,
            settings=_SETTINGS, before=_bounded(word, is_here=bool(place.path)),
            shared="" if place.path else connection.folder(), is_direct=True,
        )  # fmt: skip
    except OutsideProgramError as error:
        raise _explained(error, place) from error
    except OSError as error:
        raise _files.failure(error, connection.git_dir) from error


def begin(connection: Connection, url: str) -> None:
    """Begin the ssh connection to the host that git would use for this URL, without waiting."""
    if ":" not in url:
        return
    try:  # the user's settings may name another host for it
        data = remote.run(
            "ls-remote", "--get-url", url=url, git_dir=connection.git_dir, timeout_s=_SETTINGS_S, is_direct=True
        )
    except OutsideProgramError:
        return  # git says what is wrong once it is asked for more
    connection.begin(data.decode("utf-8", "replace").strip())


def wait(connection: Connection, place: Address, timeout_s: float) -> float:
    """Wait for the ssh connection that was begun; return the time left (s). OutsideProgramError, with a hint, if it
    fails.
    """
    if not connection.is_due:
        return timeout_s
    until = time.monotonic() + timeout_s
    try:
        connection.wait(timeout_s)
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise OutsideProgramError(
                f"ssh did not connect within {timeout_s:g} s.", hint="Check the connection, then re-run."
            )
    except OutsideProgramError as error:
        raise _explained(error, place) from error
    return left_s


def _bounded(word: str, *, is_here: bool) -> tuple[str, ...]:
    """Return the shell command that starts `git fetch` with a limit on file size, and for a local disk on memory.

    Over a network there is no memory limit: credential helpers may need any amount.
    """
    if word != "fetch":
        return ()
    bounds = f"ulimit -f {_LARGEST_PACK_BYTES >> 9} 2>/dev/null; "
    bounds += f"ulimit -v {_MEMORY_BYTES >> 10} 2>/dev/null; " if is_here else ""
    return ("/bin/sh", "-c", f'{bounds}exec "$0" "$@"')


def _explained(error: OutsideProgramError, place: Address) -> OutsideProgramError | DamagedError:
    text = error.message.replace(place.url, place.shown).replace("/./", "/")
    message = text.lower()
    if any(word in message for word in _TOO_LARGE) and not any(word in message for word in _FULL):
        return DamagedError(
            f"{place.shown} sends more than {_LARGEST_PACK_BYTES >> 30} GiB at once, or a damaged pack.",
            hint="Nothing was changed. Find out who wrote to the repository.",
        )
    if any(word in message for word in _BAD):
        return DamagedError(text, hint="Nothing was changed. Run git fsck in that repository.")
    known = remote.explained(OutsideProgramError(text, hint=error.hint), "Check the remote, then re-run.")
    kind = RemoteAwayError if remote.is_away(text) else OutsideProgramError
    return kind(_in_a_sentence(text, place), hint=known.hint)


def _in_a_sentence(text: str, place: Address) -> str:
    """Return git's or ssh's error as one sentence, with the remote's name and without generic lines."""
    what, failed, message = text.partition(" failed: ")
    if not failed or what not in ("ssh", "git fetch", "git push", "git ls-remote"):
        return text
    lines = [line.strip().removeprefix("fatal: ").rstrip(".") for line in message.splitlines() if line.strip()]
    plain = [line for line in lines if not line.startswith(_SAYS_NOTHING)]
    return f"{place.shown}: {what} failed: {'; '.join(plain or lines)}."


class Connection:
    """The connection of a sync to its remotes, from the private repository at `git_dir`.

    All requests share one ssh connection, by a control socket in a private folder.
    """

    def __init__(self, git_dir: str) -> None:
        self.git_dir = git_dir
        self._folder = ""
        self.is_up = False
        """Whether ssh has connected and logged in."""
        self._due: spawn.Aside | None = None

    def folder(self) -> str:
        """Return the folder of the control socket; empty if it cannot be made."""
        if self._folder:
            return self._folder
        made = f"{_SHORT}/agentws-{os.urandom(8).hex()}"  # a socket's path may have some hundred bytes
        try:
            os.mkdir(made, 0o700)
        except OSError:
            return ""
        self._folder = made
        return made

    @property
    def is_due(self) -> bool:
        """Return whether a connection was begun and not yet waited for."""
        return self._due is not None

    def begin(self, url: str) -> None:
        """Begin to connect to the host of an ssh URL, without waiting; other URLs are ignored."""
        host = _host(url)
        if not host or not self.folder():
            return
        try:
            self._due = spawn.Aside([*remote.ssh(self._folder), "-N", *host], env=dict(os.environ))  # noqa: TID251
        except OSError:
            return  # git says what is wrong

    def wait(self, timeout_s: float) -> None:
        """Wait for the connection that was begun. OutsideProgramError if ssh cannot connect or log in.

        After any other failure git connects by itself.
        """
        if self._due is None:
            return
        due, self._due = self._due, None
        status, text = due.wait(timeout_s)
        self.is_up = status == 0 and os.path.exists(f"{self._folder}/{_SOCKET}")
        if status == _NOT_CONNECTED:
            raise OutsideProgramError(f"ssh failed: {text.decode('utf-8', 'replace').strip()[:500]}")

    def close(self) -> None:
        """Close the connection and remove its folder."""
        if self._due is not None:
            self._due.end()
            self._due = None
        if self._folder:
            with contextlib.suppress(OSError):
                for name in os.listdir(self._folder):
                    os.unlink(f"{self._folder}/{name}")
                os.rmdir(self._folder)
            self._folder = ""


def _host(url: str) -> list[str]:
    """Return ssh's arguments for the host of an ssh URL; empty for other URLs and unusual host names."""
    scheme, mark, rest = url.partition("://")
    if mark and scheme.lower() != "ssh":
        return []
    host, colon, _ = rest.partition("/") if mark else url.partition(":")
    if not mark and not colon:
        return []
    host, _, port = host.partition(":")
    if not host or host.startswith("-") or host.strip(_HOST_CHARS) or (port and not port.isdecimal()):
        return []
    return [*(["-p", port] if port else []), host]


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
