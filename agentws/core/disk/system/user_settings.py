"""The user's own settings, `$XDG_CONFIG_HOME/agentws/config.toml`, such as programs to run, which no workspace may set.

Specified in docs/format/config.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentws.core.disk import files
from agentws.core.formats import toml_edit
from agentws.core.formats.manifest import Setting
from agentws.errors import DamagedError, TooLargeError

SUMMARIZER, TIMEOUT = "compaction.summarizer", "compaction.timeout_s"
TYPED, NOTIFY, RULES = "ask.typed", "ask.notify", "ask.rules"
AGENT, AGENT_TIMEOUT, AGENT_BOOT = "agent.command", "agent.timeout_s", "agent.boot"
FLEET_URL, FLEET_TEAM, FLEET_ACCEPT, FLEET_AGENTS = "fleet.url", "fleet.team", "fleet.accept", "fleet.agents."
EMBEDDER, MODEL, KEY_VARIABLE, STORE = "vectors.embedder", "vectors.model", "vectors.key_variable", "vectors.store"
SETTINGS = (
    Setting(
        SUMMARIZER, "", "Command line of a program that answers the brief of `curate` after `compact`; empty: none."
    ),
    Setting(TIMEOUT, 120, "Seconds that this program may take for one answer."),
    Setting(TYPED, False, "Whether an answer that is recorded, not proved, is enough for a low risk: true or false."),
    Setting(NOTIFY, "", "Command line of a program that gets each new request; empty: none."),
    Setting(AGENT, "", "Command line of the agent that `task due --run` starts for a task that woke; empty: none."),
    Setting(AGENT_TIMEOUT, 3600, "Seconds that this run of the agent may take."),
    Setting(AGENT_BOOT, True, "Whether its standard input begins with its boot: true or false."),
    Setting(EMBEDDER, "", "Maker of vectors for `search`: builtin, off, the URL of an endpoint, or a command line."),
    Setting(MODEL, "", "Name of the model at that endpoint."),
    Setting(KEY_VARIABLE, "", "Environment variable with the API key of that endpoint."),
    Setting(STORE, "", "Store of these vectors: builtin, qdrant, chroma, or the URL of a server."),
    Setting(FLEET_URL, "", "PostgreSQL database of your fleet, without a password; empty: none."),
    Setting(FLEET_TEAM, "", "Your team in it."),
    Setting(FLEET_ACCEPT, "", "Offers that your agents take unasked: `todo:AGENT`, by id, `note:*`, with commas."),
)
NOT_BY_AGENT = (
    SUMMARIZER, TYPED, NOTIFY, AGENT, EMBEDDER, MODEL, KEY_VARIABLE, STORE, FLEET_URL, FLEET_TEAM, FLEET_ACCEPT,
)  # fmt: skip
"""Settings that run a program, send texts elsewhere, or decide whose word counts: only a person may set them."""
WAIT_COMMAND, WAIT_URL = ".command", ".url"
"""The endings of the keys below `waits.NAME` with the command to run, or the URL to request."""
SHORTEST_S, LONGEST_S = 0.001, 86_400
_MOST_BYTES = 1 << 16
_FEWEST_CHARS, _MOST_CHARS = 2_000, 1_000_000
_COMPACTION, _ASK, _AGENT, _VECTORS, _WAITS, _FLEET = "compaction", "ask", "agent", "vectors", "waits", "fleet"
_KEYS = {
    _COMPACTION: ("summarizer", "timeout_s", "call_chars"),
    _ASK: ("typed", "notify", "rules"),
    _AGENT: ("command", "timeout_s", "boot"),
    _FLEET: ("url", "team", "accept", "agents"),
    _VECTORS: ("embedder", "model", "key_variable", "store"),
}
_COMMAND = 'a command line in quotes, such as "{}"'
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HINT = "Correct this line. See: agentws docs format/config"


class UserSettings:
    """The settings of the user, with defaults for the rest.

    Fields:
        summarizer, timeout_s, call_chars: the settings; `timeout_s` in seconds.
        typed_counts, notify: the settings of the section `ask`; has_rules: whether it has rules.
        agent, agent_timeout_s, agent_boots: the settings of the section `agent`.
        waits: the tables of the section `waits`, by their names.
        vectors: the settings of the section `vectors`, by their names; empty if unset.
        fleet: the settings of the section `fleet`, by their names; fleet_agents: what its agents ship, by their ids.
        lines: the line of each setting of `SETTINGS` that the file sets, by its key.
        notices: unknown settings, which are ignored.
    """

    def __init__(self) -> None:
        self.summarizer = ""
        self.timeout_s: float = 120
        self.call_chars = 24_000
        self.typed_counts = False
        self.notify = ""
        self.has_rules = False
        self.agent = ""
        self.agent_timeout_s: float = 3600
        self.agent_boots = True
        self.waits: Mapping[str, object] = {}
        self.vectors = dict.fromkeys(_KEYS[_VECTORS], "")
        self.fleet = dict.fromkeys(("url", "team", "accept"), "")
        self.fleet_agents: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.notices: list[str] = []


def read(path: str | None) -> UserSettings:
    """Return the user's settings in the file at `path`, else the defaults.

    DamagedError names the file and the line of an error; DiskError, TooLargeError.
    """
    user_settings = UserSettings()
    data = _data(path) if path is not None else b""
    if path is None or not data:
        return user_settings
    text, table = _table(data, path)
    whole = _Section(table, text, path)
    sections = {name: whole.section(name) for name in _KEYS}
    compaction, ask, agent, fleet, vectors = sections.values()
    seconds = SHORTEST_S, LONGEST_S
    user_settings.summarizer = compaction.text("summarizer", _COMMAND.format("llm -m MODEL"))
    user_settings.timeout_s = compaction.number("timeout_s", user_settings.timeout_s, seconds)
    bounds = _FEWEST_CHARS, _MOST_CHARS
    user_settings.call_chars = int(compaction.number("call_chars", user_settings.call_chars, bounds))
    user_settings.typed_counts = ask.truth("typed", default=False)
    user_settings.notify = ask.text("notify", _COMMAND.format("notify-me"))
    user_settings.has_rules = "rules" in ask.values
    user_settings.agent = agent.text("command", _COMMAND.format("claude -p"))
    user_settings.agent_timeout_s = agent.number("timeout_s", user_settings.agent_timeout_s, seconds)
    user_settings.agent_boots = agent.truth("boot", default=True)
    user_settings.waits = whole.section(_WAITS).values
    user_settings.vectors = {key: vectors.text(key, 'in quotes, such as "builtin"') for key in user_settings.vectors}
    user_settings.fleet = {key: fleet.text(key, "in quotes") for key in user_settings.fleet}
    agents = fleet.section("agents")
    user_settings.fleet_agents = {key: agents.text(key, "in quotes") for key in agents.values}
    keys = [setting.key.partition(".") for setting in SETTINGS]
    lines = [f"{name}.{key}" for name, _, key in keys if key in sections[name].values]
    lines += [*wait_values(user_settings), *fleet_values(user_settings)]
    user_settings.lines = {key: toml_edit.line_of(text, key) for key in lines}
    unknown = [key for key in table if key not in (*_KEYS, _WAITS)]
    for name, section in sections.items():
        unknown += [f"{name}.{key}" for key in section.values if key not in _KEYS[name]]
    user_settings.notices = [f"{path}: unknown setting {key}, ignored." for key in unknown]
    return user_settings


def wait_setting(key: str) -> Setting | None:
    """Return the user's setting `waits.NAME.command` or `waits.NAME.url`, None for another key."""
    section, _, rest = key.partition(".")
    name, dot, last = rest.rpartition(".")
    if section != _WAITS or dot + last not in (WAIT_COMMAND, WAIT_URL) or not _NAME.fullmatch(name):
        return None
    what = "Command that must succeed" if last == "command" else "URL that must answer"
    return Setting(key, "", f"{what} for a task that waits for it: agentws task wait SLUG --{last} {name}.")


