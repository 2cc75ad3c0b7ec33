"""What was chosen, said by the user's summarizer where there is one and what it says holds; else as it was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.formats import layout
from agentws.storage import user_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.planning.compaction.asking import Call
    from agentws.planning.compaction.checking import Bullet
    from agentws.planning.compaction.choice import Choice
    from agentws.planning.compaction.folding import Folder
    from agentws.ports import Summarizer, TokenCounter
    from agentws.storage.stores import Stores
    from agentws.storage.user_settings import UserSettings

    Progress = Callable[[str, int, int], None]

BUILTIN = "builtin"
_SETTING = "compaction.summarizer"
_MOST_FAILURES = 2
_MOST_NAMED = 3


def apply(
    stores: Stores,
    folder: Folder,
    choice: Choice,
    command: str | None = None,
    *,
    room: int,
    counter: TokenCounter,
    settings: str | None = None,
    timeout_s: float | None = None,
    progress: Progress | None = None,
) -> tuple[Choice, list[str]]:
    """The choice in the words of a summarizer, with notices about what of its answers was not used.

    `command` is its command line, or `builtin` for none; without it, what the user's own `settings` file names. The
    workspace's settings never name one. DamagedError where that file cannot be read; whatever the summarizer does is
    a notice, and then the choice stands.
    """
    found = user_settings.read(settings)
    notices = [*found.notices, *_not_from_here(stores, settings)]
    line = found.summarizer if command is None else command.strip()
    if not line or line == BUILTIN or not choice.new:
        return choice, notices
    found.timeout_s = timeout_s if timeout_s is not None else found.timeout_s
    made, said = _summarized(folder, choice, line, found, room, counter, progress)
    return made, [*notices, *said]


def _not_from_here(stores: Stores, settings: str | None) -> list[str]:
    if _SETTING not in stores.manifest.unknown_settings:
        return []
    return [
        f"{layout.MANIFEST} names a summarizer, which is not run: a workspace names no program. "
        f"Yours belongs in {settings or 'your own settings'}, or behind --summarizer."
    ]


def _summarized(
    folder: Folder,
    choice: Choice,
    line: str,
    settings: UserSettings,
    room: int,
    counter: TokenCounter,
    progress: Progress | None,
) -> tuple[Choice, list[str]]:
    from agentws.planning.compaction import asking, summarizing
    from agentws.planning.compaction.units import Day
    from agentws.storage.summarizer import Command

    calls = asking.calls(
        asking.lines([Day(one.path, day, one.text) for day, one in folder.days]),
        choice.new,
        room=summarizing.room_for_new(folder, choice, room, counter),
        memory=summarizing.memory(folder, choice),
        counter=counter,
        most_chars=settings.call_chars,
    )
    said, notices = ask(Command(line, timeout_s=settings.timeout_s), calls, progress)
    return summarizing.merged(folder, choice, said, room=room, counter=counter), notices


def ask(
    summarizer: Summarizer, calls: Sequence[Call], progress: Progress | None = None
) -> tuple[list[Bullet], list[str]]:
    """What holds of a summarizer's answers to these calls, and what did not, as notices."""
    from agentws.planning.compaction import checking

    bullets: list[Bullet] = []
    failures: list[str] = []
    refused: list[tuple[str, str]] = []
    in_a_row = asked = 0
    for call in calls:
        if in_a_row == _MOST_FAILURES:
            break
        answer = summarizer.summarize(call.request)
        checked = checking.Checked(none=answer.failure) if answer.failure else checking.check(answer.text, call)
        bullets += checked.bullets
        refused += checked.refused
        failures += [checked.none] if checked.none else []
        in_a_row = in_a_row + 1 if checked.none else 0
        asked += 1
        if progress is not None:
            progress("summarizer", asked, len(calls))
    return bullets, _told(failures, refused, asked, len(calls))


def _told(failures: Sequence[str], refused: Sequence[tuple[str, str]], asked: int, calls: int) -> list[str]:
    """What a person should know of answers that were not used."""
    told = []
    if failures:
        times = "" if calls == 1 else f" {len(failures)} of {asked} times"
        rest = f" It was not asked the other {calls - asked} times." if asked < calls else ""
        why = "; ".join(dict.fromkeys(failures))
        told.append(f"The summarizer was of no use{times}: {why}. What was chosen without it stands there.{rest}")
    if refused:
        named = "; ".join(f"“{text[:80]}”: {why}" for text, why in refused[:_MOST_NAMED])
        more = f"; and {len(refused) - _MOST_NAMED} more" if len(refused) > _MOST_NAMED else ""
        told.append(f"Bullets of the summarizer that were left out: {len(refused)}. {named}{more}.")
    return told
