"""The manifest `agentws.toml`: the workspace's identity and settings. Specified in docs/format/manifest.md.

Unknown keys are kept. A setting is edited by splicing its line; all else stays byte for byte.
"""

from __future__ import annotations

from agentws.errors import DamagedError, FormatVersionError, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Value = str | int | bool | list[str]

FORMAT = 1
JOURNAL_GZ = "journal.gz"
"""Old segments of the journal are compressed."""
JOURNAL_RETIRED = "journal.retired"
"""The beginning of a journal was taken away by rule."""
READ_FEATURES: tuple[str, ...] = (JOURNAL_GZ, JOURNAL_RETIRED)
WRITE_FEATURES: tuple[str, ...] = ()
MOST_BYTES = 65_536
"""A larger manifest is refused: a TOML reader can need the square of a file's size."""


class Setting:
    """A setting of the manifest: its dotted key, default (which fixes its type), allowed words, and help."""

    __slots__ = ("choices", "default", "key", "what")

    def __init__(self, key: str, default: Value, what: str, *, choices: tuple[str, ...] = ()) -> None:
        self.key = key
        self.default = default
        self.what = what
        self.choices = choices


SETTINGS = (
    Setting("boot.budget", 8000, "Maximum tokens of `boot`; `--budget` overrides this setting."),
    Setting(
        "boot.tokenizer",
        "o200k_base",
        "Token counter: exact (o200k_base), upper bounds (claude, gemini, bytes), or rough (chars4).",
        choices=("o200k_base", "claude", "gemini", "bytes", "chars4"),
    ),
    Setting("boot.context", "", "The context in use (`agentws context use NAME`)."),
    Setting("boot.pinned", [], "Additional files for boot, as paths from the workspace's root."),
    Setting("boot.private_tags", ["private"], "Tags that hide entries, events and documents from a shared audience."),
    Setting("checkpoint.keep", 0, "Newest checkpoints of a task that `checkpoint prune` and `compact` keep; 0: all."),
    Setting("checkpoint.keep_days", 0, "Days for which a checkpoint is kept, whatever `checkpoint.keep` says."),
    Setting("checkpoint.max_bytes", 16_777_216, "Maximum bytes of a state, at most 32 MiB."),
    Setting("compaction.before", "14d", "Age from which `compact` archives a daily log."),
    Setting("compaction.budget", 0, "No effect. Earlier versions bounded the section and the digest by it."),
    Setting(
        "compaction.mode",
        "",
        "No effect. Earlier versions chose the lines for MEMORY.md by it.",
        choices=("", "marked", "propose", "auto"),
    ),
    Setting("compaction.since", "", "Day from which on marked lines enter MEMORY.md; set when a workspace is adopted."),
    Setting("compaction.section", "From the logs", "The section of MEMORY.md that `compact` writes."),
    Setting(
        "compaction.archive",
        True,
        "Move compacted logs to `memory/archive/`. Off in adopted workspaces.",
    ),
    Setting(
        "curation.ask",
        "session",
        "When to remind the agent of proposals for MEMORY.md: in boot's header, also at the end of a turn "
        "(once a day), or never.",
        choices=("session", "turn", "never"),
    ),
    Setting(
        "handoff.ask",
        "work",
        "When hooks ask the agent for a handoff: at a stop after eight tool calls, at most every 30 minutes (work), at "
        "every stop after a tool call (turn), or never (off).",
        choices=("work", "turn", "off"),
    ),
    Setting(
        "hooks.nudge",
        True,
        "Remind an agent once a session after 40 tool calls without a note.",
    ),
    Setting(
        "fence",
        "crashed",
        "Ask once before a call is repeated that was in flight when a session crashed (crashed), or never (off).",
        choices=("crashed", "off"),
    ),
    Setting("recall.prompt", False, "Add memories that match a prompt to it, where the search is sure of them."),
    Setting("recall.tokens", 300, "Maximum tokens of these memories, per prompt."),
    Setting("retention.archive", "", "Delete archived logs after this time, such as `730d`; empty: never."),
    Setting("retention.handoffs", "", "Archive closed handoffs after this time; empty: never."),
    Setting("retention.tasks", "", "Archive finished tasks after this time; empty: never."),
    Setting("retention.threads", "", "Remove LangGraph threads without a checkpoint for this time; empty: never."),
    Setting("retention.approvals", "", "Archive used, rejected and expired approvals after this time; empty: never."),
    Setting(
        "identity.mode",
        "warn",
        "An installation without a vouch may write, with a warning (warn), or may not (require).",
        choices=("warn", "require"),
    ),
    Setting("log.folders", [], "Folders with daily logs that other programs write, such as `journals`."),
    Setting(
        "adopted.documents",
        [],
        "Folders (tasks, handoffs) whose files without fields of agentws are documents, not tasks or handoffs.",
    ),
    Setting("log.heading", "Log", "Heading that `log` uses in a log that others write too."),
    Setting(
        "journal.granularity",
        "every",
        "Events to record: `every` one, every Nth step (`5`), or `milestones` only.",
    ),
    Setting(
        "journal.keep",
        "",
        "Retire the beginning of the journal after this time, such as `2y` or `730d`; empty: never.",
    ),
    Setting(
        "history.commits",
        "ref",
        "Store history on the branch, on the ref `refs/agentws/auto`, or not at all.",
        choices=("branch", "ref", "off"),
    ),
    Setting("search.include", [], "More documents to search, such as `knowledge/**.md`; `**` crosses folders."),
    Setting("history.include", [], "Files to version despite lines that look like secrets."),
    Setting("sync.include", [], "More files for `sync` to carry, such as `knowledge/**`; `**` crosses folders."),
    Setting("sync.hooks", False, "Sync when a session starts (at most 2 seconds) and when it has ended."),
    Setting(
        "sync.lease",
        "off",
        "One machine writes at a time: writing on another one warns (warn) or is refused (require).",
        choices=("off", "warn", "require"),
    ),
)