def wait_values(user_settings: UserSettings) -> dict[str, str]:
    """Return the commands and URLs below `waits` in the user's settings, by their keys."""
    return {
        f"{_WAITS}.{name}.{key}": value
        for name, table in user_settings.waits.items()
        if isinstance(table, dict)
        for key, value in table.items()
        if isinstance(value, str)
    }


def fleet_setting(key: str) -> Setting | None:
    """Return the user's setting `fleet.agents.ID`, None for another key."""
    if not key.startswith(FLEET_AGENTS) or not _NAME.fullmatch(key.removeprefix(FLEET_AGENTS)):
        return None
    return Setting(key, "", "Text that this agent ships to the fleet: shared or all; empty: it ships nothing.")


def fleet_values(user_settings: UserSettings) -> dict[str, str]:
    """Return what the user's agents ship to the fleet, by the keys `fleet.agents.ID`."""
    return {f"{FLEET_AGENTS}{agent}": text for agent, text in user_settings.fleet_agents.items()}


def _data(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise files.failure(error, path) from error
    if len(data) > _MOST_BYTES:
        raise TooLargeError(
            f"{path}: larger than {_MOST_BYTES // 1024} KiB.", hint="This file may contain only settings."
        )
    return data


def _table(data: bytes, path: str) -> tuple[str, Mapping[str, object]]:
    try:
        text = data.decode("utf-8-sig")
        return text, toml_edit.table(text)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DamagedError(f"{path}:{line}: not UTF-8.", hint=_HINT) from error
    except ValueError as error:
        message = str(error)
        at = _AT_LINE.search(message)
        line = int(at[1]) if at else data.rstrip().count(b"\n") + 1
        raise DamagedError(f"{path}:{line}: {_AT_LINE.sub('', message).strip()}.", hint=_HINT) from error


class _Section:
    """A table of the settings in the `text` of the file at `path`. DamagedError names the line of a wrong value."""

    def __init__(self, values: Mapping[str, object], text: str, path: str) -> None:
        self.values = values
        self._text, self._path = text, path

    def section(self, name: str) -> _Section:
        """Return the table called `name`, empty if it is missing."""
        values = self.values.get(name, {})
        if not isinstance(values, dict):
            raise self._wrong(name, f"must be a table: [{name}]")
        return _Section(values, self._text, self._path)

    def text(self, key: str, what: str) -> str:
        """Return a text, empty if it is missing."""
        value = self.values.get(key, "")
        if not isinstance(value, str):
            raise self._wrong(key, f"must be {what}")
        return value.strip()

    def truth(self, key: str, *, default: bool) -> bool:
        """Return True or False."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "must be true or false")
        return value

    def number(self, key: str, default: float, bounds: tuple[float, float]) -> float:
        """Return a number within the bounds."""
        value = self.values.get(key, default)
        low, high = bounds
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            raise self._wrong(key, f"must be a number from {low:g} to {high:,}")
        return value

    def _wrong(self, key: str, what: str) -> DamagedError:
        return DamagedError(f"{self._path}:{toml_edit.line_of(self._text, key)}: {key} {what}.", hint=_HINT)
