"""The shapes of secrets: rules (kind, required substrings, pattern) as providers publish them, strictest first."""

from agentws.core.formats.secrets import password_words

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_BASE58 = r"[1-9A-HJ-NP-Za-km-z]"

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
        (
            *("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-"),
            *("glsoat-", "glffct-", "glwt-"),
        ),
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{20,}+(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
    ),
    ("gitlab-token", ("_gitlab_session=",), r"_gitlab_session=([0-9a-f]{32})"),
    ("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}"),
    (
        "buildkite-token",
        ("bkua_", "bkaat_", "bkat_"),
        r"bk(?:ua|aat|at)_[0-9a-f]{40,}+",
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
    ("google-api-key", ("AQ.",), r"AQ\.[A-Za-z0-9_-]{40,}+"),
    ("google-oauth-secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{28}(?![_-])"),
    ("google-oauth-token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{30,}+(?:\.[A-Za-z0-9_-]+)?"),
    ("google-refresh-token", ("1//0",), r"1//0[A-Za-z0-9_-]{40,}+"),
    ("azure-storage-key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("azure-shared-access-key", ("SharedAccessKey=",), r"SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    ("azure-sas", ("sig=",), r"(?<=[?&;])sig=([A-Za-z0-9%+/_-]{43,}+=?)"),
    ("azure-devops-token", ("AZDO",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("alibaba-key", ("LTAI",), r"LTAI[A-Za-z0-9]{12,26}"),
    ("tencent-key", ("AKID",), r"AKID[A-Za-z0-9]{13,40}"),
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
    ("vault-token", ("s.",), r"s\.[A-Za-z0-9]{24}(?![._(-])"),
    ("launchdarkly-key", ("sdk-",), "sdk-" + _UUID),
    ("terraform-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}+"),
    ("pulumi-token", ("pul-",), r"pul-[0-9a-f]{40}"),
    ("tailscale-key", ("tskey-",), r"tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}+-[A-Za-z0-9]{20,}+"),
    # Models and what agents use.
    ("anthropic-key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{32,}+"),
    ("openrouter-key", ("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{48,}+"),
    ("langfuse-key", ("sk-lf-",), "sk-lf-" + _UUID),
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
    ("pinecone-key", ("pcsk_",), r"pcsk_[A-Za-z0-9_-]{40,}+"),
    ("jina-key", ("jina_",), r"jina_[A-Za-z0-9_-]{40,}+"),
    ("brave-key", ("BSA",), r"BSA[A-Za-z0-9_-]{28}(?![_-])"),
    ("e2b-key", ("e2b_",), r"e2b_[0-9a-f]{40}"),
    ("apify-token", ("apify_api_",), r"apify_api_[A-Za-z0-9]{34,}+"),
    ("moltbook-key", ("moltbook_",), r"moltbook_(?:sk_)?[A-Za-z0-9_-]{24,}+"),
    ("posthog-key", ("phx_",), r"phx_[A-Za-z0-9]{40,}+"),
    # Messages and mail.
    (
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxe-", "xoxe.xox"),
        r"(?<!\.)(?:xoxe\.)?xox[bparesc]-[A-Za-z0-9-]{24,}+",
    ),
    ("slack-token", ("xoxd-",), r"xoxd-[A-Za-z0-9%+/_-]{32,}+={0,2}"),
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
    (
        "teams-webhook",
        ("webhook.office.com/",),
        r"webhook\.office\.com/webhookb?2?/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9A-Za-z]{32,}+"
        r"(?:/[0-9A-Za-z_-]{20,}+)*+",
    ),
    ("matrix-token", ("syt_", "syr_"), r"sy[tr]_[A-Za-z0-9._=+-]{1,64}_[A-Za-z]{20}_[A-Za-z0-9]{6}"),
    ("matrix-token", ("mat_", "mct_", "mcr_"), r"m(?:at|ct|cr)_[A-Za-z0-9]{30}_[A-Za-z0-9]{6}"),
    ("twitch-token", ("oauth:",), r"oauth:([a-z0-9]{30})"),
    # A token's first part is a decimal account number in base64, which leaves few letters at each place.
    (
        "discord-token",
        (".",),
        r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,3}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}+",
    ),
    ("telegram-token", (":AA",), r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![_-])"),
    ("sendgrid-key", ("SG.",), r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![_-])"),
    ("mailgun-key", ("key-",), r"key-[0-9a-f]{32}"),
    ("mailgun-key", ("ailgun", "AILGUN"), r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    ("brevo-key", ("xkeysib-", "xsmtpsib-"), r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("mailchimp-key", tuple(f"-us{digit}" for digit in range(1, 10)), r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ("resend-key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("twilio-key", ("SK",), r"SK[0-9a-f]{32}"),
    # Money and shops.
    ("stripe-key", ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{24,}+"),
    ("razorpay-key", ("rzp_live_", "rzp_test_"), r"rzp_(?:live|test)_[A-Za-z0-9]{14,}+"),
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
    ("hubspot-token", ("pat-na", "pat-eu"), "pat-(?:na|eu)[0-9]-" + _UUID),
    ("clickup-token", ("pk_",), r"pk_[0-9]{5,10}_[A-Z0-9]{32}"),
    ("grafana-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("grafana-token", ("glc_",), r"glc_[A-Za-z0-9+/]{32,}+={0,2}"),
    ("newrelic-key", ("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    ("newrelic-key", ("NRAL",), r"(?:[0-9a-f]{36}|[a-z]{2}[0-9]{2}xx[0-9a-f]{30})NRAL"),
    ("okta-token", ("SSWS",), r"SSWS[ \t]{1,4}(00[A-Za-z0-9_-]{30,}+)"),
    ("asana-token", ("0/", "1/", "2/"), r"[0-2]/(?:[0-9]{13,16}(?:/[0-9]{13,16})?:)?[0-9a-f]{32}"),
    ("dropbox-token", ("sl.",), r"sl\.[A-Za-z0-9_.=-]{60,}+"),
    ("sentry-token", ("sntrys_", "sntryu_"), r"sntry(?:s_eyJ[A-Za-z0-9+/=_-]{60,}+|u_[0-9a-f]{64})"),
    ("dynatrace-token", ("dt0c01.", "dt0s16."), r"dt0[cs][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    ("1password-token", ("ops_eyJ",), r"ops_eyJ[A-Za-z0-9_-]{80,}+={0,2}"),
    ("nostr-key", ("nsec1",), r"nsec1[02-9ac-hj-np-z]{58}"),
    ("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"),
    ("wallet-key", tuple(f"{letter}prv" for letter in "xyztuv"), rf"[xyztuv]prv{_BASE58}{{90,}}+"),
    ("wallet-key", ("6P",), rf"6P{_BASE58}{{56}}"),
    ("heroku-key", ("heroku",), rf"(?i:heroku)[\"'*`]{{0,4}} ?[:=] ?[\"'*`]{{0,4}}({_UUID})"),
    ("deepl-key", (":fx",), _UUID + ":fx"),
    ("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{16,}+"),
)

# The body of a PEM block: base64, its header lines, and what quoting it in Markdown or JSON adds. Two dashes end it.
_PEM_BODY = r"[A-Za-z0-9+/=\s\\>:,.|\"]*+"
PEM = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"({_PEM_BODY}(?:-(?!-){_PEM_BODY})*+)"
    r"(-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
)

# A key of PuTTY: as many lines of base64 as its header says, of which the first ones suffice.
_BREAK = r"(?:\s|\\{1,4}[rn]){1,4}"
PUTTY = (
    rf"Private-Lines: {{1,4}}[0-9]{{1,4}}{_BREAK}"
    rf"((?:[A-Za-z0-9+/=]{{1,64}}+{_BREAK}){{0,200}}[A-Za-z0-9+/=]{{1,64}}+)"
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
ASSIGNMENT = (
    # The first letter by itself, in either case (`ſ` is an `s`): it is found four times as quickly as the words.
    r"[PpSs\u017fTtCcAa_](?:(?<=[Pp])(?i:ass(?:word|wd|phrase|code)|wd|rivate[ _-]?key)|(?<=[Ss\u017f])(?i:ecret)"
    r"|(?<=[Tt])(?i:oken)|(?<=[Cc])(?i:redential)|(?<=[Aa])(?i:(?:pi|ccess|uth)[ _-]?key)|(?<=_)(?i:key(?![a-z])))"
    r"([A-Za-z0-9_-]{0,32}+)(?: (?:key|token|value|id))?[\"'`*_\])]{0,4}[ \t]{0,4}"
    r"(?:\([^()\n]{0,40}\)[*]{0,2}[ \t]{0,2})?"
    r"(:=|=>|->|→|[:=]|\|(?=[ \t])|is\b|(?<=[ \t]))[ \t*\"'`]{0,8}(?:str(?:ing)?[ ]?=[ ]?[\"'`]?)?"
    # Not the name of what follows, as in `secret API_KEY = …`.
    r"((?![A-Z][A-Z0-9_]{3,60} ?[:=])(?:[^\s\"'`<>|,;&‹›…]|&(?![A-Za-z_-]{1,40}=)){16,1024})"
)

# Any word for a key, with or without a sign before the value: what stands before the word decides.
_KEY_NAMES = (
    *("key", "token", "secret", "cookie", "schlüssel", "clé", "clave", "chiave", "jeton", "ключ", "токен", "密钥"),
    *("密鑰", "令牌"),
)
KEYED = (
    r"[KkTtSsCcJjКкТт密令]"
    r"(?:(?:(?<![^\W_].)|(?<=[a-z][KTS])|(?<=[Aa][Pp][Ii][Kk]))"
    r"(?:(?<=[Kk])(?i:ey(?:pair)?)|(?<=[Tt])(?i:oken)|(?<=[Ss])(?i:ecret))"
    r"|(?<=[Ss])(?i:chlüssel)|(?<![^\W_].)(?:(?<=[Cc])(?i:l(?:é|ave)|hiave|ookie)|(?<=[Jj])(?i:eton))"
    r"|(?<=[Кк])(?i:люч)|(?<=[Тт])(?i:окен)|(?<=密)[钥鑰]|(?<=令)牌)(?![^\W_])"
    r"((?: [^\W\d_][\w'’-]{0,14}+){1,4})?[\"'`*_\])]{0,4}[ \t]{0,4}(?:\([^()\n]{0,40}\)[*]{0,2}[ \t]{0,2})?"
    r"(:=|=>|->|→|[:=：]|\|(?=[ \t])|is\b|(?(1)(?!)|(?<=[ \t])))[ \t*\"'`]{0,8}"
    r"([^\s\"'`<>|,;&‹›…]{20,256})"
)

# Keys of wallets that have no beginning of their own, or one that much else has.
WALLET_HEX = rf"(?:0x)?[0-9a-fA-F]{{64}}|{_BASE58}{{86,88}}"
WIF = rf"5[HJK]{_BASE58}{{49}}|[KL]{_BASE58}{{51}}"
BYTES = r"\[\s{0,4}[0-9]{1,3}(?:,\s{0,4}[0-9]{1,3}){63},?\s{0,4}\]"
_WIF_BEGINS = ("5H", "5J", "5K", "Kw", "Kx", "Ky", "Kz", "L1", "L2", "L3", "L4", "L5")

# A pair of a cookie: what stands before it on its line, or its name, makes it one.
COOKIE = r"([A-Za-z0-9_.-]{1,64}+)(?:=|[\"']: ?[\"'])([A-Za-z0-9%+/._~:!*-]{16,}+={0,2})"
COOKIE_NAMES = (
    *("PHPSESSID", "JSESSIONID", "sessionid", "li_at", "connect.sid", "ASP.NET_SessionId", "laravel_session"),
    "user_session",
)

# A line of a cookie jar, as curl and browsers' exports write it: … expiry, name, value. In JSON a tab is `\\t`.
_TAB = r"(?:\t|\\{1,3}t)"
JAR = rf"(?:TRUE|FALSE){_TAB}[0-9]{{1,12}}{_TAB}[^\t\n\\]{{1,64}}{_TAB}([A-Za-z0-9%+/._~:!*=-]{{16,}}+)"
_JAR_HINTS = ("TRUE\t", "FALSE\t", "TRUE\\", "FALSE\\")

# A program's option, and a password behind it.
_ARGUMENTS = r"(?= )(?:[^\n|;]|\\\n){0,160}? "
OPTION = (
    r"(?<![\w./-])(?:"
    rf"(?:curl|wget){_ARGUMENTS}(?:-[uU] ?|--(?:proxy-)?user[ =])[\"']?[^\s:\"'$<]{{0,64}}:"
    rf"|(?:https?|xh){_ARGUMENTS}(?:-a ?|--auth[ =])[\"']?[^\s:\"'$<]{{1,64}}:"
    rf"|(?:smbclient|rpcclient){_ARGUMENTS}(?:-U ?|--user[ =])[\"']?[^\s%\"'$<]{{1,64}}%"
    rf"|lftp{_ARGUMENTS}-u ?[\"']?[^\s,\"'$<]{{1,64}},"
    rf"|(?:docker|podman|nerdctl|buildah|skopeo|oras|az|helm registry) login{_ARGUMENTS}-p[ =]?"
    rf"|(?:(?:mysql|mariadb)[a-z-]{{0,12}}|7z[ar]?){_ARGUMENTS}-p(?=[^ ])"
    rf"|redis-cli{_ARGUMENTS}-a |ldap[a-z]{{3,12}}{_ARGUMENTS}-w ?|sqlcmd{_ARGUMENTS}-P ?"
    rf"|mongo[a-z]{{0,12}}{_ARGUMENTS}-p |(?:un)?zip{_ARGUMENTS}-P ?"
    r"|sshpass -p ?|htpasswd (?:-[a-zA-Z]{1,6} ){0,3}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6} [^ \n]{1,128} (?:[^ \n]{1,128} )?"
    rf"|openssl{_ARGUMENTS}-pass(?:in|out)? pass:|auth=\([\"'][^\"'\n]{{1,64}}[\"'], ?(?=[\"'])"
    rf"|rabbitmqctl (?:add_user|change_password) [^ \n]{{1,64}} |sqlplus [^\s/]{{1,64}}/|xfreerdp{_ARGUMENTS}/p:"
    r"|echo (?:-n )?[\"']?(?=[^|\n]{4,80}\| ?sudo -S)|echo [\"']?[\w.-]{1,32}:(?=[^|\n]{4,80}\| ?(?:sudo )?chpasswd)"
    rf"|-u [\"']?[A-Za-z][\w.@-]{{0,63}}:"
    r")[\"']?([^\s\"'`|;<>]{4,64})"
)

_PHRASE_WORD = r"(?:[0-9]{1,2}[.)] ?)?[^\W\d_]{3,8}"
# The words of a wallet; their number is looked at in Python.
SEED_PHRASE = (
    r"[MmSsRrBbWwPpFfСс助12](?i:(?<=m)n[eé]m[oó]ni[a-zó]{1,4}|(?<=s)eed(?![a-z])|(?<=s)ecret phrase"
    r"|(?<=r)ecovery phrase"
    r"|(?<=b)ackup phrase|(?<=w)iederherstellungs(?:phrase|wörter)|(?<=p)hrase (?:de r[eé]cup[eé]ration|secrète)"
    r"|(?<=f)rase (?:semilla|de recupera[cç][iã][oó]n?|di recupero|segreta)|(?<=с)ид-фраза|(?<=w)allet (?=words)"
    r"|(?<=助)[记記][词詞]|(?<![^\W_].)(?<=[12])[24] (?=words))"
    r"(?:[ _-]?(?i:phrase|words|of|for|from|de|der|für|del|du|la)\b(?: [^\W_]{1,12}){0,2}?)?[\"'`*_]{0,4}"
    r"(?: \([^()\n]{0,40}\))?[ \t]{0,4}([:=：]|->|→|is\b|\|(?=[ \t])|(?=\r?\n|\\n)|(?<= ))"
    r"(?:\s|\\n){0,6}(?:> )?[\"'`*]{0,3}"
    rf"({_PHRASE_WORD}(?:(?:,? {{1,3}}|\r?\n {{0,4}}(?=[0-9])){_PHRASE_WORD}){{11,23}}+)(?![\w-])"
)

_CODE = r"[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,12}){0,4}"
# Codes that open an account in place of a second factor.
BACKUP_CODE = (
    r"[BbRrSsWwEeNnCc](?i:(?<=b)ack-?up|(?<=r)ecovery|(?<=r)escue|(?<=s)cratch|(?<=w)iederherstellungs|(?<=e)rsatz"
    r"|(?<=n)otfall|(?<=c)odes? de |(?<=c)[oó]digos? de )"
    r"(?i:[ _-]?codes?|secours|r[eé]cup[eé]ration|respaldo|recuperaci[oó]n)"
    r"[\"'`*_]{0,4}(?: \([^()\n]{0,40}\))?[ \t]{0,4}(?:[:=：]|are\b|is\b)?[\s\"'`*-]{0,6}"
    rf"({_CODE}(?:[,;]?(?: |\r?\n[-* \t]{{0,4}}){_CODE}){{0,24}})"
)
CARD = r"(?<![0-9-])[3-6][0-9](?:[ -]?[0-9]){11,17}(?![0-9])"

_BEARER = r"(?:Bearer|bearer|Basic)[ \t]+([A-Za-z0-9._~+/-]{20,}+={0,2})"
URL = r"://[^\s:/@\"'`<>|?#]{0,128}+:([^\s/\"'`<>|‹›]{3,})@([A-Za-z0-9.\[-]+)"

# What a program that signs in keeps in a file: name and password in base64.
_DOCKER = r"[\"'_]auth[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?([A-Za-z0-9+/]{16,}+={0,2})"

# In the order of their right to a place that two of them claim.
RULES = (
    ("gcp-service-account", ("PRIVATE KEY",), PEM),
    ("private-key", ("PRIVATE KEY",), PEM),
    ("private-key", ("Private-Lines:",), PUTTY),
    *_PREFIXED,
    ("url-password", ("://",), URL),
    ("aws-secret-key", ("aws", "secretaccesskey", "secret_access_key"), ASSIGNMENT),
    ("bearer-token", ("Bearer", "bearer", "Basic"), _BEARER),
    ("docker-auth", ('"auth"', "'auth'", "_auth"), _DOCKER),
    ("wallet-key", ("priv", "прив", "wallet", "私钥", "私鑰"), WALLET_HEX),
    ("wallet-key", _WIF_BEGINS, WIF),
    ("wallet-key", (), BYTES),
    ("secret-assignment", _NAMES, ASSIGNMENT),
    ("secret-assignment", _KEY_NAMES, KEYED),
    ("session-cookie", ("cookie", " -b", *COOKIE_NAMES), COOKIE),
    ("session-cookie", _JAR_HINTS, JAR),
    ("password", (), password_words.WORD),
    ("password", (), password_words.LOGIN),
    ("password", (), OPTION),
    ("pin", (), password_words.PIN_WORD),
    ("seed-phrase", (), SEED_PHRASE),
    ("backup-code", (), BACKUP_CODE),
    ("payment-card", (), CARD),
)

KINDS: tuple[str, ...] = tuple(dict.fromkeys(kind for kind, _, _ in RULES))
"""Every kind of finding, in the order of the rules."""
