"""Findings about hosts, as the doctor words them: outdated, foreign or disabled hooks, files loaded twice. Pure."""

from __future__ import annotations

from agentws.core.findings import ADVICE, LAUNCH, PROBLEM, WARNING, Finding, Mend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.obstacles import Obstacle

_NOTHING = "nothing is recorded, no start-up context is shown"


class Hook:
    """The state of an installed hook: the `script` and `workspace` that it names in the settings file `place`.

    `title` names the hooks for people, `install` the command that installs the hook again; `own`: the settings are a
    folder's, not the user's. `runs`: the script exists; `is_this`: it is this agentws; `there`: the workspace exists;
    `is_here`: it is this one. `stale` names a launcher that is missing or outdated, empty for none; `renewable`: it can
    be renewed here.
    """

    __slots__ = (
        "install", "is_here", "is_this", "own", "place", "renewable", "runs", "script", "stale", "there", "title",
        "workspace",
    )  # fmt: skip

    def __init__(
        self,
        title: str,
        *,
        place: str,
        install: str,
        own: bool,
        script: str,
        workspace: str,
        runs: bool,
        is_this: bool,
        there: bool,
        is_here: bool,
        stale: str = "",
        renewable: bool = False,
    ) -> None:
        self.title = title
        self.place = place
        self.install = install
        self.own = own
        self.script = script
        self.workspace = workspace
        self.runs = runs
        self.is_this = is_this
        self.there = there
        self.is_here = is_here
        self.stale = stale
        self.renewable = renewable


def wired(hook: Hook) -> list[Finding]:
    """Return the finding about an installed hook: outdated, for another workspace or agentws, or slow."""
    if not hook.runs:
        says = f"{hook.title} call {hook.script}, which no longer exists: {_NOTHING}"
        return [Finding("hook-stale", PROBLEM, says, remedy=hook.install, path=hook.place)]
    if not hook.there:
        says = f"{hook.title} serve {hook.workspace}, which is no longer a workspace: {_NOTHING}"
        return [Finding("hook-stale", PROBLEM, says, remedy=hook.install, path=hook.place)]
    if not hook.is_here:
        severity = WARNING if hook.own else ADVICE
        says = f"{hook.title} serve another workspace: {hook.workspace}"
        remedy = f"Ignore this if intended. To serve this workspace: {hook.install}"
        return [Finding("hook-elsewhere", severity, says, remedy=remedy, path=hook.place)]
    if not hook.is_this:
        says = f"{hook.title} call {hook.script}, another agentws than this one"
        remedy = f"Ignore this if intended. To call this agentws: {hook.install}"
        return [Finding("hook-other", ADVICE, says, remedy=remedy, path=hook.place)]
    if hook.stale:
        says = f"{hook.title} start slowly: their launcher is missing or outdated"
        mends = [Mend(LAUNCH, base=hook.script)] if hook.renewable else []
        return [Finding("hook-launcher", ADVICE, says, remedy=hook.install, path=hook.stale, mends=mends)]
    return []


def twice(title: str, *, place: str, user: str, at_place: str, at_home: str) -> Finding:
    """Return the finding for a host that is installed in two settings that both apply: at `place` and in the `user`'s.

    `at_place` and `at_home` are the commands that uninstall it from the one and from the other.
    """
    says = (
        f"agentws is installed for {title} here and in {user}: "
        "every session gets its start-up text twice and is recorded twice"
    )
    remedy = f"Remove one of the two: {at_place}, or: {at_home}"
    return Finding("hook-twice", WARNING, says, remedy=remedy, path=place)


def hindered(title: str, obstacle: Obstacle) -> Finding:
    """Return the finding for hooks that their host does not run, or not before its user has agreed."""
    name = "hook-untrusted" if obstacle.untrusted else "hooks-disabled"
    severity = ADVICE if obstacle.asks else WARNING
    says = f"the hooks of {title}: {obstacle.says}"
    return Finding(name, severity, says, remedy=obstacle.remedy, path=obstacle.place)


def unrecorded(title: str, session: str, count: int) -> Finding:
    """Return the finding for a session whose transcript has more tool calls than the journal."""
    calls = "1 tool call" if count == 1 else f"{count} tool calls"
    says = (
        f"{calls} of session {session} ({title}) {'is' if count == 1 else 'are'} not in the journal: "
        "the hooks failed, took too long, or did not run"
    )
    remedy = f"agentws journal list --session {session} --kind hook.failed"
    return Finding("calls-unrecorded", WARNING, says, remedy=remedy)


def asked(title: str, *, place: str, install: str) -> Finding:
    """Return the finding for a host that asks a person before each agentws command, and refuses it in headless runs."""
    says = f"{title} asks a person before each agentws command, and refuses the command if nobody can answer"
    remedy = f"Ignore this if intended. To allow the agent: {install} --allow"
    return Finding("agent-asked", ADVICE, says, remedy=remedy, path=place)


def host_memory(title: str, *, place: str) -> Finding:
    """Return the finding for a host that keeps its own memory in the workspace and so loads MEMORY.md too."""
    says = f"{title} keeps its own memory here: it loads MEMORY.md in addition to boot"
    remedy = "Ignore this if intended. Otherwise remove autoMemoryDirectory, or install without --auto-memory."
    return Finding("double-loading", ADVICE, says, remedy=remedy, path=place)


def imported_twice(host: str, name: str, *, path: str, line: int, target: str, shown: str) -> Finding:
    """Return the finding for a file that a host imports in a way unknown to boot, so that both show it."""
    says = f"{host} loads {shown} through @{target}, and boot shows {shown} too: the tokens are spent twice"
    remedy = (
        f"Delete @{target} from {path}. Or make it relative to that file: boot --for {name} then leaves the target out."
    )
    return Finding("double-loading", WARNING, says, remedy=remedy, path=path, line=line)


def by_itself(host: str, name: str, *, path: str, line: int, shown: str) -> Finding:
    """Return the finding for a file of the agent that a host loads whole, and that boot without `--for` repeats."""
    says = f"{host} itself loads {shown}, outside the budget; without --for {name}, boot shows the file again"
    remedy = f"Delete the import of {shown} from {path}: boot shows it."
    return Finding("double-loading", ADVICE, says, remedy=remedy, path=path, line=line)


def cut_by_host(host: str, path: str) -> Finding:
    """Return the finding for a file of which a host loads only the beginning."""
    says = f"{host} loads only the beginning, so boot --for shows the file too: some tokens are spent twice"
    return Finding("host-cuts", ADVICE, says, remedy=f"Shorten {path}.", path=path)


def line_of(text: str, word: str) -> int:
    """Return the line (from 1) that a finding names: the first of the text that contains `word`, 0 for none."""
    at = text.find(word)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
