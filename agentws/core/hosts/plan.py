"""The wiring that `install` writes into a host's settings (hooks, rules, skill), as plain values."""

from __future__ import annotations

from math import ceil

from agentws.core import Record, Result
from agentws.core.formats import layout
from agentws.core.text import sh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Texts = Mapping[str, str]
    """Place → text of each existing settings file. Lone surrogates keep the bytes that are not UTF-8."""
    After = dict[str, str | None]
    """Place → new text of a settings file, None to remove the file. Files that stay as they are, are left out."""


_LONGEST_TOKEN_CHARS = 5
"""No prose has more characters per token."""
_LEAST_FILLED = 0.75
"""The least part of its limit that a part of a boot fills: it ends where it reads well."""

_IDLE = ["test", "-e"]
"""The beginning of a hook command of earlier versions, which ends at once if its part is marked as idle."""
_FILE = "$f"
"""The shell variable with the hook file in a hook command."""
_TEST = ["test", "-x"]
GONE = (
    "agentws: {script} does not start, so nothing is remembered here. "
    "Install agentws again, then run: agentws -C {workspace} install {host}"
)
"""The line on stderr of a hook whose program is gone."""
_READ_ALL = "{ while IFS= read -r l; do :; done; exit; }"
"""The end of a hook that has nothing to do: it reads the short message without starting a program."""
_LAUNCHED = "-IS"
"""The option by which the interpreter starts a launcher."""

PROJECT, FOLDER, USER = "project", "folder", "user"
"""The levels of settings: the workspace's own folder, the folder of another project, the user's home."""


class Written(Result):
    """Earlier changes by `install` in the settings in `folder`: its `rules` in a person's list, and `files`.

    The files are unchanged since. A person may have written the same rule; then it is the person's.
    """

    def __init__(self, rules: Iterable[str] = (), files: Iterable[str] = (), folder: str = "") -> None:
        self.rules = frozenset(rules)
        self.files = frozenset(files)
        self.folder = folder


NOTHING = Written()


