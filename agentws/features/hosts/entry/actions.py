"""Actions of hooks that do more than record: a boot, a question to the agent, memories, a handoff at the end."""

from __future__ import annotations

import os

from agentws.core import environment
from agentws.core.journal import head
from agentws.errors import AgentwsError, LockHeldError, NeedsYouError, UsageError
from agentws.features.hosts.entry.deadline import OutOfTime, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.features.hosts.entry.trace import Hook

_STEP_S = 3.0
"""The seconds that a step may take if the rest of the answer can do without."""
_HINT_TOKENS = 800
_MANY = 40
"""The number of actions without a note (features/hosts/hook/reminder.py)."""
_MAIN = "main"
_RECALL, _SYNCS = "recall.prompt", "sync.hooks"
_RECALL_S = 1.0
"""The seconds that the search may take while a person waits for an answer."""
_MOST_UNSEALED = 64
_SYNC_S = 2.0
"""The seconds that the start of a session waits for a sync."""
_HINTS = (
    "From the agent's workspace. Say in your summary what you are doing, what is decided, what is pending and what "
    "must never be done. Keep everything below that is still true:\n\n"
)
_ASKED = """\
From the agent's workspace, once a day: {0}.
Read the brief, answer it as it says, then end your turn. If nothing belongs in MEMORY.md, answer NONE.

{1}
{1} --apply -
"""
_HANDOFF = """\
From agentws: before you stop, tell the next session what it must know, in at most 150 tokens (600 characters), with
names, numbers and paths: what you are doing, what is decided and pending, what must never be done. Options repeat;
single quotes keep $.
  {0} handoff --doing '…' --decided '…' --pending '…' --decided 'Never …'
"""
_OFFERED = """\
Which of these lines of today stay true and belong in MEMORY.md? Often none.
{1}
  {0} remember '…'
"""
_END, _ANSWER = "Then end your turn.\n", "Then answer this:\n"
_NUDGE = """\
From agentws, once a session: {0} tool calls without a note. Write down what the next session should know: {1} log "…"
"""
_NO_ROOM = """\
Your start-up context has {1} parts, and the hooks can load only {0} texts: the rest is missing.
First of all, run this command and read its output: {2}
{3}
"""
_MORE = "Then tell your user to run `agentws install {0}`, so that the hooks load all parts."
_NEXT_TIME = "The hooks of the next session load all parts."
_LATER = "Another process is changing the workspace: the next boot will recover the handoff."


