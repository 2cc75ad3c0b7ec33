"""JavaScript shared by the plugins for OpenCode and OpenClaw: embeds the command, calls it, reads it back. Pure."""

from __future__ import annotations

from agentws.core.hosts import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "\nconst COMMAND = "
_LAUNCHER = "\nconst LAUNCHER = "


def wired_to(command: Sequence[str], launcher: Sequence[str], source: str) -> str:
    """Return the plugin's source with the command in it, and with `call(event, payload, workspace)`, which runs it.

    `workspace` replaces the one in the command. The source imports `existsSync` and `spawn`, and sets its time limits
    in `SECONDS` and `USUAL_SECONDS`. If the files of the `launcher` exist, its words replace the first word of the
    command.
    """
    import json

    # Any JSON is JavaScript too.
    words = f"{_BEFORE.lstrip()}{json.dumps(list(command))}{_LAUNCHER}{json.dumps(list(launcher))}"
    return source.replace("@CALL@", f"{words}\n{_CALL.strip()}")


def wired(source: str, host: str) -> plan.Wired | None:
    """Return the script, workspace and launcher that `wired_to` put into a plugin's source, None if missing."""
    found = plan.of_words([*_words(source, _BEFORE), "EVENT"], host)
    if found is not None:
        found.launcher = plan.launcher_of(_words(source, _LAUNCHER))
    return found


def _words(source: str, before: str) -> list[str]:
    import json

    _, _, rest = source.partition(before)
    try:
        words = json.loads(rest.partition("\n")[0])
    except ValueError:
        return []
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


_CALL = r"""
const LONGEST_ANSWER = 4 << 20

// What starts the command: the launcher where it is there, which is the quicker one.
function start() {
  const [python, , file] = LAUNCHER
  return python && existsSync(python) && existsSync(file) ? LAUNCHER : COMMAND.slice(0, 1)
}

// The answer of one call, {} where it says nothing; rejected where the command failed or took too long.
function call(event, payload, workspace = COMMAND[2]) {
  return new Promise((resolve, reject) => {
    const seconds = SECONDS[event] ?? USUAL_SECONDS
    const [program, ...words] = [...start(), "-C", workspace, ...COMMAND.slice(3), event]
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] })
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`no answer to ${event} in ${seconds} seconds`))
    }, seconds * 1000)
    const fail = (error) => {
      clearTimeout(late)
      reject(error)
    }
    let said = ""
    child.on("error", fail)
    child.stdin.on("error", () => {}) // it may have ended without reading
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (piece) => {
      if (said.length < LONGEST_ANSWER) said += piece
    })
    child.on("close", (code) => {
      if (code !== 0) return fail(new Error(`${event} ended with ${code}`))
      clearTimeout(late)
      try {
        resolve(said.trim() ? JSON.parse(said) : {})
      } catch (error) {
        reject(error)
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}
"""
