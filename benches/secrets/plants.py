"""What is planted into the sessions: secrets in the words around them, and look-alikes that must stay.

A plant is a text whose value is set between marks of the private use area. `generate.py` takes the marks out again and
writes down where each value came to lie.
"""

import html
import json
import urllib.parse
from dataclasses import dataclass, field

from tokens import *  # noqa: F403 - the grammar module is this module's vocabulary

SECRET_OPEN, SECRET_CLOSE, STAY_OPEN, STAY_CLOSE = "\ue000", "\ue001", "\ue002", "\ue003"
MARKS = SECRET_OPEN + SECRET_CLOSE + STAY_OPEN + STAY_CLOSE
REGISTRY = "packages.corp.example"


@dataclass
class Plant:
    kind: str
    stratum: str
    #: `text` fits into any text, `shell` is one command, `prose` a sentence, `object` a part of a tool's arguments.
    shape: str
    body: object
    #: The secret behind an encoding; the value itself where nothing encodes it.
    plain: str = field(default="")


def mark(value):
    return SECRET_OPEN + value + SECRET_CLOSE


def stay(value):
    return STAY_OPEN + value + STAY_CLOSE


def service(rng):
    return rng.choice(["billing", "search", "mailer", "ledger", "catalog", "gateway", "reports", "identity", "uploads", "scheduler"])


def host(rng):
    return f"{rng.choice(['db', 'pg', 'cache', 'queue', 'build'])}-{rng.randrange(1, 9)}.{service(rng)}.corp.example"


def user(rng):
    return rng.choice(["deploy", "ci", "svc_" + service(rng), "admin", "app", "readonly", "backup", rng.choice(WORDS)])


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(part.capitalize() for part in rest)


# A vendor's token in the places where tokens stand.
TOKEN_TEXT = [
    "export {name}={v}",
    "{name}={v}",
    '{name}="{v}"',
    "  {lower}: {v}",
    '  {lower}: "{v}"',
    '    "{lower}": "{v}",',
    '{lower} = "{v}"',
    "const {camel} = '{v}';",
    'let {lower} = "{v}";',
    "      - {name}={v}",
    "> Authorization: Bearer {v}",
    "2026-03-1{d}T08:1{d}:44.12{d}Z DEBUG client: x-api-key={v} status=200",
    "GET https://api.{service}.corp.example/v1/items?access_token={v}&limit=50",
    "+{name}={v}",
    '[{service}]\ntoken = "{v}"\ntimeout = 30',
]
TOKEN_BARE = ["{v}", "{d}: {v}", "created new credential\n{v}\nstore it now, it is shown once"]
TOKEN_SHELL = [
    "export {name}={v} && ./scripts/release.sh {service}",
    "{name}={v} make publish-{service}",
    "curl -sS -H 'Authorization: Bearer {v}' https://api.{service}.corp.example/v1/items | jq .",
    "{service}-cli login --token {v} --quiet",
    "echo '{name}={v}' >> .env",
    "docker run --rm -e {name}={v} {service}:latest ./run",
]
TOKEN_PROSE = [
    "for the staging {service} use {v} please, I will rotate it afterwards",
    "I see the {lower} in the log is `{v}`; it should not be printed there.",
    "The {service} call fails with 401. My token: {v}",
]


def vendor(rng, entry):
    kind, name, tells, grammar = entry
    v = grammar(rng)
    shape = rng.choices(["text", "bare", "shell", "prose", "object", "key"], [50, 12 if tells else 0, 18, 8, 9, 3 if tells else 0])[0]
    parts = {"v": mark(v), "name": name, "lower": name.lower(), "camel": camel(name), "service": service(rng), "d": rng.randrange(10)}
    fill = lambda forms: rng.choice(forms).format(**parts)
    if shape == "object":
        body = rng.choice([{"env": {name: mark(v)}}, {"headers": {"Authorization": f"Bearer {mark(v)}"}}, {"config": {name.lower(): mark(v)}}])
    elif shape == "key":
        shape, body = "object", {"active_tokens": {mark(v): {"owner": service(rng), "uses": rng.randrange(99)}}}
    else:
        body = fill({"text": TOKEN_TEXT, "bare": TOKEN_BARE, "shell": TOKEN_SHELL, "prose": TOKEN_PROSE}[shape])
        shape = "text" if shape == "bare" else shape
    return Plant(kind, "vendor", shape, body, v)


