"""The hosts without hooks that start `agentws mcp`: their settings are an entry in a file of MCP servers. Pure.

Their own documents are the authority; facts of late 2026. Only functions of settings import what edits JSON.
"""

from __future__ import annotations

import sys

from agentws.core.hosts import plan
from agentws.core.hosts.plan import NOTHING, USER, Wired
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentws.core.formats.json.splice import Path
    from agentws.core.hosts.loading import Host
    from agentws.core.hosts.plan import After, Texts, Wiring, Written

    Rules = Mapping[str, Mapping[Path, str]]
    """Place below a project's folder → path of a list in it → the entry that allows the server."""

_SERVER = "agentws"
"""The server's name in the file."""
_MCP, _IN = "mcp", "-C"


class McpClient:
    """A host that starts `agentws mcp`: its description, and its settings functions.

    The servers are in the object `key` of the file `project` below a project's folder, and of the file `user` in the
    folder `home` below the user's; each may be empty. `here` is the program's word for the project's folder, empty if
    it starts servers there. `fields` are more fields of the entry, `trusted` those that allow its tools; `permissions`
    are entries in other files that do so. `steps` are for a person to do, `asks` says what the program asks unless it
    is allowed. `readers` are the hosts with hooks that read the file: hooks that bring the boot replace its tool.
    """

    EVENTS: tuple[str, ...] = ()

    def __init__(
        self,
        *steps: str,
        project: str = "",
        user: str = "",
        home: str = "",
        key: str = "mcpServers",
        here: str = "",
        fields: Mapping[str, object] | None = None,
        trusted: Mapping[str, object] | None = None,
        permissions: Rules | None = None,
        asks: str = "",
        readers: Sequence[str] = (),
    ) -> None:
        self._steps = steps
        self._project = project
        self._user = user
        self._home = home
        self._key = key
        self._here = here
        self._fields = fields or {}
        self._trusted = trusted or {}
        self._permissions = permissions or {}
        self._asks = asks
        self.readers = readers

    def host(self) -> Host:
        """Return the description of this MCP client."""
        from agentws.core.hosts.loading import Host

        return Host(
            recorded=None,
            project_files=self.signs(),
            user_files=(self._user,) if self._user else (),
            homes=(("HOME", f"/{self._home}"),) if self._user else (),
            runs=self.signs(),
        )

    def home(self, variables: Mapping[str, str]) -> str | None:
        """Return the folder of the user's settings of this MCP client."""
        return plan.folder(variables, ("HOME", self._home)) if self._user else None

    def signs(self) -> tuple[str, ...]:
        """Return the file that shows that a project uses this MCP client."""
        return (self._project,) if self._project else ()

    def places(self, level: str) -> tuple[str, ...]:
        """Return the files that install reads and writes for this MCP client."""
        place = self._place(level)
        return (place, *(self._permissions if level != USER else ())) if place else ()

    def install(self, present: Texts, wiring: Wiring) -> After:
        """Return the MCP client's files with the server in them; UsageError if its name belongs to another server."""
        from agentws.core.formats.json import splice
        from agentws.core.hosts import allowance

        place, texts = self._place(wiring.level), dict(present)
        there = self._entry(present, wiring.level)
        if there is not None and _wired(there) is None:
            raise UsageError(
                f"{place} has another server named {_SERVER}.", hint="Rename that server, then install again."
            )
        allows = bool(self.allowed(present, wiring.level)) if wiring.allows is None else wiring.allows
        wanted = self._wanted(wiring, allows=allows)
        if there != wanted:
            texts[place] = splice.with_value(present.get(place, ""), (self._key, _SERVER), wanted, where=place)
        emptied = {}
        for name, path, rule in self._rules(wiring.level):
            if wiring.allows:
                texts[name] = allowance.with_entries(texts.get(name, ""), path, [rule], rule.__eq__, where=name)
            elif wiring.allows is False and name in texts:
                known = wiring.written.rules.__contains__
                texts[name] = allowance.without_entries(texts[name], path, known, where=name)
                emptied[name] = texts[name]
        after = plan.changed(present, texts)
        return {**after, **plan.without_empty({name: text for name, text in emptied.items() if name in after})}

    def uninstall(self, present: Texts, level: str, written: Written = NOTHING) -> After:
        """Return the MCP client's files without the server; None for a file that held nothing else."""
        from agentws.core.formats.json import splice
        from agentws.core.hosts import allowance

        place, texts = self._place(level), dict(present)
        if _wired(self._entry(present, level)) is not None:
            texts[place] = splice.without(present[place], (self._key, _SERVER), where=place)
            if not splice.value_at(texts[place], (self._key,), where=place):
                texts[place] = splice.without(texts[place], (self._key,), where=place)
        for name, path, _ in self._rules(level):
            if name in texts:
                known = written.rules.__contains__
                texts[name] = allowance.without_entries(texts[name], path, known, where=name)
        return plan.without_empty(plan.changed(present, texts))

    def wired(self, present: Texts, level: str) -> list[Wired]:
        """Return the script and workspace that the MCP client's entry names; no workspace: its folder's own."""
        wired = _wired(self._entry(present, level))
        return [wired] if wired else []

    def allowed(self, present: Texts, level: str) -> bool | None:
        """Return whether the MCP client runs the server's tools without asking, None if no file of it says so."""
        if level == USER or not (self._trusted or self._permissions):
            return None
        entry = self._entry(present, level) or {}
        trusts = all(entry.get(name) == value for name, value in self._trusted.items())
        return trusts and len(self.rules(present, level)) == sum(map(len, self._permissions.values()))

    def rules(self, present: Texts, level: str) -> list[str]:
        """Return the entries that allow the server in the MCP client's lists."""
        from agentws.core.hosts import allowance

        return [
            rule
            for name, path, rule in self._rules(level)
            if rule in allowance.entries(present.get(name, ""), path, where=name)
        ]

    def next_steps(self, wiring: Wiring) -> tuple[str, ...]:
        """Return what a person still has to do in the MCP client after install."""
        return (*self._steps, *([self._asks] if self._asks and not wiring.allows else []))

    def _place(self, level: str) -> str:
        return self._user if level == USER else self._project

    def _rules(self, level: str) -> Iterator[tuple[str, Path, str]]:
        for name, lists in self._permissions.items() if level != USER else ():
            for path, rule in lists.items():
                yield name, path, rule

    def _entry(self, present: Texts, level: str) -> dict[str, object] | None:
        from agentws.core.formats.json import splice

        place = self._place(level)
        entry = splice.value_at(present.get(place, ""), (self._key, _SERVER), where=place)
        return entry if entry is None or isinstance(entry, dict) else {}

    def _wanted(self, wiring: Wiring, *, allows: bool) -> dict[str, object]:
        """Return the entry: without a path of this machine if the program is on the PATH and finds the workspace."""
        folder = self._here if wiring.is_found else wiring.workspace
        return {
            **self._fields,
            "command": _SERVER if wiring.is_found and wiring.is_named else wiring.script,
            "args": [
                *((_IN, folder) if folder else ()),
                _MCP,
                *(("--without", "boot") if wiring.is_booted else ()),
            ],
            **(self._trusted if allows else {}),
        }


