"""Shell completion of words: references, tasks, hosts, kinds, settings and more."""

from __future__ import annotations

from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from agentws.core.terminal.invocation import Run

    Pair = tuple[str, str]

USER_SETTING = "user-setting"
_MOST_CHARS = 60
_MOST_SESSIONS = 30
_BESIDES = "-_.:/"
_LOG_KINDS = ("decision", "lesson", "fact", "preference", "question", "todo", "done", "dropped", "error")
_EVENT_KINDS = ("action", "result", "error", "decision", "plan", "thought", "note")


def pairs(source: str, run: Run, incomplete: str) -> list[tuple[str, str]]:
    """Return the completions: words of `source` that begin like the given one, each with a description."""
    try:
        named = SOURCES[source](run)
        return [(name, _plain(message)) for name, message in named if name.startswith(incomplete) and _is_plain(name)]
    except AgentwsError:
        return []


def _is_plain(value: str) -> bool:
    """Return whether a shell takes it as one word that does nothing, and we as no option."""
    return bool(value) and value[0] != "-" and all(char.isalnum() or char in _BESIDES for char in value)


def _plain(text: str) -> str:
    """The text as a shell may have it in what it evaluates: letters and digits, and blanks for all else."""
    return " ".join("".join(char if char.isalnum() else " " for char in text[:_MOST_CHARS]).split())


def _started_text(started: Any) -> str:
    body = (started.body if started else None) or {}
    return str(body.get("text") or "")


def _references(run: Run) -> Iterable[Pair]:
    return ((row.ref, row.text) for row in run.workspace().todos().rows)


def _tasks(run: Run) -> Iterable[Pair]:
    return ((task.slug, task.title) for task in run.workspace().tasks.list(all=True).tasks)


def _sessions(run: Run) -> Iterable[Pair]:
    rows = run.workspace().session.list(limit=_MOST_SESSIONS).rows
    return ((row.run.id, _started_text(row.run.started)) for row in reversed(rows))


def _contexts(run: Run) -> Iterable[Pair]:
    return ((context.name, context.body) for context in run.workspace().contexts.list().contexts)


def _tables(run: Run) -> Iterable[Pair]:
    return [(name, "") for name in run.workspace().data.row_logs()]


def _artifacts(run: Run) -> Iterable[Pair]:
    return [(each.name, each.note) for each in run.workspace().data.list_artifacts().artifacts]


def _hosts(run: Run) -> Iterable[Pair]:
    from agentws.core import environment

    return ((host.name, host.title) for host in run.workspace().hosts.list(variables=environment.variables()).hosts)


def _pages(_: Run) -> Iterable[Pair]:
    from agentws.features.daily import docs

    return (
        (name, page.title) for page in docs.pages() for name in dict.fromkeys((page.name.rpartition("/")[2], page.name))
    )


def _topics(run: Run) -> Iterable[Pair]:
    from agentws.cli import commands

    yield from (
        (name, "") for panel, names in commands.panels().items() if panel != commands.PLUMBING for name in names
    )
    yield from _pages(run)


def _sources(_: Run) -> Iterable[Pair]:
    from agentws.features.transfer import sources

    return ((name, sources.source(name).title) for name in sources.names())


def _jobs(_: Run) -> Iterable[Pair]:
    from agentws.features.automation.schedule import install

    return ((job.name, " ".join(job.words)) for job in install.JOBS)


def _conflicts(run: Run) -> Iterable[Pair]:
    return ((record.id, record.path) for record in run.workspace().sync.conflicts().records)


def _tokenizers(_: Run) -> Iterable[Pair]:
    from agentws.core.formats import manifest

    (setting,) = (setting for setting in manifest.SETTINGS if setting.key == "boot.tokenizer")
    return ((str(name), "") for name in setting.choices)


def _settings(_: Run) -> Iterable[Pair]:
    from agentws.features.daily.config import settings

    return ((setting.key, setting.what) for setting in settings.ALL if setting not in settings.FIXED)


def _user_settings(_: Run) -> Iterable[Pair]:
    from agentws.core import environment
    from agentws.features.daily.config import user

    return ((setting.key, setting.what) for setting in user.settings(environment.user_settings()).settings)


SOURCES: dict[str, Callable[[Run], Iterable[Pair]]] = {
    "reference": _references,
    "task": _tasks,
    "session": _sessions,
    "context": _contexts,
    "table": _tables,
    "artifact": _artifacts,
    "host": _hosts,
    "page": _pages,
    "topic": _topics,
    "job": _jobs,
    "source": _sources,
    "conflict": _conflicts,
    "tokenizer": _tokenizers,
    "setting": _settings,
    USER_SETTING: _user_settings,
    "log-kind": lambda _: ((kind, "") for kind in _LOG_KINDS),
    "event-kind": lambda _: ((kind, "") for kind in _EVENT_KINDS),
}
"""The sources that the table of a verb names; `topic` is what `help` is asked about, `user-setting` `config --user`."""