# Secrets that only their name or the structure around them gives away: (kind, shape, value, forms).
PASSWORD_NAMES = ["DB_PASSWORD", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "SMTP_PASS", "ADMIN_PASSWORD", "MYSQL_ROOT_PASSWORD", "RABBITMQ_DEFAULT_PASS"]
SECRET_NAMES = ["SECRET_KEY", "JWT_SECRET", "SESSION_SECRET", "CLIENT_SECRET", "ENCRYPTION_KEY", "WEBHOOK_SECRET", "API_SECRET", "SIGNING_KEY"]
KEYED = [
    ("env-password", "text", password, ["{P}={v}", "export {P}={v}", "{P}='{v}'", "      {P}: {v}", "ENV {P}={v}", "set {P}={v}", "$env:{P} = \"{v}\""]),
    ("env-secret", "text", opaque, ["{S}={v}", "export {S}={v}", '{S}="{v}"', "  {S}: {v}", "{service}_{S}={v}"]),
    ("aws-secret-key", "text", aws_secret, ["AWS_SECRET_ACCESS_KEY={v}", "aws_secret_access_key = {v}", "export AWS_SECRET_ACCESS_KEY='{v}'", '    "SecretAccessKey": "{v}",']),
    ("json-password", "text", password, ['  "password": "{v}",', '{{"user":"{user}","password":"{v}","host":"{host}"}}', '    "db_password": "{v}"', '  "clientSecret": "{v}",']),
    ("yaml-password", "text", password, ["database:\n  host: {host}\n  username: {user}\n  password: {v}", "  password: '{v}'", "    api_secret: {v}", "auth:\n  rootPassword: \"{v}\""]),
    ("toml-secret", "text", opaque, ['[auth]\nclient_id = "{service}"\nclient_secret = "{v}"', 'secret-key = "{v}"']),
    ("properties-password", "text", password, ["spring.datasource.username={user}\nspring.datasource.password={v}", "ssl.keystore.password={v}", "jdbc.password = {v}"]),
    ("code-password", "text", password, ["    password = \"{v}\"", "const dbPassword = '{v}';", "define('DB_PASSWORD', '{v}');", "    .password(\"{v}\")", "conn = connect(host=\"{host}\", user=\"{user}\", password=\"{v}\")"]),
    ("django-secret-key", "text", lambda r: pick(r, LOWER + DIGITS + "!@#$%^&*(-_=+)", 50), ["SECRET_KEY = '{v}'", "SECRET_KEY = 'django-insecure-{v}'"]),
    ("terraform-variable", "text", password, ['variable "db_password" {{\n  type    = string\n  default = "{v}"\n}}', 'admin_password = "{v}"']),
    ("xml-password", "text", password, ["    <server>\n      <id>corp</id>\n      <username>{user}</username>\n      <password>{v}</password>\n    </server>", '<add key="SmtpPassword" value="{v}" />']),
    ("cli-password-flag", "shell", password, ["{service}-admin --user {user} --password {v} --host {host}", "{service}-admin --password='{v}' users list", "helm upgrade {service} ./chart --set auth.password={v}", "vault-lite put {service}/prod --secret={v}"]),
    ("mysql-p-flag", "shell", password, ["mysql -h {host} -u {user} -p'{v}' {service} -e 'select 1'", "mysqldump -u{user} -p{v} {service} > dump.sql"]),
    ("pgpassword", "shell", password, ["PGPASSWORD={v} psql -h {host} -U {user} -c 'select 1'", "PGPASSWORD='{v}' pg_dump -h {host} {service}"]),
    ("sshpass", "shell", password, ["sshpass -p '{v}' ssh {user}@{host} uptime", "sshpass -p {v} scp dist.tar {user}@{host}:/srv"]),
    ("redis-cli", "shell", password, ["redis-cli -h {host} -a {v} ping", "redis-cli -h {host} -a '{v}' --no-auth-warning info"]),
    ("docker-login", "shell", password, ["docker login -u {user} -p {v} packages.corp.example", "echo '{v}' | docker login --username {user} --password-stdin packages.corp.example"]),
    ("curl-user", "shell", password, ["curl -fsS -u {user}:{v} https://{host}/api/health", "curl --user '{user}:{v}' -X POST https://{host}/api/jobs", "wget --user={user} --password={v} https://{host}/x.tgz"]),
    ("url-postgres", "text", lambda r: password(r, "!*_."), ["DATABASE_URL=postgres://{user}:{v}@{host}:5432/{service}", 'url: "postgresql+asyncpg://{user}:{v}@{host}/{service}?sslmode=require"', "connecting to postgresql://{user}:{v}@{host}:5432/{service}"]),
    ("url-mysql", "text", lambda r: password(r, "!*_."), ["mysql://{user}:{v}@{host}:3306/{service}", "SQLALCHEMY_DATABASE_URI = 'mysql+pymysql://{user}:{v}@{host}/{service}'"]),
    ("url-redis", "text", lambda r: password(r, "!*_."), ["REDIS_URL=rediss://:{v}@{host}:6380/0", "redis://{user}:{v}@{host}:6379"]),
    ("url-mongodb", "text", lambda r: password(r, "!*_."), ["MONGO_URI=mongodb+srv://{user}:{v}@{host}/?retryWrites=true&w=majority", "mongodb://{user}:{v}@{host}:27017/{service}"]),
    ("url-amqp", "text", lambda r: password(r, "!*_."), ["amqps://{user}:{v}@{host}:5671/{service}", "CELERY_BROKER_URL: amqp://{user}:{v}@{host}//"]),
    ("url-https-git", "text", lambda r: password(r, "!*_."), ["origin\thttps://{user}:{v}@git.corp.example/{service}.git (fetch)", "git clone https://{user}:{v}@git.corp.example/team/{service}.git", "    url = https://oauth2:{v}@git.corp.example/team/{service}.git"]),
    ("netrc", "text", password, ["machine {host} login {user} password {v}", "machine {host}\n  login {user}\n  password {v}"]),
    ("pgpass", "text", lambda r: password(r, "!#_."), ["$ cat ~/.pgpass\n{host}:5432:{service}:{user}:{v}"]),
    ("npmrc-auth-token", "text", lambda r: r.choice([uuid4, opaque])(r), ["//" + REGISTRY + "/:_authToken={v}", "@corp:registry=https://" + REGISTRY + "/\n//" + REGISTRY + "/:_authToken={v}\nalways-auth=true"]),
    ("npmrc-auth", "text", lambda r: b64(f"{user(r)}:{password(r)}"), ["//" + REGISTRY + "/:_auth={v}", "_auth = {v}\nemail = ci@corp.example"]),
    ("pypirc", "text", password, ["[corp]\nrepository = https://" + REGISTRY + "/legacy/\nusername = {user}\npassword = {v}"]),
    ("docker-config-auth", "text", lambda r: b64(f"{user(r)}:{password(r)}"), ['{{\n\t"auths": {{\n\t\t"packages.corp.example": {{\n\t\t\t"auth": "{v}"\n\t\t}}\n\t}}\n}}', '{{"auths":{{"{host}":{{"auth":"{v}"}}}}}}']),
    ("kubeconfig-client-key", "text", lambda r: b64(armour("RSA PRIVATE KEY", rsa_der(r, 2048)) + "\n"), ["users:\n- name: {user}\n  user:\n    client-key-data: {v}", "    client-key-data: {v}"]),
    ("kubeconfig-token", "text", lambda r: jwt(r, {"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:prod:" + service(r)}), ["users:\n- name: {user}\n  user:\n    token: {v}"]),
    ("k8s-secret-data", "text", lambda r: b64(password(r)), ["apiVersion: v1\nkind: Secret\nmetadata:\n  name: {service}-db\ntype: Opaque\ndata:\n  password: {v}", "kind: Secret\ndata:\n  db-password: {v}\nmetadata:\n  name: {service}"]),
    ("k8s-env-value", "text", password, ["        env:\n        - name: DB_PASSWORD\n          value: \"{v}\"", "    - name: {P}\n      value: {v}"]),
    ("basic-auth-header", "text", lambda r: b64(f"{user(r)}:{password(r)}"), ["Authorization: Basic {v}", "> authorization: Basic {v}", "    headers={{\"Authorization\": \"Basic {v}\"}}", "curl -H 'Authorization: Basic {v}' https://{host}/"]),
    ("bearer-opaque", "text", opaque, ["Authorization: Bearer {v}", "  'Authorization': 'Bearer {v}',", "< authorization: bearer {v}"]),
    ("api-key-header", "text", opaque, ["X-Api-Key: {v}", "-H 'x-api-key: {v}'", "    \"X-Auth-Token\": \"{v}\","]),
    ("set-cookie-session", "text", lambda r: pick(r, URLSAFE, 64), ["Set-Cookie: session={v}; Path=/; HttpOnly; Secure", "Cookie: sessionid={v}"]),
    ("pem", "text", pem, ["{v}", "$ cat ~/.ssh/id_{service}\n{v}"]),
    ("pem-encrypted", "text", pem_encrypted, ["{v}"]),
    ("pgp-private", "text", pgp, ["{v}"]),
    ("pem-truncated", "text", lambda r: "\n".join(armour("RSA PRIVATE KEY", rsa_der(r, 2048)).split("\n")[: r.randint(5, 14)]), ["$ head -{d}0 server.key\n{v}\n[output cut]"]),
    ("pem-escaped", "text", lambda r: pem(r).replace("\n", "\\n"), ['PRIVATE_KEY="{v}\\n"', '  "private_key": "{v}\\n",']),
    ("gcp-service-account", "text", lambda r: armour("PRIVATE KEY", der(0x30, der_integer(0) + RSA_ALGORITHM + der(4, rsa_der(r, 2048)))).replace("\n", "\\n"), ['{{\n  "type": "service_account",\n  "project_id": "{service}-prod",\n  "private_key_id": "{hex40}",\n  "private_key": "{v}\\n",\n  "client_email": "{service}@{service}-prod.example",\n  "client_id": "10{digits}"\n}}']),
    ("ado-connection-string", "text", lambda r: password(r, "!@#^_+."), ["Server=tcp:{host},1433;Initial Catalog={service};User ID={user};Password={v};Encrypt=True;", '"Default": "Data Source={host};User Id={user};Pwd={v};Connection Timeout=30"']),
    ("odbc-connection-string", "text", lambda r: password(r, "!@#^_+."), ["Driver={{ODBC Driver 18 for SQL Server}};Server={host};Uid={user};Pwd={v};", "DSN={service};UID={user};PWD={v}"]),
    ("jdbc-url-parameter", "text", lambda r: password(r, "_."), ["jdbc:postgresql://{host}/{service}?user={user}&password={v}&ssl=true", "jdbc:sqlserver://{host}:1433;databaseName={service};user={user};password={v}"]),
    ("azure-storage-connection", "text", lambda r: b64(r.randbytes(64)), ["DefaultEndpointsProtocol=https;AccountName={service}prod;AccountKey={v};EndpointSuffix=core.windows.net"]),
    ("azure-sas", "text", lambda r: urllib.parse.quote(b64(r.randbytes(32)), safe=""), ["https://{service}prod.blob.core.windows.net/backups?sv=2024-11-04&ss=b&srt=sco&sp=rwdl&se=2027-01-01T00:00:00Z&sig={v}"]),
    ("sql-identified-by", "text", lambda r: password(r, "!@#_."), ["CREATE USER '{user}'@'%' IDENTIFIED BY '{v}';", "ALTER ROLE {user} WITH LOGIN PASSWORD '{v}';", "CREATE LOGIN {user} WITH PASSWORD = N'{v}';"]),
    ("ansible-password", "text", password, ["{host} ansible_user={user} ansible_password={v}", "ansible_become_pass: {v}"]),
    ("wireguard", "text", lambda r: b64(r.randbytes(32)), ["[Interface]\nAddress = 10.8.0.{d}/24\nPrivateKey = {v}"]),
    ("prose-password", "prose", password, ["the {service} password is {v}, log in as {user} on {host}", "Login on {host}: {user} / {v} (password changes monthly)", "Please use password {v} for the {service} dashboard."]),
    ("object-password", "object", password, [{"config": {"host": "{host}", "user": "{user}", "password": "{v}"}}, {"env": {"{P}": "{v}"}}, {"connection": {"dbPassword": "{v}", "port": 5432}}]),
    ("object-secret", "object", opaque, [{"client_secret": "{v}"}, {"headers": {"X-Api-Key": "{v}"}}, {"env": {"{S}": "{v}"}}]),
    ("object-url", "object", lambda r: password(r, "!*_."), [{"dsn": "postgres://{user}:{v}@{host}:5432/{service}"}, {"url": "https://{user}:{v}@{host}/hook"}]),
    ("object-aws", "object", aws_secret, [{"env": {"AWS_REGION": "eu-west-1", "AWS_SECRET_ACCESS_KEY": "{v}"}}, {"credentials": {"secretAccessKey": "{v}"}}]),
]


