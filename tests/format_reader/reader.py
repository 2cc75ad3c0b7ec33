"""An independent reader of the journal: the standard library and docs/format/journal.md, nothing of agentws."""

import contextlib
import hashlib
import json
import pathlib
import subprocess
import tempfile
import zlib


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def verify(root, agent):
    """(events by writer, what is wrong) of the journal of a workspace."""
    root = pathlib.Path(root)
    events, wrong, purges, purged, bases, retired = {}, [], {}, [], {}, []
    for folder in sorted(path for path in root.glob("journal/*") if path.is_dir()):
        seq, prev, hashes, found = 0, sha256(f"agentws-genesis-1 {agent} {folder.name}\n".encode()), {}, []
        paths = [*folder.glob("packed/*.jsonl.gz"), *folder.glob("*.jsonl")]
        segments = {int(path.name.partition(".")[0]): path for path in paths}
        sealed, orders = 0, []
        for number, (stem, segment) in enumerate(sorted(segments.items()), min(segments, default=1)):
            lines = stored(segment).split(b"\n")
            if number > 1 and number == min(segments):
                first = json.loads(lines[0])
                seq, prev = first["seq"] - 1, first["prev"]
                hashes, bases[folder.name] = {seq: prev}, (number - 1, seq, prev)
            if lines.pop() and stem != max(segments):
                wrong.append(f"{segment.name}:{len(lines) + 1} is cut")
            if stem != number:
                wrong.append(f"{segment.name} follows on segment {number - 1}")
            for index, line in enumerate(lines, 1):
                where = f"{segment.name}:{index}"
                try:
                    header, _, tail = line.partition(b',"salt":')
                    tail, event = b'"salt":' + tail[:-1], json.loads(line)
                    body, told = event["body"], json.loads(header + b"}")
                    assert [line.isascii(), len(line) < 65536, told["agentws"]] == [1, 1, 1], "no line of format 1"
                    assert told["seq"] == seq + 1, "not the number that is due"
                    assert told["prev"] == prev, "does not follow"
                    if event["salt"] is None:
                        assert tail == b'"salt":null,"body":null,"purged":"%b"' % event["purged"].encode(), "not purged"
                        purged.append((where, event["purged"], folder.name, told["seq"], told["digest"]))
                    else:
                        assert told["digest"] == sha256(tail), "not the body that was written"
                    if index == 1:
                        assert told["kind"] == "segment.opened", "does not open the segment"
                        named = body["agent"], body["writer"], body["number"]
                        assert named == (agent, folder.name, number), "another's"
                    if told["kind"] == "purged":
                        purges[told["id"]] = (body["writer"], body["seq"], body["digest"])
                    if body and "blob" in body:
                        content = (folder / "blobs" / body["blob"]).read_bytes()
                        assert (sha256(content), len(content)) == (body["blob"], body["size"]), "not the blob"
                        event["body"] = json.loads(content)
                    if told["kind"] == "segments.retired":
                        orders.append((told["seq"], body))
                    if told["kind"] == "seal" and body["seq"] >= min(hashes):
                        assert hashes.get(body["seq"]) == body["hash"], "seals another line"
                        words = f"agentws-seal-1 {agent} {folder.name} {body['seq']} {body['hash']}\n"
                        assert signed(root, folder.name, words, body["signature"]), "no good signature"
                        sealed = body["seq"]
                except (AssertionError, ValueError, KeyError, TypeError, OSError) as error:
                    wrong.append(f"{where}: {error}")
                seq, prev = seq + 1, sha256(header)
                hashes[seq] = prev
                found.append(event)
        events[folder.name] = found
        retired += [body for at, body in orders if at <= sealed]
    for writer, (number, *base) in bases.items():
        orders = [body for body in retired if body["writer"] == writer and type(body["through"]) is int]
        good = [one for one in orders if one["through"] > number or [one["seq"], one["hash"]] == base]
        if not any(one["through"] >= number for one in good):
            wrong.append(f"{writer}: segments 1 to {number} are missing")
    later = [json.loads(line) for path in root.glob("journal/purges.jsonl") for line in path.read_bytes().splitlines()]
    for one in later:  # ordered by an event that this copy does not reach
        if one["at"] > max((event["seq"] for event in events.get(one["by"], [])), default=0):
            purges.setdefault(one["id"], (one["writer"], one["seq"], one["digest"]))
    return events, wrong + [where for where, name, *line in purged if purges.get(name) != tuple(line)]


def stored(path):
    if path.suffix != ".gz":
        return path.read_bytes()
    stream = zlib.decompressobj(31)
    with contextlib.suppress(zlib.error):
        data = stream.decompress(path.read_bytes(), 1 << 21)
    return data if stream.eof and not stream.unused_data else b"not one whole gzip"


def signed(root, writer, words, signature):
    with tempfile.NamedTemporaryFile("w") as file:
        print(signature, end="", file=file, flush=True)
        command = ["ssh-keygen", "-Y", "verify", "-f", root / "identity/allowed_signers", "-I", writer, "-n", "agentws"]
        return subprocess.run([*command, "-s", file.name], input=words.encode(), capture_output=True).returncode == 0
