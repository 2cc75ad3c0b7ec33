"""`TaskStore`: all task files of a workspace in `tasks/`, read and decoded when needed."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.disk import dir_cache, task_heads
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import document, task
from agentws.errors import AgentwsError, AmbiguousError, MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.formats.documents.document import Document
    from agentws.core.formats.documents.task import Task
    from agentws.core.stores.stores import Stores

_SUFFIX = ".md"
_MOST_NAMED = 8


class TaskFile(Result):
    """The file of one task: its content. The decoded task is rebuilt each time, its digest when first needed."""

    __slots__ = ("_digest", "data", "path", "slug")

    def __init__(self, slug: str, data: bytes) -> None:
        self.slug = slug
        self.path = path_of(slug)
        self.data = data
        self._digest = ""

    @property
    def digest(self) -> str:
        """The digest of the task file's content."""
        if not self._digest:
            self._digest = digest.of(self.data)
        return self._digest

    @property
    def document(self) -> Document:
        """The task file as a document; DamagedError if its front matter cannot be read."""
        return document.decode(self.data, where=self.path)

    @property
    def task(self) -> Task:
        """The task in the file; DamagedError if its front matter cannot be read."""
        return task.Task(self.slug, self.document)


class TaskStore:
    """The task files of a workspace by slug; `names` are those of all `*.md`, `notices` says which cannot be read.

    Files are read when needed, and none is kept: there may be fifty thousand. Without `over`, those that are finished
    by their first lines are counted in `left_out`, and not read. `heard` are the tasks that the audience of a verb may
    know of; None for all.
    """

    def __init__(self, stores: Stores, *, over: bool = True, heard: Collection[str] | None = None) -> None:
        self.notices: list[str] = []
        self.left_out = 0
        self._over = over
        self._files = stores.files
        self._heard = heard
        self._refused: dict[str, AgentwsError] = {}
        self._listing = stores.files.listing(layout.TASKS)
        if not self._listing:
            self.notices += stores.files.in_place_of(layout.TASKS)
        listed = stores.own_documents(layout.TASKS, self._listing)
        self.names = dict.fromkeys(name.removesuffix(_SUFFIX) for name in listed)

    @property
    def taken(self) -> set[str]:
        """The names that no new task may have: those of all tasks, and of other programs' documents beside them."""
        return {name.removesuffix(_SUFFIX) for name in self._listing}

    def each(self, names: Iterable[str]) -> Iterator[tuple[str, TaskFile | None]]:
        """Yield each of these slugs with its task file, None if there is none that can be read."""
        files = dir_cache.over(self._files)
        try:
            for name in names:
                yield name, self._read(files, name) if name in self.names else None
        finally:
            dir_cache.let_go(files)

    def _read(self, files: Files, name: str) -> TaskFile | None:
        path = path_of(name)
        try:
            data = files.read(path) if self._over else task_heads.unless_over(files, path)
        except AgentwsError as error:
            if error.notice not in self.notices:
                self.notices.append(error.notice)
            self._refused[name] = error
            return None
        if data is None:
            self.left_out += 1
            return None
        return TaskFile(name, data)

    def __iter__(self) -> Iterator[tuple[TaskFile, Task]]:
        """Yield each task that can be read, with its file."""
        for _, task_file in self.each(self.names):
            if task_file is None:
                continue
            try:
                yield task_file, task_file.task
            except AgentwsError as error:
                if error.notice not in self.notices:
                    self.notices.append(error.notice)

    def get(self, slug: str) -> TaskFile:
        """Return the task file with this slug or path, or the only one whose slug begins so, or that these words name.

        Words are matched as `done` does. MissingFileError if it is missing, AmbiguousError if there are several,
        UsageError; if its file could not be read, the error of that.
        """
        name = slug.removeprefix(f"{layout.TASKS}/").removesuffix(_SUFFIX)
        if not name or "/" in name:
            raise UsageError(f"{slug!r} is not a task name.", hint="To list all tasks: agentws task list --all")
        if name not in self.names or not self._is_heard(name):
            name = self._beginning(name, is_whole=slug.endswith(_SUFFIX))
        task_file = self._read(self._files, name)
        if task_file is None:
            raise self._refused[name]
        return task_file

    def _beginning(self, part: str, *, is_whole: bool) -> str:
        """Return the only slug that begins so; nothing is guessed if several do, whatever their status."""
        from agentws.core.disk import named
        from agentws.core.text import names

        alike = named.alike(part, filter(self._is_heard, self.names))
        if len(alike) > 1:
            raise AmbiguousError(
                f"{len(alike)} tasks start with {part!r}.", hint=f"Type more of the name: {_some(alike)}."
            )
        if is_whole and (not alike or names.key(alike[0]) != names.key(part)):
            raise self._missing(part)  # a whole name that is wrong is not a beginning
        return alike[0] if alike else self._named(part)

    def _named(self, words: str) -> str:
        """Return the only slug of a task that these words name; of open tasks, if they name any."""
        from agentws.core.notes import closure
        from agentws.core.notes.closure import TASK, Row

        tasks = [each for _, each in self if self._is_heard(each.slug)]
        rows = [Row(each.slug, each.title, path_of(each.slug), 1, form=TASK) for each in tasks if not each.is_over]
        past = [Row(each.slug, each.title, path_of(each.slug), 1, form=TASK) for each in tasks if each.is_over]
        slugs = [row.ref for row in closure.literally(words, rows) or closure.literally(words, past)]
        if not slugs:
            raise self._missing(words)
        if len(slugs) > 1:
            raise AmbiguousError(f"{len(slugs)} tasks match {words!r}.", hint=f"Name one: {_some(slugs)}.")
        return slugs[0]

    def _is_heard(self, name: str) -> bool:
        return self._heard is None or name in self._heard

    def _missing(self, name: str) -> MissingFileError:
        known = list(filter(self._is_heard, self.names))
        alike = [text for text in known if name.casefold() in text.casefold()] or known
        hint = f"Tasks: {_some(alike)}." if alike else "Create one: agentws task add TITLE"
        return MissingFileError(f"No task {name!r}.", hint=hint)


def _some(slugs: Sequence[str]) -> str:
    return ", ".join(slugs[:_MOST_NAMED]) + (", …" if len(slugs) > _MOST_NAMED else "")


def path_of(slug: str) -> layout.RelPath:
    """Return the path of a task's file."""
    return f"{layout.TASKS}/{slug}{_SUFFIX}"


def archived(files: Files, slug: str, digests: Collection[str]) -> layout.RelPath:
    """Return the path of a task in the archive whose content has one of these digests, empty for none."""
    folder = f"{layout.TASKS}/archive"
    try:
        years = [name for name, kind in files.names(folder) if kind == "folder"]
        for year in sorted(years, reverse=True):
            path = f"{folder}/{year}/{slug}{_SUFFIX}"
            if files.exists(path) and digest.of(files.read(path)) in digests:
                return path
    except AgentwsError:
        pass  # unreadable: the task counts as not archived
    return ""