def format_deep(form, parts):
    if isinstance(form, dict):
        return {format_deep(key, parts): format_deep(value, parts) for key, value in form.items()}
    return form.format(**parts) if isinstance(form, str) else form


def surroundings(rng):
    return {
        "P": rng.choice(PASSWORD_NAMES), "S": rng.choice(SECRET_NAMES), "service": service(rng), "user": user(rng), "host": host(rng),
        "d": rng.randrange(1, 10), "hex40": pick(rng, HEX, 40), "digits": pick(rng, DIGITS, 19),
    }


def keyed(rng, entry):
    kind, shape, grammar, forms = entry
    v = grammar(rng)
    return Plant(kind, "keyed", shape, format_deep(rng.choice(forms), surroundings(rng) | {"v": mark(v)}), v)


# Encodings: the value that counts is the whole encoded run.
def inner(rng):
    """A line with a secret and the secret in it."""
    if rng.random() < 0.6:
        _, name, _, grammar = rng.choice([entry for entry in VENDORS if entry[2]])
        v = grammar(rng)
        return name, v
    return rng.choice(PASSWORD_NAMES), password(rng)


def strong_token(rng):
    _, name, _, grammar = rng.choice([entry for entry in VENDORS if entry[2] and entry[0] not in ("slack-webhook", "jwt")])
    return name, grammar(rng)