def _wired(entry: Mapping[str, object] | None) -> Wired | None:
    """Return what an entry starts, None if that is not `agentws mcp`."""
    command, words = (entry or {}).get("command"), (entry or {}).get("args")
    if not isinstance(command, str) or not isinstance(words, list) or _MCP not in words:
        return None
    if command.rpartition("/")[2] != _SERVER:
        return None
    folder = words[1] if words[0] == _IN and isinstance(words[1], str) else ""
    return Wired(command, "" if folder.startswith("$") else folder)


CLIENTS = {
    # Claude Code 2.1, GitHub Copilot CLI 1.0 and Qwen Code 0.24 start these servers in the project's folder.
    "mcp-json": McpClient(
        f"Qwen Code: `qwen mcp approve {_SERVER}` in that folder.",
        f"GitHub Copilot CLI: `copilot -p … --allow-tool {_SERVER}`.",
        project=".mcp.json",
        fields={"type": "stdio"},
        trusted={"trust": True},  # Qwen Code's
        permissions={  # Claude Code's
            ".claude/settings.local.json": {
                ("enabledMcpjsonServers",): _SERVER,
                ("permissions", "allow"): f"mcp__{_SERVER}",
            }
        },
        asks="Claude Code asks before it starts the server.",
        readers=("claude-code", "copilot", "qwen"),
    ),
    "cursor": McpClient(
        f"Switch the server on in Cursor's settings, Tools & MCP; on a terminal: `agent mcp enable {_SERVER}`.",
        project=".cursor/mcp.json",
        user="mcp.json",
        home=".cursor",
        here="${workspaceFolder}",
        permissions={".cursor/cli.json": {("permissions", "allow"): f"Mcp({_SERVER}:*)"}},
    ),
    "vscode": McpClient(
        "In the chat's agent mode, start and trust the server when asked.",
        project=".vscode/mcp.json",
        key="servers",
        here="${workspaceFolder}",
        fields={"type": "stdio"},
    ),
    "claude-desktop": McpClient(
        "Quit Claude Desktop and start it again. It asks before a tool is used for the first time.",
        user="claude_desktop_config.json",
        home="Library/Application Support/Claude" if sys.platform == "darwin" else ".config/Claude",
    ),
}
"""Name → host, of those that `HOSTS` of features/__init__.py says start `agentws mcp`."""
