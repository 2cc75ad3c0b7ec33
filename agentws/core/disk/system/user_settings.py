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
_SECTION, _VECTORS, _ASK, _AGENT, _WAITS, _FLEET = "compaction", "vectors", "ask", "agent", "waits", "fleet"
_KEYS = ("summarizer", "timeout_s", "call_chars")
_VECTOR_KEYS = ("embedder", "model", "key_variable", "store")
_ASK_KEYS = ("typed", "notify", "rules")
_AGENT_KEYS = ("command", "timeout_s", "boot")
_FLEET_KEYS = ("url", "team", "accept")
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

    __slots__ = (
        "agent", "agent_boots", "agent_timeout_s", "call_chars", "fleet", "fleet_agents", "has_rules", "lines",
        "notices", "notify", "summarizer", "timeout_s", "typed_counts", "vectors", "waits",
    )  # fmt: skip

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
        self.vectors = dict.fromkeys(_VECTOR_KEYS, "")
        self.fleet = dict.fromkeys(_FLEET_KEYS, "")
        self.fleet_agents: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.notices: list[str] = []


def read(path: str | None) -> UserSettings:
    """Return the user's settings in the file at `path`, the defaults if there is none.

    DamagedError names the file and the line of an error; DiskError, TooLargeError.
    """
    user_settings = UserSettings()
    data = _data(path) if path is not None else b""
    if path is None or not data:
        return user_settings
    text, table = _table(data, path)
    section, vectors = _section(table, _SECTION, text, path), _section(table, _VECTORS, text, path)
    asked = _section(table, _ASK, text, path)
    user_settings.typed_counts = _truth(asked, "typed", text, path)
    user_settings.notify = _text(asked, "notify", text, path, 'a command line in quotes, such as "notify-me"')
    user_settings.has_rules = "rules" in asked
    agent = _section(table, _AGENT, text, path)
    user_settings.agent = _text(agent, "command", text, path, 'a command line in quotes, such as "claude -p"')
    user_settings.agent_timeout_s = _number(
        agent, "timeout_s", user_settings.agent_timeout_s, (SHORTEST_S, LONGEST_S), text, path
    )
    user_settings.agent_boots = _truth(agent, "boot", text, path, default=True)
    user_settings.waits = _section(table, _WAITS, text, path)
    user_settings.summarizer = _text(
        section, "summarizer", text, path, 'a command line in quotes, such as "llm -m MODEL"'
    )
    user_settings.vectors = {
        key: _text(vectors, key, text, path, 'in quotes, such as "builtin"') for key in _VECTOR_KEYS
    }
    fleet = _section(table, _FLEET, text, path)
    user_settings.fleet = {key: _text(fleet, key, text, path, "in quotes") for key in _FLEET_KEYS}
    agents = _section(fleet, "agents", text, path)
    user_settings.fleet_agents = {key: _text(agents, key, text, path, "in quotes") for key in agents}
    user_settings.timeout_s = _number(
        section, "timeout_s", user_settings.timeout_s, (SHORTEST_S, LONGEST_S), text, path
    )
    user_settings.call_chars = int(
        _number(section, "call_chars", user_settings.call_chars, (_FEWEST_CHARS, _MOST_CHARS), text, path)
    )
    for key in (setting.key for setting in SETTINGS):
        name, _, rest = key.partition(".")
        if rest in {_SECTION: section, _VECTORS: vectors, _ASK: asked, _AGENT: agent, _FLEET: fleet}[name]:
            user_settings.lines[key] = toml_edit.line_of(text, key)
    user_settings.lines |= {key: toml_edit.line_of(text, key) for key in wait_values(user_settings)}
    user_settings.lines |= {key: toml_edit.line_of(text, key) for key in fleet_values(user_settings)}
    unknown = [
        *(key for key in table if key not in (_SECTION, _VECTORS, _ASK, _AGENT, _WAITS, _FLEET)),
        *(f"{_SECTION}.{key}" for key in section if key not in _KEYS),
        *(f"{_ASK}.{key}" for key in asked if key not in _ASK_KEYS),
        *(f"{_AGENT}.{key}" for key in agent if key not in _AGENT_KEYS),
        *(f"{_FLEET}.{key}" for key in fleet if key not in (*_FLEET_KEYS, "agents")),
        *(f"{_VECTORS}.{key}" for key in vectors if key not in _VECTOR_KEYS),
    ]
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


def _section(table: Mapping[str, object], name: str, text: str, path: str) -> Mapping[str, object]:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise _wrong(path, text, name, f"must be a table: [{name}]")
    return section


def _text(section: Mapping[str, object], key: str, text: str, path: str, what: str) -> str:
    value = section.get(key, "")
    if not isinstance(value, str):
        raise _wrong(path, text, key, f"must be {what}")
    return value.strip()


def _truth(section: Mapping[str, object], key: str, text: str, path: str, *, default: bool = False) -> bool:
    value = section.get(key, default)
    if not isinstance(value, bool):
        raise _wrong(path, text, key, "must be true or false")
    return value


def _number(
    section: Mapping[str, object], key: str, default: float, bounds: tuple[float, float], text: str, path: str
) -> float:
    value = section.get(key, default)
    low, high = bounds
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise _wrong(path, text, key, f"must be a number from {low:g} to {high:,}")
    return value


def _wrong(path: str, text: str, key: str, what: str) -> DamagedError:
    return DamagedError(f"{path}:{toml_edit.line_of(text, key)}: {key} {what}.", hint=_HINT)
