"""Finds copies that other programs put beside a file, by their names: conflict copies, and duplicates. Pure."""

from __future__ import annotations

from collections.abc import Container

from agentws.core.text.lazy import Pattern

# Names made by Syncthing, rclone and ownCloud, and in parentheses those of Dropbox in any language (words and
# a date), Nextcloud, Seafile and iCloud.
_CONFLICT = Pattern(
    r"^(?P<stem>.+?)(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?|\.conflict\d{1,3}|_conflict-\d{8}-\d{6}"
    r"|(?<![ _-])[ _-]*+"
    r"(?>\((?=[^()]*+\))[^()]*?(?:\b(?:conflicted copy|conflict copy|case conflict|in conflict|conflict)\b"
    r"|\bSFConflict\b|[^\W\d_][^()]*?\d{4}-\d{2}-\d{2})[^()]*+\))"
    r"|_conf\([^()]*+\))(?P<ending>\.[^.]+)?$",
    "IGNORECASE",
    "DOTALL",
)
# OneDrive puts the name of a computer behind that of a file: `-ANNAS-PC`. Behind a date, where people write topics in
# capitals (`-VPN-OUTAGE`), only names that computers have count, and with a number (`-KIEL-0042`) beside that day.
_COMPUTER = Pattern(
    r"^(?:(?=(?:[^A-Z]*[A-Z]){2})[A-Z0-9]+(?:-[A-Z0-9]+)*|(?=.*(?:MacBook|iMac))[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)$"
)
_TYPICAL = Pattern(r"(?:PC\d*(?:-\d+)?|(?:^|-)(?:DESKTOP|LAPTOP)-(?=[A-Z]*\d)[A-Z0-9]{4,}(?:-\d+)?)$|MacBook|iMac")
_NUMBER = Pattern(r"[A-Z]-\d+$")
_DATE = Pattern(r"(?:^|/)\d{4}-\d{2}-\d{2}$")
_SURE = ("conflicted copy", "conflict copy", "sync-conflict")
_COPY = r"(?:(?:another|\d{1,2}(?:st|nd|rd|th)) )?(?:copy|kopie|copie|copia|cópia|kopia|копия|副本|のコピー|복사본)"
_NUMBERED = Pattern(
    rf"^(?P<stem>.+?)(?: \(\d{{1,2}}\)| \d{{1,2}}|(?: [-–])? {_COPY}(?: \(?\d{{1,2}}\)?)?| \({_COPY}(?: \d{{1,2}})?\))"
    r"(?P<ending>\.[^./]+)$",
    "IGNORECASE",
    "DOTALL",
)
_COPY_OF = "copy of "
_LEFT_BY_PROGRAMS = (".orig", ".rej", ".edited-meanwhile-")


def is_copy(path: str, known: Container[str]) -> bool:
    """Return whether another program made this file as a copy of one of the `known` ones."""
    return bool(original(path, known) or duplicated(path, known))


def original(path: str, known: Container[str] | None) -> str:
    """Return the file of which a synchronising program or a merge put a copy at `path`, else ""."""
    for mark in _LEFT_BY_PROGRAMS:
        stem, text, rest = path.rpartition(mark)
        if text and (known is None or stem in known) and (not rest or rest.isdigit()):
            return stem
    if source := _of_computer(path, known):
        return source
    folder, slash, name = path.rpartition("/")
    match = _CONFLICT.search(name)
    if match is None:
        return ""
    made_of = f"{folder}{slash}{match['stem']}{match['ending'] or ''}"
    # A note may be about a conflict: a name that says no more than that is a copy only beside its original.
    return made_of if known is None or made_of in known or any(word in name.casefold() for word in _SURE) else ""


def _of_computer(path: str, known: Container[str] | None) -> str:
    """Return the file to whose name OneDrive added that of a computer, "" if it is not known; None knows each day."""
    body, dot, ending = path.rpartition(".")
    folder_chars = path.rfind("/") + 1
    stem, hyphen, name = body.rpartition("-")
    while hyphen and len(stem) > folder_chars:
        source = f"{stem}{dot}{ending}"
        is_known = known is not None and source in known
        if _DATE.search(stem) and (is_known or known is None):
            may_be = bool(_TYPICAL.search(name) or (is_known and _NUMBER.search(name)))
        else:
            may_be = is_known and "-" in name
        if may_be and _COMPUTER.search(name):
            return source
        stem, hyphen, more = stem.rpartition("-")
        name = f"{more}-{name}"
    return ""


def duplicated(path: str, known: Container[str]) -> str:
    """Return the file of which an editor, a browser or a file manager put a copy at `path`, "" if none is known."""
    folder, slash, name = path.rpartition("/")
    match = _NUMBERED.search(name) if " " in name else None
    source = path[:-1] if path.endswith("~") else ""
    if name.casefold().startswith(_COPY_OF):
        source = f"{folder}{slash}{name[len(_COPY_OF) :]}"
    elif match:
        source = f"{folder}{slash}{match['stem']}{match['ending']}"
    return source if source in known else ""
