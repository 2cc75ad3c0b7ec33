"""What this machine knows outranks what the folder says: histories made anew, cut, edited; hints that were forged."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import chain, event
from agentws.core.formats.json import plainjson
from agentws.core.journal import head
from agentws.errors import AgentwsError, NeedsYouError
from tests import table
from tests.conftest import NOW
from tests.identity.machines import Machine, writers

LATER = NOW + timedelta(hours=3)


@pytest.fixture
def robin(desk: Machine, tmp_path: Path) -> Path:
    """A workspace in which the desk has written, sealed, and written again."""
    made = desk.makes(tmp_path / "robin")
    made.event("decision", "Sam wants tea")
    made.event("note", "from Kim")
    made.journal.seal()
    made.event("note", "the last word")
    return Path(made.root)


def segment(root: Path) -> Path:
    """The only segment of the only writer."""
    (name,) = writers(root)
    return root / "journal" / name / "000001.jsonl"


def chained(lines: list[bytes], prev: str) -> bytes:
    """These lines with numbers, digests and hashes that fit: what whoever can write here can make."""
    out = []
    for number, line in enumerate(lines, 1):
        head_bytes, _, tail = line.partition(chain.SPLIT)
        tail = chain.SPLIT[1:] + tail[:-1]
        fields = plainjson.loads(head_bytes + b"}")
        made = event.header(
            seq=number,
            id=fields["id"],
            at=fields["at"],
            kind=fields["kind"],
            session=fields["session"],
            src=fields["src"],
            prev=prev,
            tail=tail,
        )
        prev = digest.of(made)
        out.append(chain.line(made, tail))
    return b"".join(out)


def again(root: Path, edit: Callable[[list[bytes]], list[bytes]]) -> None:
    path = segment(root)
    agent = next(line for line in (root / "agentws.toml").read_text().split("\n") if line.startswith("id")).split('"')[
        1
    ]
    lines = edit(path.read_bytes().split(b"\n")[:-1])
    path.write_bytes(chained(lines, chain.genesis(agent, path.parent.name)))


def said_otherwise(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"Sam wants tea", b"Sam wants gin") for line in lines]


def unsealed(lines: list[bytes]) -> list[bytes]:
    return [line for line in said_otherwise(lines) if b'"kind":"seal"' not in line]


def forged_hint(root: Path) -> None:
    """The hint, as somebody makes it who can write here: right in every way but one."""
    data, name = segment(root).read_bytes(), segment(root).parent.name
    lines = data.split(b"\n")[:-1]
    hash_ = chain.hash_of(lines[-1])
    values = [name, 1, len(data), len(lines[-1]) + 1, len(lines), hash_, [], 0]
    body = plainjson.dumps(values, separators=(",", ":")).encode()
    seal = hashlib.blake2b(body, digest_size=20).hexdigest().encode()
    (root / f".agentws/{name}.head").write_bytes(seal + b" " + body + b"\n" + seal + b"\n")


def cut(root: Path) -> None:
    path = segment(root)
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:-3]) + b"\n")


def edited_head(root: Path) -> None:
    path = segment(root)
    before, _, last = path.read_bytes()[:-1].rpartition(b"\n")
    path.write_bytes(before + b"\n" + last.replace(b'"src":"agent"', b'"src":"user"') + b"\n")


def another_key(root: Path, place: Path) -> None:
    """All of it made anew by somebody with a key of their own, who allows that key."""
    there, copy = Machine(place, "mallory"), place / "at-mallory"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("journal", ".agentws", "identity"))
    made = there.opens(copy)
    made.event("decision", "Sam wants gin")
    made.journal.seal()
    for name in ("journal", "identity"):
        shutil.rmtree(root / name)
        shutil.copytree(copy / name, root / name)


CHANGED, CUT = "changed", "cut"
FORGERIES: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "made anew from an early line on": (CHANGED, lambda root, _: again(root, said_otherwise)),
    "made anew without its seals": (CHANGED, lambda root, _: again(root, unsealed)),
    "header of the newest line edited": (CHANGED, lambda root, _: edited_head(root)),
    "made anew by another writer with another key": (CUT, another_key),
    "tail cut": (CUT, lambda root, _: cut(root)),
    "a line dropped, and made anew": (CHANGED, lambda root, _: again(root, lambda lines: [*lines[:2], *lines[3:]])),
    "all of it gone": (CUT, lambda root, _: shutil.rmtree(segment(root).parent)),
}
HINTS: dict[str, Callable[[Path], None]] = {
    "hint as it was": lambda root: None,
    "no hint": lambda root: [path.unlink() for path in root.glob(".agentws/*.head")] and None,
    "hint forged": lambda root: forged_hint(root) if segment_is_there(root) else None,
}


def segment_is_there(root: Path) -> bool:
    return len(writers(root)) == 1 and segment(root).exists()


def test_every_forged_history_is_found_by_the_machine_that_knows_better(
    desk: Machine, robin: Path, tmp_path: Path
) -> None:
    kept, state = tmp_path / "kept", tmp_path / "kept-state"
    shutil.copytree(robin, kept)
    shutil.copytree(desk.home / "state", state)
    assert desk.opens(robin, LATER).journal.verify().sound

    def found(row: tuple[str, str]) -> None:
        for to, source in ((robin, kept), (desk.home / "state", state)):
            for path in to.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.copytree(source, to, dirs_exist_ok=True)
        shutil.rmtree(tmp_path / "at-mallory", ignore_errors=True)
        shutil.rmtree(tmp_path / "home-of-mallory", ignore_errors=True)
        kind, forge = FORGERIES[row[0]]
        forge(robin, tmp_path)
        HINTS[row[1]](robin)
        told = " | ".join(one.what for one in desk.opens(robin, LATER).journal.verify().findings)
        says = ("journal was edited",) if kind == CHANGED else ("had on disk", "missing")
        assert all(one in told for one in says), told
        assert desk.opens(robin, LATER).identity.verify().damaged
        boot = " | ".join(desk.opens(robin, LATER).boot().notices)
        if kind == CHANGED:
            assert "This copy is older" not in boot, boot
            assert "Different history" in boot or "damaged" in boot or row[1] == "hint as it was", boot
        try:  # nothing is ever written behind a forged end
            desk.opens(robin, LATER).event("note", "and on")
        except AgentwsError:
            return
        names = writers(robin)
        assert len(names) > 1 or row[0].startswith("all of it"), "it went on behind what somebody else has made"
        again_told = " | ".join(one.what for one in desk.opens(robin, LATER).journal.verify().findings)
        assert "journal was edited" in again_told or "had on disk" in again_told, "it is forgotten with the next event"

    table.holds(found, [(forgery, hint) for forgery in FORGERIES for hint in HINTS])


def test_a_backup_that_is_put_back_is_told_as_one(desk: Machine, robin: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(robin, kept, ignore=shutil.ignore_patterns(".agentws"))
    it = desk.opens(robin, LATER)
    it.event("note", "after the backup")
    shutil.copytree(kept, robin, dirs_exist_ok=True)

    (told,) = desk.opens(robin, LATER).journal.verify().findings
    (said,) = [one for one in desk.opens(robin, LATER).boot().notices if "older" in one]

    assert "an older copy was restored" in told.what
    assert "journal was edited" not in told.what
    assert "or its journal was cut" in said


def test_a_hint_that_somebody_else_has_written_is_none(desk: Machine, robin: Path) -> None:
    it = desk.opens(robin)
    name = writers(robin)[0]
    secret = it.stores.appender()._secret
    assert secret
    assert head.read(it.stores.files, name, secret) is not None
    path = robin / f".agentws/{name}.head"
    whole = path.read_bytes()

    def refused(made: bytes) -> None:
        path.write_bytes(made)
        assert head.read(it.stores.files, name, secret) is None

    body = whole.partition(b" ")[2].partition(b"\n")[0]
    other = hashlib.blake2b(body, digest_size=20, key=b"another").hexdigest().encode()
    seal = whole.partition(b" ")[0]
    made = [b"", whole[:-2], whole.replace(b",1,", b",2,", 1), seal + b" " + body + b"\n"]
    made += [seal + b" " + body + b"\n" + proof + b"\n" for proof in (seal, other, b"")]
    table.holds(refused, made)


def edited_body(data: bytes) -> bytes:
    return data.replace(b"from Kim", b"from Eve", 1)


def edited_middle(data: bytes) -> bytes:
    """The header of the note in the middle, which only the line after it can tell."""
    lines = data.split(b"\n")
    (at,) = [number for number, line in enumerate(lines) if b"from Kim" in line]
    lines[at] = lines[at].replace(b'"kind":"note"', b'"kind":"plan"', 1).replace(b'"src":"agent"', b'"src":"user"', 1)
    return b"\n".join(lines)


def inserted(data: bytes) -> bytes:
    """A line between two others, right in itself."""
    lines = data.split(b"\n")
    (at,) = [number for number, line in enumerate(lines) if b"from Kim" in line]
    head_bytes, _, tail = lines[at].replace(b"from Kim", b"from Eve").partition(chain.SPLIT)
    tail = chain.SPLIT[1:] + tail[:-1]
    told = head_bytes.rpartition(b',"digest":"')[0] + b',"digest":"%s"' % digest.of(tail).encode()
    return b"\n".join([*lines[: at + 1], told + b"," + tail + b"}", *lines[at + 1 :]])


@pytest.mark.parametrize("forge", [edited_body, edited_middle, inserted])
def test_boot_prints_no_line_whose_digest_or_link_does_not_hold(
    desk: Machine, robin: Path, forge: Callable[[bytes], bytes]
) -> None:
    path = segment(robin)
    path.write_bytes(forge(path.read_bytes()))

    told = desk.opens(robin, LATER).boot().text

    assert "from Eve" not in told
    assert "[plan]" not in told
    assert "journal verify" in told
    assert "the last word" in told


def heard(robin: Path, desk: Machine) -> str:
    """What this machine takes for the agent's own: boot without its quotations, and the decisions of the journal."""
    it = desk.opens(robin, LATER)
    own = "\n".join(line for line in it.boot().text.split("\n") if "other:" not in line)
    return own + str([one.body for one in it.journal.replay().state.decisions])


