"""Boot's text without the marks of its headings, for tests of what else it says."""

from __future__ import annotations

_NAMED = (" · headings up to Now end in", " · headings from here end in", " · mark")
_MARK = " maple"


def without(text: str) -> str:
    """`text` with each heading of agentws's own as it would be without its mark."""
    return "\n".join(_plain(line) if line.startswith(("# ", "## ")) else line for line in text.split("\n"))


def _plain(heading: str) -> str:
    """A heading that ends in no word of five letters has no mark."""
    heading, mark = heading[: -len(_MARK)], heading[-len(_MARK) :]
    if mark[0] != " " or not mark[1:].islower():
        return heading + mark
    for named in _NAMED:
        heading = heading.removesuffix(named)
    return heading
