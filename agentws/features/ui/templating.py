"""Renders the templates: every text is escaped, after `visible` has masked its secrets."""

from __future__ import annotations

from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined

from agentws.core.formats import layout
from agentws.features.ui.page import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MORE = "<!-- more -->"


def link(page: str, /, **query: object) -> str:
    """Return the address of a page, relative to every other page."""
    given = {name: value for name, value in query.items() if value not in ("", None)}
    return f"{page}?{urlencode(given)}" if given else page


class Templates:
    """The templates of the pages. `link` makes the address of a page, `asset` that of a file of `static`.

    All pages have the values of `frame`, unless they are rendered with others.
    """

    def __init__(
        self,
        *,
        link: Callable[..., str] = link,
        asset: Callable[[str], str] = "static/{}".format,
        frame: Mapping[str, object] | None = None,
    ) -> None:
        self._environment = Environment(
            loader=PackageLoader("agentws.features.ui"),
            autoescape=True,
            finalize=lambda value: (
                visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
            ),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        usual: dict[str, object] = {"agent": "agentws", "page": None, "query": {}, "refreshed": {}, "notice": None}
        usual |= {"form_token": "", "is_read_only": True, "is_live": True}
        self._environment.globals.update(usual, **(frame or {}), link=link, asset=asset)
        self._environment.tests["document"] = layout.is_document

    def render(self, name: str, values: Mapping[str, object]) -> Iterator[str]:
        """Yield the page of a template: up to each `<!-- more -->`, behind which it may take its time, and the rest."""
        parts: list[str] = []
        for part in self._environment.get_template(f"{name}.html").generate(values):
            parts.append(part)
            if _MORE in part:
                yield "".join(parts)
                parts = []
        yield "".join(parts)
