"""The destination of a move, as a person names it: `user@host:path`, a folder here, or a repository's URL.

What names a host goes onto the command line of ssh and rsync, so only what looks like one is let through.
"""

from __future__ import annotations

from collections.abc import Callable

from agentws.core.formats.travel import destination
from agentws.errors import UsageError

RSYNC, COPY, GIT = "rsync", "copy", "git"
VIAS = (RSYNC, COPY, GIT)


class Destination:
    """The future `path` of the workspace, on `host` (empty: this one) as `user` (empty: ssh's default).

    For a move through a repository, `path` is its URL. `shown` is the form for people and the tombstone, `via` one of
    VIAS.
    """

    __slots__ = ("host", "path", "shown", "user", "via")

    def __init__(self, via: str, path: str, *, host: str = "", user: str = "") -> None:
        self.via = via
        self.path = path
        self.host = host
        self.user = user
        self.shown = f"{self.login}:{path}" if host else path

    @property
    def login(self) -> str:
        """The host in ssh's form, with the user if there is one."""
        return f"{self.user}@{self.host}" if self.user else self.host


def parse(text: str, via: str | None = None, *, absolute: Callable[[str], str] = str) -> Destination:
    """Parse a destination; UsageError if it is invalid or does not fit `via`.

    `absolute` returns the absolute path of a local folder.
    """
    if via is not None and via not in VIAS:
        raise UsageError(f"--via must be {', '.join(VIAS[:-1])} or {VIAS[-1]}, not {via!r}.")
    if not text or len(text) > destination.MOST_CHARS or not text.isprintable():
        raise _none(text)
    if via == GIT or destination.URL.match(text):
        if via not in (None, GIT):
            raise UsageError(f"{text!r} is a repository URL; it needs --via git.")
        return repository(text, absolute=absolute)
    before, colon, path = text.partition(":")
    if before.rpartition("@")[2].startswith("["):
        before, path = _bracketed(text)
    if not colon or "/" in before:
        return _local_folder(text, via, absolute)
    return _elsewhere(before, path, via, text)


def repository(text: str, *, absolute: Callable[[str], str] = str) -> Destination:
    """Parse the URL or path of a git repository; UsageError if it is invalid or contains a password."""
    return Destination(GIT, destination.parse_url(text, absolute=absolute))


def _bracketed(text: str) -> tuple[str, str]:
    before, end, path = text.partition("]:")
    if not end:
        raise _none(text)
    return f"{before}]", path


def _local_folder(text: str, via: str | None, absolute: Callable[[str], str]) -> Destination:
    if via == RSYNC:
        raise UsageError(
            f"{text!r} is a local folder; --via rsync is for other machines.",
            hint="Leave out --via. Another machine is user@host:path.",
        )
    return Destination(COPY, absolute(_checked(text, text)))


def _elsewhere(login: str, path: str, via: str | None, text: str) -> Destination:
    if via == COPY:
        raise UsageError(
            f"{text!r} is on another machine; --via copy is for local folders.",
            hint="Leave out --via. Write a folder with a colon as ./a:b.",
        )
    user, at, host = login.rpartition("@")
    sound = destination.HOST.fullmatch(host) or destination.IPV6.fullmatch(host)
    if not sound or (at and not destination.USER.fullmatch(user)):
        raise _none(text)
    return Destination(RSYNC, _checked(path, text), host=host.strip("[]"), user=user)


def _checked(path: str, text: str) -> str:
    result = path.rstrip("/") if path.strip("/") else ""
    last = result.rpartition("/")[2]
    if not result or last in (".", "..", "~"):
        raise UsageError(
            f"{text!r} does not name a folder for the workspace.",
            hint="Give the full path: agentws migrate user@host:agents/robin",
        )
    return result


def _none(text: str) -> UsageError:
    return UsageError(
        f"{text[:200]!r} is not a destination.",
        hint="Write user@host:path for another machine (reachable by ssh), or a local path.",
    )
