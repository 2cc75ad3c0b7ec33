"""The history of a workspace: past states of its documents, recorded in git (P13, P14).

Why not `git commit`: it runs hooks and filters, and if killed leaves an `index.lock` behind that stops every later
commit. Here a state is built beside the user's index, and one compare-and-swap of a ref makes it visible. No
acknowledgement depends on git: acknowledged text was durable in the documents before.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from agentws.core.disk import files as _files
from agentws.core.disk.cache import Cache
from agentws.core.formats.git import objects, tree_state
from agentws.core.formats.git.objects import Entry
from agentws.core.formats.git.tree_state import State
from agentws.core.states import plumbing, repository
from agentws.errors import OutsideProgramError

_MOST_PACKS = 40
"""Git searches every pack for each object, and runs its own gc in a user's repository from 50 on."""
_STORE = ("index-pack", "--stdin", f"--keep={repository.KEEPER}")
_FOLDED = ("-d", "-q", "-l", "--geometric=2")
"""Small packs are merged so that there are never many; no object is dropped."""
_MOST_FOLDED_BYTES = 32 << 20
"""Of a user's own packs no more is rewritten: their storage is the user's decision."""
_NOT_OURS = (": gitmodules", ": gitattributes")
"""Errors that git finds in committed files of the user, not in the new state."""
_RACES = 100
"""Each lost race means that another process recorded a state: so many losses in a row are unlikely."""
_INDEX = ("-z", "--replace", "--index-info")
_INTENT = "index-intent"
_NEWEST = "history"
_FEW = 64
"""Up to so many paths go onto a command line; for more, the whole index is read."""


class TipMovedError(Exception):
    """Raised if another process has recorded a newer state."""


