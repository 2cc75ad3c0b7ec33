@MARK@, @BY@
// It tells the agent what its workspace knows, and the workspace what happens in a session. Nothing that fails here
// stops OpenClaw.
import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"

const SECONDS = { "agent:bootstrap": 15, before_tool_call: 10, tool_gate: 10 }
const USUAL_SECONDS = 4
// Of a session that rested so long, no model's provider keeps the beginning: a new one costs nothing more.
const FRESH = 60 * 60_000
const MOST_SESSIONS = 500
const MOST_ENDED = 8

@CALL@

// OpenClaw loads a plugin more than once, and calls some hooks of each: what is known of sessions is known to all.
const known = ((globalThis[Symbol.for("agentws.openclaw")] ??= {})[COMMAND[2]] ??= {
  sessions: new Map(), // id -> { id, key, agent, home, text, used, heard }, the longest unused first
  waiting: new Map(), // session key -> messages of which no turn is known yet
  within: new Map(), // session key of a subagent -> { session, agent }
  fenced: new Map(), // id of a session apart -> { id, key, agent, home }
  failures: 0,
  paused: 0,
  hears: false, // whether prompts and answers may be heard: somebody has to allow that
})
const { sessions, waiting, within } = known
const fenced = (known.fenced ??= new Map())
const blocked = (known.blocked ??= new Set()) // calls that were denied

// What the workspace answers, undefined where it could not be asked.
function ask(event, session, more) {
  const said = {
    plugin: 2,
    session_id: session.id,
    session_key: session.key,
    agent_id: session.agent,
    audience: audience(session.key),
    ...more,
  }
  const complain = (error) => console.warn(`[agentws] ${error?.message ?? error}`)
  return attempt(known, complain, event, said, session.home)
}

function real(place) {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

// The gateway tells every plugin of all agents: ours is the one that works in this folder, or in its workspace.
const HERE = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.resolve(HERE, "..", "..", "..") // of the user's own plugins that is the home folder
const HOMES = [COMMAND[2], ...(ROOT === homedir() ? [] : [ROOT])].filter(Boolean).map(real)

// The workspace that serves an agent who works in this folder, undefined for none. A package names none itself: any
// folder that is one serves its own agent.
function home(place) {
  if (typeof place !== "string") return undefined
  if (COMMAND[2]) return HOMES.includes(real(place)) ? COMMAND[2] : undefined
  return existsSync(path.join(place, "agentws.toml")) ? real(place) : undefined
}

// Neither is told anything by OpenClaw that a plugin adds.
const apart = (key) => /(^|:)(subagent|cron):/.test(key ?? "")
const audience = (key) => (/:(group|channel):/.test(key ?? "") ? "shared" : "main")

// Who wrote a message, and where: the name as the channel shows it, else what it knows the sender by.
function author({ from, channelId, metadata = {} }) {
  const named = [metadata.senderName, metadata.senderUsername, metadata.senderId, from]
  return { channel: channelId, sender: named.find((name) => typeof name === "string" && name.trim()) }
}

function remember(session) {
  sessions.delete(session.id)
  sessions.set(session.id, session)
  if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value)
}

// The session that does this, and which agent within it.
function doer({ sessionId, sessionKey }) {
  const session = sessions.get(sessionId)
  return session ? { session } : within.get(sessionKey)
}

function texts(content) {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? content : []
  return parts.map((part) => (part?.type === "text" ? part.text : "")).filter(Boolean).join("\n")
}

async function bootstrap(event) {
  const { context } = event
  const key = context.sessionKey ?? event.sessionKey
  const workspace = home(context.workspaceDir)
  if (!workspace) return
  if (apart(key)) return fence(context, key, workspace)
  const before = sessions.get(context.sessionId)
  const about = { id: context.sessionId ?? key, key, agent: context.agentId, home: workspace }
  const session = before ?? { ...about, source: "startup" }
  if (session.text === undefined || Date.now() - session.used > FRESH) await boot(session, context)
  session.used = Date.now()
  remember(session)
  if (session.text) {
    const file = { name: "AGENTWS.md", path: path.join(context.workspaceDir, "AGENTWS.md"), missing: false }
    context.bootstrapFiles = [...context.bootstrapFiles, { ...file, content: session.text }]
  }
  if (!known.hears) await tellWaiting(session)
}

