"""Finds pending approvals by the first bytes of their files: for boot, `todo` and `status`.

Whether an approval counts is decided by events and signatures (plan/standing.py).
"""

from __future__ import annotations

from datetime import datetime

from agentws.core.formats import layout
from agentws.core.formats.documents import document, fields
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.stores.stores import Stores

_HEAD_BYTES = 1 << 12
_PENDING, _APPROVED = b"\nstatus: pending\n", b"\nstatus: approved\n"


class Waiting:
    """The `paths` of pending approvals, when the first of them expires (`soonest`), and `odd` files.

    `granted` has for each approval with a yes that was not used when it expires, None for never.
    """

    __slots__ = ("granted", "odd", "paths", "soonest")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.granted: list[datetime | None] = []
        self.soonest: datetime | None = None
        self.odd: list[str] = []

    @property
    def count(self) -> int:
        """The number of pending approvals."""
        return len(self.paths)

    def __str__(self) -> str:
        """`2 approvals wait, the first until 2026-11-26 09:00`; empty for none."""
        if not self.count:
            return ""
        text = f"{self.count} approval{'s wait' if self.count > 1 else ' waits'}"
        first = ", the first" if self.count > 1 else ""
        return f"{text}{f'{first} until {self.soonest:%Y-%m-%d %H:%M}' if self.soonest else ''}"


def of(files: Files, paths: Sequence[str], now: datetime) -> Waiting:
    """Return the pending and the unused approvals in these files. Expired ones are left out."""
    result = Waiting()
    for path, is_pending, until in _open(files, paths, now, result.odd):
        if until is not None and until <= now:
            continue
        if not is_pending:
            result.granted.append(until)
            continue
        result.paths.append(path)
        if until is not None and (result.soonest is None or until < result.soonest):
            result.soonest = until
    return result


def _open(
    files: Files, paths: Sequence[str], now: datetime, odd: list[str]
) -> Iterator[tuple[str, bool, datetime | None]]:
    """Yield (path, whether it is pending, when it expires) of each file that says pending or approved."""
    for path in paths:
        try:
            data, _ = files.part(path, _HEAD_BYTES)
            if _PENDING in data or _APPROVED in data:
                expires = fields.text(document.decode(data, where=path), "expires")
                yield path, _PENDING in data, _moment(expires, now) if expires else None
        except (AgentwsError, ValueError, OverflowError) as error:
            odd.append(f"{path}: {error}")


def strange(stores: Stores) -> dict[str, str]:
    """Return the ids of the requests that only unknown writers made, each with its source; mostly nobody else wrote."""

    own = stores.installation()
    names = [name for name, kind in stores.whole.files.names(layout.JOURNAL) if kind == "folder"]
    if not names or (own is not None and names == [own.writer]):
        return {}
    from agentws.features.approvals import approval_events

    return approval_events.strange(stores)


def theirs(waiting: Waiting, strange: Collection[str]) -> str:
    """Return in words how many pending approvals are among the ids of those that unknown writers asked; or empty."""
    count = sum(path.rpartition("/")[2].removesuffix(".md") in strange for path in waiting.paths)
    return f", {count} from a writer not vouched for" if count else ""


def has_expired(files: Files, paths: Sequence[str], now: datetime) -> bool:
    """Return whether a file still says pending or approved although its approval has expired."""
    # A listing reports a file that cannot be read.
    return any(until is not None and until <= now for _, _, until in _open(files, paths, now, []))


def _moment(text: str, now: datetime) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no zone")
    return moment.astimezone(now.tzinfo)
