"""config: reads the settings of the workspace with their origins, and sets one in agentws.toml."""

from __future__ import annotations

from agentws.changes import ChangeSet, Write
from agentws.core import Record, Result
from agentws.core.disk import clock, files
from agentws.core.disk.named import path as path_on_disk
from agentws.core.disk.system import user_settings
from agentws.core.formats import digest, layout, manifest, manifest_tables, toml_edit
from agentws.core.formats.secrets import secrets
from agentws.core.notes import request
from agentws.core.stores import seals
from agentws.errors import DamagedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from agentws.core.formats.manifest import Value
    from agentws.core.stores.stores import Stores

_PATHS = ("boot.pinned", "history.include")
_GO_OUT = ("history.include", "sync.include")
"""Settings on what leaves the machine: values set on another machine count here only after they are set here, too."""
_LEAST_RECALL = 50
_TIME_ZONE = manifest.Setting("timezone", "UTC", "Time zone of days and times, as an IANA name such as Europe/Berlin.")
_NAME = manifest.Setting(
    "name", "", "Name of the agent, shown by boot. If empty: that in IDENTITY.md, else the folder."
)
FIXED = (
    manifest.Setting("id", "", "The agent's id. `init` sets it; it cannot be changed."),
    manifest.Setting("created", "", "When `init` was run. It cannot be changed."),
)
_TOP = (_NAME, _TIME_ZONE, *FIXED)
"""Keys above all sections: attributes of the manifest."""
_VOCABULARY = "vocabulary."
_WORDS = tuple(
    manifest.Setting(f"{_VOCABULARY}{name}", [], "Words of your own, in addition to those of the twelve languages.")
    for name in (*manifest_tables.LISTS, *(f"kinds.{kind}" for kind in manifest_tables.KINDS))
)
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")

ALL = (*_TOP, *manifest.SETTINGS, *_WORDS)
"""Every key of agentws.toml that agentws reads, but for `format`, `requires` and the rules."""


class SettingValue(Record, Result):
    """The present state of a setting.

    Fields:
        key: its name, with a dot: `boot.budget`.
        value, default: the value that is used, and the one without a line in the file.
        is_set: whether the file sets it; `line` is the line there, else 0.
        wrong: what is wrong with the value in the file; empty for nothing.
        what, choices: what it does, and the allowed values; none: any of its type.
    """

    key: str
    value: Value | float
    default: Value | float
    is_set: bool
    line: int
    wrong: str
    what: str
    choices: Sequence[object]


def shown(setting: manifest.Setting, value: Value | float, line: int, wrong: str = "") -> SettingValue:
    """Return the state of a setting that has this value; `line` is that of the file that sets it, else 0."""
    key, default, what, choices = setting.key, setting.default, setting.what, setting.choices
    return SettingValue(key, value, default, line > 0, line, wrong, what, choices)


class Config(Record, Result):
    """The result of `config`: the settings that were asked for.

    Fields:
        file: `agentws.toml`, or the absolute path of the user's file.
        changed: whether a setting was changed.
    """

    file: str
    settings: list[SettingValue]
    changed: bool
    notices: list[str]


def settings(stores: Stores, key: str | None = None) -> Config:
    """Return all settings of the workspace, or the one called `key`; UsageError for an unknown key."""
    if key is None:
        wanted = tuple(setting for setting in ALL if setting not in _WORDS or _value_in(stores, setting) is not None)
    else:
        wanted = (_named(key),)
    return _config(stores, wanted, changed=False)


def set_setting(stores: Stores, key: str, text: str | int | Sequence[str]) -> Config:
    """Set one setting of the workspace in the manifest, whose other lines stay; a text has commas between list items.

    UsageError for a value that does not fit, DamagedError if the line cannot be changed safely.
    """
    text = str(text) if isinstance(text, str | int) else ",".join(text)
    secrets.refuse(text)
    setting = _named(key)
    if setting in FIXED:
        raise UsageError(f"{key} cannot be changed.", hint=f"To show it: agentws config {key}")
    value = _value(setting, text)
    if key == "boot.pinned" and isinstance(value, list):
        value = [path_on_disk(stores.files, path) for path in value]
    stores.check_writable()
    stores.settle()
    if key in _GO_OUT:
        from agentws.core.installation import scope_changes  # not needed to read settings

        if key in scope_changes.waiting(stores.files, stores.manifest):
            stores.environment.check_person(f"agentws config {key} …")
        scope_changes.agree(stores.files, key)
    before = stores.manifest.text
    if _value_in(stores, setting) == value and key not in stores.manifest.wrong:
        return settings(stores, key)
    if setting is _TIME_ZONE:
        if not value:
            raise UsageError("timezone must not be empty.", hint="agentws config timezone Europe/Berlin")
        clock.zone(str(value))
    if setting in _TOP or setting in _WORDS:
        after = toml_edit.with_value(before, key, value, where=layout.MANIFEST).encode()
    else:
        try:
            manifest.check_value(setting, value)
        except DamagedError as error:
            raise UsageError(error.message, hint=f"For its meaning: agentws config {key}") from error
        _check_use(stores, setting, value)
        after = manifest.with_setting(before, key, value, where=layout.MANIFEST).encode()
    write = Write(layout.MANIFEST, after, expects=digest.of(before.encode()))
    stores.apply(ChangeSet(f"config {key}", (write,)))
    stores.manifest = manifest.decode(after, where=layout.MANIFEST)
    stores.notices += seals.quietly(stores, due=True)
    if key == "sync.lease" and value != "off":
        from agentws.core.identity import lease  # not needed to read settings

        says = lease.said(*stores.machine)
        stores.notices += [f"{says} {lease.TAKE}"] if says else []
    return _config(stores, (setting,), changed=True)


