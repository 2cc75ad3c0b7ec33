"""Twenty layouts of folders that agents live in, with invented content: path -> text, or `-> TARGET` for a link.

Each file has a word of its own, so that a test can tell where it is shown.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_PAGES = {
    "openclaw": "USER.md HEARTBEAT.md SOUL.md MEMORY.md AGENTS.md TOOLS.md IDENTITY.md memory/2026-11-17.md "
    "memory/2026-11-18-standup.md memory/garden.md skills/tides/SKILL.md",
    "openclaw in small letters": "soul.md user.md agents.md memory.md memory/2026-11-18.md",
    "claude code": "CLAUDE.md .claude/commands/ship.md docs/setup.md README.md memory/2026-11-18.md",
    "agents linked to claude": "CLAUDE.md AGENTS.md->CLAUDE.md MEMORY.md",
    "claude linked to agents": "AGENTS.md CLAUDE.md->AGENTS.md GEMINI.md->AGENTS.md memory/2026-11-18.md",
    "cursor": ".cursor/rules/style.mdc .cursor/rules/tests.mdc AGENTS.md README.md",
    "cline": "memory-bank/projectbrief.md memory-bank/activeContext.md memory-bank/progress.md AGENTS.md",
    "obsidian": "MEMORY.md Daily/2026-11-17.md Daily/2026-11-18.md Projects/Harbour.md Templates/Daily.md",
    "logseq": "MEMORY.md journals/2026_11_17.md journals/2026_11_18.md pages/harbour.md",
    "days by month": "MEMORY.md memory/2026/11/17.md memory/2026/11/18.md memory/2026/10/31.md",
    "days by year": "AGENTS.md memory/2026/11/2026-11-18.md memory/2026/2026-10-31.md",
    "days without dashes": "MEMORY.md memory/20261117.md memory/20261118.md memory/people.md",
    "days in a folder": "MEMORY.md memory/daily/2026-11-17.md memory/daily/2026-11-18.md memory/projects/harbour.md",
    "german": "Agents.md User.md Memory.md Tagebuch/17.11.2026.md Tagebuch/18.11.2026.md Notizen/Hafen.md",
    "dated slugs": "AGENTS.md memory/2026-11-18-fog.md memory/2026-11-18.2.md blog/2026-11-17-tide.md",
    "handoffs of others": "MEMORY.md handoffs/to-max.md handoffs/2026-11-18-shift.md handoffs/TEMPLATE.md",
    "kanban": "AGENTS.md tasks/board.md tasks/doing/crane.md tasks/done/rope.md todo.txt tasks/todo.txt",
    "mono repo": "AGENTS.md README.md packages/api/README.md packages/api/AGENTS.md packages/web/CLAUDE.md "
    "docs/adr/0001.md memory/2026-11-18.md",
    "letta": "MEMORY.md system/persona.md system/human.md skills/tides/SKILL.md",
    "two of one name": "MEMORY.md memory.md Agents.md AGENTS.md memory/2026-11-18.md",
}
_SETTINGS = {"obsidian": {".obsidian/daily-notes.json": '{"folder": "Daily", "format": "YYYY-MM-DD"}'}}
NAMES = tuple(_PAGES)


def word(path: str) -> str:
    """Return the word that only the file at `path` holds."""
    return f"zq{hashlib.sha256(path.encode()).hexdigest()[:10].translate(str.maketrans('0123456789', 'ghijklmnop'))}"


def make(name: str, root: Path) -> dict[str, str]:
    """Make the folder of a layout; return path -> text of its files, without links."""
    links = dict(each.split("->") for each in _PAGES[name].split() if "->" in each)
    texts = {
        path: f"# Page\n\n- The {word(path)} is at the pier.\n" for path in _PAGES[name].split() if "->" not in path
    }
    texts |= _SETTINGS.get(name, {})
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for link, target in links.items():
        os.symlink(target, root / link)
    return texts
