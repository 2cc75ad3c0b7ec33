"""config --user: reads and sets the user's own settings. No workspace is needed, and none can set them."""

from __future__ import annotations

import os

from agentws.core.disk import external_files
from agentws.core.disk.system import user_programs, user_settings
from agentws.core.formats import manifest, toml_edit
from agentws.core.formats.secrets import secrets
from agentws.errors import NeedsYouError, UsageError
from agentws.features.daily.config import settings as _settings
from agentws.features.daily.config.settings import Config

_COMMAND = "agentws config --user"


def settings(path: str | None, key: str | None = None) -> Config:
    """Return the user's settings in the file at `path`, or the one called `key`. DamagedError, UsageError."""
    wanted = user_settings.SETTINGS if key is None else (_named(key),)
    return _config(_file(path), wanted, [])


def set_setting(path: str | None, key: str, text: str, *, by_agent: bool) -> Config:
    """Set one setting in the user's file, whose other lines stay. `undo` does not cover that file.

    UsageError for a value that does not fit, NeedsYouError if an agent sets what only a person may set.
    """
    secrets.refuse(text)
    setting, file = _named(key), _file(path)
    value, notices = _value(setting, text)
    before = _config(file, (setting,), [])
    (old,) = before.settings
    if old.is_set and old.value == value:
        return before
    is_guarded = key in user_settings.NOT_BY_AGENT or bool(
        user_settings.wait_setting(key) or user_settings.fleet_setting(key)
    )
    if by_agent and is_guarded:
        programs = (user_settings.SUMMARIZER, user_settings.NOTIFY, user_settings.AGENT)
        is_program = key in programs or key.endswith(user_settings.WAIT_COMMAND)
        what = "names a program to run" if is_program else "says what is run, whose word counts, or where texts go"
        raise NeedsYouError(
            f"{key} {what}, which only a person may set.",
            hint=f"A person must run: {_COMMAND} {key} {'COMMAND' if is_program else 'VALUE'}",
        )
    spot = external_files.locate(*os.path.split(file), anywhere=True)
    content = external_files.read(spot)
    after = toml_edit.with_value(content or "", key, value, where=file)
    kept = external_files.write(spot, after, before=content)
    notices += [f"The file was edited at the same time. The edit is kept as {kept}."] if kept else []
    notices.append(f"`agentws undo` does not cover this file. The value before: {toml_edit.literal(old.value)}")
    done = _config(file, (setting,), notices)
    done.changed = True
    return done


def _file(path: str | None) -> str:
    if path is None:
        raise UsageError("There is no folder for your settings.", hint="Set HOME, or XDG_CONFIG_HOME.")
    return path


def _named(key: str) -> manifest.Setting:
    if key == user_settings.RULES:
        raise UsageError(
            f"{key} is a list of tables, which a person edits by hand.",
            hint="To list the rules: agentws ask rules. How to write one: agentws docs format/rules",
        )
    if key in {setting.key for setting in manifest.SETTINGS}:
        raise UsageError(
            f"{key} is a setting of the workspace, not of the user.", hint=f"Leave out --user: agentws config {key}"
        )
    if (wait := user_settings.wait_setting(key)) is not None:
        return wait
    if (agent := user_settings.fleet_setting(key)) is not None:
        return agent
    return _settings.named(key, user_settings.SETTINGS, _COMMAND)


def _config(file: str, wanted: tuple[manifest.Setting, ...], notices: list[str]) -> Config:
    user = user_settings.read(file)
    values: dict[str, str | float | bool] = {
        user_settings.TYPED: user.typed_counts,
        user_settings.NOTIFY: user.notify,
        user_settings.AGENT: user.agent,
        user_settings.AGENT_TIMEOUT: user.agent_timeout_s,
        user_settings.AGENT_BOOT: user.agent_boots,
        user_settings.SUMMARIZER: user.summarizer,
        user_settings.TIMEOUT: user.timeout_s,
        **{f"vectors.{name}": value for name, value in user.vectors.items()},
        **{f"fleet.{name}": value for name, value in user.fleet.items()},
        **user_settings.wait_values(user),
        **user_settings.fleet_values(user),
    }
    if user.has_rules and len(wanted) > 1:
        notices = [*notices, f"{file} holds {user_settings.RULES}, which `agentws ask rules` lists."]
    rows = [_settings.shown(each, values.get(each.key, ""), user.lines.get(each.key, 0)) for each in wanted]
    return Config(file, rows, changed=False, notices=[*user.notices, *notices])


def _value(setting: manifest.Setting, text: str) -> tuple[str | float | bool, list[str]]:
    """Return (the text as a value, notices on it); UsageError if it does not fit."""
    word = _settings.inline(text.strip())
    if setting.key in (user_settings.TIMEOUT, user_settings.AGENT_TIMEOUT):
        return _seconds(setting.key, word), []
    if setting.key in (user_settings.TYPED, user_settings.AGENT_BOOT):
        return _truth(setting.key, word), []
    if (
        word in ("", "builtin")
        or setting.key.startswith(("vectors.", "fleet."))
        or setting.key.endswith(user_settings.WAIT_URL)
    ):
        return word, []
    words, _, failure = user_programs.parse(word)
    if not words:
        raise UsageError(f"{setting.key}: {failure}.", hint=f'{_COMMAND} {setting.key} "llm -m MODEL"')
    return word, [f"{setting.key}: {failure}."] if failure else []


def _truth(key: str, word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise UsageError(f"{key} must be true or false, not {word!r}.", hint=f"For example: {_COMMAND} {key} true")
    return word.lower() == "true"


def _seconds(key: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = 0
    low, high = user_settings.SHORTEST_S, user_settings.LONGEST_S
    if not low <= value <= high:
        raise UsageError(
            f"{key} must be a number from {low:g} to {high:,}, not {word!r}.",
            hint=f"For example: {_COMMAND} {key} 180",
        )
    return int(value) if value.is_integer() else value
