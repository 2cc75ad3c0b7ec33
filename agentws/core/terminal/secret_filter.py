"""Hides secrets in printed output, by the same rules as writing, history, boot and compaction."""

from __future__ import annotations

from agentws.core.formats.secrets import secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class SecretFilter:
    """Hides secrets in texts and JSON values before printing, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def text(self, text: str) -> str:
        """Return `text` with a placeholder for each secret."""
        shown, count = secrets.hide(text)
        self.count += count
        return shown

    def value(self, value: Any) -> Any:
        """Return a JSON value with a placeholder for each secret in its texts."""
        # One look at all of them together: a list may have many thousands, and nearly always none is a secret.
        together = "\n".join(texts(value))
        return self._hidden(value) if secrets.MASKED in together or secrets.find(together) else value

    def notice(self) -> str:
        """Return a notice with the number of secrets that the filter hid from output, empty without any."""
        if not self.count:
            return ""
        name = "1 possible secret was"
        many = f"{self.count} possible secrets were" if self.count > 1 else name
        return f"{many} masked in this output, but not in the files. Move real secrets to a secret store."

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._hidden(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._hidden(item) for item in value]
        return value


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a value, as deep as it may be."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += item
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
