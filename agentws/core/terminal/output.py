"""Output: results on stdout, everything else on stderr, all of it inert."""

from __future__ import annotations

import os
import sys

from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError, DiskError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from agentws.core.terminal.secret_filter import SecretFilter

    Look = Callable[[str], str]

_AT_ONCE = 500

PLAIN, ROWS, TABLE, MARKDOWN, PATCH = "plain", "rows", "table", "markdown", "patch"
"""Looks of lines at a terminal: the names of the functions of looks.py."""


_filters: list[SecretFilter] = []
"""Filter of secrets in all output, set by `filter_secrets`."""


_above = [""]
"""Prefix of workspace paths in lines for people, set by `place_in`."""


def place_in(root: str) -> None:
    """Show the workspace paths of an `.agentmem/` from now on as they are reached from the present folder."""
    from agentws.core.disk import locate

    project = locate.project(root)
    try:
        now = os.path.realpath(os.curdir)
    except FileNotFoundError:
        now = ""  # the present folder is gone
    is_around = bool(now) and f"{now}/".startswith(f"{project.rstrip('/')}/")
    above = os.path.relpath(root, now) if is_around else root
    _above[0] = "" if project == root or above == os.curdir else f"{above}/"


def place(path: str, line: int | None = None) -> str:
    """Return a workspace path, with a line, for people's output: in JSON it stays relative to the workspace."""
    shown = path if path.startswith("/") else f"{_above[0]}{path}"
    return f"{shown}:{line}" if line else shown


def filter_secrets() -> None:
    """Hide secrets in all output printed from now on.

    Verbs of the fast lane do not need it: boot has hidden them, and the others print nothing that they were given.
    """
    from agentws.core.terminal.secret_filter import SecretFilter

    _filters[:] = [SecretFilter()]


def tell_filtered(*, quiet: bool) -> None:
    """Print on stderr how many secrets were hidden in the output, if any, and stop hiding them."""
    names = [filter_.notice() for filter_ in _filters]
    _filters.clear()
    notices(filter(None, names), quiet=quiet)


def without_secrets(value: Any) -> Any:
    """Return a JSON value for output with secrets hidden."""
    for filter_ in _filters:
        value = filter_.value(value)
    return value


def filtered() -> dict[str, object]:
    """Return the output's JSON field with the number of hidden secrets; empty if none were hidden."""
    count = sum(filter_.count for filter_ in _filters)
    return {"hidden": count} if count else {}


