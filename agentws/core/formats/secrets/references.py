"""References after a secret's name: values that are not secret, such as the place where the secret is kept."""

from agentws.core.formats.secrets.password_words import is_letter_or_digit

# A name with one of these words holds something about a secret, or a key of another sort.
NOT_THE_SECRET = {
    *("hash", "hashes", "hashed", "digest", "sha", "sha1", "sha256", "checksum", "fingerprint", "commit"),
    *("public", "publishable", "pub", "site", "id", "ids", "name", "names", "path", "paths", "file", "files"),
    *("count", "counts", "usage", "limit", "budget", "length", "len", "size", "url", "uri", "endpoint", "link"),
    *("page", "cursor", "continuation", "expires", "expiry", "expiration", "expire", "type", "address", "contract"),
    *("mint", "hint", "policy", "prefix", "suffix", "pattern", "regex", "format", "symbol", "version", "model"),
    *("cache", "primary", "foreign", "sort", "partition", "idempotency", "object", "row", "s3", "env", "var"),
    *("arn", "ref", "location", "scanner", "scan", "scanning", "manager", "store", "max", "input", "output"),
    *(
        "change",
        "next",
        "secretsmanager",
        "issued",
        "created",
        "updated",
        "rotated",
        "at",
        "date",
        "owner",
        "ratio",
        "per",
        "reset",
        "encrypted",
    ),
}


def name_at(text: str, start: int, end: int) -> str:
    """Return the whole name before a value or reference: it ends at `end` and has the searched word from `start`."""
    lowest = max(0, start - 40)
    while start > lowest and (is_letter_or_digit(text[start - 1]) or text[start - 1] in "_-."):
        start -= 1
    return text[start:end]


def is_reference(value: str) -> bool:
    """Return whether the value is a reference to a secret, or of a form that may be shown."""
    lowered = value.lower()
    if value[0] in "{[(%@#" or (value[0] == "$" and (value[1:2].isalpha() or value[1:2] in ("{", "(", "_"))):
        return True
    if value[0] == "$" and "$" in value[2:10]:  # $2b$12$…, $argon2id$…: a password's hash
        return True
    if value.startswith("eyJ") and ".eyJ" in value:  # a JWT is judged by its own rule
        return True
    if "://" in value or "(" in value or "[" in value or "{{" in value or "${" in value or "..." in value:
        return True
    if lowered.startswith(_SHOWN):
        return True
    if lowered.startswith("0x") and len(value) == 42:
        return True
    return lowered.endswith(_FILES)


_SHOWN = (
    *("sha1", "sha256", "sha384", "sha512", "md5:", "blake2", "blake3", "age1", "ssh-", "npub1", "bc1", "did:"),
    *("arn:", "pk_", "pk-", "sb_publishable", "process.env", "os.environ", "env.", "env:", "vault:", "secrets."),
    *("enc:", "pbkdf2", "scrypt", "bcrypt", "argon2", "urn:", "cid:", "qm", "bafy", "projects/", "ac_", "aaaa"),
)
_FILES = (
    *(".json", ".txt", ".env", ".md", ".py", ".sh", ".yaml", ".yml", ".toml", ".pem", ".key", ".ts", ".js", ".go"),
    *(".gpg", ".age", ".enc", ".pub", ".html", ".log", ".jsonl", ".csv", ".png", ".jpg", ".pdf", ".local", ".ini"),
)
