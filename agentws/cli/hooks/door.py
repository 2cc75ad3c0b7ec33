"""The door of `agentws hook`: hear the host, let its work be done, answer.

A hook never breaks its host: whatever fails, the answer is one that the host understands, the exit code is 0, and
what went wrong is said on stderr and, where that can be, in the journal.
"""

from __future__ import annotations

import os
import sys

from agentws import workspace
from agentws.cli import environment, output
from agentws.cli.hooks.deadline import OutOfTime, Within
from agentws.cli.hooks.trace import Hook
from agentws.errors import AgentwsError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.cli.invocation import Run
    from agentws.operations.ask.gate import Answer
    from agentws.operations.hook.call import Heard

_MOST_BYTES = 8 << 20
_PIECE = 1 << 16
_ALONE_S = 2.0
_UNCHECKED = "The rules of what may be done could not be checked, so this is not done. Tell your user."
_READING_S = 2.0
_GO_ON = "{}\n"
"""What every host reads as: go on."""


def answer(run: Run, host: str, event: str, part: int | None, of: int | None = None) -> None:
    """Do what this event of the host asks for, and print what the host wants; UsageError for a host that is none.

    main.py makes of that, and of all else that is wrong with a call, what is harmless: `neutral`.
    """
    hook = Hook(run, workspace.hear(host, event))
    text = ""
    try:
        text = _text(hook, part, of)
    except (Exception, OutOfTime, KeyboardInterrupt) as error:
        hook.trace(error)
        text = hook.apology(error, part)
    try:
        output.text(_decided(hook) or hook.heard.tell(text))
    except (AgentwsError, SystemExit):
        pass  # nobody reads, which is no failure of the host's
    if hook.afterwards is not None:
        from agentws.cli.hooks import aside

        aside.run(hook.afterwards)


def _decided(hook: Hook) -> str:
    """What the host is told of a tool that is about to run; empty where nobody has a say in that.

    Where the gate was not passed, for whatever reason, what a rule of this machine is about does not run.
    """
    if not hook.heard.begins_tool:
        return ""
    try:
        with Within(_ALONE_S):
            gated = hook.gated or _gated_alone(hook.heard)
    except (Exception, OutOfTime) as error:
        hook.trace(error)
        return hook.heard.decide(may=False, says=_UNCHECKED)
    if gated is None or not gated.says:
        return ""
    told = hook.heard.decide(may=gated.may, says=gated.says)
    if not told and not gated.may:
        hook.say([f"{hook.heard.host} cannot be kept from this: {gated.says}"])
    return told


def _gated_alone(heard: Heard) -> Answer | None:
    """What the rules of this machine say where the workspace could not be asked."""
    if environment.no_hooks():
        return None
    said = heard.call
    return workspace.gate_alone(
        environment.user_settings(), said.tool, said.input, folder=said.folder, is_whole=not heard.odd
    )


def neutral(words: list[str]) -> int:
    """Tell a host to go on whose call was none of ours; the exit code, 0. What is wrong with the call was said.

    Some hosts read any other exit code as: stop this tool, this prompt, this session.
    """
    named = [word for word in words[words.index("hook") + 1 :] if not word.startswith("-")]
    try:
        _said()
        output.text(_go_on(*(*named, "", "")[:2]))
    except (Exception, OutOfTime, KeyboardInterrupt, SystemExit):
        return 0  # nobody reads, which is no failure of the host's
    return 0


def _go_on(host: str, event: str) -> str:
    try:
        return workspace.hear(host, event).tell("")
    except UsageError:
        return _GO_ON


def _text(hook: Hook, part: int | None, of: int | None) -> str:
    heard = hook.heard
    heard.take(*_said())
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
            if heard.begins_tool:
                said = heard.call
                hook.gated = place.gate(
                    said.tool, said.input, folder=said.folder, is_whole=not heard.odd, confirms=heard.confirms
                )
                if (request := hook.gated.request) is not None:
                    hook.say(request.notices)
                    hook.afterwards = lambda: place.notify(request)
            hook.say(place.record_call(heard))
            if hook.gated is not None and hook.gated.may is False:
                hook.say(place.record_refusal(heard, hook.gated.says))
            if not heard.may_ask or place.manifest.setting("curation.ask") != "turn":
                return ""
        from agentws.cli.hooks import actions

        return actions.Answering(hook, part, of).text()


def _said() -> tuple[bytes, bytes]:
    """What stands on standard input; where that is too much, its beginning and its end."""
    if sys.stdin is None or sys.stdin.isatty():
        return b"", b""
    head, tail = bytearray(), b""
    try:
        with Within(_READING_S):
            # A host must never find its pipe closed: what is not wanted is read, too.
            while piece := os.read(sys.stdin.fileno(), _PIECE):
                room = _MOST_BYTES - len(head)
                head += piece[:room]
                tail = (tail + piece[room:])[-_PIECE:]
    except OutOfTime:
        pass  # it has said all that it wants to say, and keeps the pipe open
    return bytes(head), tail
