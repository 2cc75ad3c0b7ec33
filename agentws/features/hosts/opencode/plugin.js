@MARK@, written by `agentws install opencode`. `agentws uninstall opencode` removes it.
// It tells the workspace what happens in a session, and the model what the workspace knows. Nothing that fails here
// stops OpenCode.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"

const SECONDS = { "session.started": 15, "tool.before": 10, compacting: 15, compacted: 15, "session.ended": 3 }
const USUAL_SECONDS = 5
const LOADED = Symbol.for("agentws.opencode")
const ALLOWED = @ALLOWED@

@CALL@

// Installed for the user and for the project as well, it is loaded twice; the second does nothing.
function alone(directory) {
  const loaded = (globalThis[LOADED] ??= new Set())
  const key = JSON.stringify([COMMAND.slice(1), directory])
  if (loaded.has(key)) return undefined
  loaded.add(key)
  return () => loaded.delete(key)
}

// Of the rules that match, the last counts. Ours stand right behind the one for everything, where that asks: whatever a
// person says of some commands comes after it, and counts. Nothing that is denied stands before ours.
function allow(config) {
  const given = typeof config.permission === "string" ? { "*": config.permission } : { ...config.permission }
  if (Object.keys(given).some((key) => !["*", "bash"].includes(key) && covers(key, "bash"))) return
  const bash = given.bash ?? given["*"]
  const rules = typeof bash === "string" ? { "*": bash } : bash
  if (!rules || (rules["*"] ?? given["*"]) !== "ask") return
  const theirs = Object.entries(rules)
  const general = theirs.findIndex(([pattern]) => pattern === "*")
  const denied = theirs.findIndex(([, action]) => action === "deny")
  const place = denied < 0 ? general + 1 : Math.min(denied, general + 1)
  // A command with such a sign in it is asked about: what it prints could be written anywhere.
  const ours = ALLOWED.flatMap((command) => [[`${command} *`, "allow"], [`${command} *>*`, "ask"]])
  theirs.splice(place, 0, ...ours.filter(([pattern]) => !(pattern in rules)))
  config.permission = { ...given, bash: Object.fromEntries(theirs) }
}

