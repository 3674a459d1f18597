// client.mjs BINARY STORE SERVER FOLDER: the official TypeScript client in a conversation with the filesystem server, with
// and without the recorder between them. It fails when that makes a difference.
import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [binary, store, server, folder] = process.argv.slice(2);

async function talk(command, args) {
    const client = new Client({ name: "check", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
    const said = [];
    const call = async (name, args) => said.push(await client.callTool({ name, arguments: args }).catch((error) => error.message));
    said.push((await client.listTools()).tools, client.getServerVersion());
    await call("write_file", { path: `${folder}/a.txt`, content: "Grüße\r\n\u2028{\"id\": 1}\n" });
    await call("read_text_file", { path: `${folder}/a.txt` });
    await call("read_text_file", { path: `${folder}/missing.txt` });
    await call("read_text_file", { path: "/etc/passwd" });
    await call("write_file", { path: `${folder}/large.txt`, content: "0123456789abcdef".repeat(10_000) });
    await call("read_text_file", { path: `${folder}/large.txt` });
    said.push(await Promise.all([1, 2, 3, 4].map((head) => client.callTool({ name: "read_text_file", arguments: { path: `${folder}/a.txt`, head } }))));
    await client.close();
    return said;
}

const direct = await talk("node", [server, folder]);
const recorded = await talk(binary, ["--trace-dir", store, "record", "--quiet", "--name", "filesystem", "--", "node", server, folder]);
assert.deepEqual(recorded, direct);
assert.ok(direct[0].length > 5 && direct[3].structuredContent, "the server answered");
console.log("filesystem: as without the recorder");
