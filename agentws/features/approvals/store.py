"""The store of approval requests: list and show them; `ApprovalStore` locks them for a verb that answers or uses one.

The answer is the event, which becomes durable first; the file shows it to people. If a process dies between the two,
the next verb writes into the file what the journal says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

from agentws.changes import ChangeSet, Write
from agentws.core.disk import local_dir, lock
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import approval
from agentws.core.formats.documents.approval import Request
from agentws.core.formats.documents.document import Value
from agentws.core.stores import record, seals
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, UsageError
from agentws.features.approvals import approval_events
from agentws.features.approvals.approval import Approval, ApprovalList, latest, state_of
from agentws.features.approvals.plan import request_state
from agentws.features.approvals.plan.request_state import Fact

_Kind = TypeVar("_Kind", Request, str)


_LOCK = "approvals"
_SUFFIX = ".md"
_MOST_NAMED = 8


class Requests:
    """The approval requests in `approvals/`, and the `facts` of each from the journal, which is read at the first need.

    `notices` says what cannot be read, `unread` those of them about files.
    """

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.unread = stores.files.in_place_of(layout.APPROVALS)
        self.notices: list[str] = [*self.unread]
        self.now = stores.clock.now()
        self._latest = latest(stores)
        self.names = _names(stores.visible_to())
        self._facts: dict[str, list[Fact]] | None = None
        self._strange: dict[str, str] | None = None

    @property
    def strange(self) -> dict[str, str]:
        """The ids of the requests that only unknown writers made, each with its source."""
        if self._strange is None:
            self._strange = approval_events.strange(self.stores)
        return self._strange

    @property
    def facts(self) -> dict[str, list[Fact]]:
        """The events of each approval request, by its id."""
        if self._facts is None:
            self._facts = approval_events.by_id(self.stores, self.notices)
        return self._facts

    def get(self, id: str) -> Request:
        """Return the request with this id or unique beginning of an id; for an empty one the only pending request.

        MissingFileError, AmbiguousError, UsageError.
        """
        name = id.strip().removeprefix(f"{layout.APPROVALS}/").removesuffix(_SUFFIX).lower()
        if "/" in name:
            raise UsageError(f"{id!r} is not the id of an approval.", hint="To list all: agentws ask list")
        if not name:
            return _only(
                [request for request in self.known() if self.approval(request).status == approval.PENDING], "waiting"
            )
        if name in self.names:
            return self.read(name)
        without = {request.id: request for request in self._lost(self.names)}
        if name not in without:
            name = _only([text for text in [*self.names, *without] if text.startswith(name)], f"called {name!r}")
        return without[name] if name in without else self.read(name)

    def about(self, action_digest: str, risk: str) -> Request:
        """Return the request about this action: one that can be used for this risk, else the newest; MissingFileError.

        That includes a request for which a person approved another action instead.
        """
        approvals = [self.approval(request) for request in self.known()]
        alike = [
            request for request in approvals if action_digest in (request.action_digest, request.request.action_digest)
        ]
        if not alike:
            raise _missing("about this action")

        def worth(request: Approval) -> tuple[bool, bool, bool, str]:
            is_enough = risk != approval.HIGH or request.risk == approval.HIGH
            is_same = request.action_digest == action_digest
            is_usable = request.is_usable and is_same and is_enough
            return is_usable, request.status == approval.PENDING and is_enough, is_same, request.asked

        return max(alike, key=worth).request

    def read(self, name: str) -> Request:
        """Return the request in the file of this name; DamagedError."""
        return approval.decode(self.stores.files.read(approval.path_of(name)), id=name)

    def all(self, names: Sequence[str] | None = None) -> list[Request]:
        """Return every request that can be read, of those with these names."""
        requests = []
        for name in self.names if names is None else names:
            try:
                requests.append(self.read(name))
            except AgentwsError as error:
                self.notices.append(error.notice)
                self.unread.append(error.notice)
        return requests

    def known(self) -> list[Request]:
        """Return every request: as its file has it, or as the journal does if the file is gone or cannot be read."""
        requests = self.all()
        return [*requests, *self._lost({request.id for request in requests})]

    def _lost(self, present_ids: Collection[str]) -> list[Request]:
        """Return the requests without a file; none for a shared audience, which must not learn of them."""
        return [] if self.stores.visible_to().shared is not None else of(self.facts, present_ids)

    def approval(self, request: Request) -> Approval:
        """Return the approval of a request, from its file, its events and its proof."""
        answered = Approval(request, state_of(self.stores, request, self.facts.get(request.id, []), self._latest))
        answered.is_gone = request.id not in self.names and not self.stores.files.exists(request.path)
        if request.id in self.strange:
            answered.mark_strange(self.strange[request.id])
        return answered


class ApprovalStore(Requests):
    """The approval requests under a lock, within a `with` block: expired ones are recorded, files match the journal."""

    def __init__(self, stores: Stores, note: str) -> None:
        stores.check_writable()
        local_dir.prepare(stores.files)
        self._lock = lock.Lock(stores.files, _LOCK, note=note)
        self._note = note
        super().__init__(stores)

    def __enter__(self) -> ApprovalStore:
        self._lock.__enter__()
        try:
            self.stores.settle()
            super().__init__(self.stores)  # the requests as they are now
            self._catch_up()
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._lock.__exit__()

    def record(self, kind: str, request: Request, body: dict[str, Any], *, via: str | None = None) -> None:
        """Record an event of an approval request; on return it is durable."""
        src = origin.lowest([via, request.src or None])
        # A use has to stay, so it names nothing that somebody may want forgotten.
        task = None if kind == request_state.CONSUMED else request.text("task") or None
        happening = record.told(kind, task=task, via=src, body={"id": request.id, **body})
        (done,), notices = record.record(self.stores, [happening])
        self.notices += notices
        fact = request_state.Fact(kind, happening.body, self.stores.now_text(), done.cursor or "")
        self.facts.setdefault(request.id, []).append(fact)

    def write(self, request: Request | None, path: str, data: bytes, verb: str) -> None:
        """Write the file of an approval request, if it is still as it was read."""
        before = request.document.text.encode("utf-8", "surrogateescape") if request else None
        expects = digest.ABSENT if before is None else digest.of(before)
        if before != data:
            self.stores.apply(ChangeSet(verb, (Write(path, data, expects=expects),)))

    def say(self, request: Request, verb: str, state: dict[str, Value | None], answer: str = "") -> Request:
        """Update the file of an approval request to what is recorded; a failure is a notice, since the event counts."""
        if self.approval(request).is_gone:
            self.notices.append(f"{request.path} is missing: recorded in the journal alone.")
            return request
        data = approval.changed(request, state, answer)
        try:
            self.write(request, request.path, data, verb)
        except AgentwsError as error:
            self.notices.append(f"{request.path}: recorded in the journal, not in the file: {error.message}")
            return request
        return approval.decode(data, id=request.id)

    def say_answer(self, request: Request, verb: str, body: Mapping[str, Any], at: datetime) -> Request:
        """Update the file of an approval request to the answer in the body of its event, which was given `at`."""
        state: dict[str, Value | None] = {
            "status": str(body["verdict"]),
            "decided": at.isoformat(timespec="seconds"),
            "decided_by": str(body["decided_by"]),
            "proof": str(body["proof"]),
        }
        return self.say(request, verb, state, _answer(body))

    def _write_state(self, request: Request, state: request_state.ApprovalState) -> None:
        """Update the file of an approval request to its events, with the answer that a killed verb did not write."""
        answer = state.decision
        if answer is not None and _is_answer(answer.body) and not request.text("decided"):
            at = datetime.fromisoformat(answer.at).astimezone(self.now.tzinfo)
            request = self.say_answer(request, "ask catches up", answer.body, at)
        if state.status != request.text("status"):
            self.say(request, "ask catches up", {"status": state.status})

    def done(self, request: Request) -> Approval:
        """Return the approval as the result of a verb, with all notices."""
        self.stores.notices += seals.quietly(self.stores, due=True)
        answered = self.approval(request)
        answered.notices = [*dict.fromkeys([*self.stores.notices, *self.notices])]
        return answered

    def _catch_up(self) -> None:
        """Record requests that expired or that the journal does not know, and update files to what the journal says."""
        for request in self.all(_names(self.stores)):
            if request.id in self.strange:
                continue  # what it says becomes no event of ours
            facts = self.facts.get(request.id, [])
            state = state_of(self.stores, request, facts, self._latest)
            if not state.is_told and state.status == approval.PENDING:
                self.record(request_state.ASKED, request, told_of(request))
            if state.status == approval.EXPIRED and not any(fact.kind == request_state.LAPSED for fact in facts):
                self.record(request_state.LAPSED, request, {})
            if state.status != (request.text("status") or approval.PENDING) and state.status in approval.STATUSES:
                self._write_state(request, state)


def _is_answer(body: Mapping[str, Any]) -> bool:
    """Return whether the body of an answer's event says all that the file shows; a purged one does not."""
    return all(isinstance(body.get(key), str) for key in ("verdict", "decided_by", "proof"))


