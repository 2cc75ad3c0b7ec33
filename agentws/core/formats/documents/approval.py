"""Approval requests, `approvals/<id>.md`: a question to a person and the exact action that it approves.

The canonical JSON of an action is one text for each value, whose digest names the action. Specified in
docs/format/approval.md.
"""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import document as _document, fields
from agentws.core.formats.json import plainjson
from agentws.errors import DamagedError, TooLargeError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.formats.documents.document import Document, Value


PENDING, APPROVED, REJECTED, EXPIRED, USED, DISPUTED = (
    "pending", "approved", "rejected", "expired", "used", "disputed"
)  # fmt: skip
STATUSES = (PENDING, APPROVED, REJECTED, EXPIRED, USED, DISPUTED)
LOW, HIGH = "low", "high"
RISKS = (LOW, HIGH)
SIGNED, KEY, TYPED, NONE = "signed", "key", "typed", "none"
"""What speaks for a person: a signature that this user id cannot make; one that it could; a code typed; nothing."""
ANSWER = "## Answer"
_ALPHABET = "bcdfghjkmnpqrstvwxyz23456789"
ID_CHARS = 6
_FENCE, _JSON = "```", "```json"


class Request(Result):
    """An approval request as read from its file; fields that are not set are empty strings.

    `question` is one line, `action` any JSON value (None: only a question), `asked` and `expires` are moments (ISO
    8601). `status` is the file's own claim, which no decision relies on.
    """

    def __init__(self, id: str, document: Document) -> None:
        self.id = id
        self.path = path_of(id)
        self.document = document
        self.question, self.action = _asked(document.body, self.path)

    @property
    def action_digest(self) -> str:
        """The digest of the action for which the request asks approval."""
        return digest_of(self.action)

    @property
    def risk(self) -> str:
        """The risk of the action to approve, one of RISKS; any other word counts as high."""
        return LOW if self.text("risk") == LOW else HIGH

    def text(self, key: str) -> str:
        """Return a front-matter field of the approval request as one text."""
        return fields.text(self.document, key)

    @property
    def src(self) -> str:
        """The source of an approval request that comes from outside."""
        return fields.source(self.document)


def decode(data: bytes, *, id: str) -> Request:
    """Return the approval request in `data`; DamagedError if it is unreadable."""
    return Request(id, _document.decode(data, where=path_of(id)))


def new(question: str, action: object, state: Mapping[str, Value | None]) -> bytes:
    """Return the file of a new approval request."""
    body = f"# {question}\n"
    if action is not None:
        body += f"\n{fenced(action)}"
    made = _document.decode(body.encode("utf-8", "surrogateescape"), where="approval")
    return _document.encode(_document.with_fields(made, state, where="approval"))


def changed(request: Request, state: Mapping[str, Value | None], answer: str = "") -> bytes:
    """Return the approval request's file with these fields set; an answer replaces an earlier one."""
    document = request.document
    if answer:
        asked = "\n".join(_before_answer(document.body)).rstrip("\n")
        document = _document.with_body(document, f"{asked}\n\n{ANSWER}\n\n{answer.strip()}\n")
    return _document.encode(_document.with_fields(document, state, where=request.path))


def fenced(value: object) -> str:
    """Return the action of an approval request as a fenced JSON block; no line of it can close the fence."""
    from agentws.core.formats.json import values  # seldom needed: a request is made once, and read often

    return f"{_JSON}\n{values.dumps(value, indent=2)}\n{_FENCE}\n"


def path_of(id: str) -> layout.RelPath:
    """Return the path of an approval request's file."""
    return f"{layout.APPROVALS}/{id}.md"


def id_of(*words: str) -> str:
    """Return the id of an approval request, derived from its content: six characters that spell no word."""
    number = int(digest.of("\n".join(words).encode("utf-8", "surrogateescape")), 16)
    result = ""
    for _ in range(ID_CHARS):
        number, at = divmod(number, len(_ALPHABET))
        result += _ALPHABET[at]
    return result


