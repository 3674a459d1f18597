// The list of events. Of tens of thousands only those in sight are in the document; all rows are equally high.

const tree = at("events");
const body = at("rows");
// Rows that are drawn above and below what is in sight, so that scrolling shows no gaps.
const BEYOND = 12;
const drawn = new Map();
let current = -1;
let height = 28;

const STATUS = { denied: "refused", interrupted: "interrupted", missing: "no result recorded", error: "failed" };

const statusOf = (row) => {
  const told = row.what === "tool_call" || row.what === "error" ? STATUS[row.status] : undefined;
  // An error says by itself that something failed.
  return told && !(row.what === "error" && row.status === "error") ? told : "";
};

const draw = (place) => {
  const row = rows[place];
  const level = levels[place];
  const element = make("div", `row is-${row.what}`);
  element.id = `row-${place}`;
  element.dataset.place = place;
  element.setAttribute("role", "treeitem");
  element.setAttribute("aria-level", (row.depth || 0) + 1);
  const fold = make("span", "fold", heads.has(place) ? (folded.has(place) ? "▸" : "▾") : "");
  fold.setAttribute("aria-hidden", "true");
  if (heads.has(place)) {
    element.setAttribute("aria-expanded", String(!folded.has(place)));
  }
  const name = [row.tool, row.subagent && `(sub-agent ${row.subagent})`].filter(Boolean).join(" ");
  const status = statusOf(row);
  element.append(
    make("span", "number", nameOf(row)),
    make("span", "offset", offsetOf(row)),
    fold,
    make("span", `type is-${row.what}`, row.what),
    make("span", "says", name && make("b", "", `${name} `), row.says),
    make(
      "span",
      "remarks",
      status && make("span", "status", status),
      row.notes && make("span", "noted", row.notes.some((note) => note.bookmark) ? "★" : "✎"),
      level && badge(level),
      row.found && row.found.length > 1 && make("span", "times", `×${row.found.length}`),
    ),
  );
  element.style.setProperty("--depth", Math.min(row.depth || 0, 12));
  return element;
};

const inSight = () => {
  const first = Math.max(0, Math.floor(tree.scrollTop / height) - BEYOND);
  const last = Math.min(shown.length, Math.ceil((tree.scrollTop + tree.clientHeight) / height) + BEYOND);
  const wanted = shown.slice(first, last);
  // What the list says is active has to be there.
  if (current >= 0 && order[current] >= 0 && (order[current] < first || order[current] >= last)) {
    wanted.push(current);
    wanted.sort((one, other) => one - other);
  }
  return wanted;
};

const paint = () => {
  const wanted = inSight();
  const keep = new Set(wanted);
  for (const place of drawn.keys()) {
    if (!keep.has(place)) {
      drawn.delete(place);
    }
  }
  const elements = wanted.map((place) => {
    let element = drawn.get(place);
    if (!element) {
      element = draw(place);
      drawn.set(place, element);
    }
    element.style.transform = `translateY(${order[place] * height}px)`;
    element.setAttribute("aria-posinset", order[place] + 1);
    element.setAttribute("aria-setsize", shown.length);
    element.setAttribute("aria-selected", String(place === current));
    element.classList.toggle("current", place === current);
    element.classList.toggle("later", place > current);
    return element;
  });
  const same = elements.length === body.children.length && elements.every((element, at) => element === body.children[at]);
  if (!same) {
    body.replaceChildren(...elements);
  }
};

let painting = 0;
const paintSoon = () => {
  painting = painting || requestAnimationFrame(() => {
    painting = 0;
    paint();
  });
};

// After the rows that show have changed.
const lay = () => {
  height = Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 1.75);
  body.style.height = `${shown.length * height}px`;
  body.style.setProperty("--row", `${height}px`);
  at("nothing").hidden = shown.length > 0;
  drawn.clear();
  paint();
};

const scrollTo = (place) => {
  const top = order[place] * height;
  if (top < tree.scrollTop) {
    tree.scrollTop = Math.max(0, top - height);
  } else if (top + 2 * height > tree.scrollTop + tree.clientHeight) {
    tree.scrollTop = top + 2 * height - tree.clientHeight;
  }
};

tree.addEventListener("scroll", paintSoon, { passive: true });
addEventListener("resize", () => lay());
