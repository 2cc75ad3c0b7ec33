"""Exact token counts of OpenAI's o200k_base, from a table.

A text is cut into pieces by a pattern, and each piece into tokens by merging: of all neighbours that make a token
together, those of the lowest rank join first, the leftmost first, until none do.

**Counts add up at line starts.** `units(a + b) == units(a) + units(b)` where `a` ends with a line feed or a carriage
return, `b` does not begin with `/`, and the white space that `b` begins with, if any, holds neither of the two. For a
piece that holds a line end is white space up to the last line end of its run, or punctuation with the line ends and
slashes that follow: only one more line end, or a slash, could be drawn into it.

Elsewhere a text may cost *more* than its parts: notes cut anywhere 1 time in 500, by one token; two words that are run
together 1 time in 7, by up to five; and digits other than ASCII without limit, when another first digit regroups them.
"""

from __future__ import annotations

from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NO_TOKEN = 1 << 20
"""Rank of bytes that are not a token; greater than all ranks."""

_HEADER_BYTES = 128
_BUCKETS = 1 << 16
_SLOTS = 1 << 18
_DIRECTORY_BYTES = 0x110000 >> 8
_LONGEST_TOKEN_BYTES = 128
_LONG_PIECE_BYTES = 256
"""From here on a heap finds the next merge faster than looking at all neighbours does."""
_REMEMBERED = 1 << 16
"""How much is remembered before all is forgotten: memory stays bounded, whatever is counted."""
_REMEMBERED_CHARS = 1 << 22

# OpenAI's pattern, over shapes: one Latin-1 character stands for each class of characters that the pattern tells apart
# (`shapes` in tools/build_o200k.py). So it is small, compiles fast, and is of one Unicode version on every Python.
# `ª` letters without case, `º` marks; `\s` would also match U+001C to U+001F here.
_START = r"[^\r\nA-Za-z0-9ª]?"
_SHORTENED = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
_PATTERN = "|".join(
    (
        rf"{_START}[A-Zªº]*[a-zªº]+{_SHORTENED}",
        rf"{_START}[A-Zªº]+[a-zªº]*{_SHORTENED}",
        r"[0-9]{1,3}",
        r" ?[^\t-\r A-Za-z0-9ª]+[\r\n/]*",
        r"[\t-\r ]*[\r\n]+",
        r"[\t-\r ]+(?![^\t-\r ])",
        r"[\t-\r ]+",
    )
)


class O200k:
    """Counts tokens as tiktoken's o200k_base: `len(encode_ordinary(text))`, for every text, on every machine.

    A surrogate pair counts as the character it means, and a lone surrogate as U+FFFD, as in tiktoken. On runs of white
    space so long that tiktoken fails (it overflows its stack), the count is what its rules give.
    """

    name = "o200k_base"
    exact = True
    trust = "exact"
    units_per_token = 1

    def __init__(self, table: bytes | memoryview) -> None:
        view = memoryview(table)
        size, seed, _, blocks = _numbers(view[20:36])
        slots = _HEADER_BYTES + _BUCKETS
        starts = slots + 4 * _SLOTS
        directory = starts + 4 * (size + 1)
        tokens = directory + _DIRECTORY_BYTES + 256 * blocks
        self.size = size
        """How many tokens the vocabulary has."""
        self._ranks = _Ranks(
            seed,
            displacements=view[_HEADER_BYTES:slots],
            slots=_numbers(view[slots:starts]),
            starts=_numbers(view[starts:directory]),
            tokens=view[tokens:],
        )
        self._counts = Remembered(self._count)
        self._shapes = _Shapes(view[directory:tokens])
        self._cut: Callable[[str], Iterator[object]] | None = None

    def units(self, text: str) -> int:
        """Return the o200k_base tokens of `text`."""
        return sum(map(self._counts.__getitem__, self.pieces(text)))

    def pieces(self, text: str) -> Iterator[str]:
        """Return the pieces of `text` within which o200k_base merges tokens; joined they are the text."""
        import re

        if self._cut is None:
            self._cut = re.compile(_PATTERN).finditer
        if text.isascii():
            return map(re.Match.group, self._cut(text))  # type: ignore[arg-type]
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        ends = map(re.Match.end, self._cut(text.translate(self._shapes)))  # type: ignore[arg-type]
        return _slices(text, ends)

    def rank(self, token: bytes) -> int:
        """Return the rank of `token` in o200k_base, NO_TOKEN if it is not in the vocabulary."""
        return self._ranks[token]

    def token(self, rank: int) -> bytes:
        """Return the token of `rank` in o200k_base, 0 ≤ rank < size."""
        return self._ranks.token(rank)

    def _count(self, piece: str) -> int:
        data = piece.encode()
        if self._ranks[data] != NO_TOKEN:
            return 1
        return self._merge(data) if len(data) < _LONG_PIECE_BYTES else self._merge_long(data)

    def _merge(self, data: bytes) -> int:
        ranks = self._ranks
        parts = [data[at : at + 1] for at in range(len(data))]
        pairs = [ranks[data[at : at + 2]] for at in range(len(data) - 1)]
        while pairs:
            lowest = min(pairs)
            if lowest == NO_TOKEN:
                break
            at = pairs.index(lowest)
            del pairs[at]
            parts[at] = joined = parts[at] + parts.pop(at + 1)
            if at:
                pairs[at - 1] = ranks[parts[at - 1] + joined]
            if at < len(pairs):
                pairs[at] = ranks[joined + parts[at + 1]]
        return len(parts)

    def _merge_long(self, data: bytes) -> int:
        """The same by a heap of (rank, place), in n log n; a part is known by the place where it starts."""
        from array import array
        from heapq import heapify, heappop, heappush

        ranks, size, count = self._ranks, len(data), len(data)
        after, before = array("q", range(1, size + 1)), array("q", range(-1, size - 1))
        # The rank of each part with the one after it: a place in the heap that says otherwise is out of date.
        pairs = [ranks[data[at : at + 2]] for at in range(size - 1)]
        pairs.append(NO_TOKEN)
        heap = [rank << 40 | at for at, rank in enumerate(pairs) if rank != NO_TOKEN]
        heapify(heap)
        while heap:
            lowest = heappop(heap)
            at = lowest & 0xFFFFFFFFFF
            if pairs[at] != lowest >> 40:
                continue
            second = after[at]
            end = after[second]
            count -= 1
            after[at] = end
            pairs[second] = NO_TOKEN
            rank = NO_TOKEN
            if end < size:
                before[end] = at
                rank = ranks[data[at : after[end]]]
                if rank != NO_TOKEN:
                    heappush(heap, rank << 40 | at)
            pairs[at] = rank
            first = before[at]
            if first >= 0:
                pairs[first] = rank = ranks[data[first:end]]
                if rank != NO_TOKEN:
                    heappush(heap, rank << 40 | first)
        return count


