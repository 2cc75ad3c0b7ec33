"""Virtual contexts."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import AmbiguousError, MissingFileError, UsageError
from agentws.workspace import Workspace


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def test_a_context_is_made_listed_shown_and_used(workspace: Workspace) -> None:
    workspace.contexts.new("blog", files=["notes/a.md"], tags=["writing"], text="Write.")
    workspace.contexts.use("blog")

    found = reopened(workspace)
    assert [one.name for one in found.contexts.list().contexts] == ["blog"]
    assert found.contexts.list().in_use == "blog"
    assert found.contexts.show("blog").files == ("notes/a.md",)
    assert found.contexts.show("blog").tags == ("writing",)


def test_using_none_again_leaves_no_context_in_use(workspace: Workspace) -> None:
    workspace.contexts.new("blog")
    workspace.contexts.use("blog")

    reopened(workspace).contexts.use("")

    assert reopened(workspace).contexts.list().in_use == ""


def test_using_edits_one_line_of_the_manifest_and_keeps_the_rest(workspace: Workspace) -> None:
    manifest = Path(workspace.root) / "agentws.toml"
    manifest.write_text(manifest.read_text() + "\n# mine\n[future]\nkey = 1\n")
    workspace.contexts.new("blog")

    reopened(workspace).contexts.use("blog")

    assert "\n# mine\n[future]\nkey = 1\n" in manifest.read_text()


def test_what_is_in_use_already_is_not_written_again(workspace: Workspace) -> None:
    workspace.contexts.new("blog")
    workspace.contexts.use("blog")

    assert reopened(workspace).contexts.use("blog").paths == ()


def test_a_second_one_of_the_same_name_is_refused(workspace: Workspace) -> None:
    workspace.contexts.new("blog", text="first")

    with pytest.raises(UsageError):
        workspace.contexts.new("blog", text="second")

    assert "first" in workspace.contexts.show("blog").body


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b"])
def test_names_that_are_no_names_are_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(UsageError):
        workspace.contexts.new(name)


def test_a_missing_one_is_told_with_those_that_are_there(workspace: Workspace) -> None:
    workspace.contexts.new("blog")

    with pytest.raises(MissingFileError) as refused:
        workspace.contexts.show("blag")

    assert "blog" in str(refused.value.hint)


def test_a_dry_run_writes_nothing(workspace: Workspace) -> None:
    done = workspace.contexts.new("blog", dry_run=True)

    assert done.paths == ("contexts/blog.md",)
    assert not (Path(workspace.root) / "contexts").exists()


def test_a_beginning_that_only_one_context_has_names_it(workspace: Workspace) -> None:
    for name in ("blog", "blue", "garden"):
        workspace.contexts.new(name, text=f"About {name}.")

    assert workspace.contexts.show("gar").name == "garden"
    assert reopened(workspace).contexts.use("GARD").name == "garden"
    assert "About blog." in reopened(workspace).boot(context_name="blo").text
    with pytest.raises(AmbiguousError, match="2 contexts") as error:
        workspace.contexts.show("bl")
    assert "blog, blue" in (error.value.hint or "")
    with pytest.raises(AmbiguousError):
        workspace.contexts.use("bl")
    with pytest.raises(AmbiguousError):
        workspace.boot(context_name="bl")


def test_a_whole_name_is_no_beginning_of_a_longer_one(workspace: Workspace) -> None:
    workspace.contexts.new("blog")
    workspace.contexts.new("blog-drafts")

    assert workspace.contexts.show("blog").name == "blog"
