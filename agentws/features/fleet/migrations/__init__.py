"""The migrations of the database: plain SQL in both directions, each applied in one transaction, in order."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from agentws.core.formats import digest
from agentws.errors import OutsideProgramError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.fleet.database import Database

_LOCK = 0x6167656E
"""Of `pg_advisory_xact_lock`: two migrations never run at once."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration: its number, its name, and the SQL of both directions."""

    number: int
    name: str
    up: str
    down: str

    @property
    def digest(self) -> str:
        """The digest that the database remembers: an applied migration must not change."""
        return digest.of(f"{self.up}\0{self.down}".encode())


@dataclass(frozen=True, slots=True)
class Migrated:
    """What was applied, upwards or downwards, in order; or would be."""

    applied: Sequence[Migration]
    before: int
    after: int


def every() -> list[Migration]:
    """Return all migrations of this version of agentws, in order."""
    folder = resources.files(__name__)
    names = sorted(entry.name.removesuffix(".up.sql") for entry in folder.iterdir() if entry.name.endswith(".up.sql"))
    texts = [[(folder / f"{name}.{way}.sql").read_text(encoding="utf-8") for way in ("up", "down")] for name in names]
    return [Migration(int(name[:4]), name[5:], up, down) for name, (up, down) in zip(names, texts, strict=True)]


def migrate(database: Database, to: int | None = None, *, is_dry: bool = False) -> Migrated:
    """Apply the missing migrations up to number `to` (default: all), or revert those above it, in one transaction."""
    known = every()
    newest = known[-1].number
    target = newest if to is None else to
    if not 0 <= target <= newest:
        raise UsageError(f"There is no migration {target}.", hint=f"0 to {newest}; 0 removes the schema.")
    with database.transaction():
        database.rows("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        is_new = database.row("SELECT to_regclass('agentws.migrations') IS NULL") == (True,)
        rows = [] if is_new else database.rows("SELECT number, digest FROM agentws.migrations")
        before = {int(str(number)): str(digest) for number, digest in rows}
        digests = {step.number: step.digest for step in known}
        if unknown := before.keys() - digests.keys():
            raise OutsideProgramError(
                f"The database has migration {max(unknown)}, which this agentws does not know.", hint="Update agentws."
            )
        if changed := [number for number in before if before[number] != digests[number]]:
            raise OutsideProgramError(
                f"Migration {changed[0]} was applied in another form.",
                hint="Drop the schema agentws, then migrate and ship: the workspaces hold everything.",
            )
        steps = [step for step in known if step.number not in before and step.number <= target]
        steps += [step for step in reversed(known) if step.number in before and step.number > target]
        for step in () if is_dry else steps:
            is_new = step.number not in before
            database.rows(step.up if is_new else step.down)
            if is_new:
                row = step.number, step.name, step.digest
                database.rows("INSERT INTO agentws.migrations (number, name, digest) VALUES (%s, %s, %s)", row)
        if target and not is_dry:
            database.rows("DELETE FROM agentws.migrations WHERE number > %s", (target,))
    return Migrated(steps, max(before, default=0), target)
