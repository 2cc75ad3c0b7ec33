"""The deadline of a hook: `Within` interrupts its block when the host stops waiting, at any point of the code.

Every write is made so that it may be killed at any moment; an interruption does no more harm.
"""

from __future__ import annotations

# The signal module makes enumerations of its functions' results, which costs a fourth of a start.
try:
    import _signal as signal  # type: ignore[import-not-found]
except ImportError:
    import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class OutOfTime(BaseException):
    """The deadline has passed. Like KeyboardInterrupt it is no Exception, so that ordinary handlers do not catch it."""


class Within:
    """A deadline as a `with` block: OutOfTime interrupts it after `seconds`; a nested one not later than the outer."""

    __slots__ = ("_before", "_outer_s", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._outer_s = 0.0
        self._before: object = None

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGALRM, _leave)
        self._outer_s = signal.setitimer(signal.ITIMER_REAL, self._seconds)[0]
        if 0 < self._outer_s < self._seconds:
            self._seconds = self._outer_s
            signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        left_s = signal.setitimer(signal.ITIMER_REAL, 0)[0]
        if self._before is not None:  # None if the handler was not set by Python
            signal.signal(signal.SIGALRM, self._before)
        if self._outer_s:
            signal.setitimer(signal.ITIMER_REAL, max(_SHORTEST_S, self._outer_s - self._seconds + left_s))


_SHORTEST_S = 0.001


def _leave(_number: int, _frame: object) -> None:
    raise OutOfTime
