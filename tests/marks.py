"""Boot's text without the marks of its headings, for tests of what else it says."""

from __future__ import annotations

_MARK = " [maple]"


def without(text: str) -> str:
    """`text` with each heading of agentws's own as it would be without its mark."""
    return "\n".join(_plain(line) if line.startswith(("# ", "## ")) else line for line in text.split("\n"))


def _plain(heading: str) -> str:
    """A heading that ends in no word of five letters in brackets has no mark."""
    words, mark = heading[: -len(_MARK)], heading[-len(_MARK) :]
    return words if mark[:2] == " [" and mark[-1:] == "]" and mark[2:-1].islower() else heading
