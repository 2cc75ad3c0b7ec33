"""The main function of the command line: runs a call, and turns errors into a message and an exit code.

Calls with plain words take the fast lane (fast_lane.py); all others go through Typer.
"""

from __future__ import annotations

import sys

from agentws import cli

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from agentws.cli.fast_lane import Call
    from agentws.errors import AgentwsError, UsageError

_HOOK = "hook"
_HELPS = (["--help"], ["-h"], ["help"])
_FULL_HELP = ["help", "--all"]
_OBJECTS = 10_000


def main() -> None:
    """Run main: a command line `agentws` with the arguments of the process; errors become an exit code."""
    import gc

    # What takes the fast lane ends before there is anything to collect; looking for it costs a tenth of its start.
    gc.disable()
    cli.leave_at_once()
    cli.hear_children()
    try:
        code = start(sys.argv[1:])
    except KeyboardInterrupt:
        code = cli.INTERRUPTED
    cli.leave_at_once()
    _leave(code)
    raise SystemExit(code)


def start(arguments: list[str]) -> int:
    """Run the command line's main part with these arguments, by the fast lane or by Typer, and return the exit code."""
    from agentws.cli import fast_lane
    from agentws.core import environment

    environment.skip_relative_paths()
    if arguments == ["--version"] or (arguments in _HELPS and not environment.has_width()):
        return _answered(lambda: _tell(arguments), arguments, debug=False)
    if not environment.completes() and fast_lane.is_bare(arguments):
        if not arguments and not _is_inside():
            return start(["help"])
        arguments = [*arguments, "status"]  # what is named stands in front of a verb
    if not environment.completes():
        arguments = fast_lane.with_list(arguments)
    call = None if environment.completes() else fast_lane.recognise(arguments)
    if call is None:
        return run(arguments)
    debug = bool(call.common.get("debug"))
    if call.is_hot:
        return _answered(lambda: _hurry(call), arguments, debug=debug)
    return _at_leisure(lambda: _hurry(call), arguments, debug=debug)


def _tell(arguments: list[str]) -> None:
    from agentws.core.terminal import output

    if arguments in _HELPS:
        output.overview()
    else:
        output.version()


def _is_inside() -> bool:
    """Return whether a workspace is named, or the current folder is in one."""
    from agentws.core import environment
    from agentws.core.terminal import invocation
    from agentws.errors import AgentwsError, NoWorkspaceError

    try:
        invocation.Run().workspace()
    except NoWorkspaceError:
        return environment.workspace() is not None
    except AgentwsError:
        return True  # `status` says what is wrong
    return True


def _leave(code: int) -> None:
    """Exit at once after all output is written: shutting the interpreter down costs a fifth of the run."""
    import os

    if sys.getprofile() or sys.gettrace():
        return  # somebody is watching and has a report to write
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line's main part through Typer, and return the exit code (docs/reference/errors.md)."""
    is_full = arguments == _FULL_HELP
    if is_full:
        arguments = ["--help"]
    elif arguments[:1] == ["help"]:
        arguments = _helped(arguments[1:])
    # Known before parsing, since parsing itself may fail.
    as_json, debug = _wants_json(arguments), "--debug" in arguments
    return _at_leisure(lambda: _parse(arguments, as_json=as_json, debug=debug, full=is_full), arguments, debug=debug)


def _helped(words: list[str]) -> list[str]:
    """Return what `help` with these words shows: the help of a verb, else pages of the documentation."""
    from agentws.cli import commands
    from agentws.errors import MissingFileError
    from agentws.features.daily import docs

    if words and words[0] not in commands.names():
        try:
            is_found = docs.find(words).has_all_words
        except MissingFileError:
            is_found = False  # the error about a wrong verb helps more
        if is_found:
            return ["docs", *words]
    return [*words, "--help"]


def _at_leisure(call: Callable[[], object], arguments: list[str], *, debug: bool) -> int:
    """`_answered` for what does not run at every turn: no secret is printed, and what is made is collected."""
    import gc

    gc.enable()
    # What is made here mostly stays to the end: looking through it at every 700 objects costs a sixth of a long list.
    gc.set_threshold(_OBJECTS)
    from agentws.core.terminal import output

    output.filter_secrets()
    try:
        return _answered(call, arguments, debug=debug)
    finally:
        output.tell_filtered(quiet="--quiet" in arguments or "-q" in arguments)