// A session of a job or of a subagent: nothing of it is recorded, but rules count there too.
function fence({ sessionId, agentId }, key, workspace) {
  const id = sessionId ?? key
  fenced.delete(id)
  fenced.set(id, { id, key, agent: agentId, home: workspace })
  if (fenced.size > MOST_SESSIONS) fenced.delete(fenced.keys().next().value)
}

async function boot(session, { workspaceDir, bootstrapFiles }) {
  const files = bootstrapFiles.filter((file) => !file.missing).map((file) => file.name)
  const answer = await ask("agent:bootstrap", session, { workspace: workspaceDir, files, source: session.source })
  if (answer) session.text = typeof answer.context === "string" ? answer.context : ""
  session.source = "resume"
}

// A message is heard before its session is told.
function received({ context, sessionKey }) {
  if (!context.content || apart(sessionKey)) return
  const prompts = waiting.get(sessionKey) ?? []
  waiting.delete(sessionKey)
  waiting.set(sessionKey, [...prompts, { prompt: context.content, ...author(context) }].slice(-20))
  if (waiting.size > MOST_SESSIONS) waiting.delete(waiting.keys().next().value)
}

async function tellWaiting(session) {
  const prompts = waiting.get(session.key) ?? []
  waiting.delete(session.key)
  for (const said of prompts) await ask("message:received", session, said)
  return prompts.length > 0
}

// What begins a turn: the messages that a channel told of, else what this turn is asked. A turn may be built again.
// What the workspace asks of the agent comes with the first prompt that somebody typed.
async function asked({ currentUserMessage, currentUserMessageId, prompt }, ctx) {
  const session = sessions.get(ctx.sessionId)
  if (!session) return
  const turn = currentUserMessageId ?? ctx.runId
  const again = turn !== undefined && session.heard === turn
  session.heard = turn
  const kind = ctx.inputProvenance?.kind ?? "external_user"
  const typed = (ctx.trigger ?? "user") === "user" && kind === "external_user"
  const text = currentUserMessage ?? prompt
  if (!(await tellWaiting(session)) && !again && text) {
    await ask("before_prompt_build", session, { prompt: text, typed, channel: ctx.channel, sender: ctx.senderId })
  }
  if (!again) session.answers = undefined
  if (session.question && typed) {
    session.answers = session.question
    session.question = undefined
  }
  return session.answers && { prependContext: session.answers }
}

async function calling({ toolName, params, toolCallId }, ctx) {
  const found = doer(ctx)
  const apart = [...fenced.values()].find(({ id, key }) => id === ctx.sessionId || key === ctx.sessionKey)
  if (!found && !apart) return undefined
  const said = { tool: toolName, args: params, call_id: toolCallId ?? ctx.toolCallId, agent: found?.agent }
  const answer = await ask(found ? "before_tool_call" : "tool_gate", found?.session ?? apart, said)
  if (typeof answer?.deny !== "string") return undefined
  blocked.add(said.call_id)
  return { block: true, blockReason: answer.deny }
}

async function called({ toolName, toolCallId, result, error }, ctx) {
  const found = doer(ctx)
  // That a tool was blocked the workspace knows: it said so.
  if (!found || blocked.delete(toolCallId ?? ctx.toolCallId)) return
  const said = { tool: toolName, call_id: toolCallId ?? ctx.toolCallId, agent: found.agent }
  const output = texts(result?.content) || (result === undefined ? "" : result)
  const failed = error ?? (result?.isError ? texts(result.content) || "failed" : undefined)
  await ask("after_tool_call", found.session, { ...said, output, error: failed })
}

function spawned(event, ctx) {
  const key = event.childSessionKey ?? ctx.childSessionKey
  const above = within.get(ctx.requesterSessionKey)
  const found = [...sessions.values()].findLast(({ key }) => key === ctx.requesterSessionKey)
  if (!key || !(above ?? found)) return
  within.set(key, { session: above?.session ?? found, agent: key })
  if (within.size > MOST_SESSIONS) within.delete(within.keys().next().value)
}

async function returned({ targetSessionKey, outcome, error }) {
  const found = within.get(targetSessionKey)
  if (!within.delete(targetSessionKey)) return
  await ask("subagent_ended", found.session, { agent: found.agent, text: error ?? outcome })
}

