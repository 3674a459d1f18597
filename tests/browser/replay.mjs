// Opens replays in a headless Chromium, as a reviewer does: they ask nothing of any server, nothing in them runs but their
// own script, tens of thousands of events open at once, everything is done by keys, and people who can't see well can read it.
//
// node replay.mjs --browser PATH --modules FOLDER [--screenshots FOLDER] NAME=FILE…
//
// NAME says what the page has to hold: `demo`, `long`, `hostile`, `tree` or `unjudged`.

import assert from "node:assert/strict";

import { NARROW, PATIENCE, accessible, fits, harmless, launch, open, picture, run, structure } from "./harness.mjs";

// What the script itself puts in its place.
const STYLED = ["html", ".row", "#rows", ".tick"];

const EXPECTED = {
  demo: { word: "Failed", rows: 14, findings: 9, cost: /^Cost: not known \(the log records no usage\)$/ },
  long: { word: "Failed", rows: 20_000, findings: 40, cost: /^\$\d+\.\d{4} so far \(recorded\) of \$18\.0000 in all \(recorded\)$/ },
  hostile: { word: "Failed", rows: 150, findings: (count) => count > 50, cost: /^Cost: not known/ },
  tree: { word: "Failed", rows: 15, findings: 1, cost: /^Cost: not known/ },
  unjudged: { word: "Not judged", rows: 14, findings: 0, cost: /^Cost: not known/ },
};

const ready = (page) =>
  page.waitForFunction(() => performance.getEntriesByName("agent-strace-ready").length > 0, null, { timeout: PATIENCE });
const opened = async (context, file, options) => {
  const one = await open(context, file, options);
  await ready(one.page);
  return one;
};

const current = (page) => page.evaluate(() => document.querySelector(".row.current .number")?.textContent ?? null);
const title = (page) => page.locator("#detail h3").textContent();
const position = (page) => page.locator("#position").textContent();
const focus = (page) => page.evaluate(() => document.activeElement.id);
const blur = (page) => page.evaluate(() => document.activeElement.blur());

const counted = async (page) => {
  const status = (await page.locator("#count").textContent()).replaceAll(",", "");
  const numbers = status.match(/^(\d+) of (\d+) rows? shown$/);
  assert.ok(numbers, `the filters tell how much is shown: ${status}`);
  return { shown: Number(numbers[1]), total: Number(numbers[2]) };
};

// Until so many rows show: `equal`, or more or fewer than these.
const settled = (page, { equal, above = -1, below = Infinity }) =>
  page.waitForFunction(
    ([equal, above, below]) => {
      const shown = Number(document.getElementById("count").textContent.split(" ")[0].replaceAll(",", ""));
      return equal === null ? shown > above && (below === null || shown < below) : shown === equal;
    },
    [equal ?? null, above, below === Infinity ? null : below],
    { timeout: PATIENCE },
  );

// Only what is in sight is in the document, and what is said of the list is true.
const virtual = async (page, name) => {
  const list = await page.evaluate(() => {
    const tree = document.getElementById("events");
    const active = document.getElementById(tree.getAttribute("aria-activedescendant"));
    const all = [...document.querySelectorAll("#rows > .row")];
    return {
      rows: all.length,
      role: tree.getAttribute("role"),
      active: active?.getAttribute("aria-selected"),
      sizes: new Set(all.map((row) => row.getAttribute("aria-setsize"))).size,
      ordered: all.every((row, at) => at === 0 || Number(all[at - 1].ariaPosInSet) < Number(row.ariaPosInSet)),
    };
  });
  assert.ok(list.rows > 0 && list.rows < 100, `${name}: ${list.rows} rows are in the document`);
  assert.deepEqual({ ...list, rows: 0 }, { rows: 0, role: "tree", active: "true", sizes: 1, ordered: true }, name);
};

