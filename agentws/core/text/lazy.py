"""Lazy regular expressions, compiled when first needed.

Compiling one takes as long as reading a file, most starts need few of them, and a start should be as fast as a shell
prompt.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match, Pattern as Compiled


class Pattern:
    """A lazy regular expression, compiled on first use; flags of `re` by name: `Pattern(r"todo", "IGNORECASE")`."""

    def __init__(self, source: str, *flags: str) -> None:
        self._source = source
        self._flags = flags
        self._compiled: Compiled[str] | None = None

    @property
    def compiled(self) -> Compiled[str]:
        """The lazy expression, compiled."""
        if self._compiled is None:
            import re

            flags = 0
            for name in self._flags:
                flags |= re.RegexFlag[name]
            self._compiled = re.compile(self._source, flags)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int | None = None) -> Match[str] | None:
        """Return the lazy pattern's first match in `text[start:end]`."""
        return self.compiled.search(text, start, len(text) if end is None else end)

    def match(self, text: str) -> Match[str] | None:
        """Return the lazy pattern's match at the beginning of `text`."""
        return self.compiled.match(text)

    def findall(self, text: str) -> list[str]:
        """Return every match of the lazy pattern in `text`; it has at most one group."""
        return self.compiled.findall(text)

    def sub(self, new: str, text: str, count: int = 0) -> str:
        """Return `text` with every match (or the first `count`) of the lazy pattern replaced by `new`."""
        return self.compiled.sub(new, text, count)