def _config(stores: Stores, wanted: tuple[manifest.Setting, ...], *, changed: bool) -> Config:
    current, values = stores.manifest, []
    for setting in wanted:
        set_value = _value_in(stores, setting)
        line = toml_edit.line_of(current.text, setting.key) if set_value is not None and current.text else 0
        value = setting.default if set_value is None else set_value
        values.append(shown(setting, value, line, current.wrong.get(setting.key, "")))
    return Config(layout.MANIFEST, values, changed=changed, notices=list(stores.notices))


def _value_in(stores: Stores, setting: manifest.Setting) -> Value | None:
    """Return the value that the manifest sets, None without one."""
    current = stores.manifest
    if setting in _TOP:
        return (
            {"id": current.agent_id, "name": current.name}.get(setting.key)
            or getattr(current, setting.key, None)
            or None
        )
    if setting in _WORDS:
        return current.vocabulary.get(setting.key.removeprefix(_VOCABULARY))
    return current.settings.get(setting.key)


def _named(key: str) -> manifest.Setting:
    if key in {setting.key for setting in user_settings.SETTINGS}:
        raise UsageError(
            f"{key} is a setting of the user, not of the workspace.", hint=f"Add --user: agentws config --user {key}"
        )
    return named(key, ALL, "agentws config")


def named(key: str, settings: tuple[manifest.Setting, ...], command: str) -> manifest.Setting:
    """Return the setting called `key`; UsageError that names similar ones and the `command` to list all."""
    for setting in settings:
        if setting.key == key:
            return setting
    import difflib  # only for a mistyped key

    every = [setting.key for setting in settings]
    within = [text for text in every if key and key.casefold() in text]
    near = [] if within else difflib.get_close_matches(key.casefold(), every)
    hint = f"Did you mean: {', '.join(near)}?" if near else f"Settings: {', '.join(within or every)}."
    raise UsageError(f"Unknown setting: {key!r}.", hint=f"{hint} All with their values: {command}")


def _value(setting: manifest.Setting, text: str) -> Value:
    """Return the text as a value of the setting's type; UsageError if it is not valid for it."""
    word = text.strip()
    if isinstance(setting.default, bool):
        if word.lower() in (*_YES, *_NO):
            return word.lower() in _YES
        raise _unfit(setting, "true or false", text)
    if isinstance(setting.default, int):
        if word.isascii() and word.isdigit() and len(word) < 10:
            return int(word)
        raise _unfit(setting, "a whole number", text)
    if isinstance(setting.default, list):
        return [item.strip() for item in word.split(",") if item.strip()]
    return inline(word)


def _check_use(stores: Stores, setting: manifest.Setting, value: Any) -> None:
    """Raise UsageError for a value of the right type that the readers of the setting cannot use."""
    section, _, name = setting.key.partition(".")
    if section == "retention":
        manifest_tables.retention_rules({name: value}, stores.here().day)
    elif setting.key == "journal.keep" and value:
        manifest_tables.last_retained_day(value, setting.key, stores.here().day)
    elif setting.key == "compaction.before":
        clock.moment(value, now=stores.clock.now())
    elif setting.key == "boot.budget" and value < request.SMALLEST_BUDGET:
        raise _unfit(setting, f"at least {request.SMALLEST_BUDGET}", str(value))
    elif setting.key == "recall.tokens" and value < _LEAST_RECALL:
        raise _unfit(setting, f"at least {_LEAST_RECALL}", str(value))
    elif setting.key in _PATHS:
        for path in value:
            files.names_of(path)


def _unfit(setting: manifest.Setting, wanted: str, text: str) -> UsageError:
    example = str(setting.default).lower() if isinstance(setting.default, bool) else setting.default
    hint = f"For example: agentws config {setting.key} {example}"
    return UsageError(f"{setting.key} must be {wanted}, not {text!r}.", hint=hint)


def inline(word: str) -> str:
    """Return the text of a setting if it is one line without control characters, else raise UsageError."""
    if not word.isprintable():
        raise UsageError("A value must be one line without control characters.", hint="agentws config KEY VALUE")
    return word
