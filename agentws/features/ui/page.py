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
    View = Callable[[Workspace, Mapping[str, str]], Mapping[str, object]]
    Action = Callable[[Workspace, Mapping[str, str]], Notice]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `view` reads the values of the template `NAME.html`; `actions` are what its buttons do, by name.

    A view gets the query of the address, an action the fields of the form. Both may raise AgentwsError. A page that is
    not `in_menu` is reached by links.
    """

    name: str
    title: str
    view: View
    actions: Mapping[str, Action] = field(default_factory=dict)
    in_menu: bool = True
