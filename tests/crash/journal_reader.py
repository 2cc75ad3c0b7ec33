"""A reader of journals that shares nothing with ours, written from docs/format/journal.md: it judges what we write."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """An event as it stands there."""

    writer: str
    seq: int
    kind: str
    session: str | None
    body: dict[str, Any]
    digest: str


def events(root: str, writer: str | None = None) -> list[Line]:
    """All events of all writers (or of one), each writer's in order; AssertionError where a chain is not intact."""
    agent = agent_of(root)
    folder = f"{root}/journal"
    names = sorted(name for name in os.listdir(folder) if re.fullmatch("[0-9a-f]{16}", name))
    return [line for name in names if writer in (None, name) for line in _of_writer(f"{folder}/{name}", agent, name)]


def agent_of(root: str) -> str:
    """The agent's id."""
    with open(f"{root}/agentws.toml", encoding="utf-8") as file:
        found: str = re.findall(r'^id = "([^"]+)"', file.read(), re.MULTILINE)[0]
    return found


def hashes(root: str, writer: str) -> list[str]:
    """The hash of each event of a writer, in order."""
    found = []
    folder = f"{root}/journal/{writer}"
    for path in _segments(folder).values():
        lines = _stored(path).split(b"\n")[:-1]
        found += [hashlib.sha256(line.partition(b',"salt":')[0]).hexdigest() for line in lines]
    return found


def _of_writer(folder: str, agent: str, writer: str) -> list[Line]:
    found: list[Line] = []
    prev = hashlib.sha256(f"agentws-genesis-1 {agent} {writer}\n".encode()).hexdigest()
    segments = _segments(folder)
    first = min((int(name[:-6]) for name in segments), default=1)
    assert [*segments] == [f"{number:06d}.jsonl" for number in range(first, first + len(segments))], segments
    before = 0
    for number, (name, path) in enumerate(segments.items(), first):
        *lines, rest = _stored(path).split(b"\n")
        if 1 < number == first:  # what was before it was retired
            told = json.loads(lines[0])
            before, prev = told["seq"] - 1, told["prev"]
        assert rest == b"", f"{name}: its last line is cut short"
        assert lines, f"{name}: empty"
        for place, line in enumerate(lines, 1):
            where = f"{name}:{place}"
            prev, event = _line(line, before + len(found) + 1, prev, folder, writer, where)
            found.append(event)
            if place == 1:
                assert event.kind == "segment.opened", where
                told = (event.body["agent"], event.body["writer"], event.body["number"])
                assert told == (agent, writer, number), where
            else:
                assert event.kind != "segment.opened", where
    orders = [event.body for event in found if event.kind == "segments.retired"]
    assert first == 1 or any(order["through"] >= first - 1 for order in orders), f"{writer}: its beginning is gone"
    return found


def _segments(folder: str) -> dict[str, str]:
    """The paths of the segments by their names, in order; a plain one goes before its compressed form."""
    packed = os.listdir(f"{folder}/packed") if os.path.isdir(f"{folder}/packed") else []
    found = {name[:-3]: f"{folder}/packed/{name}" for name in packed if re.fullmatch(r"\d{6,}\.jsonl\.gz", name)}
    found |= {name: f"{folder}/{name}" for name in os.listdir(folder) if re.fullmatch(r"\d{6,}\.jsonl", name)}
    return dict(sorted(found.items()))


def _stored(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if path.endswith(".gz") else data


def _line(line: bytes, seq: int, prev: str, folder: str, writer: str, where: str) -> tuple[str, Line]:
    assert len(line) < 65_536, f"{where}: too long"
    assert line.isascii(), where
    header, mark, tail = line.partition(b',"salt":')
    assert mark, f"{where}: no event: {line[:80]!r}"
    assert line.endswith(b"}"), where
    tail = b'"salt":' + tail[:-1]
    try:
        fields, whole = json.loads(header.decode("ascii") + "}"), json.loads(line.decode("ascii"))
    except ValueError as error:
        raise AssertionError(f"{where}: no JSON: {line[:80]!r}") from error
    assert list(fields)[-1] == "digest", where
    assert fields["agentws"] == 1, where
    assert fields["seq"] == seq, f"{where}: number {fields['seq']} where {seq} is due"
    assert fields["prev"] == prev, f"{where}: it does not follow the line before"
    body = whole["body"]
    if body is None:
        assert tail == b'"salt":null,"body":null,"purged":"%s"' % whole["purged"].encode(), where
        body = {"purged": whole["purged"]}
    else:
        assert hashlib.sha256(tail).hexdigest() == fields["digest"], f"{where}: another body"
    if "blob" in body:
        path = f"{folder}/blobs/{body['blob']}"
        assert os.path.exists(path), f"{where}: its blob is gone"
        with open(path, "rb") as file:
            content = file.read()
        assert hashlib.sha256(content).hexdigest() == body["blob"], f"{where}: its blob is not whole"
        assert len(content) == body["size"], where
        body = json.loads(content)
    event = Line(writer, seq, fields["kind"], fields["session"], body, fields["digest"])
    return hashlib.sha256(header).hexdigest(), event


def raw_bodies(root: str) -> list[dict[str, Any]]:
    """The bodies of all whole lines that can be parsed, whoever wrote them: nothing is judged."""
    found = []
    for folder, _, names in os.walk(f"{root}/journal"):
        for name in sorted(name for name in names if re.fullmatch(r"\d{6,}\.jsonl(\.gz)?", name)):
            for line in _stored(f"{folder}/{name}").split(b"\n")[:-1]:
                try:
                    found.append(_unfolded(folder, json.loads(line.decode("ascii"))["body"] or {}))
                except ValueError:
                    continue
    return found


def _unfolded(folder: str, body: dict[str, Any]) -> dict[str, Any]:
    if "blob" not in body:
        return body
    with open(f"{folder}/blobs/{body['blob']}", "rb") as file:
        unfolded: dict[str, Any] = json.loads(file.read())
    return unfolded
