"""The words of a handoff as they were given: a JSON object, or Markdown, which may begin with front matter."""

from __future__ import annotations

from agentws.errors import DamagedError, TooLargeError, UsageError
from agentws.formats import origin
from agentws.formats.documents import document, handoff
from agentws.formats.json import plainjson
from agentws.formats.markdown import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.documents.document import Document, Value
    from agentws.formats.documents.handoff import Sections

    Fields = dict[str, Value]

_MOST_GIVEN = 1 << 20
_BOM = "\ufeff"


def sections(text: str | None, notices: list[str], src: str | None = None) -> tuple[Sections, Fields]:
    """The sections of what was given, and the fields of its front matter that belong into that of the handoff.

    What is from outside (`src`) is one quotation, whatever headings and fields it has: they would say what is decided.
    What of it is not taken is one of `notices`. UsageError where it is no JSON object though it begins like one,
    TooLargeError.
    """
    text = (text or "").removeprefix(_BOM)
    if not text.strip():
        return {}, {}
    if len(text) > _MOST_GIVEN:
        raise TooLargeError(f"A handoff of {len(text):,} characters is none.", hint="Say what matters, or name files.")
    if origin.is_outside(src):
        return {handoff.DOING: escape.quoted(src, text.strip()) + "\n"}, {}
    if text.lstrip().startswith("{"):
        return {key: escape.by(src, said) for key, said in handoff.from_plain(_plain(text)).items()}, {}
    text = escape.by(src, text)
    try:
        given = document.decode(text.lstrip("\n").encode("utf-8", "surrogateescape"), where="the handoff given")
    except (DamagedError, TooLargeError) as error:
        notices.append(f"{error.message.rstrip('.')}. It was read as text.")
        return handoff.sections(text), {}
    return _apart(given, notices) if given.fields else (handoff.sections(text), {})


def _plain(text: str) -> object:
    try:
        return plainjson.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"It begins like JSON and is none: {error}.", hint='{"doing": "…", "next": "…", "pending": ["…"]}'
        ) from error


def _apart(given: Document, notices: list[str]) -> tuple[Sections, Fields]:
    """Fields that are headings of a handoff are sections; those that a handoff says of itself are not taken."""
    said: Sections = {}
    fields: Fields = {}
    for key, value in given.fields.items():
        if key.lower() in handoff.KEYS and _are_words(value):
            said = handoff.merged(said, handoff.from_plain({key: value}))
        elif key not in handoff.OWN_FIELDS:
            fields[key] = value
    found = handoff.merged(said, handoff.sections(given.body))
    if not found:
        # Front matter alone is what somebody wanted to say.
        return handoff.sections(given.text), {}
    if own := [key for key in given.fields if key in handoff.OWN_FIELDS]:
        notices.append(f"Not taken from the front matter, for this handoff says its own: {', '.join(own)}.")
    return found, fields


def _are_words(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
