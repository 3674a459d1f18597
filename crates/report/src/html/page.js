// Finds and filters. The page holds everything without it, and nothing here makes markup of what a log says: texts are
// read and compared, and what is shown is counted.
"use strict";

(() => {
  const at = (id) => document.getElementById(id);
  const bar = at("filters");
  const dialog = at("shortcuts");
  const findings = [...document.querySelectorAll("details.finding")];

  const openTarget = () => {
    const target = at(decodeURIComponent(location.hash.slice(1)));
    for (let outer = target?.closest("details"); outer; outer = outer.parentElement.closest("details")) {
      outer.open = true;
    }
  };
  addEventListener("hashchange", openTarget);
  openTarget();

  // Paper has no buttons: everything is open while the page is printed.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));

  if (!bar) {
    return;
  }

  const search = at("search");
  const rule = at("rule");
  const session = at("session");
  const levels = [...bar.querySelectorAll('input[name="level"]')];
  const count = at("count");
  const keys = at("keys");
  const events = [...document.querySelectorAll(".event")];
  const groups = [...document.querySelectorAll("details.group")];

  // What a finding is found by: its own text, and that of the event and the session above it.
  const texts = new Map();
  const text = (node) => (node ? node.textContent : "");
  for (const group of groups) {
    const about = text(group.querySelector("h3")) + " " + text(group.querySelector(".meta"));
    for (const event of group.querySelectorAll(".event")) {
      let said = text(event.querySelector("h4"));
      for (const part of event.children) {
        if (part.matches(".evidence")) {
          said = text(event.querySelector("h4")) + " " + part.textContent;
        } else if (part.matches(".finding")) {
          texts.set(part, [about, said, part.textContent].join(" ").toLowerCase());
        }
      }
    }
  }

  const chosen = (select) => (select.selectedIndex > 0 ? select.value : null);

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(levels.filter((level) => level.checked).map((level) => level.value));
    const [onlyRule, onlySession] = [chosen(rule), chosen(session)];
    let shown = 0;
    for (const finding of findings) {
      const { level, rule: ofRule, session: ofSession } = finding.dataset;
      const fits =
        wanted.has(level) &&
        (onlyRule === null || onlyRule === ofRule) &&
        (onlySession === null || onlySession === ofSession) &&
        words.every((word) => texts.get(finding).includes(word));
      finding.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const event of events) {
      hideEmpty(event, ".finding");
      hideEvidence(event);
    }
    groups.forEach((group) => {
      hideEmpty(group, ".event");
      group.open = !group.hidden;
    });
    at("nothing").hidden = shown > 0;
    count.textContent = `${shown} of ${findings.length} findings shown`;
  };

  const hideEmpty = (outer, inner) => {
    outer.hidden = !outer.querySelector(`${inner}:not([hidden])`);
  };

  // What the log says is shown with the first finding below it that is.
  const hideEvidence = (event) => {
    let evidence = null;
    for (const part of event.children) {
      if (part.matches(".evidence")) {
        evidence = part;
        evidence.hidden = true;
      } else if (evidence && part.matches(".finding:not([hidden])")) {
        evidence.hidden = false;
      }
    }
  };

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  [rule, session, ...levels].forEach((control) => control.addEventListener("change", filter));

  const openAll = (open) => {
    groups.filter((group) => open && !group.hidden).forEach((group) => (group.open = true));
    findings.filter((finding) => !finding.hidden).forEach((finding) => (finding.open = open));
  };
  at("expand").addEventListener("click", () => openAll(true));
  at("collapse").addEventListener("click", () => openAll(false));
  at("reset").addEventListener("click", () => {
    search.value = "";
    rule.selectedIndex = 0;
    session.selectedIndex = 0;
    levels.forEach((level) => (level.checked = true));
    filter();
  });

  const showHelp = () => dialog.open || dialog.showModal();
  at("help").addEventListener("click", showHelp);
  at("close").addEventListener("click", () => dialog.close());

  const current = () => document.activeElement && document.activeElement.closest("details.finding");

  // From the finding that has the focus, or from the first one below it.
  const step = (by) => {
    const shown = findings.filter((finding) => !finding.hidden);
    const here = document.activeElement || document.body;
    const place = shown.indexOf(current());
    let next = place + by;
    if (place < 0) {
      const below = (finding) => here.compareDocumentPosition(finding) & Node.DOCUMENT_POSITION_FOLLOWING;
      const first = here === document.body ? 0 : shown.findIndex(below);
      next = by > 0 ? first : (first < 0 ? shown.length : first) - 1;
    }
    const target = shown[next];
    if (target) {
      target.closest(".group").open = true;
      target.querySelector("summary").focus({ preventScroll: true });
      target.scrollIntoView({ block: "nearest" });
    }
  };

  const commands = {
    "/": () => search.focus(),
    j: () => step(1),
    k: () => step(-1),
    e: () => {
      const finding = current();
      if (finding) {
        finding.open = !finding.open;
      }
    },
    "?": showHelp,
  };

  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === search) {
      search.blur();
      return;
    }
    const typing = event.target instanceof Element && event.target.closest("input:not([type=checkbox]), select, textarea");
    const command = Object.hasOwn(commands, event.key) ? commands[event.key] : null;
    if (!command || !keys.checked || dialog.open || typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    event.preventDefault();
    command();
  });

  bar.hidden = false;
  at("count").textContent = `${findings.length} of ${findings.length} findings shown`;
})();
