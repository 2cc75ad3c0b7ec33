"""Copies outside of the workspace that forget knows of: backups, and the git remotes of its repository."""

from __future__ import annotations

from agentws.core.installation import backups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.states.grep_history import Past
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.backup.store.copies import HeldCopies
    from agentws.features.forget.backups import Looks
    from agentws.features.forget.plan.wanted import Wanted

_REACH = "To remove them there too: re-run with --copies."
_WOULD = "They are removed there, too."
_AGAIN = "Re-run the command with --copies when they can be reached."
_REMOTES = "refs/remotes/"
_PUSH = "After rewriting: git push --force; then ask its host to remove unreachable commits."
_REASON = "forgotten"


class InBackups:
    """The backups that this installation knows; where there are none, nothing more is loaded."""

    def __init__(self, stores: Stores, wanted: Wanted) -> None:
        self.notices: list[str] = []
        self._stores = stores
        self._wanted = wanted
        self._any = bool(backups.read(stores.files, stores.manifest.agent_id, stores.environment.state))
        self._looks: Looks | None = None
        self._stays: dict[str, HeldCopies] = {}

    def look(self, *, reaches: bool) -> Sequence[HeldCopies]:
        """Return what they hold; those that cannot be changed are searched where they are to be (`reaches`)."""
        if not self._any:
            return ()
        from agentws.features.forget.backups import Looks, holding

        self._looks = Looks(self._wanted)
        found = holding(self._stores, self._looks, reaches=reaches)
        self._stays = {one.to: one for one in found if one.stays}
        return found

    def mirrors(self) -> Iterator[str]:
        """Yield what mirrors still hold it, in words."""
        if self._any:
            from agentws.features.forget.backups import Looks, mirrors

            yield from mirrors(self._stores, Looks(self._wanted))

    def clear(self, reason: str, *, run: str) -> Sequence[HeldCopies]:
        """Take it out; what cannot be reached is remembered, to be asked for again."""
        if self._looks is None:
            return ()
        from agentws.features.copies.backup.store import due
        from agentws.features.copies.backup.store.erase import Eraser
        from agentws.features.forget import copies

        eraser = Eraser(self._stores, reason or _REASON, run=run)
        found = copies.forget(eraser, self._stores, self._wanted, self._looks)
        found = [self._stays.get(one.to, one) for one in found]
        reached = {one.to: not (one.absent or (one.stays and one.names)) for one in found}
        self.notices += [*eraser.notices, *due.remember(self._stores, reached, _told(self._wanted), run=run)]
        return found


def renew_mirrors(stores: Stores) -> list[str]:
    """Let the mirrors of the newest work forget it, too; where there is no backup, nothing more is loaded."""
    if not backups.read(stores.files, stores.manifest.agent_id, stores.environment.state):
        return []
    from agentws.features.copies.backup.store.mirror import known

    return known.renew(stores)


def words(found: Sequence[HeldCopies], *, reaches: bool, dry_run: bool) -> Iterator[str]:
    """Yield what there is to say of backups; `reaches`: they are to be changed."""
    for one in found:
        how = _REACH if not reaches else _WOULD if dry_run else _AGAIN if one.absent else ""
        yield from one.words(how=how)


def git_remotes(past: Past | None) -> Iterator[str]:
    """What there is to do about the git remotes that have had past states with it, as far as this machine knows."""
    refs = [ref.removeprefix(_REMOTES) for ref in past.refs if ref.startswith(_REMOTES)] if past is not None else []
    for name in dict.fromkeys(ref.partition("/")[0] for ref in refs):
        some = ", ".join(ref.partition("/")[2] for ref in refs if ref.startswith(f"{name}/"))
        yield f"The git remote {name} has had matches when this machine last saw it ({some}). {_PUSH}"


def _told(wanted: Wanted) -> list[str]:
    """What tells one forgetting from another."""
    words = [("m", text) for text in wanted.matching] + [("s", text) for text in wanted.subjects]
    return sorted(f"{kind} {text.casefold()}" for kind, text in words)
