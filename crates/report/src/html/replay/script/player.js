// Where the reader is in the session, and how it goes on by itself.

const range = at("place");
const position = at("position");
const play = at("play");
// Longer pauses are cut to this, and shorter ones would not be seen; what has no time takes a moment. In milliseconds.
const [LONGEST, SHORTEST, MOMENT] = [2000, 16, 250];
let timer = 0;
// Otherwise there is nothing to count.
const hasCost = page && page.spent.all !== "not known";

const isPlaying = () => timer !== 0;

const tell = () => {
  const row = rows[current];
  const found = (row.found || []).length;
  const parts = [
    `${row.event === undefined ? "Session" : `Event ${nameOf(row)}`} (${grouped(order[current] + 1)} of ${grouped(shown.length)} shown)`,
    offsetOf(row),
    [row.what, row.tool].filter(Boolean).join(" "),
    found > 0 ? `${counted(found, "finding")}, worst: ${levels[current]}` : "",
  ];
  const text = parts.filter(Boolean).join(", ");
  // Nobody wants to hear every event while the session plays.
  position.setAttribute("aria-live", isPlaying() ? "off" : "polite");
  position.textContent = text;
  range.value = current;
  range.setAttribute("aria-valuetext", text);
  const { basis } = page.spent;
  const kind = basis === "incomplete" ? "" : ` (${basis})`;
  at("cost-so-far").textContent = hasCost ? `${costs[current] || "$0.0000"} so far${kind}` : "";
};

let naming = 0;
const nameInAddress = () => {
  clearTimeout(naming);
  // Browsers take it amiss where an address changes with every key.
  naming = setTimeout(() => history.replaceState(null, "", `#${rows[current].id}`), isPlaying() ? 1500 : 300);
};

const select = (place, { quiet = false } = {}) => {
  if (place === undefined || !(place >= 0)) {
    return;
  }
  current = place;
  tree.setAttribute("aria-activedescendant", `row-${place}`);
  scrollTo(place);
  paint();
  show(place);
  tell();
  if (!quiet) {
    nameInAddress();
  }
};

const step = (by) => {
  const here = order[current] >= 0 ? order[current] + by : order[nearest(current)];
  select(shown[Math.max(0, Math.min(shown.length - 1, here))]);
};

// The next row before or behind this one that is asked for.
const seek = (by, fits) => {
  const from = order[current] >= 0 ? order[current] : order[nearest(current)] ?? 0;
  const start = current < 0 ? (by > 0 ? 0 : shown.length - 1) : from + by;
  for (let next = start; next >= 0 && next < shown.length; next += by) {
    if (fits(shown[next])) {
      select(shown[next]);
      return;
    }
  }
  position.textContent = by > 0 ? "There is none behind this event." : "There is none before this event.";
};

const pause = () => {
  clearTimeout(timer);
  timer = 0;
  play.textContent = "Play";
  tree.classList.remove("playing");
  if (current >= 0) {
    tell();
  }
};

const goOn = () => {
  const next = shown[order[nearest(current)] + (order[current] >= 0 ? 1 : 0)];
  if (next === undefined) {
    pause();
    return;
  }
  const [before, after] = [rows[current], rows[next]];
  const timed = before.offset !== undefined && after.offset !== undefined && before.session === after.session;
  const gap = timed ? Math.min(LONGEST, after.offset - before.offset) : MOMENT;
  const wait = Math.max(SHORTEST, gap / Number(at("speed").value));
  timer = setTimeout(() => {
    select(next);
    goOn();
  }, wait);
};

const playOrPause = () => {
  if (isPlaying()) {
    pause();
    return;
  }
  if (shown.length === 0) {
    return;
  }
  if (current < 0 || current >= shown.at(-1)) {
    select(shown[0]);
  }
  play.textContent = "Pause";
  tree.classList.add("playing");
  goOn();
};

// Findings and notes on the track: of those too near to each other the worst shows.
const mark = () => {
  const MOST = 400;
  const last = Math.max(1, rows.length - 1);
  const worst = new Map();
  rows.forEach((row, place) => {
    const rank = levels[place] ? RANKS.indexOf(levels[place]) : row.notes ? RANKS.length : -1;
    const bucket = Math.round((place / last) * MOST);
    if (rank >= 0 && !(worst.get(bucket) <= rank)) {
      worst.set(bucket, rank);
    }
  });
  at("marks").replaceChildren(
    ...[...worst].map(([bucket, rank]) => {
      const tick = make("span", `tick ${RANKS[rank] || "noted"}`);
      tick.style.left = `${(bucket / MOST) * 100}%`;
      return tick;
    }),
  );
};

range.addEventListener("input", () => select(nearest(Number(range.value))));
play.addEventListener("click", playOrPause);
