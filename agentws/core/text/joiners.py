"""Invisible characters with a use: joiners in words, variation selectors, flags and emoji.

Loaded only if a text has such a character. Only the visible characters beside it decide, and another invisible one only
within an emoji: so the result is the same after other characters were made visible.
"""

from __future__ import annotations

import unicodedata

_ZWSP, _ZWNJ, _ZWJ, _CGJ, _TEXT, _EMOJI = "\u200b", "\u200c", "\u200d", "\u034f", "\ufe0e", "\ufe0f"
_VIRAMA = 9
_LONGEST = 12
"""No sequence of emoji has more characters on one side of a joiner."""
_SHIFTERS = "\u17c9\u17ca"

Ranges = tuple[tuple[int, int], ...]

_CURSIVE: Ranges = (
    *((0x0620, 0x064A), (0x066E, 0x06D5), (0x06EE, 0x06FF), (0x0710, 0x077F), (0x07CA, 0x07EA), (0x0840, 0x0858)),
    *((0x0860, 0x08C9), (0x1807, 0x18AA), (0xA840, 0xA872), (0x10AC0, 0x10AEF), (0x10D00, 0x10D23), (0x1E900, 0x1E943)),
)
"""Letters that join each other: Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa, Manichaean, Rohingya, Adlam."""
_UNSPACED: Ranges = (
    *((0x0E01, 0x0EDF), (0x1000, 0x109F), (0x1780, 0x17E9), (0x1950, 0x19DF), (0x1A20, 0x1AAD)),
    *((0xA9E0, 0xA9FE), (0xAA60, 0xAADF)),
)
"""Thai, Lao, Myanmar, Khmer, Tai: a space of no width says where a line may break."""
_MONGOLIAN: Ranges = ((0x1807, 0x18AA),)
_IDEOGRAPHS: Ranges = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_HEBREW_POINTS: Ranges = ((0x0591, 0x05C7),)
_VOWELS: Ranges = ((0x1161, 0x11A7), (0xD7B0, 0xD7C6))
_LEADS: Ranges = ((0x1100, 0x115E), (0xA960, 0xA97C))
_PICTOGRAPHS: Ranges = (
    *((0x23, 0x23), (0x2A, 0x2A), (0x30, 0x39), (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049)),
    *((0x2122, 0x2122), (0x2139, 0x2139), (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328)),
    *((0x23CF, 0x23CF), (0x23E9, 0x23F3), (0x23F8, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6)),
    *((0x25C0, 0x25C0), (0x25FB, 0x25FE), (0x2600, 0x2604), (0x260E, 0x260E), (0x2611, 0x2611), (0x2614, 0x2615)),
    *((0x2618, 0x2618), (0x261D, 0x261D), (0x2620, 0x2620), (0x2622, 0x2623), (0x2626, 0x2626), (0x262A, 0x262A)),
    *((0x262E, 0x262F), (0x2638, 0x263A), (0x2640, 0x2640), (0x2642, 0x2642), (0x2648, 0x2653), (0x265F, 0x2660)),
    *((0x2663, 0x2663), (0x2665, 0x2666), (0x2668, 0x2668), (0x267B, 0x267B), (0x267E, 0x267F), (0x2692, 0x2697)),
    *((0x2699, 0x2699), (0x269B, 0x269C), (0x26A0, 0x26A1), (0x26A7, 0x26A7), (0x26AA, 0x26AB), (0x26B0, 0x26B1)),
    *((0x26BD, 0x26BE), (0x26C4, 0x26C5), (0x26C8, 0x26C8), (0x26CE, 0x26CF), (0x26D1, 0x26D1), (0x26D3, 0x26D4)),
    *((0x26E9, 0x26EA), (0x26F0, 0x26F5), (0x26F7, 0x26FA), (0x26FD, 0x26FD), (0x2702, 0x2702), (0x2705, 0x2705)),
    *((0x2708, 0x270D), (0x270F, 0x270F), (0x2712, 0x2712), (0x2714, 0x2714), (0x2716, 0x2716), (0x271D, 0x271D)),
    *((0x2721, 0x2721), (0x2728, 0x2728), (0x2733, 0x2734), (0x2744, 0x2744), (0x2747, 0x2747), (0x274C, 0x274C)),
    *((0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757), (0x2763, 0x2764), (0x2795, 0x2797), (0x27A1, 0x27A1)),
    *((0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50)),
    *((0x2B55, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1F3FA)),
    *((0x1F400, 0x1FAFF),),
)
_SELECTED: tuple[tuple[int, str, Ranges], ...] = (
    (1, "0∩∪≨≩≲≳⊊⊋⊓⊔⊕⊗⊜⋚⋛⨼⨽⪝⪬⪭⫋⫌", ((0x1000, 0x1080), (0xAA60, 0xAA7F), (0xA840, 0xA877), (0x10AC0, 0x10AEF))),
    (2, "、。！，．：；？‘’“”ℬℰℱℋℐℒℳℛ", ((0x1D49C, 0x1D4B5),)),
    (3, "", _IDEOGRAPHS),
    (7, "", ((0x13000, 0x1345F),)),
)
"""Bases with standardized variants, and the highest selector that they have."""
_HIGHEST_IDEOGRAPHIC = 0xE0130
"""No ideograph has more than some fifty registered variants."""
_FLAG, _CANCEL = "\U0001f3f4", "\U000e007f"
_REGIONS = ("gbeng", "gbsct", "gbwls")

