"""A record takes each field once, in order or by name."""

from __future__ import annotations

from typing import Any

import pytest

from agentws.core import Record


class Heron(Record):
    name: str
    eggs: int = 0


class Old(Heron):
    years: int = 1


def test_fields_are_given_in_their_order_or_by_name() -> None:
    assert vars(Heron("Ada", eggs=2)) == {"name": "Ada", "eggs": 2}
    assert vars(Old("Ada", years=9)) == {"name": "Ada", "eggs": 0, "years": 9}


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        (("Ada", 2, 3), {}),
        (("Ada",), {"name": "Bo"}),
        (("Ada",), {"wings": 2}),
        ((), {}),
        ((), {"wings": 2, "eggs": 1}),
    ],
)
def test_a_value_too_many_an_unknown_name_and_a_missing_field_are_refused(
    values: tuple[Any, ...], fields: dict[str, Any]
) -> None:
    with pytest.raises(TypeError, match="Heron"):
        Heron(*values, **fields)
