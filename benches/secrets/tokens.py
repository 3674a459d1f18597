"""Grammars of the planted secrets: what a value of each kind looks like, never a value.

Prefixes, alphabets and lengths are the vendors' published ones; where a checksum is public (GitHub, npm, Grafana,
Atlassian) it is right. All values come out of the seeded generator that is passed in.
"""

import base64
import hashlib
import json
import string
import zlib

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
BASE62 = DIGITS + UPPER + LOWER
URLSAFE = BASE62 + "-_"
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
WORDS = (
    "amber anchor autumn badger barley basil beacon birch bramble canyon cedar cobalt copper coral cricket dahlia delta "
    "ember falcon fennel fjord garnet ginger granite harbor hazel heron indigo iris jasper juniper kestrel lagoon lantern "
    "larch lichen linden lotus magnet maple marble meadow mercury mistral nectar nutmeg oasis obsidian onyx orchid osprey "
    "otter pebble pepper pine plover poplar quartz quince raven ridge rowan saffron sage salmon sierra slate sparrow spruce "
    "sumac tamarind thistle thunder topaz tulip umber velvet violet walnut willow wren yarrow zephyr zinc"
).split()


def pick(rng, alphabet, length):
    return "".join(rng.choices(alphabet, k=length))


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else data.encode()).decode().rstrip("=")


def base62(number, width):
    digits = ""
    while number:
        number, rest = divmod(number, 62)
        digits = BASE62[rest] + digits
    return digits.rjust(width, "0")


def with_crc62(rng, prefix):
    """GitHub and npm: 30 characters and the CRC32 of them in base 62."""
    body = pick(rng, BASE62, 30)
    return prefix + body + base62(zlib.crc32(body.encode()), 6)


def grafana_service_account(rng):
    """Grafana: the CRC32 of all that comes before it, little-endian hex."""
    head = "glsa_" + pick(rng, BASE62, 32)
    return head + "_" + zlib.crc32(head.encode()).to_bytes(4, "little").hex()


def atlassian(rng):
    head = "ATATT3xFfGF0" + pick(rng, URLSAFE, 171) + "="
    return head + f"{zlib.crc32(head.encode()):08X}"


def pypi(rng):
    """A macaroon: version and location are the same in all of them, then an identifier, caveats and a signature."""
    body = b"\x24" + uuid4(rng).encode() + b"\x00\x02\x2c" + rng.randbytes(60) + b"\x00\x00\x06\x20" + rng.randbytes(32)
    return "pypi-AgEIcHlwaS5vcmcC" + b64url(body)


