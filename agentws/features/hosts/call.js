const LONGEST_ANSWER = 4 << 20
const MOST_FAILURES = 3
const PAUSE = 10 * 60_000
const MEND = `agentws -C ${COMMAND[2]} install ${COMMAND[4]}`
const GONE = `${COMMAND[0]} does not start. Install agentws again, then run: ${MEND}`

// What starts the command: the launcher where it is there, which is the quicker one.
function start() {
  const [python, , file] = LAUNCHER
  return python && existsSync(COMMAND[0]) && existsSync(python) && existsSync(file) ? LAUNCHER : COMMAND.slice(0, 1)
}

// The answer of one call, {} where it says nothing; rejected where the command failed or took too long.
function call(event, payload, workspace = COMMAND[2]) {
  return new Promise((resolve, reject) => {
    const seconds = SECONDS[event] ?? USUAL_SECONDS
    const [program, ...words] = [...start(), "-C", workspace, ...COMMAND.slice(3), event]
    // Ctrl-C in the terminal is for the host, whose last hook still hands over.
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], detached: true })
    const late = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error(`no answer to ${event} in ${seconds} seconds`))
    }, seconds * 1000)
    const fail = (error) => {
      clearTimeout(late)
      reject(error)
    }
    let said = ""
    child.on("error", () => fail(new Error(GONE)))
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

// The same, undefined where it failed; after three failures in a row it rests. `state` counts them.
async function attempt(state, complain, event, payload, workspace) {
  if (Date.now() < state.paused) return undefined
  try {
    const answer = await call(event, payload, workspace)
    state.failures = 0
    return answer
  } catch (error) {
    if (++state.failures >= MOST_FAILURES) Object.assign(state, { failures: 0, paused: Date.now() + PAUSE })
    complain(error)
    return undefined
  }
}
