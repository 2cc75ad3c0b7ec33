"""Findings on documents by their names: misplaced, missing and unread files; and on damage in one document."""

from __future__ import annotations

from agentws.core.disk import links, local_dir
from agentws.core.disk.inspect import scan
from agentws.core.findings import ADVICE, PROBLEM, PUT_BACK, PUT_BACK_FACTS, WARNING, Finding, Mend, of_error, quoted
from agentws.core.formats import adoption, layout
from agentws.core.formats.documents import document
from agentws.core.stores.seen import Seen
from agentws.core.stores.stores import Stores
from agentws.core.text import utf8
from agentws.errors import AgentwsError

_HEADED = (layout.TASKS, layout.HANDOFFS, layout.CONTEXTS)
"""Folders whose documents have meaningful front matter."""
_FRONTED = (*_HEADED, layout.DAYS)
"""Folders of documents whose front matter is checked."""
_OURS = ("", *_FRONTED)
_FOLDERS = (*_FRONTED, layout.JOURNAL, layout.LOCAL)
_ALMOST = (".txt", ".markdown", ".mdown", ".org", ".rst")
"""Endings of files that look like a task or a handoff, but are not read."""
MEND = "Correct the file in an editor."


def standing(seen: Seen) -> list[Finding]:
    """Return the findings from the manifest and the names of files, without reading documents."""
    stores = seen.stores
    findings = [*_manifest(stores), *_named(stores), *_strange(seen), *_log_folders(stores)]
    return [*findings, *_lost_lines(stores), *_lost_facts(stores)]


def _log_folders(stores: Stores) -> list[Finding]:
    """Return advice on the folders with logs of other programs that neither history nor sync takes along."""
    folders: list[str] = stores.manifest.setting("log.folders")
    if not folders:
        return []
    from agentws.core.formats import adoption
    from agentws.core.formats.travel import sync_path

    include: list[str] = stores.manifest.setting("sync.include")
    left = [
        folder.strip("/")
        for folder in folders
        if not sync_path.is_visited(folder.strip("/"), include) and folder != adoption.ROOT
    ]
    globs = ",".join([*include, *(f"{folder}/**" for folder in left)])
    says = "daily logs of other programs (log.folders): not in agentws's history, and not synced"
    remedy = f"To sync them: agentws config sync.include {quoted(globs)}"
    return [Finding("log-folder", ADVICE, says, remedy=remedy, path=folder) for folder in left]


def _lost_lines(stores: Stores) -> list[Finding]:
    if not local_dir.may_lack_lines(stores.files):
        return []
    from agentws.core.stores import lost_lines  # seldom

    return [
        Finding(
            "lost-lines",
            WARNING,
            lines.says,
            remedy=lost_lines.REMEDY,
            path=lines.path,
            mends=[Mend(PUT_BACK, lines.path)],
        )
        for lines in lost_lines.missing(stores.files)
    ]


def _lost_facts(stores: Stores) -> list[Finding]:
    if not local_dir.may_lack_facts(stores.files):
        return []
    from agentws.core.stores import lost_facts, lost_lines  # seldom

    lost = lost_facts.missing(stores.files)
    if lost is None:
        return []
    mends = [Mend(PUT_BACK_FACTS)]
    return [Finding("lost-facts", WARNING, lost.says, remedy=lost_lines.REMEDY, path=lost.path, mends=mends)]


def _manifest(stores: Stores) -> list[Finding]:
    if not stores.adopted:
        says = "not adopted yet: read-only, with default settings"
        return [Finding("not-adopted", WARNING, says, remedy="agentws init", path=stores.root)]
    if stores.damage is not None:
        return [of_error("manifest", PROBLEM, stores.damage.message, remedy=stores.damage.hint or MEND)]
    unknown = stores.manifest.unknown_settings
    wrong = [
        Finding("setting", WARNING, says, remedy=MEND, path=layout.MANIFEST) for says in stores.manifest.wrong.values()
    ]
    return wrong + [
        Finding(
            "setting", ADVICE, f"unknown setting {key}", remedy="Correct or remove the setting.", path=layout.MANIFEST
        )
        for key in unknown
    ]


def _named(stores: Stores) -> list[Finding]:
    """Return the findings on files that the manifest names and that are missing."""
    used = stores.manifest.setting("boot.context")
    named = [("boot.pinned", path) for path in stores.manifest.setting("boot.pinned")]
    named += [("boot.context", f"{layout.CONTEXTS}/{used}.md")] if used else []
    findings = []
    for setting, path in named:
        try:
            there = stores.files.exists(path)
        except AgentwsError as error:
            findings.append(of_error("named-file", WARNING, f"{layout.MANIFEST}: {error.message}", remedy=MEND))
            continue
        if not there:
            says = f"{setting} names {path}, which is missing"
            remedy = f"Remove the file from {setting}, or restore the file."
            findings.append(Finding("named-file", WARNING, says, remedy=remedy, path=layout.MANIFEST))
    return findings