_CAREFUL: dict[str, Value] = {"identity.mode": "require", "history.commits": "off"}
"""Values used for a wrong one, if the default might do what the owner does not want."""
_NEEDED = ("boot.private_tags",)
"""Settings whose wrong value damages the manifest: a default could record hidden text."""
_COUNTED = "journal.granularity"
_WORDS_OR_NUMBER = ("every", "milestones", "a number such as 5")
_MOST_DIGITS = 9

_UPGRADE = "Upgrade agentws (in a clone: git pull && pip install .)."
_MEND = "Correct the file in an editor, or restore it: agentws restore agentws.toml"
_BY_KEY = {setting.key: setting for setting in SETTINGS}


class Manifest:
    """A workspace's manifest.

    `settings` holds what the file sets; `setting(key)` falls back to the default. `vocabulary` holds the workspace's
    own words, as core/formats/manifest_tables.py reads them; `wrong` says of each setting that was replaced by its
    default what is wrong with its value.
    """

    def __init__(self, agent_id: str, name: str, timezone: str, created: str) -> None:
        self.agent_id = agent_id
        self.name = name
        self.timezone = timezone
        self.created = created
        self.settings: dict[str, Value] = {}
        self.text = ""
        self.vocabulary: dict[str, list[str]] = {}
        self.unknown_settings: tuple[str, ...] = ()
        self.unknown_write_features: tuple[str, ...] = ()
        self.wrong: dict[str, str] = {}

    def setting(self, key: str) -> Any:
        """Return the value of a setting, its default if the manifest does not set it."""
        value = self.settings.get(key)
        return _BY_KEY[key].default if value is None else value

    def check(self, *sections: str) -> None:
        """Raise DamagedError if a manifest setting in these sections has a wrong value."""
        for key, says in self.wrong.items():
            if key.partition(".")[0] in sections:
                raise DamagedError(says, hint=_MEND)

    def plain(self) -> list[object]:
        """Return the decoded manifest without its text, as plain values for `restored`."""
        unknown = [list(self.unknown_settings), list(self.unknown_write_features)]
        return [
            self.agent_id,
            self.name,
            self.timezone,
            self.created,
            self.settings,
            self.vocabulary,
            self.wrong,
            *unknown,
        ]


