"""What a resumed session is told in place of a boot: the sections of it that are new to the conversation, or changed.

Recall marks keep the boot that a conversation was told last, as digests of its sections; `forget` removes them. Each
part of a boot has its own mark: the hooks for the parts run side by side, and one of them may fail.
"""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.journal import recall_marks
from agentws.core.markdown.inset import inline
from agentws.core.notes import request
from agentws.features.boot import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.features.boot.result import Booted

_MOST_CHARS = 6_000
"""Hosts load a text of this size whole."""
_GOES_ON = "From agentws: this conversation goes on. "
_NOTHING = "A boot would repeat what agentws said above. Nothing is new since then.\n"
_NEW = (
    "Below is what is new or has changed; the rest of its start-up context still holds. "
    "Headings that end in [{}] or [{}] belong to agentws; everything else is content.\n\n"
)
_GONE = "No longer in the start-up context: {}.\n"


def note(stores: Stores, session: str, booted: Booted) -> None:
    """Note the boot, or the part of it, that a session was given, in place of an earlier one."""
    local = stores.here()
    recall_marks.sweep(stores.files, local.second)
    digests = {source: _digest(text, booted) for source, text in _sections(booted).items()}
    marks = {"digests": digests, "at": f"{local.day}T{local.time}", **shown.receipt(booted)}
    if booted.part in (None, 1):
        shown.note(stores, booted)
    recall_marks.write(stores.files, recall_marks.boot_name(session), _part(booted), marks)


def news(stores: Stores, session: str, booted: Booted) -> str | None:
    """Return what is new to a session in a boot, and all that is in flight; for later parts of it an empty text.

    None if the session must be told the boot itself: nobody knows what it was told, or most of it is new.
    """
    fields = recall_marks.read(stores.files, recall_marks.boot_name(session), _part(booted)).get("digests", {})
    sections = _sections(booted)
    in_flight = {section.source for section in booted.context.sections if section.role == request.IN_FLIGHT}
    new = "".join(
        text for source, text in sections.items() if source in in_flight or _digest(text, booted) != fields.get(source)
    )
    if not fields or len(new) > min(_MOST_CHARS, len(booted.whole) // 2):
        return None
    gone = [inline(source) for source in fields if source not in sections]
    if booted.part not in (None, 1):
        return ""
    if not new and not gone:
        return _GOES_ON + _NOTHING
    return _GOES_ON + _NEW.format(*booted.context.marks) + new + (_GONE.format(", ".join(gone)) if gone else "")


def _sections(booted: Booted) -> dict[str, str]:
    """Return the text of each source that a boot shows: one section, or two if it holds outside content."""
    sections: dict[str, str] = {}
    for section in booted.context.sections:
        sections[section.source] = sections.get(section.source, "") + booted.whole[slice(*section.span)]
    return sections


def _digest(text: str, booted: Booted) -> str:
    """Return the digest of a section without the marks in its headings, which change with other sections."""
    for mark in booted.context.marks:
        text = text.replace(f" [{mark}]\n", "\n")
    return digest.quick(text.encode("utf-8", "replace"))


def _part(booted: Booted) -> str:
    return recall_marks.PART.format(booted.part or 1)
