"""The strict subset of YAML that front matter may use: reading and writing.

Imported only by `document`, and only if there is a header: PyYAML costs more than the rest of a start.
Specified in docs/format/document.md.
"""

from __future__ import annotations

# This whole module is imported lazily, so its own imports may stand where readers look for them.
from collections.abc import Hashable
from typing import Any, NoReturn

import frontmatter  # noqa: TID253
import yaml  # noqa: TID253
from frontmatter.default_handlers import YAMLHandler  # noqa: TID253

from agentws.errors import DamagedError

Value = str | list["Value"] | dict[str, "Value"]

MOST_BYTES = 16_384
MOST_NODES = 500
MOST_DEPTH = 8

_WIDTH = 80
_LONGEST_INTEGER = 15  # JavaScript's numbers are exact up to here
_HINT = "Correct the lines between the two --- at the top of the file; nothing was changed."
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


class StrictLoader(yaml.BaseLoader):
    """PyYAML's loader restricted: every scalar is a string; anchors, tags and other active parts are errors."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._nodes = 0
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next YAML node; an error for deep nesting, since PyYAML recurses for each level."""
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        self._nodes += 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            _refuse("anchors and aliases (& and *) are not allowed here", event)
        if getattr(event, "tag", None) is not None:
            _refuse("tags (!) are not allowed here", event)
        if self._nodes > MOST_NODES:
            _refuse(f"front matter may hold at most {MOST_NODES} keys and values", event)
        if self._depth >= MOST_DEPTH and not isinstance(event, yaml.ScalarEvent):
            _refuse(f"front matter may be nested at most {MOST_DEPTH} deep", event)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """Return the text of a YAML scalar; an error for escapes that no file can hold, such as "\\ud800"."""
        text = super().construct_scalar(node)
        if _has_surrogates(text):
            _refuse("this value contains an unpaired surrogate (invalid Unicode)", node)
        return text

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the YAML mapping; an error unless each key is a string and unique."""
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                _refuse("a key must be a plain word or a quoted string", key)
            if key.value == "<<" and not key.style:
                _refuse("merge keys (<<) are not allowed here", key)
            if key.value in seen:
                _refuse(f"the key {key.value[:40]!r} appears twice", key)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _refuse(problem: str, at: yaml.Event | yaml.Node) -> NoReturn:
    mark: Any = at.start_mark
    raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


class YamlEntry:
    """A top-level YAML key of front matter with its value: lines `start` to `end` (not included) of the header."""

    def __init__(self, source: str, skipped: int, key: yaml.ScalarNode, value: yaml.Node) -> None:
        first, after_key, end = key.start_mark.index, key.end_mark.index, _end(value, source)
        line_start = source.rfind("\n", 0, first) + 1
        self.key: str = key.value
        self.written = source[first:after_key]
        self.indent = source[line_start:first]
        self.start = skipped + source.count("\n", 0, first)
        self.end = skipped + source.count("\n", 0, end - 1) + 1
        # False for `? key`, and for a second key behind one of YAML's rarer line breaks.
        self.alone = not self.indent.strip(" ") and "\n" not in self.written
        tail_from = end if self.end == self.start + 1 else source.find(":", after_key) + 1
        tail = source[tail_from : source.find("\n", tail_from)]
        self.comment = tail if tail.lstrip().startswith("#") and tail[0] in " \t" else ""


def _end(node: yaml.Node, source: str) -> int:
    """End of the text of `node`. PyYAML ends a block at the key that follows, beyond blanks and comments."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last if isinstance(node, yaml.SequenceNode) else last[1]
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        keeps_blank_lines = "+" in source[start : start + 3]
        return end if keeps_blank_lines else len(source[:end].rstrip("\n "))
    return end


class Header(YAMLHandler):
    """Front matter parsed as strict YAML by python-frontmatter's handler: `fields`, and the lines of each key."""

    def __init__(self, lines: list[str], where: str) -> None:
        super().__init__()
        self._where = where
        self._lines = lines
        self._inside = "".join(lines[1:-1]).replace("\r\n", "\n")
        self._source: str | None = None
        self._skipped = 0
        self._root: yaml.MappingNode | None = None
        # Not frontmatter.loads: its Post fails on a key named "content" or "handler".
        self.fields: dict[str, Value] = frontmatter.parse("".join(lines), handler=self)[0]  # type: ignore[assignment]
        if self._source is None:
            self._not_the_same()

    def load(self, fm: str, **kwargs: object) -> dict[str, Value]:
        """Return the values of a YAML header; called by python-frontmatter."""
        if fm.strip() != self._inside.strip():
            self._not_the_same()
        self._source = fm
        # It takes blank lines at the top for a part of the opening line.
        self._skipped = self._inside.count("\n") + 1 - fm.count("\n")
        loader: StrictLoader | None = None
        try:
            loader = StrictLoader(fm)
            root = loader.get_single_node()
            if root is None:
                return {}
            if not isinstance(root, yaml.MappingNode):
                _refuse("front matter must be `key: value` lines", root)
            self._root = root
            return loader.construct_document(root)  # type: ignore[no-any-return]
        except yaml.reader.ReaderError as error:
            raise self._unreadable(_character(error.character), error.position) from error
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise self._unreadable(error.problem or "not valid YAML", mark.index if mark else 0) from error
        except (yaml.YAMLError, ValueError, ArithmeticError, LookupError) as error:
            # PyYAML lets some of Python's own errors out, such as chr() of "\UFFFFFFFF".
            raise self._unreadable("not valid YAML", loader.index if loader else 0) from error

    def _unreadable(self, problem: str, index: int) -> DamagedError:
        if at := next((at for at, line in enumerate(self._lines, 1) if line.startswith("<<<<<<<")), 0):
            from agentws.core.markdown import conflict

            return conflict.error(self._where, at)
        line = 1 + self._skipped + (self._source or "").count("\n", 0, index)
        return DamagedError(f"{self._where}:{line}: The front matter cannot be read: {problem}.", hint=_HINT)

    def _not_the_same(self) -> NoReturn:
        fences = (at for at, line in enumerate(self._lines[1:], start=2) if self.FM_BOUNDARY.match(line))
        raise DamagedError(
            f"{self._where}:{next(fences, 1)}: Programs disagree on where this front matter ends.",
            hint="Write no line of dashes between the two --- lines.",
        )

    def entries(self) -> list[YamlEntry]:
        """The top-level YAML keys in file order; DamagedError unless each begins its own line."""
        root, source = self._root, self._source or ""
        if root is None:
            return []
        entries = [] if root.flow_style else [YamlEntry(source, self._skipped, *pair) for pair in root.value]
        if root.flow_style or not all(entry.alone for entry in entries):
            raise DamagedError(
                f"{self._where}:1: The front matter cannot be edited line by line.",
                hint="Write one `key: value` per line.",
            )
        return entries


