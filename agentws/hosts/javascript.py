"""What the plugins that are JavaScript share: the command baked in, read back, and called. Pure."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "\nconst COMMAND = "


def wired_to(command: Sequence[str], source: str) -> str:
    """The source with the command in it, and with what calls it: `call(event, payload)`.

    The source imports `spawn` and says in `SECONDS` and `USUAL_SECONDS` how long it waits.
    """
    # JSON is JavaScript, whatever the words of the command are.
    return source.replace("@CALL@", f"{_BEFORE.lstrip()}{json.dumps(list(command))}\n{_CALL.strip()}")


def command(source: str) -> list[str]:
    """The command that `wired_to` was given, read back; empty where it is not to be found."""
    _, _, rest = source.partition(_BEFORE)
    try:
        words = json.loads(rest.partition("\n")[0])
    except ValueError:
        return []
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []


_CALL = r"""
const LONGEST_ANSWER = 4 << 20

// The answer of one call, {} where it says nothing; rejected where the command failed or took too long.
function call(event, payload) {
  return new Promise((resolve, reject) => {
    const seconds = SECONDS[event] ?? USUAL_SECONDS
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), event], { stdio: ["pipe", "pipe", "ignore"] })
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
