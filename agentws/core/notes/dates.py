"""Dates in a text, as ISO or with the names of months in twelve languages: the last one counts. Pure."""

from __future__ import annotations

from agentws.core.notes import vocabulary
from agentws.core.text.lazy import Pattern

_ISO = Pattern(r"(?<![\w-])(20\d\d-[01]\d-[0-3]\d)(?:(?!\w)|(?=T\d))")
_SIGNS = Pattern(r"(?<!\d)(\d{1,2} ?[月월] ?\d{1,2}) ?[日일]")
_NAMES = (
    "january jan januar enero janvier janeiro gennaio января январь يناير जनवरी",
    "february feb februar febrero février fevrier fevereiro febbraio февраля февраль فبراير फरवरी",
    "march mar märz maerz marzo mars março marco марта март مارس मार्च",
    "april apr abril avril aprile апреля апрель أبريل ابريل अप्रैल",
    "may mai mayo maio maggio мая май مايو मई",
    "june jun juni junio juin junho giugno июня июнь يونيو जून",
    "july jul juli julio juillet julho luglio июля июль يوليو जुलाई",
    "august aug agosto août aout августа август أغسطس اغسطس अगस्त",
    "september sep sept septiembre septembre setembro settembre сентября сентябрь سبتمبر सितंबर",
    "october oct oktober octubre octobre outubro ottobre октября октябрь أكتوبر اكتوبر अक्टूबर",
    "november nov noviembre novembre novembro ноября ноябрь نوفمبر नवंबर",
    "december dec dezember diciembre décembre decembre dezembro dicembre декабря декабрь ديسمبر दिसंबर",
)
_months: dict[str, int] = {}
_BETWEEN = ("de", "of", "do")
_AROUND = ".,;:!?()[]*_~\"'、，。"
_HALF_A_YEAR = 6
_JOINTS = "()-–—:|·,;&/"
_GLUE = {"": " ", ")": " ", "(": " (", ":": ": "}
"""What is between two parts of a title; other joints are between blanks."""
_FORMS = ("n", "md", "dm", "mdy", "dmy", "my", "ymd")
"""The parts of a date: day, month and year, or all in numbers."""
_LONGEST_FORM = 5
_YEAR_DIGITS, _DATE_DIGITS = 4, 6
_NUMERIC = "0123456789-/.年月日"


def of(text: str, *, day: str = "") -> str:
    """Return the last date in `text` that is not before `day` (ISO), empty if there is none: earlier ones are history.

    A date is an ISO date, or a day with the name of a month, in the year that is nearest to `day`.
    """
    names = _ISO.findall(text) if "20" in text else []
    if len(day) == 10 and any(map(str.isdigit, text)):
        year, month = int(day[:4]), int(day[5:7])
        for its_month, its_day in _days(text):
            ahead = its_month - month
            its_year = year + (ahead < -_HALF_A_YEAR) - (ahead > _HALF_A_YEAR)
            names.append(f"{its_year}-{its_month:02d}-{its_day:02d}")
    return max((date for date in names if date >= day), default="")


def month(word: str) -> int:
    """Return the number of the month that a folded word names in any of the languages known here, else 0."""
    return (_months or _read_names()).get(word, 0)


def without(title: str) -> str:
    """Return a title without dates and weekdays, and without the brackets and joints that they leave.

    `Tide log: 4 May 2030 (Saturday) — herring` becomes `Tide log — herring`. `Sun spots` keeps its first word.
    """
    for sign in "()—|·":
        title = title.replace(sign, f" {sign} ")
    pieces: list[tuple[str, list[str]]] = [("", [])]
    for word in title.split():
        if not word.strip(_JOINTS):
            pieces.append((word, []))
            continue
        pieces[-1][1].append(word.rstrip(":"))
        if word.endswith(":"):
            pieces.append((":", []))
    result = ""
    for joint, words in pieces:
        if kept := _without_date(words):
            glue = _GLUE.get(joint, f" {joint} ") if result else ""
            result += f"{glue}{kept}{')' if glue == ' (' else ''}"
    return result


def _without_date(words: list[str]) -> str:
    """Return words without the dates among them, and without a weekday if nothing else remains."""
    parts = [_part(word) for word in words]
    kept, at = [], 0
    while at < len(words):
        ends = range(min(at + _LONGEST_FORM, len(words)), at, -1)
        end = next((end for end in ends if parts[at] and parts[end - 1] and "".join(parts[at:end]) in _FORMS), at)
        kept += [at] if end == at else []
        at = max(end, at + 1)
    return "" if all(parts[at] == "w" for at in kept) else " ".join(words[at] for at in kept).strip(",;")


def _part(word: str) -> str:
    """Return which part of a date a word may be: a letter of _FORMS, or `w` for a weekday; `?` for none."""
    bare = word.strip(_AROUND).casefold()
    if bare in _BETWEEN:
        return ""
    if month(bare):
        return "m"
    if sum(map(str.isdecimal, bare)) >= _DATE_DIGITS and not bare.strip(_NUMERIC):
        return "n"
    if _number(bare):
        return "d"
    if bare.isdecimal() and len(bare) == _YEAR_DIGITS:
        return "y"
    return "w" if vocabulary.day(bare) in vocabulary.DAY_NAMES[:7] else "?"


def _days(text: str) -> list[tuple[int, int]]:
    """Return (month, day) of each date with the name of a month in `text`."""
    days = []
    words = [word.strip(_AROUND) for word in text.split()]
    months = _months or _read_names()
    for at, word in enumerate(words):
        month = months.get(word.casefold())
        if month is None or (word.isascii() and word.islower() and word in ("may", "march", "mar", "jun", "sep")):
            continue
        before = words[at - 2] if at > 1 and words[at - 1].casefold() in _BETWEEN else words[at - 1] if at else ""
        number = _number(before) or _number(words[at + 1] if at + 1 < len(words) else "")
        if number:
            days.append((month, number))
    if "月" in text or "월" in text:
        for match in _SIGNS.findall(text):
            first, second = (int(part) for part in match.replace("월", "月").replace(" ", "").split("月"))
            if 1 <= first <= 12 and 1 <= second <= 31:
                days.append((first, second))
    return days


def _number(word: str) -> int:
    """Return the day of a month that a word means (`24`, `24th`, the last of `24-26`), else 0."""
    plain = word.rpartition("-")[2].rpartition("–")[2].rstrip("stndrh.ºª")
    return int(plain) if plain.isdecimal() and len(plain) <= 2 and 1 <= int(plain) <= 31 else 0


def _read_names() -> dict[str, int]:
    for number, names in enumerate(_NAMES, 1):
        _months.update(dict.fromkeys(names.split(), number))
    return _months