class Wiring(Record):
    """The wiring that a host should have.

    `script` is the absolute path of the console script, `workspace` the absolute folder of the workspace; `parts` is
    how many texts its boot may need (1 if the host takes any size), `auto_memory` whether the host's own memory should
    be in the workspace too. `launcher` are the words (interpreter, option, file) of a faster start than the script,
    empty for none: hooks use it if its interpreter and file exist. `skill` is the text of agentws's Agent Skill, empty
    for none. `allows`: whether the agent may run agentws's commands without being asked, None to leave that unchanged;
    `is_named`: whether it may call the script `agentws`, found on its PATH. `written` is what an earlier install wrote.
    `below` is the workspace's path in the folder of the settings, empty if it is that folder, None if it is elsewhere.
    `agents` is the name that AGENTS.md has there, such as `agents.md`. `is_booted`: hooks bring the boot, so an MCP
    server needs no tool for it. `sync` is a program that makes a file and a folder durable, empty for none.
    """

    script: str
    workspace: str
    level: str
    parts: int
    auto_memory: bool = False
    launcher: Sequence[str] = ()
    skill: str = ""
    allows: bool | None = False
    is_named: bool = False
    written: Written = NOTHING
    below: str | None = None
    agents: str = layout.AGENTS
    is_booted: bool = False
    sync: str = ""

    @property
    def is_found(self) -> bool:
        """Return whether a command in the folder of the settings finds the workspace without `-C`."""
        return self.level == PROJECT or self.below == layout.OWN_FOLDER

    def words(self, host: str, event: str, *, part: int | None = None) -> list[str]:
        """Return the words of the hook command for `event`; the last part is marked as the last."""
        return [self.script, "-C", self.workspace, "hook", host, event, *self.behind(part)]

    def behind(self, part: int | None) -> list[str]:
        """Return the hook options for this part of a boot."""
        if part is None:
            return []
        return ["--part", str(part), *(["--of", str(part)] if part == self.parts else [])]

    def command(self, host: str, event: str, *, part: int | None = None, project: str = "") -> str:
        """Return the hook's line for sh: it starts the hook file of the workspace, if this machine has one.

        It holds no path of this machine if the workspace is in the folder of the settings. `project` is the variable in
        which the host names that folder; without one the line looks for the file from the working folder upwards.
        """
        words = sh.join((host, event, *self.behind(part)))
        path = sh.quote(f"{self.workspace}/{layout.HOOK}")
        if self.below is not None:
            path = f"${project or 'd'}/{sh.quote('/'.join(filter(None, (self.below, layout.HOOK))))}"
            if not project:
                start = f'[ -f "{_FILE}" ] && exec sh "{_FILE}" {words}'
                return f'd=$PWD; while [ "$d" ]; do f={path}; {start}; d=${{d%/*}}; done'
        return f'f={path}; test ! -f "{_FILE}" || exec sh "{_FILE}" {words}'

    def _without_python(self) -> str:
        if not self.sync:
            return ""
        absent = (layout.FENCE, layout.RULES, layout.MIGRATION, layout.MOVED, layout.RETIRED)
        nothing = " && ".join(f'test ! -e "$w/{path}"' for path in absent)
        most, sync = _MOST_WAITING + 2, sh.quote(self.sync)
        names = {"calls": layout.CALLS, "rules": layout.MACHINE_RULES, "manifest": layout.MANIFEST}
        return _WAITS.format(**names, nothing=nothing, most=most, sync=sync)

    def hook_file(self) -> str:
        """Return the hook file's text, for sh: it starts the launcher if it exists, else the script.

        It serves the workspace that it is in, also if that was renamed. If agentws does not start, as after
        `pip uninstall`, it names the remedy on stderr and succeeds.
        """
        script, behind = sh.quote(self.script), '-C "$w" hook "$@"'
        message, _, rest = GONE.format(script=self.script, workspace="\n", host="$1").partition("\n")
        quick = ""
        if self.launcher:
            python, _, file = map(sh.quote, self.launcher)
            # All tests are part of sh, and `exec` leaves no process behind: this costs no start of a program.
            quick = f"test -x {python} && test -s {file} && exec {sh.join(self.launcher)} {behind}\n"
        return (
            "# Starts agentws for the hooks of agent programs on this machine. Written by `agentws install`.\n"
            # Ctrl-C is for the program, whose last hook still hands over. Its child ignores it, too.
            "trap '' INT\n"
            f"w=${{0%/{layout.HOOK}}}\n"
            f'test "$3" = --part && test -e "$w/{layout.IDLE_PARTS}/$1-$4" && {_READ_ALL}\n'
            f"{self._without_python()}"
            f"{quick}"
            f"{script} --version >/dev/null 2>&1 && exec {script} {behind}\n"
            f'echo {sh.quote(message)}"$w{rest}" >&2\n'
        )


_WAITS = """\
# A tool call that neither a rule nor a fence can have a say in is a file, durable before the call runs, and no Python
# starts: the next command of agentws records it. So is a prompt or stop before the next call, if nothing can be said
# then: the mark names both. Every test is part of sh.
c="$w/{calls}" m="$w/{calls}/.$1-$PPID" u= q= s=
plain() {{
  test -e "${{1%/*}}" && test ! -x "${{1%/*}}" && return 1
  test ! -e "$1" && return
  test -f "$1" && while IFS= read -r l || test "$l"; do case $l in *rules*) return 1; esac; done <"$1"
}}
test -s "$m" && {{ IFS= read -r u && IFS= read -r q && IFS= read -r s; }} <"$m"
case $2 in
SessionStart)
  q=
  case $4 in "" | 1) test -e "$m" && true >"$m" ;; esac
  ;;
*)
  case " $q " in
  *" $2 "*) test "$w/{manifest}" -nt "$m" && q= ;;
  *)
    test "${{q#calls}}" && printf '%s\\ncalls\\n%s\\n' "$u" "$s" >"$m"
    case $2 in PreToolUse | PostTool* | BeforeTool | AfterTool) ;; *) q= ;; esac
    ;;
  esac
  ;;
esac
case $q in
?*)
  if test -z "$AGENTWS_NOW$AGENTWS_NO_HOOKS" && plain {rules} && {{ test ! "$u" || plain "$u"; }} && {nothing}; then
    set -- "$1" "$2" "$c"/*
    if test $# -le {most}; then
      f="$c/$$-$1-$2"
      (umask 077 && set -C && true >"$f" || exit 9; exec cat >>"$f")
      case $? in
      0) {{ echo && echo; }} >>"$f" && {sync} "$f" "$c" && exit; exec <"$f" && rm -f "$f" ;;
      9) ;; # the name is taken, or there is no folder: nothing is read yet
      *)
        rm -f "$f"; cat >/dev/null
        echo "agentws: $2 of $1 is not recorded: its message could not be written to $c. Is the disk full?" >&2
        exec </dev/null
        ;;
      esac
    fi
    set -- "$1" "$2"
  fi
  ;;
esac
"""
"""The part of the hook file for messages that wait."""
_MOST_WAITING = 64