def _answer(body: Mapping[str, Any]) -> str:
    """Return the section of an approval's file that shows people the answer."""
    parts = [f"{str(body['verdict']).capitalize()} by {body['decided_by']} ({body['proof']})."]
    if body.get("text"):
        parts.append("\n".join(f"> {line}".rstrip() for line in str(body["text"]).split("\n")))
    if "edited" in body:
        parts.append(approval.fenced(body["edited"]).strip())
    if body.get("signature"):
        parts.append(f"```\n{body['signature']}\n```")
    return "\n\n".join(parts)


def _names(stores: Stores) -> list[str]:
    """Return the ids of the requests in `approvals/` that the audience may know of. Other files are ignored."""
    listed = stores.files.listing(layout.APPROVALS)
    named = [name.removesuffix(_SUFFIX) for name in listed if name.endswith(_SUFFIX)]
    return [name for name in named if approval.is_id(name)]


def _only(kinds: list[_Kind], what: str) -> _Kind:
    if not kinds:
        raise _missing(what)
    if len(kinds) > 1:
        names = ", ".join(kind if isinstance(kind, str) else kind.id for kind in kinds[:_MOST_NAMED])
        raise AmbiguousError(f"{len(kinds)} approvals are {what}.", hint=f"Name one: {names}.")
    return kinds[0]