_PEOPLE, _CHILDREN = "🧑👨👩", "👦👧🧒"
_ROLES = "⚕⚖✈🌾🍳🍼🎓🎤🎨🏫🏭💻💼🔧🔬🚀🚒🦯🦼🦽🎄🦰🦱🦲🦳🩰"
_ACTIVE = "⛹🏃🏄🏊🏋🏌👮👯👰👱👳👷💁💂💆💇🕵🙅🙆🙇🙋🙍🙎🚣🚴🚵🚶🤦🤵🤷🤸🤹🤼🤽🤾🦸🦹🧍🧎🧏🧔🧖🧗🧘🧙🧚🧛🧜🧝🧞🧟"
_SEXES, _RIGHT = "♀♂", "➡"
_FACING = "🏃🚶🧎"
_BETWEEN = ("❤", "❤💋", "🤝", "🐰", "🫯")
_OTHERS = frozenset((
    *("🏳🌈", "🏳⚧", "🏴☠", "🐕🦺", "🐈⬛", "🐻❄", "🐦⬛", "🐦🔥", "🍋🟩", "🍄🟫", "👁🗨", "😮💨", "😵💫", "😶🌫"),
    *("🙂↔", "🙂↕", "❤🔥", "❤🩹", "⛓💥", "🫱🫲"),
))  # fmt: skip


def useful(text: str, at: int) -> bool:
    """Return whether the invisible character at this place of `text` has a use that Unicode describes."""
    char = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if char == _ZWJ:
        return _joins(text, at, before, after) or _is_emoji(text, at)
    if char == _ZWNJ:
        return _parts(text, at, before, after)
    if char == _ZWSP:
        return _is_in(before, _UNSPACED) and _is_in(after, _UNSPACED)
    if char in (_TEXT, _EMOJI):
        return _is_in(before, _PICTOGRAPHS)
    if "\ufe00" <= char <= "\ufe0d":
        return _is_variant(before, ord(char) - 0xFE00 + 1)
    if char >= "\U000e0100":
        return ord(char) <= _HIGHEST_IDEOGRAPHIC and _is_in(before, _IDEOGRAPHS)
    if char >= "\U000e0020":
        return _is_flag(text, at)
    if "\u180b" <= char <= "\u180f":
        return _is_behind_mongolian(text, at) and (char != "\u180e" or _is_in(after, _MONGOLIAN))
    if char == _CGJ:
        return _is_in(before, _HEBREW_POINTS) and _is_in(after, _HEBREW_POINTS)
    return (char == "\u115f" and _is_in(after, _VOWELS)) or (char == "\u1160" and _is_in(before, _LEADS))


def _is_behind_mongolian(text: str, at: int) -> bool:
    """Return whether a letter of Mongolian comes before this place, with a few selectors between."""
    before = text[max(at - 4, 0) : at].rstrip("\u180b\u180c\u180d\u180e\u180f")
    return _is_in(before[-1:], _MONGOLIAN)


def _is_in(char: str, ranges: Ranges) -> bool:
    return bool(char) and any(low <= ord(char) <= high for low, high in ranges)


def _is_virama(char: str) -> bool:
    return bool(char) and unicodedata.combining(char) == _VIRAMA


