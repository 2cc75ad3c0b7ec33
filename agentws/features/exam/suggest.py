"""exam --suggest: writes a first exam.toml from the identity files and rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentws.changes import ABSENT, ChangeSet, Write
from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.documents import exam as _exam
from agentws.core.notes import vocabulary
from agentws.core.stores import seals
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.exam import apply
from agentws.features.exam.apply import Exam
from agentws.features.exam.plan import suggestion


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
    suggested = suggestion.questions(list(_texts(stores)), words)
    if not suggested:
        says = f"Nothing to ask about in {', '.join(suggestion.FILES)}."
        raise MissingFileError(says, hint="Write down who the agent is, or a [rule]; then repeat the command.")
    text = _exam.encode(suggested)
    if not dry_run:
        stores.apply(ChangeSet("exam --suggest", (Write(layout.EXAM, text.encode(), expects=ABSENT),)))
        stores.notices += seals.quietly(stores, due=True)
    done = apply.examined(stores, _exam.decode(text.encode(), where=layout.EXAM))
    return Suggestion(layout.EXAM, text, done, dry_run, done.notices)


def _texts(stores: Stores) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the files that exist; one that cannot be read becomes a notice."""
    for path in suggestion.FILES:
        try:
            yield path, stores.files.read(stores.files.real(path)).decode("utf-8", "replace")
        except MissingFileError:
            continue
        except AgentwsError as error:
            stores.notices.append(error.notice)