def text(result: str) -> None:
    """Output a text to stdout unchanged, in UTF-8, whatever the locale. It must be inert already."""
    if sys.stdout is None:
        raise SystemExit(141)  # stdout is closed: nobody reads, and that is not our error
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(result.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _be_quiet()
        raise SystemExit(141) from None
    except OSError as failure:
        _be_quiet()
        words = os.strerror(failure.errno or 0).lower()
        raise DiskError(
            f"The result could not be written to standard output: {words}.",
            hint="Only the output is lost. All changes of the command are on disk.",
        ) from failure


def _be_quiet() -> None:
    """Discard all further output to stdout, also that of the interpreter as it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def version() -> None:
    """Output agentws's version."""
    from agentws import __version__

    line(f"agentws {__version__}")


def overview() -> None:
    """Print the program's help as prerendered by tools/reference.py, for output without a terminal."""
    with open(f"{os.path.dirname(__file__)}/help.txt", encoding="utf-8") as page:
        text(page.read())


def line(result: str, look: str | Look = PLAIN) -> None:
    """Print one result line; at a terminal in a style of looks.py, given by name or as a function."""
    shown = _shown(result)
    if is_terminal():
        from agentws.core.terminal import looks

        shown = getattr(looks, look)(shown) if isinstance(look, str) else look(shown)
    text(shown + "\n")


def lines(results: Iterable[str], look: str | Look = PLAIN) -> None:
    """Output result lines, many in one call. A line feed in one of them is part of a name, and shown as a code."""
    waiting: list[str] = []
    try:
        for result in results:
            waiting.append(_on_one_line(result) if "\n" in result else result)
            if len(waiting) == _AT_ONCE and look == PLAIN:
                line("\n".join(waiting))
                waiting.clear()
    finally:
        if waiting:
            line("\n".join(waiting), look)


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows of cells as lines, each column as wide as its widest cell."""
    line = "  ".join(f"{{:<{max(map(len, column))}}}" for column in zip(*rows, strict=True))
    return (line.format(*row).rstrip() for row in rows)


def progress_line(
    words: Callable[[int, int], str], *, quiet: bool, least: int = 0
) -> Callable[[int, int], None] | None:
    """Return a function that shows `words` about (done, total) in a line of stderr; None without a terminal.

    A total of at most `least` is not worth a line.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        if total > least:
            sys.stderr.write("\r\x1b[K" if done >= total else f"\r{words(done, total)}")
            sys.stderr.flush()

    return show


def is_terminal() -> bool:
    """Return whether the output on stdout is shown to a person."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Return the columns of the terminal for output on stdout; 0 without one."""
    if not is_terminal():
        return 0
    import shutil  # only for a person

    return shutil.get_terminal_size().columns


def fields(record: object, names: str, **values: object) -> dict[str, object]:
    """Return attributes of a record as JSON fields, in the order of `names`; a tuple becomes a list.

    - `name?`: null if the attribute is empty; `field=!name`: whether it is empty; `field=!!name`: whether not
    - `field=record.name`: an attribute or method of a nested record, null without one; `field=.`: the record itself
    - `rows[name name]`: an object of the nested record, or a list with an object of each row; a row may be a tuple
      that starts with a text or number, its values in this order. `rows[.name]`: a list of attributes
    - `*record[name name]`: the fields of the nested record among those of the outer one

    A field of `values` has that value.
    """
    return _object(record, _parsed(iter(names.replace("[", " [ ").replace("]", " ] ").split())), values)


def _parsed(words: Iterator[str]) -> list[tuple[str, Any]]:
    """Return each field with the parsed names in its brackets, None without brackets."""
    made: list[tuple[str, Any]] = []
    for word in words:
        if word == "]":
            break
        made.append((word, None)) if word != "[" else made.append((made.pop()[0], _parsed(words)))
    return made


def _object(record: Any, names: list[tuple[str, Any]], values: dict[str, object]) -> dict[str, object]:
    made: dict[str, object] = {}
    for position, (word, inner) in enumerate(names):
        field, _, place = word.rstrip("?").partition("=")
        value: Any
        if field.strip("*") in values:
            value = values[field.strip("*")]
        elif type(record) is tuple:
            value = record[position]
        else:
            value = _attribute(record, (place or field).strip("!*"))
        if place.startswith("!"):
            value = bool(value) == place.startswith("!!")
        if word.endswith("?"):
            value = value or None
        if inner is not None and value is not None:
            is_list = hasattr(value, "__iter__") and not hasattr(value, "_fields") and not _is_row(value)
            value = [_row(row, inner) for row in value] if is_list else _row(value, inner)
        if field.startswith("*"):
            made |= value
        else:
            made[field] = list(value) if isinstance(value, tuple) else value
    return made


def _row(row: Any, names: list[tuple[str, Any]]) -> object:
    first = names[0][0]
    return _attribute(row, first[1:]) if first.startswith(".") else _object(row, names, {})


def _is_row(value: object) -> bool:
    return type(value) is tuple and bool(value) and isinstance(value[0], str | int | None)


def _attribute(record: Any, place: str) -> Any:
    for name in filter(None, place.split(".")):
        if record is None:
            break
        record = getattr(record, name)
        if callable(record):
            record = record()
    return record


def data(schema: str, content: dict[str, object]) -> None:
    """Output one JSON object with its schema."""
    # ASCII alone: every control, BiDi or tag character is escaped, and no locale can spoil it.
    shown = without_secrets(content)
    text(plainjson.dumps({"schema": f"agentws/{schema}@1", **shown, **filtered()}, indent=2) + "\n")


def values(value: object) -> None:
    """Output a JSON array in a format that other programs define, without a schema of agentws."""
    text(plainjson.dumps(without_secrets(value), indent=2) + "\n")


def notices(messages: Iterable[str], *, quiet: bool) -> None:
    """Output notices about oddities to stderr."""
    for notice in () if quiet else messages:
        _stderr(f"notice: {_shown(_on_one_line(notice))}")


def error(failure: AgentwsError, *, as_json: bool) -> None:
    """Output to stderr what failed and what would help."""
    if as_json:
        content = {"schema": "agentws/error@1", **fields(failure, "code exit_code message hint")}
        _stderr(plainjson.dumps(without_secrets(content)))
        return
    _stderr(f"agentws: {_shown(_on_one_line(failure.message))}")
    if failure.hint:
        entries = failure.hint.split("\n  ")  # a hint may list entries, each on a line that is indented
        _stderr("".join(f"  {_shown(_on_one_line(entry))}\n" for entry in entries).rstrip("\n"))


def _on_one_line(words: str) -> str:
    """Return a line of output with each line feed as a code."""
    if "\n" not in words:
        return words
    from agentws.core.text.sanitize import unbroken

    return unbroken(words)


def _shown(words: str) -> str:
    """The words without secrets, and with every character that could do something to a terminal shown as a code."""
    for filter_ in _filters:
        words = filter_.text(words)
    if words.isascii() and words.isprintable():
        return words
    from agentws.core.text.sanitize import inert

    return inert(words)


def _stderr(message: str) -> None:
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()
    except (BrokenPipeError, UnicodeEncodeError):
        pass  # nobody is there to be told
