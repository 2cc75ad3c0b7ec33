"""The start-up context: which parts of which files an agent wakes up to, within an exact budget.

Order runs from what seldom changes to what always changes, so that a model's prompt cache keeps its prefix. The
stable part is a function of its own files and the budget alone. First claim have identity and the open handoff; every
section gets a fair share, and what one leaves over flows on to the next.
"""

from __future__ import annotations

from agentws.formats import markdown, notes
from agentws.formats.inert import inert, one_line
from agentws.planning import days, excerpt, leftout, tokens
from agentws.planning.allotment import Scale, fair
from agentws.planning.leftout import Omission
from agentws.planning.request import (
    CONTEXT,
    DAY,
    HANDOFF,
    IDENTITY,
    INSTRUCTIONS,
    MEMORY,
    PINNED,
    TASK,
    USER,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Excerpt, Measure
    from agentws.planning.request import Request, Source


_STABLE = (IDENTITY, USER, INSTRUCTIONS, MEMORY, PINNED, CONTEXT)
_WEIGHTS = {IDENTITY: 3, USER: 2, INSTRUCTIONS: 2, MEMORY: 4, PINNED: 3, CONTEXT: 3, HANDOFF: 6, TASK: 2, DAY: 4}
_SAYS = {
    IDENTITY: "who I am",
    USER: "whom I serve",
    INSTRUCTIONS: "how I work here",
    MEMORY: "long-term memory",
    PINNED: "pinned",
    CONTEXT: "context",
}
_BY_SALIENCE = (MEMORY, PINNED, CONTEXT)
_HIDDEN_FROM_SHARED = (USER, MEMORY)


class Section:
    """A part of the text: its source, its cost in tokens, how many entries it shows of how many, and why so."""

    __slots__ = ("of", "reason", "shown", "source", "title", "tokens", "tokens_in")

    def __init__(
        self, *, source: str, title: str, tokens: int, tokens_in: int, shown: int, of: int, reason: str
    ) -> None:
        self.source = source
        self.title = title
        self.tokens = tokens
        self.tokens_in = tokens_in
        self.shown = shown
        self.of = of
        self.reason = reason


class Context:
    """The start-up context. `tokens` is the count of `text` and never exceeds the budget; `cut` tells whether
    anything that was read is not shown whole.
    """

    __slots__ = ("cut", "omitted", "sections", "stable_prefix_tokens", "text", "tokens")

    def __init__(
        self, text: str, tokens: int, sections: list[Section], omitted: list[Omission], stable_prefix_tokens: int
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.sections = sections
        self.omitted = omitted
        self.stable_prefix_tokens = stable_prefix_tokens
        self.cut = any(section.reason != "whole" for section in sections) or bool(omitted)


class _Part:
    """A source on its way into the text."""

    __slots__ = ("chosen", "entries", "more", "private_entries", "source", "text", "title")

    def __init__(self, source: Source, request: Request, *, brief: bool) -> None:
        self.source = source
        title, self.text = markdown.nested(inert(source.text))
        self.title = _title(source, title, brief=brief)
        found = notes.read(self.text)
        if not found and title:  # all that the file says is its title
            self.text = f"{title}\n"
            found = notes.read(self.text)
        labels = request.private_tags
        hidden = {id(note) for note in found if request.shared and _is_private(note, labels)}
        is_private = any(label in labels for label in source.labels) or notes.has_label(title, labels)
        if request.shared and (is_private or source.role in _HIDDEN_FROM_SHARED):
            hidden = {id(note) for note in found}
        self.private_entries = len(hidden)
        visible = [note for note in found if id(note) not in hidden]
        self.entries = excerpt.entries(visible, by_position=source.role == DAY, tags=request.tags)
        self.chosen: Excerpt | None = None
        self.more: Excerpt | None = None

    def need(self, measure: Measure) -> int:
        """Units that the whole of it costs, with its title and the empty line behind."""
        return measure(self.title) + measure("\n") + self._all(measure).units if self.entries else 0

    def choose(self, grant: int, measure: Measure, *, at_least: bool) -> int:
        """Take what `grant` units allow; returns the units used."""
        frame = measure(self.title) + measure("\n")
        if not self.entries or grant <= frame:
            return 0
        everything = self._all(measure)
        fits = frame + everything.units <= grant
        if fits:
            made = everything
        elif self.source.role in _BY_SALIENCE:
            made = days.choose([days.Day(self.entries, frame=frame)], grant, measure)[0]
        else:
            made = excerpt.best(self.entries, grant - frame, measure, at_least=at_least)
        return self.take(made, frame) if made.shown else 0

    def take(self, made: Excerpt, frame: int) -> int:
        """Show `made`; returns the units used, with the `frame` of title and empty line."""
        self.chosen = made
        return frame + made.units

    def _all(self, measure: Measure) -> Excerpt:
        if self.private_entries:
            return excerpt.everything(self.entries, measure)
        return excerpt.whole(self.text, self.entries, measure)

    def choose_more(self, grant: int, measure: Measure) -> int:
        """Take of what `choose` left out, for a second helping at the end; returns the units used."""
        rest = self.chosen.unshown if self.chosen else tuple(self.entries)
        frame = measure(self.title_of_more) + measure("\n")
        if not rest or grant <= frame:
            return 0
        more = excerpt.best(rest, grant - frame, measure)
        if not more.shown:
            return 0
        self.more = more
        return frame + more.units

    @property
    def is_whole(self) -> bool:
        """True where nothing of the file is missing or shortened."""
        return self.chosen is not None and not self.chosen.partly and not self.private_entries

    @property
    def title_of_more(self) -> str:
        return f"## {one_line(self.source.path)}, continued\n" if self.chosen else self.title


def fit(request: Request) -> Context:
    """The best context that the budget allows. Pure and deterministic: the same request gives the same bytes."""
    budget_units = request.budget * request.counter.units_per_token
    slack = 0
    while True:
        context = _assemble(request, budget_units - slack)
        over = request.counter.units(context.text) - budget_units
        if over <= 0:
            return context
        # Only a counter whose parts do not quite add up comes here: it is given that much less to spend.
        slack += over


def _assemble(request: Request, room: int) -> Context:
    measure = request.counter.units
    scale = Scale(request.counter, room)
    parts = [_Part(source, request, brief=scale.brief) for source in request.sources]
    head = f"# {one_line(request.name)[:60] or 'Agent'}\n\n"
    now = _now(request, None, brief=scale.brief)
    reserve = max(measure(leftout.shortest(len(parts) + len(request.unread))), scale.account)
    left = room - measure(head) - measure(now) - reserve

    stable = [part for part in parts if part.source.role in _STABLE]
    changing = [part for part in parts if part.source.role not in _STABLE]
    left -= _share_out(stable, scale.stable - measure(head), measure, scale, most=room * 3 // 10)
    known = [line for part in stable if part.chosen for line in part.chosen.kept.split("\n") if line.strip()]
    left -= _share_out_changing(changing, left, measure, scale, known)
    for part in stable:
        if left > scale.least:
            left -= part.choose_more(left, measure)

    omitted = _omitted(parts, request)
    stable_text = head + "".join(_shown(part) for part in stable)
    body = "".join(_shown(part) for part in changing) + "".join(_shown_more(part) for part in stable)
    footer = leftout.footer(omitted, left + reserve, measure)
    text = stable_text + now + body + footer
    counted = text if scale.brief else _counted(request, text, stable_text, body, footer)
    sections = [_section(part, request) for part in parts if part.chosen or part.more]
    total = tokens.tokens(request.counter, counted)
    return Context(counted, total, sections, omitted, tokens.tokens(request.counter, stable_text))


def _share_out(parts: Sequence[_Part], total: int, measure: Measure, scale: Scale, *, most: int | None = None) -> int:
    """Give each part its fair share in turn, what it does not use flowing on; returns the units used.

    Where not all fits, no part gets more than `most`.
    """
    used = 0
    needs = [part.need(measure) for part in parts]
    most = total if most is None or sum(needs) <= total else most
    weights = [_WEIGHTS[part.source.role] for part in parts]
    for index, part in enumerate(parts):
        grant = min(fair(needs[index:], weights[index:], total - used)[0], most)
        first_claim = index == 0 and part.source.role in (IDENTITY, HANDOFF)
        if first_claim:
            left = total - used
            grant = max(grant, min(needs[0], max(min(left * 2 // 3, scale.floor), min(left, scale.least))))
        used += part.choose(grant, measure, at_least=first_claim)
    return used


def _share_out_changing(
    parts: Sequence[_Part], total: int, measure: Measure, scale: Scale, known: Sequence[str]
) -> int:
    """The handoff first, then tasks, then the daily logs; `known` are lines that are shown anyway."""
    handoffs = [part for part in parts if part.source.role == HANDOFF]
    logs = [part for part in parts if part.source.role == DAY]
    tasks = [part for part in parts if part.source.role == TASK]
    used = _share_out(handoffs, total * 2 // 3 if logs or tasks else total, measure, scale)
    if handoffs and not used:
        used = handoffs[0].choose(total, measure, at_least=True)
    # However many tasks there are, the newest day has room for a line.
    floor = measure(logs[0].title) + scale.least if logs else 0
    used += _share_out_tasks(tasks, total - used - floor, measure, scale, alone=not logs)
    return used + _share_out_days(logs, total - used, measure, known)


def _share_out_tasks(parts: Sequence[_Part], total: int, measure: Measure, scale: Scale, *, alone: bool) -> int:
    """A third for the tasks, or all where they are `alone`; what one cannot use goes to the next in order."""
    share = max(0, total if alone else total // 3)
    used = _share_out(parts, share, measure, scale)
    for part in parts:
        if not part.chosen:
            used += part.choose(share - used, measure, at_least=False)
    if parts and not used:
        used = parts[0].choose(total, measure, at_least=True)
    return used


def _share_out_days(parts: Sequence[_Part], total: int, measure: Measure, known: Sequence[str]) -> int:
    """All of the logs where all fits, else the lines across all days that matter most."""
    if sum(part.need(measure) for part in parts) <= total:
        return sum(part.choose(total, measure, at_least=False) for part in parts)
    frames = [measure(part.title) + measure("\n") for part in parts]
    chosen = days.choose(
        [days.Day(part.entries, frame=frame) for part, frame in zip(parts, frames, strict=True)],
        total,
        measure,
        known=known,
    )
    used = sum(part.take(made, frame) for part, frame, made in zip(parts, frames, chosen, strict=True) if made.shown)
    if parts and not used:
        used = parts[0].choose(total, measure, at_least=True)
    return used


def _counted(request: Request, text: str, stable: str, body: str, footer: str) -> str:
    """The text with its own cost written into it: the number may change the count, so it is sought."""
    used = tokens.tokens(request.counter, text)
    for _ in range(4):
        candidate = stable + _now(request, used, brief=False) + body + footer
        count = tokens.tokens(request.counter, candidate)
        if count == used:
            return candidate
        used = count
    return text


def _now(request: Request, used: int | None, *, brief: bool) -> str:
    if brief:
        warnings = f" · ⚠ {len(request.notices)} notices" if request.notices else ""
        return f"Now: {one_line(request.now.partition(' · ')[0])}{warnings}\n\n"
    # Until the text is made its cost is not known: the widest number it can be holds the place.
    count = request.budget if used is None else used
    cost = f"{count:,} of {request.budget:,} tokens ({request.counter.name}, {request.counter.trust})"
    lines = ["## Now", f"{one_line(request.now)} · {cost}"]
    lines += [f"- ⚠ {one_line(notice)[:200]}" for notice in request.notices[:5]]
    if len(request.notices) > 5:
        lines.append(f"- ⚠ {len(request.notices) - 5} more notices: agentws status")
    return "\n".join(lines) + "\n\n"


def _title(source: Source, own_title: str, *, brief: bool) -> str:
    """The title of a source's section. A log's own title says more than its date only now and then."""
    if brief:
        return f"## {one_line(source.brief)[:40]}\n"
    parts = [source.title or source.path, _SAYS.get(source.role, "") if not source.title else ""]
    if source.role == DAY:
        parts.insert(1, own_title.replace(source.brief, "").strip(" -–—:·#"))
    return f"## {one_line(' · '.join(part for part in parts if part))[:160]}\n"


def _shown(part: _Part) -> str:
    return f"{part.title}{part.chosen.text}\n" if part.chosen else ""


def _shown_more(part: _Part) -> str:
    return f"{part.title_of_more}{part.more.text}\n" if part.more else ""


def _is_private(note: notes.Note, labels: Sequence[str]) -> bool:
    return notes.has_label("\n".join((*note.unit.path, note.unit.head, note.unit.text)), labels)


def _section(part: _Part, request: Request) -> Section:
    shown = sum(piece.shown for piece in (part.chosen, part.more) if piece)
    of = len(part.entries) + part.private_entries
    reason = "whole" if part.is_whole else f"the best {min(shown, of)} of {of} entries"
    if shown >= of and not part.is_whole:
        reason = f"all {of} entries, some shortened"
    return Section(
        source=part.source.path,
        title=part.title.removeprefix("## ").rstrip(),
        tokens=tokens.tokens(request.counter, _shown(part) + _shown_more(part)),
        tokens_in=tokens.tokens(request.counter, part.text),
        shown=min(shown, of),
        of=of,
        reason=reason,
    )


def _omitted(parts: Sequence[_Part], request: Request) -> list[Omission]:
    found = []
    for part in parts:
        kept = "".join(piece.kept for piece in (part.chosen, part.more) if piece)
        missing = tokens.tokens(request.counter, part.text) - tokens.tokens(request.counter, kept)
        if part.is_whole or (missing <= 0 and not part.entries and not part.private_entries):
            continue
        # Headings that were printed again may cost more than what is missing: it is named all the same.
        missing = max(missing, 1)
        why = "over its share of the budget"
        if part.private_entries:
            why = "not for a shared audience"
        found.append(Omission(part.source.path, missing, why, leftout.cat(part.source.path)))
    return [*found, *request.unread]
