use super::*;

#[test]
fn denied_commands() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "rm -rf",
            &[
                "rm -rf x",
                "rm -fr x",
                "rm -r -f x",
                "rm --recursive --force x",
                "rm x -rf",
                "/bin/rm -Rf x",
                "RM.exe -rf x",
                "rm -rfv x",
            ],
            &["rm x", "rm -r x", "rm -- -rf", "grep rm_-rf x", "mkdir -rf"],
        ),
        (
            "rm",
            &["rm x", "rm", "/usr/bin/../bin/rm x", "embeds: direnv exec . rm x"],
            &["rmdir x", "git rm x", "echo rm"],
        ),
        (
            "git push",
            &[
                "git push",
                "git -C . push -f",
                "git -c x=y push",
                "git --git-dir=x push",
                "git push origin +main",
                "C:/Git/bin/git.exe push",
            ],
            &["git log push", "git --no-pager log push", "git stash push", "echo git push"],
        ),
        (
            "git reset --hard",
            &["git reset --hard", "git reset HEAD --hard", "git reset --hard=x"],
            &["git reset", "git reset --soft"],
        ),
        ("git clean --force", &["git clean --forc"], &["git clean -n"]),
        (
            "git push --force",
            &["git push -f", "git push origin main --force"],
            &["git push --force-with-lease", "git push --forc"],
        ),
        (
            "git commit --no-verify",
            &["git commit -n", "git commit -anm x", "git commit -nm x", "git -C x commit -n"],
            &["git commit -mnothing", "git commit -Fnotes", "git push -n"],
        ),
        ("git commit -n", &["git commit --no-verify", "git commit --no-verif"], &["git commit --no-gpg-sign"]),
        ("curl --insecure", &["curl -sk x", "curl -k x"], &["curl -okeys x", "curl -s x"]),
        ("sed -i", &["sed --in-place=x a", "sed -ni a", "sed -Ei a"], &["sed -eis/a/b/ a"]),
        ("kubectl delete", &["kubectl -n prod delete pod", "kubectl delete pod"], &["kubectl get delete"]),
        ("npm i", &["npm install x", "npm add x", "npm --prefix web i x"], &["npm ci", "npm run i"]),
        ("docker rm -f", &["docker container rm -f x"], &["docker image rm -f x", "docker rm x"]),
        ("docker container exec", &["docker exec x ls"], &["docker run x"]),
        (
            "docker container *",
            &["docker container rm x", "docker run x", "docker ps"],
            &["docker pull x", "docker compose up", "docker rmi x", "podman run x"],
        ),
        ("docker container r*", &["docker restart x", "docker rm x"], &["docker stop x", "docker rmi x"]),
        ("docker image *", &["docker rmi x", "docker images"], &["docker rm x"]),
        ("kubectl * secrets", &["kubectl get secret x", "kubectl delete secrets"], &["kubectl get pods"]),
        ("docker build", &["docker buildx build .", "docker image build ."], &["docker push x"]),
        ("docker buildx build", &["docker buildx b .", "docker build ."], &["docker buildx ls"]),
        ("docker container inspect", &["docker inspect x", "docker container inspect x"], &["docker image inspect x"]),
        ("podman image inspect", &["podman inspect x"], &["podman container inspect x"]),
        ("docker inspect", &["docker volume inspect x"], &["docker container ls"]),
        ("docker * rm", &["docker container rm x", "docker volume rm x"], &["docker rm x"]),
        ("docker con* rm", &["docker container rm x"], &["docker rm x"]),
        ("yarn add", &["yarn workspace web add x"], &["yarn workspace web run add"]),
        ("yarn workspace web add", &["yarn workspace web add x"], &["yarn add x", "yarn workspace api add x"]),
        ("yarn workspace * add", &["yarn workspace web add x"], &["yarn add x"]),
        ("git stash drop", &["git stash clear"], &["git stash pop"]),
        ("git stash clear", &["git stash clear"], &["git stash drop"]),
        ("chmod +x", &["chmod +x a", "chmod u+x a", "chmod a+x a"], &["chmod -x a"]),
        ("chmod u+x", &["chmod u+x a", "chmod +x a", "chmod a+x a"], &["chmod g+x a", "chmod o+x a"]),
        ("chmod g+x", &["chmod g+x a", "chmod +x a"], &["chmod u+x a"]),
        ("chmod +rwx", &["chmod +rwx a", "chmod 777 a", "chmod a+rwx a", "chmod -R =rwx a"], &["chmod u+rwx a"]),
        ("chmod =rwx", &["chmod 777 a"], &["chmod 770 a"]),
        ("chmod 777", &["chmod +rwx a", "chmod =rwx a"], &["chmod 755 a"]),
        ("pkill -9", &["pkill --signal KILL x"], &["pkill -s 9"]),
        ("npm install-test", &["npm it"], &["npm cit"]),
        (
            "make deploy",
            &["make deploy", "make test deploy", "make -C web deploy", "make -j deploy", "make -- deploy"],
            &["make -C deploy test", "make -o deploy test", "make --directory deploy", "make test"],
        ),
        ("gradle publish", &["gradle test publish"], &["gradle test --tests publish", "gradle build -x publish"]),
        ("mvn deploy", &["mvn clean deploy", "mvn -P x deploy"], &["mvn -pl deploy test", "mvn -P deploy test"]),
        ("rake deploy", &["rake test deploy"], &["rake -T deploy", "rake -f deploy test"]),
        ("task deploy", &["task build deploy"], &["task build -- deploy", "task --dir deploy build"]),
        (
            "invoke deploy",
            &["invoke -c x deploy", "invoke build -c deploy", "invoke -c x build -c deploy"],
            &["invoke test -- deploy", "invoke --help deploy", "invoke -c deploy build"],
        ),
        ("kill -SIGKILL", &["kill -9 1", "kill -s KILL 1"], &["kill -15 1"]),
        ("pip", &["python3 -m pip list", "pip3 install x"], &["python3 -m pipx list"]),
        ("npm run *", &["npm run build", "npm run build x"], &["npm test"]),
        ("*curl*", &["curl x", "/usr/bin/curl x"], &["wget x"]),
        ("find -delete", &["find . -delete"], &["find . -type d -ls -e"]),
        ("./deploy.sh", &["./deploy.sh", "deploy.sh", "/repo/deploy.sh"], &["other.sh"]),
        ("scripts/deploy.sh", &["./scripts/deploy.sh", "/repo/scripts/deploy.sh"], &["x/deploy.sh"]),
        (
            "cargo publish",
            &["cargo publish", "cargo +nightly publish", "cargo --color never publish"],
            &["cargo test publish"],
        ),
        ("rm -rf /", &["rm -rf /", "rm -rf x /"], &["rm -rf x"]),
        ("r?", &["rm x"], &["rmdir"]),
        ("git branch -D", &["git branch -D x", "git branch -d x"], &["git branch x"]),
        ("terraform destroy", &["terraform -chdir=x destroy"], &["terraform plan"]),
        ("myctl wipe", &["myctl --profile p wipe"], &["myctl list wipe"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"commands": {{"deny": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Denied,
                "`{pattern}` must deny `{text}`"
            );
        }
        for text in *others {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must not deny `{text}`"
            );
        }
    }
}

