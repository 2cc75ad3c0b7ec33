"""The verb `agentws config`: its options and its call."""

from __future__ import annotations

from collections.abc import Iterator

from agentws.core import environment
from agentws.core.formats import layout
from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, words
from agentws.core.text.sanitize import one_line
from agentws.errors import UsageError
from agentws.features.daily.config.settings import Config, SettingValue

_FORMS = {"get": "[KEY]", "set": "KEY VALUE", "": "[KEY [VALUE]]"}
"""The words that may precede the key, as in other programs, with the arguments that each takes."""
_COUNTS = {"get": (0, 1), "set": (2,), "": (0, 1, 2)}


def config(run: Run, *, words: list[str], user: bool) -> None:
    """Show settings with their defaults and origins, or set one in agentws.toml.

    With --user: your own settings, which no workspace can set.
    """
    key, value = _asked(words)
    if user:
        result = _of_user(run, key, value)
    else:
        workspace = run.workspace()
        result = workspace.config.list(key) if key is None or value is None else workspace.config.set(key, value)
    lines = table(result) if key is None else setting_lines(result)
    run.result("config", result, _CONFIG, lines, look=output.PLAIN if key else output.ROWS)


def _of_user(run: Run, key: str | None, value: str | None) -> Config:
    from agentws.features.daily.config import user

    run.check_main_audience()
    file = environment.user_settings()
    if key is None or value is None:
        return user.settings(file, key)
    return user.set_setting(file, key, value, by_agent=run.environment().by_agent)


def _asked(words: list[str]) -> tuple[str | None, str | None]:
    """Return the key and the value in the words of the command line."""
    spoken = words[0] if words and words[0] in _FORMS else ""
    rest = words[1:] if spoken else words
    if len(rest) not in _COUNTS[spoken]:
        form = f"config {spoken}".rstrip()
        raise UsageError(
            f"`{form}` takes {_FORMS[spoken]}, not {len(rest)} words.",
            hint='agentws config KEY VALUE. Quote a value of several words: agentws config log.heading "The log"',
        )
    return (rest[0] if rest else None), (rest[1] if len(rest) > 1 else None)


_CONFIG = "settings[key value default set=is_set line? wrong? choices what] file changed notices"
VERBS = (
    Verb(
        "config",
        config,
        (
            words(
                "words",
                "KEY VALUE",
                "A setting, such as boot.budget, and its value; commas divide a list.",
                is_required=False,
                completes="setting",
            ),
            flag("--user", "Your own settings."),
        ),
        "agentws config",
        "agentws config boot.budget",
        "agentws config boot.budget 12000",
        "agentws config timezone Europe/Berlin",
        "agentws config boot.pinned notes/house.md,notes/garden.md",
        "agentws config --user compaction.timeout_s 180",
    ),
)


def table(result: Config) -> Iterator[str]:
    """Yield the table of `agentws config`: for each setting its value, where it is set, and its default."""
    width = max(len(setting.key) for setting in result.settings)
    for setting in result.settings:
        yield f"{setting.key:<{width}}  {one_line(f'{_shown(setting.value)} {_origin(setting, result.file)}')}"
    command = "agentws config" if result.file == layout.MANIFEST else "agentws config --user"
    yield f"Explain a setting: {command} KEY · set one: {command} KEY VALUE"


def setting_lines(result: Config) -> Iterator[str]:
    """Yield the lines of `agentws config KEY`: the setting's value, what it does, its choices."""
    for setting in result.settings:
        yield one_line(f"{setting.key} = {_shown(setting.value)} {_origin(setting, result.file)}")
        if not result.changed:
            yield f"  {setting.what}"
            yield from [f"  one of: {', '.join(map(_shown, setting.choices))}"] if setting.choices else ()


def _origin(setting: SettingValue, file: str) -> str:
    if setting.wrong:
        return f"✗ {setting.wrong}"
    return f"({file}:{setting.line}; default {_shown(setting.default)})" if setting.is_set else "(default)"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value) or '""'
