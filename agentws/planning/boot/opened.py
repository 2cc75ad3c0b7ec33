"""stand-in"""
from agentws.planning import mark
from agentws.planning.boot import kinds
def section(logs, room, measure):
    seen, lines = set(), []
    title = mark.heading("Open")
    room -= measure(title) + measure("\n")
    for part in logs:
        for at in part.telling:
            if not kinds.is_open(part, at): continue
            text = part.rows[at].text.strip()
            key = "".join(c for c in text.lower() if c.isalnum())[:60]
            cost = measure(text + "\n")
            if key in seen or cost > room: continue
            seen.add(key); room -= cost; lines.append(text)
    if not lines: return "", 0
    text = title + "".join(l + "\n" for l in lines) + "\n"
    return text, measure(text)
