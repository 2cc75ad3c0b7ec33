"""The door of `agentws hook`: reads the host's call, runs its action before the deadline, prints the reply.

A hook never breaks its host: whatever fails, the host gets a reply that it understands, and exit code 0. The failure is
reported on stderr and, if possible, in the journal.
"""

from __future__ import annotations

import os
import sys

from agentws import workspace
from agentws.core import environment
from agentws.core.terminal import output
from agentws.errors import AgentwsError, UsageError
from agentws.features.hosts.entry.deadline import OutOfTime, Within
from agentws.features.hosts.entry.trace import Hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.stores.fence import Repeated
    from agentws.core.terminal.invocation import Run
    from agentws.features.approvals.gate import Answer
    from agentws.features.hosts.hook.call import Heard
    from agentws.workspace import Workspace

_MOST_BYTES = 8 << 20
_PIECE = 1 << 16
_WHOLE_S, _TOOL_S = 12.0, 6.0
"""The seconds for the whole call, and for one before a tool runs: hosts wait for ten, and then run the tool."""
_ALONE_S = 1.0
_UNCHECKED = "The rules of what may be done could not be checked, so this is not done. Tell your user."
_READING_S = 2.0
_ASIDE_S = 60.0
_GO_ON = "{}\n"
"""The reply that makes every host continue."""


def answer(run: Run, host: str, event: str, part: int | None, of: int | None = None) -> None:
    """Answer a hook: run what this event of the host needs, and print the reply; UsageError for an unknown host.

    For that error, and for whatever else is wrong with a call, main.py prints the harmless reply of `neutral`.
    """
    hook = Hook(run, workspace.hear(host, event))
    text, failure = "", None
    try:
        with Within(_TOOL_S if hook.heard.begins_tool else _WHOLE_S):
            text = _text(hook, part, of)
    except (Exception, OutOfTime, KeyboardInterrupt) as error:
        failure = error
    decided = _decided(hook, failure)
    if not decided and failure is not None:
        text = hook.apology(failure, part)
    try:
        output.text(decided or hook.heard.tell(text))
    except (AgentwsError, SystemExit):
        pass  # the host has stopped reading, which is no failure
    else:
        if failure is None:
            _note_delivery(hook)
    if failure is not None:
        _trace(hook, failure)
    if hook.afterwards is not None:
        _run_aside(hook.afterwards)


def _run_aside(work: Callable[[], object]) -> None:
    """Run a hook's remaining work in a background process. Nothing is reported; it may be killed any time."""
    if os.fork():
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # a host waits until these are closed
            os.dup2(nothing, stream)
        with Within(_ASIDE_S):
            work()
    finally:
        os._exit(0)


def _note_delivery(hook: Hook) -> None:
    """Note what the reply has given to the agent; no error leaves this function."""
    try:
        if hook.delivered is not None:
            hook.delivered()
    except (Exception, KeyboardInterrupt):
        return


def _trace(hook: Hook, failure: BaseException) -> None:
    """Report and record the failure; the host has its reply already, so no error leaves this function."""
    try:
        hook.trace(failure)
    except (Exception, KeyboardInterrupt):
        return


def _decided(hook: Hook, failure: BaseException | None) -> str:
    """Return the reply that decides on a tool about to run; empty if no rule has a say.

    If the gate could not decide, for whatever reason, a tool call that a rule may cover is denied.
    """
    if not hook.heard.begins_tool:
        return ""
    try:
        with Within(_ALONE_S):
            gated = hook.gated or _gated_alone(hook, failure)
    except (Exception, OutOfTime, KeyboardInterrupt):
        return hook.heard.decide(may=False, says=_UNCHECKED)
    if gated is None or not gated.says:
        return ""
    text = hook.heard.decide(may=gated.may, says=gated.says)
    if not text and not gated.may:
        hook.say([f"{hook.heard.host} cannot be kept from this: {gated.says}"])
    return text


def _gated_alone(hook: Hook, failure: BaseException | None) -> Answer | None:
    """Return the decision of this machine's rules, if the workspace could not be asked.

    After a timeout or an unknown error, nothing runs that any rule may cover.
    """
    if environment.no_hooks():
        return None
    heard, value = hook.heard, hook.heard.call
    return workspace.gate_alone(
        environment.user_settings(),
        value.tool,
        value.input,
        folder=value.folder,
        is_whole=not heard.odd,
        root=hook.run.directory or environment.workspace(),
        is_cut=failure is not None and not isinstance(failure, AgentwsError),
    )


