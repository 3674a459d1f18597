// gemini.mjs BUNDLE POLICIES CALLS: loads policy files with the engine of Gemini CLI and asks it about calls.
// Prints {"errors": […], "rules": N, "decisions": [{"line", "decision"}]}.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [bundle, policies, calls] = process.argv.slice(2);

/** The chunk of the bundle that exports the engine. */
async function engine() {
  for (const name of readdirSync(bundle).filter((name) => /^core-.*\.js$/.test(name))) {
    const module = await import(join(bundle, name));
    if (module.PolicyEngine && module.loadPoliciesFromToml) return module;
  }
  throw new Error('no chunk of the bundle exports the policy engine');
}

/** The call as Gemini CLI's own tools make it; undefined where it has no such tool. */
function call({ tool, input }) {
  if (tool.startsWith('mcp__')) {
    const [, server, name] = tool.split('__');
    return { name: `mcp_${server}_${name}`, args: {}, server };
  }
  switch (tool) {
    case 'Bash':
      return { name: 'run_shell_command', args: { command: input.command } };
    case 'Read':
      return { name: 'read_file', args: { file_path: input.file_path } };
    case 'Edit':
      return { name: 'write_file', args: { content: '', file_path: input.file_path } };
    case 'WebFetch':
      return { name: 'web_fetch', args: { prompt: input.url } };
    case 'WebSearch':
      return { name: 'google_web_search', args: { query: input.query } };
    default:
      return undefined;
  }
}

const { PolicyEngine, PolicyDecision, loadPoliciesFromToml, USER_POLICY_TIER } = await engine();
const loaded = await loadPoliciesFromToml([policies], () => USER_POLICY_TIER);
const checked = new PolicyEngine({ rules: loaded.rules, checkers: [], defaultDecision: PolicyDecision.ASK_USER });
const decisions = [];
for (const [at, line] of readFileSync(calls, 'utf8').trim().split('\n').entries()) {
  const made = call(JSON.parse(line));
  if (!made) continue;
  const { decision } = await checked.check({ name: made.name, args: made.args }, made.server);
  decisions.push({ line: at + 1, decision });
}
console.log(JSON.stringify({ errors: loaded.errors, rules: loaded.rules.length, decisions }));
process.exit(0);
