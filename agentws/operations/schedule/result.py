"""What `schedule install` and `schedule remove` give: what is done, or would be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agentws.planning.schedule.change import Change, Steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A job and its `place`: `crontab`, `systemd` or `print`; None where it was taken out.

    `when` is said in the place's own words, `next` is None where it cannot be known here. `line` is what a person has
    to put into a crontab, None where nobody has to; `by_hand` is True where no better place was found. `steps` is
    what has to be done, `done` is True once it is.
    """

    job: str
    agent: str
    place: str | None
    when: str | None = None
    next: datetime | None = None
    command: str | None = None
    line: str | None = None
    by_hand: bool = False
    steps: Steps = ()
    done: bool = False
    notices: tuple[str, ...] = field(default=())

    @property
    def changes(self) -> tuple[Change, ...]:
        """The texts that change, with how they were."""
        return tuple(step for step in self.steps if isinstance(step, Change))

    def carried_out(self) -> Scheduled:
        """The same, done."""
        return replace(self, done=True)
