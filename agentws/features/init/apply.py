"""init: creates a workspace, or adopts an existing folder in place without changing a byte of it."""

from __future__ import annotations

import os
import uuid
from collections import Counter

from agentws.changes import ChangeSet
from agentws.core.disk import adopted_folders, clock, local_dir, locate
from agentws.core.disk.change import transaction
from agentws.core.disk.files import Files
from agentws.core.disk.system import shipped
from agentws.core.environment import Environment
from agentws.core.findings import quoted
from agentws.core.formats import adoption, agent_name, layout, manifest
from agentws.core.formats.git import gitconfig as _gitconfig
from agentws.core.formats.secrets import secrets
from agentws.core.identity import recovered_manifest
from agentws.core.installation import host_info
from agentws.core.markdown import escape
from agentws.core.states import exclude, repository, versions
from agentws.core.stores import stores
from agentws.core.text.names import some
from agentws.errors import (
    AgentwsError,
    DiskError,
    NestedWorkspaceError,
    OutsideProgramError,
    UsageError,
    WideFolderError,
)
from agentws.features import hosts
from agentws.features.init import survey
from agentws.features.init.plan import pins

_VAULTS = (".obsidian", "logseq")
"""The signs of a folder with a person's notes, which may have nothing of an agent yet."""
_LARGEST_READ_BYTES = 1 << 20
_ADOPTED = (layout.TASKS, layout.HANDOFFS)
_KEEP_APART = (
    "To let git ignore it where it is: agentws init --private. "
    "If it is still as init made it, take that back first: agentws undo --yes && agentws init --own-folder"
)
_INSTRUCTIONS = (layout.AGENTS, layout.SOUL, layout.IDENTITY, *layout.HOST_FILES)


class Secret:
    """A line that looks like a secret in a folder that `init` adopts: its place and kind, never the secret."""

    __slots__ = ("kind", "line", "path")

    def __init__(self, path: str, line: int, kind: str) -> None:
        self.path = path
        self.line = line
        self.kind = kind


class Initialised:
    """The result of `init`, or of a dry run.

    `already`: the folder was a workspace before; `adopted`: it held an agent's files. `added` are RelPaths; `days` the
    days that have a log, also in the `log_folders` of other programs; `pinned` files that boot will load in addition;
    `documents` (folder → number) files in `tasks/` and `handoffs/` that are neither tasks nor handoffs of agentws;
    `unread` Markdown files that nothing reads or searches; `secrets` lines that stay out of history; `timezone` that of
    USER.md, else this machine's; `loads` which files each recognised host loads itself; `history` is `branch`, `ref`
    (named by `ref`) or `none`. `private`: `git add` ignores the workspace now, or (False) includes it again;
    `is_in_code`: `git add` would include it; `is_top_of_code`: so would it, and nothing of an agent was there.
    `wide` is the error of a dry run for the home folder or one above.
    """

    __slots__ = (
        "added", "adopted", "already", "changes", "days", "documents", "dry_run", "history", "is_in_code",
        "is_top_of_code", "loads", "log_folders", "name", "notices", "pinned", "private", "ref", "root", "secrets",
        "state_beside", "timezone", "unread", "wide",
    )  # fmt: skip

    def __init__(self, root: str, *, dry_run: bool) -> None:
        self.root = root
        self.dry_run = dry_run
        self.name = ""
        self.timezone = ""
        self.already = False
        self.adopted = False
        self.added: list[str] = []
        self.days: list[str] = []
        self.documents: dict[str, int] = {}
        self.log_folders: list[str] = []
        self.unread: list[str] = []
        self.pinned: list[str] = []
        self.secrets: list[Secret] = []
        self.loads: list[tuple[str, tuple[str, ...]]] = []
        self.history = "none"
        self.ref = ""
        self.state_beside = False
        self.private: bool | None = None
        self.is_in_code = self.is_top_of_code = False
        self.wide: WideFolderError | None = None
        self.notices: list[str] = []
        self.changes = ChangeSet("init")