class Wired(Record):
    """The wiring found in a host's settings: its `script` and `workspace`, empty if missing.

    `launcher` is the file of the faster start that is tried before the script, empty for none. `file` is the hook file
    that the hook starts, empty for a hook of earlier versions; `script` and `launcher` are then in that file.
    """

    script: str
    workspace: str
    launcher: str = ""
    file: str = ""


def read(command: str, host: str) -> Wired | None:
    """Return the wiring in a hook's command, None if it is not agentws's hook for `host`.

    A path in it may begin with a variable for the folder of the settings: see `in_folder`.
    """
    try:
        words = sh.split(command)
    except ValueError:
        return None
    path = next((word[2:-1] for word in words if word.startswith("f=") and word.endswith(f"{layout.HOOK};")), "")
    if path and _behind_file(words)[:1] == [host]:
        return Wired("", path.removesuffix(layout.HOOK).rstrip("/"), file=path)
    if words[:2] == _IDLE:
        words = words[next((at + 1 for at, word in enumerate(words) if word.endswith(";")), 0) :]
    quick, plain = _parted(words)
    wired = of_words(plain, host)
    if wired is not None:
        wired.launcher = launcher_of(quick)
    return wired


def in_folder(path: str, folder: str) -> str:
    """Return the path in a hook's command with `folder`, that of the settings, in place of a variable."""
    variable, _, rest = path.partition("/")
    return "/".join(filter(None, (folder, rest))) if variable.startswith("$") else path


def read_file(text: str) -> Wired | None:
    """Return the wiring in a hook file, its workspace as `$w`; None if it is not one of agentws."""
    lines = [words for line in text.split("\n") if "hook" in (words := _words(line))]
    wired = of_words(lines[-1], "$@") if lines else None
    if wired is not None:
        wired.launcher = next(filter(None, map(launcher_of, lines)), "")
    return wired


def _words(line: str) -> list[str]:
    try:
        return sh.split(line)
    except ValueError:
        return []


def _behind_file(words: list[str]) -> list[str]:
    return words[words.index("sh") + 2 :] if "sh" in words else []


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the two halves of the words of `Wiring.command`; the first is empty if no launcher is tried."""
    if words[:2] != _TEST:
        return [], words
    # Earlier versions began the second half with `exec`.
    begins = (at for at, word in enumerate(words) if at and words[at - 1].endswith(";") and word in ("exec", "test"))
    last = max(begins, default=0)
    return words[:last], words[last:]


def launcher_of(words: Sequence[str]) -> str:
    """Return the launcher file in the words of a hook's command, empty without one."""
    return next((words[at + 1] for at, word in enumerate(words[:-1]) if word == _LAUNCHED), "")


def of_words(words: Sequence[str], host: str) -> Wired | None:
    """Return the wiring in a hook's command given as words, like `read`."""
    place = next((at for at, word in enumerate(words) if word == "hook" and words[at + 1 : at + 2] == [host]), 0)
    before = list(words[:place])
    script = next((word for word in before if word.rpartition("/")[2] == "agentws"), "")
    if not script:
        return None
    named = (before[at + 1] for at, word in enumerate(before[:-1]) if word in ("-C", "--workspace"))
    return Wired(script, next(named, ""))


def changed(present: Texts, texts: Mapping[str, str | None]) -> After:
    """Return those settings files of `texts` that differ from the `present` ones."""
    return {place: text for place, text in texts.items() if present.get(place) != text}


def without_empty(after: After) -> After:
    """Return the settings files, with None (to be removed) for one that is blank or an empty object."""
    return {place: text if text and text.strip("\ufeff{} \t\r\n") else None for place, text in after.items()}


def parts(most_chars: int, budget: int, *, now: int) -> int:
    """Return how many texts of at most `most_chars` a host needs for any boot within `budget` tokens.

    `most_chars` is 0 if it is always one text. If it needs more today, `now`, there is a spare one.
    """
    if not most_chars:
        return 1
    return max(now + 1, ceil(budget * _LONGEST_TOKEN_CHARS / (most_chars * _LEAST_FILLED)))
