"""exam --suggest: writes a first exam.toml from the identity files and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.audience import SHARED
from agentws.core.formats.documents import exam as _exam
from agentws.core.formats.documents.exam import Question, Table
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import markdown
from agentws.core.notes import reading, vocabulary
from agentws.core.notes.entry import Entry
from agentws.core.notes.vocabulary import Vocabulary
from agentws.core.stores import seals
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.exam import apply
from agentws.features.exam.apply import Exam


@dataclass(frozen=True, slots=True, repr=False)
class Suggestion(Result):
    """A suggested exam: its path, its `text` in TOML, and how it does at present."""

    path: str
    text: str
    exam: Exam
    dry_run: bool
    notices: list[str]


def suggest(stores: Stores, *, dry_run: bool = False) -> Suggestion:
    """Write a first exam.toml, with a question for the beginning of each identity file and for each rule.

    UsageError if there is an exam.toml, MissingFileError if no file has anything to ask about.
    """
    if not dry_run:
        stores.check_writable()
        stores.settle()
        if stores.files.exists(layout.EXAM):
            hint = "To see the suggestion: agentws exam --suggest --dry-run"
            raise UsageError(f"{layout.EXAM} already exists.", hint=hint)
    words = vocabulary.extended(stores.manifest.vocabulary)
    suggested = questions(list(_texts(stores)), words)
    if not suggested:
        says = f"Nothing to ask about in {', '.join(FILES)}."
        raise MissingFileError(says, hint="Write down who the agent is, or a [rule]; then repeat the command.")
    text = _exam.encode(suggested)
    if not dry_run:
        stores.apply(ChangeSet("exam --suggest", (Write(layout.EXAM, text.encode(), expects=ABSENT),)))
        stores.notices += seals.quietly(stores, due=True)
    done = apply.examined(stores, _exam.decode(text.encode(), where=layout.EXAM))
    return Suggestion(layout.EXAM, text, done, dry_run, done.notices)


def _texts(stores: Stores) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the files that exist; one that cannot be read becomes a notice."""
    for path in FILES:
        try:
            yield path, stores.files.read(stores.files.real(path)).decode("utf-8", "replace")
        except MissingFileError:
            continue
        except AgentwsError as error:
            stores.notices.append(error.notice)


_IDENTITY = (layout.SOUL, layout.IDENTITY, layout.USER, layout.AGENTS)
FILES = (*_IDENTITY, layout.MEMORY)
"""The files of which a first exam is made."""
_MOST_WORDS = 8
_MOST = 40
_RULE = "rule"


def questions(texts: Sequence[tuple[str, str]], words: Vocabulary) -> list[tuple[str, Question]]:
    """Return (comment, question) for each (path of FILES, text): boot must show its beginning and its rules.

    A shared audience must not see the beginning of USER.md. Of each entry the first words are asked for.
    """
    return list(_questions(texts, words))[:_MOST]


def _questions(texts: Sequence[tuple[str, str]], words: Vocabulary) -> Iterator[tuple[str, Question]]:
    for path, text in texts:
        entries = [entry for entry in reading.read(text, path=path, words=words) if _is_own(entry)]
        rules = [
            entry for entry in entries if entry.kind == _RULE or (path in _IDENTITY and words.has_rule(entry.said))
        ]
        beginning = entries[:1] if path in _IDENTITY else []
        for entry in dict.fromkeys([*beginning, *rules]):
            expression = _expression(entry)
            if not re.search(expression, text, re.MULTILINE):
                continue  # a mark inside the entry, which boot shows too
            yield f"{path}: {'a rule' if entry in rules else 'its beginning'}", Question(Table.MUST, expression)
            if path == layout.USER and entry in beginning:
                yield f"{path}: only for the main audience", Question(Table.MUST_NOT, expression, audience=SHARED)


def _is_own(entry: Entry) -> bool:
    is_label = entry.is_label or entry.said.endswith(":")  # a field without a value
    is_text = entry.form in (markdown.ITEM, markdown.PARAGRAPH) and bool(entry.said) and not is_label
    return is_text and not entry.src and not secrets.find(entry.text)


def _expression(entry: Entry) -> str:
    """Return an expression for the first words of an entry that matches across line breaks."""
    return r"\s+".join(map(re.escape, entry.said.split()[:_MOST_WORDS]))
