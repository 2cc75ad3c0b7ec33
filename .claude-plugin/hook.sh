#!/bin/sh
# What the hooks of this plugin call: hook.sh EVENT [--part K [--of N]]. It never stops Claude Code.
here=${CLAUDE_PROJECT_DIR:-$PWD}
own=${CLAUDE_CONFIG_DIR:-$HOME/.claude}

# Where `agentws install claude-code` has wired this folder or this user, its own hooks do all of it: nothing twice.
grep -qs 'hook.* claude-code ' "$here/.claude/settings.json" "$here/.claude/settings.local.json" \
  "$own/settings.json" && exit 0

# In a folder of no agent there is nothing to do.
where=${AGENTWS_WORKSPACE:-}
folder=$here
while [ -z "$where" ] && [ -n "$folder" ]; do
  [ -f "$folder/agentws.toml" ] && where=$folder
  folder=${folder%/*}
done
[ -n "$where" ] || exit 0
command -v agentws >/dev/null 2>&1 || exit 0

# Where nothing is left of the boot for this part, a mark says so (docs/format/local.md).
[ "${2:-}" = --part ] && [ -e "$where/.agentws/idle-parts/claude-code-$3" ] && exit 0

event=$1
shift
exec agentws -C "$where" hook claude-code "$event" "$@"