class Answering:
    """The actions that answer a hook call in its workspace; each kind of event is a method of its name."""

    __slots__ = ("_hook", "_line", "_of", "_part", "_said", "_workspace")

    def __init__(self, hook: Hook, part: int | None, of: int | None = None) -> None:
        self._hook = hook
        self._part = part
        self._of = of
        self._line = ""
        self._said = hook.heard.call
        self._workspace = hook.run.workspace()
        surroundings = self._workspace.stores.environment
        if self._said.session:
            surroundings.session = self._said.session
        surroundings.unnamed = not (surroundings.session or surroundings.hosted)
        if self._said.audience != _MAIN:
            surroundings.audience = self._said.audience

    def text(self) -> str:
        """Run the action of this event, and return the text for the agent, empty for none."""
        result: str = getattr(self, self._said.what)()
        return result

    def started(self) -> str:
        """Answer a session start: begin the session unless it runs, and return the boot for the agent."""
        if self._workspace.stores.manifest.setting(_SYNCS):
            self._try(self._sync)
        self._try(self._workspace.stores.catch_up, self._begin)
        if self._part in (None, 1):
            self._try(self._let_wait, self._note_failures)
        if self._recalls and self._part in (None, 1) and self._said.audience == _MAIN:
            self._hook.afterwards = self._workspace.search.refresh
        elif self._part in (None, 1) and self._is_seal_due() and self._workspace.plumbing.may_seal_aside():
            self._hook.afterwards = self._workspace.plumbing.seal_aside
        return self._boot(self._part)

    def begin(self) -> None:
        """Begin the session."""
        self._try(self._begin)

    def prompt(self) -> str:
        """Answer a prompt: record it, and return the boot if one is due, else a nudge and memories."""
        self._try(self._begin_late, self._record, self._let_wait)
        if self._workspace.stores.history_failure():  # the hook of the start was killed
            self._hook.afterwards = self._workspace.stores.catch_up
        due = bool(self._said.session) and self._workspace.plumbing.is_boot_due(self._said.session)
        if due:
            return self._boot(None)
        self._try(self._nudge)
        if self._recalls and self._said.is_typed:
            self._try(self._recall)
        return self._line

    def reply(self) -> str:
        """Answer the agent's reply: return a question for a handoff, or else for curating MEMORY.md; empty if none."""
        return self.stopping() or self._ask_for_curation()

    def stopping(self) -> str:
        """Answer a stop of the agent: return the question for a handoff, empty if none is due."""
        heard = self._hook.heard
        scripted = environment.begins(*heard.traits.SCRIPTED)
        if not self._workspace.plumbing.is_handoff_due(heard, process=os.getppid(), scripted=scripted):
            return ""
        self._workspace.plumbing.note_asked(self._said.session)
        return parting(self._command(), self._workspace.plumbing.lines_for_memory(), later=heard.traits.ASKS_LATER)

    def _ask_for_curation(self) -> str:
        if self._said.goes_on:
            return ""
        waits = self._workspace.plumbing.ask_for_curation()
        if not waits:
            return ""
        import shlex

        from agentws.core.terminal import console_script

        words = [console_script.path() or "agentws", "-C", self._workspace.root, "curate"]
        return _ASKED.format(waits, shlex.join(words))

    def compacting(self) -> str:
        """Answer a coming compaction: record it, and return what the host's summary should keep."""
        self._try(self._record)
        self._try(self._remind)
        return self._hints() if self._hook.heard.takes else ""

    def compacted(self) -> str:
        """Answer a compaction: record it, and return the boot, unless the next prompt brings it."""
        self._try(self._record)
        self._try(self._remind)
        return self._boot(None) if self._hook.heard.takes else ""

    def ended(self) -> str:
        """Answer a session end: end the session, with a handoff if it has done anything; return no text."""
        session = self._said.session
        if not session:
            return ""
        if self._said.text and self._workspace.plumbing.has_failed(session):
            self._said.text = ""
        if self._said.text or self._said.calls:
            self._try(self._record)
        plumbing = self._workspace.plumbing
        self._try(
            self._forget,
            lambda: plumbing.forget_nudge(session),
            lambda: plumbing.forget_asked(session),
            lambda: plumbing.no_longer_wait(self._hook.heard, os.getppid()),
        )
        if self._recalls:
            self._try(lambda: plumbing.forget_told(session))
        # Boot shows the newest handoff: that of a short talk must not hide one that is still open.
        has_work = plumbing.has_work(session)
        if has_work and plumbing.only_talked(session):
            has_work = not (plumbing.has_open_handoff() or self._workspace.handoff.list().rows)
        if has_work and self._workspace.plumbing.is_changing():
            # The session is not ended, so the next boot finds it interrupted and derives its handoff.
            self._hook.say([_LATER])
            return ""
        surroundings = self._workspace.stores.environment
        surroundings.seals = False
        if has_work:
            self._hand_over()
        self._end()
        surroundings.seals = True
        seals = self._workspace.plumbing.may_seal_aside()
        if not seals:
            self._hook.say(self._workspace.plumbing.seal_aside())
        self._hook.afterwards = lambda: self._afterwards(seals=seals)
        return ""

    def _is_seal_due(self) -> bool:
        """Return whether many events are unsealed: sessions that end without Python seal nothing."""
        stores = self._workspace.stores
        own = stores.installation()
        return own is not None and head.unsealed(stores.files, own) > _MOST_UNSEALED

    def _afterwards(self, *, seals: bool) -> None:
        if seals:
            self._workspace.plumbing.seal_aside()
        self._workspace.plumbing.backup_aside()
        if self._workspace.stores.manifest.setting(_SYNCS):
            self._workspace.plumbing.sync_aside()
        self._workspace.plumbing.ship_aside()

    def _sync(self) -> None:
        try:
            with Within(_SYNC_S):
                self._workspace.plumbing.sync_at_start()
        except OutOfTime:
            return  # the session starts with what is here already

    def _try(self, *steps: Callable[[], None]) -> None:
        """Run the steps; report one that fails or takes too long, and go on with the rest of the answer.

        A lock that another process holds is waited for only once.
        """
        for do in steps:
            try:
                with Within(_STEP_S):
                    do()
            except (Exception, OutOfTime) as error:
                self._hook.trace(error)
                if isinstance(error, LockHeldError):
                    return

    def _record(self) -> None:
        self._hook.say(self._workspace.plumbing.record_call(self._hook.heard))

    def _begin(self) -> None:
        session, heard = self._said.session, self._hook.heard
        if session:
            from functools import partial

            text = " · ".join(word for word in (heard.host, self._said.source) if word)
            start = partial(
                self._workspace.session.start, via=heard.src, audience=self._said.audience, daemon=heard.traits.DAEMON
            )
            self._hook.say(self._workspace.plumbing.begin_once(session, process=os.getppid(), text=text, start=start))

    def _note_failures(self) -> None:
        session = self._said.session
        if set(self._workspace.stores.appender().sessions()) - {session}:
            note = self._workspace.plumbing.note_failures
            self._hook.say(note(environment.variables(), besides=session))

    def _begin_late(self) -> None:
        if self._said.session and not self._workspace.plumbing.is_running(self._said.session):
            self._begin()  # the hooks were installed while the session ran

    def _let_wait(self) -> None:
        self._workspace.plumbing.let_calls_wait(self._hook.heard, os.getppid())

    def _nudge(self) -> None:
        value, heard = self._said, self._hook.heard
        if not (
            value.session and value.is_typed and heard.takes and self._workspace.plumbing.is_nudge_due(value.session)
        ):
            return
        self._workspace.plumbing.nudged(value.session)
        self._line = _NUDGE.format(_MANY, self._command())

    @property
    def _recalls(self) -> bool:
        """Return whether prompts get memories: if set, if the host accepts them, and if the session has a name."""
        manifest = self._workspace.stores.manifest
        return bool(self._said.session and self._hook.heard.recalls and manifest.setting(_RECALL))

    def _recall(self) -> None:
        """Add memories for the prompt within a second, or none; AgentwsError if the search is too slow."""
        search = self._workspace.plumbing.recall
        try:
            with Within(_RECALL_S):
                result = search(self._said.text, session=self._said.session, via=self._hook.heard.src)
        except OutOfTime as error:
            self._hook.afterwards = self._workspace.search.refresh  # so that the next prompt finds it ready
            raise AgentwsError(
                f"No memories were added: the search took longer than {_RECALL_S:.0f} s.", hint="agentws index status"
            ) from error
        self._hook.say(result.notices)
        self._line += result.text

    def _note_told(self, text: str, part: int | None, *, elsewhere: bool) -> None:
        note = self._workspace.plumbing.note_told_boot
        note(self._said.session, text, host=self._hook.heard.host, part=part, elsewhere=elsewhere)

    def _remind(self) -> None:
        if self._hook.heard.boots_later and self._said.session:
            self._workspace.plumbing.remind_of_boot(self._said.session)

    def _boot(self, part: int | None) -> str:
        heard, plumbing, session = self._hook.heard, self._workspace.plumbing, self._said.session
        goes_on = bool(session) and heard.resumes and not plumbing.is_boot_due(session)
        elsewhere = plumbing.stands_elsewhere(self._said.folder)
        booted = self._workspace.boot(
            host=heard.host,
            part=part,
            audience=self._said.audience,
            elsewhere=elsewhere,
            whole=heard.takes_all,
            command=self._command(),
        )
        self._hook.say(booted.notices)
        self._try(self._forget)
        news = plumbing.boot_news(session, booted) if goes_on else None
        if news is None and part is not None:
            is_idle_behind = plumbing.is_last_part(heard.host, part, booted)
            if is_idle_behind and booted.parts > part == 1:
                return self._boot(None)
            if (is_idle_behind or part == self._of) and booted.parts > part:
                return self._no_room(part, booted.parts, _NEXT_TIME if is_idle_behind else _MORE)
        notes: list[Callable[[], None]] = []
        if self._recalls:
            notes.append(lambda: self._note_told(booted.text, part, elsewhere=elsewhere))
        if session and (heard.keeps_boot or self._workspace.stores.adopted):
            notes.append(lambda: plumbing.note_boot(session, booted))
        self._hook.delivered = lambda: self._try(*notes)
        return booted.text if news is None else news

    def _no_room(self, part: int, parts: int, ending: str) -> str:
        """Return the text in place of the last part that hooks load if the boot has more: both have no room."""
        words = f"{self._command()} boot"
        if self._said.audience != _MAIN:
            words += f" --audience {self._said.audience}"
        return _NO_ROOM.format(part, parts, words, ending.format(self._hook.heard.host))

    def _command(self) -> str:
        """Return the command by which the agent calls agentws from its working folder."""
        from agentws.core.terminal import console_script

        is_elsewhere = self._workspace.plumbing.stands_elsewhere(self._said.folder)
        return console_script.command(
            self._workspace.root, in_full=self._hook.heard.traits.IN_FULL, elsewhere=is_elsewhere
        )

    def _forget(self) -> None:
        if self._said.session and (self._part or 1) == 1:
            self._workspace.plumbing.forget_boot(self._said.session)

    def _hints(self) -> str:
        from agentws.core.formats.documents import handoff
        from agentws.core.text import sanitize

        try:
            note = self._workspace.handoff(
                auto=True, dry_run=True, session=self._said.session or None, max_tokens=_HINT_TOKENS
            )
        except UsageError:
            return ""  # nothing is open, and nothing was decided
        body = handoff.decode(note.text.encode("utf-8", "replace"), path=note.path).body
        return sanitize.inert(_HINTS + body.strip() + "\n")

    def _hand_over(self) -> None:
        src = self._hook.heard.src
        try:
            self._hook.say(self._workspace.handoff(auto=True, session=self._said.session, via=src).notices)
        except UsageError as error:
            # Boot could not derive a handoff either, so the session ends; but it has worked, so that is reported.
            self._hook.trace(error)

    def _end(self) -> None:
        try:
            end = self._workspace.session.end
            self._hook.say(end(session=self._said.session, via=self._hook.heard.src).notices)
        except NeedsYouError:
            return  # it never began here, or has ended before


def parting(command: str, lines: Sequence[str], *, later: bool) -> str:
    """Return the text that asks the agent for its handoff, and which of the lines belong in MEMORY.md.

    `command` is how the agent calls agentws. With `later` a prompt of the user follows.
    """
    from agentws.core.text import sanitize

    offered = sanitize.inert("\n".join(f"- {line}" for line in lines))
    memory = _OFFERED.format(command, offered) if lines else ""
    return f"{_HANDOFF.format(command)}{memory}{_ANSWER if later else _END}"
