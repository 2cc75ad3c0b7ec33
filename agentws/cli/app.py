"""The command line as a whole: which verbs there are, in which order `--help` shows them."""

from __future__ import annotations

import copy
from typing import Annotated

import typer
from typer.core import TyperGroup

from agentws import __version__
from agentws.cli import output
from agentws.cli.asked import Run
from agentws.cli.commands import (
    boot,
    compact,
    context,
    curate,
    doctor,
    event,
    forget,
    handoff,
    history,
    hook,
    identity,
    init,
    install,
    journal,
    journal_keeping,
    log,
    migrate,
    remember,
    schedule,
    session,
    status,
    task,
    todo,
    undo,
    why,
)
from agentws.cli.run import Verb, common_options

app = typer.Typer(
    name="agentws",
    help="An AI agent's durable life in plain files.",
    epilog="Start here: agentws init my-agent && cd my-agent && agentws boot",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        output.line(f"agentws {__version__}")
        raise typer.Exit


@app.callback()
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")] = False,
) -> None:
    """An AI agent's durable life in plain files."""


app.command("init", cls=Verb, epilog=init.EXAMPLES)(init.init)
app.command("boot", cls=Verb, epilog=boot.EXAMPLES)(boot.boot)
app.command("log", cls=Verb, epilog=log.EXAMPLES)(log.log)
app.command("todo", cls=Verb, epilog=todo.EXAMPLES)(todo.todo)
app.command("done", cls=Verb, epilog=todo.DONE_EXAMPLES)(todo.done)
app.command("drop", cls=Verb, epilog=todo.DROP_EXAMPLES)(todo.drop)
app.command("event", cls=Verb, epilog=event.EXAMPLES)(event.event)
app.command("remember", cls=Verb, epilog=remember.EXAMPLES)(remember.remember)
app.command("why", cls=Verb, epilog=why.EXAMPLES)(why.why)
app.command("forget", cls=Verb, epilog=forget.EXAMPLES)(forget.forget)
app.command("compact", cls=Verb, epilog=compact.EXAMPLES)(compact.compact)
app.command("curate", cls=Verb, epilog=curate.EXAMPLES)(curate.curate)
app.command("migrate", cls=Verb, epilog=migrate.EXAMPLES)(migrate.migrate)
app.command("status", cls=Verb, epilog=status.EXAMPLES)(status.status)
app.command("doctor", cls=Verb, epilog=doctor.EXAMPLES)(doctor.doctor)
app.command("install", cls=Verb, epilog=install.EXAMPLES)(install.install)
app.command("uninstall", cls=Verb, epilog=install.UNINSTALL_EXAMPLES)(install.uninstall)
app.command("undo", cls=Verb, epilog=undo.EXAMPLES)(undo.undo)
app.command("history", cls=Verb, epilog=history.EXAMPLES)(history.history)
app.command("diff", cls=Verb, epilog=history.DIFF_EXAMPLES)(history.diff)
app.command("restore", cls=Verb, epilog=history.RESTORE_EXAMPLES)(history.restore)

tasks = typer.Typer(name="task", help="Work that outlives a session, one file each.", no_args_is_help=True)
tasks.command("add", cls=Verb, epilog=task.ADD_EXAMPLES)(task.add)
tasks.command("list", cls=Verb, epilog=task.LIST_EXAMPLES)(task.list_tasks)
tasks.command("show", cls=Verb, epilog=task.SHOW_EXAMPLES)(task.show)
tasks.command("start", cls=Verb, epilog=task.START_EXAMPLES)(task.start)
tasks.command("step", cls=Verb, epilog=task.STEP_EXAMPLES)(task.step)
tasks.command("wait", cls=Verb, epilog=task.WAIT_EXAMPLES)(task.wait)
tasks.command("pause", cls=Verb, epilog=task.PAUSE_EXAMPLES)(task.pause)
tasks.command("resume", cls=Verb, epilog=task.RESUME_EXAMPLES)(task.resume)
tasks.command("done", cls=Verb, epilog=task.DONE_EXAMPLES)(task.finish)
tasks.command("cancel", cls=Verb, epilog=task.CANCEL_EXAMPLES)(task.cancel)
tasks.command("due", cls=Verb, epilog=task.DUE_EXAMPLES)(task.due)
app.add_typer(tasks)

handoffs = typer.Typer(name="handoff", cls=handoff.Handoffs, invoke_without_command=True, epilog=handoff.EXAMPLES)
handoffs.callback()(handoff.handoff)
handoffs.command("list", cls=Verb, epilog=handoff.LIST_EXAMPLES)(handoff.list_handoffs)
handoffs.command("show", cls=Verb, epilog=handoff.SHOW_EXAMPLES)(handoff.show)
handoffs.command("ack", cls=Verb, epilog=handoff.ACK_EXAMPLES)(handoff.ack)
app.add_typer(handoffs)

