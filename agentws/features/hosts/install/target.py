"""`Target`: the settings that install and uninstall work on, with the host, the folder and each file's text."""

from __future__ import annotations

import shlex
from contextlib import contextmanager

from agentws import features
from agentws.core import Result
from agentws.core.disk import external_files, locate
from agentws.core.hosts import plan
from agentws.errors import AgentwsError, DamagedError, NeedsYouError, UsageError
from agentws.features import hosts
from agentws.features.hosts import hook_file, install_record, skill
from agentws.features.hosts.host_settings import SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agentws.core.disk.external_files import Spot
    from agentws.core.disk.files import Files
    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.host_settings import HostSettings
    from agentws.features.hosts.install_record import Record


class Change(Result):
    """A change of a settings file by install or uninstall: `before` and `after` are None for no file."""

    __slots__ = ("after", "before", "place", "spot")

    def __init__(self, name: str, spot: Spot, before: str | None, after: str | None) -> None:
        self.place = name
        self.spot = spot
        self.before = before
        self.after = after


class Target:
    """The settings of `host` in `folder` that are worked on; `present` is the text of each existing file."""

    __slots__ = ("folder", "host", "level", "present", "record", "settings", "spots")

    def __init__(self, stores: Stores, host: str, settings: HostSettings, level: str, folder: str) -> None:
        self.host = host
        self.settings = settings
        self.level = level
        self.folder = folder
        anywhere = level == plan.USER
        self.spots = {name: external_files.locate(folder, name, anywhere=anywhere) for name in settings.places(level)}
        texts = {name: external_files.read(spot) for name, spot in self.spots.items()}
        self.present: Texts = {name: text for name, text in texts.items() if text is not None}
        self.record = install_record.find(stores.files, host, folder)

    def wired(self) -> Sequence[Wired]:
        """Return the agentws hooks in these settings."""
        with self._named():
            return [hook_file.filled(wired, self.folder) for wired in self.settings.wired(self.present, self.level)]

    def workspace(self, wired: Wired) -> str:
        """Return the workspace of an agentws hook: the one that it names, else the one that its folder finds."""
        if wired.workspace:
            return external_files.resolved(wired.workspace)
        return locate.around(self.folder) or self.folder

    def allowed(self) -> bool | None:
        """Return whether this target lets the agent run agentws commands without asking; None for no such setting."""
        with self._named():
            return self.settings.allowed(self.present, self.level)

    def with_us(self, wiring: Wiring) -> After:
        """Return the text of each settings file with agentws installed."""
        with self._named():
            return self.settings.install(self.present, wiring)

    def without_us(self) -> After:
        """Return the text of each settings file with agentws uninstalled."""
        with self._named():
            return self.settings.uninstall(self.present, self.level, self.written())

    def rules(self, texts: Texts | None = None) -> Sequence[str]:
        """Return the permission rules for agentws commands in the target's settings, or in `texts`."""
        with self._named():
            return self.settings.rules(self.present if texts is None else texts, self.level)

    def written(self, former: Iterable[Record] = ()) -> Written:
        """Return what earlier installs wrote into these settings, for this workspace or one of the `former` records."""
        records = [record for record in (self.record, *former) if record is not None]
        files = [name for name, text in self.present.items() if any(record.holds(name, text) for record in records)]
        return plan.Written([rule for record in records for rule in self._rules_of(record)], files, self.folder)

    def _rules_of(self, record: Record) -> Sequence[str]:
        if record.rules is not None:
            return record.rules
        # Earlier versions recorded no rules: those that came with a file that is unchanged since are theirs.
        if not all(record.holds(name, self.present.get(name)) for name in record.after):
            return []
        before = self.rules({name: text for name, text in record.before.items() if text is not None})
        return [rule for rule in self.rules() if rule not in before]

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Add the folder to the message of a DamagedError, so that it names the file."""
        try:
            yield
        except DamagedError as error:
            raise DamagedError(f"{self.folder}/{error.message}", hint=error.hint) from error

    def changes(self, after: After) -> list[Change]:
        """Return the changes that give the settings files the texts in `after`."""
        return [
            Change(name, self.spots[name], self.present.get(name), text)
            for name, text in sorted(after.items())
            if self.present.get(name) != text
        ]

    def others(self, root: str) -> list[str]:
        """Return the other workspaces that these settings serve."""
        named = {wired.workspace for wired in self.wired() if wired.workspace}
        return sorted(other for other in named if external_files.resolved(other) != root)

    def check_ours(self, root: str, *, hint: str) -> list[str]:
        """Raise NeedsYouError if these settings serve another existing workspace than `root`, named by `{}` in `hint`.

        Return the other workspaces they serve, which are gone.
        """
        gone = self.others(root)
        for other in gone:
            if locate.has_manifest(other):
                raise NeedsYouError(
                    f"{features.HOSTS[self.host].title} in {self.folder} already serves another workspace: {other}.",
                    hint=hint.replace("{}", shlex.quote(other)),
                )
        return gone


def find(stores: Stores, host: str, *, level: str, folder: str | None, variables: Mapping[str, str]) -> Target:
    """Return the settings of `host` at `level` as a `Target`; `folder` is the project's for the level FOLDER.

    UsageError if there are none of that kind, DamagedError or UnsafeFileError if they cannot be read.
    """
    settings = hosts.settings(host)
    if level == plan.USER:
        home = settings.home(variables)
        if home is None:
            raise UsageError(
                f"{features.HOSTS[host].title} has no user settings that apply to every folder.",
                hint="Use --folder DIR instead of --user.",
            )
        return Target(stores, host, settings, level, external_files.resolved(home))
    chosen = locate.project(stores.root) if folder is None else external_files.resolved(folder)
    if not external_files.is_folder(chosen):
        raise UsageError(f"{chosen}: folder not found.", hint="Name the folder of a project: --folder DIR")
    return Target(stores, host, settings, plan.PROJECT if chosen == stores.root else plan.FOLDER, chosen)


# A file that two hosts share in a folder is removed with the last of them.


def heirs(stores: Stores, where: Target, variables: Mapping[str, str]) -> dict[str, Target]:
    """Return the other installed hosts that still read the skill of `where`, by its place."""
    targets = {}
    for host in features.HOSTS:
        names = [name for name in hosts.settings(host).places(where.level) if name.endswith(SKILL)]
        if host == where.host or not where.spots.keys() & set(names):
            continue
        folder = None if where.level == plan.USER else where.folder
        try:
            other = find(stores, host, level=where.level, folder=folder, variables=variables)
            wired = other.folder == where.folder and other.wired()
        except AgentwsError:
            continue  # settings that cannot be read need no shared file
        targets.update(dict.fromkeys(names if wired else (), other))
    return targets


def edited(where: Target) -> list[str]:
    """Return a notice for each skill of agentws that somebody edited: it is theirs, so it stays as it is."""
    return [
        f"{where.folder}/{name} was edited after install wrote it, so agentws left it unchanged."
        for name, text in where.present.items()
        if name.endswith(SKILL) and skill.is_edited(text)
    ]


def hand_over(files: Files, record: Record, others: Mapping[str, Target]) -> None:
    """Record for the `others` (place → heir) of shared files what was there before, and which folders were made."""
    for name, other in others.items():
        if name not in record.after:
            continue
        kept = other.record or install_record.Record(other.host, other.level, other.folder)
        was_first = kept.holds(name, record.before.get(name))
        if not was_first:
            kept.before[name] = record.before.get(name)
        if was_first or name not in kept.after:
            kept.after[name] = record.after[name]
        kept.folders += [folder for folder in record.folders if folder not in kept.folders]
        kept.folders.sort(key=len, reverse=True)
        install_record.keep(files, kept)
