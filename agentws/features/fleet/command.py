"""The verbs `agentws fleet migrate|team|member|join|leave`, and the table of all verbs of the fleet."""

from __future__ import annotations

from agentws.core.terminal import dialog
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, number, optional, text, word
from agentws.core.text.names import many
from agentws.errors import NeedsYouError, UsageError
from agentws.features.fleet import (
    command_archive,
    command_inbox,
    command_lease,
    command_search,
    command_ship,
    database,
    join as _join,
    migrations,
    settings,
)
from agentws.features.fleet.command_ship import TEAM, URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.join import Joined


def migrate(run: Run, *, url: str | None, to: int | None, dry_run: bool, yes: bool) -> None:
    """Make the tables of the fleet in a PostgreSQL database (15 or later), or bring them up to date.

    For the owner of the database. A lower number than the present one takes migrations back, with their data.
    """
    environment = run.environment()
    environment.check_person("agentws fleet migrate", "change the tables of a fleet")
    fleet = settings.chosen(environment, url=url)
    with database.connected(fleet.url) as opened:
        plan = migrations.migrate(opened, to, is_dry=True)
        loses = plan.before > plan.after
        if loses and not (dry_run or yes) and not _confirmed(run, plan):
            return
        done = plan if dry_run else migrations.migrate(opened, to)
    verb = ("Would take back" if loses else "Would apply") if dry_run else ("Took back" if loses else "Applied")
    lines = [f"{verb} {step.number:04} {step.name}" for step in done.applied]
    run.result(
        "fleet-migrate",
        done,
        "before after applied[number name]",
        lines or [f"Up to date: {done.after:04}."],
        notices=(),
    )


def _confirmed(run: Run, plan: migrations.Migrated) -> bool:
    if not dialog.is_terminal(run):
        raise NeedsYouError("This removes tables with their data.", hint="Confirm it: --yes")
    return dialog.confirm(f"Take back {many(len(plan.applied), 'migration')}, with their data?")


def team(run: Run, *, name: str | None, renew: str | None, url: str | None) -> None:
    """List the teams of the fleet, with their members; with a name, add a team. For the owner of the database.

    With --renew, an admin of the team lets a machine have a new key.
    """
    environment = run.environment()
    fleet = settings.chosen(environment, url=url)
    if renew is not None and name is None:
        raise UsageError("Which team?", hint=f"agentws fleet team TEAM --renew {renew}")
    if name is not None:
        environment.check_person(f"agentws fleet team {name}", "add a team, or accept a key")
    with database.connected(fleet.url) as opened:
        if name is not None and renew is not None:
            opened.rows("SELECT agentws.renew_machine(%s, %s)", (name, renew))
        elif name is not None:
            _join.add_team(opened, name)
        members = _join.members(opened)
    rows = [f"{each.team}  {each.role}  {', '.join(each.may)}  {each.agent or 'all agents'}" for each in members]
    lines = [f"Team {name} is there."] if name is not None else rows or ["No members."]
    lines = [f"Machine {renew} may ship once with a new key."] if renew is not None else lines
    run.result("fleet-team", members, "members=.[team role agent may]", lines, notices=(), team=name)


def member(
    run: Run, *, role: str, may: str, agent: str | None, remove: bool, team: str | None, url: str | None
) -> None:
    """Let a PostgreSQL role ship, read, answer or administer the agents of a team.

    For the owner of the database, and for admins of the team. The role itself is made by PostgreSQL: CREATE ROLE.
    """
    environment = run.environment()
    environment.check_person(f"agentws fleet member {role}", "change the members of a team")
    fleet = settings.in_team(environment, url=url, team=team)
    rights = [] if remove else [right.strip() for right in may.split(",")]
    unknown = [right for right in rights if right not in _join.RIGHTS]
    if unknown:
        raise UsageError(f"There is no right {unknown[0]!r}.", hint=f"--may {','.join(_join.RIGHTS)}")
    with database.connected(fleet.url) as opened:
        _join.set_member(opened, fleet.team, role, agent, rights)
    state = f"may {', '.join(rights)} in" if rights else "is no longer a member of"
    line = f"{role} {state} {fleet.team}."
    run.done("fleet-member", {"team": fleet.team, "role": role, "agent": agent, "may": rights}, [line], ())


def join(run: Run, *, url: str, team: str, text: str) -> None:
    """Let this workspace's agent ship to a fleet: its events and what the team may read of its documents.

    The URL has no password: PostgreSQL's client finds it in ~/.pgpass, in a service file, or uses a certificate.
    """
    run.check_main_audience()
    done = _join.join(run.workspace().stores, url, team, text)
    _tell(run, "fleet-join", done, f"{done.name} joined {done.team}. Next: agentws fleet ship")


def leave(run: Run) -> None:
    """Stop shipping this workspace's agent. Its rows stay in the database, marked as left."""
    run.check_main_audience()
    done = _join.leave(run.workspace().stores)
    _tell(run, "fleet-leave", done, f"{done.name} left {done.team}.")


def _tell(run: Run, schema: str, done: Joined, line: str) -> None:
    run.result(schema, done, "url team agent name text", [line], notices=())


VERBS = (
    Verb(
        "fleet migrate",
        migrate,
        (
            optional("url", "[URL]", "Database. Default: the one of your settings (fleet.url)."),
            number("--to", "N", "Up, or down, to this migration; 0 removes everything.", least=0, default=None),
            DRY_RUN,
            YES,
        ),
        "agentws fleet migrate postgresql://owner@db.example.org/fleet",
        "agentws fleet migrate --dry-run",
    ),
    Verb(
        "fleet team",
        team,
        (
            optional("name", "[NAME]", "Team to add: small letters, digits, - and _."),
            text("--renew", "WRITER", "Let this machine of the team have the key with which it ships next, too."),
            URL,
        ),
        "agentws fleet team garden --url postgresql://owner@db.example.org/fleet",
        "agentws fleet team",
    ),
    Verb(
        "fleet member",
        member,
        (
            word("role", "ROLE", "PostgreSQL login role."),
            text("--may", "RIGHTS", "ship, read, answer, admin: several with commas.", default="read"),
            text("--agent", "ID", "Only for this agent. Default: all agents of the team."),
            flag("--remove", "Take all these rights back."),
            TEAM,
            URL,
        ),
        "agentws fleet member robin --may ship,read --team garden",
        "agentws fleet member robin --remove",
    ),
    Verb(
        "fleet join",
        join,
        (
            word("url", "URL", "Database, without a password."),
            text("--team", "TEAM", "Team in it.", is_required=True),
            text(
                "--text",
                "TEXT",
                "shared: text that a shared audience may see. all: everything but private text.",
                default="shared",
            ),
        ),
        "agentws fleet join postgresql://robin@db.example.org/fleet --team garden",
        "agentws fleet join service=fleet --team garden --text all",
    ),
    Verb("fleet leave", leave, (), "agentws fleet leave"),
    *command_inbox.VERBS,
    *command_lease.VERBS,
    *command_archive.VERBS,
    *command_search.VERBS,
    *command_ship.VERBS,
)
