"""Reads this machine's rule files for tool calls, quickly, since hooks read them at each call.

A file counts only as a whole. Specified in docs/format/rules.md.
"""

from __future__ import annotations

import os

from agentws.core.formats import layout
from agentws.errors import DamagedError

FILE = layout.MACHINE_RULES
_MOST_BYTES = 1 << 18
_FILE_KIND, _FILE = 0o170000, 0o100000
_MARK, _BOM = b"rules", b"\xef\xbb\xbf"
_PLAINLY = {ord(char): None for char in " \t\"'"}


def texts(config: str | None) -> list[tuple[str, str]]:
    """Return (path, text) of each of this machine's files that may hold rules: its own, and the user's settings.

    DamagedError if one exists and cannot be read.
    """
    result = []
    for path in (FILE, config):
        data = _data(path) if path else b""
        if _MARK in data:
            try:
                result.append((str(path), data.removeprefix(_BOM).decode()))
            except UnicodeDecodeError as error:
                raise DamagedError(f"{path}: not UTF-8.", hint="Correct that file.") from error
    return result


def may_be(config: str | None) -> bool:
    """Return whether this machine may have rules for tool calls."""
    try:
        return any(_MARK in _data(path) for path in (FILE, config) if path)
    except DamagedError:
        return True


def rows(text: str, where: str) -> object:
    """Return the list of `[[ask.rules]]` in a rule file, empty without any; DamagedError if the file is no TOML."""
    plain = _plain(text)
    if plain is not None:
        return plain
    from agentws.core.formats import toml_edit

    try:
        table = toml_edit.table(text)
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"{where}: {error}.", hint="Correct that file.") from error
    asked = table.get("ask", {})
    return asked.get("rules", []) if isinstance(asked, dict) else []


def _data(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would block, and the tool would run meanwhile
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise DamagedError(f"{path}: {error.strerror}.", hint="Make the file readable.") from error
    try:
        data = os.read(fd, _MOST_BYTES)
        if not data and os.fstat(fd).st_mode & _FILE_KIND != _FILE:
            raise DamagedError(f"{path}: not a file.", hint="Put a file there, or nothing.")
    except OSError as error:
        raise DamagedError(f"{path}: {error.strerror}.", hint="Put a file there, or nothing.") from error
    finally:
        os.close(fd)
    if len(data) == _MOST_BYTES:
        raise DamagedError(f"{path}: larger than {_MOST_BYTES:,} bytes.", hint="Shorten the file.")
    return data


def _plain(text: str) -> list[dict[str, str]] | None:
    """Return the rules of a file that is written plainly; None if it needs a TOML parser.

    The parser takes as long to load as a whole hook may take.
    """
    if '"""' in text or "'''" in text:
        return None
    result: list[dict[str, str]] = []
    row: dict[str, str] | None = None
    for line in text.split("\n"):
        message = line.strip()
        if not message or message.startswith("#"):
            continue
        if message.startswith("["):
            if message == "[[ask.rules]]":
                row = {}
                result.append(row)
            elif "ask.rules" in message.translate(_PLAINLY) or "[" in message[1:]:
                return None
            else:
                row = None
            continue
        key, sign, value = message.partition("=")
        key, value = key.strip(), value.strip()
        if not sign or not key.replace("_", "a").replace("-", "a").isalnum():
            return None
        if row is None:
            if value[:1] not in "\"'" and not value[:1].isalnum():
                return None
            if key in ("ask", "rules"):
                return None
            continue
        quote = value[:1]
        if quote not in "\"'" or value[-1:] != quote or len(value) < 2 or quote in value[1:-1]:
            return None
        if (quote == '"' and "\\" in value) or key in row:
            return None
        row[key] = value[1:-1]
    return result