def neutral(words: list[str]) -> int:
    """Print the reply that lets a host continue after a wrong `hook` call; the error is reported already. Return 0.

    Some hosts take any other exit code as an order to stop the tool, the prompt or the session.
    """
    named = [word for word in words[words.index("hook") + 1 :] if not word.startswith("-")]
    try:
        _read_input()
        output.text(_go_on(*(*named, "", "")[:2]))
    except (Exception, OutOfTime, KeyboardInterrupt, SystemExit):
        return 0  # the host has stopped reading, which is no failure
    return 0


def _go_on(host: str, event: str) -> str:
    try:
        return workspace.hear(host, event).tell("")
    except UsageError:
        return _GO_ON


def _text(hook: Hook, part: int | None, of: int | None) -> str:
    heard = hook.heard
    try:
        heard.take(*_read_input())
    except (Exception, OutOfTime):
        heard.odd = "The host's message could not be read."
        raise
    hook.run.patience_s = heard.patience_s
    if environment.no_hooks():
        return ""
    if heard.odd:
        hook.say([heard.odd])
    if not heard.asks(part):
        return ""
    with Within(heard.seconds):
        if heard.is_recorded_only:
            place = hook.run.workspace()
            repeated = None
            if heard.begins_tool:
                value = heard.call
                if place.plumbing.lacks_start(heard):
                    from agentws.features.hosts.entry import actions

                    actions.Answering(hook, part, of).begin()
                repeated = _repeated(hook, place)
                if repeated is not None and not repeated.is_decided:
                    _ask_about(hook, place, repeated)
                    return ""
                hook.gated = place.plumbing.gate(
                    value.tool, value.input, folder=value.folder, is_whole=not heard.odd, confirms=heard.confirms
                )
                if (request := hook.gated.request) is not None:
                    hook.say(request.notices)
                    hook.afterwards = lambda: place.approvals.notify(request)
            is_allowed = hook.gated is None or hook.gated.may is not False
            hook.say(place.plumbing.record_call(heard, repeated if is_allowed else None))
            if hook.gated is not None and hook.gated.may is False:
                hook.say(place.plumbing.record_refusal(heard, hook.gated.says, hook.gated.about))
            if not (heard.ends_turn and _may_ask(place, heard)):
                return ""
        from agentws.features.hosts.entry import actions

        return actions.Answering(hook, part, of).text()


def _repeated(hook: Hook, place: Workspace) -> Repeated | None:
    """Return the call of a crashed session that this one repeats; a fence that fails is reported, and stops nothing."""
    try:
        repeated: Repeated | None = place.plumbing.repeated_call(hook.heard)
    except Exception as error:
        hook.trace(error)
        return None
    return repeated


def _ask_about(hook: Hook, place: Workspace, repeated: Repeated) -> None:
    """Deny the repeated call, once for this session; that is durable before the host hears it."""
    from agentws.core.terminal import console_script
    from agentws.features.approvals.gate import Answer

    heard = hook.heard
    elsewhere = place.plumbing.stands_elsewhere(heard.call.folder)
    command = console_script.command(place.root, in_full=heard.traits.IN_FULL, elsewhere=elsewhere)
    hook.gated = Answer(may=False, says=repeated.question(place.stores, command))
    hook.say(place.plumbing.refuse_repeated(heard, repeated, hook.gated.says))


def _may_ask(place: Workspace, heard: Heard) -> bool:
    """Return whether the agent may be asked for something at this stop; only then is the code for it loaded."""
    if place.plumbing.is_handoff_due(heard, process=os.getppid(), scripted=environment.begins(*heard.traits.SCRIPTED)):
        return True
    return not heard.call.goes_on and place.stores.manifest.setting("curation.ask") == "turn"


def _read_input() -> tuple[bytes, bytes]:
    """Return what the host wrote to standard input: all of it, or its beginning and its end if it is too long."""
    if sys.stdin is None or sys.stdin.isatty():
        return b"", b""
    head, tail = bytearray(), b""
    try:
        with Within(_READING_S):
            # A host must never find its pipe closed, so what exceeds the limit is read too.
            while piece := os.read(sys.stdin.fileno(), _PIECE):
                room = _MOST_BYTES - len(head)
                head += piece[:room]
                tail = (tail + piece[room:])[-_PIECE:]
    except OutOfTime:
        pass  # the host has written everything, and keeps the pipe open
    return bytes(head), tail
