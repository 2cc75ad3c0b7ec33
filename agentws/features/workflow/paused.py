"""A workflow that waits for a person leaves its `with` block without an error."""

from __future__ import annotations


class Paused(BaseException):
    """Raised within a workflow where it cannot go on; its `with` block ends there. `except Exception` lets it through.

    `waits` says for what, `approval` is the id of the request, empty where there is none.
    """

    def __init__(self, waits: str, approval: str = "") -> None:
        super().__init__(waits)
        self.waits = waits
        self.approval = approval


class NotDoneType:
    """The type of `NOT_DONE`."""

    def __repr__(self) -> str:
        return "NOT_DONE"


NOT_DONE = NotDoneType()
"""What a function for `verify` returns where the step did not happen: it is run then."""
