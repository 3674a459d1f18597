//! Settings as tools have them, and the servers in them.

/// A path, its text, what is found.
pub(super) type Case = (&'static str, &'static str, &'static [&'static str]);

pub(super) const JSON: &[Case] = &[
    (
        ".mcp.json",
        r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "server-files", "."], "env": {"KEY": "v"}}}}"#,
        &["files claude-code 1 stdio(npx -y server-files .) server-files~ env:KEY"],
    ),
    (
        "plugins/a/.mcp.json",
        "{\n\"docs\": {\"type\": \"http\", \"url\": \"https://mcp.example.com/mcp\", \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"}}}",
        &["docs claude-code 2 http(https://mcp.example.com/mcp) remote headers:Authorization"],
    ),
    (
        ".mcp.json",
        r#"{"servers": {"a": {"type": "stdio", "command": "dnx", "args": ["A@1.0.0", "--yes"]}}, "inputs": []}"#,
        &["a claude-code 1 stdio(dnx A@1.0.0 --yes) A=1.0.0"],
    ),
    (".mcp.json", "{}", &[]),
    (".mcp.json", r#"{"mcpServers": {}}"#, &[]),
    (
        ".mcp.json",
        r#"{"mcpServers": {"odd": 5, "odder": {"what": true}}}"#,
        &["odd claude-code 1 unknown none", "odder claude-code 1 unknown none"],
    ),
    (
        ".cursor/mcp.json",
        "// ours\n{\"mcpServers\": {\n \"a\": {\"command\": \"uvx\", \"args\": [\"server-git==1.2.0\"]},\n \"b\": {\"url\": \"https://b.example.com/sse\"},\n}}",
        &[
            "a cursor 3 stdio(uvx server-git==1.2.0) server-git=1.2.0",
            "b cursor 4 sse(https://b.example.com/sse) remote",
        ],
    ),
    (
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "npx -y server@1.0.0"}}}"#,
        &["a cursor 1 stdio(npx -y server@1.0.0) server=1.0.0"],
    ),
    (
        ".vscode/mcp.json",
        r#"{"inputs": [{"type": "promptString", "id": "key", "password": true}], "servers": {"a": {"type": "stdio", "command": "npx", "args": ["-y", "a@${input:v}"], "env": {"K": "${input:key}"}}}}"#,
        &["a copilot 1 stdio(npx -y a@${input:v}) a~ env:K"],
    ),
    (
        ".vscode/settings.json",
        r#"{"editor.tabSize": 2, "mcp": {"servers": {"a": {"type": "sse", "url": "http://localhost:3000/sse"}}}}"#,
        &["a copilot 1 sse(http://localhost:3000/sse) remote"],
    ),
    (
        ".vscode/settings.json",
        r#"{"amp.mcpServers": {"a": {"command": "npx", "args": ["a@2.0.0"]}}}"#,
        &["a amp 1 stdio(npx a@2.0.0) a=2.0.0"],
    ),
    (".vscode/settings.json", "{\"editor.tabSize\": 2}", &[]),
    (
        "x.code-workspace",
        r#"{"folders": [], "settings": {"mcp": {"servers": {"a": {"command": "node", "args": ["./s.js"]}}}}}"#,
        &["a copilot 1 stdio(node ./s.js) local:./s.js"],
    ),
    (
        ".devcontainer/devcontainer.json",
        r#"{"customizations": {"vscode": {"mcp": {"servers": {"a": {"command": "a"}}}, "settings": {"mcp": {"servers": {"b": {"command": "b"}}}}}}}"#,
        &["a copilot 1 stdio(a) none", "b copilot 1 stdio(b) none"],
    ),
    (
        "config/claude_desktop_config.json",
        r#"{"mcpServers": {"a": {"command": "docker", "args": ["run", "-i", "--rm", "mcp/fetch"]}}}"#,
        &["a claude-desktop 1 stdio(docker run -i --rm mcp/fetch) image:mcp/fetch~"],
    ),
    (".claude/settings.json", r#"{"permissions": {"allow": []}}"#, &[]),
    (
        ".claude.json",
        r#"{"mcpServers": {"a": {"type": "stdio", "command": "a"}}, "projects": {"/x/y": {"mcpServers": {"b": {"type": "sse", "url": "https://b.example.com"}}}}}"#,
        &["a claude-code 1 stdio(a) none", "b claude-code 1 sse(https://b.example.com) remote"],
    ),
    (
        ".claude-plugin/plugin.json",
        r#"{"name": "p", "mcpServers": {"a": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/a"}}}"#,
        &["a claude-code 1 stdio(${CLAUDE_PLUGIN_ROOT}/bin/a) none"],
    ),
    (
        ".gemini/settings.json",
        r#"{"mcpServers": {"a": {"httpUrl": "https://a.example.com", "trust": true, "headers": {"X-Key": "v"}}, "b": {"url": "https://b.example.com"}, "c": {"command": "c", "includeTools": ["x"]}}}"#,
        &[
            "a gemini-cli 1 http(https://a.example.com) remote headers:X-Key approved:*",
            "b gemini-cli 1 sse(https://b.example.com) remote",
            "c gemini-cli 1 stdio(c) none",
        ],
    ),
    (
        "gemini-extension.json",
        r#"{"name": "x", "version": "1.0.0", "mcpServers": {"a": {"command": "node", "args": ["${extensionPath}/a.js"]}}}"#,
        &["a gemini-cli 1 stdio(node ${extensionPath}/a.js) local:${extensionPath}/a.js"],
    ),
    (
        ".qwen/settings.json",
        r#"{"mcpServers": {"a": {"command": "uvx", "args": ["a"], "trust": false}}}"#,
        &["a qwen-code 1 stdio(uvx a) a~"],
    ),
    (
        "opencode.json",
        r#"{"$schema": "https://opencode.ai/config.json", "mcp": {"a": {"type": "local", "command": ["npx", "-y", "a@1.0.0"], "environment": {"K": "v"}, "enabled": false}, "b": {"type": "remote", "url": "https://b.example.com/mcp", "headers": {"H": "v"}}}}"#,
        &[
            "a opencode 1 stdio(npx -y a@1.0.0) a=1.0.0 env:K disabled",
            "b opencode 1 http(https://b.example.com/mcp) remote headers:H",
        ],
    ),
    (
        ".opencode/opencode.jsonc",
        "{\n// c\n\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"bunx\", \"a\"]}}}",
        &["a opencode 3 stdio(bunx a) a~"],
    ),
    (
        ".windsurf/mcp_config.json",
        r#"{"mcpServers": {"a": {"serverUrl": "https://a.example.com/mcp"}}}"#,
        &["a windsurf 1 http(https://a.example.com/mcp) remote"],
    ),
    (
        ".codeium/windsurf/mcp_config.json",
        r#"{"mcpServers": {"a": {"command": "a", "disabled": true}}}"#,
        &["a windsurf 1 stdio(a) none disabled"],
    ),
    (
        "cline_mcp_settings.json",
        r#"{"mcpServers": {"a": {"command": "node", "args": ["/x/a.js"], "disabled": false, "autoApprove": ["read", "list"]}, "b": {"type": "streamableHttp", "url": "https://b.example.com"}}}"#,
        &[
            "a cline 1 stdio(node /x/a.js) local:/x/a.js approved:read,list",
            "b cline 1 http(https://b.example.com) remote",
        ],
    ),
    (
        ".roo/mcp.json",
        r#"{"mcpServers": {"a": {"type": "streamable-http", "url": "https://a.example.com", "alwaysAllow": ["x"]}}}"#,
        &["a roo-code 1 http(https://a.example.com) remote approved:x"],
    ),
    (
        ".kilocode/mcp.json",
        r#"{"mcpServers": {"a": {"command": "cmd", "args": ["/c", "npx", "-y", "a"]}}}"#,
        &["a kilo-code 1 stdio(cmd /c npx -y a) a~"],
    ),
    (
        ".continue/config.json",
        r#"{"experimental": {"modelContextProtocolServers": [{"name": "a", "transport": {"type": "stdio", "command": "uvx", "args": ["a"]}}]}}"#,
        &["a continue 1 stdio(uvx a) a~"],
    ),
    (
        ".amp/settings.json",
        r#"{"amp.mcpServers": {"a": {"url": "https://a.example.com/mcp"}}}"#,
        &["a amp 1 http(https://a.example.com/mcp) remote"],
    ),
    (
        ".kiro/settings/mcp.json",
        r#"{"mcpServers": {"a": {"command": "uvx", "args": ["a@latest"], "disabled": false, "autoApprove": ["*"]}}}"#,
        &["a kiro 1 stdio(uvx a@latest) a~ approved:*"],
    ),
    (
        ".amazonq/mcp.json",
        r#"{"mcpServers": {"a": {"command": "uvx", "args": ["a==1.0"], "timeout": 60000}}}"#,
        &["a amazon-q 1 stdio(uvx a==1.0) a=1.0"],
    ),
    (
        ".amazonq/cli-agents/dev.json",
        r#"{"name": "dev", "tools": ["*"], "mcpServers": {"a": {"command": "a"}}}"#,
        &["a amazon-q 1 stdio(a) none"],
    ),
    (
        ".junie/mcp/mcp.json",
        r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "a"]}}}"#,
        &["a junie 1 stdio(npx -y a) a~"],
    ),
    (
        ".augment/settings.json",
        r#"{"mcpServers": {"a": {"type": "http", "url": "https://a.example.com"}}}"#,
        &["a augment 1 http(https://a.example.com) remote"],
    ),
    (
        ".zed/settings.json",
        r#"{"context_servers": {"a": {"source": "custom", "command": "npx", "args": ["a@1.0.0"]}, "b": {"command": {"path": "uvx", "args": ["b"], "env": {}}}, "c": {"settings": {}}}}"#,
        &["a zed 1 stdio(npx a@1.0.0) a=1.0.0", "b zed 1 stdio(uvx b) b~", "c zed 1 unknown none"],
    ),
    (
        ".factory/mcp.json",
        r#"{"mcpServers": {"a": {"type": "http", "url": "https://a.example.com/mcp", "disabled": true}}}"#,
        &["a droid 1 http(https://a.example.com/mcp) remote disabled"],
    ),
    (
        ".warp/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "node", "args": ["a.mjs"]}}}"#,
        &["a warp 1 stdio(node a.mjs) local:a.mjs"],
    ),
    (
        ".trae/mcp.json",
        r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "a"]}}}"#,
        &["a trae 1 stdio(npx -y a) a~"],
    ),
    (
        ".crush.json",
        r#"{"mcp": {"a": {"type": "stdio", "command": "node", "args": ["/x.js"], "disabled": false}, "b": {"type": "http", "url": "https://b.example.com", "headers": {"A": "$(echo $B)"}}}}"#,
        &["a crush 1 stdio(node /x.js) local:/x.js", "b crush 1 http(https://b.example.com) remote headers:A"],
    ),
    (
        ".github/mcp.json",
        r#"{"mcpServers": {"a": {"type": "local", "command": "npx", "args": ["a@1.0.0"], "tools": ["*"]}}}"#,
        &["a copilot 1 stdio(npx a@1.0.0) a=1.0.0"],
    ),
    (
        ".lmstudio/mcp.json",
        r#"{"mcpServers": {"a": {"url": "https://a.example.com/mcp"}}}"#,
        &["a lm-studio 1 http(https://a.example.com/mcp) remote"],
    ),
    ("mcp.json", r#"{"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}"#, &["a mcp 1 stdio(npx a) a~"]),
    ("assets/mcp.json", r#"{"blocks": [1, 2]}"#, &[]),
    ("data/mcp.json", r#"{"servers": [{"names": ["a"], "tools": []}]}"#, &[]),
    ("server.json", r#"{"port": 80}"#, &[]),
    (
        "server.json",
        r#"{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json", "name": "com.example/a", "description": "Does it.", "packages": [{"registryType": "npm", "identifier": "a", "version": "1.0.0", "runtimeHint": "npx", "transport": {"type": "stdio"}, "environmentVariables": [{"name": "KEY", "isSecret": true}]}, {"registryType": "oci", "identifier": "a/b", "version": "1.0.0", "transport": {"type": "stdio"}}], "remotes": [{"type": "sse", "url": "https://a.example.com/sse"}]}"#,
        &[
            "com.example/a mcp 1 stdio(npx a) a=1.0.0 env:KEY",
            "com.example/a mcp 1 unknown image:a/b:1.0.0~",
            "com.example/a mcp 1 sse(https://a.example.com/sse) remote",
        ],
    ),
];

pub(super) const OTHERS: &[Case] = &[
    (
        ".codex/config.toml",
        "model = 'x'\n[mcp_servers.a]\ncommand = 'npx'\nargs = ['-y', 'a@1.0.0']\nenv_vars = ['B']\nenabled = false\n[mcp_servers.a.env]\nK = 'v'\n[mcp_servers.\"b c\"]\nurl = 'https://b.example.com/mcp'\nbearer_token_env_var = 'TOKEN'\nhttp_headers = { X = 'y' }\n",
        &[
            "a codex 2 stdio(npx -y a@1.0.0) a=1.0.0 env:B,K disabled",
            "b c codex 9 http(https://b.example.com/mcp) remote env:TOKEN headers:X",
        ],
    ),
    (
        ".openhands/config.toml",
        "[mcp]\nsse_servers = ['http://a:8080/x', {url = 'https://b.example.com'}]\nshttp_servers = [{url = 'https://c.example.com'}]\nstdio_servers = [{name = 'd', command = 'uvx', args = ['d']}]\n",
        &[
            "1 openhands 2 sse(http://a:8080/x) remote",
            "2 openhands 2 sse(https://b.example.com) remote",
            "1 openhands 3 http(https://c.example.com) remote",
            "d openhands 4 stdio(uvx d) d~",
        ],
    ),
    (
        ".continue/config.yaml",
        "name: x\nversion: 1.0.0\nmcpServers:\n  - name: a\n    command: npx\n    args:\n      - -y\n      - a\n    env:\n      K: ${{ secrets.K }}\n  - uses: owner/b\n",
        &["a continue 4 stdio(npx -y a) a~ env:K", "2 continue 11 unknown none"],
    ),
    (
        ".continue/mcpServers/a.yaml",
        "name: a\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: a\n    type: streamable-http\n    url: https://a.example.com\n",
        &["a continue 5 http(https://a.example.com) remote"],
    ),
    (
        ".goose/config.yaml",
        "extensions:\n  developer:\n    type: builtin\n    enabled: true\n  a:\n    type: stdio\n    cmd: uvx\n    args: [a@1.0.0]\n    envs: {K: v}\n    env_keys: [L]\n    enabled: false\n  b:\n    type: streamable_http\n    uri: https://b.example.com/mcp\n  c:\n    type: sse\n    uri: https://c.example.com\n",
        &[
            "a goose 5 stdio(uvx a@1.0.0) a=1.0.0 env:K,L disabled",
            "b goose 12 http(https://b.example.com/mcp) remote",
            "c goose 15 sse(https://c.example.com) remote",
        ],
    ),
    (
        "recipes/review.yaml",
        "title: review\nprompt: go\nextensions:\n  - type: stdio\n    name: a\n    cmd: npx\n    args: [-y, a]\n",
        &["a goose 4 stdio(npx -y a) a~"],
    ),
    ("recipes/cake.yaml", "flour: 500\n", &[]),
    (
        "librechat.yaml",
        "version: 1.2.1\nmcpServers:\n  a:\n    type: sse\n    url: https://a.example.com/sse\n  b:\n    command: npx\n    args: ['-y', 'b']\n",
        &["a librechat 3 sse(https://a.example.com/sse) remote", "b librechat 6 stdio(npx -y b) b~"],
    ),
    (
        ".github/agents/fix.agent.md",
        "---\nname: fix\nmcp-servers:\n  a:\n    type: local\n    command: npx\n    args: ['-y', 'a']\n    tools: ['*']\n    env:\n      K: $COPILOT_MCP_K\n---\nFix it.\n",
        &["a copilot 4 stdio(npx -y a) a~ env:K"],
    ),
    (
        ".github/workflows/triage.md",
        "---\non: push\ntools:\n  github:\n    allowed: [get_issue]\n  old:\n    mcp:\n      command: old\nmcp-servers:\n  a:\n    container: mcp/a\n    args: [\"-e\", \"K\"]\n  b:\n    url: https://b.example.com\n    headers:\n      Authorization: ${{ secrets.T }}\n---\nTriage.\n",
        &[
            "old gh-aw 6 stdio(old) none",
            "a gh-aw 10 stdio(docker run --rm -i mcp/a -e K) image:mcp/a~",
            "b gh-aw 13 http(https://b.example.com) remote headers:Authorization",
        ],
    ),
    (".github/workflows/README.md", "# tools: mcp-servers\n", &[]),
    (
        ".claude/agents/x.md",
        "---\nname: x\nmcpServers:\n  - files\n  - a:\n      command: npx\n      args: [a]\n---\n",
        &["a claude-code 5 stdio(npx a) a~"],
    ),
    (
        "smithery.yaml",
        "startCommand:\n  type: stdio\n  configSchema: {}\n  commandFunction: |-\n    (config) => ({command: 'node', args: ['x.js']})\n",
        &["smithery.yaml smithery 1 unknown none"],
    ),
];