class GitHistory:
    """Past states of the documents in git, on the branch that HEAD names (mode `branch`) or a ref of their own (`ref`).

    In a repository made by agentws, states go to the branch, and the index is updated for exactly the changed paths. A
    path that is staged with other content, or in conflict, stays staged as it is: the next manual commit then visibly
    differs from the state, and the next record restores the work tree's content. With `ref`, HEAD, branch, index and
    work tree are never touched.

    `owns` returns whether a path of an earlier state is removed when its file is gone; other paths stay in the tree.
    `scratch` is a private folder; `cache` may hold the content of the newest state.
    """

    def __init__(
        self, *, root: str, git_dir: str, mode: str, ref: str, author: tuple[str, str], scratch: str,
        owns: Callable[[str], bool] = lambda path: True, cache: Cache | None = None,
    ) -> None:  # fmt: skip
        if mode not in ("branch", "ref"):
            raise ValueError(f"mode {mode!r} is neither branch nor ref")
        self.kind = mode
        self.line = "HEAD" if mode == "branch" else ref
        """The name of the line of states for git."""
        self._root, self._git_dir = root, git_dir
        self._ref, self._author, self._scratch, self._owns = ref, author, scratch, owns
        self._cache = cache
        self._algorithm = ""
        self._newest: tuple[str, State | None] = ("", tree_state.empty())
        self._kept: tuple[list[list[Any]], bytes] = ([], b"")
        """The cached content of the newest state, if `_newest` has none: often it is not needed."""

    def ids(self, at: str | None = None) -> dict[str, str]:
        """Return the content id of each path in the newest state (or in `at`); empty if there is no state."""
        tip = at or self.tip()
        return {path: oid for path, (_, oid) in self._state(tip).entries().items()} if tip else {}

    def id_of(self, path: str, *, at: str) -> str | None:
        """Return the content id of a path in the state `at`; None if it has no such file."""
        entry = self._state(at).entry(path)
        return entry[1] if entry else None

    def record(
        self, files: Mapping[str, bytes], *, message: str, at: datetime, since: str | None = None,
        gone: Collection[str] = (),
    ) -> str | None:  # fmt: skip
        """Record a state of the documents and return its id; None if nothing differs from the newest one.

        `files` are all documents; with `since`, the id of the newest state, only those that may differ from it, and
        `gone` are the removed ones. TipMovedError if another state is the newest one by then. Raises
        OutsideProgramError if git fails or a merge or rebase is in progress; the ref has not moved then.
        """
        for path in files:
            _files.names_of(path)
        if at.utcoffset() is None:
            raise ValueError("a state needs a time with its offset")
        name, mail = self._author
        who = f"{name} <{mail}> {max(0, int(at.timestamp()))} {f'{at:%z}'[:5]}"
        text = message.replace("\0", "").encode(errors="replace") + b"\n"
        for attempt in range(_RACES):
            with _files.Failing(self._scratch):
                commit, moved = self._add(files, (since, gone), text, who)
            if moved:
                return commit
            time.sleep(0.005 * min(attempt, 20))
        raise OutsideProgramError(
            "The state was not recorded: other processes keep committing.", hint="Re-run later. Nothing was changed."
        )

    def tip(self) -> str | None:
        """Return the id of the newest state of any writer, or None."""
        return self._tip(self._target(writing=False))

    def newest(self) -> tuple[str, datetime, str] | None:
        """Return id, time and message of the newest state, or None."""
        tip = self.tip()
        if tip is None:
            return None
        # `git log` may run gpg or a pager if the config says so; `rev-list` runs nothing for these fields.
        words = ("--max-count=1", "--date=raw", "--format=%cd%n%B%x00", tip)
        return objects.state(self._git("rev-list", *words).removesuffix(b"\0\n"))

    # Building a state

    def _add(
        self, files: Mapping[str, bytes], since: tuple[str | None, Collection[str]], text: bytes, who: str
    ) -> tuple[str | None, bool]:
        """Return the id of the new state (None if nothing changed), and whether the ref moved to it."""
        ref = self._target()
        tip = self._tip(ref)
        if since[0] is not None and tip != since[0]:
            raise TipMovedError
        before = self._state(tip) if tip else tree_state.empty()
        changes = self._changes(before, {path: self.blob_id(data) for path, data in files.items()}, since)
        if not changes:
            return None, True
        repository.refuse_links(self._git_dir, ref)
        if self.kind == "branch":
            repository.wait_for(f"{self._git_dir}/index.lock", scratch=self._scratch)
        after, made, gone = before.changed(changes, self._format())
        state = objects.commit(after.ids[""], (tip,) if tip else (), author=who, message=text)
        commit = objects.object_id(objects.COMMIT, state, self._format())
        blobs = ((objects.BLOB, oid, files[path]) for path, (_, oid) in changes.items() if path in files)
        trees = ((objects.TREE, oid, tree) for oid, tree in made.items())
        with self._stored(chain(blobs, trees, [(objects.COMMIT, commit, state)])):
            concerned = {**dict.fromkeys(gone, self._absent()), **changes}
            if self.kind == "branch" and not self._refresh_index(concerned, before):
                return None, False
            # Before the ref: a power cut must not leave one that names what is not there. Neither the name of the ref
            # nor that of the index is synced: one alone would part the two, which reach the disk together.
            repository.sync_packs(self._git_dir)
            moved = self._move(ref, commit, tip, who)
        if moved:
            self._remember(ref, commit, after)
            self._fold_packs()
        return commit, moved

    def _changes(
        self, before: State, wanted: Mapping[str, str], since: tuple[str | None, Collection[str]]
    ) -> dict[str, Entry]:
        entries = before.entries() if since[0] is None or len(wanted) > _FEW else None
        entry = before.entry if entries is None else entries.get
        changes = {}
        for path in since[1] if since[0] is not None else entries or ():
            if path not in wanted and self._owns(path) and entry(path):
                changes[path] = self._absent()
        for path, oid in wanted.items():
            old_mode, old_oid = entry(path) or ("", "")
            # A person may have made a document executable; that is kept.
            mode = old_mode if old_mode.startswith("100") else "100644"
            if (mode, oid) != (old_mode, old_oid):
                changes[path] = (mode, oid)
        return changes

    @contextlib.contextmanager
    def _stored(self, parts: Iterable[tuple[str, str, bytes]]) -> Iterator[None]:
        """Write objects (kind, id, content) as a pack, by content alone: no path, filter or link is used.

        Git checks the pack's digest, and that every named object exists. A pack needs only three syncs, however many
        objects it has. Within the block it is protected from `git gc`, since no ref leads to it yet.
        """
        made = objects.Pack(self._format())
        for kind, oid, data in parts:
            made.add(oid, kind, data)
        pack = made.data()
        del made  # of the objects of fifty thousand documents none is in memory twice
        result = self._raw(*_STORE, "--strict", stdin=pack)
        if result[0] and any(each in result[2] for each in _NOT_OURS):
            # The same without a look at contents; 1 says that the pack names what others hold.
            status, out, text = self._raw(*_STORE, "--check-self-contained-and-connected", stdin=pack)
            result = (0 if status == 1 else status, out, text)
        if result[0] and "hasDot" in result[2]:
            raise OutsideProgramError(
                "A file is named .git, which git cannot store.", hint="Rename the file. Nothing was changed."
            )
        # A pack is called by its own digest. One that is there already, under another's hand, is left to them.
        is_held = bool(result[0]) or result[1].startswith(b"keep")
        name = pack[-len(self._absent()[1]) // 2 :].hex()
        del pack
        try:
            self._checked("index-pack", result)
            yield
        finally:
            if is_held:
                repository.release(self._git_dir, name)

    def _fold_packs(self) -> None:
        packs = repository.packs(self._git_dir)
        # After a failure or timeout, the next attempt is as many states later.
        if len(packs) <= _MOST_PACKS or len(packs) % _MOST_PACKS != 1:
            return
        repository.release_left(self._git_dir)
        if self.kind == "branch" or objects.folded_bytes(repository.measured(packs)) <= _MOST_FOLDED_BYTES:
            with contextlib.suppress(OutsideProgramError):  # housekeeping
                self._raw("repack", *_FOLDED)

    def _refresh_index(self, changes: Mapping[str, Entry], parent: State) -> bool:
        """Update the user's index before the ref moves: else the next manual commit would revert the state.

        False if the index is locked. The staged paths are noted first, so that after a crash they do not count as the
        user's.
        """
        repository.wait_for(f"{self._git_dir}/index.lock", scratch=self._scratch)
        note = os.path.join(self._scratch, _INTENT)
        ours: dict[str, Entry] = {}
        with contextlib.suppress(FileNotFoundError), open(note, "rb") as source:
            ours = objects.entries(source.read(), oid_at=1)
        absent, concerned = self._absent(), {**ours, **changes}
        staged = self._staged(list(concerned))
        due = {}
        for path in concerned:
            before, now = parent.entry(path) or absent, staged.get(path, absent)
            if now in (before, ours.get(path)) and now != changes.get(path, before):
                due[path] = changes.get(path, before)
        if due:
            with open(note, "wb") as sink:
                sink.write(objects.entry_lines({**ours, **due}))
            result = self._raw("update-index", *_INDEX, stdin=objects.entry_lines(due))
            if result[0] and "index.lock': File exists" in result[2]:
                return False
            self._checked("update-index", result)
        return True

    def _staged(self, paths: list[str]) -> dict[str, Entry]:
        """Return the index entries of these paths, possibly among others; a conflict has no file mode."""
        # Neither a pattern nor an option, whatever the file is called.
        literal = [f":(top,literal){path}" for path in paths] if len(paths) <= _FEW else []
        staged: dict[str, Entry] = {}
        for line in self._git("ls-files", "-s", "-z", "--", *literal).split(b"\0")[:-1]:
            fields, _, path = line.decode(errors="surrogateescape").partition("\t")
            mode, oid, stage = fields.split(" ")
            staged[path] = (mode, oid) if stage == "0" else ("conflict", stage)
        return staged

    def _move(self, ref: str, commit: str, tip: str | None, who: str) -> bool:
        """Move `ref` from `tip` to `commit`; False if another process moved it first."""
        name, mail = self._author
        seconds = who.rpartition("> ")[2]
        env = {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail, "GIT_COMMITTER_DATE": f"@{seconds}"}
        old = tip or self._absent()[1]
        result = self._raw("update-ref", "--no-deref", "-m", "agentws", ref, commit, old, env=env)
        if result[0] and self._tip(ref) != tip:
            return False
        self._checked("update-ref", result)
        if self.kind == "branch":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._scratch, _INTENT))
        return True

    # Obstacles

    def _target(self, *, writing: bool = True) -> str:
        """Return the ref on which states are recorded."""
        if self.kind == "ref":
            return self._ref
        if not os.path.lexists(os.path.join(self._root, ".git")):
            raise OutsideProgramError(f"{self._root} is not the top folder of the git repository.")
        if writing:
            repository.refuse_busy(self._git_dir)
        if branch := repository.branch(self._git_dir):
            return branch
        status, out, _ = self._raw("symbolic-ref", "--quiet", "HEAD")
        name = out.decode(errors="surrogateescape").strip()
        if status or not name.startswith("refs/heads/"):
            if not writing:
                return "HEAD"
            raise OutsideProgramError(
                "git has no branch checked out (detached HEAD).",
                hint="Check out a branch: git switch BRANCH. The next change is then recorded.",
            )
        return name

    # The newest state

    def _tip(self, ref: str) -> str | None:
        """Return the id of the commit that `ref` names; None for none."""
        plain = repository.tip(self._git_dir, ref)
        if plain and self._recall(ref, plain):
            return plain  # it was we who made it a commit
        if plain is None and repository.is_emptied(self._git_dir, ref):
            return self._recorded(ref)
        commit = self._commit(ref)
        if plain and not commit:
            raise OutsideProgramError(f"git cannot read the newest state, {plain[:10]}.", hint="Run: git fsck")
        return commit

    def _recorded(self, ref: str) -> str:
        """Return the newest commit that `ref` is known to have named; OutsideProgramError if none is known."""
        kept, _ = self._cache.get_beside(_NEWEST) if self._cache is not None else (None, b"")
        ids = [
            *repository.logged(self._git_dir, ref),
            *(kept[2:3] if kept and kept[:2] == [self._git_dir, ref] else ()),
        ]
        newest = next(filter(self._commit, ids), "")
        if not newest:
            by_hand = f"Find the commit: git fsck --lost-found. Then write its id into {self._git_dir}/{ref}."
            raise OutsideProgramError(
                f"git's file of {ref} is empty, as a power cut leaves it, and its log names no commit.",
                hint="Run: agentws doctor --fix" if self._cache is None else by_hand,
            )
        # The log and the cache are not synced: either may lack the newest.
        later = self._commit(ids[-1]) and self._raw("merge-base", "--is-ancestor", newest, ids[-1])[0] == 0
        return ids[-1] if later else newest

    def mend(self) -> str:
        """Set the ref again if a power cut has emptied its file; return its name then, else an empty text."""
        ref = self._target()
        if not repository.is_emptied(self._git_dir, ref):
            return ""
        repository.refuse_links(self._git_dir, ref)
        with _files.Failing(ref):
            repository.set_emptied(self._git_dir, ref, self._recorded(ref))
        return ref

    def emptied(self) -> str:
        """Return the name of the ref if a power cut has emptied its file, else an empty text."""
        ref = self._target(writing=False)
        return ref if repository.is_emptied(self._git_dir, ref) else ""

    def _commit(self, name: str) -> str | None:
        result = self._raw("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return None if result[0] == 1 else self._checked("rev-parse", result).decode().strip()

    def _state(self, commit: str) -> State:
        if self._newest[0] != commit:  # what a commit holds never changes
            data = self._git("ls-tree", "-r", "-t", "-z", "--full-tree", commit)
            self._newest = (commit, tree_state.listed(data))
        state = self._newest[1]
        if state is None:
            state = tree_state.restored(*self._kept)
            self._newest = (commit, state)
        return state

    def _recall(self, ref: str, commit: str) -> bool:
        """Return whether this is the state that was recorded last on this machine, and load its cached content."""
        if self._newest[0] == commit:
            return True
        kept, parts = self._cache.get_beside(_NEWEST) if self._cache is not None else (None, b"")
        if not kept or kept[:3] != [self._git_dir, ref, commit]:
            return False
        self._newest, self._kept = (commit, None), (kept[3], parts)
        return True

    def _remember(self, ref: str, commit: str, state: State) -> None:
        self._newest = (commit, state)
        if self._cache is not None:
            made_by = [__file__, tree_state.__file__]
            rows, parts = state.plain()
            self._cache.put(_NEWEST, [self._git_dir, ref, commit, rows], made_by=made_by, beside=parts)

    # Asking git

    def _raw(
        self, word: str, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
    ) -> tuple[int, bytes, str]:
        return plumbing.run(word, *arguments, cwd=self._scratch, git_dir=self._git_dir, env=env, stdin=stdin)

    def _git(self, word: str, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._checked(word, self._raw(word, *arguments, stdin=stdin))

    def _checked(self, word: str, result: tuple[int, bytes, str]) -> bytes:
        lock, exists, _ = result[2].partition("Unable to create '")[2].partition("': File exists")
        if result[0] and exists and lock.endswith(".lock"):
            raise repository.locked(lock, scratch=self._scratch)
        return plumbing.check(word, result)

    def _format(self) -> str:
        if not self._algorithm:
            digits = len(self._newest[0])
            plain = {40: "sha1", 64: "sha256"}.get(digits)
            self._algorithm = plain or self._git("rev-parse", "--show-object-format").decode().strip()
        return self._algorithm

    def _absent(self) -> Entry:
        return "0", "0" * (64 if self._format() == "sha256" else 40)

    def blob_id(self, data: bytes) -> str:
        """Return the id that this repository gives to a content."""
        return objects.object_id(objects.BLOB, data, self._format())