const scrolling = async (page, name) => {
  const far = await page.evaluate(async () => {
    const tree = document.getElementById("events");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const blank = [];
    const started = performance.now();
    for (let part = 1; part <= 50; part += 1) {
      tree.scrollTop = (tree.scrollHeight * part) / 50;
      await frame();
      await frame();
      const box = tree.getBoundingClientRect();
      const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!middle?.closest(".row")) {
        blank.push(part);
      }
    }
    return { blank, took: performance.now() - started, rows: document.querySelectorAll(".row").length };
  });
  assert.deepEqual(far.blank, [], `${name}: wherever one scrolls there are events`);
  assert.ok(far.rows < 100, `${name}: ${far.rows} rows are left in the document`);
};

const keys = async (page, name) => {
  await blur(page);
  const press = (key) => page.keyboard.press(key);
  await press("g");
  const first = await current(page);
  await press("j");
  const second = await current(page);
  assert.notEqual(first, second, `${name}: j goes on`);
  await press("k");
  assert.equal(await current(page), first, `${name}: k goes back`);
  await press("n");
  assert.match(await position(page), /finding/, `${name}: n finds a finding`);
  const found = await current(page);
  assert.ok((await page.locator("#detail .finding").count()) > 0, `${name}: and shows it`);
  await press("G");
  await press("p");
  assert.match(await position(page), /finding|none before/, `${name}: p finds the last one`);
  await page.locator("#events").focus();
  await press("Home");
  assert.equal(await current(page), first, `${name}: Home leads to the first event`);
  await press("ArrowDown");
  assert.equal(await current(page), second, `${name}: so do arrows`);
  await press("Enter");
  assert.equal(await focus(page), "detail", `${name}: Enter leads to what the event says`);
  await press("Escape");
  assert.equal(await focus(page), "events", `${name}: Escape leads back`);
  await press("?");
  assert.ok(await page.locator("#shortcuts").isVisible(), `${name}: ? lists the keys`);
  await page.locator("#keys").uncheck();
  await page.locator("#close").click();
  await blur(page);
  const here = await current(page);
  await press("n");
  assert.equal(await current(page), here, `${name}: keys can be turned off`);
  await press("?");
  assert.ok(!(await page.locator("#shortcuts").isVisible()), `${name}: all of them`);
  await page.locator("#help").click();
  await page.locator("#keys").check();
  await press("Escape");
  return found;
};

const searching = async (page, name) => {
  const { shown, total } = await counted(page);
  await blur(page);
  await page.keyboard.press("/");
  assert.equal(await focus(page), "search", `${name}: / searches`);
  await page.keyboard.type("zz no log says that zz");
  await settled(page, { equal: 0 });
  assert.ok(await page.locator("#nothing").isVisible(), `${name}: nothing is said to be there`);
  await page.locator("#search").fill("bash");
  await settled(page, { above: 0, below: total });
  await page.keyboard.press("Escape");
  await page.locator("#reset").click();
  await settled(page, { equal: shown });
};

const filtering = async (page, name) => {
  const { shown } = await counted(page);
  await page.locator("#found").selectOption("any");
  await settled(page, { below: shown });
  const marked = await page.locator("#rows > .row .badge").count();
  const rows = await page.locator("#rows > .row").count();
  assert.equal(marked, rows, `${name}: every row that is left has a finding`);
  await page.locator("#reset").click();
  await settled(page, { equal: shown });
  await page.locator("#effect").selectOption("execute");
  await settled(page, { above: 0, below: shown });
  await page.keyboard.press("Escape");
  await blur(page);
  await page.keyboard.press("g");
  assert.ok((await page.locator("#detail .effect", { hasText: "Ran: " }).count()) > 0, `${name}: it ran something`);
  await page.locator("#reset").click();
  await settled(page, { equal: shown });
  await page.locator('input[name="type"][value="tool_result"]').uncheck();
  await settled(page, { below: shown });
  assert.equal(await page.locator("#rows > .row.is-tool_result").count(), 0, `${name}: no results are left`);
  await page.locator("#reset").click();
  await settled(page, { equal: shown });
};