def init(
    root: str,
    environment: Environment,
    *,
    name: str | None = None,
    template: str | None = None,
    timezone: str | None = None,
    user: str = "",
    git: bool = True,
    private: bool | None = None,
    home: str = "",
    agreed: bool = True,
    dry_run: bool = False,
) -> Initialised:
    """Initialise `root` (an absolute path) as a workspace, new or adopted; a new USER.md names the `user`.

    A second call only changes `private`: whether `git add` in the surrounding repository ignores the workspace.
    NestedWorkspaceError inside another workspace; DiskError if the folder cannot be written; WideFolderError if it is
    or contains the folder `home`, without `agreed`.
    """
    secrets.refuse(name, user)
    for text, what in ((name, "--name"), (user or None, "Your name")):
        if text is not None:
            escape.check_heading(text, what=what)
    done = Initialised(root, dry_run=dry_run)
    if not dry_run and os.path.isdir(root):
        transaction.settle(Files(root))
    if timezone:
        clock.zone(timezone)
    if locate.has_manifest(root):
        if name or template or timezone:
            done.notices.append(
                "--name, --template and --timezone were ignored: they need a new workspace. Edit the files instead."
            )
        return _already(done, environment, private=private)
    if not agreed:
        _refuse_wide(done, home)
    outer = locate.above(root)
    if outer is not None:
        raise NestedWorkspaceError(
            f"{root} is inside the workspace {outer}.",
            hint=_KEEP_APART
            if root == locate.own_folder(outer)
            else f"Choose a folder outside, or use the existing workspace: agentws -C {outer} status",
        )
    files = Files(root)
    existing, texts = _read(files) if os.path.isdir(root) else ({}, {})
    # An empty memory/ alone is not an agent: a failed init may have left it.
    done.adopted = any(
        layout.usual(path) in layout.AGENT_FILES or (path.startswith(f"{layout.DAYS}/") and path.endswith(".md"))
        for path in existing
    )
    identity = texts.get(files.real(layout.IDENTITY), "")
    done.name = name or agent_name.from_identity(identity) or agent_name.from_folder(locate.project(root))
    _look_around(done, existing, texts)
    if done.adopted or any(map(files.exists, _VAULTS)):
        _survey(done, files)
        theirs = (path.partition("/")[0] for path, text in texts.items() if not adopted_folders.is_own(text.encode()))
        done.documents = {folder: count for folder, count in Counter(theirs).items() if folder in _ADOPTED}
    commits = _repository(done, root, git=git)
    around = exclude.find(root, own=commits == "branch")
    done.private = private if around is not None else None
    done.is_in_code = private is None and around is not None and around.is_code()
    done.is_top_of_code = done.is_in_code and not done.adopted and os.path.lexists(os.path.join(root, ".git"))
    before, agent = _before(done, files, name, git=git) if os.path.isdir(root) else (b"", "")
    _name_taken_over(done, {} if before or agent else texts)  # else they are its own
    done.timezone = (
        timezone or _zone_in(done, texts.get(files.real(layout.USER), "")) or _zone_here(done, environment.timezone)
    )
    moment = environment.now or clock.SystemClock("UTC").now()
    settings: dict[str, manifest.Value] = {
        "boot.pinned": done.pinned,
        "compaction.archive": not done.adopted,  # existing agents refer to their logs by path
        "history.commits": commits,
        "log.folders": done.log_folders,
        "adopted.documents": list(done.documents),
    }
    if done.adopted:  # marks in earlier logs were not made for agentws
        tzinfo = clock.zone(done.timezone)
        settings["compaction.since"] = moment.astimezone(tzinfo).date().isoformat()
    agent = agent or uuid.uuid4().hex
    git_dir = repository.find(root) if done.history == "ref" else None
    done.ref = versions.own_ref(root, git_dir, agent) if git_dir else ""
    done.changes = adoption.plan(
        existing={*existing, *map(layout.usual, existing)},
        template=adoption.BARE if done.adopted and template is None else shipped.template(template or "default"),
        name=done.name,
        agent_id=agent,
        timezone=done.timezone,
        created=moment.isoformat(timespec="seconds"),
        settings=settings,
        new_repository=commits == "branch",
        user=user,
        before=before,
    )
    done.added = list(done.changes.paths)
    done.state_beside = not environment.state[0] and host_info.in_container(environment.container)
    if private:
        done.notices += _hide(around, done.added, dry_run=dry_run)  # before there are files that git could add
    if not dry_run:
        _apply(done, environment)
    return done


def _refuse_wide(done: Initialised, home: str) -> None:
    """Refuse the home folder and folders above it; in a dry run add a notice instead."""
    root, home = done.root, os.path.realpath(home) if home else ""
    if root != "/" and not f"{home}/".startswith(f"{root}/"):
        return
    what = "the home folder" if root == home else "not a folder for one agent"
    message = f"{root} is {what}: everything in it would belong to the workspace."
    hint = "Use a separate folder: agentws init my-agent. If you mean this folder: agentws init --yes"
    done.wide = WideFolderError(message, hint=hint)
    if not done.dry_run:
        raise done.wide
    done.notices.append(f"{message} {hint}")


def _zone_in(done: Initialised, user: str) -> str:
    """Return the time zone that USER.md names, as an IANA name that this system knows; empty, and a notice, if it is
    none, or empty without one.
    """
    for line in user.splitlines():
        label, colon, value = line.partition(":")
        named = value.strip(" *_`")
        if colon and " ".join(label.strip(" -*_#").casefold().split()) in ("time zone", "timezone"):
            if name := clock.zone_named(named):
                return name
            if named and named[0].isalpha():
                done.notices.append(f"{layout.USER}: unknown time zone {named!r}.")
    return ""


