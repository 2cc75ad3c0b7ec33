"""Destinations of backups as a person names them: a folder, a git repository, or a restic repository. Pure.

A repository is a URL, `user@host:path`, or a local folder. A host's name ends up on ssh's command line, so only what
looks like one is accepted. Specified in docs/format/backup.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agentws.core.formats.travel import backup
from agentws.errors import UsageError

FOLDER, GIT, RESTIC, RCLONE = "folder", "git", "restic", "rclone"
"""Kinds of destinations. `rclone` is one of earlier versions: it can be named and detached, and gets no backups."""
_AGENT_DIGITS = 8
_SECRET = re.compile(
    r"://[^/@:]*:[^/@]+@|(?i:https?)://(?:[^/@]*|[^/@:]*:(?![0-9]{1,5}/)[^@]{0,128})@|"
    r"(?i:(?:pass|secret|token|key|sas_url|sig|bearer|cookie|credential|header|authorization|grant)[a-z0-9_'\" ]{0,40}"
    r"|\bauth['\" ]{0,4})="
)
"""A password in a URL, a user of the web (who may be a token), or a secret among the settings of a remote of rclone,
which restic may use.
"""


class Destination:
    """A destination of backups: its `kind`, and its `target`: a path, a URL, or a program's repository.

    `agent` are the first digits of an agent's id, if `target` was named with `#ID` (git and restic only). `backup` is
    the name of one backup, if one was named: after the agent's folder, or `#ID`.
    """

    def __init__(self, kind: str, target: str, agent: str = "", name: str = "") -> None:
        self.kind = kind
        self.target = target
        self.agent = agent
        self.backup = name

    @property
    def text(self) -> str:
        """The destination as remembered and shown; `parse` reads it again."""
        if self.kind == FOLDER:
            return self.target
        if self.kind == GIT:
            return self.target if _is_url(self.target) else f"{GIT}:{self.target}"
        return f"{self.kind}:{self.target}"


def parse(text: str, absolute: Callable[[str], str]) -> Destination:
    """Return the backup destination that `text` names; UsageError if invalid. A folder's path is made `absolute`."""
    kind, colon, rest = text.partition(":")
    if colon and kind == RESTIC:
        if not rest or rest.startswith("-") or not rest.isprintable():
            raise UsageError(f"{text[:200]!r} is not a destination.", hint="Write restic:REPOSITORY.")
        if _SECRET.search(rest):
            raise UsageError(
                "restic: a destination is remembered in plain text, so it may hold no password or token.",
                hint="Set the password in the environment of restic, or in the settings of rclone.",
            )
        return Destination(RESTIC, *_named(rest))
    if colon and kind == RCLONE:
        return Destination(RCLONE, rest)
    if colon and kind == GIT:
        return _git(rest, absolute)
    return _git(text, absolute) if _is_url(text) else Destination(FOLDER, absolute(text))


def _is_url(text: str) -> bool:
    """Return whether a text names a repository by itself: a URL, or `user@host:path`."""
    before, colon, _ = text.partition(":")
    return bool(URL.match(text)) or bool(colon and "@" in before and "/" not in before)


def _named(text: str) -> tuple[str, str, str]:
    """A repository, the first digits of the agent that is meant in it, and the backup; both empty for any."""
    name, mark, message = text.rpartition("#")
    agent, slash, word = message.partition("/")
    named = bool(name) and (not slash or bool(backup.number_of(word)))
    if not mark or not named or len(agent) != _AGENT_DIGITS or agent.strip("0123456789abcdef"):
        return text, "", ""
    return name, agent, word


def _git(text: str, absolute: Callable[[str], str]) -> Destination:
    name, agent, word = _named(text)
    return Destination(GIT, parse_url(name, absolute=absolute), agent, word)


HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
IPV6 = re.compile(r"\[[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9]{1,15})?\]")
USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}://")
MOST_CHARS = 4096
_PORT = re.compile(r":[0-9]{1,5}$")
_HELPER = re.compile(r"[^/:]*::")
"""Addresses that git reads as a program to run."""
_SCHEMES = ("ssh", "https", "file")


def parse_url(text: str, *, absolute: Callable[[str], str] = str) -> str:
    """Return the git URL or path that `text` names; `absolute` makes the path of a local folder absolute.

    UsageError for what git would take for an option or a command or would send unencrypted, and for a URL with a
    password: the journal records where the agent went.
    """
    if not text or len(text) > MOST_CHARS or not text.isprintable() or text.startswith("-") or _HELPER.match(text):
        raise _no_repository(text)
    scheme, mark, rest = text.partition("://")
    if not mark:
        before, colon, path = text.partition(":")
        if not colon or "/" in before:
            return absolute(text)
        _login(before, text)
        if not path or path.startswith("-"):
            raise _no_repository(text)
        return text
    if scheme not in _SCHEMES:
        raise _no_repository(text)
    if scheme != "file":
        login = _PORT.sub("", rest.partition("/")[0])
        _login(login, text)
        if scheme == "https" and ("?" in rest or login.rpartition("@")[0] not in ("", "git")):
            raise _secret("a user or a query, which may be a token")
    return text


def _login(login: str, text: str) -> None:
    user, at, host = login.rpartition("@")
    if ":" in user:
        raise _secret("a password")
    if not (HOST.fullmatch(host) or IPV6.fullmatch(host)) or (at and not USER.fullmatch(user)):
        raise _no_repository(text)


def _secret(what: str) -> UsageError:
    return UsageError(
        f"The URL contains {what}; it would be recorded in plain text.",
        hint="Leave it out, and use a git credential helper.",
    )


def _no_repository(text: str) -> UsageError:
    return UsageError(
        f"{text[:200]!r} is not a git repository URL.",
        hint="Write ssh://user@host/path, https://host/path, user@host:path, or a local path.",
    )