def _character(character: int | bytes) -> str:
    if isinstance(character, int) and 0xD800 <= character <= 0xDFFF:
        return "it contains bytes that are not UTF-8"
    return f"it contains the control character U+{character:04X}" if isinstance(character, int) else "not text"


def entry_lines(key: str, value: Value | None, indent: str, comment: str = "") -> list[str]:
    """Return the YAML lines of one front-matter entry, without line ends; none for None. `key` is written as given."""
    if value is None:
        return []
    first, *more = _block(f"{key}:", value, indent)
    return [first + comment, *more]


def key_text(key: str) -> str:
    """Return `key` as YAML writes it in front of its colon."""
    return _scalar(key, is_key=True)


def check_writable(key: str, value: Value | None, *, where: str) -> None:
    """Raise DamagedError for a value that strict YAML cannot hold: no UTF-8 text, or nested too deep or in itself."""
    if not _is_writable(key, 1) or not _is_writable(value or "", 1):
        raise DamagedError(
            f"{where}: The value of {key[:40]!r} cannot be written into front matter.",
            hint=f"Use text that is valid Unicode, nested at most {MOST_DEPTH} deep. Nothing was changed.",
        )


def _is_writable(value: Value, depth: int) -> bool:
    if isinstance(value, str):
        return not _has_surrogates(value)
    items = value if isinstance(value, list) else [*value, *value.values()]
    return depth < MOST_DEPTH and all(_is_writable(item, depth + 1) for item in items)


def _block(head: str, value: Value, pad: str) -> list[str]:
    if isinstance(value, str):
        return [f"{pad}{head} {_scalar(value)}"]
    in_one = f"{pad}{head} {_flow(value)}"
    if not value or (isinstance(value, list) and len(in_one) <= _WIDTH):
        return [in_one]
    if isinstance(value, list):
        pairs = [("-", item) for item in value]
    else:
        pairs = [(f"{key_text(key)}:", item) for key, item in value.items()]
    return [pad + head, *(line for name, item in pairs for line in _block(name, item, pad + "  "))]


def _flow(value: Value) -> str:
    if isinstance(value, str):
        return _scalar(value, in_flow=True)
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    pairs = (f"{_scalar(key, in_flow=True, is_key=True)}: {_flow(item)}" for key, item in value.items())
    return f"{{{', '.join(pairs)}}}"


def _scalar(text: str, *, in_flow: bool = False, is_key: bool = False) -> str:
    if not is_key and _is_integer(text):
        return text
    safe = _is_plain(text) and not (in_flow and any(mark in text for mark in ",[]{}?"))
    if safe and _reads_alike_elsewhere(text, is_key=is_key):
        return text
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_INTEGER
    return plain and str(int(text)) == text


def _is_plain(text: str) -> bool:
    """Return whether no loader could take a part of `text` for punctuation."""
    if not text or len(text) > MOST_BYTES or not text.isprintable() or text != text.strip():
        return False
    marks = ": " in text or " #" in text or text.endswith(":")
    return (text[0].isalnum() or text[0] in "_/") and not marks


def _reads_alike_elsewhere(text: str, *, is_key: bool) -> bool:
    """Return whether an ordinary loader sees the same string, or the date that people mean by it."""
    if text.lower() in ("y", "n") or _is_number(text):
        return False
    try:
        value: object = yaml.load(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, ArithmeticError):
        return False  # 2026-02-31 has the shape of a date and stops other loaders altogether
    # Dates are met by the name of their type: datetime would be imported for nothing else.
    return value == text or (not is_key and type(value).__name__ in ("date", "datetime"))


def _is_number(text: str) -> bool:
    """Return True for numbers of YAML 1.2 and of Python that YAML 1.1 takes for words: 1e3, 0o14, nan."""
    for read in (float, lambda digits: int(digits, 0)):
        try:
            read(text)
        except ValueError:
            continue
        return True
    return False