def restored(plain: list[Any], data: bytes) -> Manifest:
    """Return the manifest decoded from `data` earlier, from its `plain` values."""
    *words, settings, vocabulary, wrong, unknown_settings, unknown_write_features = plain
    made = Manifest(*words)
    made.settings = settings
    made.vocabulary = vocabulary
    made.wrong = wrong
    made.text = data.decode("utf-8")
    made.unknown_settings = tuple(unknown_settings)
    made.unknown_write_features = tuple(unknown_write_features)
    return made


def default() -> Manifest:
    """Return the manifest of a folder without agentws.toml."""
    return Manifest("", "", "UTC", "")


def decode(data: bytes, *, where: str) -> Manifest:
    """Return the manifest in `data`; DamagedError names file and line of what is wrong. TooLargeError."""
    from agentws.core.formats import toml_edit

    _check_size(data, where)
    try:
        text = data.decode("utf-8-sig")
        table = toml_edit.table(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DamagedError(f"{where}:{line}: not UTF-8.", hint=_MEND) from error
    except ValueError as error:
        # Not TOMLDecodeError alone: an integer of thousands of digits raises Python's own error.
        raise DamagedError(f"{where}: {error}.", hint=_MEND) from error
    _check_format(table, where)
    manifest = Manifest(*(_text(table, key, text, where) for key in ("id", "name", "timezone", "created")))
    manifest.text = data.decode("utf-8")
    writes = table.get("requires", {}).get("write", [])
    manifest.unknown_write_features = tuple(str(word) for word in writes if word not in WRITE_FEATURES)
    for setting in SETTINGS:
        section, _, key = setting.key.partition(".")
        value = table.get(section)
        if key:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            _take(manifest, setting, value, where)
    sections = {setting.key.partition(".")[0] for setting in SETTINGS}
    keys = (f"{name}.{key}" for name in sections if isinstance(table.get(name), dict) for key in table[name])
    unknown = [key for key in keys if key not in _BY_KEY]
    if "vocabulary" in table:
        unknown += _take_vocabulary(manifest, table["vocabulary"], where)
    manifest.unknown_settings = tuple(sorted(unknown))
    return manifest


def _take(manifest: Manifest, setting: Setting, value: Value, where: str) -> None:
    """Set a manifest's setting; for a wrong value record what is wrong and use the default, so recording goes on."""
    from agentws.core.formats import toml_edit

    try:
        manifest.settings[setting.key] = _checked(setting, value, manifest.text, where)
    except DamagedError as error:
        if setting.key in _NEEDED:
            raise
        instead = _CAREFUL.get(setting.key, setting.default)
        manifest.settings[setting.key] = instead
        manifest.wrong[setting.key] = f"{error.message} agentws now uses {toml_edit.literal(instead)}."


def _take_vocabulary(manifest: Manifest, table: object, where: str) -> list[str]:
    """Set a manifest's vocabulary; return the unknown keys in it."""
    from agentws.core.formats import manifest_tables

    manifest.vocabulary, unknown, wrong = manifest_tables.read_vocabulary(table)
    if wrong:
        line = _line_of(manifest.text, wrong.rpartition(".")[2])
        is_table = wrong in ("vocabulary", *(f"vocabulary.{name}" for name in manifest_tables.TABLES))
        wanted = "a table" if is_table else "a list of texts"
        raise DamagedError(f"{where}:{line}: {wrong} must be {wanted}.", hint=_MEND)
    return unknown


def encode_new(*, agent_id: str, name: str, timezone: str, created: str, settings: dict[str, Value]) -> str:
    """Return the text of a new manifest. Only settings that differ from their defaults are written."""
    from agentws.core.formats import toml_edit

    literal = toml_edit.literal
    lines = [
        "# An agentws workspace. Every setting with its default: docs/format/manifest.md",
        f"format = {FORMAT}",
        f"id = {literal(agent_id)}",
        f"name = {literal(name)}",
        f"timezone = {literal(timezone)}",
        f"created = {literal(created)}",
    ]
    section = ""
    for setting in SETTINGS:
        value = settings.get(setting.key, setting.default)
        if value == setting.default:
            continue
        head, _, key = setting.key.partition(".")
        if head != section:
            lines += ["", f"[{head}]"]
            section = head
        lines.append(f"{key} = {literal(value)}")
    return "\n".join(lines) + "\n"


def check_value(setting: Setting, value: Value) -> None:
    """Raise DamagedError if the manifest's setting may not have this value."""
    try:
        _checked(setting, value, "", "")
    except DamagedError as error:
        raise DamagedError(error.message.partition(": ")[2]) from error


def _check_size(data: bytes, where: str) -> None:
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"{where}: larger than {MOST_BYTES // 1024} KiB.", hint="Keep long text in other files.")


