"""Stand-in until the notes engine is there."""
import re
RULE = re.compile(r"(?i)\bnever\b|always|must|name:|call them|timezone|prefer|non-negotiable|don't|do not|rule")
WORTH = re.compile(r"(?i)\bnever\b|always|must not|do not|don't|rule|critical|permanent|lesson|prefer|blocked|pending|waiting|todo|next")
MARKER = re.compile(r"(?i)^\W*(\[ \]|todo\b|next\b|pending\b|blocked\b|waiting\b|follow[- ]?up\b|open\b|awaiting\b|needs?\b)|⏳|🔴")
HEADING = re.compile(r"(?i)\b(todo|next|pending|blocked|blockers?|waiting|open|follow-?ups?|tomorrow|outstanding|action items?)\b")
CLOSED = re.compile(r"✅|\[x\]|~~|(?i:\bdone\b|completed|resolved|fixed)")
def identity(part, at):
    return not RULE.search(part.rows[at].text.replace("**", ""))
def worth(part, at):
    return bool(WORTH.search(part.rows[at].text))
def is_open(part, at):
    row = part.rows[at]
    h = part.rows[row.heading].text if row.heading >= 0 else ""
    t = row.text.replace("**", "")
    return bool(MARKER.search(t) or (HEADING.search(h) and row.kind == "item")) and not CLOSED.search(t)
