"""Words that announce a password, in the languages of notes; and helpers that all secret rules share.

On the path of every log line and every event: plain substrings, no pattern.
"""

PLACEHOLDER_OPEN = "‹redacted:"
"""How the text begins that agentws leaves in place of a secret: ‹redacted:kind:tag›."""
SHORTEST = 16
"""No secret but a password is shorter, and none has white space inside (a PEM block's lines are longer, too)."""
MARKS = "!@#$%^&*+?~=§€£°"
"""What a password has among its letters, and a name has not."""
QUOTES = "\"'`「“"
PIN = "pin"
"""Behind it only digits are a secret: it is the name of much else, and a part of many words."""
HINTS = ("pass", "pwd", "kennwort", "contrase", "senha", "parola", "haslo")
"""One of these is in each of the words that are ASCII alone."""
SHORT = "pw"
"""A word for one that is a part of many others, and counts alone."""
LOGINS = ("login", "log-in", "cred", "zugang", "anmeld", "acceso", "accesso", "identifiants", "connexion")
"""One of these is in each of the words for who comes in and with what: `Login: sam / …`."""
LOGINS_BESIDES = ("логин", "доступ", "账号", "帳號", "登录", "ログイン", "로그인", "계정")
JOINT = " / "
"""The separator between login name and password."""
HINTS_BESIDES = ("hasło", "парол", "密码", "密碼", "パスワード", "비밀번호")
"""One of these is in each of the others."""
WORD = (
    r"[PpKkMmCcSsHhПп密パ비]"
    r"(?:(?<=[Pp])(?i:ass(?:word|wd|phrase|code|wort|wört))|(?<=[Kk])(?i:ennwort)"
    r"|(?<=[Mm])(?<![^\W_].)(?i:ots? de passe)"
    r"|(?<![^\W\d_].)(?:(?<=[Pp])(?i:wd|arola|w(?![^\W_]))|(?<=[Cc])(?i:ontrase(?:ñ|n|ñ)a)|(?<=[Ss])(?i:enha)|(?<=[Hh])(?i:as[łl]o))"
    r"|(?<=[Пп])(?i:арол[ьяюеи]?)|(?<=密)[码碼]|(?<=パ)スワード|(?<=비)밀번호)"
)
"""The pattern of such a word; one that may be the end of another word stands alone.

It begins with one letter of a class, which is searched for much sooner than words without regard to case.
"""
PIN_WORD = r"[Pp](?<![^\W_].)(?i:in)(?![^\W\d_])"

LOGIN = (
    r"[LlCcZzAaIiЛлДд账帳登ロ로계]"
    r"(?:(?<![^\W_].)(?:(?<=[Ll])(?i:og-?ins?)|(?<=[Cc])(?i:red(?:s|entials?|enciales|enziali)?|onnexion)"
    r"|(?<=[Zz])(?i:ugang(?:sdaten)?)|(?<=[Aa])(?i:nmelde?(?:ung|daten)|ccess?o)|(?<=[Ii])(?i:dentifiants)"
    r"|(?<=[Лл])(?i:огин)|(?<=[Дд])(?i:оступ))(?![^\W_])"
    r"|(?<=账)号|(?<=帳)號|(?<=登)录|(?<=ロ)グイン|(?<=로)그인|(?<=계)정)"
)
"""The pattern of a word behind which a name stands and then a password; it begins with one letter, as WORD does."""

_BEGIN = HINTS[0]
_GOES_ON = ("word", "wd", "phrase", "code", "wort", "wört")
_NEAR = 400
_NEAR_LOGIN = 160
_DIGITS = "0123456789"
_SIGNS = frozenset(_DIGITS + MARKS + QUOTES)


def is_hinted(lowered: str) -> bool:
    """Return whether this lowercased text may contain a password or a PIN."""
    return names_password(lowered) or names_pin(lowered) or names_login(lowered)


def names_password(lowered: str) -> bool:
    """Return whether the text has a word for a password, followed by a possible one on its line."""
    for hint in (*HINTS, SHORT) if lowered.isascii() else (*HINTS, SHORT, *HINTS_BESIDES):
        # Most texts hold none: `in` says so soonest.
        if hint in lowered:
            at = lowered.find(hint)
            while at >= 0:
                after = at + len(hint)
                if _is_word(lowered, hint, at, after) and not _SIGNS.isdisjoint(
                    lowered[after : after + _NEAR].split("\n", 1)[0]
                ):
                    return True
                at = lowered.find(hint, after)
    return False


def names_login(lowered: str) -> bool:
    """Return whether the text has a word for a login, followed by a separator between name and password."""
    if JOINT not in lowered:
        return False
    for word in LOGINS if lowered.isascii() else (*LOGINS, *LOGINS_BESIDES):
        at = lowered.find(word)
        while at >= 0:
            if JOINT in lowered[at : at + _NEAR_LOGIN].split("\n", 1)[0]:
                return True
            at = lowered.find(word, at + len(word))
    return False


def _is_word(lowered: str, hint: str, at: int, after: int) -> bool:
    if hint == SHORT:
        return not lowered[at - 1 : at].isalpha() and not lowered[after : after + 1].isalnum()
    return hint != _BEGIN or lowered.startswith(_GOES_ON, after) or lowered[at - 3 : at] == "de "


def names_pin(lowered: str) -> bool:
    """Return whether the text has the word `pin` followed by digits."""
    at = lowered.find(PIN)
    while at >= 0:
        # Mostly it is a part of another word.
        if not lowered[at + 3 : at + 4].isalpha() and not (at and lowered[at - 1].isalnum()):
            line = lowered[at + 3 : at + _NEAR].split("\n", 1)[0]
            if any(char in _DIGITS for char in line):
                return True
        at = lowered.find(PIN, at + 3)
    return False


def is_letter_or_digit(char: str) -> bool:
    """Return True for an ASCII letter or digit, which may not adjoin a password word or token."""
    return char.isascii() and char.isalnum()
