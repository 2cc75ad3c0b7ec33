@MARK@, written by `agentws install pi`. `agentws uninstall pi` removes it.
// It tells the workspace what happens in a session, and the model what the workspace knows. Nothing that fails here
// stops Pi.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

const SECONDS = { session_start: 15, before_agent_start: 15, tool_call: 10, session_shutdown: 8 }
const USUAL_SECONDS = 5
const LOADED = Symbol.for("agentws.pi")
const TYPE = "agentws"

@CALL@

// The workspace of the command; of a package, which has none, the nearest one above the folder; else empty.
function workspaceAt(folder) {
  for (let at = COMMAND[2] ? "" : folder; at; at = dirname(at)) {
    const found = [at, join(at, ".agentmem")].find((place) => existsSync(join(place, "agentws.toml")))
    if (found || at === dirname(at)) return found ?? ""
  }
  return COMMAND[2]
}

function text(content) {
  if (typeof content === "string") return content
  const parts = (content ?? []).filter((part) => part.type === "text")
  return parts.map((part) => part.text).join("\n")
}

export default function (pi) {
  const state = { failures: 0, paused: 0 }
  const running = new Set() // calls whose result is not known
  let mine = "" // the session that this extension serves
  let workspace = ""
  let screen
  let source = "startup"
  let hasBegun = false
  let isAsked = false // the agent answers what we asked at its end of a turn
  let ending = {} // what the agent said last, or why its model failed

  function complain(error) {
    screen?.notify(`agentws: ${error?.message ?? error}`, "warning")
  }

  const on = (event, handler) =>
    pi.on(event, async (what, ctx) => {
      if (!mine) return undefined
      try {
        return await handler(what, ctx)
      } catch (error) {
        complain(error)
        return undefined
      }
    })

  // What the workspace answers, undefined where it could not be asked.
  function ask(event, { sessionManager, cwd }, more) {
    const said = { plugin: 1, session_id: sessionManager.getSessionId(), directory: cwd, ...more }
    return attempt(state, complain, event, said, workspace)
  }

  // What the first request of a session begins with; a session without a request is none.
  async function boot(ctx) {
    if (hasBegun) return undefined
    const answer = await ask("session_start", ctx, { source })
    hasBegun = answer !== undefined
    return answer?.context
  }

  // Installed for the user and for the project as well, it is loaded twice; the second does nothing.
  pi.on("session_start", async ({ reason }, { sessionManager, ui, cwd }) => {
    workspace = workspaceAt(cwd)
    if (!workspace) return
    const key = JSON.stringify([workspace, sessionManager.getSessionId()])
    const loaded = (globalThis[LOADED] ??= new Set())
    if (loaded.has(key)) return
    loaded.add(key)
    mine = key
    screen = ui
    source = reason
    hasBegun = reason === "reload" // the session goes on, with a new instance of this extension
  })

  on("before_agent_start", async ({ messageType, prompt }, ctx) => {
    const texts = [await boot(ctx)]
    if (messageType !== "custom") texts.push((await ask("before_agent_start", ctx, { prompt }))?.context)
    const content = texts.filter(Boolean).join("\n\n")
    return content ? { message: { customType: TYPE, content, display: false } } : undefined
  })

  on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    running.add(toolCallId)
    const answer = await ask("tool_call", ctx, { tool: toolName, call_id: toolCallId, args: input })
    if (typeof answer?.deny !== "string") return undefined
    running.delete(toolCallId)
    return { block: true, reason: answer.deny }
  })

  // It comes after each call, also one that failed or was aborted.
  on("tool_execution_end", async ({ toolName, toolCallId, result, isError }, ctx) => {
    if (!running.delete(toolCallId)) return
    const ending = { [isError ? "error" : "output"]: text(result?.content) }
    await ask("tool_execution_end", ctx, { tool: toolName, call_id: toolCallId, ...ending })
  })

  on("agent_end", async ({ messages }) => {
    const last = messages.filter(({ role }) => role === "assistant").at(-1)
    const failure = last?.stopReason === "error" ? (last.errorMessage ?? "unknown") : undefined
    ending = { reply: text(last?.content), failure }
  })

  // A turn has ended: the agent may be asked for its handoff, unless nobody sits before it.
  on("agent_before_settle", async ({ entries }, ctx) => {
    const answer = await ask("agent_before_settle", ctx, { ...ending, stop_hook_active: isAsked || !ctx.hasUI })
    isAsked = Boolean(answer?.context)
    if (!isAsked) return undefined
    const question = { type: "custom_message", customType: TYPE, content: answer.context, display: false }
    return { entries: [...entries, question], continue: true }
  })

  on("session_before_compact", async ({ reason }, ctx) => void (await ask("session_before_compact", ctx, { reason })))

  on("session_compact", async ({ reason }, ctx) => void (await ask("session_compact", ctx, { reason })))

  on("session_shutdown", async ({ reason }, ctx) => {
    globalThis[LOADED]?.delete(mine)
    if (hasBegun && reason !== "reload") await ask("session_shutdown", ctx, { reason })
  })
}