def jwt(rng, claims=None):
    header = b64url(json.dumps({"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}, separators=(",", ":")))
    claims = claims or {"sub": pick(rng, HEX, 24), "role": rng.choice(["admin", "service_role", "deploy"])}
    claims |= {"iat": 1_780_000_000 + rng.randrange(10**6), "exp": 1_790_000_000 + rng.randrange(10**6)}
    return f"{header}.{b64url(json.dumps(claims, separators=(',', ':')))}.{b64url(rng.randbytes(rng.choice([32, 64])))}"


def openai(rng, prefix):
    return prefix + pick(rng, URLSAFE, 74) + "T3BlbkFJ" + pick(rng, URLSAFE, 74)


def sentry_org(rng):
    claims = {"iat": 1_780_000_000.5 + rng.randrange(10**6), "url": "https://sentry.corp.example", "region_url": "https://us.sentry.corp.example", "org": rng.choice(WORDS)}
    return "sntrys_" + b64(json.dumps(claims, separators=(",", ":"))) + "_" + pick(rng, BASE62 + "+/", 43)


def mapbox(rng):
    claims = {"u": rng.choice(WORDS), "a": "c" + pick(rng, LOWER + DIGITS, 24)}
    return f"sk.{b64url(json.dumps(claims, separators=(',', ':')))}.{pick(rng, URLSAFE, 22)}"


def grafana_cloud(rng):
    claims = {"o": str(rng.randrange(10**5, 10**6)), "n": rng.choice(WORDS), "k": pick(rng, BASE62, 24), "m": {"r": "us"}}
    return "glc_" + b64(json.dumps(claims, separators=(",", ":")))


def onepassword(rng):
    claims = {"signInAddress": "corp.1password.example", "userAuth": {"method": "SRPg-4096"}, "email": pick(rng, LOWER, 8) + "@corp.example", "srpX": pick(rng, HEX, 64), "muk": {"k": pick(rng, URLSAFE, 43)}}
    return "ops_" + b64url(json.dumps(claims, separators=(",", ":")))


def discord(rng):
    return f"{b64url(str(rng.randrange(10**17, 10**18)))}.{pick(rng, URLSAFE, 6)}.{pick(rng, URLSAFE, 38)}"


def slack_digits(rng):
    return f"{rng.randrange(10**11, 10**12)}-{rng.randrange(10**12, 10**13)}"


def aws_secret(rng):
    return pick(rng, BASE62 + "+/", 40)


def uuid4(rng):
    return f"{pick(rng, HEX, 8)}-{pick(rng, HEX, 4)}-4{pick(rng, HEX, 3)}-{rng.choice('89ab')}{pick(rng, HEX, 3)}-{pick(rng, HEX, 12)}"


# (kind, environment variable, whether the value tells what it is without a name beside it, grammar)
VENDORS = [
    ("github-classic", "GITHUB_TOKEN", True, lambda r: with_crc62(r, "ghp_")),
    ("github-oauth", "GH_OAUTH_TOKEN", True, lambda r: with_crc62(r, "gho_")),
    ("github-app", "GITHUB_APP_TOKEN", True, lambda r: with_crc62(r, r.choice(["ghs_", "ghu_", "ghr_"]))),
    ("github-fine-grained", "GH_TOKEN", True, lambda r: f"github_pat_{pick(r, BASE62, 22)}_{pick(r, BASE62, 59)}"),
    ("npm", "NPM_TOKEN", True, lambda r: with_crc62(r, "npm_")),
    ("gitlab-personal", "GITLAB_TOKEN", True, lambda r: "glpat-" + pick(r, URLSAFE, 20)),
    ("gitlab-runner", "RUNNER_TOKEN", True, lambda r: "glrt-" + pick(r, URLSAFE, 20)),
    ("gitlab-trigger", "TRIGGER_TOKEN", True, lambda r: "glptt-" + pick(r, HEX, 40)),
    ("aws-access-key-id", "AWS_ACCESS_KEY_ID", True, lambda r: r.choice(["AKIA", "AKIA", "ASIA"]) + pick(r, BASE32, 16)),
    ("google-api", "GOOGLE_API_KEY", True, lambda r: "AIza" + pick(r, URLSAFE, 35)),
    ("google-oauth-secret", "GOOGLE_CLIENT_SECRET", True, lambda r: "GOCSPX-" + pick(r, URLSAFE, 28)),
    ("google-access", "GOOGLE_ACCESS_TOKEN", True, lambda r: "ya29." + pick(r, URLSAFE, 180)),
    ("slack-bot", "SLACK_BOT_TOKEN", True, lambda r: f"xoxb-{slack_digits(r)}-{pick(r, BASE62, 24)}"),
    ("slack-user", "SLACK_TOKEN", True, lambda r: f"xoxp-{slack_digits(r)}-{r.randrange(10**12, 10**13)}-{pick(r, HEX, 32)}"),
    ("slack-app", "SLACK_APP_TOKEN", True, lambda r: f"xapp-1-A{pick(r, UPPER + DIGITS, 10)}-{r.randrange(10**12, 10**13)}-{pick(r, HEX, 64)}"),
    ("slack-webhook", "SLACK_WEBHOOK_URL", True, lambda r: f"https://hooks.slack.com/services/T{pick(r, UPPER + DIGITS, 10)}/B{pick(r, UPPER + DIGITS, 10)}/{pick(r, BASE62, 24)}"),
    ("stripe-live", "STRIPE_SECRET_KEY", True, lambda r: "sk_live_" + pick(r, BASE62, r.choice([24, 99]))),
    ("stripe-restricted", "STRIPE_KEY", True, lambda r: "rk_live_" + pick(r, BASE62, 99)),
    ("stripe-webhook", "STRIPE_WEBHOOK_SECRET", True, lambda r: "whsec_" + pick(r, BASE62, 32)),
    ("openai-project", "OPENAI_API_KEY", True, lambda r: openai(r, "sk-proj-")),
    ("openai-service", "OPENAI_API_KEY", True, lambda r: openai(r, "sk-svcacct-")),
    ("openai-legacy", "OPENAI_API_KEY", True, lambda r: f"sk-{pick(r, BASE62, 20)}T3BlbkFJ{pick(r, BASE62, 20)}"),
    ("anthropic", "ANTHROPIC_API_KEY", True, lambda r: f"sk-ant-api03-{pick(r, URLSAFE, 93)}AA"),
    ("anthropic-oauth", "CLAUDE_CODE_OAUTH_TOKEN", True, lambda r: f"sk-ant-oat01-{pick(r, URLSAFE, 93)}AA"),
    ("openrouter", "OPENROUTER_API_KEY", True, lambda r: "sk-or-v1-" + pick(r, HEX, 64)),
    ("huggingface", "HF_TOKEN", True, lambda r: "hf_" + pick(r, LOWER + UPPER, 34)),
    ("groq", "GROQ_API_KEY", True, lambda r: f"gsk_{pick(r, BASE62, 20)}WGdyb3FY{pick(r, BASE62, 24)}"),
    ("xai", "XAI_API_KEY", True, lambda r: "xai-" + pick(r, BASE62, 80)),
    ("perplexity", "PERPLEXITY_API_KEY", True, lambda r: "pplx-" + pick(r, BASE62, 48)),
    ("replicate", "REPLICATE_API_TOKEN", True, lambda r: "r8_" + pick(r, BASE62, 37)),
    ("nvidia", "NVIDIA_API_KEY", True, lambda r: "nvapi-" + pick(r, URLSAFE, 64)),
    ("langsmith", "LANGSMITH_API_KEY", True, lambda r: f"lsv2_pt_{pick(r, HEX, 32)}_{pick(r, HEX, 10)}"),
    ("sendgrid", "SENDGRID_API_KEY", True, lambda r: f"SG.{pick(r, URLSAFE, 22)}.{pick(r, URLSAFE, 43)}"),
    ("twilio", "TWILIO_API_KEY", False, lambda r: "SK" + pick(r, HEX, 32)),
    ("mailgun", "MAILGUN_API_KEY", False, lambda r: "key-" + pick(r, HEX, 32)),
    ("brevo", "BREVO_API_KEY", True, lambda r: f"xkeysib-{pick(r, HEX, 64)}-{pick(r, BASE62, 16)}"),
    ("telegram", "TELEGRAM_BOT_TOKEN", True, lambda r: f"{r.randrange(10**9, 10**10)}:AA{pick(r, URLSAFE, 33)}"),
    ("discord", "DISCORD_TOKEN", False, discord),
    ("digitalocean", "DIGITALOCEAN_TOKEN", True, lambda r: "dop_v1_" + pick(r, HEX, 64)),
    ("pypi", "TWINE_PASSWORD", True, pypi),
    ("rubygems", "GEM_HOST_API_KEY", True, lambda r: "rubygems_" + pick(r, HEX, 48)),
    ("dockerhub", "DOCKERHUB_TOKEN", True, lambda r: "dckr_pat_" + pick(r, URLSAFE, 27)),
    ("shopify", "SHOPIFY_TOKEN", True, lambda r: r.choice(["shpat_", "shpss_"]) + pick(r, HEX, 32)),
    ("linear", "LINEAR_API_KEY", True, lambda r: "lin_api_" + pick(r, BASE62, 40)),
    ("notion", "NOTION_TOKEN", True, lambda r: f"ntn_{pick(r, DIGITS, 11)}{pick(r, BASE62, 35)}"),
    ("figma", "FIGMA_TOKEN", True, lambda r: "figd_" + pick(r, URLSAFE, 40)),
    ("databricks", "DATABRICKS_TOKEN", True, lambda r: "dapi" + pick(r, HEX, 32)),
    ("grafana-service", "GRAFANA_TOKEN", True, grafana_service_account),
    ("grafana-cloud", "GRAFANA_CLOUD_TOKEN", True, grafana_cloud),
    ("vault", "VAULT_TOKEN", True, lambda r: "hvs." + pick(r, URLSAFE, 90)),
    ("terraform-cloud", "TF_TOKEN", True, lambda r: f"{pick(r, BASE62, 14)}.atlasv1.{pick(r, URLSAFE, 67)}"),
    ("doppler", "DOPPLER_TOKEN", True, lambda r: "dp.pt." + pick(r, BASE62, 43)),
    ("pulumi", "PULUMI_ACCESS_TOKEN", True, lambda r: "pul-" + pick(r, HEX, 40)),
    ("new-relic", "NEW_RELIC_API_KEY", True, lambda r: "NRAK-" + pick(r, UPPER + DIGITS, 27)),
    ("sentry-org", "SENTRY_AUTH_TOKEN", True, sentry_org),
    ("sentry-user", "SENTRY_AUTH_TOKEN", True, lambda r: "sntryu_" + pick(r, HEX, 64)),
    ("supabase", "SUPABASE_ACCESS_TOKEN", True, lambda r: "sbp_" + pick(r, HEX, 40)),
    ("atlassian", "JIRA_API_TOKEN", True, atlassian),
    ("postman", "POSTMAN_API_KEY", True, lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}"),
    ("square", "SQUARE_TOKEN", True, lambda r: r.choice(["sq0atp-" + pick(r, URLSAFE, 22), "sq0csp-" + pick(r, URLSAFE, 43)])),
    ("age", "SOPS_AGE_KEY", True, lambda r: "AGE-SECRET-KEY-1" + pick(r, BECH32, 58)),
    ("tailscale", "TS_AUTHKEY", True, lambda r: f"tskey-auth-{pick(r, BASE62, 12)}CNTRL-{pick(r, BASE62, 32)}"),
    ("onepassword-service", "OP_SERVICE_ACCOUNT_TOKEN", True, onepassword),
    ("azure-client-secret", "AZURE_CLIENT_SECRET", True, lambda r: f"{pick(r, BASE62, 3)}8Q~{pick(r, BASE62 + '~._-', 33)}{pick(r, BASE62, 1)}"),
    ("azure-storage-key", "AZURE_STORAGE_KEY", False, lambda r: b64(r.randbytes(64))),
    ("mapbox", "MAPBOX_SECRET_TOKEN", True, mapbox),
    ("easypost", "EASYPOST_API_KEY", True, lambda r: "EZAK" + pick(r, BASE62, 54)),
    ("jwt", "ACCESS_TOKEN", True, jwt),
    ("datadog", "DD_API_KEY", False, lambda r: pick(r, HEX, 32)),
    ("cloudflare", "CLOUDFLARE_API_TOKEN", False, lambda r: pick(r, URLSAFE, 40)),
    ("heroku", "HEROKU_API_KEY", False, uuid4),
]


def password(rng, specials="!@#%^*_+=?."):
    """What people and password managers choose; always at least ten characters, never a dictionary word alone."""
    way = rng.randrange(5)
    if way == 0:
        return pick(rng, BASE62, rng.randint(16, 28))
    if way == 1:
        body = pick(rng, BASE62, rng.randint(11, 18))
        at = rng.randrange(3, len(body) - 2)
        return body[:at] + rng.choice(specials) + body[at:] + rng.choice(specials + "7")
    if way == 2:
        return f"{rng.choice(WORDS).capitalize()}-{rng.choice(WORDS)}-{rng.choice(WORDS).capitalize()}{rng.randrange(10, 999)}"
    if way == 3:
        return f"{rng.choice(WORDS).capitalize()}{rng.choice(specials)}{pick(rng, BASE62, 5)}{rng.choice(WORDS)}{rng.randrange(10, 99)}"
    return pick(rng, HEX, rng.choice([32, 40, 64]))


def opaque(rng):
    """A secret as a program makes it."""
    return rng.choice([lambda: pick(rng, BASE62, 40), lambda: pick(rng, HEX, 64), lambda: b64(rng.randbytes(32)), lambda: pick(rng, URLSAFE, 43)])()


def der(tag, body):
    length = len(body)
    if length < 128:
        return bytes([tag, length]) + body
    size = (length.bit_length() + 7) // 8
    return bytes([tag, 0x80 | size]) + length.to_bytes(size, "big") + body


def der_integer(number):
    return der(2, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def rsa_der(rng, bits):
    """The shape of an RSA key; nobody checks whether the factors are prime."""
    half = bits // 2
    p, q = (rng.getrandbits(half) | 1 << half - 1 | 1 for _ in range(2))
    rest = [rng.getrandbits(bits - 1), p, q, rng.getrandbits(half - 1), rng.getrandbits(half - 1), rng.getrandbits(half - 1)]
    return der(0x30, b"".join(map(der_integer, [0, p * q, 65537, *rest])))


RSA_ALGORITHM = bytes.fromhex("300d06092a864886f70d0101010500")
EC_P256 = bytes.fromhex("301306072a8648ce3d020106082a8648ce3d030107")


def armour(label, body, headers="", width=64):
    text = b64(body)
    lines = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    return f"-----BEGIN {label}-----\n{headers}{lines}\n-----END {label}-----"


def pem(rng):
    way = rng.randrange(4)
    if way == 0:
        return armour("RSA PRIVATE KEY", rsa_der(rng, rng.choice([1024, 2048])))
    if way == 1:
        return armour("PRIVATE KEY", der(0x30, der_integer(0) + RSA_ALGORITHM + der(4, rsa_der(rng, 2048))))
    if way == 2:
        return armour("EC PRIVATE KEY", der(0x30, der_integer(1) + der(4, rng.randbytes(32)) + der(0xA0, bytes.fromhex("06082a8648ce3d030107"))))
    return openssh(rng)


def ssh_string(data):
    return len(data).to_bytes(4, "big") + data


def openssh(rng):
    public, check = rng.randbytes(32), rng.randbytes(4)
    blob = ssh_string(b"ssh-ed25519") + ssh_string(public)
    secret = check + check + blob + ssh_string(rng.randbytes(32) + public) + ssh_string(rng.choice(WORDS).encode() + b"@laptop")
    secret += bytes(range(1, 9 - len(secret) % 8)) if len(secret) % 8 else b""
    body = b"openssh-key-v1\0" + ssh_string(b"none") + ssh_string(b"none") + ssh_string(b"") + (1).to_bytes(4, "big") + ssh_string(blob) + ssh_string(secret)
    return armour("OPENSSH PRIVATE KEY", body, width=70)


def pem_encrypted(rng):
    if rng.random() < 0.5:
        iv = pick(rng, "0123456789ABCDEF", 32)
        return armour("RSA PRIVATE KEY", rng.randbytes(1192), f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{iv}\n\n")
    head = bytes.fromhex("06092a864886f70d01050d") + rng.randbytes(70)
    return armour("ENCRYPTED PRIVATE KEY", der(0x30, der(0x30, head) + der(4, rng.randbytes(1232))))


def pgp(rng):
    text = b64(b"\x95\x03\x98\x04" + rng.randbytes(900))
    lines = "\n".join(text[at : at + 64] for at in range(0, len(text), 64))
    return f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{lines}\n={pick(rng, BASE62, 4)}\n-----END PGP PRIVATE KEY BLOCK-----"


def certificate(rng):
    return armour("CERTIFICATE", der(0x30, der(0x30, rng.randbytes(700)) + RSA_ALGORITHM + der(3, b"\0" + rng.randbytes(256))))


def public_pem(rng):
    return armour("PUBLIC KEY", der(0x30, RSA_ALGORITHM + der(3, b"\0" + der(0x30, der_integer(rng.getrandbits(2047)) + der_integer(65537)))))


def digest(value):
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
