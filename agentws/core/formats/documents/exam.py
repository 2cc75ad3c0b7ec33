"""The file `exam.toml`: questions to boot and search, with what the answer must or must not contain. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agentws.core.formats import toml_edit
from agentws.core.formats.audience import AUDIENCES, MAIN
from agentws.errors import DamagedError

MOST_BYTES = 1 << 16
MOST_EXPRESSION_CHARS = 1000


class Table(StrEnum):
    """The two tables of an exam: the answer has to match, or may not."""

    MUST = "must"
    MUST_NOT = "must_not"


_KEYS = ("boot", "search", "expect", "audience", "budget")
_HEADER = re.compile(r"\s*\[\[\s*(must|must_not)\s*\]\]")
_LEAST_BUDGET = 1
_HINT = "Correct the file. Its keys: agentws docs format/exam"


@dataclass(frozen=True, slots=True)
class Question:
    """A question of an exam.

    Fields:
        table: `must` if the answer has to match `expect`, `must_not` if it may not.
        search: the question to search; empty if the answer is boot's text.
        expect: a regular expression, for `re.search` with `re.MULTILINE`.
        audience: `main` or `shared`.
        budget: tokens of the answer; None for the usual ones.
        line: the 1-based line of its table in the file; 0 if unknown.
    """

    table: Table
    expect: str
    search: str = ""
    audience: str = MAIN
    budget: int | None = None
    line: int = 0


def decode(data: bytes, *, where: str) -> list[Question]:
    """Return the questions of an exam in the order of the file; DamagedError names file and line of an error.

    Whether an expression is valid is known when it is matched: compiling one may take as long as matching.
    """
    if len(data) > MOST_BYTES:
        raise DamagedError(f"{where}: larger than {MOST_BYTES >> 10} KiB.", hint="Remove questions.")
    try:
        text = data.decode("utf-8-sig")
        tables = toml_edit.table(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DamagedError(f"{where}:{line}: not UTF-8.", hint=_HINT) from error
    except ValueError as error:
        at = re.search(r"\(at line (\d+)", str(error))
        place = f"{where}:{at[1]}" if at else where
        raise DamagedError(f"{place}: {str(error).partition(' (at ')[0]}.", hint=_HINT) from error
    lines = [(match[1], number) for number, line in enumerate(text.split("\n"), 1) if (match := _HEADER.match(line))]
    if unknown := [name for name in tables if name not in list(Table)]:
        line = toml_edit.line_of(text, unknown[0])
        raise DamagedError(f"{where}:{line}: {unknown[0]!r} is unknown: use [[must]] and [[must_not]].", hint=_HINT)
    questions: list[Question] = []
    for table in Table:
        starts = [line for name, line in lines if name == table]
        entries = tables.get(table, [])
        if not isinstance(entries, list):
            raise DamagedError(f"{where}: write [[{table}]], with two brackets.", hint=_HINT)
        if len(starts) != len(entries):  # such a line in a long text, or tables in one line
            starts = [0] * len(entries)
        questions += (_question(table, entry, where, line) for entry, line in zip(entries, starts, strict=True))
    if not questions:
        raise DamagedError(f"{where}: no [[must]] and no [[must_not]].", hint=_HINT)
    return sorted(questions, key=lambda question: question.line)


def damage(table: Table, place: str, says: str) -> DamagedError:
    """Return the error in a question whose table is at `place`, as in `exam.toml:3`."""
    return DamagedError(f"{place}: [[{table}]]: {says}", hint=_HINT)


def _question(table: Table, entry: object, where: str, line: int) -> Question:
    """Return the question in one table; DamagedError names the table's line."""
    place = f"{where}:{line}" if line else where

    def damaged(says: str) -> DamagedError:
        return damage(table, place, says)

    if not isinstance(entry, dict):
        raise damaged("not a table.")
    if unknown := [key for key in entry if key not in _KEYS]:
        raise damaged(f"{unknown[0]!r} is unknown: use {', '.join(_KEYS)}.")
    if ("boot" in entry) == ("search" in entry):
        raise damaged("needs either `boot` or `search`.")
    if "boot" in entry and "expect" in entry:
        raise damaged("`boot` is the expression itself: leave out `expect`.")
    if "search" in entry and "expect" not in entry:
        raise damaged("`search` needs `expect`.")
    for key in ("boot", "search", "expect", "audience"):
        if not isinstance(value := entry.get(key, "text"), str):
            raise damaged(f"`{key}` must be a text in quotes.")
        if not value:
            raise damaged(f"`{key}` is empty.")
    budget = entry.get("budget")
    if budget is not None and (not isinstance(budget, int) or isinstance(budget, bool) or budget < _LEAST_BUDGET):
        raise damaged("`budget` must be a number of tokens.")
    if entry.get("audience", MAIN) not in AUDIENCES:
        raise damaged(f"`audience` must be one of: {', '.join(AUDIENCES)}.")
    expect = entry.get("boot") or entry["expect"]
    if len(expect) > MOST_EXPRESSION_CHARS:
        raise damaged(f"an expression may have {MOST_EXPRESSION_CHARS:,} characters, this one has {len(expect):,}.")
    return Question(table, expect, entry.get("search", ""), entry.get("audience", MAIN), budget, line)


def encode(questions: Iterable[tuple[str, Question]]) -> str:
    """Return the text of a file with these questions, each below its comment."""
    parts = [_BEGINNING]
    for comment, question in questions:
        fields: Mapping[str, str | int | None] = {
            "search": question.search or None,
            "expect" if question.search else "boot": question.expect,
            "audience": question.audience if question.audience != MAIN else None,
            "budget": question.budget,
        }
        lines = [f"{key} = {_literal(value)}" for key, value in fields.items() if value is not None]
        parts.append("\n".join([f"# {comment}", f"[[{question.table}]]", *lines, ""]))
    return "\n".join(parts)


_BEGINNING = """\
# What boot and search must show of this agent, checked by: agentws exam
# The keys: agentws docs format/exam
"""


def _literal(value: str | int) -> str:
    """Return a value as TOML has it; a text in single quotes if possible: no backslash is doubled then."""
    if isinstance(value, str) and value.isprintable() and "'" not in value:
        return f"'{value}'"
    return toml_edit.literal(value)