def _zone_here(done: Initialised, tz: str | None) -> str:
    """Return the time zone of this machine. UsageError if `$TZ` has a rule that no zone has; a notice if it is none."""
    name = clock.local_zone_name(tz)
    if not name:
        raise UsageError(
            f"TZ={tz} has the rule of no time zone that this system knows.",
            hint="Name yours: agentws init --timezone Europe/Berlin",
        )
    if tz and clock.zone_in(tz) is None:
        done.notices.append(f"TZ={tz}: this system does not know that time zone; {name} is used instead.")
    return name


def _hide(around: exclude.Around | None, added: list[str], *, dry_run: bool) -> list[str]:
    """Exclude the workspace from `git add`; return notices."""
    if around is None:
        return ["There is no git repository here, so --private has no effect."]
    if not dry_run:
        around.hide([*added, *map(Files(around.root).real, layout.AGENT_FILES)])
    ours = [
        path
        for path in around.tracked()
        if path in _gitconfig.EXCLUDED_FILES or path.partition("/")[0] in _gitconfig.EXCLUDED_FOLDERS
    ]
    if not ours:
        return []
    names = ", ".join(ours[:3]) + (f" and {len(ours) - 3} more" if len(ours) > 3 else "")
    return [
        f"git already tracks these files, so --private does not hide them: {names}. To untrack: git rm --cached FILE"
    ]


def _before(done: Initialised, files: Files, name: str | None, *, git: bool) -> tuple[bytes, str]:
    """Return (an earlier manifest of this folder, the id of the agent whose journal is here), each empty if none."""
    agent = recovered_manifest.agent_of(files)
    before = recovered_manifest.manifest_of(files) if git and repository.find(files.root) else b""
    was = manifest.decode(before, where=layout.MANIFEST) if before else None
    if was is not None and agent in ("", was.agent_id):
        done.name = was.name
        restored = "is missing and would be" if done.dry_run else "was missing and was"
        done.notices.append(
            f"{layout.MANIFEST} {restored} restored from history. The agent keeps its name, {was.name}."
        )
        if name and name != was.name:
            done.notices.append(f"--name was ignored: it needs a new agent. Edit {layout.MANIFEST} instead.")
        return before, was.agent_id
    if agent:
        done.notices.append(
            f"{layout.MANIFEST} was missing. The journal here belongs to agent {agent[:8]}, so this is that agent."
        )
    return b"", agent


def _already(done: Initialised, environment: Environment, *, private: bool | None) -> Initialised:
    done.already = True
    try:
        opened = stores.open_at(done.root, environment)
        if not done.dry_run:
            opened.settle()
        done.name = opened.manifest.name
        done.notices += opened.notices
        if private is not None:
            _privacy(done, opened, private=private)
    except AgentwsError as error:
        done.notices.append(error.message)
    return done


def _privacy(done: Initialised, opened: stores.Stores, *, private: bool) -> None:
    own = opened.manifest.setting("history.commits") == "branch" and os.path.lexists(os.path.join(done.root, ".git"))
    around = exclude.find(done.root, own=own)
    done.private = private if around is not None else None
    if private:
        done.notices += _hide(around, [], dry_run=done.dry_run)
    elif not done.dry_run:
        done.notices += exclude.forget(done.root)


def _read(files: Files) -> tuple[dict[str, int], dict[str, str]]:
    """Return (the paths in the root and in the folders of agentws, path → text of each document)."""
    existing = dict.fromkeys((name for name, _ in files.names()), 0)
    texts: dict[str, str] = {}
    for folder in ("memory", "memory/tasks", "memory/state", "tasks", "contexts", "handoffs", "docs", "state"):
        existing.update(dict.fromkeys((f"{folder}/{name}" for name, kind in files.names(folder) if kind == "file"), 0))
    for path in versions.paths(files):
        existing[path] = 0
        try:
            texts[path] = files.part(path, _LARGEST_READ_BYTES)[0].decode("utf-8", "replace").removeprefix("\ufeff")
        except DiskError:
            raise  # the content decides how the folder is adopted
        except AgentwsError:
            continue  # boot and status report it; adoption does not depend on it
    return existing, texts


def _look_around(done: Initialised, existing: dict[str, int], texts: dict[str, str]) -> None:
    done.days = adoption.days(existing)
    named = {layout.usual(path): text for path, text in texts.items() if path not in dict(layout.misspelt(texts))}
    instructions = {path: named[path] for path in _INSTRUCTIONS if path in named}
    done.pinned = pins.current_files(instructions, existing)
    for path, text in sorted(texts.items()):
        done.secrets += [Secret(path, finding.line, finding.kind) for finding in secrets.find(text)]
    done.loads = [(host.title, loads) for host, loads in hosts.recognised(existing)]
    done.notices += [
        f"{name}: not read, because {read} is there too. Move its text to {read}."
        for name, read in layout.misspelt(existing)
    ]
    done.notices += [
        f"{path}: the name is not a calendar date, so this file is not a daily log."
        for path in adoption.not_days(existing)
    ]