def is_id(word: str) -> bool:
    """Return whether a word has the form of an approval id."""
    return len(word) == ID_CHARS and all(char in _ALPHABET for char in word)


def statement(agent: str, request: Request, verdict: str, action_digest: str) -> str:
    """Return the statement that an approver signs: the agent, the request, the verdict and the action's digest."""
    lines = (
        "agentws-approval-1",
        agent,
        request.id,
        verdict,
        action_digest,
        ALGORITHM + digest.of(request.question.encode("utf-8", "surrogateescape")),
        request.risk,
        request.text("expires") or "-",
    )
    return "".join(f"{line}\n" for line in lines)


def facts(request: Request) -> dict[str, Any]:
    """Return the fields of an approval request that its journal events repeat and its file keeps unchanged."""
    record: dict[str, Any] = {
        "id": request.id,
        "text": request.question,
        "action_digest": request.action_digest,
        "risk": request.risk,
    }
    for key in ("expires", "task"):
        if request.text(key):
            record[key] = request.text(key)
    return record


def _before_answer(body: str) -> list[str]:
    lines = body.split("\n")
    return lines[: lines.index(ANSWER)] if ANSWER in lines else lines


def _asked(body: str, where: str) -> tuple[str, object]:
    """Return (question, action) of a request's body; DamagedError if it has none, or the action is not JSON."""
    lines = _before_answer(body)
    question = next((line[2:].strip() for line in lines if line.startswith("# ")), "")
    if not question:
        raise DamagedError(f"{where}: no question (`# …`).", hint="Ask again: agentws ask QUESTION")
    if _JSON not in lines:
        return question, None
    start = lines.index(_JSON) + 1
    if _FENCE not in lines[start:]:
        raise DamagedError(f"{where}: the block of the action is not closed.", hint="Ask again: agentws ask QUESTION")
    text = "\n".join(lines[start : lines.index(_FENCE, start)])
    try:
        action = plainjson.unambiguous(text)
        canonical(action)
    except (ValueError, RecursionError, UsageError, TooLargeError) as error:
        raise DamagedError(f"{where}: the action is not JSON: {error}.", hint="Ask again: agentws ask") from error
    return question, action


MOST_ACTION_BYTES = 60_000
"""The size of the largest action: it is part of one event, and read by a person."""
MOST_DEPTH = 40
ALGORITHM = "sha256:"


def canonical(value: object) -> str:
    """Return the canonical JSON of an approval's action: ASCII, sorted keys, no blanks. UsageError, TooLargeError.

    UsageError if JSON has no such value.
    """
    try:
        result = plainjson.dumps(_ordered(value, "action", 1), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"The action is not JSON: {error}.") from error
    if len(result) > MOST_ACTION_BYTES:
        raise TooLargeError(
            f"The action has {len(result):,} bytes, {MOST_ACTION_BYTES:,} at most.",
            hint="Put what is large into a file, and its digest into the action.",
        )
    return result


def digest_of(value: object) -> str:
    """Return `sha256:` and the digest of the action's canonical JSON."""
    return ALGORITHM + digest.of(canonical(value).encode("ascii"))


def _ordered(value: object, where: str, depth: int) -> object:
    """The value with the keys of every object in order; UsageError names the place of what JSON does not know."""
    if depth > MOST_DEPTH:
        raise UsageError(f"{where[:80]}: nested more than {MOST_DEPTH} deep, or within itself.")
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise UsageError(f"{where[:80]}: the keys of an object must be texts.")
        return {key: _ordered(value[key], f"{where}.{key}", depth + 1) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_ordered(item, f"{where}[{at}]", depth + 1) for at, item in enumerate(value)]
    if isinstance(value, float) and value - value != 0:
        raise UsageError(f"{where[:80]}: {value!r} is not a number of JSON.")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(f"{where[:80]}: {type(value).__name__} is not a value of JSON.")
