"""migrate --from: take an agent that waits in a git repository, verify it, and put it into its folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from agentws.core.disk import clock, files
from agentws.core.environment import Environment
from agentws.core.formats.travel import inventory, parcel
from agentws.core.formats.travel.inventory import FILE, LINK, Delta
from agentws.core.identity import arrival
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DamagedError,
    MayNotWriteError,
    NeedsYouError,
    UsageError,
)
from agentws.features.copies.migrate import arrival as _arrival
from agentws.features.copies.migrate.arrival import Migrated
from agentws.features.copies.migrate.migrate import absolute
from agentws.features.copies.migrate.plan import destination, next_step
from agentws.features.copies.migrate.plan.destination import Destination
from agentws.features.copies.migrate.plan.next_step import There
from agentws.features.copies.migrate.store import unpack
from agentws.features.copies.migrate.store.unpack import Waiting
from agentws.features.copies.transfer import verified_copy
from agentws.features.copies.transfer.transport import Local
from agentws.features.copies.transfer.verified_copy import Progress

PLANNED, ARRIVED, ALREADY = "planned", "arrived", "already"
_ROUNDS = 3


def take(
    path: str,
    url: str,
    *,
    environment: Environment,
    code: str = "",
    unsigned: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Migrated:
    """Take the agent that waits at `url` (`#ID` selects one of several) to the folder `path` of this machine.

    With `code`, its code must be the one shown at the source; an unsigned one is taken only with `unsigned`. After an
    interruption, the same call resumes. OutsideProgramError if git fails, UsageError for a wrong `url`, code or folder,
    DamagedError if the parcel is incomplete, was changed or has another code, NeedsYouError if nothing waits or it is
    unsigned, MayNotWriteError if another machine takes it.
    """
    if code and not parcel.is_code(code):
        raise UsageError(f"{code[:80]!r} is not a code.", hint="A code has eight letters and digits: --code 7Q2M-X4DK")
    goal = destination.parse(path, destination.COPY, absolute=absolute)
    name, migration = _named(url)
    source = destination.repository(name, absolute=absolute)
    with closing(unpack.Waiting(source.path, migration)) as waiting, verified_copy.reach() as local:
        taking = _Taking(goal, source, waiting, local, environment, progress)  # type: ignore[arg-type]
        taking.code, taking.unsigned = code, unsigned
        return taking.plan() if dry_run else taking.run()


def _named(url: str) -> tuple[str, str]:
    """Split `url` into the repository and the migration id after the last `#` (empty if there is none).

    UsageError for an invalid id, since it becomes part of a folder name here.
    """
    name, mark, migration = url.rpartition("#")
    if not mark:
        return url, ""
    if migration and not parcel.is_id(migration):
        raise UsageError(
            f"{migration[:200]!r} behind the # is not a migration id (eight of 0-9 and a-f).",
            hint="Write --from URL#ID, such as URL#0a1b2c3d. If the URL itself contains #, append another #.",
        )
    return name, migration


class _Taking:
    def __init__(
        self,
        goal: Destination,
        source: Destination,
        waiting: Waiting,
        local: Local,
        environment: Environment,
        progress: Progress | None,
    ) -> None:
        self._goal = goal
        self._source = source
        self._waiting = waiting
        self._local = local
        self._copying = verified_copy.VerifiedCopy(waiting, local, progress)
        self._environment = environment
        self._notices: list[str] = []
        self.code = ""
        self.unsigned = False

    def plan(self) -> Migrated:
        """Return what would be taken, without changing anything."""
        there = self._look(gone=lambda: False)
        if there is None:
            return self._migrated(ALREADY)
        self._copying.look()
        delta = self._copying.compare()
        return self._sent(PLANNED, delta, there)

    def run(self) -> Migrated:
        """Carry out the remaining steps of taking the agent."""
        # What was given up where it comes from can never be put in place here.
        there = self._look(gone=self._local.abandon)
        if there is None:
            self._place()  # whoever put it there may have been killed before its name was durable
            self._remove()
            return self._migrated(ALREADY)
        self._local.prepare("1")
        secret = self._announce()
        sent = self._unpack()
        self._claim(there, secret)
        placed = self._place()
        self._remove()
        booted = _arrival.boot(self._local, self._notices)
        return replace(self._sent(ARRIVED, sent, there), aside=placed["aside"], booted=booted)

    def _look(self, *, gone: Callable[[], bool]) -> There | None:
        """Return the state of the destination folder; None if the agent has arrived there already."""
        waiting = self._waiting
        if not waiting.is_there and not waiting.migration:
            known = arrival.through(self._goal.path, waiting.url)
            waiting.migration = known if parcel.is_id(known) else ""
        there = There(self._local.inspect(self._goal.path, waiting.migration or "0" * 8))
        if waiting.migration and there.arrived == waiting.migration:
            return None
        if not waiting.is_there:
            if there.waiting:
                gone()
            raise NeedsYouError(
                f"No agent waits at {waiting.url}.",
                hint=f"At the source: agentws migrate {waiting.url} --via git. Then re-run this command.",
            )
        waiting.fetch()
        self._check(there)
        return there

    def _check(self, there: There) -> None:
        waiting = self._waiting
        if self.code and not parcel.is_same(waiting.code, self.code):
            raise DamagedError(
                f"The agent at {waiting.url} has the code {waiting.code}, not {self.code}.",
                hint="The waiting copy is not the one that was sent. Cancel at the source: agentws migrate --abort",
            )
        if waiting.unsigned and not self.unsigned:
            raise NeedsYouError(
                f"The agent at {waiting.url} was not taken. {waiting.unsigned}",
                hint=f"If you know the sender and the source shows the code {waiting.code}, add --unsigned.",
            )
        wanted = waiting.scan()
        wrong = next_step.refusal(there, str(self._waiting.told["agent"]))
        if wrong is None and not there.waiting:
            wrong = next_step.lacks_room(there, bytes=inventory.needed_bytes(wanted), files=len(wanted))
        if wrong is not None:
            raise wrong
        if waiting.signer and not self.code and there.stands == "workspace" and not waiting.is_known(there.path):
            raise NeedsYouError(
                f"The signing key is not vouched for by any writer known at {there.path}.",
                hint="Compare the code with the one shown at the source, then add: --code CODE",
            )

    def _announce(self) -> str:
        """Record in the copy its origin and the secret of its claim; return the secret, the same one at each try."""
        fields = {name: what for name, what in self._waiting.told.items() if name not in ("agent", "mode")}
        secret = arrival.claim(self._local.staging) or unpack.secret()
        self._local.record({**fields, "through": self._waiting.url, "claim": secret})
        return secret

    def _unpack(self) -> Delta:
        """Update the copy until a full comparison finds it equal to the parcel, and make it durable."""
        self._copying.look()
        first = delta = self._copying.compare()
        for _ in range(_ROUNDS):
            if not delta:
                break
            self._copying.carry(delta)
            delta = self._copying.compare()
        else:
            raise ChangedUnderneathError("The copy changes while being checked.", hint="Re-run the same command.")
        self._copying.settle()
        return first

    def _claim(self, there: There, secret: str) -> None:
        wrong = _arrival.is_ahead(there, files.Files(self._local.staging))
        if wrong is not None:
            raise wrong
        try:
            self._waiting.claim(secret)
        except MayNotWriteError:
            self._local.abandon()
            raise
        except ChangedUnderneathError as error:
            self._local.abandon()  # the claim is not ours, so this can never be put in place
            raise NeedsYouError(
                f"The agent no longer waits at {self._waiting.url}.",
                hint="The move was cancelled, or another machine took the agent. To see which, re-run the command.",
            ) from error

    def _place(self) -> dict[str, str]:
        mode = self._waiting.told.get("mode")
        return self._local.activate(mode & inventory.RIGHTS if isinstance(mode, int) else 0o700, self._stamp())

    def _remove(self) -> None:
        try:
            self._waiting.remove()
        except AgentwsError as error:
            self._notices.append(
                f"The agent is here; its copy in the repository {self._waiting.url} remains: {error.message}"
            )

    def _stamp(self) -> str:
        now = self._environment.now or clock.SystemClock("UTC").now()
        return "".join(char for char in now.isoformat(timespec="seconds") if char.isalnum())

    def _sent(self, state: str, delta: Delta, there: There) -> Migrated:
        resumes = bool(there.waiting)
        return replace(self._migrated(state), sent_files=delta.files, sent_bytes=delta.bytes, resumes=resumes)

    def _migrated(self, state: str) -> Migrated:
        entries = self._waiting.entries
        return Migrated(
            to=self._goal.path,
            via=destination.GIT,
            state=state,
            migration=self._waiting.migration,
            path=self._goal.path,
            host=str(self._waiting.told.get("from", "")),
            files=sum(entry.kind in (FILE, LINK) for entry in entries),
            bytes=sum(entry.size for entry in entries),
            notices=tuple(self._notices),
            through=self._waiting.url,
            stripped=tuple(self._waiting.stripped),
            runs=tuple(self._waiting.runs),
            signer=self._waiting.signer,
            code=self._waiting.code,
        )
