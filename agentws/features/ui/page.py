"""What a page is: its view, its actions, and the notice that an action leaves."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentws.errors import AgentwsError
    from agentws.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence above a page: what was done, or an error with its remedy."""

    text: str
    hint: str = ""
    is_error: bool = False

    @classmethod
    def of(cls, error: AgentwsError) -> Notice:
        """Return the notice of an error."""
        return cls(error.message, error.hint or "", is_error=True)


if TYPE_CHECKING:
    Query = Mapping[str, str]
    View = Callable[[Workspace, Query], Mapping[str, object]]
    Action = Callable[[Workspace, Query], Notice]


def number(query: Query, name: str, usual: int, *, least: int = 1, most: int) -> int:
    """Return a number of the query within these bounds; `usual` for anything else that a person typed."""
    text = query.get(name, "")
    return max(least, min(most, int(text))) if text.isascii() and text.isdigit() and len(text) < 10 else usual


def only_first(query: Query, since: str) -> Query | None:
    """Return the query of a page that an export has once, whatever its first day: without a query."""
    return None if query else query


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