def _strange(seen: Seen) -> list[Finding]:
    """Return the findings on links and devices in place of documents, files in place of folders, and unread names."""
    findings = []
    for entry in seen.look.entries.values():
        misplaced = entry.path in _FOLDERS and entry.kind != scan.FOLDER
        if entry.kind == scan.OTHER and _is_read(seen.stores, entry.path):
            continue
        if misplaced or (entry.kind != scan.FILE and entry.folder in _OURS and layout.is_document(entry.path)):
            says = "not a folder, so not read" if misplaced else "a link, folder or device, so not read"
            remedy = "Use a regular file or folder: agentws follows no links."
            findings.append(Finding("unsafe-file", WARNING, says, remedy=remedy, path=entry.path))
        elif entry.folder in _read_by_name(seen.stores) and entry.name.casefold().endswith(_ALMOST):
            says = "not read: the name does not end in .md"
            remedy = f"To let agentws read it: mv {quoted(entry.path)} {quoted(entry.path.rpartition('.')[0] + '.md')}"
            findings.append(Finding("unread-file", ADVICE, says, remedy=remedy, path=entry.path))
    for name, read in layout.misspelt([entry.path for entry in seen.look.entries.values() if not entry.folder]):
        remedy = f"Move its text to {read}, then remove {name}."
        findings.append(
            Finding("unread-file", ADVICE, f"not read, because {read} is there too", remedy=remedy, path=name)
        )
    for path in adoption.not_days([*seen.look.entries, *seen.look.logs]):
        says = "not read as a daily log: the name is not a calendar date"
        remedy = "Name the file after its day (2026-11-20.md), or without a date in front."
        findings.append(Finding("unread-file", ADVICE, says, remedy=remedy, path=path))
    return findings


def _read_by_name(stores: Stores) -> list[str]:
    """Return the folders in which a text that is not Markdown was probably meant to be read."""
    return [
        each for each in (layout.TASKS, layout.HANDOFFS) if each not in stores.manifest.setting("adopted.documents")
    ]


def _is_read(stores: Stores, path: str) -> bool:
    """Return whether a link is read as the file to which it leads, or leads to one of the agent's files."""
    target = layout.usual(links.document(stores.root, path))
    return stores.files.real(layout.usual(path)) != path or target in layout.AGENT_FILES


def damage(path: str, data: bytes, *, is_cut: bool = False) -> list[Finding]:
    """Return the findings on damage in the content of a document: not UTF-8, a merge conflict, bad front matter."""
    if encoding := utf8.other_encoding(data):
        says = f"{encoding}, not UTF-8: agentws neither shows nor changes the file"
        return [Finding("encoding", WARNING, says, remedy=utf8.conversion(path, encoding), path=path, line=1)]
    if b"\0" in data[:4096]:
        says = "NUL bytes in it: compact and curate do not read the file"
        return [Finding("encoding", WARNING, says, remedy="Remove them in an editor.", path=path, line=1)]
    if line := utf8.bad_line(data, is_cut=is_cut):
        is_log = path.startswith(f"{layout.DAYS}/") and layout.day_of(path.rpartition("/")[2])
        says = f"line {line} is not UTF-8: boot shows � there{', and compact skips this day' if is_log else ''}"
        return [
            Finding(
                "encoding", WARNING, says, remedy="Correct the line and save the file as UTF-8.", path=path, line=line
            )
        ]
    if findings := _conflict(path, data):
        return findings
    if not path.endswith(".md") or not (layout.usual(path) in layout.AGENT_FILES or path.partition("/")[0] in _FRONTED):
        return []
    _, error = document.lenient(data, where=path)
    return [of_error("front-matter", WARNING, error.message, remedy=error.hint or MEND)] if error is not None else []


def _conflict(path: str, data: bytes) -> list[Finding]:
    if not path.endswith(".md") or (b"<<<<<<<" not in data and b">>>>>>>" not in data):
        return []
    from agentws.core.markdown import conflict  # seldom

    text = data.decode("utf-8", "replace")
    if line := conflict.line(text):
        says = "an unresolved merge conflict"
        if layout.is_memory(path):
            says += ": boot and compact do not read the file"
    elif line := conflict.remains(text):
        says = "a marker is left of a merge conflict"
    else:
        return []
    return [Finding("merge-conflict", WARNING, says, remedy=conflict.REMEDY, path=path, line=line)]