ANEW = ["made anew from an early line on", "made anew without its seals"]


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("forgery", ANEW)
def test_a_journal_made_anew_is_quoted_until_a_person_takes_over(
    desk: Machine, robin: Path, tmp_path: Path, forgery: str, hint: str
) -> None:
    (name,) = writers(robin)
    assert "Sam wants tea" in heard(robin, desk)
    FORGERIES[forgery][1](robin, tmp_path)
    words = "Sam wants gin" if "Sam wants gin" in segment(robin).read_text() else "Sam wants tea"
    HINTS[hint](robin)

    it = desk.opens(robin, LATER)
    assert words not in heard(robin, desk)
    assert f"journal {name[-8:]} is not the one that this machine wrote" in it.boot().text
    assert all(one.src == f"other:{name}" for one in it.journal.list())
    try:
        it.event("note", "and on")
    except AgentwsError:
        it.journal.renew()
    it.journal.seal()
    assert words not in heard(robin, desk), "a new journal makes nobody trust the old one"

    agents = desk.opens(robin, LATER)
    agents.stores.environment.by_agent = True
    with pytest.raises(NeedsYouError, match="Only a person"):
        agents.identity.take_over()
    assert words not in heard(robin, desk)

    desk.opens(robin, LATER).identity.take_over()
    assert words in heard(robin, desk)