def _joins(text: str, at: int, before: str, after: str) -> bool:
    """RFC 5892, A.2: behind a virama. Also before one, as Bengali and Kannada write, and behind a letter that joins."""
    if _is_virama(before) or (_is_virama(after) and before.isalpha()):
        return True
    return _is_in(_letter(text, at, -1), _CURSIVE) and not _is_mark(after)


def _parts(text: str, at: int, before: str, after: str) -> bool:
    """RFC 5892, A.1: behind a virama, or between letters that join; Persian is typed so behind any letter.

    In Khmer also beside the marks that change a register.
    """
    if _is_virama(before):
        return True
    if _is_in(before, _UNSPACED) and _is_in(after, _UNSPACED):
        return before in _SHIFTERS or after in _SHIFTERS
    return _is_in(_letter(text, at, -1), _CURSIVE) and _is_in(_letter(text, at, 1), _CURSIVE)


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char) in ("Mn", "Me")


def _letter(text: str, at: int, step: int) -> str:
    """The next character in this direction that is no visible mark, of a few."""
    for place in range(at + step, at + 5 * step, step):
        char = text[place] if 0 <= place < len(text) else ""
        if not _is_mark(char) or "\ufe00" <= char <= "\ufe0f" or char == _CGJ or char >= "\U000e0000":
            return char
    return ""


def _is_variant(base: str, selector: int) -> bool:
    return bool(base) and any(
        selector <= most and (base in bases or _is_in(base, ranges)) for most, bases, ranges in _SELECTED
    )


def _is_flag(text: str, at: int) -> bool:
    """Return whether a tag belongs to the flag of England, Scotland or Wales."""
    start = text.rfind(_FLAG, max(0, at - 6), at)
    named = [_FLAG + "".join(chr(0xE0000 + ord(char)) for char in region) + _CANCEL for region in _REGIONS]
    return start >= 0 and text[start : start + 7] in named


def _is_emoji(text: str, at: int) -> bool:
    """Return whether a joiner belongs to a sequence of emoji that is recommended for interchange."""
    first, last = _reach(text, at, -1), _reach(text, at, 1)
    if first < 0 or last < 0:
        return False
    parts = text[first:last].replace(_EMOJI, "").split(_ZWJ)
    bases = [part[:1] for part in parts if len(part) == 1 or (len(part) == 2 and _is_tone(part[1]))]
    return len(bases) == len(parts) > 1 and _is_sequence("".join(bases))


def _is_tone(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _reach(text: str, at: int, step: int) -> int:
    """How far a chain of pictographs and joiners goes in one direction: its first place, or the one behind its last.

    -1 where none stands beside the joiner, or too many do.
    """
    place = at
    while abs(place - at) < _LONGEST:
        end = place
        if step > 0:
            end += 1
            if not _is_in(text[end : end + 1], _PICTOGRAPHS):
                break
            end += 1
            end += _is_tone(text[end : end + 1])
            end += text[end : end + 1] == _EMOJI
            if text[end : end + 1] != _ZWJ:
                return end
        else:
            end -= text[max(0, end - 1) : end] == _EMOJI
            end -= _is_tone(text[max(0, end - 1) : end])
            if not _is_in(text[max(0, end - 1) : end], _PICTOGRAPHS):
                break
            end -= 1
            if text[max(0, end - 1) : end] != _ZWJ:
                return end
            end -= 1
        place = end
    return -1


def _is_sequence(bases: str) -> bool:
    """Return whether these pictographs, joined, are one of the recommended sequences, tones and selectors aside."""
    first, rest = bases[0], bases[1:]
    if bases in _OTHERS:
        return True
    if first in _ACTIVE:
        return rest in (*_SEXES, _RIGHT, *(sex + _RIGHT for sex in _SEXES)) and (_RIGHT not in rest or first in _FACING)
    if first not in _PEOPLE:
        return False
    if (len(rest) == 1 and rest in _ROLES) or (len(rest) == 2 and rest[0] in "🦯🦼🦽" and rest[1] == _RIGHT):
        return True
    if rest[-1] in _PEOPLE and rest[:-1] in _BETWEEN:
        return True
    parents = len(bases) - len(bases.lstrip(_PEOPLE))
    children = bases[parents:]
    return parents <= 2 and 1 <= len(children) <= 2 and not children.strip(_CHILDREN)
