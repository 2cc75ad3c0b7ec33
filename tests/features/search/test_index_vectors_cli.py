"""`index refresh --vectors` that is stopped, and vectors that cannot be read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NoReturn

import pytest

from agentws.features.search import command_index as index
from agentws.features.search.embedding import VectorStatus


class Stopped:
    """A run of the verb in which Ctrl-C comes while vectors are made."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.as_json = False

    def workspace(self) -> SimpleNamespace:
        return SimpleNamespace(search=SimpleNamespace(refresh=lambda **_: None, refresh_vectors=_stop))


def _stop(**_: object) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("quiet", [False, True])
def test_who_stops_it_is_told_how_to_go_on(capsys: pytest.CaptureFixture[str], *, quiet: bool) -> None:
    with pytest.raises(KeyboardInterrupt):
        index.refresh(Stopped(quiet=quiet), vectors=True)  # type: ignore[arg-type]

    assert ("agentws index refresh --vectors" in capsys.readouterr().err) is not quiet


def test_vectors_that_cannot_be_read_are_not_counted_as_none() -> None:
    status = VectorStatus("maple", "builtin")
    status.entries, status.known = 3, 2
    assert [*index.vector_lines(status)] == ["vectors: 2 of 3 texts (maple, builtin)"]

    status.entries = status.known = 0
    assert [*index.vector_lines(status)] == ["vectors: 0 of 0 texts (maple, builtin)"]
    status.notices.append("The vectors cannot be read: numpy is not installed.")
    assert [*index.vector_lines(status)] == []
