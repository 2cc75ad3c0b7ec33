"""exam: asks boot and search the questions of exam.toml, and compares the answers. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents import exam as _exam
from agentws.core.formats.documents.exam import Question
from agentws.core.formats.secrets import secrets
from agentws.core.stores.stores import Stores
from agentws.core.text import sanitize
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.boot.apply import boot
from agentws.features.exam import matcher
from agentws.features.search.search import search

_MOST_CHARS = 100


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Result):
    """The answer to a question of the exam: whether it `passed`, and `says`, why not (empty if it did)."""

    question: Question
    passed: bool
    says: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Exam(Result):
    """The result of an exam: its file's path in the workspace, an answer for each question, and notices."""

    path: str
    answers: Sequence[Answer]
    notices: list[str]

    @property
    def failed(self) -> list[Answer]:
        """The answers that did not pass, in the order of the file."""
        return [answer for answer in self.answers if not answer.passed]

    @property
    def well(self) -> bool:
        """Return whether every question passed."""
        return not self.failed


def exam(stores: Stores) -> Exam:
    """Return the answers of boot and search to the questions of exam.toml.

    MissingFileError without the file; DamagedError with file and line for bad TOML or a bad regular expression.
    """
    try:
        data = stores.files.read(layout.EXAM, limit_bytes=_exam.MOST_BYTES + 1)
    except MissingFileError:
        hint = "To write a first one: agentws exam --suggest"
        raise MissingFileError(f"{layout.EXAM} does not exist.", hint=hint) from None
    return examined(stores, _exam.decode(data, where=layout.EXAM))


def examined(stores: Stores, questions: Sequence[Question]) -> Exam:
    """Return the answers of boot and search to these questions of an exam."""
    asked: dict[tuple[str, str, int | None], list[tuple[str, str]] | AgentwsError] = {}
    for question in questions:
        key = question.search, question.audience, question.budget
        if key not in asked:
            try:
                asked[key] = _texts(stores, question)
            except AgentwsError as error:
                asked[key] = error
    texts = [asked[question.search, question.audience, question.budget] for question in questions]
    wanted = [
        (question.expect, [] if isinstance(answer, AgentwsError) else [text for _, text in answer])
        for question, answer in zip(questions, texts, strict=True)
    ]
    matches = []
    for question, match in zip(questions, matcher.first_matches(wanted), strict=True):
        if isinstance(match, str):
            place = f"{layout.EXAM}:{question.line}" if question.line else layout.EXAM
            raise _exam.damage(question.table, place, f"{question.expect!r} is not a regular expression: {match}.")
        matches.append(match)
    answers = [_judged(*each) for each in zip(questions, texts, matches, strict=True)]
    return Exam(layout.EXAM, answers, list(dict.fromkeys(stores.notices)))


def _texts(stores: Stores, question: Question) -> list[tuple[str, str]]:
    """Return (place, text) of boot, or of each hit of a search."""
    if not question.search:
        return [("boot", boot(stores, budget=question.budget, audience=question.audience).text)]
    result = search(stores, question.search, budget=question.budget, audience=question.audience)
    return [(f"{hit.path}:{hit.line}", hit.unit.text) for hit in result]


def _judged(question: Question, texts: list[tuple[str, str]] | AgentwsError, match: int | None) -> Answer:
    """Return the answer to a question, from the number of the text that matched."""
    if isinstance(texts, AgentwsError):
        return Answer(question, passed=False, says=texts.notice)
    if match is None:
        seconds = f"{matcher.MOST_SECONDS:g} s"
        return Answer(
            question, passed=False, says=f"It or those before it took too long ({seconds} each): simplify them."
        )
    if (match >= 0) == (question.table == _exam.Table.MUST):
        return Answer(question, passed=True)
    if match >= 0:
        return Answer(question, passed=False, says=f"{texts[match][0]} matches {_short(question.expect)}.")
    source = f"none of {len(texts)} hits matches" if question.search else "boot does not match"
    return Answer(question, passed=False, says=f"{source} {_short(question.expect)}.")


def _short(expression: str) -> str:
    shown = sanitize.one_line(secrets.hide(expression)[0])
    return shown if len(shown) <= _MOST_CHARS else f"{shown[: _MOST_CHARS - 1]}…"
