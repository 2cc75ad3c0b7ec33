"""Cron and other schedulers of this machine: the user's crontab, systemd user units, or the host of a container.

Uses the programs `crontab` and `systemctl`; if one fails, OutsideProgramError contains its message.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, tzinfo

from agentws.core.disk import files
from agentws.core.formats import digest
from agentws.core.installation import host_info
from agentws.errors import ChangedUnderneathError, MissingFileError, OutsideProgramError

_BY_HAND = "To get a line to add by hand: agentws schedule install JOB --with print"
_TIMEOUT_S = 60.0
_SAID = 600
_NO_CRONTAB = re.compile(r"no crontab for|can't open .*: No such file", re.IGNORECASE)
_RUNS = ("running", "degraded", "starting", "initializing", "maintenance")
_CONTAINER_ID = re.compile(r"[0-9a-f]{12}")
_DEFAULT_PATH = ("/usr/bin", "/bin")
_NEEDED = ("git", "ssh-keygen")


# The crontab


def has_crontab() -> bool:
    """Return whether cron's program `crontab` is available."""
    return _program("crontab") is not None


def crontab() -> str:
    """Return this user's crontab for cron, empty for none; bytes that are not UTF-8 become lone surrogates."""
    status, out, message = _run("crontab", "-l")
    if status == 0:
        return out.decode("utf-8", "surrogateescape")
    # Any other failure does not mean an empty crontab: writing one would overwrite the present lines.
    if status == 1 and not out and _NO_CRONTAB.search(message):
        return ""
    raise _failed("crontab -l", message, hint="The crontab is unchanged. To print the line only: --with print")


def put_crontab(text: str, *, expects: str) -> None:
    """Make `text` this user's crontab for cron; ChangedUnderneathError if it is no longer `expects`.

    An empty crontab is removed. The result is read again and compared.
    """
    if crontab() != expects:
        raise ChangedUnderneathError(
            "Another program changed the crontab. Nothing was written.", hint="Re-run the command."
        )
    words = ("-",) if text else ("-r",)
    status, _, message = _run("crontab", *words, stdin=text.encode("utf-8", "surrogateescape"))
    if status:
        raise _failed(f"crontab {words[0]}", message, hint="The crontab is unchanged.")
    if crontab() != text:
        raise OutsideProgramError("The new crontab was not stored.", hint="Check the crontab: crontab -l")


# The user's units


def user_manager_runs() -> bool:
    """Return whether systemd, instead of cron, runs units for this user."""
    if _program("systemctl") is None:
        return False
    _, out, _ = _run("systemctl", "--user", "is-system-running")
    return out.decode("utf-8", "replace").strip() in _RUNS


def unit(config: str | None, name: str) -> str | None:
    """Return a systemd unit of this user, cron's alternative; None for none. `config` is the settings folder."""
    if config is None:
        return None
    try:
        return _units(config).read(name).decode("utf-8", "surrogateescape")
    except MissingFileError:
        return None


def is_on(timer: str) -> bool:
    """Return whether systemd, cron's alternative, has enabled and started this timer."""
    return all(not _run("systemctl", "--user", word, timer)[0] for word in ("is-enabled", "is-active"))


def put_unit(config: str, name: str, text: str | None, *, expects: str | None) -> None:
    """Write a systemd unit instead of a cron line, or remove it (None); ChangedUnderneathError if not `expects`."""
    folder = _folder(config)
    with files.Failing(folder):
        os.makedirs(folder, exist_ok=True)
    known = digest.ABSENT if expects is None else digest.of(expects.encode("utf-8", "surrogateescape"))
    if text is None:
        _units(config).remove(name, expects=known)
    else:
        _units(config).replace(name, text.encode("utf-8", "surrogateescape"), expects=known)


def switch_on(timer: str) -> None:
    """Make systemd reload its units and enable and start this timer, at its present time."""
    _systemctl("daemon-reload")
    _systemctl("enable", "--now", timer)
    # A timer that is already active keeps its old time until it is restarted.
    _systemctl("restart", timer)


def switch_off(timer: str) -> None:
    """Make systemd disable and stop this timer."""
    _systemctl("disable", "--now", timer)


def stop(service: str) -> None:
    """Make systemd stop this service if it runs."""
    _systemctl("stop", service)


def read_units_again() -> None:
    """Make systemd reload its units."""
    _systemctl("daemon-reload")


def _units(config: str) -> files.Files:
    return files.Files(_folder(config))


def _folder(config: str) -> str:
    return os.path.join(config, "systemd", "user")


def _systemctl(*words: str) -> None:
    status, _, message = _run("systemctl", "--user", *words)
    if status:
        raise _failed(f"systemctl --user {' '.join(words)}", message, hint="Fix the cause and re-run.")


# The machine


def from_outside() -> tuple[str, ...]:
    """Return the words with which the container's host, such as its cron, runs a program in it.

    They name the container, or CONTAINER if its name is unknown here.
    """
    name = host_info.name()
    if os.path.exists("/var/run/secrets/kubernetes.io"):
        return ("kubectl", "exec", name or "POD", "--")
    program = "podman" if os.path.exists("/run/.containerenv") else "docker"
    user = f"{os.getuid()}:{os.getgid()}"
    return (program, "exec", "--user", user, name if _CONTAINER_ID.fullmatch(name) else "CONTAINER")


def search_path() -> str | None:
    """Return the PATH by which cron finds the programs agentws runs, None if its default finds them."""
    folders = (os.path.dirname(program) for program in map(_program, _NEEDED) if program)
    more = dict.fromkeys(folder for folder in folders if folder not in _DEFAULT_PATH)
    return os.pathsep.join((*more, *_DEFAULT_PATH)) if more else None


def zone() -> tzinfo:
    """Return the time zone of this machine, which cron and systemd use."""
    import zoneinfo

    try:
        with open("/etc/localtime", "rb") as file:
            return zoneinfo.ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC


def _program(name: str) -> str | None:
    """Return the absolute path of a program, None for none."""
    value = shutil.which(name)
    # One that is named relative to the present folder may be part of a workspace that somebody else has made.
    return value if value is not None and os.path.isabs(value) else None


def _run(name: str, *words: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Return exit status, output and error text of one call."""
    program = _program(name)
    if program is None:
        raise OutsideProgramError(
            f"{name} was not found on PATH.",
            hint=_BY_HAND,
        )
    try:
        # With all our surroundings: systemctl finds the user's manager by them.
        done = subprocess.run(
            [program, *words], input=stdin, capture_output=True, check=False, cwd=os.sep, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise OutsideProgramError(
            f"{name} did not finish within {_TIMEOUT_S:g} s.",
            hint=_BY_HAND,
        ) from error
    except OSError as error:
        raise OutsideProgramError(
            f"{name} could not be started: {error.strerror}.",
            hint=_BY_HAND,
        ) from error
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()[:_SAID]


def _failed(call: str, message: str, *, hint: str) -> OutsideProgramError:
    return OutsideProgramError(f"{call} failed: {message or 'no reason given'}", hint=hint)
