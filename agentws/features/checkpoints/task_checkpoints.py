"""The shelf: all checkpoints of one task, under every name that it has had, as far as the audience may know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentws.core import Result
from agentws.core.disk import named
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import checkpoint, document, task
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.stores.stores import Stores
from agentws.errors import AmbiguousError, MissingFileError, UsageError
from agentws.features.checkpoints import restored_checkpoint
from agentws.features.checkpoints.plan import retention
from agentws.features.checkpoints.store import folder

_MOST_NAMED = 8


class TaskCheckpoints:
    """All checkpoints of a task: its `slug`, the readable `headers` (oldest first), and `notices` on others."""

    __slots__ = ("_is_narrow", "_lost", "_names", "_restored", "_stores", "headers", "notices", "slug")

    def __init__(self, stores: Stores, slug: str) -> None:
        self._stores = stores
        self._restored: str | None = None
        self._lost: str | None = None
        self.slug = slug
        self.notices: list[str] = []
        files = stores.whole.files
        self._is_narrow = stores.audience() != audience.MAIN
        self._names = restored_checkpoint.names(stores, slug)
        headers = [header for name in self._names for header in folder.headers(files, name, self.notices)]
        self.headers = sorted(
            (header for header in headers if not self._is_narrow or header.audience == audience.SHARED),
            key=retention.order,
        )
        if self._is_narrow:
            self.notices = []

    def counting(self, word: str | None) -> Header:
        """Return the checkpoint that `word` means; for None the one restored last, or the newest if saved since.

        For None also MissingFileError if the current one is gone: an older one has to be named.
        """
        if not (word or self.restored):
            self._check_lost()
        return self.one(word or self.restored or None)

    @property
    def lost(self) -> str:
        """The id of the current checkpoint by the journal, if its file is missing or cannot be read; else empty.

        Also empty for a narrow audience, which need not know of it.
        """
        if self._is_narrow:
            return ""
        if self._lost is None:
            there = [head.id for head in self.headers]
            self._lost = restored_checkpoint.lost(self._stores, self._names, there)
        return self._lost

    @property
    def missing(self) -> list[str]:
        """A notice if the file of the current checkpoint is missing, else nothing."""
        if not self.lost or self._stores.whole.files.exists(self.path(self.lost)):
            return []
        return [f"{self.path(self.lost)} is missing: the state of task {self.slug} that counts."]

    def _check_lost(self) -> None:
        for message in self.missing:
            raise MissingFileError(message, hint=f"Restore the file from a backup, or {self._other()}")
        if self.lost:
            self._check_readable(self.lost)

    def _other(self) -> str:
        if self.headers:
            return f"name an older one: agentws checkpoint list {self.slug}"
        return f"save a new state: agentws checkpoint save {self.slug} < state.json"

    def path(self, id: str) -> str:
        """Return the path of a lost checkpoint: in the folder of the name that the task had then, else of its own."""
        files = self._stores.whole.files
        every = [checkpoint.path(name, id) for name in self._names]
        value = next((path for path in every if files.exists(path)), None)
        return value or checkpoint.path(restored_checkpoint.folder_of(self._stores, self._names, id), id)

    def _check_readable(self, word: str) -> None:
        """Raise DamagedError if a checkpoint that the word may mean exists and cannot be read."""
        files = self._stores.whole.files
        for name in self._names:
            for id in folder.ids(files, name):
                if id.startswith(word) or (word.isascii() and word.isdigit() and checkpoint.seq_of(id) == int(word)):
                    folder.header(files, name, id)

    @property
    def restored(self) -> str:
        """The id of the checkpoint restored last, empty if one was saved since."""
        if self._restored is None:
            self._restored = restored_checkpoint.restored(self._stores, self._names, lambda: self.headers)
        return self._restored

    def one(self, word: str | None) -> Header:
        """Return the checkpoint that a word means, the newest for None; MissingFileError, AmbiguousError.

        DamagedError if it exists and cannot be read.
        """
        try:
            return retention.one(self.headers, word, task=self.slug)
        except MissingFileError:
            if word and not self._is_narrow:
                self._check_readable(word)
            raise

    def state(self, head: Header) -> Any:
        """Return the state of a checkpoint; DamagedError if the file is not as it was written."""
        return folder.state(self._stores.whole.files, head.task, head.id)[1]


def saved_task(stores: Stores, name: str) -> str:
    """Return the slug of an existing task, whose checkpoints are on the shelf; MissingFileError, AmbiguousError."""
    return _only_task(stores, name, named.candidates(stores.visible_to().files, layout.TASKS, _plain(name)))


def task_of(stores: Stores, name: str) -> task.Task:
    """Return the task with this name from its file; MissingFileError, AmbiguousError, DamagedError."""
    slug = saved_task(stores, name)
    path = f"{layout.TASKS}/{slug}.md"
    return task.Task(slug, document.decode(stores.whole.files.read(path), where=path))


def known_task(stores: Stores, name: str) -> str:
    """Return the slug of a task that exists or has checkpoints; MissingFileError, AmbiguousError."""
    plain = _plain(name)
    every = _known(stores)
    return _only_task(stores, name, [plain] if plain in every else named.alike(plain, every))


def every_task(stores: Stores) -> list[str]:
    """Return the slugs of all tasks with checkpoints under their present or a former name."""
    known = _known(stores)
    former = {name: slug for slug in known for name in restored_checkpoint.names(stores, slug)[1:]}
    return sorted({former.get(name, name) for name in folder.tasks(stores.whole.files)} & {*known})


def _known(stores: Stores) -> list[str]:
    heard = stores.visible_to()
    tasks = [name.removesuffix(".md") for name in heard.own_documents(layout.TASKS, heard.files.listing(layout.TASKS))]
    return sorted({*tasks, *(folder.tasks(stores.files) if heard is stores else ())})


def _plain(name: str) -> str:
    plain = name.removeprefix(f"{layout.TASKS}/").removesuffix(".md")
    if not plain or "/" in plain:
        raise UsageError(f"{name!r} is not a task name.", hint="To list all tasks: agentws task list --all")
    return plain


def _only_task(stores: Stores, name: str, candidates: Sequence[str]) -> str:
    there = [text for text in candidates if text in _known(stores)]
    if len(there) == 1:
        return there[0]
    if there:
        more = ", …" if len(there) > _MOST_NAMED else ""
        raise AmbiguousError(
            f"{len(there)} tasks start with {name!r}.",
            hint=f"Type more of the name: {', '.join(there[:_MOST_NAMED])}{more}",
        )
    raise MissingFileError(f"No task {name!r}.", hint="Create one: agentws task add TITLE")


class Checkpoint(Result):
    """A checkpoint: its header and `path`, and the `notices` of the verb that saved or read it.

    `state` is the saved state if the verb returns it, else None.
    """

    __slots__ = ("head", "notices", "path", "state")

    def __init__(self, head: Header, *, state: Any = None, notices: Sequence[str] = ()) -> None:
        self.head = head
        self.path = checkpoint.path(head.task, head.id)
        self.state = state
        self.notices = list(notices)

    @property
    def id(self) -> str:
        """The id of the checkpoint, unique within the task."""
        return self.head.id

    @property
    def label(self) -> str:
        """The label of the checkpoint; empty for none."""
        return self.head.label

    @property
    def parent(self) -> str | None:
        """The id of the checkpoint that this one follows."""
        return self.head.parent
