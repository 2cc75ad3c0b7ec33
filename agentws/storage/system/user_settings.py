"""The user's own settings, `$XDG_CONFIG_HOME/agentws/config.toml`: what no workspace may say, such as a program to run.

Specified in docs/format/config.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agentws.errors import DamagedError, TooLargeError
from agentws.formats import toml_edit
from agentws.formats.manifest import Setting
from agentws.storage.disk import files

if TYPE_CHECKING:
    from collections.abc import Mapping

SUMMARIZER, TIMEOUT = "compaction.summarizer", "compaction.timeout_s"
SETTINGS = (
    Setting(
        SUMMARIZER, "", "Command line of a program that answers the brief of `curate` after `compact`; empty: none."
    ),
    Setting(TIMEOUT, 120, "Seconds that this program may take for one answer."),
)
SHORTEST_S, LONGEST_S = 0.001, 86_400
_MOST_BYTES = 1 << 16
_FEWEST_CHARS, _MOST_CHARS = 2_000, 1_000_000
_SECTION = "compaction"
_KEYS = ("summarizer", "timeout_s", "call_chars")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HINT = "Correct this line. See: agentws docs format/config"


class UserSettings:
    """The settings of the user, with defaults for the rest.

    Fields:
        summarizer, timeout_s, call_chars: the settings; `timeout_s` in seconds.
        lines: the line of each setting of `SETTINGS` that the file sets, by its key.
        notices: what was not understood.
    """

    __slots__ = ("call_chars", "lines", "notices", "summarizer", "timeout_s")

    def __init__(self) -> None:
        self.summarizer = ""
        self.timeout_s: float = 120
        self.call_chars = 24_000
        self.lines: dict[str, int] = {}
        self.notices: list[str] = []


def read(path: str | None) -> UserSettings:
    """The settings in the file at `path`, the defaults where there is none.

    DamagedError names the file and the line of what cannot be read; DiskError, TooLargeError.
    """
    found = UserSettings()
    data = _data(path) if path is not None else b""
    if path is None or not data:
        return found
    text, table = _table(data, path)
    section = table.get(_SECTION, {})
    if not isinstance(section, dict):
        raise _wrong(path, text, _SECTION, "must be a table: [compaction]")
    found.summarizer = _summarizer(section, text, path)
    found.timeout_s = _number(section, "timeout_s", found.timeout_s, (SHORTEST_S, LONGEST_S), text, path)
    found.call_chars = int(_number(section, "call_chars", found.call_chars, (_FEWEST_CHARS, _MOST_CHARS), text, path))
    names = {key.rpartition(".")[2]: key for key in (SUMMARIZER, TIMEOUT)}
    found.lines = {key: toml_edit.line_of(text, key) for name, key in names.items() if name in section}
    unknown = [
        *(key for key in table if key != _SECTION),
        *(f"{_SECTION}.{key}" for key in section if key not in _KEYS),
    ]
    found.notices = [f"{path}: unknown setting {key}, ignored." for key in unknown]
    return found


def _data(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise files.failure(error, path) from error
    if len(data) > _MOST_BYTES:
        raise TooLargeError(
            f"{path}: larger than {_MOST_BYTES // 1024} KiB.", hint="This file may contain only settings."
        )
    return data


def _table(data: bytes, path: str) -> tuple[str, Mapping[str, object]]:
    try:
        text = data.decode("utf-8-sig")
        return text, toml_edit.table(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DamagedError(f"{path}:{line}: not UTF-8.", hint=_HINT) from error
    except (ValueError, RecursionError) as error:
        said = str(error)
        at = _AT_LINE.search(said)
        line = int(at[1]) if at else data.rstrip().count(b"\n") + 1
        raise DamagedError(f"{path}:{line}: {_AT_LINE.sub('', said).strip()}.", hint=_HINT) from error


def _summarizer(section: Mapping[str, object], text: str, path: str) -> str:
    value = section.get("summarizer", "")
    if not isinstance(value, str):
        raise _wrong(path, text, "summarizer", 'must be a command line in quotes, such as "llm -m MODEL"')
    return value.strip()


def _number(
    section: Mapping[str, object], key: str, default: float, bounds: tuple[float, float], text: str, path: str
) -> float:
    value = section.get(key, default)
    low, high = bounds
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise _wrong(path, text, key, f"must be a number from {low:g} to {high:,}")
    return value


def _wrong(path: str, text: str, key: str, what: str) -> DamagedError:
    return DamagedError(f"{path}:{toml_edit.line_of(text, key)}: {key} {what}.", hint=_HINT)
