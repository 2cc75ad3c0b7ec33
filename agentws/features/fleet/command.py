"""The verbs `agentws fleet migrate|team|member|join|leave|archive`, and the table of all verbs of the fleet."""

from __future__ import annotations

from agentws.core.formats.secrets import secrets
from agentws.core.journal.sealing import order_check
from agentws.core.terminal import dialog
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, number, optional, text, word
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, MayNotWriteError, NeedsYouError, UsageError
from agentws.features.fleet import archive as _archive, command_inbox, command_ship, database, membership, migrations
from agentws.features.fleet.command_ship import TEAM, URL
from agentws.features.fleet.object_store import ObjectStore
from agentws.features.fleet.vectors import LACKING, can_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.archive import Archived, Problem, Verified


_OWNER = "Only the owner of the database can migrate: agentws fleet migrate postgresql://OWNER@HOST/DATABASE"


def migrate(run: Run, *, url: str | None, to: int | None, dry_run: bool, yes: bool) -> None:
    """Make the tables of the fleet in a PostgreSQL database (15 or later), or bring them up to date.

    For the owner of the database. A lower number than the present one takes migrations back, with their data.
    """
    environment = run.environment()
    environment.check_person("agentws fleet migrate", "change the tables of a fleet")
    fleet = membership.chosen(environment, url=url)
    try:
        with database.connected(fleet.url) as opened:
            plan = migrations.migrate(opened, to, is_dry=True)
            loses = plan.before > plan.after
            if loses and not (dry_run or yes):
                if not dialog.is_terminal(run):
                    raise NeedsYouError("This removes tables with their data.", hint="Confirm it: --yes")
                if not dialog.confirm(f"Take back {many(len(plan.applied), 'migration')}, with their data?"):
                    return
            done = plan if dry_run else migrations.migrate(opened, to)
            lacks_vectors = to is None and not dry_run and not can_hold(opened)
    except MayNotWriteError as error:
        raise MayNotWriteError(error.message, hint=_OWNER) from error
    verb = ("Would take back" if loses else "Would apply") if dry_run else ("Took back" if loses else "Applied")
    lines = [f"{verb} {step.number:04} {step.name}" for step in done.applied]
    lines, notices = lines or [f"Up to date: {done.after:04}."], [LACKING] if lacks_vectors else []
    run.result("fleet-migrate", done, "before after applied[number name]", lines, notices=notices)


def team(run: Run, *, name: str | None, renew: str | None, url: str | None) -> None:
    """List the teams of the fleet, with their members; with a name, add a team. For the owner of the database.

    With --renew, an admin of the team lets a machine have a new key.
    """
    environment = run.environment()
    fleet = membership.chosen(environment, url=url)
    if renew is not None and name is None:
        raise UsageError("Which team?", hint=f"agentws fleet team TEAM --renew {renew}")
    if name is not None:
        environment.check_person(f"agentws fleet team {name}", "add a team, or accept a key")
    with database.connected(fleet.url) as opened:
        if name is not None and renew is not None:
            opened.rows("SELECT agentws.renew_machine(%s, %s)", (name, renew))
        elif name is not None:
            opened.rows("SELECT agentws.add_team(%s)", (name,))
        members = membership.members(opened)
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
    fleet = membership.in_team(environment, url=url, team=team)
    rights = [] if remove else [right.strip() for right in may.split(",")]
    unknown = [right for right in rights if right not in membership.RIGHTS]
    if unknown:
        raise UsageError(f"There is no right {unknown[0]!r}.", hint=f"--may {','.join(membership.RIGHTS)}")
    with database.connected(fleet.url) as opened:
        opened.rows("SELECT agentws.set_member(%s, %s, %s, %s)", (fleet.team, role, agent, rights))
    state = f"may {', '.join(rights)} in" if rights else "is no longer a member of"
    line = f"{role} {state} {fleet.team}."
    run.done("fleet-member", {"team": fleet.team, "role": role, "agent": agent, "may": rights}, [line], ())


def join(run: Run, *, url: str, team: str, text: str) -> None:
    """Let this workspace's agent ship to a fleet: its events and what the team may read of its documents.

    The URL has no password: PostgreSQL's client finds it in ~/.pgpass, in a service file, or uses a certificate.
    """
    run.check_main_audience()
    before = membership.read(run.environment()).url
    done = membership.join(run.workspace().stores, url, team, text)
    notices = [f"fleet.url was {secrets.hide(before)[0]}, now {url}."] if before not in ("", url) else []
    line = f"{done.name} joined {done.team}. Next: agentws fleet ship"
    run.result("fleet-join", done, "url team agent name text", [line], notices=notices)


