"""An independent reader of the journal: the standard library and docs/format/journal.md, nothing of agentws."""

import hashlib
import json
import pathlib
import subprocess
import tempfile


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def verify(root, agent):
    """(events by writer, what is wrong) of the journal of a workspace."""
    root = pathlib.Path(root)
    events, wrong, purges, purged = {}, [], {}, []
    for folder in sorted(path for path in root.glob("journal/*") if path.is_dir()):
        seq, prev, hashes, found = 0, sha256(f"agentws-genesis-1 {agent} {folder.name}\n".encode()), {}, []
        segments = sorted(folder.glob("*.jsonl"), key=lambda path: int(path.stem))
        for number, segment in enumerate(segments, 1):
            lines = segment.read_bytes().split(b"\n")
            if lines.pop() and segment != segments[-1]:
                wrong.append(f"{segment.name}:{len(lines) + 1} is cut")
            if int(segment.stem) != number:
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
                    if told["kind"] == "seal":
                        assert hashes.get(body["seq"]) == body["hash"], "seals another line"
                        words = f"agentws-seal-1 {agent} {folder.name} {body['seq']} {body['hash']}\n"
                        assert signed(root, folder.name, words, body["signature"]), "no good signature"
                except (AssertionError, ValueError, KeyError, TypeError, OSError) as error:
                    wrong.append(f"{where}: {error}")
                seq, prev = seq + 1, sha256(header)
                hashes[seq] = prev
                found.append(event)
        events[folder.name] = found
    return events, wrong + [where for where, name, *line in purged if purges.get(name) != tuple(line)]


def signed(root, writer, words, signature):
    with tempfile.NamedTemporaryFile("w") as file:
        print(signature, end="", file=file, flush=True)
        command = ["ssh-keygen", "-Y", "verify", "-f", root / "identity/allowed_signers", "-I", writer, "-n", "agentws"]
        return subprocess.run([*command, "-s", file.name], input=words.encode(), capture_output=True).returncode == 0