contexts = typer.Typer(
    name="context", help="Virtual contexts: what boot loads besides the usual.", no_args_is_help=True
)
contexts.command("list", cls=Verb, epilog=context.LIST_EXAMPLES)(context.list_contexts)
contexts.command("new", cls=Verb, epilog=context.NEW_EXAMPLES)(context.new)
contexts.command("show", cls=Verb, epilog=context.SHOW_EXAMPLES)(context.show)
contexts.command("use", cls=Verb, epilog=context.USE_EXAMPLES)(context.use)
app.add_typer(contexts)

sessions = typer.Typer(name="session", help="Runs of the agent, which events belong to.", no_args_is_help=True)
sessions.command("start", cls=Verb, epilog=session.START_EXAMPLES)(session.start)
sessions.command("end", cls=Verb, epilog=session.END_EXAMPLES)(session.end)
sessions.command("list", cls=Verb, epilog=session.LIST_EXAMPLES)(session.list_sessions)
sessions.command("show", cls=Verb, epilog=session.SHOW_EXAMPLES)(session.show)
app.add_typer(sessions)

journals = typer.Typer(name="journal", help="The record of all that was done.", no_args_is_help=True)
journals.command("list", cls=Verb, epilog=journal.LIST_EXAMPLES)(journal.list_events)
journals.command("follow", cls=Verb, epilog=journal.FOLLOW_EXAMPLES)(journal.follow)
journals.command("audit", cls=Verb, epilog=journal.AUDIT_EXAMPLES)(journal.audit)
journals.command("replay", cls=Verb, epilog=journal.REPLAY_EXAMPLES)(journal.replay)
journals.command("verify", cls=Verb, epilog=journal.VERIFY_EXAMPLES)(journal.verify)
journals.command("seal", cls=Verb, epilog=journal_keeping.SEAL_EXAMPLES)(journal_keeping.seal)
journals.command("purge", cls=Verb, epilog=journal_keeping.PURGE_EXAMPLES)(journal_keeping.purge)
journals.command("renew", cls=Verb, epilog=journal_keeping.RENEW_EXAMPLES)(journal_keeping.renew)
app.add_typer(journals)

schedules = typer.Typer(name="schedule", help="What runs by itself, once a day.", no_args_is_help=True)
schedules.command("install", cls=Verb, epilog=schedule.INSTALL_EXAMPLES)(schedule.install)
schedules.command("remove", cls=Verb, epilog=schedule.REMOVE_EXAMPLES)(schedule.remove)
schedules.command("show", cls=Verb, epilog=schedule.SHOW_EXAMPLES)(schedule.show)
app.add_typer(schedules)

identities = typer.Typer(
    name="identity", help="Who this agent is, and which installations of it write.", no_args_is_help=True
)
identities.command("show", cls=Verb, epilog=identity.SHOW_EXAMPLES)(identity.show)
identities.command("verify", cls=Verb, epilog=identity.VERIFY_EXAMPLES)(identity.verify)
identities.command("vouch", cls=Verb, epilog=identity.VOUCH_EXAMPLES)(identity.vouch)
identities.command("takeover", cls=Verb, epilog=identity.TAKEOVER_EXAMPLES)(identity.takeover)
identities.command("retire", cls=Verb, epilog=identity.RETIRE_EXAMPLES)(identity.retire)
identities.command("revive", cls=Verb, epilog=identity.REVIVE_EXAMPLES)(identity.revive)
identities.command("rotate", cls=Verb, epilog=identity.ROTATE_EXAMPLES)(identity.rotate)
app.add_typer(identities)

app.command("hook", cls=Verb, epilog=hook.EXAMPLES)(hook.hook)


def build(run: Run, arguments: list[str]) -> TyperGroup:
    """The program that runs these arguments, with the common options before the verb too (`agentws -C DIR boot`)."""
    program = typer.main.get_command(_needed(arguments[0]) if arguments else app)
    assert isinstance(program, TyperGroup)
    program.params.extend(common_options())
    program.context_settings["obj"] = run
    return program


def _needed(first: str) -> typer.Typer:
    """The verb or family that the first word names, alone: to make all of them takes longer than most verbs run.

    All of them where it names none, since an option, an unknown word or the help may need any.
    """
    verbs = [verb for verb in app.registered_commands if verb.name == first]
    families = [one for one in app.registered_groups if one.typer_instance and one.typer_instance.info.name == first]
    if not verbs and not families:
        return app
    named = copy.copy(app)
    named.registered_commands, named.registered_groups = verbs, families
    return named
