"""The days around those that are folded: nothing of them is kept, but what comes up in them again is worth more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.operations.compact import inputs
from agentws.planning.compact.units import Day

if TYPE_CHECKING:
    from collections.abc import Collection

    from agentws.planning.compact.fold import Folder
    from agentws.storage.workspace.stores import Stores

_MOST_BEFORE = _MOST_AFTER = 20
"""So many logged days of each side tell what matters; more told no more, on real logs."""


def days(stores: Stores, found: Folder) -> list[Day]:
    """The nearest days before the newest that is folded, and after it, that are not folded now."""
    if not found.days:
        return []
    newest = max(day for day, _ in found.days)
    known = sorted(_known(stores, newest[:4], {one.path for _, one in found.days}))
    before = [each for each in known if each[0] <= newest][-_MOST_BEFORE:]
    after = [each for each in known if each[0] > newest][:_MOST_AFTER]
    return [Day(path, day, text) for day, path in (*before, *after) if (text := _text(stores, path))]


def _known(stores: Stores, year: str, due: Collection[str]) -> set[tuple[str, str]]:
    """(day, path) of each day that lies in `memory/`, or in the archive of that year and the one before."""
    folders = [layout.DAYS, f"{layout.ARCHIVE}/{year}", f"{layout.ARCHIVE}/{int(year) - 1:04d}"]
    paths = [f"{folder}/{name}" for folder in folders for name in stores.files.listing(folder)]
    days_of = ((layout.day_of(path.rpartition("/")[2]), path) for path in paths if path not in due)
    return {(day, path) for day, path in days_of if day}


def _text(stores: Stores, path: str) -> str:
    try:
        return inputs.document(stores, path).text
    except (UnsafeFileError, TooLargeError):
        return ""
