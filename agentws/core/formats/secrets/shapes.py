"""The shapes of secrets: rules (kind, required substrings, pattern) as providers publish them, strictest first."""

from agentws.core.formats.secrets import password_words

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
    ("launchdarkly-key", ("sdk-",), r"sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
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
    ("hubspot-token", ("pat-na", "pat-eu"), r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
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
    r"((?:[^\s\"'`<>|,;&‹›…]|&(?![A-Za-z_-]{1,40}=)){16,1024})"
)
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
    ("secret-assignment", _NAMES, ASSIGNMENT),
    ("password", (), password_words.WORD),
    ("password", (), password_words.LOGIN),
    ("pin", (), password_words.PIN_WORD),
)

KINDS: tuple[str, ...] = tuple(dict.fromkeys(kind for kind, _, _ in RULES))
"""Every kind of finding, in the order of the rules."""
