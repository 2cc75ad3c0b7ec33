"""Boot's preset for a host: the files that the host loads itself, and its limits for texts."""

from __future__ import annotations

from agentws import features
from agentws.core.disk.inspect import scan
from agentws.core.hosts import loading
from agentws.core.notes import request
from agentws.core.notes.request import Omission
from agentws.core.text import sizes
from agentws.errors import UsageError
from agentws.features.boot.plan import fit_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.notes.request import Request
    from agentws.core.ports import TokenCounter
    from agentws.core.stores.stores import Stores
    from agentws.features.boot.plan.assemble import Context
    from agentws.features.boot.reading import Reading
    from agentws.features.boot.result import BootOptions

_LEAST_ROOM = 2_000
"""Where a host's own files leave less than this, boot takes it all the same: an agent must be able to start."""


class Preset:
    """The preset of one boot: applied to the files that were read, then used to fit the request.

    `tokenizer` is the host's default; `says` is added to the line with the date; `recorded` is what the host records by
    itself, None for nothing.
    """

    def __init__(self, stores: Stores, options: BootOptions) -> None:
        part = options.part
        if part is not None and options.host is None:
            raise UsageError("--part needs --for HOST.", hint="For example: --for claude-code")
        if part is not None and part < 1:
            raise UsageError(f"--part must be at least 1, not {part}.", hint="The first part: --part 1")
        self._part = part
        self._host = host(options.host or loading.PLAIN)
        self.recorded = self._host.recorded
        self.tokenizer = self._host.tokenizer
        self._limit = None if options.whole and part is None else self._host.cap
        folder = scan.Folder(stores.whole.files)
        self._loaded = loading.Loaded()
        if not options.elsewhere:
            self._loaded = loading.loaded(self._host, folder, shared=options.is_shared)
        self._cap: fit_host.Cap | None = None
        is_one = part is None and self._limit
        self.says = f" · in one text for {self._host.title}, at most {self._limit}" if is_one else ""

    def apply(self, reading: Reading, exact: Callable[[], TokenCounter]) -> None:
        """Leave out of boot what the host loads itself, and determine its limit for texts; `exact` makes a counter."""
        whole = self._loaded.whole
        there = [*(source.path for source in reading.sources), *(left.source for left in reading.unread)]
        reading.sources = [source for source in reading.sources if source.path not in whole]
        reading.unread = [left for left in reading.unread if left.source not in whole]
        why = f"loaded by {self._host.title} itself"
        reading.unread += [Omission(path, None, why, request.cat(path), cut=False) for path in there if path in whole]
        self._cap = self._learn_cap(exact, reading.notices)

    def fit(self, asked: Request) -> tuple[Context, list[str]]:
        """Return the best context for the host, and its texts if parts are requested."""
        if self._part is None:
            return fit_host.in_one(asked, self._cap), []
        return fit_host.in_parts(asked, self._cap)

    def _learn_cap(self, exact: Callable[[], TokenCounter], notices: list[str]) -> fit_host.Cap | None:
        """Return the host's limit for a text, None if it has none."""
        cap = self._limit
        if cap is None:
            return None
        if cap.unit == loading.TOKENS:
            counter, quarters = exact(), loading.BYTES_PER_TOKEN
            # In quarters of a token. The host estimates by bytes; true ones are what its model has room for.
            return fit_host.Cap(
                cap.most * quarters, lambda text: max(sizes.utf8_bytes(text), quarters * counter.units(text))
            )
        in_all = cap.in_all and cap.in_all - self._loaded.size
        if cap.in_all and in_all < _LEAST_ROOM:
            in_all = _LEAST_ROOM
            notices.append(
                f"{self._host.title} loads at most {cap.in_all:,} {cap.unit} in all, which its own files use up."
            )
        return fit_host.Cap(cap.most, sizes.utf16_units, in_all=in_all)


def host(name: str) -> loading.Host:
    """Return the host that a boot's preset is for; UsageError lists the known hosts."""
    names = features.with_hooks()
    if name == loading.PLAIN:
        return loading.Host(recorded=None)
    if name not in names:
        raise UsageError(f"Unknown host: {name!r}.", hint=f"Choose one of: {', '.join((loading.PLAIN, *names))}.")
    return features.host(name)
