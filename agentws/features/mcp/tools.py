"""The tools of the MCP server."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text import origin
from agentws.errors import UsageError
from agentws.features.mcp.plan import schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from agentws.workspace import Workspace

    Progress = Callable[[int, int], None]
    Arguments = Mapping[str, Any]


class Answer:
    """The answer of a tool: `text` for the model, `fields` as its output schema says, and notices."""

    __slots__ = ("fields", "notices", "text")

    def __init__(self, text: str, fields: dict[str, Any], notices: Sequence[str]) -> None:
        self.text = text
        self.fields = fields
        self.notices = list(notices)


def call(workspace: Workspace, name: str, given: Arguments, *, src: str, progress: Progress) -> Answer:
    """Carry out the tool `name`; `src` is the origin of its words where `via` names no other.

    Once it returns, what it wrote is durable. AgentwsError as the verbs of the workspace raise it.
    """
    return _TOOLS[name](workspace, {"via": src, **given}, progress)


def _boot(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    booted = workspace.boot(budget=given.get("budget"))
    return Answer(booted.text, {"text": booted.text}, booted.notices)


def _search(workspace: Workspace, given: Arguments, progress: Progress) -> Answer:
    result = workspace.search(given["query"], k=given.get("k", 8), since=given.get("since"), progress=progress)
    hits = [
        {
            "path": hit.path,
            "line": hit.line,
            "text": hit.text,
            **{name: value for name, value in (("at", hit.at), ("state", hit.state), ("via", hit.unit.src)) if value},
        }
        for hit in result.hits
    ]
    lines = [f"{hit['path']}:{hit['line']}: {hit['text']}{_marked(hit)}" for hit in hits]
    return Answer("\n".join(lines) or "No hits.", {"hits": hits}, result.notices)


def _marked(hit: Mapping[str, Any]) -> str:
    """Return the end of a hit's line that names its outside origin, unless its text does."""
    mark = origin.ending(hit.get("via"))
    return "" if mark.strip() in hit["text"] else mark


def _log(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    if given.get("kind") == "todo" and not given.get("closes"):
        logged = workspace.todo(given["text"], via=given["via"])
    else:
        logged = workspace.log(given["text"], kind=given.get("kind"), closes=given.get("closes", ()), via=given["via"])
    text = f"{logged.path}:{logged.line}: {logged.entry.rstrip()}"
    return Answer(text, {"path": logged.path, "line": logged.line, "ref": logged.ref}, logged.notices)


def _remember(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    done = workspace.remember(
        given["text"], section=given.get("section"), replaces=given.get("replaces"), via=given["via"]
    )
    entry = done.entry.rstrip()
    text = f"{done.path}: {entry}" if done.is_new else f"{done.path} has it already: {entry}"
    return Answer(text, {"entry": entry, "is_new": done.is_new}, done.notices)


def _task(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    action, name, text, via = given["action"], given.get("task", ""), given.get("text", ""), given["via"]
    if action == schemas.LIST:
        listed = workspace.tasks.list()
        return _tasks(listed.tasks, listed.notices)
    if not name:
        raise UsageError(f"The action {action} needs `task`.", hint="To list all tasks: the action list")
    if action == schemas.SHOW:
        shown = workspace.tasks.show(name)
        return _tasks([shown.task], shown.notices, workspace.plumbing.task_text(name)[1])
    if action == schemas.ADD:
        changed = workspace.tasks.add(name, goal=text, via=via)
    elif action == schemas.WAIT:
        changed = workspace.tasks.wait(name, until=given.get("until"), on=text or None, via=via)
    else:
        changed = getattr(workspace.tasks, action)(name, text, via=via)
    return _tasks([changed.task], changed.notices)


def _tasks(tasks: Sequence[Any], notices: Sequence[str], text: str = "") -> Answer:
    rows = [
        {"task": task.slug, "title": task.title, "status": task.status, "steps": f"{task.steps[0]}/{task.steps[1]}"}
        for task in tasks
    ]
    lines = "\n".join(f"{row['task']}: {row['title']} ({row['status']}, {row['steps']} steps)" for row in rows)
    return Answer(text or lines or "No open tasks.", {"tasks": rows}, notices)


def _handoff(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    written = workspace.handoff(**given)
    return Answer(f"Written: {written.path}", {"path": written.path}, written.notices)


def _ask(workspace: Workspace, given: Arguments, _progress: Progress) -> Answer:
    if given.get("id"):
        request = workspace.approvals.show(given["id"])
    elif given.get("question"):
        wanted = {name: given[name] for name in ("action", "risk", "task", "via") if name in given}
        request = workspace.ask(given["question"], **wanted)
    else:
        raise UsageError("Give `question`, or the `id` of a request.")
    text = f"{request.id}: {request.status}. {request.reason}".rstrip()
    if request.status == "pending":
        text += f" A person answers in their own terminal: {request.command}"
    if request.message:
        text += f" They said: {request.message}"
    return Answer(text, output.fields(request, "id status message"), request.notices)


_TOOLS: dict[str, Callable[[Workspace, Arguments, Progress], Answer]] = {
    "boot": _boot,
    "search": _search,
    "log": _log,
    "remember": _remember,
    "task": _task,
    "handoff": _handoff,
    "ask": _ask,
}