def _missing(what: str) -> MissingFileError:
    return MissingFileError(f"No approval is {what}.", hint="To list all: agentws ask list")


def told_of(request: Request) -> dict[str, Any]:
    """Return the body of the event that records a new request, with its action."""
    facts = approval.facts(request)
    del facts["id"]
    facts.pop("task", None)
    return facts | ({"action": request.action} if request.action is not None else {})


_KEPT = ("expires", "task")


def of(facts_by_id: Mapping[str, Sequence[Fact]], present_ids: Collection[str]) -> list[Request]:
    """Return the requests that the journal's events record, without those whose ids are `present_ids`."""
    requests = []
    for id, facts in facts_by_id.items():
        asked = next((fact for fact in facts if fact.kind == request_state.ASKED), None)
        if asked is not None and id not in present_ids and approval.is_id(id):
            request = _asked(id, asked)
            if request is not None:
                requests.append(request)
    return requests


def archived(stores: Stores) -> dict[str, str]:
    """Return the ids of archived approval files, each with its path."""
    folder = f"{layout.APPROVALS}/archive"
    try:
        years = [name for name, kind in stores.files.names(folder) if kind == "folder"]
        paths = [f"{folder}/{year}/{name}" for year in years for name in stores.files.listing(f"{folder}/{year}")]
    except AgentwsError:
        return {}
    return {path.rpartition("/")[2].removesuffix(".md"): path for path in paths}


def _asked(id: str, asked: Fact) -> Request | None:
    """Return the request as its event records it; None if the event has no question, as after a purge."""
    if not asked.text("text"):
        return None
    state: dict[str, Value | None] = {
        "status": approval.PENDING,
        "asked": asked.at,
        "risk": asked.text("risk"),
        **{key: asked.text(key) for key in _KEPT if asked.text(key)},
    }
    try:
        return approval.decode(approval.new(asked.text("text"), asked.body.get("action"), state), id=id)
    except AgentwsError:
        return None


def list_approvals(stores: Stores, *, pending: bool = False) -> ApprovalList:
    """Return every approval, pending ones first, then the newest; with `pending` only those."""
    requests = Requests(stores)
    approvals = [requests.approval(request) for request in requests.known()]
    in_archive = archived(stores) if any(request.is_gone for request in approvals) else {}
    listed = [request for request in approvals if not request.is_gone or _is_missed(request, in_archive)]
    shown = [request for request in listed if not pending or request.status == approval.PENDING]
    shown.sort(key=lambda request: request.asked, reverse=True)
    shown.sort(key=lambda request: request.status != approval.PENDING)
    gone = [
        f"{request.path} is missing. Its request is known from the journal, and can be answered: "
        f"agentws ask show {request.id}"
        for request in shown
        if request.is_gone and request.status == approval.PENDING
    ]
    return ApprovalList(shown, requests.now, [*stores.notices, *requests.notices, *gone], requests.unread)


def _is_missed(request: Approval, archived: dict[str, str]) -> bool:
    return request.id not in archived and request.status not in (approval.USED, approval.EXPIRED)


def show(stores: Stores, id: str) -> Approval:
    """Return one approval, by its id or a unique beginning of that; MissingFileError, AmbiguousError."""
    requests = Requests(stores)
    request = requests.approval(requests.get(id))
    if request.is_gone and (path := archived(stores).get(request.id)):
        request.path, request.is_gone = path, False
    request.notices = [*stores.notices, *requests.notices]
    return request
