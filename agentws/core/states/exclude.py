"""The `info/exclude` file of the git repository around a workspace: keeps it out of `git add` in this clone."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentws.core import Record
from agentws.core.disk import external_files, locate
from agentws.core.formats import layout
from agentws.core.formats.git import gitconfig
from agentws.core.states import repository
from agentws.errors import AgentwsError


class Around(Record):
    """The repository at `git_dir` that contains a workspace at `prefix` (empty at its top)."""

    root: str
    git_dir: str
    prefix: str
    own: bool

    def tracked(self) -> list[str]:
        """Return the paths in the workspace's folder that git tracks; none if git fails."""
        return [path.removeprefix(self._base) for path in self._index() if path.startswith(self._base)]

    def untracked(self, paths: Sequence[str]) -> list[str]:
        """Return those of these workspace paths that git neither tracks nor ignores; none if git fails."""
        names = self._others("--", *(f"{self._base}{path}" for path in paths))
        return sorted(path.removeprefix(self._base) for path in names)

    def is_code(self) -> bool:
        """Return whether git tracks other files than the workspace's own, and none of an agent yet.

        In a repository that tracks nothing yet, such as one without a commit, these are the files that it would add.
        """
        paths = self._index() or self._others("--directory", "--no-empty-directory")
        ours = tuple(f"{self._base}{name}/" for name in gitconfig.EXCLUDED_FOLDERS)
        files = {f"{self._base}{name}" for name in gitconfig.EXCLUDED_FILES}
        within = (layout.usual(path.removeprefix(self._base)) for path in paths if path.startswith(self._base))
        if any(path in layout.SIGNS_OF_AN_AGENT or path.startswith(f"{layout.DAYS}/") for path in within):
            return False
        return any(path not in files and not path.startswith(ours) for path in paths)

    def hide(self, added: Sequence[str] = ()) -> bool:
        """Add exclude lines for the workspace; False if they were there already."""
        lines = gitconfig.exclude_whole(self.prefix) if self.own else gitconfig.exclude_patterns(self.prefix, added)
        return self._put(gitconfig.with_block(self._text() or "", self.prefix, lines))

    def show(self) -> bool:
        """Remove the workspace's exclude lines; False if there were none."""
        return self._put(gitconfig.without_block(self._text() or "", self.prefix))

    @property
    def path(self) -> str:
        """The absolute path of the exclude file."""
        return f"{repository.common(self.git_dir)}/info/exclude"

    @property
    def _base(self) -> str:
        return f"{self.prefix}/" if self.prefix else ""

    def _others(self, *words: str) -> list[str]:
        """Return the paths that git neither tracks nor ignores, from the top of the repository."""
        top = self.root.removesuffix(f"/{self.prefix}") if self.prefix else self.root
        return self._listed(top, "--others", "--exclude-standard", *words)

    def _index(self) -> list[str]:
        return self._listed(locate.nearest(self.root, os.path.isdir) or "/", "--full-name")

    def _listed(self, cwd: str, *words: str) -> list[str]:
        """Return the paths that `git ls-files` lists; none if git fails."""
        from agentws.core.states import plumbing

        literal = {"GIT_LITERAL_PATHSPECS": "1"}
        try:
            data = plumbing.ask("ls-files", "-z", *words, cwd=cwd, git_dir=self.git_dir, env=literal)
        except AgentwsError:
            return []
        return [path.decode("utf-8", "surrogateescape") for path in data.split(b"\0") if path]

    def _spot(self) -> external_files.Spot:
        return external_files.locate(repository.common(self.git_dir), "info/exclude", anywhere=False)

    def _text(self) -> str | None:
        return external_files.read(self._spot())

    def _put(self, text: str) -> bool:
        before = self._text()
        if text == (before or ""):
            return False
        external_files.write(self._spot(), text, before=before)
        return True


def find(root: str, *, own: bool = False) -> Around | None:
    """Return the repository that contains `root`, which need not exist; with `own`, the one around `root`'s own
    repository.
    """
    folder = locate.nearest(os.path.dirname(root) if own else root, os.path.isdir)
    git_dir = repository.find(folder) if folder is not None else None
    if folder is None or git_dir is None:
        return None
    top = locate.nearest(folder, lambda each: os.path.lexists(os.path.join(each, ".git")))
    if top is None:
        return None
    prefix = os.path.relpath(root, top)
    return Around(root, git_dir, "" if prefix == "." else prefix, own=own)


def forget(root: str) -> list[str]:
    """Remove this workspace's exclude lines from the repositories around it; returns notices of failures.

    A workspace in a separate folder stays ignored: its history remains there, and `git add` would include it.
    """
    notices = []
    for own in (False,) if os.path.basename(root) == layout.OWN_FOLDER else (False, True):
        try:
            around = find(root, own=own)
            if around is not None:
                around.show()
        except AgentwsError as error:
            notices.append(f"The lines of agentws remain in .git/info/exclude: {error.message}")
    return notices