def cut(rng, v):
    at = rng.randrange(len(v) // 3, 2 * len(v) // 3)
    return v[:at], v[at:]


def encode_base64(rng):
    name, v = inner(rng)
    blob = mark(b64(f"{name}={v}\n"))
    return v, rng.choice([f"$ base64 -w0 .env\n{blob}", f"    data: {blob}", f"ENV_FILE_B64={blob}", f"echo {blob} | base64 -d > .env"])


def encode_base64_json(rng):
    name, v = inner(rng)
    blob = b64(json.dumps({"service": service(rng), "env": {name: v}}))
    return v, rng.choice(["config={b}", '  "payload": "{b}",', "{b}"]).format(b=mark(blob))


def encode_base64_url(rng):
    name, v = inner(rng)
    return v, f"https://{service(rng)}.corp.example/resume?state={mark(b64url(json.dumps({'next': '/', name.lower(): v})))}"


def encode_base64_utf16(rng):
    name, v = inner(rng)
    return v, f"powershell.exe -NoProfile -EncodedCommand {mark(b64((f'$env:{name}=' + chr(39) + v + chr(39)).encode('utf-16-le')))}"


def encode_base64_twice(rng):
    name, v = inner(rng)
    return v, f"CI_VARS={mark(b64(b64(f'{name}={v}')))}"


def encode_data_uri(rng):
    name, v = inner(rng)
    return v, f'<a download=".env" href="data:text/plain;base64,{mark(b64(f"{name}={v}"))}">env</a>'


def encode_hex(rng):
    name, v = inner(rng)
    return v, rng.choice(["printf '{b}' | xxd -r -p", "0x{b}", "hex: {b}"]).format(b=mark(f"{name}={v}".encode().hex()))


def encode_hex_escapes(rng):
    name, v = strong_token(rng)
    return v, f"export {name}=$'{mark(''.join(f'{chr(92)}x{ord(c):02x}' for c in v))}'"


def encode_url(rng):
    v = pick(rng, BASE62, 7) + rng.choice("&=/+ @:") + pick(rng, BASE62, 6) + rng.choice("!#%?")
    quoted = mark(urllib.parse.quote(v, safe=""))
    return v, rng.choice([f"grant_type=password&username={user(rng)}&password={quoted}&scope=all", f"postgres://{user(rng)}:{quoted}@{host(rng)}/{service(rng)}", f"curl -d 'password={quoted}' https://{host(rng)}/login"])


def encode_url_all(rng):
    name, v = strong_token(rng)
    return v, f"GET /callback?{name.lower()}={mark(''.join(f'%{ord(c):02X}' for c in v))}&state=ok HTTP/1.1"


def encode_url_twice(rng):
    v = pick(rng, BASE62, 7) + rng.choice("&=/+@:") + pick(rng, BASE62, 6) + rng.choice("!#%?")
    quoted = urllib.parse.quote(urllib.parse.quote(v, safe=""), safe="")
    return v, f"https://{host(rng)}/go?next=https%3A%2F%2Fapp.corp.example%2F%3Fpassword%3D{mark(quoted)}"


def encode_json_unicode(rng):
    name, v = strong_token(rng)
    every = rng.random() < 0.5
    escaped = "".join(f"\\u{ord(c):04x}" if every or not c.isalnum() or rng.random() < 0.3 else c for c in v)
    return v, rng.choice([f'{{"{name.lower()}":"{mark(escaped)}"}}', f'  "{name}": "{mark(escaped)}",'])


def encode_html(rng):
    if rng.random() < 0.5:
        name, v = strong_token(rng)
        escaped = "".join(rng.choice([f"&#{ord(c)};", f"&#x{ord(c):x};"]) if rng.random() < 0.4 else c for c in v)
        return v, f"<code>{name}={mark(escaped)}</code>"
    v = pick(rng, BASE62, 6) + rng.choice("&<>\"'") + pick(rng, BASE62, 6) + rng.choice("&<>")
    return v, f'<input type="password" name="password" value="{mark(html.escape(v))}">'


def encode_ansi(rng):
    name, v = strong_token(rng)
    first, second = cut(rng, v)
    return v, f"\x1b[1m{name}\x1b[0m=\x1b[32m{mark(first + chr(27) + '[0m' + chr(27) + '[33m' + second)}\x1b[0m"


def encode_ansi_around(rng):
    name, v = inner(rng)
    return v, f"\x1b[36m{name}\x1b[0m\x1b[90m=\x1b[0m\x1b[1;31m{mark(v)}\x1b[0m"


# Zero-width space, non-joiner and joiner, word joiner, soft hyphen, byte order mark.
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\u00ad\ufeff"


def encode_zero_width(rng):
    name, v = strong_token(rng)
    first, second = cut(rng, v)
    return v, f"{name}={mark(first + rng.choice(ZERO_WIDTH) + second)}"


def nested(rng, depth):
    name, v = inner(rng)
    if rng.random() < 0.3:
        v = pem(rng)
        value = {"key": "id_" + service(rng), "private_key": mark(v)}
    else:
        value = rng.choice([{"env": {name: mark(v)}}, {"stdout": f"{name}={mark(v)}\n"}, {"headers": {"Authorization": "Bearer " + mark(v)}}])
    for level in range(depth - 1):
        value = {"id": pick(rng, LOWER + DIGITS, 8), rng.choice(["body", "result", "payload", "message"]): json.dumps(value, ensure_ascii=False)}
    return v, json.dumps(value, ensure_ascii=False)


def encode_shell_split(rng):
    name, v = strong_token(rng)
    first, second = cut(rng, v)
    quotes = [('"', '""', '"'), ("'", "'", ""), ("", "\\\n", ""), ("", '"', '"'), ("", "''", "")]
    before, between, after = rng.choice(quotes)
    return v, f"export {name}={before}{mark(first + between + second)}{after}"


def encode_source_split(rng):
    name, v = strong_token(rng)
    first, second = cut(rng, v)
    return v, rng.choice([f'{name.lower()} = "{mark(f"{first}{chr(34)} + {chr(34)}{second}")}"', f"const {camel(name)} = '{mark(f'{first}{chr(39)} +{chr(10)}  {chr(39)}{second}')}';", f'{name} = ("{mark(f"{first}{chr(34)}{chr(10)}    {chr(34)}{second}")}")'])


def encode_line_numbers(rng):
    lines = pem(rng).split("\n")
    start = rng.randrange(1, 60)
    numbered = [f"{start + at:>6}→{line}" for at, line in enumerate(lines)]
    return "\n".join(lines), "\n".join([numbered[0][:7] + SECRET_OPEN + numbered[0][7:], *numbered[1:-1], numbered[-1] + SECRET_CLOSE])


def encode_indented_pem(rng):
    lines = pem(rng).split("\n")
    return "\n".join(lines), "tls:\n  key: |\n    " + mark("\n    ".join(lines))


ENCODED = [
    ("base64", "text", encode_base64),
    ("base64-json", "text", encode_base64_json),
    ("base64-url-safe", "text", encode_base64_url),
    ("base64-utf16", "shell", encode_base64_utf16),
    ("base64-twice", "text", encode_base64_twice),
    ("base64-data-uri", "text", encode_data_uri),
    ("hex", "text", encode_hex),
    ("hex-escapes", "shell", encode_hex_escapes),
    ("percent", "text", encode_url),
    ("percent-every-character", "text", encode_url_all),
    ("percent-twice", "text", encode_url_twice),
    ("json-unicode-escapes", "text", encode_json_unicode),
    ("html-entities", "text", encode_html),
    ("ansi-inside", "text", encode_ansi),
    ("ansi-around", "text", encode_ansi_around),
    ("zero-width-inside", "text", encode_zero_width),
    ("json-in-json-2", "text", lambda rng: nested(rng, 2)),
    ("json-in-json-3", "text", lambda rng: nested(rng, 3)),
    ("shell-split", "shell", encode_shell_split),
    ("source-split", "text", encode_source_split),
    ("pem-line-numbers", "text", encode_line_numbers),
    ("pem-indented", "text", encode_indented_pem),
]


def encoded(rng, entry):
    kind, shape, make = entry
    plain, body = make(rng)
    return Plant(kind, "encoded", shape, body, plain)


def sha(rng):
    return pick(rng, HEX, 40)


def sri(rng):
    return "sha512-" + b64(rng.randbytes(64))


def ssh_public(rng):
    return "ssh-ed25519 " + b64(ssh_string(b"ssh-ed25519") + ssh_string(rng.randbytes(32))) + f" {rng.choice(WORDS)}@laptop"


def plain_stay(value, *forms):
    """An entry whose whole value is made by `value` and set into one of `forms`."""
    return lambda rng: rng.choice(forms).format(v=stay(value(rng)), **surroundings(rng))


def lines_stay(*lines):
    """Whole lines, as they are."""
    return lambda rng: stay(rng.choice(lines).format(**surroundings(rng)))


# Look-alikes: kind and text.
STAYS = [
    ("git-sha", plain_stay(sha, "commit {v}", "HEAD is now at {v}", "index {v}", "{v} refs/heads/main")),
    ("git-diff-index", lambda r: f"index {stay(pick(r, HEX, 12) + '..' + pick(r, HEX, 12))} 100644"),
    ("sha256", plain_stay(lambda r: pick(r, HEX, 64), "{v}  dist/{service}.tar.gz", "packages.corp.example/{service}@sha256:{v}", "sha256:{v}", 'checksum = "{v}"')),
    ("md5", plain_stay(lambda r: pick(r, HEX, 32), "{v}  dist/{service}.tar.gz", "ETag: \"{v}\"")),
    ("uuid", plain_stay(uuid4, "request_id={v}", '  "id": "{v}",', "session {v} resumed", "trace {v}")),
    ("sri", plain_stay(sri, 'integrity="{v}" crossorigin', '      "integrity": "{v}",', "  integrity {v}")),
    ("yarn-resolved", plain_stay(lambda r: pick(r, HEX, 40), '  resolved "https://' + REGISTRY + '/{service}/-/{service}-1.4.{d}.tgz#{v}"')),
    ("go-sum", plain_stay(lambda r: f"h1:{b64(r.randbytes(32))}", "git.corp.example/{service} v1.{d}.0 {v}", "git.corp.example/{service} v1.{d}.0/go.mod {v}")),
    ("tool-id", plain_stay(lambda r: r.choice(["toolu_01", "msg_01", "req_011", "call_", "srvtoolu_01"]) + pick(r, BASE62, 22), '"tool_use_id": "{v}"', "pending {v}")),
    ("public-key-pem", lambda r: stay(public_pem(r))),
    ("certificate", lambda r: stay(certificate(r))),
    ("ssh-public", lambda r: stay(ssh_public(r))),
    ("ssh-fingerprint", plain_stay(lambda r: "SHA256:" + b64(r.randbytes(32)).rstrip("="), "256 {v} {user}@{host} (ED25519)", "ED25519 key fingerprint is {v}.")),
    ("known-hosts", lambda r: f"{host(r)} {stay(ssh_public(r).rsplit(' ', 1)[0])}"),
    ("age-recipient", plain_stay(lambda r: "age1" + pick(r, BECH32.lower(), 58), "recipients:\n  - {v}", "age -r {v} -o out.age in")),
    ("jwk-public", lambda r: stay(json.dumps({"kty": "RSA", "use": "sig", "kid": pick(r, HEX, 16), "n": b64url(r.randbytes(256)), "e": "AQAB"}))),
    ("placeholder", lines_stay("API_KEY=<your-api-key>", "export GITHUB_TOKEN=YOUR_TOKEN_HERE", 'password: "********"', "SECRET_KEY=change-me-in-production", "token: xxxxxxxxxxxxxxxxxxxxxxxx", "DB_PASSWORD=[REDACTED]", "OPENAI_API_KEY=sk-...", "GH_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 'api_key = "TODO"', "AWS_SECRET_ACCESS_KEY=<secret>", "password = \"...\"", "STRIPE_SECRET_KEY=sk_live_XXXXXXXXXXXXXXXXXXXXXXXX")),
    ("environment-reference", lines_stay("password: ${{DB_PASSWORD}}", "DB_PASSWORD=$POSTGRES_PASSWORD", "const key = process.env.API_KEY;", 'SECRET_KEY = os.environ["SECRET_KEY"]', "  token: ${{{{ secrets.DEPLOY_TOKEN }}}}", "  password: {{{{ .Values.db.password }}}}", 'let token = std::env::var("{S}")?;', "PGPASSWORD=\"$PGPASSWORD\" psql -h {host}", "curl -u \"$USER:$PASS\" https://{host}", "postgres://${{DB_USER}}:${{DB_PASSWORD}}@{host}/{service}", "Authorization: Bearer $TOKEN", "password = var.db_password", "export {P}=\"$(pass show {service}/db)\"")),
    ("type-annotation", lines_stay("    password: str", "  apiKey: string;", "pub token: Option<String>,", "password: Optional[str] = None", "secret: Secret<String>,", "  readonly accessToken?: string | undefined;", "api_key: SecretStr = Field(...)", "def login(username: str, password: str) -> Session:", "fn token(&self) -> &str;")),
    ("documentation", lines_stay("Authorization: Bearer <token>", "Send `Authorization: Bearer YOUR_TOKEN` with every request.", "curl -u user:password https://api.corp.example", "usage: login --password PASSWORD", "postgres://user:password@localhost:5432/mydb", "  --token <TOKEN>  access token of the account", "The password must have at least 12 characters.", "Set `client_secret` to the secret of your app.", "mysql -u root -p", "Authorization: Basic <credentials>")),
    ("code-reference", lines_stay("password = getpass.getpass()", "token = get_token(request)", "const token = await auth.getAccessToken();", "self.api_key = api_key", "password=self._password,", "secret = hmac.new(key, msg, hashlib.sha256)", "if (token === undefined) return;", "let password = read_password()?;", "private_key = load_pem_private_key(data, password=None)", "this.secretKey = options.secretKey;", "tokens = tokenizer.encode(text)")),
    ("secret-reference", lines_stay("    valueFrom:\n      secretKeyRef:\n        name: {service}-db\n        key: password", "password_file: /run/secrets/db_password", "--token-file /var/run/secrets/token", "vault kv get -field=password secret/{service}/db", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:{service}/db-Ab3dE9", "op://prod/{service}/password", "secretName: {service}-tls")),
    ("interface-text", lines_stay('"password": "Passwort",', '"forgot_password": "Forgot your password?",', "Enter password: ", "msgid \"Invalid token\"", "password: must be at least 8 characters", '"token_type": "bearer",', "label.password=Password", "error: token expired", "passwordPolicy: {{ minLength: 12, requireDigits: true }}")),
    ("token-counts", lines_stay('"input_tokens": 20389, "output_tokens": 512', "max_tokens=4096", "tokens: 18,204 (cache 12,060)", "Original token count: 386", "token_count = 52318")),
    ("cache-key", plain_stay(lambda r: f"linux-cargo-{pick(r, HEX, 64)}", "Cache restored from key: {v}", "  key: {v}")),
    ("publishable-key", plain_stay(lambda r: "pk_live_" + pick(r, BASE62, 24), "STRIPE_PUBLISHABLE_KEY={v}")),
    ("data-uri-image", plain_stay(lambda r: b64(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + r.randbytes(180)), '<img src="data:image/png;base64,{v}">', "background: url(data:image/png;base64,{v})")),
    ("font-base64", plain_stay(lambda r: b64(b"wOF2" + r.randbytes(240)), "src: url(data:font/woff2;base64,{v})")),
    ("source-map", lambda r: stay('{"version":3,"file":"app.js","mappings":"' + ";".join("".join(r.choices(["AAAA", "CACA", "SAAS", "GAAG", "OAAO", "KAAK", "EAAE", "YAAY"], k=6)) for _ in range(14)) + '"}')),
    ("minified", lambda r: stay("!function(e,t){" + "".join(f"var {pick(r, LOWER, 1)}=e.{pick(r, LOWER, 6)}({r.randrange(999)});" for _ in range(14)) + "}(this,document);")),
    ("css-module", lambda r: stay(f'class="Button_root__{pick(r, BASE62, 5)} Card_body__{pick(r, BASE62, 5)}"')),
    ("docker-build", plain_stay(lambda r: pick(r, HEX, 64), "#{d} sha256:{v} 29.1MB / 29.1MB 1.{d}s done", " ---> Running in {v}")),
    ("signature", plain_stay(lambda r: b64(r.randbytes(71)), "sig: {v}", "untrusted comment: signature\n{v}")),
    ("public-key-token", plain_stay(lambda r: pick(r, HEX, 16), "{service}, Version=4.0.0.0, Culture=neutral, PublicKeyToken={v}")),
    ("dns-key", plain_stay(lambda r: "v=DKIM1; k=rsa; p=" + b64(r.randbytes(162)), 'mail._domainkey IN TXT "{v}"')),
    ("csp-nonce", plain_stay(lambda r: b64(r.randbytes(16)), "script-src 'nonce-{v}' 'strict-dynamic'")),
    ("resource-id", plain_stay(lambda r: r.choice(["vpc-0", "i-0", "ami-0", "subnet-0"]) + pick(r, HEX, 16), "id = {v}", "modified {v}")),
    ("graphql-id", plain_stay(lambda r: b64(f"PullRequest:{r.randrange(10**8, 10**9)}"), '"node_id": "{v}"')),
    ("long-path", lambda r: stay("/".join(r.choices(WORDS, k=9)) + f"/mod_{pick(r, HEX, 16)}.rs")),
    ("mangled-symbol", plain_stay(lambda r: f"_ZN4{r.choice(WORDS)[:4]}7{pick(r, LOWER, 7)}17h{pick(r, HEX, 16)}E", "   3: 0x55d1c0de{d}a{d} - {v}")),
]


def stays(rng, entry):
    kind, make = entry
    return Plant(kind, "stay", "text", make(rng))


SECRETS = [(entry[0], vendor, entry) for entry in VENDORS] + [(e[0], keyed, e) for e in KEYED] + [(e[0], encoded, e) for e in ENCODED]
