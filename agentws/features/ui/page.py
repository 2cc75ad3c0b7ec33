"""What a page is: its view, its actions, and the notice that an action leaves."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.core.formats import digest
from agentws.core.formats.secrets import secrets
from agentws.core.text.sanitize import inert
from agentws.errors import ChangedUnderneathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.errors import AgentwsError
    from agentws.workspace import Workspace


_TYPED = ("text", "edit", "message", "signature")
"""The fields of forms in which a person writes more than a word."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above a page: what was done, or an error with its remedy and what the person `typed` in the form."""

    text: str
    hint: str = ""
    is_error: bool = False
    typed: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: AgentwsError, form: Query | None = None) -> Notice:
        """Return the notice of an error, with the texts of the form that it refused."""
        typed = tuple(text for name in _TYPED if (text := (form or {}).get(name, "").strip()))
        return cls(error.message, error.hint or "", is_error=True, typed=typed)


def visible(text: str) -> str:
    """Return a text as every page shows it: secrets are masked, characters that hide or reorder text are codes."""
    return inert(secrets.hide(text)[0])


def seen(statement: str) -> str:
    """Return the mark of a statement that a page shows: its form sends it back."""
    return digest.quick(statement.encode("utf-8", "surrogateescape"))


def check_seen(statement: str, form: Query, what: str) -> None:
    """Raise ChangedUnderneathError if a statement is no longer the one that the page of a form showed."""
    if seen(statement) != form.get("seen"):
        raise ChangedUnderneathError(
            f"{what} was edited after it was shown. Nothing was decided.", hint="Read it again below."
        )


if TYPE_CHECKING:
    Query = Mapping[str, str]
    View = Callable[[Workspace, Query], Mapping[str, object]]
    Action = Callable[[Workspace, Query], Notice]


def number(query: Query, name: str, usual: int, *, least: int = 1, most: int) -> int:
    """Return a number of the query within these bounds; `usual` for anything else that a person typed."""
    text = query.get(name, "")
    return max(least, min(most, int(text))) if text.isascii() and text.isdigit() and len(text) < 10 else usual


def changed(form: Query) -> int:
    """Return the number of the change that a form of undo names; one that no change has if it names none."""
    return number(form, "number", -1, most=1 << 31)


def only_first(query: Query, since: str) -> Query | None:
    """Return the query of a page that an export has once, whatever its first day: without a query."""
    return None if query else query


def all_once(query: Query, since: str) -> Query | None:
    """Return the query of a page that an export has once, with all of its rows."""
    return None if query else {"all": "1"}


def never(query: Query, since: str) -> Query | None:
    """Return None: an export does not have the page."""
    return None


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `view` reads the values of the template `NAME.html`; `actions` are what its buttons do, by name.

    A view gets the query of the address, an action the fields of the form. Both may raise AgentwsError. A page that is
    not `in_menu` is reached by links.

    `exported` is asked for each link in an export, with its query and the first day (ISO, empty: all). It returns the
    query with which the export has that page, None if it does not have it: the link is then text.
    """

    name: str
    title: str
    view: View
    actions: Mapping[str, Action] = field(default_factory=dict)
    in_menu: bool = True
    exported: Callable[[Query, str], Query | None] = only_first
