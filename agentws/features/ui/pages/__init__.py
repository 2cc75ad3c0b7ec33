"""The pages, in the order of the menu. Each is a module here and a template of the same name."""

from __future__ import annotations

from agentws.features.ui.pages import boot, copies, fleet, history, journal, memory, search, text, then, time, today

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.ui.page import Page

PAGES: tuple[Page, ...] = tuple(
    page.PAGE for page in (today, boot, memory, time, search, journal, history, copies, text, then, fleet)
)
