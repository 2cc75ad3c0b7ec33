"""A git repository as a person names it: a URL, `user@host:path`, or a local folder. Pure.

A host's name ends up on ssh's command line, so only what looks like one is accepted.
"""

from __future__ import annotations

import re

from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")
IPV6 = re.compile(r"\[[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9]{1,15})?\]")
USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}://")
MOST_CHARS = 4096
_PORT = re.compile(r":[0-9]{1,5}$")
_HELPER = re.compile(r"[^/:]*::")
"""What git takes for the name of a program that is to be run."""
_SCHEMES = ("ssh", "https", "file")


def parse(text: str, *, absolute: Callable[[str], str] = str) -> str:
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
