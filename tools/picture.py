"""Draws docs/demo.svg, the moving picture of the README: an agent is killed, and its next boot shows the action.

    python tools/picture.py [--check]

It plays `agentws demo` and shows its program and its boot of 600 tokens; random names in it are replaced by fixed ones.
`--check` fails if the picture is older than what the demonstration shows.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentws.features.init import command_demo  # noqa: E402 - from this checkout

PICTURE = ROOT / "docs" / "demo.svg"
NOW = "2026-11-20T07:15:00+01:00"
WIDTH = 104
LOOP_S = 20.0
_KILLED = "Killed"
_BUDGET = command_demo.BUDGETS[-1]
_FIXED = (
    (r"(?m)^(#+ .*) \[[a-z]+\]$", r"\1 [maple]"),
    (r" in \[[a-z]+\]", " in [maple]"),
    (r"(\d{8}-\d{4})-[0-9a-f]{6}", r"\1-5a0c71"),
    (r"Process \d+", "Process 4711"),
    (r"call-[0-9a-f]{16}", "call-7be1"),
    (rf"\d+ of {_BUDGET} tokens", f"594 of {_BUDGET} tokens"),
)
"""What differs from run to run: the mark of a boot, the session, the process, the call, and the tokens of these."""
_SHOWN = ("Robin", "SOUL.md", "Now", "Recovered handoff", "Decisions", "In flight", "Tasks", "Thu")
"""The beginnings of the headings whose first two lines are in the picture; In flight, the section, is emphasized."""


class Line(NamedTuple):
    """A line of the picture: its text, its style, and when it appears, in seconds from the beginning."""

    text: str
    style: str
    at_s: float


def lines(boot: str) -> list[Line]:
    """Return the lines of the picture: the agent's program, the kill, and an excerpt of the next boot."""
    drawn = [Line("$ python invoices.py robin", "bold green", 0.3)]
    program = command_demo.AGENT.rstrip().split("\n")[3:-2]
    drawn += (Line(f"  {text}", "", 1.0 + 0.3 * number) for number, text in enumerate(program))
    drawn += [Line("sending", "", 3.0), Line(f"{_KILLED} (kill -9)", "bold red", 5.0), Line("", "", 5.0)]
    drawn.append(Line(f"$ agentws boot --budget {_BUDGET}", "bold green", 7.0))
    excerpt = _excerpt(fixed(boot))
    drawn += (Line(text, _style(text), 8.0 + 0.08 * number) for number, text in enumerate(excerpt))
    return drawn


def fixed(boot: str) -> str:
    """Return a boot's text with fixed names in place of random ones."""
    for pattern, replacement in _FIXED:
        boot = re.sub(pattern, replacement, boot)
    return boot


def _excerpt(boot: str) -> list[str]:
    """Return the sections of a boot that the picture shows; a line `…` is in place of others."""
    shown: list[str] = []
    for section in re.split(r"(?m)^(?=#)", boot):
        if section.lstrip("# ").startswith(_SHOWN) and not section.startswith("#### In flight"):
            shown += [text for text in section.split("\n") if text][:3]
        elif section and shown[-1:] != ["…"]:
            shown.append("…")
    return shown


def _style(text: str) -> str:
    if "In flight" in text or "no result recorded" in text:
        return "bold yellow"
    return "bold cyan" if text.startswith("#") else "dim" if text == "…" else ""


def draw(drawn: list[Line]) -> str:
    """Return the animated picture of these lines as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in drawn:
        console.print(Text(line.text, style=line.style), no_wrap=True, overflow="ellipsis", crop=True)
    return console.export_svg(title="agentws demo", code_format=_format(drawn), unique_id="t")


def _format(drawn: list[Line]) -> str:
    """Return the template of the picture: each line appears at its time and stays until the loop ends."""
    rules = []
    for number, line in enumerate(drawn):
        percent = f"{100 * line.at_s / LOOP_S:.2f}%"
        rules.append(f"@keyframes k{number}{{{{0%{{{{opacity:0}}}}{percent},100%{{{{opacity:1}}}}}}}}")
        place = f'text[clip-path="url(#{{unique_id}}-line-{number})"]'
        rules.append(f"{place}{{{{animation:k{number} {LOOP_S:g}s step-end infinite}}}}")
    return _FORMAT.replace("RULES", "\n".join(rules))


_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>An agent is killed while it sends a mail; its next boot shows the mail as in flight</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: system-ui, sans-serif; }}
{styles}
RULES
@media (prefers-reduced-motion: reduce) {{ text {{ animation: none !important }} }}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def played() -> str:
    """Return the picture of what `agentws demo` shows now."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {"PATH": os.environ["PATH"], "HOME": home, "TZ": "Europe/Berlin", "AGENTWS_NOW": NOW}
        words = [sys.executable, "-m", "agentws", "--json", "demo", f"{home}/robin"]
        output = subprocess.run(words, check=True, cwd=ROOT, env=surroundings, capture_output=True).stdout
    boots = {boot["budget"]: boot["text"] for boot in json.loads(output)["boots"]}
    return draw(lines(boots[_BUDGET]))


def main() -> int:
    """Write the picture, or say that it is stale; exit code 1 then."""
    picture = played()
    if "--check" in sys.argv[1:]:
        is_current = PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == picture
        print("The picture shows the demonstration." if is_current else "docs/demo.svg is stale: run make picture")
        return int(not is_current)
    PICTURE.write_text(picture, encoding="utf-8")
    print(f"Wrote {PICTURE.relative_to(ROOT)}, {len(picture.encode()) / 1024:.0f} KB.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
