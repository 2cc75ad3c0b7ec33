"""Rendering of `agentws init`: its result and the next steps, as lines for people and JSON fields for scripts."""

from __future__ import annotations

import os
from collections import Counter

from agentws.core.disk import locate
from agentws.core.findings import quoted
from agentws.core.formats import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.hosts.install.hosts import Known
    from agentws.features.init.apply import Initialised

_STEP = 42
_NO_PROGRAM = "agents-md"
"""A host that is a file for many programs, not a program on this machine."""
_MOST_HOSTS = 3
_MOST_PLACES = 12
_TRY = (
    ('agentws todo "feed the cat"', "an open item, until it is done"),
    ('agentws handoff --next "say good morning"', "a note for the next session"),
    ("agentws boot", "your agent wakes up and knows both"),
)


def next_steps(done: Initialised, hosts: Sequence[Known], *, cwd: str = "") -> list[tuple[str, str]]:
    """Return (command, what it does) of the next steps that `init` prints for a new workspace.

    The last three commands show what a workspace is for.
    """
    steps = []
    project = locate.project(done.root)
    if cwd not in ("", done.root, project):
        steps.append((f"cd {quoted(os.path.relpath(project, cwd))}", "into the workspace"))
    if "USER.md" in done.added:
        user = os.path.relpath(f"{done.root}/USER.md", project)
        steps.append((f"$EDITOR {user}", "who you are: boot shows it"))
    seen = [host for host in hosts if host.found and not host.wires and host.name != _NO_PROGRAM]
    for host in seen[:_MOST_HOSTS]:
        where = "is on this machine" if host.is_on_machine else "is used in this project"
        steps.append((f"agentws install {host.name}", f"{host.title} {where}"))
    return [*steps, *_TRY]


FIELDS = """
    root name timezone? dry_run already adopted added days first_day last_day documents log_folders pinned unread
    secrets[path line kind] loads history state_beside private=!!private in_code=is_in_code next_steps notices
"""


def lines(done: Initialised, next_steps: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines that `agentws init` prints."""
    if done.already:
        hidden = {
            None: "Nothing was changed.",
            True: "`git add` ignores the workspace.",
            False: "`git add` may include the workspace.",
        }
        message = hidden[None if done.dry_run else done.private]
        yield f"{done.root} is already a workspace ({done.name or 'unnamed'}). {message}"
        return
    would = "Would adopt" if done.adopted else "Would create"
    did = "Adopted" if done.adopted else "Created"
    yield f"{would if done.dry_run else did} the workspace of {done.name} in {done.root}"
    yield ""
    if done.adopted or done.log_folders or done.unread:
        yield from _content_lines(done)
    yield f"  {'to add' if done.dry_run else 'added':<9} {', '.join(done.added)}"
    if done.adopted:
        yield f"            {'would change' if done.dry_run else 'changed'} no existing file"
    if done.history == "branch":
        yield "  history   in a separate git repository"
    elif done.history == "ref":
        yield f"  history   {done.ref} in your repository; branch and index are not touched"
    yield f"  time zone {done.timezone}; to change it: agentws config timezone Europe/Berlin"
    if done.private:
        sent = "; `git push --mirror` would publish its history" if done.history == "ref" else ""
        yield f"  private   `git add` ignores the workspace (.git/info/exclude){sent}"
    elif done.is_in_code:
        yield "  not private: `git add -A` here would include the workspace. To exclude it: agentws init --private"
        if done.is_top_of_code:
            first = "" if done.dry_run else "agentws undo --yes && "
            yield f"            To keep it apart, in .agentmem/: {first}agentws init --own-folder"
    if done.state_beside:
        yield "  state     in .agentws/state, inside the workspace: container home folders are often temporary"
    yield ""
    if done.dry_run:
        yield "Nothing was changed (--dry-run)."
        return
    for number, (step, why) in enumerate(next_steps):
        begins = "Try:" if (step, why) == _TRY[0] else "" if number else "Next:"
        yield f"{begins:<6}{step:<{_STEP}} {why}"


def _content_lines(done: Initialised) -> Iterator[str]:
    if done.days:
        span = f"{done.days[0]} to {done.days[-1]}" if len(done.days) > 1 else done.days[0]
        yield f"  found     {len(done.days)} day{'s' * (len(done.days) > 1)} of logs, {span}"
    if done.log_folders:
        yield f"  days      {', '.join(done.log_folders)}: daily logs of other programs, read too (log.folders)"
        if globs := [f"{path}/**" for path in done.log_folders if path != "." and not layout.may_hold(path)]:
            yield "            not in history; to sync them: "
            yield f"            agentws config sync.include {quoted(','.join(globs))}"
    for folder, count in done.documents.items():
        what = (
            "1 file of another program stays a document"
            if count == 1
            else f"{count} files of other programs stay documents"
        )
        yield f"  {folder:<9} {what}: searched, not listed (adopted.documents)"
    for path in done.pinned:
        yield f"  pinned    {path}: the agent's instructions call this file current, so boot loads it"
    for host, files in done.loads:
        yield f"  host      {host} itself loads: {', '.join(files) or 'none of these files'}"
    if done.unread:
        yield f"  unread    {_unread(done.unread)}"
        yield f"            to search them: agentws config search.include {quoted(','.join(_patterns(done.unread)))}"
    if done.secrets:
        count = len(done.secrets)
        lines = f"{count} lines look like secrets" if count > 1 else "a line looks like a secret"
        yield f"  secrets   {lines}; these files are not versioned:"
        for secret in done.secrets[:10]:
            yield f"            {secret.path}:{secret.line}  {secret.kind}"
        if len(done.secrets) > 10:
            yield f"            and {len(done.secrets) - 10} more"
        yield "            to version a file that holds no secret, add it to history.include in agentws.toml"


def _unread(paths: Sequence[str]) -> str:
    """Return the number of files that are not read, and where they are: `14 Markdown files: docs (12), README.md`."""
    tops = Counter(path.partition("/")[0] for path in paths)
    places = [f"{top}/ ({count})" if top not in paths else top for top, count in tops.most_common()]
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    count = f"{len(paths)} Markdown file{'s' * (len(paths) > 1)}"
    return f"{count} neither read nor searched: {', '.join(places[:_MOST_PLACES])}{more}"


def _patterns(paths: Sequence[str]) -> list[str]:
    """Return the patterns of `search.include` for these files; hidden folders are never searched."""
    tops = dict.fromkeys(path.partition("/")[0] for path in paths)
    return [
        top if top in paths else f"{top}/**.md" for top in tops if not top.startswith(".") and top != layout.JOURNAL
    ]
