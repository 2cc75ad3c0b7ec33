"""The dashboard, as people read it, and as the fields that scripts rely on."""

from __future__ import annotations

from agentws.formats.journal import summary
from agentws.formats.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.operations.dashboard import Dashboard

_MOST_CHARS = 100
_MOST_NAMED = 2


def fields(found: Dashboard) -> dict[str, object]:
    """The fields of `agentws/dashboard@1`."""
    item, handoff, log = found.next_item, found.handoff, found.log
    return {
        "root": found.root,
        "name": found.name,
        "now": found.now.isoformat(timespec="seconds"),
        "problems": found.problems,
        "open": found.open,
        "next": {"ref": item.ref, "text": item.text, "due": item.due or None, "path": item.path} if item else None,
        "tasks": found.tasks,
        "session": found.session,
        "in_flight": [{"cursor": one.cursor, "text": summary.of(one.body)} for one in found.in_flight],
        "handoff": {"path": handoff[0], "at": handoff[1] or None, "open": handoff[2]} if handoff else None,
        "log": {"path": log[0], "text": log[1]} if log else None,
        "next_steps": found.next_steps,
        "notices": found.notices,
    }


def lines(found: Dashboard) -> Iterator[str]:
    """Ten lines at most."""
    yield one_line(f"{found.name} · {found.root}")
    yield one_line(_problems(found))
    labelled = (
        ("open", _open(found)),
        ("tasks", ", ".join(f"{count} {state}" for state, count in sorted(found.tasks.items())) or "none"),
        ("in flight", _in_flight(found)),
        ("handoff", _handoff(found)),
        ("log", summary.cut(f"{found.log[0]}: {found.log[1]}", _MOST_CHARS) if found.log else "none yet"),
        ("next", " · ".join(found.next_steps)),
    )
    for label, said in labelled:
        yield f"  {label:<9} {one_line(said)}"
    yield "All commands: agentws --help"


def _problems(found: Dashboard) -> str:
    if not found.problems:
        return "✓ No problem found (more checks: agentws status)"
    more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
    return f"✗ {found.problems[0]}{more}"


def _open(found: Dashboard) -> str:
    item = found.next_item
    if item is None:
        return "nothing"
    due = f"due {item.due}: " if item.due and item.due not in item.text else ""
    return summary.cut(f"{found.open or 'no'} item{'s' * (found.open != 1)}; next: {due}{item.text} ({item.ref})", 120)


def _in_flight(found: Dashboard) -> str:
    session = f"session {found.session} runs" if found.session else "no session runs"
    calls = [summary.of(one.body, longest=_MOST_CHARS // _MOST_NAMED) for one in found.in_flight]
    more = f" and {len(calls) - _MOST_NAMED} more" if len(calls) > _MOST_NAMED else ""
    return f"{session}{'; ' * bool(calls)}{'; '.join(calls[:_MOST_NAMED])}{more}"


def _handoff(found: Dashboard) -> str:
    if found.handoff is None:
        return "none yet"
    path, at, is_open = found.handoff
    return f"{path}{', ' * bool(at)}{at[:16].replace('T', ' ')}{' (open)' if is_open else ''}"
