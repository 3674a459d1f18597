# What lies in the jail before a command runs: a workspace, a home directory, a place for services. Runs in the jail.

mkdir -p ~/.ssh ~/.aws ~/.config/tool ~/projects/other ~/bin /var/log /opt/tool/bin /srv/data /tmp/data /etc/cron.d
printf 'root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000::/home/agent:/bin/bash\n' >/etc/passwd
printf 'root:x:0:\nagent:x:1000:\n' >/etc/group
printf 'hosts: files dns\n' >/etc/nsswitch.conf
printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >/etc/resolv.conf
printf 'jail\n' >/etc/hostname
printf 'started\nfailed to open a file\nstopped\n' >/var/log/messages
printf '#!/bin/sh\necho tool "$@"\n' >/opt/tool/bin/tool
printf '#!/bin/sh\necho helper\n' >~/bin/helper
chmod +x /opt/tool/bin/tool ~/bin/helper
printf 'a\nb\n' >/srv/data/rows
printf 'x 1\ny 2\n' >/tmp/in.txt
printf '{"a": 1}\n' >/tmp/data/one.json
printf 'not a key\n' >~/.ssh/id_rsa
printf 'Host shell\n  HostName example.com\n' >~/.ssh/config
printf '[default]\naws_secret_access_key = fake\n' >~/.aws/credentials
printf 'alias ll="ls -l"\n' >~/.bashrc
printf 'ls\n' >~/.bash_history
printf 'level = 1\n' >~/.config/tool/settings.toml
printf 'remember\n' >~/notes.md
printf 'other\n' >~/projects/other/file.txt
cat >~/.gitconfig <<'EOF'
[user]
	name = Agent
	email = agent@example.com
[init]
	defaultBranch = main
[core]
	trustctime = false
	checkStat = minimal
[safe]
	directory = *
EOF

cd /repo
mkdir -p src/inner docs deep empty tests logs secrets .github/workflows 'my dir' node_modules/pkg home conf
printf 'a b\nc d\ne f\n' >a.txt
printf 'c d\na b\nz z\n' >c.md
printf 'a x\nb y\n' >src/b.txt
printf 'x\n' >./-odd
printf 'a.txt\n' >list.txt
printf 'a.txt\0src/b.txt\0' >list0.txt
printf 'a\n' >patterns.txt
printf '{"name": "x", "items": [1, 2, 3]}\n' >data.json
printf 'id,name\n1,one\n2,two\n' >data.csv
printf 'a: 1\nb:\n  - x\n' >conf/app.yaml
printf '[tool]\nlevel = 1\n' >conf/app.toml
printf '<a><b>1</b></a>\n' >conf/app.xml
printf 'KEY=fake\nTOKEN=fake\n' >.env
printf 'K=v\n' >.env.example
printf 'logs/\n*.tmp\nnode_modules/\n' >.gitignore
printf 's/a/b/\n' >prog.sed
printf '{ print $1 }\n' >prog.awk
printf "open('from-prog.txt', 'w').write('x')\n" >prog.py
printf "print(open('a.txt').read())\n" >show.py
printf 'def f():\n    return 1\n' >src/util.py
printf 'import util\nprint(util.f())\n' >src/main.py
printf 'const x = 1;\nmodule.exports = { x };\n' >src/app.js
printf "require('fs').writeFileSync('from-js.txt', 'x');\n" >prog.js
printf 'open(my $f, ">", "from-pl.txt"); print $f "x";\n' >prog.pl
printf '.headers on\n' >query.sql
printf 'cat a.txt > from-lib.txt\n' >lib.sh
printf '#!/bin/bash\necho run "$@"\n' >run.sh
printf '#!/usr/bin/env python3\nprint(1)\n' >tool.py
chmod +x run.sh tool.py
printf 'all:\n\ttouch made-by-make\ntest:\n\tcat a.txt\n' >Makefile
cp Makefile Makefile.x
printf '{"name": "x", "version": "1.0.0", "scripts": {"test": "echo ok", "build": "echo built > built.txt"}}\n' >package.json
printf '#include <stdio.h>\n#include "main.h"\nint main(void) { puts(NAME); return 0; }\n' >main.c
printf '#define NAME "x"\n' >main.h
printf '# Title\n\nText with a word.\n' >README.md
printf '# Guide\n\n- one\n- two\n' >docs/guide.md
printf 'spaced\n' >'docs/with space.md'
printf 'unicode\n' >'docs/grün.md'
printf 'inner\n' >'my dir/inner file.txt'
printf 'deepest\n' >src/inner/leaf.txt
printf 'def test_x():\n    assert True\n' >tests/test_x.py
printf '2026-01-01 ERROR one\n2026-01-02 INFO two\n' >logs/app.log
printf 'old\n' >logs/old.log
printf 'not a key\n' >secrets/key.pem
printf 'on: push\n' >.github/workflows/ci.yml
printf 'module.exports = 1;\n' >node_modules/pkg/index.js
printf '[package]\nname = "x"\nversion = "0.1.0"\n' >Cargo.toml
printf 'version = 3\n' >Cargo.lock
printf 'FROM scratch\n' >Dockerfile
cat >fix.patch <<'EOF'
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
-a b
+a B
 c d
 e f
EOF
ln -s a.txt link.txt
ln -s src linked
ln -s nowhere dangling
printf 'packed\n' >packed.txt
tar -cf archive.tar src/b.txt packed.txt
tar -czf archive.tar.gz src/b.txt packed.txt
gzip -c packed.txt >packed.gz
bzip2 -c packed.txt >packed.bz2 2>/dev/null || rm -f packed.bz2
xz -c packed.txt >packed.xz 2>/dev/null || rm -f packed.xz
python3 - <<'EOF'
import sqlite3
import zipfile

with zipfile.ZipFile("archive.zip", "w") as archive:
    archive.write("packed.txt")
    archive.write("src/b.txt")
database = sqlite3.connect("data.db")
database.execute("create table t (id integer, name text)")
database.execute("insert into t values (1, 'one')")
database.commit()
EOF

export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
git init -q --bare /srv/remote.git
git init -q
# Git looks into files that are as young as its index.
find . -path ./.git -prune -o -exec touch -h -d 2026-01-01 {} +
git add -A
git commit -qm 'first commit'
git branch feature
printf 'more\n' >>docs/guide.md
touch -d 2026-01-02 docs/guide.md
git commit -qam 'second commit'
git tag v1
git remote add origin /srv/remote.git
git push -q -u origin main feature
git remote add upstream https://git.example.com/x/y.git
printf 'changed\n' >>c.md
printf 'untracked\n' >untracked.txt
# The jail is copied thousands of times. Sample hooks would be half of the files in each copy.
rm -f .git/hooks/*.sample /srv/remote.git/hooks/*.sample