function covers(pattern, name) {
  const plain = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`^${plain.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s").test(name)
}

export default async ({ client, directory, worktree }) => {
  const leave = alone(directory)
  if (!leave) return {}

  const texts = new Map() // session -> promise of what its requests are to begin with, undefined where that failed
  const fresh = new Set() // sessions that began while this ran
  const parents = new Map() // session of a subagent -> the session that started it
  const running = new Map() // call -> the tool whose result is not known
  const summarizing = new Set()
  const speakers = new Map() // session -> the agent and the model that its last prompt went to
  const answering = new Set() // sessions that answer what we asked at their end of a turn
  const once = process.argv.includes("run") // it ends with this answer
  const failed = new Map() // session -> why the model's service ended its last turn
  const unfinished = new Set()
  const state = { failures: 0, paused: 0 }

  function complain(error) {
    const message = `agentws: ${error?.message ?? error}`
    client?.app?.log({ body: { service: "agentws", level: "warn", message } })?.catch?.(() => {})
  }

  const quietly = (hook) => async (input, output) => {
    try {
      await hook(input, output)
    } catch (error) {
      complain(error)
    }
  }

  function root(session) {
    while (parents.has(session)) session = parents.get(session)
    return session
  }

  // What the workspace answers, undefined where it could not be asked.
  function ask(event, session, more) {
    const said = { plugin: 1, session_id: root(session), directory, worktree, ...more }
    const asked = attempt(state, complain, event, said)
    unfinished.add(asked)
    return asked.finally(() => unfinished.delete(asked))
  }

  async function context(event, session, more) {
    const answer = await ask(event, session, more)
    return answer && (typeof answer.context === "string" ? answer.context : "")
  }

  function boot(session) {
    if (!texts.has(session)) {
      texts.set(session, context("session.started", session, { source: fresh.has(session) ? "startup" : "resume" }))
    }
    return texts.get(session)
  }

  function compacted(session) {
    const before = texts.get(session)
    texts.set(session, context("compacted", session).then(async (text) => text ?? (await before)))
  }

  function finished(session, call_id, result) {
    const key = `${session} ${call_id}`
    const said = running.get(key)
    return running.delete(key) ? ask("tool.after", session, { ...said, ...result }) : undefined
  }

  // Why this tool must not run, undefined where nothing stands against it.
  async function beginning({ tool, sessionID, callID }, { args }) {
    try {
      const said = { tool, call_id: callID, args }
      running.set(`${sessionID} ${callID}`, said)
      const answer = await ask("tool.before", sessionID, said)
      if (typeof answer?.deny !== "string") return undefined
      running.delete(`${sessionID} ${callID}`)
      return answer.deny
    } catch (error) {
      complain(error)
      return undefined
    }
  }

  // A turn has ended: the agent may be asked for its handoff, as by a prompt that nobody typed.
  async function stopped(session) {
    if (once || parents.has(session) || !texts.has(session)) return
    const text = await context("session.idle", session, { stop_hook_active: answering.delete(session) })
    if (!text) return
    answering.add(session)
    const parts = [{ type: "text", text, synthetic: true }]
    await client.session.prompt({ path: { id: session }, body: { ...speakers.get(session), parts } })
  }

  async function end(session, reason) {
    speakers.delete(session)
    failed.delete(session)
    if (texts.delete(session)) await ask("session.ended", session, { reason })
  }

  const heard = {
    "session.created": ({ info }) => {
      if (info.parentID) parents.set(info.id, info.parentID)
      else fresh.add(info.id)
    },
    "session.updated": ({ info }) => {
      if (info.parentID) parents.set(info.id, info.parentID)
    },
    "session.compacted": ({ sessionID }) => {
      if (texts.has(sessionID)) compacted(sessionID)
    },
    "session.idle": ({ sessionID }) => stopped(sessionID),
    "session.error": ({ sessionID, error }) => {
      const failure = error?.data?.message ?? error?.name
      // It may come again, when OpenCode tries to compact a conversation that is too long.
      if (!texts.has(sessionID) || error?.name === "MessageAbortedError" || failed.get(sessionID) === failure) return
      failed.set(sessionID, failure)
      return ask("session.error", sessionID, { failure })
    },
    "session.deleted": ({ info }) => end(info.id, "deleted"),
    // A tool that fails, or that the user refuses, has no tool.execute.after.
    "message.part.updated": ({ part }) => {
      if (part.type === "tool" && part.state.status === "error") {
        return finished(part.sessionID, part.callID, { error: String(part.state.error) })
      }
    },
  }

  return {
    config: quietly((config) => ALLOWED.length && allow(config)),

    event: quietly(({ event }) => heard[event.type]?.(event.properties)),

    "chat.message": quietly(async ({ sessionID, messageID, agent, model }, { parts }) => {
      if (parents.has(sessionID)) return
      speakers.set(sessionID, { agent, model })
      failed.delete(sessionID)
      if (texts.has(sessionID) && (await texts.get(sessionID)) === undefined) texts.delete(sessionID)
      await boot(sessionID)
      const spoken = parts.filter((part) => part.type === "text" && !part.synthetic)
      if (spoken.length === 0) return
      const prompt = spoken.map((part) => part.text).join("\n")
      await ask("chat.message", sessionID, { message_id: messageID, prompt })
    }),

    "experimental.chat.system.transform": quietly(async ({ sessionID }, { system }) => {
      // Neither subagents, nor who finds a title, nor who summarizes needs to know what the agent knows.
      if (!sessionID || parents.has(sessionID) || summarizing.delete(sessionID)) return
      if (/^You are a title generator/.test(system[0] ?? "")) return
      const text = await boot(sessionID)
      if (text) system.push(text)
    }),

    // What is thrown here keeps the tool from running, and is told to the model.
    "tool.execute.before": async (input, output) => {
      const denied = await beginning(input, output)
      if (denied) throw new Error(denied)
    },

    "tool.execute.after": quietly(async ({ sessionID, callID }, result) => {
      const text = result?.output ?? result?.content ?? null // the latter where the tool is that of an MCP server
      const output = typeof text === "string" ? text : JSON.stringify(text)
      await finished(sessionID, callID, { output, exit: result?.metadata?.exit })
    }),

    "experimental.session.compacting": quietly(async ({ sessionID }, output) => {
      summarizing.add(sessionID)
      const hints = await context("compacting", sessionID)
      if (hints) output.context.push(hints)
    }),

    dispose: quietly(async () => {
      leave()
      await Promise.allSettled(unfinished)
      await Promise.allSettled([...texts.keys()].map((session) => end(session, "exit")))
    }),
  }
}
