"""Escapes content inset in agentws's own frame, so that none of it reads as part of the frame (P21).

Escaped are headings of level 1 or 2, unclosed fences, HTML blocks and tags, control words of a model, and the role or
origin of a message; as CommonMark escapes, by a backslash or by an entity in place of `<` and `[`. The rules are
CommonMark's, in any container, and lenient as well: a model takes a line for a heading even after an invisible
character. Each line stays one line, and escaping twice changes nothing.
"""

from __future__ import annotations

from itertools import accumulate

from agentws.core.markdown import markdown
from agentws.core.text import invisible
from agentws.core.text.lazy import Pattern
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

# A blank of Braille is not an ignorable one, and yet nobody sees it.
_UNSEEN = "".join([f"{chr(low)}-{chr(high)}" for low, high in invisible.RANGES]) + "\u2800"
_GAP = rf" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000{_UNSEEN}"
_ROLES = "system|developer|user|assistant|human|model|tool|function|ai"
_LINE = Pattern(
    # What a block may begin with, in whatever containers: lists, boxes, quotes, bold type.
    rf"^(?P<around>[{_GAP}\-*+>0-9.)|_\[\]xX]*+)"
    rf"(?:(?P<heading>(?:\#{{1,2}}|\#*[\uff03\ufe5f]++)(?=[\s{_UNSEEN}]|\Z))"
    r"|(?P<fence>`{3,}+(?=[^`\n]*+$)|~{3})"
    r"|(?P<block><(?=[A-Za-z/!?])(?!https?://|mailto:|!--[^\n]*?-->))"
    # The mark that ends a line is what its origin is known by: a line that says nothing else keeps it.
    rf"|(?P<origin>\((?!via (?:import|other|tool|net)[:)][^\s()]*\)?[{_GAP}]*$)))"
    rf"|^[{_GAP}>]*+(?P<underline>=++|-++)(?=[{_GAP}]*+$)"
    # A list item, `* User: Ada`, is a field and no turn, as one with another bullet is.
    rf"|^(?![ \t>]*+\*[ \t])[{_GAP}>*_\#]*+"
    rf"(?P<role>(?i:{_ROLES})(?:[ _](?i:message|prompt|turn))?[*_]*+[{_GAP}]*+)(?=[:\uff1a])",
    "MULTILINE",
)
_NAMES = (
    r"h[1-6]|system|developer|user|assistant|human|model|tools?|functions?|ai|instructions?|reminder|prompt|messages?|"
    r"context|think|thinking|invoke|channel|analysis|s|sys|inst|bos|eos|pad|unk|script|style|pre|textarea|title|"
    r"iframe|plaintext|xmp"
)
_TAG = Pattern(
    rf"<(?:(?=[{_GAP}]{{0,3}}/?[{_GAP}]{{0,3}}(?:[|\uff5c]|(?i:{_NAMES})\b))"
    # With a blank before it, such a name is a comparison: `if n < max_len`.
    rf"|(?=[{_UNSEEN}]{{0,3}}/?[{_UNSEEN}]{{0,3}}[A-Za-z][A-Za-z0-9]{{0,40}}[-_:](?!//)))"
    r"(?!mailto:)"
    r"|\[(?=/?(?:(?i:INST)|SYS|SYSTEM|USER|ASSISTANT|HUMAN|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|"
    r"TOOL_CONTENT)\])"
)
_CONTROL_ENDS = ("NST", "SYS", "SYSTEM", "USER", "ASSISTANT", "HUMAN", "PROMPT", "TOOLS", "CALLS", "RESULTS", "CONTENT")
"""What the words in brackets end in, of which _TAG and _TAG_IN_CODE speak; of `INST` what is the same in every case."""
_FRAMES = (
    r"system|developer|user|assistant|human|tools?|functions?|ai|instructions?|reminder|prompt|messages?|context|"
    r"invoke|channel|s|sys|inst|bos|eos|pad|unk|h[1-6]"
)
_TAG_IN_CODE = Pattern(
    rf"<(?=[{_GAP}]{{0,3}}/?[{_GAP}]{{0,3}}[|\uff5c])"
    # A tag that ends something ends it in code too. One that begins something is none behind a word: `List<User>`.
    rf"|<(?=[{_GAP}]{{0,3}}/[{_GAP}]{{0,3}}(?:(?i:{_FRAMES})\b|[A-Za-z][A-Za-z0-9]{{0,40}}[-_:]))"
    rf"|(?<!\w)<(?=[{_GAP}]{{0,3}}(?i:{_FRAMES})\b|[{_UNSEEN}]{{0,3}}[A-Za-z][A-Za-z0-9]{{0,40}}[-_:](?!//))(?!mailto:)"
    rf"|<(?=[{_UNSEEN}]{{0,3}}[A-Za-z][A-Za-z0-9]{{0,40}}(?:-[A-Za-z0-9]{{1,40}}){{1,4}}[{_GAP}]{{0,3}}>)"
    r"|\[(?=/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|"
    r"TOOL_CONTENT)\])"
)
"""What hosts and models take for the end of a message or for a role wherever it stands; other tags are code there."""
_MIDDLE = Pattern(
    rf"(?<=[{_GAP}])(?:\#{{1,2}}(?=[{_GAP}]|\Z)|`{{3,}}+|~{{3,}}+|(?:=++|-++)(?=[{_GAP}]|\Z)|<(?=[A-Za-z/!?]))"
)
_SPOKEN = tuple(_ROLES.split("|"))
_LONGEST_ROLE_CHARS = 10
_GAPS = "\u00a0\u1680\u202f\u205f\u3000\u2800\uff03\ufe5f"
_RULES = ("=", "-")
_MOST_SIGNS = 2
_LONG_CHARS = 1000
_LEAST_OF_A_RULE = 3
_LONGEST_FENCE_CHARS = 4000
"""A longer block may be split among texts for a host: then what is in its second half would be out of its fence."""
_DEEPEST_CLOSER = 3
_FENCES = ("```", "~~~")


