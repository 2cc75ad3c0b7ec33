"""Writing entries into a daily log: the line to append and its place. Specified in docs/format/daily.md.

Reading is in core/markdown/notes.py, since people and agents write these files as they like.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TODO, DONE, DROPPED = "todo", "done", "dropped"
KINDS = ("decision", "lesson", "fact", "preference", "question", TODO, DONE, DROPPED, "error")
"""Kinds that agentws knows; any other word is kept as it is."""
CLOSING = (DONE, DROPPED)
"""Kinds that may close what is open, by its reference."""

LONGEST_TEXT_BYTES = 256 * 1024


def entry(
    text: str,
    *,
    time: str,
    kind: str | None = None,
    importance: int | None = None,
    tags: tuple[str, ...] = (),
    via: str | None = None,
    task: str | None = None,
    closes: tuple[str, ...] = (),
    ref: str = "",
) -> str:
    """Return one entry for a daily log, with a newline: `- HH:MM [kind] text (closes ^x) !8 #tag ^y (via tool:web)`.

    `time` is `HH:MM` in the workspace's time zone, `via` the source; `closes` are the references of the items that this
    entry closes, `ref` is its own. Marks that the source may not set are escaped. UsageError if a part would not
    read back as itself, or where a text from outside was given a weight of the agent's own.
    """
    if closes:
        kind = _closing(closes, kind, via)
    mark = _origin(via, kind=kind, importance=importance) if via is not None else None
    lines = [line.rstrip() for line in _escaped(text.replace("\r\n", "\n").strip(), mark).split("\n")]
    if not lines[0]:
        raise UsageError("Nothing to log: the text is empty.", hint='For example: agentws log "Chose SQLite"')
    try:
        size_bytes = len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError as error:
        raise UsageError(
            "The text contains an unpaired surrogate (invalid Unicode).", hint="Write the text as valid UTF-8."
        ) from error
    if size_bytes > LONGEST_TEXT_BYTES:
        raise UsageError(
            f"The text is longer than {LONGEST_TEXT_BYTES // 1024} KiB.",
            hint="Save the text in a file, and log the path.",
        )
    head, behind = marks(kind=kind, importance=importance, tags=tags, task=task)
    tail = [f"(closes ^{' ^'.join(closes)})"] if closes else []
    tail += behind
    tail += [f"^{ref}"] if ref else []
    tail += [f"(via {mark})"] if mark else []
    if len(lines) == 1:
        return "- " + " ".join([time, *head, lines[0], *tail]) + "\n"
    # What belongs to the entry stands on its first line, where it is seen; the rest is indented below.
    first = "- " + " ".join([time, *head, lines[0], *tail])
    return "\n".join([first, *(f"  {line}" if line else "" for line in lines[1:])]) + "\n"


def marks(
    *, kind: str | None, importance: int | None, tags: Iterable[str], task: str | None
) -> tuple[list[str], list[str]]:
    """Return the marks before and after the text of a daily log's entry; UsageError for an invalid one."""
    if importance is not None and not 1 <= importance <= 10:
        raise UsageError(f"--importance must be 1 to 10, not {importance}.")
    if kind and not _is_kind(kind):
        raise UsageError(f"{kind!r}: a kind has 2 to 24 lower-case letters, digits, `-` and `_`.")
    tail = [f"!{importance}"] if importance is not None else []
    tail += [f"#{_tag(tag.lstrip('#'), 'tag')}" for tag in tags]
    tail += [f"#task:{_tag(task, 'task')}"] if task else []
    return [f"[{kind}]"] if kind else [], tail


def addition(tail: bytes, *, whole: bool, entry: str, day: str, heading: str) -> bytes:
    """Return the bytes that add `entry` to a daily log ending in `tail` (`whole`: that is all of it).

    A new file gets its date as title. In a log that others write too, the entry goes under agentws's own heading.
    """
    text = tail.decode("utf-8", "surrogateescape")
    heading = " ".join(heading.split())
    glue = "" if text.endswith("\n") else "\n"
    if not text:
        glue = f"# {day}\n\n"
    elif text.strip() and not _ends_with_ours(text, whole=whole, day=day, heading=heading):
        glue += f"\n## {heading}\n\n"
    result = glue + entry
    if text.count("\r\n") * 2 > text.count("\n"):
        result = result.replace("\n", "\r\n")
    return result.encode("utf-8", "surrogateescape")


