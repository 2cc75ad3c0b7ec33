"""Finds what looks like a secret in a text: keys, tokens, passwords that must not enter a document or an event.

Notes speak of secrets all the time without containing one, so every pattern is anchored on both sides and what it
catches must also look random: no placeholder, no words, no counting up. The patterns were written from the shapes
that the providers publish.

This is on the path of every log line. Plain substrings are looked for first; `re` is imported, and a pattern is
compiled, only when one of its substrings stands where a secret could begin.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

PLACEHOLDER_OPEN = "‹redacted:"
"""How the text begins that agentws leaves in place of a secret: ‹redacted:kind:tag›."""


class Finding:
    """One secret in a text: its kind, the line it begins on (from 1), and its place in code points."""

    __slots__ = ("end", "kind", "line", "start")

    def __init__(self, kind: str, line: int, start: int, end: int) -> None:
        self.kind = kind
        self.line = line
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Finding):
            return NotImplemented
        mine = (self.kind, self.line, self.start, self.end)
        return mine == (other.kind, other.line, other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.kind, self.line, self.start, self.end))

    def __repr__(self) -> str:
        # The secret itself is never shown: this ends up in logs and in tracebacks.
        return f"Finding({self.kind!r}, line={self.line}, start={self.start}, end={self.end})"


# Kind, plain substrings, pattern. Where two findings overlap, the earlier rule wins. A pattern is put between
# boundaries (no letter or digit on either side), so a repeat at its end is possessive, `{32,}+`: it takes the
# whole run or nothing, never backs off into the middle of one, and costs linear time. The first group, where
# there is one, is the secret; without one it is the whole match.
_PREFIXED = (
    # Code hosts and package registries.
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,}+"),
    ("github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    (
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"),
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_-]{20,}+(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
    ),
    ("gitlab-token", ("GR1348941",), r"GR1348941[A-Za-z0-9_-]{20,}+"),
    ("npm-token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    ("pypi-token", ("pypi-AgE",), r"pypi-AgE[A-Za-z0-9_-]{50,}+"),
    ("rubygems-key", ("rubygems_",), r"rubygems_[0-9a-f]{48}"),
    ("docker-token", ("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[A-Za-z0-9_-]{27,}+"),
    ("atlassian-token", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[A-Za-z0-9_=-]{50,}+"),
    ("bitbucket-password", ("ATBB",), r"ATBB[A-Za-z0-9]{32}"),
    ("sonar-token", ("squ_", "sqp_", "sqa_"), r"sq[upa]_[0-9a-f]{40}"),
    # Clouds.
    ("aws-access-key", ("AKIA", "ASIA"), r"A[KS]IA[A-Z2-7]{16}"),
    ("aws-bedrock-key", ("ABSK",), r"ABSK[A-Za-z0-9+/]{100,}+={0,2}"),
    ("google-api-key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}(?![_-])"),
    ("google-oauth-secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}(?![_-])"),
    ("google-oauth-token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{30,}+(?:\.[A-Za-z0-9_-]+)?"),
    ("google-refresh-token", ("1//0",), r"1//0[A-Za-z0-9_-]{40,}+"),
    ("azure-storage-key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("azure-shared-access-key", ("SharedAccessKey=",), r"SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    ("azure-sas", ("sig=",), r"(?<=[?&;])sig=([A-Za-z0-9%+/_-]{43,}+=?)"),
    ("azure-client-secret", ("Q~",), r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[por]_v1_[0-9a-f]{64}"),
    ("heroku-key", ("HRKU-",), r"HRKU-[A-Za-z0-9_-]{36,}+"),
    ("fly-token", ("fm1_", "fm2_", "fm1r_", "fm1a_"), r"fm[12][ra]?_[A-Za-z0-9+/=_-]{60,}+"),
    ("fly-token", ("fo1_",), r"fo1_[A-Za-z0-9_-]{43}(?![_-])"),
    ("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"vc[piark]_[A-Za-z0-9]{24,}+"),
    ("vercel-token", ("vercel_blob_rw_",), r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,}+"),
    ("netlify-token", ("nfp_", "nfc_", "nfo_", "nfb_"), r"nf[pcob]_[A-Za-z0-9]{36,}+"),
    ("cloudflare-token", ("cfut_", "cfat_", "cfk_"), r"cf(?:ut|at|k)_[A-Za-z0-9]{40,}+"),
    ("cloudflare-token", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    ("supabase-key", ("sb_secret_",), r"sb_secret_[A-Za-z0-9_-]{22,}+"),
    ("supabase-key", ("sbp_",), r"sbp_[0-9a-f]{40}"),
    ("planetscale-token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,}+"),
    ("neon-key", ("napi_",), r"napi_[a-z0-9]{60,}+"),
    ("render-key", ("rnd_",), r"rnd_[A-Za-z0-9]{28,}+"),
    ("databricks-token", ("dapi",), r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    ("doppler-token", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{1,64}\.)?[A-Za-z0-9]{40,}+"),
    ("vault-token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{24,}+"),
    ("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}+"),
    ("pulumi-token", ("pul-",), r"pul-[0-9a-f]{40}"),
    ("tailscale-key", ("tskey-",), r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}+-[A-Za-z0-9]{20,}+"),
    # Models and what agents use.
    ("anthropic-key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{32,}+"),
    ("openrouter-key", ("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{48,}+"),
    ("langfuse-key", ("sk-lf-",), r"sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    (
        "openai-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,}+",
    ),
    # OpenAI's older keys, and those of the many services that copied their shape.
    ("openai-key", ("sk-",), r"sk-[A-Za-z0-9]{32,}+"),
    ("groq-key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}+"),
    ("xai-key", ("xai-",), r"xai-[A-Za-z0-9]{64,}+"),
    ("perplexity-key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,}+"),
    ("cerebras-key", ("csk-",), r"csk-[a-z0-9]{40,}+"),
    ("nvidia-key", ("nvapi-",), r"nvapi-[A-Za-z0-9_-]{60,}+"),
    ("together-key", ("tgp_v1_",), r"tgp_v1_[A-Za-z0-9_-]{40,}+"),
    ("fireworks-key", ("fw_",), r"fw_[A-Za-z0-9]{22,24}"),
    ("huggingface-token", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{30,}+"),
    ("replicate-token", ("r8_",), r"r8_[A-Za-z0-9]{37}"),
    ("elevenlabs-key", ("sk_",), r"sk_[0-9a-f]{48}"),
    ("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("tavily-key", ("tvly-",), r"tvly-(?:dev-|prod-)?[A-Za-z0-9_-]{30,}+"),
    ("firecrawl-key", ("fc-",), r"fc-[0-9a-f]{32}"),
    ("brave-key", ("BSA",), r"BSA[A-Za-z0-9_-]{28}(?![_-])"),
    ("e2b-key", ("e2b_",), r"e2b_[0-9a-f]{40}"),
    ("apify-token", ("apify_api_",), r"apify_api_[A-Za-z0-9]{34,}+"),
    ("moltbook-key", ("moltbook_",), r"moltbook_(?:sk_)?[A-Za-z0-9_-]{24,}+"),
    ("posthog-key", ("phx_",), r"phx_[A-Za-z0-9]{40,}+"),
    # Messages and mail.
    (
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xox"),
        r"(?<!\.)(?:xoxe\.)?xox[bpares]-[A-Za-z0-9-]{24,}+",
    ),
    ("slack-token", ("xapp-",), r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-f0-9]{32,}+"),
    (
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z][A-Z0-9]{6,}+/[A-Z0-9]{6,}+/[A-Za-z0-9/]{16,}+",
    ),
    (
        "discord-webhook",
        ("discord.com/api/", "discordapp.com/api/"),
        r"discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}+",
    ),
    # A token's first part is a decimal account number in base64, which leaves few letters at each place.
    (
        "discord-token",
        (".",),
        r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,3}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+",
    ),
    ("telegram-token", (":AA",), r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![_-])"),
    ("sendgrid-key", ("SG.",), r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![_-])"),
    ("mailgun-key", ("key-",), r"key-[0-9a-f]{32}"),
    ("mailchimp-key", tuple(f"-us{digit}" for digit in range(1, 10)), r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ("resend-key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("twilio-key", ("SK",), r"SK[0-9a-f]{32}"),
    # Money and shops.
    ("stripe-key", ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{24,}+"),
    ("stripe-webhook-secret", ("whsec_",), r"whsec_[A-Za-z0-9+/]{32,}+={0,2}"),
    ("square-token", ("EAAA",), r"EAAA[A-Za-z0-9_-]{60}(?![_-])"),
    ("square-token", ("sq0atp-", "sq0csp-"), r"sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})(?![_-])"),
    (
        "braintree-token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    (
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    ),
    # Workplaces and watching.
    ("linear-key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}+"),
    ("notion-token", ("ntn_",), r"ntn_[A-Za-z0-9]{40,}+"),
    ("notion-token", ("secret_",), r"secret_[A-Za-z0-9]{43}"),
    ("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("figma-token", ("figd_", "figo_"), r"fig[do]_[A-Za-z0-9_-]{36,}+"),
    ("postman-key", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("hubspot-token", ("pat-na", "pat-eu"), r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("clickup-token", ("pk_",), r"pk_[0-9]{5,10}_[A-Z0-9]{32}"),
    ("grafana-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("grafana-token", ("glc_",), r"glc_[A-Za-z0-9+/]{32,}+={0,2}"),
    ("newrelic-key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    ("sentry-token", ("sntrys_", "sntryu_"), r"sntry(?:s_eyJ[A-Za-z0-9+/=_-]{60,}+|u_[0-9a-f]{64})"),
    ("dynatrace-token", ("dt0c01.", "dt0s16."), r"dt0[cs][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    ("1password-token", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9_-]{80,}+={0,2}"),
    ("nostr-key", ("nsec1",), r"nsec1[02-9ac-hj-np-z]{58}"),
    ("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    ("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{16,}+"),
)

# The body of a PEM block: base64, its header lines, and what quoting it in Markdown or JSON adds. Two dashes end it.
_PEM_BODY = r"[A-Za-z0-9+/=\s\\>:,.|\"]*+"
_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"({_PEM_BODY}(?:-(?!-){_PEM_BODY})*+)"
    r"(-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)

# Assignments. The name is looked at again in Python, where its left part is read too.
_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "api key",
    "_key",
    "access key",
    "secret key",
    "private key",
    "privatekey",
    "accesskey",
    "auth key",
)
_ASSIGNMENT = (
    r"(?i:password|passwd|passphrase|passcode|pwd|secret|token|credential"
    r"|(?:api|access|private|auth)[ _-]?key|_key(?![a-z]))"
    r"([A-Za-z0-9_-]{0,32}+)(?: (?:key|token|value|id))?[\"'`*_\])]{0,4}[ \t]{0,4}"
    r"(?:\([^()\n]{0,40}\)[*]{0,2}[ \t]{0,2})?"
    r"(:=|=>|->|→|[:=]|\|(?=[ \t])|is\b|(?<=[ \t]))[ \t*\"'`]{0,8}(?:str(?:ing)?[ ]?=[ ]?[\"'`]?)?"
    r"((?:[^\s\"'`<>|,;&‹›…]|&(?![A-Za-z_-]{1,40}=)){16,1024})"
)
_BEARER = r"(?:Bearer|bearer|Basic)[ \t]+([A-Za-z0-9._~+/-]{20,}+={0,2})"
_URL = r"://[^\s:/@\"'`<>|?#]{0,128}+:([^\s/\"'`<>|‹›]{3,})@([A-Za-z0-9.\[-]+)"

# In the order of their right to a place that two of them claim.
_RULES = (
    ("gcp-service-account", ("PRIVATE KEY",), _PEM),
    ("private-key", ("PRIVATE KEY",), _PEM),
    *_PREFIXED,
    ("url-password", ("://",), _URL),
    ("aws-secret-key", ("aws", "secretaccesskey", "secret_access_key"), _ASSIGNMENT),
    ("bearer-token", ("Bearer", "bearer", "Basic"), _BEARER),
    ("secret-assignment", _NAMES, _ASSIGNMENT),
)

KINDS: tuple[str, ...] = tuple(dict.fromkeys(kind for kind, _, _ in _RULES))
"""Every kind of finding, in the order of the rules."""

# No secret is shorter than this, and none has white space inside (a PEM block's lines are longer, too).
_SHORTEST = 16


def has_placeholder(text: str) -> bool:
    """True where `text` contains what agentws leaves in place of a secret, be it whole or cut off."""
    return PLACEHOLDER_OPEN in text


def find(text: str) -> list[Finding]:
    """Every secret in `text`, in order of position; no two overlap."""
    if max(map(len, text.split()), default=0) < _SHORTEST:
        return []
    hinted = _hinted(text)
    return _search(text, hinted) if hinted else []


# --- Before any pattern is compiled ---


def _hinted(text: str) -> list[int]:
    """The places of the rules whose pattern is worth a try."""
    lowered = text.lower()
    hinted = []
    for place, (kind, triggers, pattern) in enumerate(_RULES):
        searched = lowered if pattern is _ASSIGNMENT else text
        for trigger in triggers:
            # This is written out because it runs some two hundred times for every line of a log.
            if trigger in searched:
                gate = _GATES.get(kind, _begins)
                if any(gate(searched, at, trigger) for at in _places(searched, trigger)):
                    hinted.append(place)
                    break
    return hinted


def _places(text: str, part: str) -> "Iterator[int]":
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_assigned(lowered: str, at: int, name: str) -> bool:
    """True where something long enough follows a name on its line."""
    rest = lowered[at + len(name) : at + len(name) + 160].split("\n", 1)[0]
    return any(len(part) >= _SHORTEST for part in rest.split())


def _begins(text: str, at: int, trigger: str) -> bool:
    """True where a token could begin: not inside a word, and long enough without white space."""
    if trigger[0].isalnum() and at and _is_letter_or_digit(text[at - 1]):
        return False
    return _is_long(text, at + len(trigger))


def _is_long(text: str, at: int) -> bool:
    chunk = text[at : at + _SHORTEST]
    return len(chunk) == _SHORTEST and len(chunk.split()) == 1 and not chunk[-1].isspace()


def _is_letter_or_digit(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _stands(_text: str, _at: int, _trigger: str) -> bool:
    return True


def _follows_hex(text: str, at: int, _trigger: str) -> bool:
    return at >= 32 and not text[at - 32 : at].strip("0123456789abcdef")


def _precedes_hex(text: str, at: int, trigger: str) -> bool:
    return _begins(text, at, trigger) and not text[at + 2 : at + 34].strip("0123456789abcdef")


def _is_account_number(text: str, at: int, _trigger: str) -> bool:
    """True at the first dot of what could be a Discord token."""
    return text[at + 7 : at + 8] == "." and at >= 20 and text[at - 18 : at].isalnum() and _is_long(text, at)


def _precedes_dot(text: str, at: int, _trigger: str) -> bool:
    return text[at + 17 : at + 18] == "."


def _has_user(text: str, at: int, _trigger: str) -> bool:
    authority = text[at + 3 : at + 300].split("/", 1)[0].split(None, 1)
    return bool(authority) and "@" in authority[0] and ":" in authority[0]


_GATES: "dict[str, Callable[[str, int, str], bool]]" = {
    "gcp-service-account": _stands,
    "private-key": _stands,
    "aws-secret-key": _is_assigned,
    "secret-assignment": _is_assigned,
    "url-password": _has_user,
    "mailchimp-key": _follows_hex,
    "twilio-key": _precedes_hex,
    "discord-token": _is_account_number,
    "airtable-token": _precedes_dot,
    "azure-client-secret": lambda text, at, trigger: _is_long(text, at),
    "bearer-token": lambda text, at, trigger: any(len(part) >= 16 for part in text[at : at + 64].split()),
}


# --- With patterns ---

_COMPILED: "dict[str, re.Pattern[str]]" = {}


def _compiled(pattern: str) -> "re.Pattern[str]":
    if pattern not in _COMPILED:
        import re

        bounded = pattern
        if pattern not in (_PEM, _ASSIGNMENT, _URL):
            bounded = rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])"
        _COMPILED[pattern] = re.compile(bounded)
    return _COMPILED[pattern]


def _search(text: str, hinted: list[int]) -> list[Finding]:
    spans: list[tuple[int, int, int]] = []
    for place in hinted:
        kind, _, pattern = _RULES[place]
        check = _CHECKS.get(kind, _check_token)
        for match in _compiled(pattern).finditer(text):
            found = check(text, match)
            if found is not None:
                spans.append((*found, place))
    spans.sort()
    kept: list[tuple[int, int, int]] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[2] < kept[-1][2]:
            kept[-1] = span
    findings, line, counted = [], 1, 0
    for start, end, place in kept:
        line += text.count("\n", counted, start)
        counted = start
        findings.append(Finding(_RULES[place][0], line, start, end))
    return findings


def _check_token(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a token with a prefix of its own, if it is not a placeholder."""
    start, end = match.span(match.lastindex or 0)
    return None if _is_placeholder(match.string[start:end]) else (start, end)