def _wants_json(arguments: list[str]) -> bool:
    named = "--format" in arguments and arguments[arguments.index("--format") + 1 :][:1] == ["json"]
    return named or "--format=json" in arguments or "--json" in arguments


def _hurry(called: Call) -> None:
    from agentws.core.terminal import invocation, options

    this = invocation.Run()
    for name, value in called.common.items():
        setattr(this, name, value)
    cli.raise_again()
    options.call(called.verb, this, called.values)


def _parse(arguments: list[str], *, as_json: bool, debug: bool, full: bool) -> object:
    import typer

    from agentws.cli import app
    from agentws.core.terminal import invocation, output
    from agentws.errors import UsageError

    this = invocation.Run()
    this.as_json, this.debug = as_json, debug
    try:
        program = app.build(this, arguments, full=full)
        cli.raise_again()
        return program.main(arguments, prog_name="agentws", standalone_mode=False)
    except typer.TyperException as error:
        output.error(_usage(error), as_json=this.as_json)
        return UsageError.exit_code
    except typer.Abort:
        return cli.INTERRUPTED


def _answered(call: Callable[[], object], arguments: list[str], *, debug: bool) -> int:
    """The exit code of `call`; what went wrong is said on stderr. That of a hook is 0."""
    from agentws.cli import fast_lane

    as_json = _wants_json(arguments)
    if fast_lane.verb(arguments) != _HOOK:
        return _code(call, as_json=as_json, debug=debug)
    try:
        code = _code(call, as_json=as_json, debug=debug)
    except Exception:  # to be shown
        sys.excepthook(*sys.exc_info())
        code = 1
    if not code:
        return code
    from agentws.features.hosts.entry import door

    # Whoever calls a hook is a host: whatever is wrong with the call, it must not take that for a verdict.
    return door.neutral(arguments)


def _code(call: Callable[[], object], *, as_json: bool, debug: bool) -> int:
    """The exit code of `call`; what went wrong is said on stderr."""
    from agentws.core.terminal import output
    from agentws.errors import AgentwsError

    try:
        code = call()
    except AgentwsError as error:
        if debug:
            raise
        output.error(error, as_json=as_json)
        return error.exit_code
    except KeyboardInterrupt:
        return cli.INTERRUPTED
    except SystemExit as leaving:
        # Nobody else here leaves with 1: it is Rich, printing a help page to a reader that went away.
        return 141 if leaving.code == 1 else int(leaving.code or 0)
    except Exception as error:
        if debug:
            raise
        output.error(_bug(error), as_json=as_json)
        return 70
    return code if isinstance(code, int) else 0


def _usage(error: Exception) -> UsageError:
    from agentws.errors import UsageError

    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "agentws"
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    if not message:  # a group called without a verb has shown its help already
        message = "Missing command."
    dash = ". Put a text that starts with `-` after `--`." if message.startswith("No such option") else ""
    choice = ""
    # All verbs of the program are too many for a line; those of a family are not.
    if message.startswith("No such command") and context is not None and context.parent is not None:
        choice = f"Choose one of: {', '.join(context.command.commands)}. "
    pages = ", or the pages: agentws docs" if message.startswith("No such command") and not choice else ""
    return UsageError(message, hint=f"{_example(message, context)}{choice}See {command} --help{dash}{pages}")


def _example(message: str, context: Any) -> str:
    """Return what to type instead of extra words after a verb: its first example, or its usage."""
    if context is None or not message.startswith(("Got unexpected extra argument", "No such command")):
        return ""
    words = context.command.verb.words if hasattr(context.command, "verb") else ()
    if any(word.completes for word in words):  # an example names what is in no workspace but that of the documents
        return f"Usage: {context.command_path} {' '.join(word.metavar for word in words)}. "
    _, heading, examples = (context.command.epilog or "").partition("Examples:\n\n")
    return f"For example: {examples.partition(chr(10))[0].partition('  ')[0]}. " if heading else ""


def _bug(error: Exception) -> AgentwsError:
    from agentws.errors import AgentwsError

    agentws_error = AgentwsError(
        f"This is a bug in agentws: {type(error).__name__}: {error}",
        hint="Your files are intact. Re-run with --debug and report the output.",
    )
    agentws_error.code, agentws_error.exit_code = "bug", 70
    return agentws_error