def _check_format(table: dict[str, Any], where: str) -> None:
    if "format" not in table:
        raise DamagedError(f"{where}: does not begin with `format = {FORMAT}`.", hint=_MEND)
    number = table["format"]
    if number != FORMAT or isinstance(number, bool):
        newer = isinstance(number, int) and number > FORMAT
        raise FormatVersionError(
            f"{where}: format {number!r}, but this version of agentws reads format {FORMAT}.",
            hint=_UPGRADE if newer else _MEND,
        )
    requires = table.get("requires", {})
    lists = isinstance(requires, dict) and all(isinstance(requires.get(w, []), list) for w in ("read", "write"))
    if not lists:
        raise DamagedError(f"{where}: [requires] must hold the lists `read` and `write`.", hint=_MEND)
    unknown = [word for word in requires.get("read", []) if word not in READ_FEATURES]
    if unknown:
        raise FormatVersionError(
            f"{where}: needs features that this version does not have: {', '.join(map(str, unknown))}.",
            hint=_UPGRADE,
        )


def _text(table: dict[str, Any], key: str, text: str, where: str) -> str:
    value = table.get(key, "UTC" if key == "timezone" else "")
    if not isinstance(value, str):
        raise DamagedError(f"{where}:{_line_of(text, key)}: {key} must be a text in quotes.", hint=_MEND)
    return value


def with_setting(text: str, key: str, value: Value, *, where: str) -> str:
    """Return the manifest `text` with one setting changed; DamagedError if that is unsafe. TooLargeError."""
    from agentws.core.formats import toml_edit

    _checked(_BY_KEY[key], value, text, where)
    spliced = toml_edit.with_value(text, key, value, where=where)
    _check_size(spliced.encode(), where)
    return spliced


def with_feature(text: str, feature: str, *, where: str) -> str:
    """Return the manifest `text` with a feature required for reading; DamagedError if that is unsafe."""
    from agentws.core.formats import toml_edit

    known = toml_edit.table(text).get("requires", {}).get("read", [])
    return text if feature in known else toml_edit.with_value(text, "requires.read", [*known, feature], where=where)


def _checked(setting: Setting, value: object, text: str, where: str) -> Value:
    kinds = {bool: "true or false", int: "a whole number", str: "a text in quotes", list: "a list of texts"}
    wanted = type(setting.default)
    fits = type(value) is wanted and (not isinstance(value, list) or all(isinstance(item, str) for item in value))
    if not fits:
        raise DamagedError(f"{where}:{_line_of(text, setting.key)}: {setting.key} must be {kinds[wanted]}.", hint=_MEND)
    choices = _WORDS_OR_NUMBER if setting.key == _COUNTED and not _is_count(value) else setting.choices
    if choices and value not in choices:
        words = ", ".join(word or '""' for word in choices)
        says = f"{setting.key} must be one of {words}, not {value!r}."
        raise DamagedError(f"{where}:{_line_of(text, setting.key)}: {says}", hint=_MEND)
    return value  # type: ignore[return-value]


def _is_count(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and bool(value[:_MOST_DIGITS].strip("0"))


def _line_of(text: str, key: str) -> int:
    from agentws.core.formats import toml_edit

    return toml_edit.line_of(text, key)