def _slices(text: str, ends: Iterator[int]) -> Iterator[str]:
    start = 0
    for end in ends:
        yield text[start:end]
        start = end


def _numbers(view: memoryview) -> memoryview:
    """The little-endian numbers of four bytes in `view`."""
    import sys

    if sys.byteorder == "little":
        return view.cast("I")
    from array import array

    numbers = array("I", view.tobytes())
    numbers.byteswap()
    return memoryview(numbers)


class _Ranks(dict[bytes, int]):
    """Token → rank, NO_TOKEN for all other bytes: looked up in the table once, then remembered."""

    __slots__ = ("_displacements", "_seed", "_slots", "_starts", "_tokens")

    def __init__(
        self, seed: int, *, displacements: memoryview, slots: memoryview, starts: memoryview, tokens: memoryview
    ) -> None:
        self._seed = seed
        self._displacements = displacements
        self._slots = slots
        self._starts = starts
        self._tokens = tokens

    def __missing__(self, token: bytes) -> int:
        if len(token) > _LONGEST_TOKEN_BYTES:
            return NO_TOKEN
        digest = crc32(token, self._seed)
        slot = self._slots[digest >> 14 ^ self._displacements[digest & 0xFFFF]]
        rank = NO_TOKEN if (slot ^ digest) & 0x3FFF or self.token(slot >> 14) != token else slot >> 14
        if len(self) >= _REMEMBERED:
            self.clear()
        self[token] = rank
        return rank

    def token(self, rank: int) -> bytes:
        return self._tokens[self._starts[rank] : self._starts[rank + 1]].tobytes()


class Remembered(dict[str, int]):
    """A cache of o200k_base ranks: the results of `find` by piece."""

    __slots__ = ("_chars", "_find")

    def __init__(self, find: Callable[[str], int]) -> None:
        self._find = find
        self._chars = 0

    def __missing__(self, piece: str) -> int:
        position = self._find(piece)
        self._chars += len(piece)
        if len(self) >= _REMEMBERED or self._chars > _REMEMBERED_CHARS:
            self.clear()
            self._chars = len(piece)
        self[piece] = position
        return position


class _Shapes(dict[int, int]):
    """Code point → code point of its shape: ASCII at once, the others as they are met."""

    __slots__ = ("_blocks", "_directory")

    def __init__(self, view: memoryview) -> None:
        super().__init__(zip(range(128), range(128), strict=True))
        self._directory, self._blocks = view[:_DIRECTORY_BYTES], view[_DIRECTORY_BYTES:]

    def __missing__(self, point: int) -> int:
        shape = self._blocks[self._directory[point >> 8] << 8 | point & 0xFF]
        if len(self) < _REMEMBERED:
            self[point] = shape
        return shape
