"""The command line as a whole: which verbs there are, in which order `--help` shows them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from agentws import __version__
from agentws.cli import output
from agentws.cli.typer_glue import Verb, common_options

if TYPE_CHECKING:
    from agentws.cli.invocation import Run

VERBS = {
    "init": "init.init EXAMPLES",
    "boot": "boot.boot EXAMPLES",
    "log": "log.log EXAMPLES",
    "todo": "todo.todo EXAMPLES",
    "done": "todo.done DONE_EXAMPLES",
    "drop": "todo.drop DROP_EXAMPLES",
    "event": "event.event EXAMPLES",
    "remember": "remember.remember EXAMPLES",
    "why": "why.why EXAMPLES",
    "forget": "forget.forget EXAMPLES",
    "compact": "compact.compact EXAMPLES",
    "curate": "curate.curate EXAMPLES",
    "migrate": "migrate.migrate EXAMPLES",
    "status": "status.status EXAMPLES",
    "doctor": "doctor.doctor EXAMPLES",
    "install": "install.install EXAMPLES",
    "uninstall": "install.uninstall UNINSTALL_EXAMPLES",
    "undo": "undo.undo EXAMPLES",
    "history": "history.history EXAMPLES",
    "diff": "history.diff DIFF_EXAMPLES",
    "restore": "history.restore RESTORE_EXAMPLES",
    "hook": "hook.hook EXAMPLES",
}
"""Each verb with its function below `commands/`, and the examples that its help ends in."""
FAMILIES = {
    "task": {
        "add": "task.add ADD_EXAMPLES",
        "list": "task.list_tasks LIST_EXAMPLES",
        "show": "task.show SHOW_EXAMPLES",
        "start": "task.start START_EXAMPLES",
        "step": "task.step STEP_EXAMPLES",
        "wait": "task.wait WAIT_EXAMPLES",
        "pause": "task.pause PAUSE_EXAMPLES",
        "resume": "task.resume RESUME_EXAMPLES",
        "done": "task.finish DONE_EXAMPLES",
        "cancel": "task.cancel CANCEL_EXAMPLES",
        "due": "task.due DUE_EXAMPLES",
    },
    "handoff": {
        "list": "handoff.list_handoffs LIST_EXAMPLES",
        "show": "handoff.show SHOW_EXAMPLES",
        "ack": "handoff.ack ACK_EXAMPLES",
    },
    "context": {
        "list": "context.list_contexts LIST_EXAMPLES",
        "new": "context.new NEW_EXAMPLES",
        "show": "context.show SHOW_EXAMPLES",
        "use": "context.use USE_EXAMPLES",
    },
    "session": {
        "start": "session.start START_EXAMPLES",
        "end": "session.end END_EXAMPLES",
        "list": "session.list_sessions LIST_EXAMPLES",
        "show": "session.show SHOW_EXAMPLES",
    },
    "journal": {
        "list": "journal.list_events LIST_EXAMPLES",
        "follow": "journal.follow FOLLOW_EXAMPLES",
        "audit": "journal.audit AUDIT_EXAMPLES",
        "replay": "journal.replay REPLAY_EXAMPLES",
        "verify": "journal.verify VERIFY_EXAMPLES",
        "seal": "journal_keeping.seal SEAL_EXAMPLES",
        "purge": "journal_keeping.purge PURGE_EXAMPLES",
        "renew": "journal_keeping.renew RENEW_EXAMPLES",
    },
    "schedule": {
        "install": "schedule.install INSTALL_EXAMPLES",
        "remove": "schedule.remove REMOVE_EXAMPLES",
        "show": "schedule.show SHOW_EXAMPLES",
    },
    "identity": {
        "show": "identity.show SHOW_EXAMPLES",
        "verify": "identity.verify VERIFY_EXAMPLES",
        "vouch": "identity.vouch VOUCH_EXAMPLES",
        "takeover": "identity.takeover TAKEOVER_EXAMPLES",
        "retire": "identity.retire RETIRE_EXAMPLES",
        "revive": "identity.revive REVIVE_EXAMPLES",
        "rotate": "identity.rotate ROTATE_EXAMPLES",
    },
}
_HELP = {
    "task": "Work that outlives a session, one file each.",
    "context": "Virtual contexts: what boot loads besides the usual.",
    "session": "Runs of the agent, which events belong to.",
    "journal": "The record of all that was done.",
    "schedule": "What runs by itself, once a day.",
    "identity": "Who this agent is, and which installations of it write.",
}


def whole(word: str = "") -> typer.Typer:
    """The program; only the verb or family that `word` names, where it names one.

    To load and make all of them takes longer than most verbs run. A word that names none may need any: for the help,
    or for what is said of a wrong one.
    """
    app = typer.Typer(
        name="agentws",
        help="An AI agent's durable life in plain files.",
        epilog="Start here: agentws init my-agent && cd my-agent && agentws boot",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(start)
    is_one = word in VERBS or word in FAMILIES
    _add(app, {name: place for name, place in VERBS.items() if not is_one or name == word})
    for name, verbs in FAMILIES.items():
        if not is_one or name == word:
            family = (
                _handoffs() if name == "handoff" else typer.Typer(name=name, help=_HELP[name], no_args_is_help=True)
            )
            _add(family, verbs)
            app.add_typer(family)
    return app


def _add(app: typer.Typer, verbs: dict[str, str]) -> None:
    for name, place in verbs.items():
        path, examples = place.split()
        module_name, function = path.split(".")
        module = import_module(f"agentws.cli.commands.{module_name}")
        app.command(name, cls=Verb, epilog=getattr(module, examples))(getattr(module, function))


def _handoffs() -> typer.Typer:
    from agentws.cli.commands import handoff

    family = typer.Typer(name="handoff", cls=handoff.Handoffs, invoke_without_command=True, epilog=handoff.EXAMPLES)
    family.callback()(handoff.handoff)
    return family


def _version(asked: bool) -> None:
    if asked:
        output.line(f"agentws {__version__}")
        raise typer.Exit


def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")] = False,
) -> None:
    """An AI agent's durable life in plain files."""


def _verb(arguments: list[str]) -> str:
    """The first word, or the one behind `-C DIR`; empty where neither is there."""
    at = 2 if arguments[:1] == ["-C"] else 0
    return arguments[at] if len(arguments) > at else ""


def build(run: Run, arguments: list[str]) -> TyperGroup:
    """The program that runs these arguments, with the common options before the verb too (`agentws -C DIR boot`)."""
    program = typer.main.get_command(whole(_verb(arguments)))
    assert isinstance(program, TyperGroup)
    program.params.extend(common_options())
    program.context_settings["obj"] = run
    return program