def text(content: str, *, own: bool = False) -> str:
    """Return several lines of inset Markdown escaped, except inside fences that are plainly closed.

    A bold field such as `**Model:**` stays as it is in an `own` file: one about the agent or its user.
    """
    parts = blocks(content) if has_fence(content) else [(content, False)]
    made = "".join(_code(block) if is_fenced else lines(block, own=own) for block, is_fenced in parts)
    return _with_rules(content, made) if "\n---" in content else made


def _with_rules(content: str, made: str) -> str:
    """Return the escaped text `made` with the `---` of `content` below empty lines, which underline nothing."""
    written, shown = content.split("\n"), made.split("\n")
    for at in range(1, len(written)):
        if written[at][:3] == "---" and not written[at].strip("-") and not written[at - 1].strip(" \t"):
            shown[at] = written[at]
    return "\n".join(shown)


def has_fence(content: str) -> bool:
    """Return whether a fence may begin in the inset `content`."""
    return "```" in content or "~~~" in content


def lines(content: str, *, quotes: bool = True, own: bool = False) -> str:
    """Return several inset lines, each escaped as if alone, to be put anywhere; no fence remains.

    Without `quotes`, `(via …)` origins are not escaped: the content was escaped before, and core/markdown/outside.py
    added these. `own`: see `text`.
    """

    def escape(match: Match[str]) -> str:
        is_origin = not quotes and match.lastgroup == "origin"
        is_field = own and match.lastgroup == "role" and match[0].startswith("**")
        return match[0] if is_origin or is_field else _escaped(match)

    made = "\n".join([_line(line, escape) if _may_be_frame(line) else line for line in content.split("\n")])
    if len(made) > _LONG_CHARS:
        made = "\n".join(line if len(line) <= _LONG_CHARS else _long(line) for line in made.split("\n"))
    return inline(made)


def _line(line: str, escape: Callable[[Match[str]], str]) -> str:
    if len(line) >= _LEAST_OF_A_RULE and not line.strip("-"):
        return "*" * len(line)  # as `_escaped` has it, and so frequent that nothing is compiled for it
    return _LINE.compiled.sub(escape, line)


def _may_be_frame(line: str) -> bool:
    """Return whether _LINE may match a line. Few do, and to compile it takes longer than to read a day."""
    body = line.lstrip(" \t-*+>0123456789.)|_[]xX")
    first = body[:1]
    if first == "#":
        behind = body.lstrip("#")[:1]
        if len(body) - len(body.lstrip("#")) <= _MOST_SIGNS or _is_gap(behind):
            return True
    elif first and (first in "`~<(" or _is_gap(first)):
        return True
    ruled = line.lstrip(" \t>")
    if ruled[:1] in _RULES or _is_gap(ruled[:1]):
        behind = ruled.lstrip(ruled[:1]).strip(" \t")[:1]
        if not behind or _is_gap(behind) or _is_gap(ruled[:1]):
            return True
    named = line.lstrip(" \t>*_#")[:_LONGEST_ROLE_CHARS]
    return _is_gap(named[:1]) or named.casefold().replace("\u0131", "i").startswith(_SPOKEN)


