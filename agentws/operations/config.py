"""config: the settings of the workspace, where each comes from, and one of them set."""

from __future__ import annotations

from agentws.changes import ChangeSet, Write
from agentws.errors import DamagedError, UsageError
from agentws.formats import digest, layout, manifest
from agentws.formats.secrets import secrets
from agentws.planning.boot import request
from agentws.planning.compact import retention
from agentws.storage.disk import clock, files
from agentws.storage.workspace import seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.formats.manifest import Value
    from agentws.storage.workspace.stores import Stores

_PATHS = ("boot.pinned", "history.include")
_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


class SettingValue:
    """One setting as it is now.

    Fields:
        key: its name, with a dot: `boot.budget`.
        value, default: what is read, and what would be where the manifest says nothing.
        is_set: whether the manifest sets it; `line` is the line there, else 0.
        wrong: what is wrong with what the manifest says; empty for nothing.
        what, choices: what it does, and the values allowed; none: any of its type.
    """

    __slots__ = ("choices", "default", "is_set", "key", "line", "value", "what", "wrong")

    def __init__(self, found: manifest.Manifest, setting: manifest.Setting) -> None:
        self.key = setting.key
        self.default = setting.default
        self.value: Value = found.setting(setting.key)
        self.is_set = setting.key in found.settings
        self.line = manifest.line_of(found.text, setting.key) if self.is_set else 0
        self.wrong = found.wrong.get(setting.key, "")
        self.what = setting.what
        self.choices = setting.choices


class Config:
    """The settings that were asked for, and whether one of them was `changed`."""

    __slots__ = ("changed", "notices", "settings")

    def __init__(self, settings: list[SettingValue], *, changed: bool, notices: list[str]) -> None:
        self.settings = settings
        self.changed = changed
        self.notices = notices


def settings(stores: Stores, key: str | None = None) -> Config:
    """All settings, or the one called `key`; UsageError where there is none."""
    wanted = manifest.SETTINGS if key is None else [_named(key)]
    found = [SettingValue(stores.manifest, setting) for setting in wanted]
    return Config(found, changed=False, notices=list(stores.notices))


def set_setting(stores: Stores, key: str, text: str) -> Config:
    """Set one setting in the manifest, whose other lines stay as they are; a list is divided by commas.

    UsageError for a value that does not fit, DamagedError where the line cannot be changed safely.
    """
    secrets.refuse(text)
    setting = _named(key)
    value = _value(setting, text)
    stores.check_writable()
    stores.settle()
    before = stores.manifest.text
    if stores.manifest.settings.get(key) == value and key not in stores.manifest.wrong:
        return settings(stores, key)
    try:
        manifest.check_value(setting, value)
    except DamagedError as error:
        raise UsageError(error.message, hint=f"See what it does: agentws config {key}") from error
    _check_use(stores, setting, value)
    after = manifest.with_setting(before, key, value, where=layout.MANIFEST).encode()
    write = Write(layout.MANIFEST, after, expects=digest.of(before.encode()))
    stores.apply(ChangeSet(f"config {key}", (write,)))
    stores.manifest = manifest.decode(after, where=layout.MANIFEST)
    stores.notices += seals.quietly(stores, due=True)
    return Config([SettingValue(stores.manifest, setting)], changed=True, notices=list(stores.notices))


def _named(key: str) -> manifest.Setting:
    for setting in manifest.SETTINGS:
        if setting.key == key:
            return setting
    every = [one.key for one in manifest.SETTINGS]
    within = [one for one in every if key and key.casefold() in one]
    near = [] if within else _near(key.casefold(), every)
    hint = f"Did you mean: {', '.join(near)}?" if near else f"Settings: {', '.join(within or every)}."
    raise UsageError(f"Unknown setting: {key!r}.", hint=f"{hint} All with their values: agentws config")


def _near(key: str, every: list[str]) -> list[str]:
    import difflib  # only for a slip of the hand

    return difflib.get_close_matches(key, every)


def _value(setting: manifest.Setting, text: str) -> Value:
    """The text as a value of the setting's type; UsageError where it is none."""
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
    return _inline(word)


def _check_use(stores: Stores, setting: manifest.Setting, value: Any) -> None:
    """UsageError for a value of the right type that what reads it cannot use."""
    section, _, name = setting.key.partition(".")
    if section == "retention":
        retention.rules({name: value}, stores.here().day)
    elif setting.key == "compaction.before":
        clock.moment(value, now=stores.clock.now())
    elif setting.key == "boot.budget" and value < request.SMALLEST_BUDGET:
        raise _unfit(setting, f"at least {request.SMALLEST_BUDGET}", str(value))
    elif setting.key in _PATHS:
        for path in value:
            files.names_of(path)


def _unfit(setting: manifest.Setting, wanted: str, text: str) -> UsageError:
    hint = f"For example: agentws config {setting.key} {_example(setting.default)}"
    return UsageError(f"{setting.key} must be {wanted}, not {text!r}.", hint=hint)


def _example(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _inline(word: str) -> str:
    if not word.isprintable():
        raise UsageError("A value is one line without control characters.", hint="agentws config KEY VALUE")
    return word
