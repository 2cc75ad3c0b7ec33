"""Named waits: commands and URLs in the user's settings, `[waits.NAME]`, that tasks of a workspace may wait for.

A workspace can come from anywhere, so it only names them. Specified in docs/format/config.md.
"""

from __future__ import annotations

import subprocess

from agentws.core.disk.system import user_programs, user_settings
from agentws.core.formats.documents import task
from agentws.errors import UsageError

_TIMEOUT_S, _LONGEST_S = 30, 600
_OK = 200
_SCHEMES = ("http://", "https://")


class Wait:
    """A named wait: its `kind` (COMMAND, URL), what is run or requested, and how long that may take."""

    def __init__(self, kind: str, what: str, *, expect: int = _OK, timeout_s: float = _TIMEOUT_S) -> None:
        self.kind = kind
        self.what = what
        self.expect = expect
        self.timeout_s = timeout_s

    def look(self) -> tuple[bool, str]:
        """Return (whether the command or request succeeds now, why that is unknown: empty if it is known)."""
        return self._succeeds() if self.kind == task.COMMAND else self._answers()

    def _succeeds(self) -> tuple[bool, str]:
        words, program, failure = user_programs.parse(self.what)
        if failure:
            return False, failure
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                [program, *words[1:]],
                stdin=quiet,
                stdout=quiet,
                stderr=quiet,
                cwd="/",
                env=user_programs.surroundings("/"),
                start_new_session=True,
            )
        except OSError as error:
            return False, f"it could not be started ({error.strerror or error})"
        try:
            return process.wait(self.timeout_s) == 0, ""
        except subprocess.TimeoutExpired:
            return False, f"it did not end within {self.timeout_s:g} s"
        finally:
            user_programs.end(process)

    def _answers(self) -> tuple[bool, str]:
        """Request the URL, with one deadline for the whole answer: a socket's timeout is for each piece."""
        import threading

        answers: list[tuple[bool, str]] = []
        asking = threading.Thread(target=lambda: answers.append(self._asked()), daemon=True)
        asking.start()
        asking.join(self.timeout_s)
        return answers[0] if answers else (False, f"it did not answer within {self.timeout_s:g} s")

    def _asked(self) -> tuple[bool, str]:
        import http.client
        from urllib.parse import urlsplit

        place = urlsplit(self.what)
        kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        path = (place.path or "/") + (f"?{place.query}" if place.query else "")
        # No redirection is followed: no person named its target.
        connection = kind(place.hostname or "", place.port, timeout=self.timeout_s)
        try:
            connection.request("GET", path, headers={"User-Agent": "agentws", "Connection": "close"})
            return connection.getresponse().status == self.expect, ""
        except (OSError, ValueError, http.client.HTTPException) as error:
            return False, str(error) or type(error).__name__
        finally:
            connection.close()


def get(path: str | None, kind: str, name: str) -> Wait:
    """Return the named wait `name` of the user's settings; UsageError says how to name one. DamagedError too."""
    table = user_settings.read(path).waits.get(name)
    what = table.get(kind) if isinstance(table, dict) else None
    place = path or "config.toml"
    if not isinstance(table, dict) or not isinstance(what, str) or not what.strip():
        example = "'gh run watch --exit-status'" if kind == task.COMMAND else "https://ci.example/passed"
        raise UsageError(
            f"Your settings name no {kind} {name!r} to wait for.",
            hint=f"A person names it: agentws config --user waits.{name}.{kind} {example}",
        )
    if kind == task.URL and not _is_url(what.strip()):
        raise UsageError(
            f"{place}: waits.{name}.url must begin with http:// or https://.", hint="Correct that address."
        )
    expect, timeout_s = _whole(table, "expect", _OK), _whole(table, "timeout_s", _TIMEOUT_S)
    return Wait(kind, what.strip(), expect=expect, timeout_s=timeout_s)


def _is_url(text: str) -> bool:
    from urllib.parse import urlsplit

    try:
        place = urlsplit(text)
        return text.startswith(_SCHEMES) and bool(place.hostname) and place.port != 0
    except ValueError:
        return False


def _whole(table: dict[str, object], key: str, default: int) -> int:
    value = table.get(key, default)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LONGEST_S else default
