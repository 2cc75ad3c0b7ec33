"""Rendering of `agentws config`: settings as lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.daily.config.settings import Config, SettingValue


def fields(found: Config) -> dict[str, object]:
    """Return the fields of `agentws/config@1`."""
    return {
        "settings": [
            output.fields(one, "key value default set=is_set line? wrong? choices what") for one in found.settings
        ],
        **output.fields(found, "file changed notices"),
    }


def table(found: Config) -> Iterator[str]:
    """Yield the table of `agentws config`: for each setting its value, where it is set, and its default."""
    width = max(len(one.key) for one in found.settings)
    for one in found.settings:
        yield f"{one.key:<{width}}  {one_line(f'{_said(one.value)} {_origin(one, found.file)}')}"
    command = "agentws config" if found.file == layout.MANIFEST else "agentws config --user"
    yield f"Explain a setting: {command} KEY · set one: {command} KEY VALUE"


def lines(found: Config) -> Iterator[str]:
    """Yield the lines of `agentws config KEY`: the setting's value, what it does, its choices."""
    for one in found.settings:
        yield one_line(f"{one.key} = {_said(one.value)} {_origin(one, found.file)}")
        if not found.changed:
            yield f"  {one.what}"
            yield from [f"  one of: {', '.join(map(_said, one.choices))}"] if one.choices else ()


def _origin(one: SettingValue, file: str) -> str:
    if one.wrong:
        return f"✗ {one.wrong}"
    return f"({file}:{one.line}; default {_said(one.default)})" if one.is_set else "(default)"


def _said(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value) or '""'
