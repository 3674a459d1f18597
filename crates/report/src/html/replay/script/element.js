// Elements of nothing but fixed names and text.

const make = (name, classes, ...children) => {
  const element = document.createElement(name);
  if (classes) {
    element.className = classes;
  }
  // What is not there is nothing: `condition && child` may stand among them.
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
};

// A message in which names stand between backticks: these are shown as code.
const said = (text) => {
  const pieces = text.split("`");
  // An odd backtick closes nothing, so nothing is taken for a name.
  if (pieces.length % 2 === 0) {
    return [text];
  }
  return pieces.map((piece, place) => (place % 2 === 1 ? make("code", "", piece) : piece));
};

const linkTo = (anchor, ...children) => {
  const link = make("a", "", ...children);
  link.href = `#${encodeURIComponent(anchor).replaceAll("%2F", "/")}`;
  return link;
};

const MARKS = { error: "✕", warning: "!", incomplete: "?", note: "i" };
const badge = (level) => {
  const mark = make("span", "mark", MARKS[level]);
  mark.setAttribute("aria-hidden", "true");
  return make("span", `badge ${level}`, mark, level);
};

const facts = (all) => {
  const there = all.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make("dl", "facts", ...there.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
};

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

// `+10.00s`, `+2m05.50s`, `+1h02m05s`
const offsetOf = (row) => {
  if (row.offset === undefined) {
    return "";
  }
  const sign = row.offset < 0 ? "-" : "+";
  const seconds = Math.abs(row.offset) / 1000;
  if (seconds < 60) {
    return `${sign}${seconds.toFixed(2)}s`;
  }
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0
    ? `${sign}${hours}h${two(minutes)}m${two(Math.floor(seconds % 60))}s`
    : `${sign}${minutes}m${(seconds % 60).toFixed(2).padStart(5, "0")}s`;
};

const lasted = (milliseconds) => (milliseconds < 1000 ? `${milliseconds}ms` : `${(milliseconds / 1000).toFixed(2)}s`);

const nameOf = (row) => (row.event === undefined ? "session" : `#${row.event}`);
