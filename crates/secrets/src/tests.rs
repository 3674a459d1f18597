use proptest::prelude::*;

use super::{find, personal, redact, redact_words, secrets};

/// Texts and what becomes of them. Values are made up; prefixes are glued on so that no scanner mistakes this file.
#[test]
fn secrets_are_replaced_and_the_rest_is_kept() {
    let body = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
    let cases = [
        (format!("token is gh{}_{body} ok", "p"), "token is [REDACTED:github-token] ok".to_owned()),
        (format!("x='sk{}{body}_tail-end'", "-ant-"), "x='[REDACTED:anthropic-key]'".to_owned()),
        (
            "task-abcdefghijklmnopqrstuvwxyzabcdefghijkl".to_owned(),
            "task-abcdefghijklmnopqrstuvwxyzabcdefghijkl".to_owned(),
        ),
        ("AKI".to_owned() + "AQ7XD3FTW5YK2VJ6B", "[REDACTED:aws-access-key]".to_owned()),
        (
            "https://bob:hunter2@example.com/x".to_owned(),
            "https://bob:[REDACTED:url-credentials]@example.com/x".to_owned(),
        ),
        ("ssh://git@example.com/x".to_owned(), "ssh://git@example.com/x".to_owned()),
        ("postgres://app:pw@db:5432/x".to_owned(), "postgres://app:[REDACTED:url-credentials]@db:5432/x".to_owned()),
        ("https://a:$PW@example.com".to_owned(), "https://a:$PW@example.com".to_owned()),
        (
            "curl -H 'Authorization: Bearer abc.def' x".to_owned(),
            "curl -H 'Authorization: Bearer [REDACTED:secret]' x".to_owned(),
        ),
        (
            r#"{"authorization":"Basic dXNlcjpwdw=="}"#.to_owned(),
            r#"{"authorization":"Basic [REDACTED:secret]"}"#.to_owned(),
        ),
        ("Bearer tokens in the docs".to_owned(), "Bearer tokens in the docs".to_owned()),
        ("login --password hunter2 --v".to_owned(), "login --password [REDACTED:password] --v".to_owned()),
        ("login --password=hunter2".to_owned(), "login --password=[REDACTED:password]".to_owned()),
        ("login --token \"$TOKEN\"".to_owned(), "login --token \"$TOKEN\"".to_owned()),
        ("curl -u bob:hunter2 x".to_owned(), "curl -u bob:[REDACTED:user-password] x".to_owned()),
        ("docker run -u 1000:1000 x".to_owned(), "docker run -u 1000:1000 x".to_owned()),
        ("export DB_PASSWORD=hunter2; x".to_owned(), "export DB_PASSWORD=[REDACTED:password]; x".to_owned()),
        ("AWS_SECRET_ACCESS_KEY='a b'".to_owned(), "AWS_SECRET_ACCESS_KEY='[REDACTED:secret]'".to_owned()),
        (r#"{"api_key": "abc"}"#.to_owned(), r#"{"api_key": "[REDACTED:secret]"}"#.to_owned()),
        (r#"{\"client_secret\":\"abc\"}"#.to_owned(), r#"{\"client_secret\":\"[REDACTED:secret]\"}"#.to_owned()),
        ("the token: see below".to_owned(), "the token: see below".to_owned()),
        (r"C:\token=abc".to_owned(), r"C:\token=[REDACTED:secret]".to_owned()),
        (r"a\ticket: b".to_owned(), r"a\ticket: b".to_owned()),
        (
            "a 0f3b2c1d4e5f60718293a4b5c6d7e8f901234567 commit".to_owned(),
            "a 0f3b2c1d4e5f60718293a4b5c6d7e8f901234567 commit".to_owned(),
        ),
        (
            format!("a -----BEGIN RSA PRIVATE{} KEY-----\n{body}MIIplokm\n-----END RSA PRIVATE KEY----- b", ""),
            "a [REDACTED:private-key] b".to_owned(),
        ),
        (
            format!("a -----BEGIN ENCRYPTED PRIVATE{} KEY-----\n{body}\ncut", ""),
            "a [REDACTED:private-key]\ncut".to_owned(),
        ),
        (
            "-----BEGIN PUBLIC KEY-----\nMII\n-----END".to_owned(),
            "-----BEGIN PUBLIC KEY-----\nMII\n-----END".to_owned(),
        ),
        (["see ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxIn0.c2lnbmF0dXJl"].concat(), "see [REDACTED:jwt]".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(&text).as_str(), expected, "{text}");
    }
}

#[test]
fn words_of_a_command_give_each_other_away() {
    let shown: Vec<String> = redact_words(["mysql", "--password", "hunter2", "-u", "bob:pw", "a b"])
        .iter()
        .map(|word| word.as_str().to_owned())
        .collect();
    assert_eq!(shown, ["mysql", "--password", "[REDACTED:password]", "-u", "bob:[REDACTED:user-password]", "a b"]);
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing(text in "\\PC{0,80}") {
        let once = redact(&text);
        prop_assert_eq!(redact(once.as_str()), once);
    }

    #[test]
    fn redacting_twice_changes_nothing_in_texts_that_look_like_secrets(parts in prop::collection::vec(part(), 0..12)) {
        let text = parts.concat();
        let once = redact(&text);
        prop_assert_eq!(redact(once.as_str()), once);
    }

    #[test]
    fn a_planted_token_never_survives(before in "[a-z /=:\"']{0,20}", after in "[ /\"'\\n]{0,5}[a-z]{0,9}") {
        let secret = format!("gh{}_{}", "o", "Zy9Xw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8");
        let text = format!("{before} {secret}{}{after}", if after.is_empty() { "" } else { " " });
        prop_assert!(!redact(&text).as_str().contains("Zy9Xw8Vu7"));
    }
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[REDACTED:".to_owned()),
        Just("]".to_owned()),
        Just("password".to_owned()),
        Just("--token ".to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("://".to_owned()),
        Just("a:b@".to_owned()),
        Just("-u ".to_owned()),
        Just("eyJhbGciOiJI".to_owned()),
        Just(".".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END".to_owned()),
        Just("sk-ant-".to_owned()),
        "[a-zA-Z0-9_\\-=:\"'\\\\ ]{0,24}".prop_map(|text| text),
    ]
}

/// Ids of records and times are passed over at once; under a key that makes them private they are looked at.
#[test]
fn ids_and_times_are_private_by_their_key_only() {
    let id = "6078784b-372c-4eba-8eed-1bfee0ebc703";
    for text in [id, "2026-03-26T04:52:16.414Z", "2026-03-26T04:52:16Z", "2026-03-26T04:52:16.414123456Z"] {
        for name in [None, Some("uuid"), Some("timestamp"), Some("password"), Some("customer_id"), Some("dob")] {
            let found = find(name, text);
            assert_eq!(found.is_empty(), secrets(name, text).is_empty() && personal(name, text).is_empty(), "{name:?}");
        }
    }
    assert_eq!(find(Some("db_password"), id).len(), 1);
    assert_eq!(find(Some("customerId"), id).len(), 1);
    for near in [&format!("{id}x"), "2026-03-26T04:52:16.4155550199Z7", "192.0.2.1-784b-372c-4eba-8eed-1bfee0"] {
        let (found, apart) = (find(None, near), [secrets(None, near), personal(None, near)].concat());
        assert_eq!(found.len(), apart.len(), "{near}");
    }
}

/// Redaction hides the same parts in the text of a command and in its words. Values are random and of no use.
#[test]
fn the_words_of_a_command_hide_what_its_text_hides() {
    const SECRET: &str = "Zq8vK3nT5wPx7LmR2cYb";
    for command in [
        "docker login -u a -p X r.example",
        "docker --config /x login -u a -p X r.example",
        "podman login -pX r.example",
        "az login -p X",
        "curl -H Authorization: Bearer X https://a.example",
        "curl -b session=X https://a.example",
        "curl -ubob:X https://a.example",
        "vault login X",
        "vault kv put secret/app key=X",
        "twine upload -u __token__ -p X dist/a",
        "openssl enc -k X -in a",
        "openssl rsa -passin pass:X -in a",
        "htpasswd -b f u X",
        "mysql -u root -pX db",
        "/usr/bin/mysqldump -u root --password=X db",
        "sshpass -p X ssh h",
        "redis-cli -a X",
        "mongosh -u a -p X",
        "aws configure set aws_secret_access_key X",
        "npm config set //registry.example/:_authToken X",
        "git -c http.extraheader=Authorization: Bearer X fetch",
        "git -c credential.helper=x config http.password X",
        "kubectl create secret generic a --from-literal=key=X",
        "kubectl create secret generic a --from-literal key=X",
        "gpg --passphrase X -d a",
        "7z a -pX a.7z b",
        "zip -P X a b",
        "ldapsearch -x -w X",
        "smbclient -U u%X //h/s",
        "wget --password=X https://a.example",
        "http -a u:X https://a.example",
        "psql postgres://bob:X@db.example/x",
        "cat https:/bob:X@db.example/x",
        "cat HTTPS:/bob:X@db.example/x",
        "cat Https:/bob:X@db.example/x",
        "cat FTP:/bob:X@db.example/x",
        "cat weird:/bob:X@db.example/x",
        "cat https:bob:X@db.example/x",
        "curl //bob:X@db.example/x",
        "curl bob:X@db.example:8443/x",
        "wget bob:X@db.example",
        "git clone bob:X@db.example:r.git",
        "poetry config http-basic.r bob X",
        "curl --cert c.pem:X https://a.example",
        "sonar-scanner -Dsonar.login=X",
        "mvn verify -Dsonar.token=X",
        "aws ssm put-parameter --name a --type SecureString --value X",
        "aws ssm put-parameter --name a --value X --type SecureString",
        "redis-cli -h h AUTH X",
        "snyk auth X",
        "net user bob X /add",
        "signtool sign /p X a.exe",
        "ncftpget -u bob -p X h . r",
        "heroku config:set KEY=X",
        "sqlplus scott/X@db",
        "xfreerdp /u:a /p:X /v:h",
    ] {
        let command = command.replace('X', SECRET);
        assert!(!redact(&command).as_str().contains(SECRET), "{command}");
        let words: Vec<&str> = command.split(' ').collect();
        let shown = redact_words(words.iter().copied());
        assert_eq!(shown.len(), words.len(), "{command}");
        assert!(shown.iter().all(|word| !word.as_str().contains(SECRET)), "{command}: {shown:?}");
    }
    for command in [
        "echo X | gh auth login --with-token",
        "printf '%s' X | sudo -S true",
        "gh auth login --with-token <<< X",
        "echo bob:X | chpasswd",
        "echo X | gpg --batch --passphrase-fd 0 -d a",
        "echo X | sshfs -o password_stdin h: m",
        "echo 'X' | su -c ls",
        "echo 'h:5432:d:u:X' > ~/.pgpass",
        "echo h:5432:d:u:X >> ~/.pgpass",
        "expect -c 'send \"X\\r\"'",
        r"curl https:\/\/bob:X@db.example/r",
        "python -c \"requests.get('h', auth=('bob','X'))\"",
        "python -c \"requests.get('h', auth=HTTPBasicAuth('bob', 'X'))\"",
        "docker login -u a -p X r.example && ./X",
        "docker exec db mysql -u root -p'X' db",
        "sh -c \"vault login X\"",
        "docker login \\\n  -u a \\\n  -p X r.example",
        "mysql -h $(hostname -f) -u root -pX db",
        "mysql -h `cat host` -u root -pX db",
        "Run `mysql -u root -pX` first.",
        "mysql < dump.sql -u root -pX",
        "mysql 2>/dev/null -u root -pX",
        "mysql db > out.txt 2>&1 -pX",
        "docker login -u $(whoami) -p X r.example",
        "redis-cli -h $(hostname) -a X",
        "sshpass < f -p X ssh h",
        "docker login --password-stdin <<< X",
    ] {
        let command = command.replace('X', SECRET);
        assert!(!redact(&command).as_str().contains(SECRET), "{command}: {}", redact(&command).as_str());
    }
}

/// A password that people choose counts where a shell runs the program, whatever its name looks like.
#[test]
fn programs_are_known_where_they_run() {
    const WORD: &str = "productiondb";
    for command in [
        "redis-cli -a X",
        "/usr/local/bin/redis-cli -a X",
        "'/opt/tools/redis-cli' -a X",
        "\"redis-cli\" -a X",
        "cd a && redis-cli -a X",
        "a | redis-cli -a X",
        "if true; then redis-cli -a X; fi",
        "A=b C='d e' redis-cli -a X",
        "sudo -u dana redis-cli -a X",
        "sudo -n env A=b timeout -k 5 10 nice -n 5 redis-cli -a X",
        "xargs -n 1 redis-cli -a X",
        "ssh -p 2222 -l dana h redis-cli -a X",
        "ssh h 'redis-cli -a X'",
        "bash -lc \"redis-cli -a X\"",
        "bash -c redis-cli -a X",
        "docker exec -it -u root db redis-cli -a X",
        "docker run --rm --network n redis redis-cli -a X",
        "docker compose exec -T db sh -c redis-cli -a X",
        "kubectl exec -n prod pod -c main -- redis-cli -a X",
        "(redis-cli -a X)",
        "echo $(redis-cli -a X)",
        "run: redis-cli -a X",
        "{\"command\":\"sudo redis-cli -a X\"}",
        "Redis-Benchmark.EXE -a X",
        "C:\\tools\\Redis-Cli.exe -a X",
        "docker.exe login -u a -p X r",
        "az.cmd login -p X",
        "mysql.exe -u root -pX db",
        "mysql8 -pX",
        "mysqlslap -pX",
        "mysqlbinlog -pX f",
        "mysql_upgrade -pX",
        "mysql_secure_installation -pX",
        "mariadb-import -pX",
        "mariadbd-safe -pX",
        "mongofiles -p X",
        "helm registry login r.example -u a -p X",
        "keytool -list -storepass X",
        "consul kv get -token X k",
    ] {
        let command = command.replace(" X", &format!(" {WORD}")).replace("pX", &format!("p{WORD}"));
        assert!(!redact(&command).as_str().contains(WORD), "{command}");
    }
}

#[test]
fn names_are_not_hidden_wherever_they_stand() {
    for name in [
        "inventory_2024_Q3",
        "orders_v2_prod",
        "3306:3306",
        "127.0.0.1:3306",
        "22022222",
        "target/mysql2024",
        "kubernetes",
        "postgresql",
        "production_db",
        "src/components/Button.tsx",
        "webpack.config.js",
        "us-east-1",
        "customers.sql.gz",
        "registry.example.com",
        "db.example:5432",
        "agent-strace",
        "staging-cluster",
    ] {
        for command in ["sshpass -p X ssh h", "mysql -pX", "vault login X", "docker login -p X r"] {
            let known = super::Known::of([command.replace('X', name)]);
            let text = format!("reads lib/{name}/x");
            assert_eq!(known.redact(text.as_str()).as_str(), text, "{command}");
        }
    }
    for secret in ["Zq8vK3nT5wPx7LmR2cYb", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzz", "k3jD9sQx1a"] {
        let known = super::Known::of([format!("mysql -p'{secret}' db")]);
        let text = format!("reads lib/{secret}/x");
        assert!(!known.redact(text.as_str()).as_str().contains(secret), "{secret}");
    }
}

#[test]
fn ordinary_commands_keep_their_words() {
    for command in [
        "docker run -p 8080:80 -u 1000:1000 nginx",
        "docker run --name mysql -p 3306:3306 -d mysql:8",
        "docker run --rm --name mongo -p 127.0.0.1:27017:27017 mongo",
        "docker run -d --name redis-cli -a stdout redis",
        "docker compose run sqlcmd -P production",
        "mysqldump -h db.example -u root -p inventory_2024_Q3",
        "mysql -u root -p orders_production -e select",
        "nmap mysql -p 3306,8080",
        "nc mongo -p 27017",
        "ssh mongo -p 22022 uptime",
        "ssh -l dana zip -P production",
        "mkdir db/mongo -p src/main",
        "git log --grep mongo -p src/database",
        "git add openssl -k keys",
        "git config alias.secret status-short",
        "git config --get user.password production",
        "openssl s_client -connect h:443 -k server.pem",
        "openssl s_client -connect h:443 -K production-certificates",
        "vercel deploy -t production",
        "tar xf zip -P production",
        "apt-get install zip -P production",
        "redis-cli -a <password> -n production",
        "docker login r.example",
        "vault login -method=oidc",
        "run vault login to get a token",
        "mkdir -p build/output",
        "curl -b cookies.txt -k https://a.example",
        "curl -s https:/a.example/b@c",
        "kubectl create secret generic a --from-file=key=path/to/key",
        "git config user.name Dana",
        "git config --get credential.helper",
        "npm config set registry https://registry.example",
        "aws configure set region us-east-1",
        "openssl enc -kfile k -in a",
        "zip -r a.zip b",
        "heroku config:set NODE_ENV=production",
        "gh secret set NAME --body \"$TOKEN\"",
        "echo \"Setting up the account\"; gh auth login",
        "echo done | sudo tee log",
        "ldapsearch -x -W -D cn=admin",
        "7z x archive.7z -ooutput",
        "see file:/a/b@c:d and C:/x@y",
        "git clone git@h.example:team/app.git",
        "scp dana@h.example:/srv/app.tar .",
        "git show HEAD:src/logo@2x.png",
        "git show release_2024:notes@draft",
        "docker pull registry.example/app:release_2024_build@sha256:0f3b2c1d4e5f60718293a4b5c6d7e8f9",
        "bazel build //app/web:server_linux_x86@release",
        "curl --cert c.pem --key k.pem https://a.example",
        "curl --cert C:\\certs\\client_k3jD9sQx1a.pem https://a.example",
        "curl -E c.pem -p 8080 https://a.example",
        "ab -a production -p 8080 http://a.example",
        "mvn -Dsonar.host.url=https://s.example verify",
        "aws ssm put-parameter --name a --type String --value ami-0k3jD9sQx1aZ",
        "poetry config repositories.r https://r.example/simple",
        "redis-cli SET key value",
        "snyk test --all-projects",
        "gpg --verify a.sig a",
        "echo done | gpg --batch --clearsign",
        "net user bob /active:no",
        "net use z: //h/share",
        "signtool verify /pa a.exe",
        "expect -c 'send \"ls -la\\r\"'",
        "echo production | su -c tee",
        "cat ~/.pgpass > copy",
        "login(auth=(user, password))",
    ] {
        assert_eq!(redact(command).as_str(), command);
        let words: Vec<&str> = command.split(' ').collect();
        let shown = redact_words(words.iter().copied());
        assert_eq!(shown.iter().map(super::Redacted::as_str).collect::<Vec<_>>(), words);
    }
}

#[test]
fn what_a_command_gives_away_is_known_in_its_parts() {
    let lines = ["Kq3vT5wPz7LmR2cYbQ9dJfHsNuVgWiXoAeMtBrCyDlSkEh1Z", "dlSkEh1ZKq3vT5wPz7LmR2cYbQ9dJfHsNuVgWiXoAeMtBr"];
    let [first, second] = lines;
    let text = format!(
        "deploy -----BEGIN RSA PRIVATE{} KEY-----\n{first}\n{second}\n-----END RSA PRIVATE KEY-----\n\
         pip install -r https://bob:{second}@h.example/r.txt",
        ""
    );
    let known = super::Known::of([text.as_str()]);
    for part in [format!("runs {first}"), format!("reads x/https:/bob:{second}@h.example/r.txt"), second.to_owned()] {
        let shown = known.redact(&part);
        assert!(lines.iter().all(|line| !shown.as_str().contains(line)), "{}", shown.as_str());
    }
    assert_eq!(
        known.redact_words(["deploy", first]).iter().map(super::Redacted::as_str).collect::<Vec<_>>(),
        ["deploy", "[REDACTED:secret]"]
    );
    // A short or likely word is not taken for a secret wherever it stands.
    assert_eq!(super::Known::of(["mysql -proot"]).redact("reads /root/x").as_str(), "reads /root/x");
}

/// A host is written in lower case, and a pattern with marks before what would be one.
#[test]
fn a_value_is_known_however_it_is_written() {
    let known = super::Known::of(["cat --password 'Zq8vK3nT5wPx*7LmR2cYbQs' x"]);
    for text in ["zq8vk3nt5wpx", r"a/Zq8vK3nT5wPx\*7LmR2cYbQs", "7LmR2cYbQs/x"] {
        assert!(!known.hide(text).to_ascii_lowercase().contains("zq8v"), "{text}: {}", known.hide(text));
        assert!(!known.hide(text).contains("7LmR"), "{text}: {}", known.hide(text));
    }
    assert_eq!(known.hide("src/main.rs"), "src/main.rs");
}

/// Redaction leaves no password of a call in its effects, not even one that may be a name.
#[test]
fn a_call_keeps_no_password_of_its_own() {
    let command = "cat --password hunter2 --user production";
    let (known, of_call) = (super::Known::of([command]), super::Known::of_call([command]));
    assert_eq!(known.hide("/hunter2"), "/hunter2");
    assert_eq!(of_call.hide("/hunter2"), "/[REDACTED:secret]");
    for text in ["hunter22/x", "production/x"] {
        assert_eq!(of_call.hide(text), text);
    }
    assert!(super::Known::of_call(["mysql -ppostgres postgres"]).is_empty());
}

/// A secret that many commands hold leaves room for the others.
#[test]
fn one_secret_of_many_commands_counts_once() {
    let [first, second] = ["Zq8vK3nT5wPx7LmR2cYb", "wJalrXUtnFEMIxK7MDENG"];
    let commands = (0..1_200).map(|number| format!("mysql -p{first} db{number}"));
    let known = super::Known::of(commands.chain([format!("sshpass -p {second} ssh h")]));
    assert_eq!(known.redact(format!("reads {second}/x")).as_str(), "reads [REDACTED:secret]/x");
}

#[test]
fn a_token_is_known_inside_a_word() {
    let body = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3";
    for token in [
        format!("gh{}_{}", "p", body.get(..36).unwrap()),
        format!("gl{}-{}", "pat", body.get(..20).unwrap()),
        "AKI".to_owned() + "AQ7XD3FTW5YK2VJ6B",
    ] {
        let text = format!("cat example{token}.txt");
        assert!(!redact(&text).as_str().contains(&token), "{text}: {}", redact(&text).as_str());
    }
    assert_eq!(
        redact("my_npm_config_registry_path_with_many_more_words").as_str(),
        "my_npm_config_registry_path_with_many_more_words"
    );
}