async function answered({ messages, error }, ctx) {
  const session = sessions.get(ctx.sessionId)
  if (!session) return
  const last = messages.findLast((message) => message?.role === "assistant")
  const said = { text: texts(last?.content) || error, stop_hook_active: Boolean(session.answers) }
  session.answers = undefined
  const answer = await ask("agent_end", session, said)
  // To go on with it now would take the answer out of the session, so it comes with the next prompt.
  if (typeof answer?.context === "string") session.question = answer.context
}

async function compacting(event, ctx) {
  const session = sessions.get(ctx.sessionId)
  if (session) await ask("before_compaction", session)
}

async function compacted({ previousSessionId }, ctx) {
  const session = sessions.get(ctx.sessionId) ?? sessions.get(previousSessionId)
  if (!session) return
  sessions.set(ctx.sessionId, session) // it may have another id from here on
  await ask("after_compaction", session)
  session.text = undefined
  session.source = "compact"
}

async function ended({ sessionId, reason, nextSessionId }, ctx) {
  const session = sessions.get(sessionId ?? ctx.sessionId)
  if (!session) return
  if (reason === "compaction") {
    if (nextSessionId) sessions.set(nextSessionId, session)
    return
  }
  for (const [id, one] of sessions) if (one === session) sessions.delete(id)
  await ask("session_end", session, { reason })
}

async function stopping(event) {
  const active = [...new Set(sessions.values())].slice(-MOST_ENDED)
  sessions.clear()
  const reason = event.context.reason ?? event.action
  await Promise.all(active.map((session) => ask(`gateway:${event.action}`, session, { reason })))
}

// So that what the agent calls in a shell belongs to its session, and says nothing that others must not hear.
function environment(event, ctx) {
  const session = doer({ ...ctx, sessionKey: ctx.sessionKey ?? event.sessionKey })?.session
  if (!session) return undefined
  const narrow = audience(session.key) === "shared" ? { AGENTWS_AUDIENCE: "shared" } : {}
  return { AGENTWS_SESSION: session.id, ...narrow }
}

const quietly = (hook) => async (event, ctx = {}) => {
  try {
    return await hook(event, ctx)
  } catch (error) {
    console.warn(`[agentws] ${error?.message ?? error}`)
    return undefined
  }
}
// Whatever is returned there would change the call of a tool, or what the model is told.
const silently = (hook) => {
  const heard = quietly(hook)
  return async (event, ctx) => void (await heard(event, ctx))
}

const INTERNAL = {
  "agent:bootstrap": bootstrap,
  "message:received": received,
  "gateway:pre-restart": stopping,
  "gateway:shutdown": stopping,
}
const TYPED = {
  after_tool_call: called,
  before_compaction: compacting,
  after_compaction: compacted,
  session_end: ended,
  subagent_spawned: spawned,
  subagent_ended: returned,
}
const CONVERSATION = { agent_end: answered }

// The hook that earlier versions installed does a part of this: where somebody still has it enabled, it is left to it.
function former(config) {
  const { enabled, entries } = config?.hooks?.internal ?? {}
  if (enabled === false || !entries?.agentws?.enabled) return undefined
  const roots = [COMMAND[2], path.resolve(HERE, "..", "..")].filter(Boolean)
  return [...HOMES, ...roots].map((root) => path.join(root, "hooks", "agentws", "handler.ts")).find(existsSync)
}

export default {
  id: "agentws",
  name: "agentws",
  description: "What the workspace knows, and what happens in a session",
  register(api) {
    const old = former(api.config)
    if (old) return console.warn(`[agentws] the earlier hook is enabled (${old}): run agentws install openclaw there`)
    known.hears = api.config?.plugins?.entries?.agentws?.hooks?.allowConversationAccess === true
    for (const [event, hook] of Object.entries(INTERNAL)) {
      const about = { name: `agentws-${event.replace(":", "-")}`, description: "agentws" }
      api.registerHook(event, silently(hook), about)
    }
    for (const [event, hook] of Object.entries({ ...TYPED, ...(known.hears ? CONVERSATION : {}) })) {
      api.on(event, silently(hook))
    }
    if (known.hears) api.on("before_prompt_build", quietly(asked))
    api.on("before_tool_call", quietly(calling))
    api.on("resolve_exec_env", quietly(environment))
  },
}
