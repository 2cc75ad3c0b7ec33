"""schedule remove: a job of this workspace does not run by itself any more."""

from __future__ import annotations

from agentws.errors import OutsideProgramError
from agentws.operations.schedule import present as looking
from agentws.operations.schedule import steps as carrying
from agentws.operations.schedule.result import Scheduled
from agentws.planning.schedule import change, jobs
from agentws.storage.system import cron

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_ON_THE_HOST = "This is a container: a line in its host's crontab is taken out there. It ends in: {}"


def remove(stores: Stores, job: str, *, config: str | None = None, dry_run: bool = False) -> Scheduled:
    """Take `job` out of the crontab and of systemd, and leave all else there as it is, byte for byte.

    `config` is the folder for the user's settings. UsageError, OutsideProgramError, what `check_adopted` raises.
    """
    known = jobs.named(job)
    agent = looking.agent(stores)
    present, notices = looking.around(known, agent, config, needs_crontab=False)
    steps = change.remove(present, known, agent)
    if not steps and notices:
        raise OutsideProgramError(notices[0], hint="Whether a line of ours stands there is not known.")
    if cron.in_container(stores.environment.container):
        notices = (*notices, _ON_THE_HOST.format(f"# agentws schedule {job} {agent}"))
    planned = Scheduled(job, agent, None, steps=steps, notices=(*stores.notices, *notices))
    return planned if dry_run else carrying.carry_out(stores, planned, config=config)