def _check_twilio(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # Any 32 hexadecimal digits may follow the letters SK: only the name nearby makes them Twilio's.
    nearby = text[max(0, match.start() - 200) : match.end() + 200].lower()
    return _check_token(text, match) if "twilio" in nearby else None


def _check_service_account(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    before = text[max(0, match.start() - 40) : match.start()]
    return _check_pem(text, match) if '"private_key"' in before else None


def _check_pem(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a whole PEM block; of one without an end, as far as its lines are base64."""
    body = match[1]
    lines = body.replace("\\n", " ").replace("\\r", " ").split()
    solid = [line for line in lines if len(line) >= 40 and _is_base64(line)]
    # A heading alone, or with dots in place of a key, gives nothing away.
    if not solid or len(set("".join(solid[:4]))) < 16 or _is_placeholder(solid[0][:32]):
        return None
    if match[2]:
        return match.span()
    end = match.string.rfind(solid[-1], match.start(1), match.end(1)) + len(solid[-1])
    last = match.string[end : match.end(1)].replace("\\n", "  ")
    tail = last.lstrip(" \t\r\n>")
    word = tail.split(None, 1)[0] if tail else ""
    # The last line of a key is a short one.
    if word and len(word) >= 4 and len(word) % 4 == 0 and _is_base64(word) and not word.islower():
        end += len(last) - len(tail) + len(word)
    return match.start(), end


def _is_base64(line: str) -> bool:
    return all(char.isascii() and (char.isalnum() or char in "+/=") for char in line)


def _check_jwt(_text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    # The token that jwt.io shows to everyone: {"sub":"1234567890", ...}.
    if ".eyJzdWIiOiIxMjM0NTY3ODkwIi" in match[0] or len(set(match[0])) < 16 or "xxxx" in match[0].lower():
        return None
    return match.span()


def _check_bearer(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    start, end = match.span(1)
    if match[0][:2] == "Ba" and "uthorization" not in text[max(0, match.start() - 24) : match.start()]:
        return None
    end -= len(match[1]) - len(match[1].rstrip(".~/"))
    return (start, end) if _is_random(text[start:end]) else None


def _check_url(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of a URL's password, if it is neither a placeholder nor a word that everyone uses."""
    password, host = match[1], match[2].lower()
    user = text[match.start() + 3 : match.start(1) - 1]
    lowered = password.lower()
    if password[0] in "$%{[(*" or lowered == user.lower() or _has_placeholder_word(password) or "..." in lowered:
        return None
    if password.isdigit() or len(set(lowered)) < 3 or "@" in user:
        return None
    if host.startswith(("example.", "host", "your", "hostname")) or ".example" in host:
        return None
    if not any(char.isdigit() for char in password):
        words = lowered.replace("-", "_").split("_")
        if any(word in _PLAIN_PASSWORDS or "pass" in word or "pwd" in word for word in words):
            return None
        if len(password) < 6 or password.isupper() or host.split(".")[0] in _LOCAL_HOSTS:
            return None
    elif lowered.rstrip("0123456789!") in _PLAIN_PASSWORDS:
        return None
    return match.span(1)


_LOCAL_HOSTS = {"localhost", "127", "0", "db", "database", "postgres", "mysql", "redis", "mongo", "rabbitmq"}
_PLAIN_PASSWORDS = {
    *("password", "passwd", "pass", "pw", "pwd", "secret", "token", "key", "pat", "changeme", "admin", "root"),
    *("user", "username", "guest", "test", "testing", "dev", "postgres", "mysql", "redis", "minio", "minioadmin"),
    *("default", "credentials", "apikey", "hunter", "foo", "bar", "baz", "abc", "xxx", "none", "null", "mypassword"),
    *("letmein", "welcome", "qwerty", "masked", "hidden", "removed", "oauth", "pswd", "value"),
}


def _check_aws(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    span = _check_assignment(text, match)
    if span is None or span[1] - span[0] != 40 or not _is_base64(text[span[0] : span[1]]):
        return None
    name = "".join(_segments(text[max(0, match.start() - 8) : match.start()] + _name(text, match)))
    return span if "secretaccesskey" in name or ("aws" in name and "secret" in name) else None


def _check_assignment(text: str, match: "re.Match[str]") -> "tuple[int, int] | None":
    """The span of what is assigned to a name that promises a secret, if it looks like one."""
    start, end = match.span(3)
    name = _name(text, match)
    if not match[2] and not name.startswith("--"):
        return None
    segments = _segments(name)
    password = any(segment.startswith("pass") or segment == "pwd" for segment in segments)
    # Where a sentence may end after a token, a password may well have its exclamation mark.
    value = text[start:end].split("\\", 1)[0].rstrip(".:)]}*" if password else ".:!?)]}*")
    after = start + len(value)
    if text.startswith(_CUT_OFF, after) or (value[-1:] == "-" and text.startswith("*", after)):
        return None
    if any(segment in _NOT_THE_SECRET or segment.startswith("tokeni") for segment in segments):
        return None
    if not _SHORTEST <= len(value) < _LONGEST or _is_reference(value) or _is_within_placeholder(text, start):
        return None
    if not (_is_random(value) or (password and _is_strong(value))):
        return None
    return start, start + len(value)


_LONGEST = 1024
_CUT_OFF = ("...", "…", "***")

# A name with one of these words holds something about a secret, or a key of another sort.
_NOT_THE_SECRET = {
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


def _name(text: str, match: "re.Match[str]") -> str:
    """The whole name of an assignment, with what stands before the word that was searched for."""
    start = match.start()
    lowest = max(0, start - 40)
    while start > lowest and (_is_letter_or_digit(text[start - 1]) or text[start - 1] in "_-."):
        start -= 1
    return text[start : match.end(1)]


def _segments(name: str) -> list[str]:
    """The words of a name: `maxTokens`, `max_tokens` and `max-tokens` have the same two."""
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


def _is_reference(value: str) -> bool:
    """True where the value says where the secret is, or is of a sort that may be shown."""
    lowered = value.lower()
    if value[0] in "{[(%@#" or (value[0] == "$" and (value[1].isalpha() or value[1] in "{(_")):
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


def _is_within_placeholder(text: str, at: int) -> bool:
    opened = text.rfind(PLACEHOLDER_OPEN, max(0, at - 64), at)
    return opened >= 0 and text[opened + len(PLACEHOLDER_OPEN) : at - 1] in KINDS


# --- What is no secret ---

_PLACEHOLDER_WORDS = (
    *("xxxx", "your", "example", "redact", "dummy", "placeholder", "changeme", "change-me", "change_me", "sample"),
    *("fake", "mock", "todo", "insert", "replace", "here", "notreal", "deadbeef", "foobar", "lorem", "qwerty"),
    *("asdf", "...", "***", "masked", "hidden", "1234567", "abcdefg", "jbswy3dpehpk3pxp"),
)


def _has_placeholder_word(value: str) -> bool:
    # Only the ends of a long value are read, and only words in one case: among a thousand random letters any four
    # are met by chance.
    ends = value if len(value) <= 96 else value[:48] + " " + value[-48:]
    return any(word in ends or word.upper() in ends or word.capitalize() in ends for word in _PLACEHOLDER_WORDS)


def _is_placeholder(secret: str) -> bool:
    """True where a token of the right shape stands for one: words, one letter over and over, counting up."""
    tail = secret[-24:]
    if len(set(tail)) < 7 or _has_placeholder_word(secret):
        return True
    return _counts_up(secret[:128]) or _is_words(secret)


_ZEROS = ord("A")


def _counts_up(value: str) -> bool:
    """True for 123456, abc123def456 and 000000: steps of one, or of none, that chance does not make."""
    up = same = total = previous = 0
    for code in map(ord, value):
        step, previous = code - previous, code
        up = up + 1 if step == 1 else 0
        # A run of A is zeros in base64, which many true tokens have.
        same = same + 1 if step == 0 and code != _ZEROS else 0
        total += step == 1
        if up >= 5 or same >= 5:
            return True
    return total * 5 >= len(value) * 2


def _pieces(value: str) -> list[str]:
    return "".join(char if _is_letter_or_digit(char) else " " for char in value).split()


def _is_words(value: str) -> bool:
    """True where every piece is a short word or a number, as in a name with hyphens."""
    tail = value[-24:]
    if tail.replace("-", "").replace("_", "").isalpha() and tail.islower():
        return True
    return all(piece.isdigit() or (len(piece) < 14 and _is_word(piece)) for piece in _pieces(value))


def _is_word(piece: str) -> bool:
    return piece.isalpha() and (piece.islower() or piece.isupper() or piece.istitle())


def _turns(piece: str) -> int:
    """How often a piece changes between digits, small and capital letters, a capital before a word not counted."""
    turns, previous = 0, ""
    letters = piece.rstrip("0123456789")
    for char in letters if letters.isalpha() else piece:
        kind = "9" if char.isdigit() else "A" if char.isupper() else "a"
        if previous and kind != previous[-1] and previous != "A":
            turns += 1
        previous = previous[-1:] + kind if previous[-1:] == kind == "A" else kind
    return turns


def _in_words(value: str) -> int:
    """How many letters stand in words that begin with a capital and can be spoken, as in PrivateKeyTypes."""
    total, run = 0, ""
    for char in value + " ":
        if char.islower() and run:
            run += char
            continue
        total += len(run) if len(run) >= 3 and any(vowel in run for vowel in "aeiou") else 0
        run = char if char.isupper() else ""
    return total


def _is_random(value: str) -> bool:
    """True where letters and digits alternate as in a generated value, not as in names, paths and versions."""
    if len(set(value)) < 8 or _has_placeholder_word(value) or _counts_up(value):
        return False
    pieces = _pieces(value)
    if [len(piece) for piece in pieces] == [8, 4, 4, 4, 12]:
        return True
    letters = sum(char.isalpha() for char in value)
    if _in_words(value) * 10 >= letters * 7:
        return False
    turns = [_turns(piece) for piece in pieces]
    if letters == len(value):
        return turns[0] * 4 >= letters and _in_words(value) * 2 < letters
    if not any(char.isdigit() for char in value):
        return False
    mixed = sum(len(piece) for piece, count in zip(pieces, turns, strict=True) if count >= 2)
    return mixed >= 10 and (sum(turns) >= 6 or sum(turns) * 6 >= len(value))


def _is_strong(value: str) -> bool:
    """True where a password of three sorts of characters is more than words joined by hyphens."""
    if len(set(value)) < 8 or _has_placeholder_word(value) or _counts_up(value):
        return False
    marks = sum(not char.isalnum() and char not in "-_./:" for char in value)
    sorts = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        marks > 0,
    )
    return sum(sorts) >= 3 and marks + sum(_turns(piece) for piece in _pieces(value)) >= 6 - sum(sorts)


_CHECKS: "dict[str, Callable[[str, re.Match[str]], tuple[int, int] | None]]" = {
    "gcp-service-account": _check_service_account,
    "private-key": _check_pem,
    "jwt": _check_jwt,
    "twilio-key": _check_twilio,
    "url-password": _check_url,
    "aws-secret-key": _check_aws,
    "bearer-token": _check_bearer,
    "secret-assignment": _check_assignment,
}
