// Filters, keys, links and colours, and the first look.

const search = at("search");
const [onlyEffect, onlyFound] = [at("effect"), at("found")];
const types = [...document.querySelectorAll('input[name="type"]')];
const keys = at("keys");
const dialog = at("shortcuts");

const chosen = (control) => (control.selectedIndex > 0 ? control.value : null);

const apply = () => {
  choose({
    words: search.value.toLowerCase().split(/\s+/).filter(Boolean),
    types: new Set(types.filter((type) => type.checked).map((type) => type.value)),
    effect: chosen(onlyEffect),
    found: chosen(onlyFound),
  });
  lay();
  at("count").textContent = `${grouped(shown.length)} of ${counted(rows.length, "row")} shown`;
  if (current >= 0 && shown.length > 0) {
    scrollTo(nearest(current));
    paint();
    tell();
  }
};

let waiting = 0;
search.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(apply, 120);
});
[onlyEffect, onlyFound, ...types].forEach((control) => control.addEventListener("change", apply));

const reset = () => {
  search.value = "";
  onlyEffect.selectedIndex = 0;
  onlyFound.selectedIndex = 0;
  types.forEach((type) => (type.checked = type.defaultChecked));
  apply();
};
at("reset").addEventListener("click", reset);

const fold = (place, close) => {
  if (!heads.has(place) || folded.has(place) === close) {
    return false;
  }
  if (close) {
    folded.add(place);
  } else {
    folded.delete(place);
  }
  apply();
  return true;
};

// Where several sessions are in the page, each stays open.
const foldable = [...heads].filter((place) => rows[place].what !== "session" || rows[place].depth);
const foldAll = at("fold");
foldAll.hidden = foldable.length === 0;
foldAll.addEventListener("click", () => {
  const close = folded.size === 0;
  foldable.forEach((place) => (close ? folded.add(place) : folded.delete(place)));
  foldAll.textContent = close ? "Unfold sub-agents" : "Fold sub-agents";
  apply();
});

// Wherever an event is, whatever was filtered: a link leads there.
const goTo = (place) => {
  for (let outer = above[place]; outer >= 0; outer = above[outer]) {
    folded.delete(outer);
  }
  const type = types.find((type) => type.value === rows[place].what);
  if (order[place] < 0 && type) {
    reset();
    type.checked = true;
  }
  apply();
  select(place);
};

const followLink = () => {
  const place = places.get(decodeURIComponent(location.hash.slice(1)));
  if (place !== undefined && place !== current) {
    goTo(place);
    at("timeline").scrollIntoView({ block: "start" });
    return true;
  }
  return place !== undefined;
};
addEventListener("hashchange", followLink);
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  const place = link ? places.get(decodeURIComponent(link.hash.slice(1))) : undefined;
  if (place !== undefined) {
    event.preventDefault();
    pause();
    goTo(place);
    at("timeline").scrollIntoView({ block: "start" });
    tree.focus({ preventScroll: true });
  }
});

tree.addEventListener("click", (event) => {
  const element = event.target instanceof Element ? event.target.closest(".row") : null;
  if (element) {
    const place = Number(element.dataset.place);
    pause();
    select(place);
    if (event.target.closest(".fold")) {
      fold(place, !folded.has(place));
    }
  }
});

// The style sheet has both schemes; which of them holds is the reader's choice.
const schemes = [...document.styleSheets]
  .flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme: dark"));
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let dark = null;
const changeColours = () => {
  dark = !(dark ?? prefersDark.matches);
  schemes.forEach((rule) => (rule.media.mediaText = dark ? "all" : "not all"));
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
};
at("theme").addEventListener("click", changeColours);

const showHelp = () => dialog.open || dialog.showModal();
at("help").addEventListener("click", showHelp);
at("close").addEventListener("click", () => dialog.close());

const hasFindings = (place) => levels[place] !== null;
at("next").addEventListener("click", () => seek(1, hasFindings));
at("previous").addEventListener("click", () => seek(-1, hasFindings));

const toDetail = () => {
  detail.focus({ preventScroll: true });
  detail.scrollIntoView({ block: "nearest" });
};

// On every part of the page.
const everywhere = {
  "/": () => search.focus(),
  j: () => step(1),
  k: () => step(-1),
  n: () => seek(1, hasFindings),
  p: () => seek(-1, hasFindings),
  b: () => seek(1, (place) => Boolean(rows[place].notes)),
  g: () => select(shown[0]),
  G: () => select(shown.at(-1)),
  t: changeColours,
  "?": showHelp,
};
const pageful = () => Math.max(1, Math.floor(tree.clientHeight / height) - 1);
// In the list, as in every list.
const inList = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  PageDown: () => step(pageful()),
  PageUp: () => step(-pageful()),
  Home: () => select(shown[0]),
  End: () => select(shown.at(-1)),
  ArrowRight: () => fold(current, false) || (heads.has(current) && step(1)),
  ArrowLeft: () => fold(current, true) || (above[current] >= 0 && select(above[current])),
  Enter: toDetail,
  " ": playOrPause,
};

const commandFor = (event) => {
  const target = event.target instanceof Element ? event.target : document.body;
  if (tree.contains(target) && Object.hasOwn(inList, event.key)) {
    return inList[event.key];
  }
  const busy = target.closest("input:not([type=checkbox]):not([type=range]), select, textarea");
  if (busy || !keys.checked) {
    return null;
  }
  if (Object.hasOwn(everywhere, event.key)) {
    return everywhere[event.key];
  }
  // Elsewhere Enter and Space do what they do on whatever has the focus.
  const free = target === document.body || target === detail;
  return free && (event.key === "Enter" || event.key === " ") && target !== detail ? inList[event.key] : null;
};

addEventListener("keydown", (event) => {
  if (dialog.open || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key === "Escape" && (event.target === search || detail.contains(event.target))) {
    tree.focus();
    return;
  }
  const command = commandFor(event);
  if (command) {
    event.preventDefault();
    if (command !== playOrPause && command !== changeColours && command !== showHelp) {
      pause();
    }
    command();
  }
});

const begin = () => {
  // Links lead into the timeline from now on.
  document.querySelectorAll(".jump").forEach((jump) => jump.removeAttribute("id"));
  at("static").hidden = true;
  at("timeline").hidden = false;
  at("to-timeline").hidden = false;
  range.max = Math.max(0, rows.length - 1);
  const { all, basis, why, beyond } = page.spent;
  const remarks = [basis === "incomplete" ? "" : basis, beyond && `${beyond} of it at no event`, ...(why || [])];
  const inBrackets = remarks.filter(Boolean).join("; ");
  at("cost-of-all").textContent = `${hasCost ? ` of ${all} in all` : `Cost: ${all}`}${inBrackets ? ` (${inBrackets})` : ""}`;
  apply();
  mark();
  if (!followLink()) {
    const first = shown.find(hasFindings) ?? shown[0];
    select(first, { quiet: true });
  }
  performance.mark("agent-strace-ready");
};

if (rows.length > 0) {
  begin();
}
