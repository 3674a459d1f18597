// What the page holds, and which rows of it show. Nothing here makes markup: texts are read and compared.

const at = (id) => document.getElementById(id);
const page = JSON.parse(at("data").textContent);
const rows = page ? page.rows : [];
const places = new Map(rows.map((row, place) => [row.id, place]));

// The row that folds each row away; -1 where none does. Rows that fold others are in `heads`.
const above = new Int32Array(rows.length).fill(-1);
const heads = new Set();
{
  const open = [];
  rows.forEach((row, place) => {
    const depth = row.depth || 0;
    while (open.length > 0 && (rows[open.at(-1)].depth || 0) >= depth) {
      open.pop();
    }
    if (open.length > 0) {
      above[place] = open.at(-1);
      heads.add(open.at(-1));
    }
    open.push(place);
  });
}

// What each row cost together with those before it, and the worst that was found at it.
const RANKS = ["error", "incomplete", "warning", "note"];
const costs = [];
const levels = [];
{
  let cost = "";
  for (const row of rows) {
    cost = row.cost || cost;
    costs.push(cost);
    const found = (row.found || []).map((place) => RANKS.indexOf(page.findings[place].level));
    levels.push(found.length > 0 ? RANKS[Math.min(...found)] : null);
  }
}

// Results by the calls that they answer.
const answers = new Map();
rows.forEach((row, place) => row.call !== undefined && !answers.has(row.call) && answers.set(row.call, place));

const kindsOf = (row) => row.kinds || (row.did || []).map((did) => did.kind);

// What a row is found by, put together when it is asked for.
const texts = [];
const textOf = (place) => {
  if (texts[place] === undefined) {
    const row = rows[place];
    const parts = [row.event ? `#${row.event}` : "", row.what, row.tool, row.subagent, row.says, row.text];
    for (const did of row.did || []) {
      parts.push(did.what);
    }
    for (const found of row.found || []) {
      const finding = page.findings[found];
      parts.push(finding.rule, finding.says, finding.fingerprint);
    }
    for (const note of row.notes || []) {
      parts.push(note.label, note.says, note.author);
    }
    texts[place] = parts.filter(Boolean).join("\n").toLowerCase();
  }
  return texts[place];
};

// Places of the rows that show, in order, and where each row stands among them.
let shown = [];
const order = new Int32Array(rows.length);
const folded = new Set();

const isFolded = (place) => {
  for (let outer = above[place]; outer >= 0; outer = above[outer]) {
    if (folded.has(outer)) {
      return true;
    }
  }
  return false;
};

// `wanted`: words, types, a kind of effects, and what was found. What is searched for is found inside of what is folded.
const choose = (wanted) => {
  shown = [];
  order.fill(-1);
  rows.forEach((row, place) => {
    const found = levels[place];
    const fits =
      (row.what === "session" || wanted.types.has(row.what) || found !== null || Boolean(row.notes)) &&
      (wanted.effect === null || kindsOf(row).includes(wanted.effect)) &&
      (wanted.found === null ||
        (wanted.found === "any" && found !== null) ||
        (wanted.found === "noted" && Boolean(row.notes)) ||
        (row.found || []).some((found) => page.findings[found].level === wanted.found)) &&
      (wanted.words.length > 0 || !isFolded(place)) &&
      wanted.words.every((word) => textOf(place).includes(word));
    if (fits) {
      order[place] = shown.length;
      shown.push(place);
    }
  });
};

// The row that shows at this place or comes next; the last one behind all.
const nearest = (place) => {
  let low = 0;
  let high = shown.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (shown[middle] < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return shown[Math.min(low, shown.length - 1)];
};
