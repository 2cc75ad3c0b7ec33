"""The hook that OpenClaw loads: it says what it hears to `hook openclaw EVENT`, and the answer to the agent. Pure.

OpenClaw (2026.9) runs handlers inside its gateway, so the command is called from there. The events are OpenClaw's
own, the payloads are read in `calls`.
"""

from __future__ import annotations

from agentws.hosts import javascript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "agentws"
MARK = "// agentws hook for OpenClaw"
"""How the first line of the handler begins, by which the folder is known as ours."""
EVENTS = (
    "agent:bootstrap",
    "message:received",
    "session:compact:before",
    "session:compact:after",
    "session:auto-reset",
    "command:new",
    "command:reset",
    "gateway:pre-restart",
    "gateway:shutdown",
)


def description() -> str:
    """`HOOK.md`: by what OpenClaw knows the hook, and for which events it calls the handler."""
    import json

    return _DESCRIPTION.replace("@EVENTS@", json.dumps(EVENTS))


def description_is_ours(text: str) -> bool:
    """True for a `HOOK.md` of any version of ours."""
    return text.startswith(f"---\nname: {NAME}\n") and "agentws uninstall openclaw" in text


def text(command: Sequence[str], launcher: Sequence[str] = ()) -> str:
    """`handler.ts`, which calls `command` followed by the name of the event, by the `launcher` where that is there."""
    return javascript.wired_to(command, launcher, _SOURCE.replace("@MARK@", MARK))


_DESCRIPTION = """---
name: agentws
description: "The agent begins with what its workspace knows, and its sessions end with a handoff"
metadata: { "openclaw": { "emoji": "📓", "events": @EVENTS@ } }
---

# agentws

Written by `agentws install openclaw`; `agentws uninstall openclaw` removes it. Enable it once with
`openclaw hooks enable agentws`.
"""

_SOURCE = r"""@MARK@, written by `agentws install openclaw`. `agentws uninstall openclaw` removes it.
// It tells the agent what its workspace knows, and the workspace what happens in a session. Nothing that fails here
// stops OpenClaw.
import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const SECONDS = { "agent:bootstrap": 15 }
const USUAL_SECONDS = 4
const MOST_FAILURES = 3
const PAUSE = 10 * 60_000
// Of a session that rested so long, no model's provider keeps the beginning: a new one costs nothing more.
const FRESH = 60 * 60_000
const MOST_SESSIONS = 500
const MOST_ENDED = 8

const sessions = new Map() // id -> { id, key, agent, text, used }, the longest unused first
const waiting = new Map() // session key -> messages whose session is not known yet
let failures = 0
let paused = 0

@CALL@

// What the workspace answers, undefined where it could not be asked.
async function ask(event, session, more) {
  if (Date.now() < paused) return undefined
  try {
    const said = {
      plugin: 1,
      session_id: session.id,
      session_key: session.key,
      agent_id: session.agent,
      audience: audience(session.key),
      ...more,
    }
    const answer = await call(event, said)
    failures = 0
    return answer
  } catch (error) {
    if (++failures >= MOST_FAILURES) {
      paused = Date.now() + PAUSE
      failures = 0
    }
    console.warn(`[agentws] ${error?.message ?? error}`)
    return undefined
  }
}

function real(place) {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

// The gateway tells every hook of all agents: ours is the one that works in this folder, or in the workspace itself.
const HOMES = [COMMAND[2], path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..")].map(real)
const ours = (place) => typeof place === "string" && HOMES.includes(real(place))

// Neither is told anything by OpenClaw that a hook adds.
const apart = (key) => /(^|:)(subagent|cron):/.test(key)
const audience = (key) => (/:(group|channel):/.test(key) ? "shared" : "main")

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

async function bootstrap(event) {
  const { context } = event
  const key = context.sessionKey ?? event.sessionKey
  if (!ours(context.workspaceDir) || apart(key)) return
  const known = sessions.get(context.sessionId)
  const session = known ?? { id: context.sessionId ?? key, key, agent: context.agentId, source: "startup" }
  if (session.text === undefined || Date.now() - session.used > FRESH) await boot(session, context)
  session.used = Date.now()
  remember(session)
  if (session.text) {
    const file = { name: "AGENTWS.md", path: path.join(context.workspaceDir, "AGENTWS.md"), missing: false }
    context.bootstrapFiles = [...context.bootstrapFiles, { ...file, content: session.text }]
  }
  const prompts = waiting.get(key) ?? []
  waiting.delete(key)
  for (const said of prompts) await ask("message:received", session, said)
}

async function boot(session, { workspaceDir, bootstrapFiles }) {
  const files = bootstrapFiles.filter((file) => !file.missing).map((file) => file.name)
  const answer = await ask("agent:bootstrap", session, { workspace: workspaceDir, files, source: session.source })
  if (answer) session.text = typeof answer.context === "string" ? answer.context : ""
  session.source = "resume"
}

// A message is heard before its session is told.
async function received({ context, sessionKey }) {
  if (!context.content || apart(sessionKey)) return
  const prompts = waiting.get(sessionKey) ?? []
  waiting.delete(sessionKey)
  waiting.set(sessionKey, [...prompts, { prompt: context.content, ...author(context) }].slice(-20))
  if (waiting.size > MOST_SESSIONS) waiting.delete(waiting.keys().next().value)
}

async function compacting({ context }) {
  const session = sessions.get(context.sessionId)
  if (session) await ask("session:compact:before", session)
}

async function compacted({ context }) {
  const session = sessions.get(context.sessionId)
  if (!session) return
  await ask("session:compact:after", session)
  session.text = undefined
  session.source = "compact"
}

async function replaced(event) {
  const { context } = event
  const entry = context.previousSessionEntry ?? context.sessionEntry
  const known = sessions.get(entry?.sessionId)
  if (!known && !ours(context.workspaceDir)) return
  const session = known ?? { id: entry?.sessionId ?? event.sessionKey, key: event.sessionKey, agent: context.agentId }
  sessions.delete(session.id)
  await ask(`${event.type}:${event.action}`, session, { reason: context.reason ?? event.action })
}

async function stopping(event) {
  const active = [...sessions.values()].slice(-MOST_ENDED)
  sessions.clear()
  const reason = event.context.reason ?? event.action
  await Promise.all(active.map((session) => ask(`gateway:${event.action}`, session, { reason })))
}

const HEARD = {
  "agent:bootstrap": bootstrap,
  "message:received": received,
  "session:compact:before": compacting,
  "session:compact:after": compacted,
  "session:auto-reset": replaced,
  "command:new": replaced,
  "command:reset": replaced,
  "gateway:pre-restart": stopping,
  "gateway:shutdown": stopping,
}

export default async function handler(event) {
  try {
    await HEARD[`${event.type}:${event.action}`]?.(event)
  } catch (error) {
    console.warn(`[agentws] ${error?.message ?? error}`)
  }
}
"""
