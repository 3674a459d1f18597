// One event: what it says in full, what it did, and what the gate says of that.

const detail = at("detail");

const timeOf = (row) => {
  const start = page.sessions[row.session || 0].start;
  return row.offset === undefined || start === undefined ? null : new Date(start + row.offset).toISOString().replace("T", " ");
};

const eventLink = (place, text) => linkTo(rows[place].id, text || nameOf(rows[place]));

// The line of the policy that decided, with the entry marked: a text, a word, or where a list begins.
const quoted = (place) => {
  const entry = place === undefined ? null : page.entries[place];
  if (!entry) {
    return null;
  }
  const parts = [make("p", "meta", make("code", "", entry.at), ` ${entry.pointer}`)];
  if (entry.named) {
    parts.push(make("p", "", entry.named));
  }
  if (entry.line !== undefined) {
    const [before, rest] = [[...entry.line].slice(0, entry.before).join(""), [...entry.line].slice(entry.before).join("")];
    const [decided] = rest.match(/^(?:"(?:\\.|[^"\\])*"|[\w.-]+|.|)/u);
    parts.push(make("pre", "quote", before, decided && make("mark", "", decided), rest.slice(decided.length)));
  }
  return make("div", "entry", ...parts);
};

const finding = (found) => {
  const { rule, level, says, by, until, fingerprint, anchor } = page.findings[found];
  const known = page.rules[rule] || {};
  return make(
    "li",
    `finding ${level}`,
    make("p", "", badge(level), " ", make("span", "message", ...said(says))),
    until && make("p", "meta", `up to event ${until}`),
    quoted(by) || make("p", "meta", "The rule is built in: no entry of a policy says so."),
    known.fix && make("p", "fix", make("b", "", "How to fix: "), ...said(known.fix)),
    make(
      "p",
      "meta",
      linkTo(`rule-${rule}`, make("code", "", rule)),
      known.summary ? `: ${known.summary} ` : " ",
      linkTo(anchor, "below"),
      " · ",
      make("code", "", `agent-strace explain ${fingerprint.slice(0, 12)}`),
    ),
  );
};

const SURE = { pattern: "whatever matches", possible: "it may not have happened" };

const effect = (did) =>
  make(
    "li",
    `effect ${did.decision || "unjudged"}`,
    make("p", "", did.decision && make("span", `decision ${did.decision}`, did.decision), " ", ...said(did.what)),
    did.sure && make("p", "meta", SURE[did.sure] || did.sure),
    did.reason && make("p", "meta", ...said(did.reason), did.sensitive ? " (always taken for sensitive)" : ""),
    quoted(did.by),
  );

const noted = (note) =>
  make(
    "li",
    "note",
    note.bookmark ? "★ bookmark " : "",
    note.label ? make("code", "", note.label) : "",
    note.says ? make("pre", "full", note.says) : "",
    note.author ? make("span", "meta", ` ${note.author}`) : "",
  );

const part = (title, ...children) => make("section", "part", make("h4", "", title), ...children);

// What an event says, and how much of it is here.
const words = (title, place) => {
  const row = rows[place];
  const source = page.sessions[row.session || 0].source;
  const all = `The log has all of it: ${source}:${row.line}`;
  if (row.text !== undefined) {
    const cut = row.of === undefined ? null : make("p", "notice", `Cut: it has ${grouped(row.of)} characters. ${all}`);
    return part(title, make("pre", "full", row.text), cut);
  }
  return row.omitted ? part(title, make("p", "notice", `Left out, as the page would be too large. ${all}`)) : null;
};

const WORDS = {
  tool_call: "Arguments",
  tool_result: "Result",
  error: "What failed",
  hook: "Command",
  file_read: "File",
  file_write: "File",
  file_delete: "File",
};

const show = (place) => {
  const row = rows[place];
  const session = page.sessions[row.session || 0];
  const answer = answers.get(place);
  const title = make("h3", "", linkTo(row.id, nameOf(row)), " ", make("span", `type is-${row.what}`, row.what), " ", row.tool || "");
  const status = statusOf(row);
  const about = [
    offsetOf(row),
    status || (row.what === "tool_call" ? row.status : ""),
    row.took === undefined ? "" : `took ${lasted(row.took)}`,
    row.subagent && `sub-agent ${row.subagent}`,
    row.call !== undefined && make("span", "", "answers ", eventLink(row.call)),
    answer !== undefined && make("span", "", "answered by ", eventLink(answer)),
  ].filter(Boolean);
  const recorded = facts([
    ["When", timeOf(row)],
    ["Session", page.sessions.length > 1 ? session.id : null],
    ["Line of the log", row.line === undefined ? null : make("code", "", `${session.source}:${row.line}`)],
    ["Cost so far", costs[place]],
  ]);
  const more = row.more ? make("p", "meta", `and ${counted(row.more, "more effect")}`) : null;
  detail.replaceChildren(
    ...[
      title,
      row.event === undefined ? make("p", "", row.says) : null,
      make("p", "meta glance", ...about.flatMap((one, at) => (at > 0 ? [" · ", one] : [one]))),
      row.found ? part(counted(row.found.length, "finding"), make("ul", "findings", ...row.found.map(finding))) : null,
      row.notes ? part("Notes", make("ul", "notes", ...row.notes.map(noted))) : null,
      words(WORDS[row.what] || "Text", place),
      answer === undefined ? null : words(`Result (${nameOf(rows[answer])})`, answer),
      row.did ? part("Effects", make("ul", "effects", ...row.did.map(effect)), more) : null,
      part("Recorded", recorded),
    ].filter(Boolean),
  );
  detail.scrollTop = 0;
};
