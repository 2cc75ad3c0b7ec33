"""Secrets as people and programs write them down, by kind: templates with the ways to make a value; all invented."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tests.core.formats.secret_corpus import ALNUM, BASE64, DIGITS, HEX, Dice

Make = Callable[[Dice], str]

_NAMES = ("Falcon", "heron", "Maple", "tulip", "Otter", "granit", "Kiesel", "Lanterna")
_THINGS = ("copper", "heron", "ladder", "violet", "anvil", "pepper", "marsh")
_LONG = ("hunterbird", "sommerregen", "kellertuer", "blaubeere", "lanterna")
_WORDS = (
    "abandon ability cabin cactus dance danger eagle earth fabric faculty galaxy garden habit hammer icon idea "
    "jacket jaguar kangaroo kitchen ladder lagoon machine magnet"
)


def _pick(dice: Dice, words: Sequence[str]) -> str:
    return words[int(dice(DIGITS, 6)) % len(words)]


def _numbered(dice: Dice) -> str:
    return _pick(dice, _NAMES) + dice("23456789", 3) + dice("!#?$%", 1)


def _mixed(dice: Dice) -> str:
    return dice(ALNUM, 5) + dice("23456789", 1) + dice(ALNUM, 4)


def _joined(dice: Dice) -> str:
    at = int(dice(DIGITS, 6))
    return "-".join(_THINGS[(at + step) % len(_THINGS)] for step in (0, 1, 3)) + "-" + dice("23456789", 2)


def _long(dice: Dice) -> str:
    return _pick(dice, _LONG) + dice("23456789", 2)


def _digits(alphabet: str, length: int) -> Make:
    return lambda dice: dice(alphabet, length)


def _phrase(dice: Dice) -> str:
    return " ".join(_pick(dice, _WORDS.split()) for _ in range(12))


PASSWORDS: tuple[Make, ...] = (_numbered, _mixed, _joined, _long)
_VALUES = (_digits(ALNUM, 32), _digits(HEX, 32))
_WALLET = (_digits(HEX, 64),)

KINDS: dict[str, tuple[tuple[Make, ...], tuple[str, ...]]] = {
    "--password VALUE": (
        PASSWORDS,
        (
            "deploy.sh --user kim --password {}",
            "ran `restore --host db1 --password {} --force`",
            "myapp login --password {}",
            "agent-cli connect --passwd {} --port 22",
            "./backup --passphrase {} /srv",
            "svn co --username kim --password {} https://svn.example",
        ),
    ),
    "--password=VALUE": (
        PASSWORDS,
        (
            "deploy.sh --user kim --password={}",
            "start with --password={} and check",
            "cmd: helm upgrade --set-string --password={}",
            "pg_ctl --passwd='{}' start",
            'tool --password="{}" run',
            "wget --user=kim --password={} https://example.org",
        ),
    ),
    "password is VALUE": (
        PASSWORDS,
        (
            "the wifi password is {}",
            "Guest wifi password is {} since Monday",
            "our new password is {}",
            "root password is now {}",
            "WLAN-Passwort ist {}",
            "das WLAN-Passwort lautet {}",
            "WiFi密码是{}",
            "the Wi-Fi password at the cabin is {}",
            "la contraseña del wifi es {}",
        ),
    ),
    "pw: VALUE": (PASSWORDS, ("pw: {}", "NAS pw: {}", "router (admin) PW: {}", "pw = {}", "user kim pw {}")),
    "Password: VALUE": (
        PASSWORDS,
        (
            "Password: {}",
            "**Password:** {}",
            "Passwort: {}",
            "Kennwort: `{}`",
            "Contraseña: {}",
            "密码：{}",
            "Mot de passe : {}",
            "user: kim, password: {}",
        ),
    ),
    "token HEX": (
        (_digits(HEX, 40),),
        (
            "token {}",
            "the token {} is for gitea",
            "gitea token {}",
            "GITEA_TOKEN {}",
            "Token: {}",
            "my token is {}",
            "deploy with token={}",
            "令牌 {}",
            "Zugangstoken {}",
        ),
    ),
    "secret NAME = VALUE": (
        (_digits(BASE64, 40), _digits(ALNUM, 32)),
        (
            "secret AWS_SECRET_ACCESS_KEY = {}",
            "secret STRIPE_WEBHOOK = {}",
            "the secret JWT_SIGNING is {}",
            "secret APP_SECRET: {}",
            "Secrets: AWS_SECRET_ACCESS_KEY = {}",
        ),
    ),
    "-u NAME:VALUE": (
        PASSWORDS,
        (
            "curl -u kim:{} https://api.example.org",
            "curl -s -X POST -u 'kim:{}' https://x.example",
            "http -a kim:{} example.org",
            "mysql -u root -p{} shop",
            "ftp -u kim:{} host",
            "tea login add -u kim:{} --url https://git.example",
        ),
    ),
    "cookies": (
        _VALUES,
        (
            "Cookie: session={}",
            "Set-Cookie: sid={}; HttpOnly",
            "curl -H 'Cookie: auth={}' https://x.example",
            'document.cookie = "session={}"',
            "JSESSIONID={}",
            "curl -b 'sess={}' https://x.example",
            "cookies = {{'sid': '{}'}}",
            "session cookie: {}",
        ),
    ),
    "wallet keys": (
        _WALLET,
        (
            "private key: {}",
            "eth private key 0x{}",
            "metamask key is 0x{}",
            "Privater Schlüssel der Wallet: {}",
            "clave privada de la cartera: 0x{}",
            "钱包私钥：0x{}",
            "burner wallet privkey {}",
        ),
    ),
    "seed phrases": (
        (_phrase,),
        (
            "seed phrase: {}",
            "my seed phrase is {}",
            "recovery phrase {}",
            'mnemonic = "{}"',
            "wallet words: {}",
            "Wiederherstellungsphrase: {}",
            "frase semilla: {}",
            "助记词：{}",
            "12 words: {}",
            "seed words {}",
        ),
    ),
    "cloud keys": (
        (_digits(ALNUM, 40),),
        (
            "AWS_SECRET_ACCESS_KEY={}",
            "aws secret {}",
            "AWS secret key is {}",
            "Cloudflare API token: {}",
            "hcloud token {}",
            "AZURE_STORAGE_KEY={}",
            "cloud key {}",
        ),
    ),
}


def written(kind: str, template: str) -> Iterator[tuple[str, str]]:
    """Yield (text, its secret) for each way to make a value."""
    for number, make in enumerate(KINDS[kind][0]):
        for turn in range(2):
            secret = make(Dice(f"{kind} {template} {number} {turn}"))
            yield template.format(secret), secret
