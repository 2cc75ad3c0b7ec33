"""A migration as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.core.terminal import output
from agentws.core.text import sizes
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.features.copies.migrate.arrival import Migrated


_MOST_SHOWN = 5


def fields(done: Migrated) -> dict[str, object]:
    """The fields of `agentws/migrate@1`."""
    return output.fields(
        done,
        "to via state migration path host files bytes sent_files sent_bytes resumes aside booted vouched through "
        "left stripped runs signer code notices",
    )


def lines(done: Migrated) -> Iterator[str]:
    """Yield the lines about a migration, or about a dry run."""
    yield from _WORDS[done.state](done)


def _planned(done: Migrated) -> Iterator[str]:
    if done.through:
        yield f"Would take the agent from {one_line(done.through)} to {one_line(done.to)}"
        yield f"  holds     {done.files:,} files, {sizes.readable(done.bytes)}, from {one_line(done.host)}"
        yield from _sender(done)
        yield from _left(done)
        yield "  compare   the code with the one shown at the source"
        yield "  then      this machine holds the agent, and the repository no longer does"
        return
    yield f"{'Resumes the move' if done.resumes else 'Would move the agent'} to {one_line(done.to)}"
    if done.via != "git":
        yield from _where(done)
    yield f"  holds     {done.files:,} files, {sizes.readable(done.bytes)}"
    yield f"  to send   {done.sent_files:,} files, {sizes.readable(done.sent_bytes)}"
    yield from _left(done)
    if done.via == "git":
        yield f"  as        refs/agentws/migration/{done.migration or '<id>'} of that repository, until taken"
        yield "  carries   everything, including journal, checkpoints and .git."
        yield "            Everyone who can read that repository can read the agent until then"
    yield "  then      the new copy is verified; this copy stays, read-only"


def _moved(done: Migrated) -> Iterator[str]:
    yield f"The agent is now at {one_line(done.to)}."
    yield from _where(done)
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, verified there"
    yield from _sender(done)
    yield f"  sent now  {done.sent_files:,} files, {sizes.readable(done.sent_bytes)}"
    if done.booted:
        yield "  booted    there once, as a check: it works"
    elif done.booted is None:
        yield "  booted    not yet. Install agentws there, then run: agentws boot"
    if done.vouched:
        yield "  vouched   this installation vouched for the new one, which may write"
    if done.aside:
        yield f"  set aside the older copy there is now {one_line(done.aside)}"
    yield from _left(done)
    yield "This copy stays, read-only."


def _waiting(done: Migrated) -> Iterator[str]:
    yield f"The agent waits at {one_line(done.to)}. No copy may write until a machine takes the agent from there."
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, verified by fetching back"
    yield from _sender(done)
    url = f"{done.to}#" if "#" in done.to else done.to  # else its own would be taken for that of an id
    more = f" --code {done.code}" if done.code else ""
    more += "" if done.signer or not done.code else " --unsigned"
    yield f"  take it   at the new place: agentws migrate DIR --from {one_line(url)}{more}"
    yield "  or        agentws migrate --abort, until the agent is taken"
    yield from _left(done)
    yield "This copy stays, read-only."


def _arrived(done: Migrated) -> Iterator[str]:
    yield f"The agent is now at {one_line(done.to)}."
    yield f"  {_compared(done)} {done.files:,} files, {sizes.readable(done.bytes)}, from {one_line(done.host)}"
    yield from _sender(done)
    yield from _left(done)
    if done.booted:
        yield "  booted    here once, as a check: it works"
    if done.aside:
        yield f"  set aside the older copy here is now {one_line(done.aside)}"


def _already(done: Migrated) -> Iterator[str]:
    if done.via == "git" and not done.through:  # it only waited there
        yield f"The agent no longer waits at {one_line(done.to)}. Nothing was changed."
        return
    yield f"The agent is already at {one_line(done.to)}. Nothing was changed."


def _aborted(done: Migrated) -> Iterator[str]:
    yield f"The move to {one_line(done.to)} was cancelled. The agent continues here."


def _where(done: Migrated) -> Iterator[str]:
    on = f", on {one_line(done.host)}" if done.host and done.via != "copy" else ""
    yield f"  place     {one_line(done.path)}{on}"


def _compared(done: Migrated) -> str:
    """Return the word for the check of the files: `verified` only if they are signed and unchanged."""
    return "verified " if done.signer and not _is_changed(done) else "compared "


def _is_changed(done: Migrated) -> bool:
    return bool(done.through and done.stripped)


def _sender(done: Migrated) -> Iterator[str]:
    if done.code:
        yield f"  signed    {f'by {done.signer}' if done.signer else 'no'}"
        yield f"  code      {done.code}"


def _left(done: Migrated) -> Iterator[str]:
    yield from _some("stays    ", [f"{path}: not a file, folder or link: cannot be sent" for path in done.left])
    yield from _some("not sent " if not done.through else "left out ", done.stripped)
    yield from _some("could run", done.runs)


def _some(what: str, told: Sequence[str]) -> Iterator[str]:
    for each in told[:_MOST_SHOWN]:
        yield f"  {what} {one_line(each)}"
    if len(told) > _MOST_SHOWN:
        yield f"  {what} … and {len(told) - _MOST_SHOWN:,} more"


_WORDS = {
    "planned": _planned,
    "moved": _moved,
    "waiting": _waiting,
    "arrived": _arrived,
    "already": _already,
    "aborted": _aborted,
}
