"""Builds agentws/vocabulary/o200k_base.bin and NOTICE from the published rank file.

    python tools/build_o200k.py o200k_base.tiktoken      a rank file
    python tools/build_o200k.py litellm-1.109.1-….whl    an archive that holds one: pip download --no-deps litellm

The same source always makes the same bytes. Needs tiktoken (a development dependency): the Unicode classes are asked of
its own regular expressions, one code point at a time, so that they are of the Unicode version that OpenAI counts with.

The table, all numbers little-endian:

    0        16 bytes  magic, with the version of this layout
    16       5 × u32   size of the file, tokens, seed of the CRC, bits of a slot's fingerprint, blocks of shapes
    36       12 bytes  Unicode version, padded with zeros
    48       32 bytes  SHA-256 of the rank file
    128      65,536 bytes        displacement of each bucket
             2^18 × u32          slots: rank << 14 | fingerprint
             (tokens + 1) × u32  where each token starts, by rank
             4,352 bytes         which block of shapes each 256 code points use
             blocks × 256 bytes  shapes, see `shape`
             the rest            the tokens, by rank

A token's CRC-32 says where it is: its low 16 bits are the bucket, its high 18 bits XOR the bucket's displacement are
the slot, and its low 14 bits must equal the slot's fingerprint. So a lookup is two reads, and most misses are known
without comparing bytes.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from array import array
from binascii import crc32
from pathlib import Path

import tiktoken

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "agentws" / "vocabulary" / "o200k_base.bin"
NOTICE = ROOT / "NOTICE"

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
MAGIC = b"agentws o200k 1\n"
HEADER_BYTES = 128
BUCKETS = 1 << 16
SLOTS = 1 << 18
FINGERPRINT_BITS = 14
CODE_POINTS = 0x110000
UNICODE_VERSIONS = ("17.0", "16.0", "15.1", "15.0", "14.0")


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        sys.exit(__doc__)
    source = find_source(Path(arguments[0]))
    tokens = read_tokens(source)
    table = build(tokens)
    verify(table, tokens)
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_bytes(table)
    NOTICE.write_text(notice(), encoding="utf-8")
    print(f"{TABLE.relative_to(ROOT)}: {len(table):,} bytes, {len(tokens):,} tokens, Unicode {unicode_version()}")
    print(f"sha256 {hashlib.sha256(table).hexdigest()}")


def find_source(path: Path) -> bytes:
    """The rank file at `path`, or inside the archive at `path`; exits where it is not the published one."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if 3_500_000 < entry.file_size < 3_700_000 and is_published(content := archive.read(entry)):
                    return content
        sys.exit(f"{path} holds no file with SHA-256 {SHA256}.")
    content = path.read_bytes()
    if not is_published(content):
        sys.exit(f"{path} is not the published rank file: its SHA-256 is not {SHA256}.")
    return content


def is_published(content: bytes) -> bool:
    return hashlib.sha256(content).hexdigest() == SHA256


def read_tokens(source: bytes) -> list[bytes]:
    """Every token, at the place of its rank."""
    pairs = [line.split() for line in source.splitlines()]
    if [int(rank) for _, rank in pairs] != list(range(len(pairs))):
        sys.exit("The ranks are not 0, 1, 2, …")
    return [base64.b64decode(token) for token, _ in pairs]


def build(tokens: list[bytes]) -> bytes:
    seed = next(seed for seed in range(10_000) if len({crc32(token, seed) for token in tokens}) == len(tokens))
    displacements, slots = place([crc32(token, seed) for token in tokens])
    starts = array("I", [0])
    for token in tokens:
        starts.append(starts[-1] + len(token))
    directory, blocks = fold(shapes())
    body = b"".join(
        (displacements, little(slots), little(starts), directory, *blocks, *tokens),
    )
    size = HEADER_BYTES + len(body)
    numbers = little(array("I", (size, len(tokens), seed, FINGERPRINT_BITS, len(blocks))))
    header = MAGIC + numbers + unicode_version().encode().ljust(12, b"\0") + bytes.fromhex(SHA256)
    return header.ljust(HEADER_BYTES, b"\0") + body


def place(hashes: list[int]) -> tuple[bytes, array[int]]:
    """A displacement for each bucket, so that all tokens come to lie in slots of their own: full buckets first."""
    buckets: dict[int, list[int]] = {}
    for rank, digest in enumerate(hashes):
        buckets.setdefault(digest & BUCKETS - 1, []).append(rank)
    # An empty slot holds rank 0 with fingerprint 0: what is looked up there is compared with token 0, and differs.
    slots, taken = array("I", bytes(4 * SLOTS)), bytearray(SLOTS)
    displacements = bytearray(BUCKETS)
    for bucket, ranks in sorted(buckets.items(), key=lambda item: (-len(item[1]), item[0])):
        places = [hashes[rank] >> FINGERPRINT_BITS for rank in ranks]
        shift = next(shift for shift in range(256) if not any(taken[place ^ shift] for place in places))
        displacements[bucket] = shift
        for rank, place in zip(ranks, places, strict=True):
            taken[place ^ shift] = 1
            slots[place ^ shift] = rank << FINGERPRINT_BITS | hashes[rank] & (1 << FINGERPRINT_BITS) - 1
    return bytes(displacements), slots