def is_ours(line: str) -> bool:
    """Return True for a daily log's line as agentws writes it: `- HH:MM …`."""
    return (
        len(line) > 7
        and line.startswith("- ")
        and line[4] == ":"
        and line[7] in " \r\n"
        and (line[2:4] + line[5:7]).isdigit()
        and line[:8].isascii()
    )


def _ends_with_ours(text: str, *, whole: bool, day: str, heading: str) -> bool:
    lines = text.split("\n")
    seen, belongs = False, True
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index].rstrip("\r")
        if line.startswith("#"):
            title = whole and not "".join(lines[:index]).strip("﻿ \r") and line == f"# {day}"
            return belongs and (line == f"## {heading}" or title)
        if is_ours(line):
            seen = belongs = True
        elif line.strip():
            if line[0] not in " \t":
                return False
            belongs = False  # an indented line is ours only below our line
    # The first lines of a long tail may belong to our entry above it.
    return seen and (belongs or not whole)


def _closing(closes: tuple[str, ...], kind: str | None, via: str | None) -> str:
    """Return the kind of an entry that closes others, by default `done`; UsageError if that kind may not close."""
    from agentws.core.text import origin

    if kind not in (None, *CLOSING):
        raise UsageError(f"--closes needs --kind done or dropped, not {kind}.")
    if origin.is_outside(via and origin.named(via)):
        raise UsageError(
            "Text from outside (--via) cannot close items.", hint="Leave out --via, or leave out --closes."
        )
    for ref in closes:
        if not (ref.isascii() and ref.replace("-", "a").isalnum()):
            raise UsageError(f"{ref!r} is not a reference.", hint="To list the open items: agentws todo")
    return kind or DONE


def _origin(via: str, *, kind: str | None, importance: int | None) -> str | None:
    """Return the source as the entry names it, None for the agent's own; UsageError for a kind it may not set."""
    from agentws.core.text import origin

    source = origin.named(_word(via, "source"))
    origin.check(source, kind=kind, importance=importance)
    return origin.mark(source)


def _escaped(text: str, mark: str | None) -> str:
    if mark is None and "(via " not in text and "^" not in text:
        return text
    from agentws.core.markdown import escape

    return escape.by(mark, text)


def _is_kind(text: str) -> bool:
    plain = text.isascii() and text == text.lower() and text.replace("-", "a").replace("_", "a").isalnum()
    return plain and 2 <= len(text) <= 24 and text[0].isalpha()


def _tag(text: str, what: str) -> str:
    plain = _word(text, what).translate(dict.fromkeys(map(ord, "_/:.-")))
    if text.endswith(".") or not (_is_alnum(plain) and any(char.isalpha() for char in plain)):
        raise UsageError(
            f"{text!r}: a {what} may contain letters, digits, `-`, `_`, `/`, `:` and `.`, not only digits.",
            hint="Join the parts with a hyphen.",
        )
    return text


def _is_alnum(text: str) -> bool:
    if text.isascii() or text.isalnum():
        return text.isalnum()
    from agentws.core.text import letters

    return letters.is_name(text)


def _word(text: str, what: str) -> str:
    if not text or not text.isprintable() or any(char.isspace() or char in "[]()" for char in text):
        raise UsageError(f"{text!r}: a {what} must be one word without brackets.", hint="Join the parts with a hyphen.")
    return text


def path_for(day: str, *, archived: bool) -> layout.RelPath:
    """Return the path of the daily log for a line of `day`: a second file where the first one was archived."""
    return f"{layout.DAYS}/{day}.2.md" if archived else layout.day_path(day)