def _survey(done: Initialised, files: Files) -> None:
    seen = survey.of(files, done.pinned)
    done.log_folders, done.unread = seen.log_folders, seen.unread
    others = adopted_folders.daily_notes(files, seen.log_folders)
    done.days = sorted({*done.days, *(day for day, _ in others)})
    for folder, count in seen.maybe.items():
        says = f"{folder}: {count} file{'s' * (count > 1)} named by a day, not read as daily logs. To read them so: "
        set_ = f"agentws config log.folders {quoted(','.join([*seen.log_folders, folder]))}"
        moved = f"mv {folder} journals, then agentws config log.folders journals"
        done.notices.append(says + (moved if folder.casefold() == layout.JOURNAL else set_))


def _name_taken_over(done: Initialised, texts: dict[str, str]) -> None:
    """Add a notice about the files of another program that count as tasks or handoffs for their front matter."""
    for folder in _ADOPTED:
        paths = [path for path in sorted(texts) if path.startswith(f"{folder}/") and path.endswith(".md")]
        if own := [path for path in paths if adopted_folders.is_own(texts[path].encode())]:
            count = f"{len(own)} file{'s' * (len(own) > 1)}"
            done.notices.append(
                f"{folder}/: {count} with a front matter like agentws's, listed as {folder}: {some(own)}."
            )


def _repository(done: Initialised, root: str, *, git: bool) -> str:
    """Return the setting `history.commits`: `branch` in a repository that init makes, else `ref` or `off`."""
    if not git:
        return "off"
    ours = os.path.isdir(root) and _made_by_us(root)
    if os.path.isdir(root) and repository.find(root) is not None and not ours:
        done.history = "ref"
        return "ref"
    from agentws.core.states import plumbing

    if os.path.isdir(root) and os.path.lexists(os.path.join(root, ".git")) and not ours:
        done.notices.append(".git is not a usable repository, so there is no history.")
        return "ref"
    if not plumbing.available():
        done.notices.append("git is not usable, so there is no history. Everything else works.")
        return "ref"
    done.history = "branch"
    return "branch"


def _made_by_us(root: str) -> bool:
    """Return whether an earlier `init` made the repository here, or was killed while making it."""
    try:
        data = Files(root).read(local_dir.MADE_REPOSITORY).strip()
        return data == b"making" or data == str(os.lstat(os.path.join(root, ".git")).st_ino).encode()
    except (AgentwsError, OSError):
        return False


def _meet(opened: stores.Stores) -> None:
    """Pin the present writers: a later one is a stranger."""
    from agentws.core.identity import pinned_writers

    try:
        pinned_writers.meet(*opened.machine, at=opened.now_text())
    except AgentwsError:
        return  # the first boot or write pins them


def _apply(done: Initialised, environment: Environment) -> None:
    try:
        os.makedirs(done.root, 0o700, exist_ok=True)  # of a folder that exists, the mode stays
    except OSError as error:
        raise DiskError(
            f"{done.root}: cannot be created ({os.strerror(error.errno or 0).lower()}).",
            hint="Choose a writable folder.",
        ) from error
    files = Files(done.root)
    local_dir.prepare(files)
    if done.state_beside:
        files.make_folder(local_dir.STATE)
    opened = stores.Stores(done.root, environment)
    opened.adopted = True
    if done.history == "branch":
        from agentws.core.states import plumbing

        try:
            if not files.exists(".git"):
                files.replace(local_dir.MADE_REPOSITORY, b"making\n", expects=files.digest(local_dir.MADE_REPOSITORY))
                plumbing.create(done.root)
            inode = os.lstat(os.path.join(done.root, ".git")).st_ino
            files.replace(
                local_dir.MADE_REPOSITORY, f"{inode}\n".encode(), expects=files.digest(local_dir.MADE_REPOSITORY)
            )
        except OutsideProgramError as error:
            done.history = "none"
            done.notices.append(f"No history is recorded: {error.message}{f' {error.hint}' if error.hint else ''}")
    opened.manifest = manifest.decode(done.changes.changes[-1].data, where=layout.MANIFEST)  # type: ignore[union-attr]
    opened.apply(done.changes, signs_in=False)  # it has no content of an agent yet
    _meet(opened)
    if done.history != "none" and opened.history_failure():
        done.history = "none"
    # The files held back for their secrets are part of the result already.
    done.notices += [notice for notice in opened.notices if not (done.secrets and "look like secrets" in notice)]
