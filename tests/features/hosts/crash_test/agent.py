#!/usr/bin/env python3
"""A small agent program in place of Claude Code: it asks its model, calls the hooks of its settings, runs commands."""

import json
import os
import subprocess
import sys
import urllib.request

SESSION = f"played-{os.getpid()}"
os.environ["CLAUDE_PROJECT_DIR"] = os.getcwd()


def hook(event, **fields):
    """What the hooks of an event say."""
    with open(".claude/settings.json", encoding="utf-8") as file:
        groups = json.load(file)["hooks"].get(event, [])
    told = json.dumps({"session_id": SESSION, "cwd": os.getcwd(), "hook_event_name": event, **fields})
    said = {}
    for one in (one for group in groups for one in group["hooks"]):
        done = subprocess.run(["sh", "-c", one["command"]], input=told, capture_output=True, text=True, check=False)
        said = said or json.loads(done.stdout.strip() or "{}").get("hookSpecificOutput", {})
    return said


def ask(messages):
    """The model's next block."""
    body = {"model": "m", "messages": messages, "tools": [{"name": "Bash"}]}
    address = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode())) as answer:
        return json.load(answer)["content"][0]


def run(block):
    """The result of a call, or why it was denied."""
    call = {"tool_name": "Bash", "tool_input": block["input"], "tool_use_id": f"{SESSION}-{block['id']}"}
    said = hook("PreToolUse", **call)
    if said.get("permissionDecision") == "deny":
        return said["permissionDecisionReason"]
    done = subprocess.run(["sh", "-c", block["input"]["command"]], capture_output=True, text=True, check=False)
    hook("PostToolUse", **call, tool_response={"stdout": done.stdout})
    return done.stdout or "(no output)"


def main():
    """One session: the prompt is the last word."""
    boot = hook("SessionStart", source="startup").get("additionalContext", "")
    hook("UserPromptSubmit", prompt=sys.argv[-1])
    messages = [{"role": "user", "content": boot + sys.argv[-1]}]
    while (block := ask(messages))["type"] == "tool_use":
        result = {"type": "tool_result", "tool_use_id": block["id"], "content": run(block)}
        messages += [{"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]
    hook("SessionEnd", reason="exit")


main()