const scrubbing = async (page, name) => {
  const ticks = await page.locator("#marks .tick.error").count();
  assert.ok(ticks > 0, `${name}: findings are marked on the track`);
  await page.locator("#place").focus();
  await page.keyboard.press("End");
  const last = await current(page);
  await page.keyboard.press("Home");
  assert.notEqual(await current(page), last, `${name}: the track leads through the session`);
  assert.match(await page.locator("#place").getAttribute("aria-valuetext"), /^(Event #|Session)/, `${name}: it tells where`);
};

// Plays until another event is the current one. The page itself presses the button again at that moment: a busy machine
// could reach the end of a short session before an answer from here arrives.
const playedOneEvent = (patience) =>
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("no other event became the current one")), patience);
    const play = document.getElementById("play");
    const number = () => document.querySelector(".row.current .number")?.textContent;
    const first = number();
    const observer = new MutationObserver(() => {
      if (number() !== undefined && number() !== first) {
        observer.disconnect();
        const seen = { label: play.textContent, live: document.getElementById("position").getAttribute("aria-live") };
        play.click();
        resolve(seen);
      }
    });
    observer.observe(document.getElementById("events"), { subtree: true, childList: true, attributes: true });
    play.click();
  });

const playing = async (page, name) => {
  await blur(page);
  await page.keyboard.press("g");
  await page.locator("#speed").selectOption("100");
  const played = await page.evaluate(playedOneEvent, PATIENCE);
  assert.equal(played.label, "Pause", `${name}: it plays`);
  assert.equal(played.live, "off", `${name}: not every event is read out`);
  assert.equal(await page.locator("#play").textContent(), "Play", `${name}: it stops`);
  const here = await current(page);
  await page.waitForTimeout(200);
  assert.equal(await current(page), here, `${name}: and stays there`);
};

