"""The backup copies at one destination that hold text to be forgotten: as fields and as sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentws.core.text.names import some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FIX = "Fix this, then re-run the command with --copies."
_COMPARE = "To compare: agentws backup verify DEST --at NAME"
_SEARCH = "To search them: re-run with --copies."


@dataclass(slots=True)
class HeldCopies:
    """The backup copies with text to be forgotten: in `place`, backups with these `names`, in so many `files`.

    `cleared` are the backups from which the text was removed, `left` (backup: path, why) what keeps it, `spoiled`
    (backup: path) what was damaged before, `git` says that some contain git history, which is not searched. `stays`
    says why nothing can be removed there, `is_searched` whether it was searched, and `absent` why it could not be
    reached or changed (empty: it could).
    """

    to: str
    place: str = ""
    names: list[str] = field(default_factory=list)
    files: int = 0
    cleared: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    spoiled: list[str] = field(default_factory=list)
    git: bool = False
    stays: str = ""
    is_searched: bool = False
    absent: str = ""

    @property
    def is_held(self) -> bool:
        """Return whether a backup copy there still holds the text, or may."""
        unseen = self.absent or (self.stays and not self.is_searched)
        return bool(self.left or unseen or set(self.names) - set(self.cleared))

    @property
    def clears(self) -> bool:
        """Return whether the text can be removed from these backup copies, now or when they are reachable."""
        return bool(self.absent or (self.names and not self.stays))

    def fields(self) -> dict[str, object]:
        """Return the fields about held copies that scripts rely on."""
        return {
            "to": self.to,
            "names": list(self.names),
            "cleared": list(self.cleared),
            "files": self.files,
            "left": list(self.left),
            "spoiled": list(self.spoiled),
            "why": self.absent or self.stays or None,
            "searched": self.is_searched,
        }

    def words(self, *, how: str) -> Iterator[str]:
        """Yield sentences about the held copies; `how` says how to remove the text that is still there."""
        if self.absent and self.place:
            yield f"Backups in {self.to} were not all changed, and may contain matches ({self.absent}). {_FIX}"
        elif self.absent:
            yield f"Backups in {self.to} cannot be reached now and may contain matches ({self.absent}). {how}"
        elif self.stays and not self.is_searched:
            yield f"Backups in {self.to} were not searched, and may contain matches. {_SEARCH}"
        elif self.stays and self.names:
            yield f"Backups contain matches: {some(self.names)} in {self.place}. {self.stays}"
        elif self.cleared:
            plural = "s" * (self.files != 1)
            yield f"Removed from {self.files:,} file{plural} of backups in {self.place}: {some(self.cleared)}."
        elif self.names:
            yield f"Backups contain matches: {some(self.names)} in {self.place}. {how}".rstrip()
        if self.left:
            yield f"Not changed in backups: {some(self.left)}. To remove these: delete the backup, after a new one."
        if self.spoiled:
            yield f"Damaged already in backups: {some(self.spoiled)}. {_COMPARE}"
        if self.git:
            yield f"Past states in git inside backups in {self.place} are not searched or changed."
