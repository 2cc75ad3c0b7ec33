"""`PluginFile`: settings of a host as `install` writes them, if a plugin in one file stands for its hooks. Pure."""

from __future__ import annotations

from agentws.core.hosts import allowance, plan
from agentws.core.hosts.plan import NOTHING, USER
from agentws.errors import UsageError
from agentws.features.hosts import javascript, skill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentws.core.hosts.plan import After, Texts, Wired, Wiring, Written

    Source = Callable[[Sequence[str], Sequence[str], Sequence[str]], str]
    """Returns the plugin's source for a command, a launcher, and the commands that it allows."""
    Allowed = Callable[[str], list[str]]
    """Returns the commands that a plugin's source allows."""


class PluginFile:
    """Settings functions of a host with a plugin: `file`, below a project's `folder` or the user's `home`.

    `homes` are the variables that may name the user's folder, each with a subfolder. The plugin's `source` begins with
    `mark`. `allows` reads which commands it allows, None if a plugin of this host cannot allow any.
    """

    __slots__ = ("allows", "file", "folder", "homes", "host", "mark", "signs_", "source")

    def __init__(
        self,
        host: str,
        *,
        folder: str,
        file: str,
        homes: Sequence[tuple[str, str]],
        signs: Sequence[str],
        source: Source,
        mark: str,
        allows: Allowed | None = None,
    ) -> None:
        self.host = host
        self.folder = folder
        self.file = file
        self.homes = homes
        self.signs_ = signs
        self.source = source
        self.mark = mark
        self.allows = allows

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return the folder of the user's settings of this host with a plugin."""
        return plan.folder(variables, *self.homes)

    def signs(self) -> Sequence[str]:
        """Return the files that show that a project uses this host with a plugin."""
        return self.signs_

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for this host: the plugin and the skill."""
        return (self._at(level, self.file), self._at(level, skill.FILE))

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return this version's plugin and the skill; UsageError if the plugin's file is not agentws's."""
        place = self._at(wiring.level, self.file)
        before = present.get(place)
        if before is not None and not self._is_ours(before):
            raise UsageError(f"{place} is not a plugin of agentws.", hint="Rename that file, then install again.")
        allows = self.allows(before or "") if self.allows and wiring.allows is None else []
        allows = allowance.typed(wiring) if wiring.allows else allows
        texts = {place: self.source(wiring.words(self.host, "EVENT")[:-1], wiring.launcher, allows)}
        skill.put(texts, present, self._at(wiring.level, skill.FILE), wiring)
        return plan.changed(present, texts)

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return None for the plugin and the skill, each only if it is agentws's."""
        known = {self._at(level, self.file): self._is_ours, self._at(level, skill.FILE): skill.is_ours}
        return {place: None for place, is_ours in known.items() if is_ours(present.get(place, ""))}

    def wired(self, present: Texts, level: str) -> tuple[Wired, ...]:
        """Return the script and workspace of the plugin."""
        text = present.get(self._at(level, self.file), "")
        wired = javascript.wired(text, self.host) if self._is_ours(text) else None
        return () if wired is None else (wired,)

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the plugin allows every agentws command that may be allowed; None if it cannot allow any."""
        text = present.get(self._at(level, self.file), "")
        return self._is_ours(text) and allowance.covers(self.allows(text)) if self.allows else None

    def _at(self, level: str, place: str) -> str:
        return place if level == USER else f"{self.folder}/{place}"

    def _is_ours(self, text: str) -> bool:
        return text.startswith(self.mark)
