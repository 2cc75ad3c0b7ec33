"""Words that announce a password, in the languages of notes; and helpers that all secret rules share.

On the path of every log line and every event: plain substrings, no pattern.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

PLACEHOLDER_OPEN = "‹redacted:"
"""How the text begins that agentws leaves in place of a secret: ‹redacted:kind:tag›."""
MASKED = ":masked›"
"""How that text ends if the file has the secret still; without the tag when it is printed."""
SHORTEST = 16
"""No secret but a password is shorter, and none has white space inside (a PEM block's lines are longer, too)."""
MARKS = "!@#$%^&*+?~=§€£°"
"""What a password has among its letters, and a name has not."""
QUOTES = "\"'`「“"
PIN = "pin"
"""Behind it only digits are a secret: it is the name of much else, and a part of many words."""
HINTS = ("pass", "pwd", "kennwort", "contrase", "senha", "parola", "haslo", "psk", "wpa", "wifi", "wlan")
"""One of these is in each of the words that are ASCII alone."""
SHORT = "pw"
"""A word for one that is a part of many others, and counts alone."""
LOGINS = ("login", "log-in", "cred", "zugang", "anmeld", "acceso", "accesso", "identifiants", "connexion")
"""One of these is in each of the words for who comes in and with what: `Login: sam / …`."""
LOGINS_BESIDES = ("логин", "доступ", "账号", "帳號", "登录", "ログイン", "로그인", "계정")
JOINT, PAIRED = " / ", (":", "/")
"""The separator between login name and password; and those without blanks around them."""
HINTS_BESIDES = ("hasło", "парол", "密码", "密碼", "パスワード", "비밀번호")
"""One of these is in each of the others."""
WORD = (
    r"[PpKkMmCcSsHhWwПп密パ비]"
    r"(?:(?<=[Pp])(?i:ass(?:word|wd|phrase|code|wort|wört))|(?<=[Kk])(?i:ennwort)"
    r"|(?<=[Mm])(?<![^\W_].)(?i:ots? de passe)"
    r"|(?<![^\W\d_].)(?:(?<=[Pp])(?i:wd|arola|sk|(?:w|ass)(?![^\W_]))|(?<=[Cc])(?i:ontrase(?:ñ|n|ñ)a)|(?<=[Ss])(?i:enha)|(?<=[Hh])(?i:as[łl]o)"
    r"|(?<=[Ww])(?i:(?:pa[23]?|i-?fi|lan)[ _-]?(?:psk|key|schlüssel)))"
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
_NEAR_LOGIN, _PAIR_WITHIN = 160, 4
_DIGITS = "0123456789"
_SIGNS = frozenset(_DIGITS + MARKS + QUOTES)
_ANNOUNCING = ":=：＝"
_WORDS_OF_A_PHRASE = 4
USERS = ("user", "login", "benutzer", "usuario", "utilisateur")
"""Behind one of these and a name, `pass` is a password: `user kim, pass …`."""
NEAR_USER = 60
_PROGRAMS = (
    *("curl", "wget", "http", "xh ", "sshpass", "mysql", "mariadb", " login ", "redis-cli", "htpasswd", "smbclient"),
    *("rpcclient", "openssl", "ldap", "mongo", "sqlcmd", "zip", "lftp", "7z", "echo", "auth=(", "xfreerdp"),
    *("rabbitmqctl", "sqlplus"),
)
_OPTIONS = (
    *(" -u", " -p", " -a", " -w", " -b", " -nb", "--user", "--proxy-user", "--auth", " pass:", "sudo -s", "chpasswd"),
    *("auth=(", "/p:", "add_user", "change_password", "sqlplus "),
)
_OF_USER, _SHORTEST_BEHIND = "-u ", 3
"""The option of many programs before `name:password`."""
_PHRASES = (
    *("phrase", "mnemo", "mnémo", "mnemó", "seed", "frase", "wiederherstellung"),
    *("фраз", "助记", "助記", "wallet words", "12 words", "24 words"),
)
_LEAST_BLANKS, _NEAR_PHRASE = 12, 360
_CODE_WORDS = ("code", "código", "codigo")
_CODES_FOR = (
    *("backup", "back-up", "recovery", "rescue", "scratch", "wiederherst", "ersatz", "notfall", "secours", "récup"),
    *("recup", "respaldo"),
)
_CARD_WORDS = ("cvv", "cvc")
_CARD_DIGITS = 13
_KEY_BYTES = 64


def kinds(lowered: str) -> list[str]:
    """Return the kinds of secrets that this lowercased text may contain and that need no long word."""
    result = []
    if names_password(lowered) or names_login(lowered) or names_option(lowered):
        result.append("password")
    if names_pin(lowered):
        result.append("pin")
    if names_phrase(lowered):
        result.append("seed-phrase")
    if _has(lowered, _CODES_FOR) and _has(lowered, _CODE_WORDS) and _has(lowered, _DIGITS):
        result.append("backup-code")
    if "[" in lowered and lowered.count(",") >= _KEY_BYTES - 1:
        result.append("wallet-key")
    if _has(lowered, _CARD_WORDS) and sum(map(lowered.count, _DIGITS)) >= _CARD_DIGITS:
        result.append("payment-card")
    return result


def _has(lowered: str, words: "Iterable[str]") -> bool:
    return any(word in lowered for word in words)


def names_option(lowered: str) -> bool:
    """Return whether a program that takes a password among its options is called with such an option."""
    if _has(lowered, _OPTIONS) and _has(lowered, _PROGRAMS):
        return True
    pieces = lowered.split(_OF_USER)[1:] if _OF_USER in lowered else ()
    words = (word for piece in pieces for word in piece[:_NEAR_LOGIN].split(None, 1)[:1])
    return any(":" in word[1:-_SHORTEST_BEHIND] for word in words)


def names_phrase(lowered: str) -> bool:
    """Return whether the text has a word for a wallet's words, followed by as many words as those are."""
    for hint in _PHRASES:
        at = lowered.find(hint)
        while at >= 0:
            if len(lowered[at : at + _NEAR_PHRASE].split()) >= _LEAST_BLANKS:
                return True
            at = lowered.find(hint, at + len(hint))
    return False


def names_password(lowered: str) -> bool:
    """Return whether the text has a word for a password, followed by a possible one on its line."""
    for hint in (*HINTS, SHORT) if lowered.isascii() else (*HINTS, SHORT, *HINTS_BESIDES):
        # Most texts hold none: `in` says so soonest.
        if hint in lowered:
            at = lowered.find(hint)
            while at >= 0:
                after = at + len(hint)
                if _is_word(lowered, hint, at, after) and _may_follow(lowered[after : after + _NEAR]):
                    return True
                at = lowered.find(hint, after)
    return False


def names_login(lowered: str) -> bool:
    """Return whether the text has a word for a login, followed by a separator between name and password."""
    for word in LOGINS if lowered.isascii() else (*LOGINS, *LOGINS_BESIDES):
        at = lowered.find(word)
        while at >= 0:
            line = lowered[at + len(word) : at + _NEAR_LOGIN].split("\n", 1)[0]
            if JOINT in line or any(map(_is_pair, line.split()[:_PAIR_WITHIN])):
                return True
            at = lowered.find(word, at + len(word))
    return False


def _is_pair(word: str) -> bool:
    """Return whether this may be a name and a password: `kim:…`, `kim/…`."""
    return _has(word, _DIGITS) and any(sign in word[1:-4] for sign in PAIRED) and "//" not in word


def _may_follow(rest: str) -> bool:
    """Return whether the rest of the line may contain a password; or the next line, if a sign ends this one."""
    line, _, below = rest.partition("\n")
    if line.rstrip(" \t\r\"'`*_")[-1:] in tuple(_ANNOUNCING):
        line += below.split("\n", 1)[0]
    has_phrase = line.count("-") + line.count(" ") >= _WORDS_OF_A_PHRASE - 1 and _has(line, _ANNOUNCING)
    return has_phrase or not _SIGNS.isdisjoint(line)


def _is_word(lowered: str, hint: str, at: int, after: int) -> bool:
    if hint == SHORT:
        return not lowered[at - 1 : at].isalpha() and not lowered[after : after + 1].isalnum()
    if hint != _BEGIN or lowered.startswith(_GOES_ON, after) or lowered[at - 3 : at] == "de ":
        return True
    # `pass` alone is more often a verdict.
    if lowered[at - 1 : at].isalpha() or lowered[after : after + 1].isalnum():
        return False
    is_assigned = lowered[after : after + 4].lstrip("\"'`* ")[:1] in tuple(_ANNOUNCING)
    return is_assigned or lowered[at - 1 : at] in ("_", "-") or _has(lowered[max(0, at - NEAR_USER) : at], USERS)


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
