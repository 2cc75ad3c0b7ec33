"""Upper bounds for tokenizers that are not public: Claude's, Gemini's."""

from __future__ import annotations

from agentws.core.tokens.o200k import Remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.tokens.o200k import O200k

FACTORS = {"claude": (3, 1), "gemini": (2, 1)}
"""Tokenizers that are bounded: name → factor, as numerator and denominator. See `Bound`."""


class Bound:
    """An upper bound for a tokenizer that is not public, computed from the pieces of o200k.

    A word in ASCII letters costs `factor` times its tokens in o200k, and never more than its bytes. Every other piece
    (digits, punctuation, white space, all other scripts) costs its bytes, for there we are unsure: Gemini spends a
    token on each digit, Claude 4.7 one on each six dashes. Counts add up where those of o200k do.

    **A declared bound is no proof.** What the factors rest on, in November 2026: 60 daily logs of real agents, and
    files of Python, JavaScript and JSON, whole (89), twelve lines at a time (314) and line by line (2,931); 28
    vocabularies of 15 scripts, where each word is one token of o200k; and 26 texts made to be hard.

    `claude`, 3: Anthropic counts by a service alone. We asked `ctok` 1.3, an unofficial reconstruction. Claude 3 to
    Opus 4.6 took 1.1 to 1.3 times the tokens of o200k in those files, Opus 4.7 and later 1.4 to 1.85 times. The bound
    held for every file and every twelve lines (at most 0.89 of it was used; for Markdown it is 1.45 times the truth).
    It was passed by 9 single lines (by up to 31 %), by English words drawn from o200k's own tokens (by 8 %), and by
    `aaaa…` (by 167 %: a token a letter).

    `gemini`, 2: Google's own libraries count for Gemini with Gemma's vocabulary. With one of 256,000 tokens, which a
    third party had repackaged, it held for every text, single lines included (for Markdown it is 1.75 times the truth);
    the vocabulary of Gemma 3 has 262,144 tokens, and was not measured.

    Bytes bound every tokenizer that works on bytes as they are. The reconstruction says that Claude composes characters
    first (NFC), so that a few rare ones, like U+0344 or U+1D160, can cost up to three times their bytes.
    """

    exact = False
    trust = "a declared bound"

    def __init__(self, name: str, over: O200k, *, factor: tuple[int, int]) -> None:
        self.name = name
        self.numerator, self.units_per_token = factor
        self._over = over
        self._costs = Remembered(self._cost)

    def units(self, text: str) -> int:
        """Return an upper bound of the tokens of `text`, in units."""
        return sum(map(self._costs.__getitem__, self._over.pieces(text)))

    def _cost(self, piece: str) -> int:
        size_bytes = len(piece.encode()) * self.units_per_token
        # Only a word ends with a letter.
        if piece.isascii() and piece[-1].isalpha():
            return min(self._over.units(piece) * self.numerator, size_bytes)
        return size_bytes