def little(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def shapes() -> bytes:
    """One byte for each code point: a Latin-1 character that o200k's pattern treats as it treats the code point.

    ASCII stands for itself. Elsewhere: `A` upper or title case, `a` lower case, `ª` letters without case, `º` marks,
    `0` numbers, tab for white space, `!` for the rest. U+017F is `s`: contractions ignore case, and it folds to `s`.
    """
    found = bytearray(b"!" * CODE_POINTS)
    classes = (("Lu", "A"), ("Lt", "A"), ("Ll", "a"), ("Lm", "ª"), ("Lo", "ª"), ("M", "º"), ("N", "0"))
    for pattern, shape in (*((rf"\p{{{name}}}", shape) for name, shape in classes), (r"\s", "\t")):
        for character in matching(pattern):
            found[ord(character)] = ord(shape)
    found[:128] = bytes(range(128))
    for letter in "strevmld":
        for character in matching(f"(?i:{letter})"):
            found[ord(character)] = ord(character if character.isascii() else letter)
    return bytes(found)


def matching(pattern: str) -> str:
    """Every character that `pattern` matches, in tiktoken's regular expressions."""
    single_bytes = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("probe", pat_str=pattern, mergeable_ranks=single_bytes, special_tokens={})
    every = "".join(chr(point) for point in range(CODE_POINTS) if not 0xD800 <= point < 0xE000)
    # Tokens are made of matches alone, so what is encoded is what was matched.
    return encoding.decode_bytes(encoding.encode_ordinary(every)).decode()


def unicode_version() -> str:
    """The newest Unicode version that tiktoken's regular expressions know."""
    for version in UNICODE_VERSIONS:
        try:
            if matching(rf"\p{{Age={version}}}"):
                return version
        except ValueError:
            continue
    sys.exit("tiktoken's regular expressions know no version of Unicode that this script knows.")


def fold(shapes: bytes) -> tuple[bytes, list[bytes]]:
    """The different blocks of 256 shapes, and which of them each block of code points uses."""
    numbers: dict[bytes, int] = {}
    directory = [numbers.setdefault(shapes[start : start + 256], len(numbers)) for start in range(0, len(shapes), 256)]
    return bytes(directory), list(numbers)


def verify(table: bytes, tokens: list[bytes]) -> None:
    """Look every token up, and what is near to tokens, with the code that ships."""
    from agentws.core.tokens.o200k import NO_TOKEN, O200k

    counter = O200k(table)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    for token, rank in ranks.items():
        for near in (token, token[:-1], token + b"!", token[1:], token[::-1]):
            if counter.rank(near) != ranks.get(near, NO_TOKEN):
                sys.exit(f"{near!r} has rank {ranks.get(near)}, and the table says {counter.rank(near)}.")
        if counter.token(rank) != token:
            sys.exit(f"Rank {rank} is {token!r}, and the table says {counter.token(rank)!r}.")


def notice() -> str:
    return f"""\
agentws ships data made by others.

agentws/vocabulary/o200k_base.bin
    A rearrangement, made by tools/build_o200k.py, of the vocabulary o200k_base that OpenAI publishes for its library
    tiktoken (https://github.com/openai/tiktoken) at
    https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken
    SHA-256 of the published file: {SHA256}
    tiktoken names this file and this digest in its source. We found no separate licence for the file; tiktoken itself
    is under the MIT licence, which follows. We read the file out of the wheel of litellm, which carries a copy of it
    (litellm/litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790).
    The classes of characters in the same table come from the Unicode Character Database, version {unicode_version()},
    under the Unicode License v3, which follows too, as tiktoken's regular expressions apply it.

    MIT License

    Copyright (c) 2022 OpenAI, Shantanu Jain

    Permission is hereby granted, free of charge, to any person obtaining a copy
    of this software and associated documentation files (the "Software"), to deal
    in the Software without restriction, including without limitation the rights
    to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
    copies of the Software, and to permit persons to whom the Software is
    furnished to do so, subject to the following conditions:

    The above copyright notice and this permission notice shall be included in all
    copies or substantial portions of the Software.

    THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
    IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
    FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
    AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
    LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
    OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
    SOFTWARE.

    UNICODE LICENSE V3

    COPYRIGHT AND PERMISSION NOTICE

    Copyright © 1991-2024 Unicode, Inc.

    NOTICE TO USER: Carefully read the following legal agreement. BY
    DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
    SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
    TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
    DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.

    Permission is hereby granted, free of charge, to any person obtaining a
    copy of data files and any associated documentation (the "Data Files") or
    software and any associated documentation (the "Software") to deal in the
    Data Files or Software without restriction, including without limitation
    the rights to use, copy, modify, merge, publish, distribute, and/or sell
    copies of the Data Files or Software, and to permit persons to whom the
    Data Files or Software are furnished to do so, provided that either (a)
    this copyright and permission notice appear with all copies of the Data
    Files or Software, or (b) this copyright and permission notice appear in
    associated Documentation.

    THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
    KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
    MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
    THIRD PARTY RIGHTS.

    IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE
    BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES,
    OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
    WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
    ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA
    FILES OR SOFTWARE.

    Except as contained in this notice, the name of a copyright holder shall
    not be used in advertising or otherwise to promote the sale, use or other
    dealings in these Data Files or Software without prior written
    authorization of the copyright holder.
"""


if __name__ == "__main__":
    main(sys.argv[1:])