def _is_gap(char: str) -> bool:
    """Return whether a character beyond ASCII is a blank, one that nobody sees, or a wide number sign."""
    return char > "\x7f" and (char in _GAPS or "\u2000" <= char <= "\u200a" or invisible.is_ignorable(char))


def inline(content: str) -> str:
    """Return text to be inset within a line: only tags and control words are escaped."""
    return _replaced(_TAG, content)


def _code(block: str) -> str:
    """Return a closed fence's content with only message ends and roles escaped."""
    return _replaced(_TAG_IN_CODE, block)


def _replaced(tags: Pattern, content: str) -> str:
    if "<" not in content and not _may_be_control(content):
        return content
    return tags.compiled.sub(lambda match: "&lt;" if match[0] == "<" else "&#91;", content)


def _may_be_control(content: str) -> bool:
    """Return whether a control word in brackets may stand in `content`: most brackets are links and boxes."""
    if "[" not in content:
        return False
    loud = content.upper()
    return any(f"{word}]" in loud for word in _CONTROL_ENDS)


def of_line(content: str) -> str:
    """Return a text to be inset on one line, made inert and escaped."""
    return inline(one_line(content))


def _long(line: str) -> str:
    """A line that may be split between two words, where another line begins then."""
    return _MIDDLE.compiled.sub(lambda match: "&lt;" if match[0] == "<" else f"\\{match[0]}", line)


def _escaped(match: Match[str]) -> str:
    kind = str(match.lastgroup)
    if kind == "block":
        return f"{match['around']}&lt;"
    if kind == "role":
        return f"{match[0]}\\"
    if kind == "origin" and ">" not in match["around"]:
        return match[0]
    start = match.start(kind) - match.start()
    if kind == "underline" and match[kind][0] == "-" and len(match[kind]) >= _LEAST_OF_A_RULE:
        return match[0][:start] + "*" * len(match[kind])  # a thematic break, whatever stands above it
    return f"{match[0][:start]}\\{match[0][start:]}"


def blocks(content: str) -> list[tuple[str, bool]]:
    """Return the parts of inset `content`, each with whether it is a fence that every reader closes alike."""
    pieces: list[tuple[str, bool]] = []
    parts = markdown.lines_of(content)
    offsets = [0, *accumulate(map(len, parts))]
    looked_at: dict[tuple[str, int, int], int] = {}
    at = start = 0
    while at < len(parts):
        end = _end(parts, offsets, at, looked_at) if has_fence(parts[at]) else 0
        if end:
            pieces += [("".join(parts[start:at]), False), ("".join(parts[at:end]), True)]
            start = end
        at = end or at + 1
    return [*pieces, ("".join(parts[start:]), False)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _end(content: list[str], offsets: list[int], at: int, looked_at: dict[tuple[str, int, int], int]) -> int:
    """The index behind the fence that line `at` opens and a line with the same indent closes, 0 without one.

    `looked_at` keeps how far nothing closes a fence of each kind, so that many that are open cost no more than one.
    """
    line = content[at]
    indent = _indent(line)
    body = line[indent:]
    char = body[:1]
    length = len(body) - len(body.lstrip(char)) if char else 0
    if body[:3] not in _FENCES or (char == "`" and "`" in body[length:]):
        return 0
    kind = char, length, indent
    place = max(at + 1, looked_at.get(kind, 0))
    end = 0
    while place < len(content):
        inner = content[place]
        size = offsets[place + 1] - offsets[at + 1]
        if size > _LONGEST_FENCE_CHARS or (inner.strip() and _indent(inner) < indent):
            break
        mark = inner.strip(" \n")
        if len(mark) >= length and mark == char * len(mark) and _indent(inner) <= _DEEPEST_CLOSER + indent:
            end = place + 1 if _indent(inner) == indent else 0
            break
        place += 1
    looked_at[kind] = place
    return end