def leave(run: Run, *, machine: str) -> None:
    """Stop shipping this workspace's agent. Its rows stay in the database, marked as left."""
    run.check_main_audience()
    done = membership.leave(run.workspace().stores, machine)
    line = f"The choice of {machine} no longer counts." if machine else f"{done.name} left {done.team}."
    run.result("fleet-leave", done, "url team agent name text", [line], notices=())


_WRONG = "Check the workspace: agentws journal verify. Move a wrong object away there, and archive again."
_YOUNG = "The purge event may be in the newest segment, which is not archived: then the archive is good."


def archive(run: Run, *, url: str, verify: bool, restore: str | None, agent: str | None, dry_run: bool) -> None:
    """Write the closed segments of the journal to object storage, with private text, like a backup.

    Objects are only created; one that differs is an error, but for content that was purged here, which is taken out.
    """
    run.check_main_audience()
    if (verify and restore) or (dry_run and (verify or restore)) or (agent and not restore):
        raise UsageError("Give one of --verify, --restore and --dry-run; --agent needs --restore.")
    place = ObjectStore(url)
    if verify or restore:
        held = _archive.restore(place, restore, agent) if restore else _archive.verify(run.workspace().stores, place)
        names = "url agent folder? objects events waiting problems[path what]"
        run.result("fleet-archive-verify", held, names, _verified_lines(held), notices=())
        is_young = restore and all(problem.what == order_check.NOBODY for problem in held.problems)
        _check(held.problems, place, _YOUNG if is_young else _WRONG)
        return
    done = _archive.archive(run.workspace().stores, place, dry_run=dry_run)
    names = "url agent new equal purged bytes problems[path what] dry_run"
    run.result("fleet-archive", done, names, _archived_lines(done), notices=())
    _check(done.problems, place)


def _check(problems: Sequence[Problem], place: ObjectStore, hint: str = _WRONG) -> None:
    if problems:
        raise DamagedError(f"{many(len(problems), 'problem')} with the archive {place.url}.", hint=hint)


def _archived_lines(done: Archived) -> Iterator[str]:
    yield from _problem_lines(done.problems)
    if not (done.new or done.equal or done.problems):
        yield "No segment of the journal is closed yet: the newest of each machine is not archived."
        return
    verb = "Would write" if done.dry_run else "Wrote"
    yield f"{verb} {many(done.new, 'object')} ({done.bytes:,} bytes); {done.equal} were there already."
    if done.purged:
        yield f"Purged content {'would be' if done.dry_run else 'was'} taken out of {many(done.purged, 'segment')}."


def _verified_lines(done: Verified) -> Iterator[str]:
    yield from _problem_lines(done.problems)
    yield f"{many(done.objects, 'object')} of the agent {done.agent}, {many(done.events, 'event')}."
    if done.waiting:
        yield f"{many(done.waiting, 'closed segment')} are not archived yet."
    if done.folder:
        yield f"Written to {done.folder}."


def _problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    return (one_line(f"{problem.path}: {problem.what}") for problem in problems)


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
    Verb(
        "fleet leave",
        leave,
        (text("--machine", "WRITER", "Only another machine, which is lost: its choice no longer counts.", default=""),),
        "agentws fleet leave",
        "agentws fleet leave --machine 7c1d2e9f0a3b4c5d",
    ),
    *command_inbox.VERBS,
    Verb(
        "fleet archive",
        archive,
        (
            word("url", "URL", "s3://BUCKET/PREFIX, gs://…, az://…, or a folder."),
            flag("--verify", "Read the whole archive and verify it."),
            text("--restore", "FOLDER", "Write the archived journal to this new folder."),
            text("--agent", "ID", "Agent to restore, if the archive has several."),
            DRY_RUN,
        ),
        "agentws fleet archive s3://acme-agents/journals",
        "agentws fleet archive /mnt/nas/journals --verify",
        "agentws fleet archive s3://acme-agents/journals --restore old-journal",
    ),
    *command_ship.VERBS,
)