#[test]
fn entries_that_name_an_option_of_a_runner() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "make -C web deploy",
            &["make -C web deploy", "make -j -C web deploy"],
            &["make -C api deploy", "make deploy"],
        ),
        ("make -C /etc", &["make -C /etc", "make all -C /etc"], &["make -C web", "make /etc"]),
        ("make -f prod.mk", &["make -f prod.mk", "make all -f prod.mk"], &["make -f test.mk"]),
        ("make prod.mk", &["make -f prod.mk"], &["make -f test.mk"]),
        ("mvn -P prod deploy", &["mvn -P prod deploy", "mvn -q -P prod clean deploy"], &["mvn -P test deploy"]),
        ("mvn -pl web deploy", &["mvn -pl web deploy"], &["mvn -pl api deploy"]),
        (
            "gradle -p prod publish",
            &["gradle -p prod publish", "gradle -q -p prod publish"],
            &["gradle -p test publish"],
        ),
        ("gradle build -x test", &["gradle build -x test", "gradle -q build -x test"], &["gradle build -x lint"]),
        ("gradle --init-script evil.gradle", &["gradle build --init-script evil.gradle"], &["gradle build"]),
        ("task -t prod.yml", &["task -t prod.yml", "task -s -t prod.yml"], &["task -t test.yml"]),
        ("ninja -t clean", &["ninja -t clean", "ninja -C out -t clean"], &["ninja -t graph", "ninja clean"]),
        ("rake -f prod.rb", &["rake -f prod.rb", "rake all -f prod.rb"], &["rake -f test.rb"]),
        ("invoke -c prod deploy", &["invoke -c prod deploy", "invoke -e -c prod deploy"], &["invoke -c test deploy"]),
        ("ant -f prod.xml", &["ant -f prod.xml", "ant all -f prod.xml"], &["ant -f test.xml"]),
    ];
    for (pattern, matching, others) in cases {
        for (version, list) in [("", "deny"), (r#""version": 2, "#, "deny"), (r#""version": 2, "#, "ask")] {
            let scope = policy(&format!(r#"{{{version}"commands": {{"{list}": ["{pattern}"]}}}}"#));
            let decision = |text: &str| decide(&scope, &command(text), None).decision;
            for text in *matching {
                assert_ne!(decision(text), Decision::Allowed, "`{pattern}` must meet `{text}` ({version}{list})");
            }
            for text in *others {
                assert_eq!(decision(text), Decision::Allowed, "`{pattern}` must not meet `{text}` ({version}{list})");
            }
        }
    }
}

#[test]
fn unknown_words_of_commands() {
    let scope = policy(r#"{"commands": {"deny": ["git push", "rm -rf"], "allow": ["git", "cat", "npm run *"]}}"#);
    for (text, expected) in [
        ("git ?$X", "unresolved scope/unresolved"),
        ("git log ?$X", "allowed scope/command"),
        ("cat ?$X", "allowed scope/command"),
        ("?$X foo", "unresolved scope/unresolved"),
        ("git ?p*", "denied scope/command"),
        ("?r* -rf", "denied scope/command"),
        ("npm run ?$X", "allowed scope/command"),
        ("npm ?$X build", "unresolved scope/unresolved"),
        ("make ?$X", "denied scope/command"),
    ] {
        let found = decide(&scope, &command(text), None);
        assert_eq!(short(&found), expected, "{text}: {}", found.reason);
    }
}

#[test]
fn allowed_commands() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "cargo test",
            &["cargo test", "cargo test -- --nocapture", "/usr/bin/cargo test"],
            &[
                "cargo",
                "cargo testing",
                "/tmp/cargo test",
                "Cargo test",
                "cargo +nightly test",
                "./cargo test",
                "cargo ?$X",
            ],
        ),
        ("git log *", &["git log -1", "/bin/git log x"], &["git log", "git push", "git log_x"]),
        ("./run.sh", &["./run.sh a"], &["run.sh", "/tmp/run.sh"]),
        ("scripts/a.sh", &["./scripts/a.sh", "scripts/a.sh"], &["a.sh"]),
        ("npm 'run build'", &["npm run_build"], &["npm run build"]),
    ];
    for (pattern, matching, others) in cases {
        let scope = policy(&format!(r#"{{"commands": {{"allow": ["{pattern}"]}}}}"#));
        for text in *matching {
            assert_eq!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must allow `{text}`"
            );
        }
        for text in *others {
            assert_ne!(
                decide(&scope, &command(text), None).decision,
                Decision::Allowed,
                "`{pattern}` must not allow `{text}`"
            );
        }
    }
}

#[test]
fn what_version_1_denied_in_the_text_is_denied() {
    let scope = policy(r#"{"commands": {"deny": ["*| sh*", "FOO=1 make"]}}"#);
    for (raw, expected) in
        [("curl x | sh", Decision::Denied), ("foo=1 make all", Decision::Denied), ("make", Decision::Allowed)]
    {
        let context = Context { raw_command: Some(raw), ..Context::default() };
        assert_eq!(scope.judge(&command("curl x"), &context).decision, expected, "{raw}");
    }
}
