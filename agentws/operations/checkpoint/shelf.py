"""The checkpoints of one task, under every name that it has had, as the audience of the verb may know of them."""

from __future__ import annotations

from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, UsageError
from agentws.formats import audience, layout
from agentws.formats.documents import checkpoint, document, task
from agentws.planning.checkpoint import choice
from agentws.storage.checkpoint import folder
from agentws.storage.disk import named
from agentws.storage.workspace import restored_checkpoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.formats.documents.checkpoint import Header
    from agentws.storage.workspace.stores import Stores

_MOST_NAMED = 8


class Shelf:
    """The checkpoints of a task: its `slug`, the `headers` that can be read (oldest first), and `notices`."""

    __slots__ = ("_restored", "_stores", "headers", "notices", "slug")

    def __init__(self, stores: Stores, slug: str) -> None:
        self._stores = stores
        self._restored: str | None = None
        self.slug = slug
        self.notices: list[str] = []
        files = stores.whole.files
        is_narrow = stores.audience() != audience.MAIN
        found = [one for name in names(stores, slug) for one in folder.headers(files, name, self.notices)]
        self.headers = sorted(
            (one for one in found if not is_narrow or one.audience == audience.SHARED), key=choice.order
        )
        if is_narrow:
            self.notices = []

    def counting(self, word: str | None) -> Header:
        """As `one`; for None what was restored last, where nothing was saved since."""
        return self.one(word or self.restored or None)

    @property
    def restored(self) -> str:
        """The id of what was restored last, empty where something was saved since."""
        if self._restored is None:
            self._restored = restored_checkpoint.restored(
                self._stores, names(self._stores, self.slug), lambda: self.headers
            )
        return self._restored

    def one(self, word: str | None) -> Header:
        """The checkpoint that a word means, the newest for None; MissingFileError, AmbiguousError."""
        return choice.one(self.headers, word, task=self.slug)

    def state(self, head: Header) -> Any:
        """The state of a checkpoint; DamagedError where it is not what was written."""
        return folder.state(self._stores.whole.files, head.task, head.id)[1]


def names(stores: Stores, slug: str) -> list[str]:
    """The names of the folders of a task: its own, and those of names that it had and no other task has now."""
    files = stores.whole.files
    path = f"{layout.TASKS}/{slug}.md"
    try:
        was = task.Task(slug, document.decode(files.read(path), where=path)).was
    except AgentwsError:
        return [slug]  # it is over and gone, or whoever shows it says what is wrong with it
    # A name with a slash would lead elsewhere; no verb has written one.
    former = (name for name in was if name != slug and "/" not in name and name.strip(". "))
    return [slug, *(name for name in former if not files.exists(f"{layout.TASKS}/{name}.md"))]


def saved_task(stores: Stores, name: str) -> str:
    """The slug of a task that there is; MissingFileError, AmbiguousError."""
    return _one(stores, name, named.candidates(stores.heard().files, layout.TASKS, _plain(name)))


def known_task(stores: Stores, name: str) -> str:
    """The slug of a task that there is, or was when it was saved; MissingFileError, AmbiguousError."""
    plain = _plain(name)
    every = _known(stores)
    found = [plain] if plain in every else [one for one in every if one.casefold().startswith(plain.casefold())]
    return _one(stores, name, found)


def every_task(stores: Stores) -> list[str]:
    """The slugs of all tasks that have checkpoints, or had a name under which there are some."""
    known = _known(stores)
    former = {name: slug for slug in known for name in names(stores, slug)[1:]}
    return sorted({former.get(name, name) for name in folder.tasks(stores.whole.files)} & {*known})


def _known(stores: Stores) -> list[str]:
    heard = stores.heard()
    tasks = [name.removesuffix(".md") for name in heard.files.listing(layout.TASKS) if name.endswith(".md")]
    return sorted({*tasks, *(folder.tasks(stores.files) if heard is stores else ())})


def _plain(name: str) -> str:
    plain = name.removeprefix(f"{layout.TASKS}/").removesuffix(".md")
    if not plain or "/" in plain:
        raise UsageError(f"{name!r} is not a task name.", hint="To list all tasks: agentws task list --all")
    return plain


def _one(stores: Stores, name: str, found: Sequence[str]) -> str:
    there = [one for one in found if one in _known(stores)]
    if len(there) == 1:
        return there[0]
    if there:
        more = ", …" if len(there) > _MOST_NAMED else ""
        raise AmbiguousError(
            f"{len(there)} tasks start with {name!r}.",
            hint=f"Type more of the name: {', '.join(there[:_MOST_NAMED])}{more}",
        )
    raise MissingFileError(f"No task {name!r}.", hint="Create one: agentws task add TITLE")


class Checkpoint:
    """A checkpoint: what its header says, and its `path`; `notices` of the verb that made or read it.

    `state` is what was saved, where the verb gives it back (else None).
    """

    __slots__ = ("head", "notices", "path", "state")

    def __init__(self, head: Header, *, state: Any = None, notices: Sequence[str] = ()) -> None:
        self.head = head
        self.path = checkpoint.path(head.task, head.id)
        self.state = state
        self.notices = list(notices)

    @property
    def id(self) -> str:
        """The id, unique within the task."""
        return self.head.id

    @property
    def label(self) -> str:
        """The label; empty for none."""
        return self.head.label

    @property
    def parent(self) -> str | None:
        """The id of the checkpoint that this one follows."""
        return self.head.parent