const deepLinks = async (context, name, file) => {
  const { page, wrong } = await opened(context, file, { hash: "#e5" });
  assert.equal(await current(page), "#5", `${name}: a link leads to its event`);
  assert.match(await title(page), /^#5 tool_call Bash/, `${name}: which shows`);
  assert.match(await page.locator("#detail .entry code").first().textContent(), /^\.agent-scope\.json:5:16$/);
  assert.match(await page.locator("#detail .quote").first().textContent(), /^"deny": \["\.env"/, `${name}: the policy is quoted`);
  await page.evaluate(() => (location.hash = "#e9"));
  await page.waitForFunction(() => document.querySelector(".row.current .number").textContent === "#9");
  await page.locator('.jump a[href="#e11"]').click();
  await page.waitForFunction(() => document.querySelector(".row.current .number").textContent === "#11");
  assert.equal(await focus(page), "events", `${name}: a finding leads to its event`);
  await page.waitForFunction(() => location.hash === "#e11");
  await page.locator("#detail .finding a", { hasText: "scope/command" }).click();
  await page.waitForFunction(() => document.querySelector(":target")?.id === "rule-scope/command");
  await harmless({ page, wrong }, name);
  await page.close();
};

const folding = async (page, name) => {
  const { shown, total } = await counted(page);
  assert.equal(shown, total, `${name}: everything is unfolded at first`);
  await page.locator("#fold").click();
  await settled(page, { below: total });
  await page.locator("#fold").click();
  await settled(page, { equal: total });
  await page.locator(".row.is-session .fold").first().click();
  await settled(page, { below: total });
  const head = page.locator(".row.is-session").first();
  assert.equal(await head.getAttribute("aria-expanded"), "false", `${name}: what is folded says so`);
  await page.locator("#events").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page, { equal: total });
  const levels = await page.locator(".row").evaluateAll((all) => all.map((row) => row.getAttribute("aria-level")));
  assert.deepEqual([...new Set(levels)].sort(), ["1", "2", "3"], `${name}: sub-agents are deeper`);
  await page.evaluate(() => (location.hash = "#s2e3"));
  await page.waitForFunction(() => document.querySelector("#detail h3").textContent.startsWith("#3 "));
  assert.match(await page.locator("#detail").textContent(), /tree0001/, `${name}: links lead into sub-agents`);
};

const schemes = async (context, name, file) => {
  const backgrounds = new Set();
  const colours = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  for (const colorScheme of ["light", "dark"]) {
    const one = await opened(context, file);
    await one.page.emulateMedia({ colorScheme });
    backgrounds.add(await colours(one.page));
    if (name !== "long") {
      await accessible(one.page, `${name}, ${colorScheme}`);
    }
    await picture(one.page, `replay-${name}-${colorScheme}`);
    await one.page.locator("#theme").click();
    assert.ok(backgrounds.size === 1 || backgrounds.has(await colours(one.page)), `${name}: the other scheme`);
    if (name !== "long") {
      await accessible(one.page, `${name}, from ${colorScheme} to the other`);
    }
    await harmless(one, name);
    await one.page.close();
  }
  assert.equal(backgrounds.size, 2, `${name}: dark is not light`);
};

const narrow = async (context, name, file) => {
  const one = await opened(context, file);
  await one.page.setViewportSize(NARROW);
  assert.ok(await fits(one.page), `${name}: 320 pixels are wide enough`);
  await picture(one.page, `replay-${name}-narrow`);
  await harmless(one, name);
  await one.page.close();
};

const withoutScript = async (name, file, expected) => {
  const context = await launch({ name: `${name}-static`, javaScriptEnabled: false });
  const { page, wrong } = await open(context, file);
  assert.deepEqual(wrong, [], `${name}: what the page must not do without its script`);
  assert.ok(!(await page.locator("#timeline").isVisible()), `${name}: what would do nothing is hidden`);
  assert.ok(await page.locator("#static").isVisible(), `${name}: which is said`);
  assert.equal(await page.locator("h1 .word").textContent(), expected.word, `${name}: the verdict shows`);
  const findings = await page.locator("details.finding").count();
  assert.ok(typeof expected.findings === "number" ? findings === expected.findings : expected.findings(findings), `${name}: ${findings} findings`);
  for (const one of await page.locator("details.finding").all()) {
    assert.ok(await one.isVisible(), `${name}: all findings show`);
  }
  await context.close();
};

const everyEvent = async (page, name) => {
  const { total } = await counted(page);
  await blur(page);
  await page.keyboard.press("g");
  for (let event = 1; event < Math.min(total, 200); event += 1) {
    await page.keyboard.press("j");
  }
  const foreign = await page.evaluate(() => document.querySelectorAll("#timeline :is(img, script, iframe, svg, form, style, base, meta)").length);
  assert.equal(foreign, 0, `${name}: nothing of a log became an element`);
};

const check = async (context, name, file) => {
  const expected = EXPECTED[name];
  assert.ok(expected, `${name} is none of ${Object.keys(EXPECTED).join(", ")}`);
  const one = await opened(context, file);
  const { page } = one;
  if (name === "long") {
    const took = await page.evaluate(() => performance.getEntriesByName("agent-strace-ready")[0].startTime);
    console.log(`${name}: open after ${Math.round(took)} ms`);
  }
  assert.equal(await page.locator("h1 .word").textContent(), expected.word, `${name}: the verdict`);
  assert.equal((await counted(page)).total, expected.rows, `${name}: its rows`);
  assert.match((await page.locator(".spent").textContent()).trim(), expected.cost, `${name}: what it cost`);
  await structure(page, name, { styled: STYLED });
  await virtual(page, name);
  if (name === "long") {
    await scrolling(page, name);
  }
  if (name === "hostile") {
    await everyEvent(page, name);
  }
  if (name === "tree") {
    await folding(page, name);
  } else if (name !== "unjudged") {
    await keys(page, name);
    await searching(page, name);
    await filtering(page, name);
    await scrubbing(page, name);
    await playing(page, name);
  }
  await virtual(page, name);
  await harmless(one, name);
  await page.close();
  if (name === "demo") {
    await deepLinks(context, name, file);
  }
  await schemes(context, name, file);
  await narrow(context, name, file);
  await withoutScript(name, file, expected);
};

await run(check);
