"""JSON keys that promise a secret: a value under `password` or `GITHUB_TOKEN` is one, whatever it looks like.

In a text a name may be followed by anything; in an object it is followed by its value. So every value counts, except an
empty one, a yes or no, a mask, or the place where the secret is kept.

Loaded only if a name contains one of the `HINTS` of redaction.py.
"""

from __future__ import annotations

from agentws.core.formats.secrets.password_words import PLACEHOLDER_OPEN

_COOKIES, _PAIRED = ("cookie", "cookies"), "="
_ENDS = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "passwordconfirm", "passwordconfirmation", "secret"),
    *("token", "apikey", "accesskey", "privatekey", "authkey", "secretkey", "signingkey", "encryptionkey"),
    *("passwords", "apikeys", "accesskeys", "credential", "credentials", "authorization"),
    *(
        "passwort",
        "kennwort",
        "motdepasse",
        "contraseña",
        "contrasena",
        "пароль",
        "密码",
        "密碼",
        "パスワード",
        "비밀번호",
    ),
    *_COOKIES,
)
_WHOLE = frozenset(("senha", "parola", "hasło", "haslo"))
"""Words for a password that are the end of others, too."""
_PIN, _MOST_DIGITS = "pin", 12
_JOINTS = str.maketrans("", "", "_-. ")
_DIGITS = "0123456789"
_LONGEST = 128
_VERDICT = "pass"
_OTHERWISE = frozenset((
    *("public", "hash", "hashed", "count", "max", "min", "num", "per", "next", "previous", "prev", "last", "page"),
    *("cursor", "continuation", "sync", "resume", "idempotency", "cache", "cancel", "cancellation", "stop", "special"),
    *("eos", "bos", "pad", "sep", "unk", "mask", "start", "end", "begin", "first", "is", "has", "use", "show", "hide"),
))  # fmt: skip
"""Where one of these words is in it too, the name is that of something else: `next_token`, `has_password`."""
_NONE = frozenset((
    *("true", "false", "null", "none", "nil", "undefined", "yes", "no", "on", "off", "unset", "empty", "n/a"),
    *("required", "optional", "string", "str", "bool", "boolean", "number", "integer", "hidden", "masked", "redacted"),
    *("include", "omit", "same-origin"),
))  # fmt: skip
_KEPT = (
    *("process.env", "os.environ", "env.", "env:", "vault:", "secrets.", "secret:", "op://", "keychain:", "file:"),
    *("arn:", "projects/", "ref:", "ref+"),
)
_MASK = "*x•·.…-_#?"
_LETTER, _LEAST_LETTERS = "x", 3
"""The letter that masks are made of; fewer of it are a short password."""
_SCHEMES = ("bearer ", "basic ", "token ", "digest ", "apikey ")
"""How a header begins that says who asks: the secret comes behind it."""
_FRAMES = (("${", "}"), ("$(", ")"), ("{{", "}}"), ("<", ">"), ("[", "]"), ("%", "%"))
_WAYS = ("/", "~/", "./", "../", "\\\\")
_WITHIN_WAYS = str.maketrans("", "", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~")
_SHORTEST_NUMBER = 4


def promises(name: str) -> bool:
    """Return True for a name like password, api_key or GITHUB_TOKEN; not for token_count or secret_name."""
    if len(name) > _LONGEST:
        return False
    flat = _flat(name)
    words = words_of(name)
    if words[-1:] == [_PIN] or not _WHOLE.isdisjoint(words[-1:]):
        return _OTHERWISE.isdisjoint(words)
    if not flat.endswith((*_ENDS, _VERDICT)):
        return False
    # `pass` alone is as often a verdict as a password.
    return _OTHERWISE.isdisjoint(words) and (flat.endswith(_ENDS) or (len(words) > 1 and words[-1] == _VERDICT))


def _flat(name: str) -> str:
    return name.translate(_JOINTS).lower().rstrip(_DIGITS)


def gives_away(name: str, value: object) -> bool:
    """Return whether the value under a secret's name is a secret: a text, or a number as long as a PIN.

    A cookie is one if written as in a header, `name=value`.
    """
    if _flat(name).endswith(_COOKIES):
        return isinstance(value, str) and _PAIRED in value
    if words_of(name)[-1:] == [_PIN]:
        digits = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        return digits.isdigit() and _SHORTEST_NUMBER <= len(digits) <= _MOST_DIGITS
    if isinstance(value, str):
        return not is_none(_without_scheme(value))
    return isinstance(value, int) and not isinstance(value, bool) and len(str(abs(value))) >= _SHORTEST_NUMBER


def is_none(value: str) -> bool:
    """Return True for a text that reveals no secret: empty, a mask, or the place where the secret is kept."""
    value = value.strip()
    lowered = value.lower()
    if lowered in _NONE or _is_mask(lowered) or PLACEHOLDER_OPEN in value:
        return True
    if lowered.startswith(_KEPT) or any(value.startswith(a) and value.endswith(b) for a, b in _FRAMES):
        return True
    return _is_variable(value) or _is_way(value)


def _is_mask(value: str) -> bool:
    return not value.strip(_MASK) and not 0 < value.count(_LETTER) < _LEAST_LETTERS


def _without_scheme(value: str) -> str:
    scheme = next((word for word in _SCHEMES if value[: len(word)].lower() == word), "")
    return value[len(scheme) :]


def _is_variable(value: str) -> bool:
    return value[0] == "$" and value[1:].isidentifier() and value == value.upper()


def _is_way(value: str) -> bool:
    """Return True for a path: names between slashes, from one of the places where a path begins."""
    return value.startswith(_WAYS) and not value.translate(_WITHIN_WAYS).strip("/\\")


def words_of(name: str) -> list[str]:
    """Return the words of a name: `maxTokens`, `max_tokens` and `max-tokens` have the same two."""
    words, previous = [""], ""
    for char in name:
        if not char.isalnum():
            words.append("")
        elif char.isupper() and previous.islower():
            words.append(char.lower())
        else:
            words[-1] += char.lower()
        previous = char
    return [word for word in words if word]
