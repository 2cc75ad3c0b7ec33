"""What is asked of the world where there are two answers. Each port has one contract suite in tests/contracts/."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Any, Protocol

    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.travel.backup import Header, Manifest, Marks
    from agentws.core.formats.travel.inventory import TreeEntry

    Progress = Callable[[int], None]
    """Is told how many bytes were sent so far."""

    class Clock(Protocol):
        """The time here: the system's, or one that was fixed for a replay or a test."""

        def now(self) -> datetime:
            """The present moment, in the workspace's time zone."""

    class Summarizer(Protocol):
        """Answers the brief of `curate` with its operations: any program of the user's.

        Its answer is checked by features/memory/curate/plan/checks.py; where it fails, MEMORY.md stays as it is.
        """

        def summarize(self, request: str) -> Answer:
            """Operations, one a line. Never raises for what a program does."""

    class Answer(Protocol):
        """What a summarizer said: the `text`, or why there is none (`failure`, in words; else empty)."""

        @property
        def text(self) -> str:
            """The operations, as they were written; empty where it failed."""

        @property
        def failure(self) -> str:
            """What went wrong, empty where nothing did."""

    class Observer(Protocol):
        """Is told of events: a log, a console, a metrics system."""

        def on_event(self, event: Event) -> None:
            """Called after the event is durable. Whatever this raises becomes a notice; the event is not touched."""

    class TokenCounter(Protocol):
        """How many tokens a text costs, in whole `units`.

        A text's units never exceed the sum of its parts', where it is cut at line starts that begin with neither `/`
        nor an empty line; elsewhere they may by a few.
        """

        name: str
        exact: bool
        """Return True where the count is a tokenizer's own."""
        trust: str
        """What a count is worth, in words: `exact`, `a bound`, `a declared bound`, `an estimate`."""
        units_per_token: int

        def units(self, text: str) -> int:
            """Units of `text`; tokens are units / units_per_token, rounded up."""

    class History(Protocol):
        """Past states of the documents: kept in git, or not kept."""

        kind: str
        """`branch`, `ref` or `none`."""

        def ids(self, at: str | None = None) -> Mapping[str, str]:
            """The id of the content of each path in the newest state, or `at` that."""

        def tip(self) -> str | None:
            """The id of the newest state, None where there is none."""

        def blob_id(self, data: bytes) -> str:
            """The id of a content."""

        def record(
            self, files: Mapping[str, bytes], *, message: str, at: datetime, since: str | None = None,
            gone: Collection[str] = (),
        ) -> str | None:  # fmt: skip
            """Keep a state of the documents: `files` maps all paths to contents; with `since`, the id of the newest
            state, those that may differ from it, and `gone` names those that are not there any more.

            Returns the id of the new state, or None where nothing differs from the newest state or no history is
            kept. Raises OutsideProgramError where git fails; the documents themselves are never touched.
            """

        def newest(self) -> tuple[str, datetime, str] | None:
            """Id, time and message of the newest state, None where there is none."""

    class Transport(Protocol):
        """A way for a workspace to reach another place, and what is done there. `look` comes first.

        The copy grows beside the destination, and is put in its place in one step. Whatever fails raises an
        AgentwsError, and leaves a copy that a later try goes on with.
        """

        def look(self, path: str, migration: str) -> dict[str, Any]:
            """What stands at the destination, and whether a copy of this migration waits beside it: see `Receiver`."""

        def entries(self, paths: list[str] | None = None) -> Iterator[list[Any]]:
            """What the copy really holds (everything, or at these paths), read there: the lists of an inventory."""

        def prepare(self, attempt: str) -> None:
            """Make the copy's folder, and be the only one who writes into it; what an earlier try left is kept."""

        def send(self, root: str, entries: Sequence[TreeEntry], progress: Progress | None = None) -> str:
            """Put these things of the tree at `root` into the copy, folders before what they hold.

            What went meanwhile is passed over; then words say so, else nothing.
            """

        def drop(self, paths: list[str]) -> None:
            """Take what stands at `paths` out of the copy."""

        def settle(self, folders: list[list[Any]]) -> None:
            """Give folders of the copy their modes and times: [path, mode, mtime in nanoseconds]."""

        def announce(self, told: dict[str, Any]) -> None:
            """Leave word in the copy, in what belongs to that machine alone, of where it comes from."""

        def sync(self) -> None:
            """Make the copy durable."""

        def place(self, mode: int, stamp: str) -> dict[str, Any]:
            """Put the copy in its place, durably: its `path`, and where an older copy was put `aside`, if one was."""

        def abandon(self) -> bool:
            """Take the copy away, never what is in its place; False where there was none.

            MayNotWriteError where the agent has arrived, or somebody takes it just now: nothing can be taken back then.
            """

        def boot(self) -> dict[str, Any]:
            """Boot the agent where it is now: the exit `code` (None: agentws is not there) and what was `said`."""

        def aside(self) -> str:
            """Make a private folder there for a copy that is only tried, which goes with `close`: where it is to be."""

        def verify(self) -> dict[str, Any]:
            """Verify the journal of the agent where it is now: as `boot`."""

        def joins(self) -> dict[str, str]:
            """The `writer` that the installation over there is, and its public `key`; empty where that is not known."""

        def sign_in(self, lines: dict[str, str]) -> None:
            """Add a line to each of these files (RelPath → line) of the agent where it is now, durably."""

        def close(self) -> None:
            """Let go of the far side; the copy stays as it is."""

    class BackupPart(Protocol):
        """A backup that is being made. It is none before `keep` has given it a name.

        `copied` are the paths whose content was taken now, and its digest. In the folder `root` lies what was copied,
        and the newest segment of each writer. `links` is False where the medium lacks hard links, and should have them.
        """

        root: str
        copied: dict[str, str]
        links: bool

        def folder(self, path: str) -> None:
            """Take a folder."""

        def link(self, entry: TreeEntry) -> None:
            """Take a symbolic link, which nobody follows."""

        def same(self, entry: TreeEntry) -> bool:
            """Take a file from the backup before; False where it is to be copied."""

        def copy(self, entry: TreeEntry, fd: int, size: int) -> TreeEntry:
            """Take the first `size` bytes of an open file; returns the entry as it is in the backup."""

        def write(self, entry: TreeEntry, text: bytes) -> TreeEntry:
            """Take a file with this content; returns the entry as it is in the backup."""

        def share(self, entry: TreeEntry) -> None:
            """Take the file of the backup before for one that was copied, and is the same."""

        def drop(self, path: str) -> None:
            """Take out what went meanwhile; of folders, only empty ones go."""

        def settle(self, entries: Iterable[TreeEntry]) -> None:
            """Put all of it on the medium, durably; folders are whole now."""

        def read_back(self) -> None:
            """Compare what was copied now with what the medium gives back. AgentwsError where it differs."""

        def finish(self, header: Header, entries: Iterable[TreeEntry], marks: dict[str, Marks]) -> None:
            """Put the manifest to the rest, durably: then it is whole."""

        def keep(self, at: datetime) -> str:
            """Make it a backup, durably; returns its name."""

        def clear(self) -> None:
            """Remove it: it will be no backup."""

    class Backups(Protocol):
        """The backups of one agent at a destination, called `place`: a folder, or whatever takes files and keeps them.

        Whatever fails raises an AgentwsError, and leaves those that are complete as they are.
        """

        place: str

        def names(self) -> list[str]:
            """The names of all complete backups, the oldest first."""

        def header(self, name: str) -> Header:
            """The header of a backup. DamagedError where it has none that can be read."""

        def manifest(self, name: str) -> Manifest:
            """The manifest of a backup. DamagedError where it cannot be read."""

        def tree(self, name: str, only: Sequence[str] | None = None) -> AbstractContextManager[str]:
            """The absolute folder that holds the files of a backup as the medium gives them back, for as long as it is
            needed: `only` those at these paths, where others would have to be fetched. What is not there, or is no
            file, is missing in it; symbolic links may be.
            """

        def begin(self, agent_name: str, owner: str, before: str) -> BackupPart:
            """An empty backup that may share files with the one called `before` (empty: with none).

            What a killed run of the same `owner` has left goes first, or is gone on with.
            """

        def remove(self, name: str) -> None:
            """Remove a backup: at once it is none, whenever this ends."""

        def stays(self) -> str:
            """Why `agentws forget --copies` cannot take a text out of these backups, and what a person does instead, in
            one or two plain sentences; empty where it can (a folder). Told without a look at the backups.
            """

        def notices(self, root: str) -> tuple[str, ...]:
            """What is to be said of this destination for a workspace at `root`."""

        def close(self) -> None:
            """Let go of the destination."""

    VectorRecord = tuple[str, Any, Mapping[str, str]]
    """A vector to keep: its key (32 hexadecimal digits), its numbers, what it is of: `source`, `time`, `context`."""

    class Embedder(Protocol):
        """Makes vectors of texts: a model that ships in a package, an endpoint, a command of the user's."""

        name: str
        """What made the vectors, which are compared with each other alone."""

        def embed(self, texts: Sequence[str]) -> Sequence[Any]:
            """Return a vector for each text, in order, all of one size. AgentwsError where it cannot."""

    class VectorStore(Protocol):
        """Keeps vectors by the keys of their texts, and finds the nearest. Similarity is the cosine, from -1 to 1."""

        def keys(self) -> set[str]:
            """The keys of all vectors."""

        def put(self, vectors: Iterable[VectorRecord]) -> None:
            """Add vectors, durably; those of known keys may be left out."""

        def nearest(self, vector: Any, count: int) -> list[tuple[str, float]]:
            """(key, similarity) of the `count` nearest, the nearest first."""

        def similarities(self, vector: Any, keys: Collection[str]) -> dict[str, float]:
            """The similarity of each of these that is known."""

        def metadata(self, keys: Collection[str]) -> dict[str, Mapping[str, str]]:
            """What each of these that is known is of."""

        def keep(self, keys: Collection[str]) -> int:
            """Remove all others, so that nothing of them stays as far as that is in our hands; how many these were."""

        def destroy(self) -> None:
            """Remove all."""

        def close(self) -> None:
            """Let go of it."""
