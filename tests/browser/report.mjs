// Opens HTML reports in a headless Chromium, as a reviewer does, and holds what the page promises: it asks nothing of any
// server, nothing in it runs but its own script, it works without that, by keyboard, on small screens and in both colour
// schemes, and people who can't see it well can read it.
//
// node report.mjs --browser PATH --modules FOLDER [--screenshots FOLDER] NAME=FILE…
//
// NAME says what the report has to hold: `demo`, `change`, `clean`, `hostile` or `many`.

import assert from "node:assert/strict";

import { NARROW, PATIENCE, accessible, fits, harmless, launch, linksLead, open, picture, run, structure } from "./harness.mjs";

// What is far from the window is laid out only when somebody asks: for the count, everything is at once, not one by one.
const visible = (page, selector) =>
  page.locator(selector).evaluateAll((all) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important; }");
    document.adoptedStyleSheets.push(sheet);
    const shown = all.filter((one) => one.checkVisibility({ visibilityProperty: true })).length;
    document.adoptedStyleSheets.pop();
    return shown;
  });
const unfolded = (page) => page.locator("details.group[open] details.finding").count();
const focused = (page) => page.evaluate(() => document.activeElement.closest("details.finding")?.id ?? null);

// Of the findings, not of the page: the sum over levels that the filters show.
const counted = async (page) => {
  const status = await page.locator("#count").textContent();
  const numbers = status.match(/^(\d+) of (\d+) findings shown$/);
  assert.ok(numbers, `the filters tell how much is shown: ${status}`);
  return { shown: Number(numbers[1]), total: Number(numbers[2]) };
};

const expectShown = async (page, shown, why) => {
  await page.waitForFunction(
    (wanted) => document.getElementById("count").textContent.startsWith(`${wanted} of `),
    shown,
    { timeout: PATIENCE },
  );
  assert.equal(await visible(page, "details.finding"), shown, why);
};

// The page is opened anew with everything in it unfolded.
const schemes = async (context, name, file) => {
  const backgrounds = new Set();
  for (const colorScheme of ["light", "dark"]) {
    const opened = await open(context, file);
    await opened.page.emulateMedia({ colorScheme });
    backgrounds.add(await opened.page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await opened.page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    if (name !== "many") {
      await accessible(opened.page, `${name}, ${colorScheme}`);
    }
    await picture(opened.page, `${name}-${colorScheme}-open`);
    await opened.page.close();
  }
  assert.equal(backgrounds.size, 2, `${name}: dark is not light`);
};

const narrow = async (context, name, file) => {
  const opened = await open(context, file);
  await opened.page.setViewportSize(NARROW);
  assert.ok(await fits(opened.page), `${name}: 320 pixels are wide enough`);
  await opened.page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  assert.ok(await fits(opened.page), `${name}: 320 pixels are wide enough for everything in it`);
  await harmless(opened, name);
  await picture(opened.page, `${name}-narrow`);
  await opened.page.close();
};

const withoutScript = async (name, file) => {
  const context = await launch({ name: `${name}-static`, javaScriptEnabled: false });
  const { page, wrong } = await open(context, file);
  assert.deepEqual(wrong, [], `${name}: what the page must not do without its script`);
  assert.equal(await visible(page, "#filters"), 0, `${name}: what would do nothing is hidden`);
  assert.equal(await visible(page, "h1"), 1, `${name}: the verdict shows`);
  const findings = await unfolded(page);
  assert.equal(await visible(page, "details.finding"), findings, `${name}: all findings of open groups show`);
  if (findings > 0) {
    const first = page.locator("details.finding").first();
    await first.locator("summary").click();
    assert.ok(await first.locator("dl").isVisible(), `${name}: a finding opens`);
  }
  await context.close();
};

// From the top of the page on, with nothing but keys.
const keyboard = async (context, name, file) => {
  const opened = await open(context, file);
  const { page } = opened;
  const { total } = await counted(page);
  assert.equal(await visible(page, "details.finding"), await unfolded(page), `${name}: open groups show at first`);

  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip", `${name}: the first stop skips`);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", `${name}: the focus shows`);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search", `${name}: then comes the search`);

  const order = [];
  for (let stop = 0; stop < 40 && (await focused(page)) === null; stop += 1) {
    order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.value || ""));
    await page.keyboard.press("Tab");
  }
  const controls = order.filter((id) => ["search", "rule", "session", "expand", "collapse", "reset", "help"].includes(id));
  const wanted = ["search", "rule", "session", "expand", "collapse", "reset", "help"];
  assert.deepEqual(controls, wanted, `${name}: controls come in the order in which they are read`);

  // The findings. What is filtered is unfolded, too.
  await page.locator("#reset").click();
  await expectShown(page, total, `${name}: everything shows`);
  const first = await page.locator("details.finding").first().getAttribute("id");
  const second = await page.locator("details.finding").nth(1).getAttribute("id");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  assert.equal(await focused(page), first, `${name}: j goes to the first finding`);
  await page.keyboard.press("j");
  assert.equal(await focused(page), second, `${name}: j goes on`);
  await page.keyboard.press("k");
  assert.equal(await focused(page), first, `${name}: k goes back`);
  const isOpen = () => page.locator("details.finding").first().evaluate((details) => details.open);
  await page.keyboard.press("Enter");
  assert.ok(await isOpen(), `${name}: Enter opens it`);
  await page.keyboard.press("e");
  assert.ok(!(await isOpen()), `${name}: e closes it`);
  await page.keyboard.press("e");
  assert.ok(await isOpen(), `${name}: e opens it`);

  await searching(page, name, total);
  await help(page, name);
  await filtering(page, name, total);
  await harmless(opened, name);
  await page.close();
};

const searching = async (page, name, total) => {
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search", `${name}: / searches`);
  await page.keyboard.type("zz no log says that zz");
  await expectShown(page, 0, `${name}: nothing holds that`);
  assert.ok(await page.locator("#nothing").isVisible(), `${name}: nothing is said to be there`);
  await page.locator("#search").fill("");
  await expectShown(page, total, `${name}: everything is back`);
  const rule = await page.locator("details.finding").last().getAttribute("data-rule");
  await page.keyboard.type(rule);
  await page.waitForFunction((all) => !document.getElementById("count").textContent.startsWith(`${all} of `), total);
  const { shown } = await counted(page);
  assert.ok(shown > 0 && shown < total, `${name}: a search finds some of them: ${shown} of ${total}`);
  assert.equal(await visible(page, "details.finding"), shown, `${name}: what is told is what shows`);
  // Letters are text there, not commands.
  assert.equal(await page.locator("#search").inputValue(), rule, `${name}: keys write in the search`);
  await page.keyboard.press("Escape");
  await page.locator("#reset").click();
  await expectShown(page, total, `${name}: filters are cleared`);
};

const help = async (page, name) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  assert.ok(await page.locator("#shortcuts").isVisible(), `${name}: ? lists what keys do`);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#shortcuts").isVisible()), `${name}: Escape closes the list`);
  await page.locator("#help").click();
  await page.locator("#keys").uncheck();
  await page.locator("#close").click();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("j");
  assert.equal(await focused(page), null, `${name}: keys can be turned off`);
  await page.locator("#help").click();
  await page.locator("#keys").check();
  await page.locator("#close").click();
};

const filtering = async (page, name, total) => {
  for (const level of await page.locator('input[name="level"]').all()) {
    const value = await level.getAttribute("value");
    const of = await page.locator(`details.finding[data-level="${value}"]`).count();
    await level.focus();
    await page.keyboard.press("Space");
    await expectShown(page, total - of, `${name}: without ${value}`);
    await page.keyboard.press("Space");
    await expectShown(page, total, `${name}: with ${value} again`);
  }
  for (const control of ["rule", "session"]) {
    const value = await page.locator(`#${control} option`).nth(1).getAttribute("value");
    const of = await page.evaluate(
      ([key, wanted]) => [...document.querySelectorAll("details.finding")].filter((one) => one.dataset[key] === wanted).length,
      [control, value],
    );
    await page.locator(`#${control}`).selectOption({ index: 1 });
    await expectShown(page, of, `${name}: only one ${control}`);
    await page.locator("#expand").click();
    assert.equal(await page.locator("details.finding[open]:not([hidden])").count(), of, `${name}: what shows is opened`);
    await page.locator("#collapse").click();
    await page.locator("#reset").click();
    await expectShown(page, total, `${name}: every ${control}`);
  }
};

// A reader sees the first finding without scrolling, and no count of zero.
const firstScreen = async (context, name, file) => {
  const opened = await open(context, file);
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 800 });
  const { y, height } = await page.locator("details.finding").first().boundingBox();
  assert.ok(y + height <= 800, `${name}: the first finding is on the first screen, at ${y}`);
  assert.ok((await page.locator("details.cause").first().boundingBox()).y < y, `${name}: causes come first`);
  assert.equal(await page.locator(".tiles .none").count(), 0, `${name}: no count of zero is shown`);
  await page.close();
};

// A link to a finding opens it; one to a rule leads to what the rule says.
const links = async (context, name, file) => {
  const opened = await open(context, file);
  const { page } = opened;
  await page.evaluate(() => (location.hash = "#finding-2"));
  await page.waitForFunction(() => document.getElementById("finding-2").open);
  const link = page.locator('#finding-2 a[href^="#rule-"]');
  const target = (await link.getAttribute("href")).slice(1);
  await link.click();
  await page.waitForFunction((id) => document.querySelector(":target")?.id === id, target);
  await harmless(opened, name);
  await page.close();
};

const printed = async (context, name, file) => {
  const opened = await open(context, file);
  const { page } = opened;
  await page.emulateMedia({ media: "print" });
  assert.equal(await visible(page, "#filters"), 0, `${name}: paper has no controls`);
  assert.ok(await fits(page), `${name}: paper is wide enough`);
  await page.close();
};

// Up to so many findings, there is nothing to search.
const FEW = 10;

const EXPECTED = {
  demo: { word: "Failed", findings: (count) => count > 5 && count < 100 },
  change: { word: "Failed", findings: (count) => count > 5 && count < 100 },
  clean: { word: "Passed", findings: (count) => count === 0 },
  hostile: { word: "Failed", findings: (count) => count > 50 },
  many: { word: "Failed", findings: (count) => count === 2_000 },
};

const check = async (context, name, file) => {
  const expected = EXPECTED[name];
  assert.ok(expected, `${name} is none of ${Object.keys(EXPECTED).join(", ")}`);
  const opened = await open(context, file);
  const { page } = opened;
  assert.equal(await page.locator("h1 .word").textContent(), expected.word, `${name}: the verdict`);
  const findings = await page.locator("details.finding").count();
  assert.ok(expected.findings(findings), `${name}: ${findings} findings`);
  if (name === "many") {
    assert.match(await page.locator("p.notice").first().textContent(), /[\d,]+ of [\d,]+ findings are not shown here/);
  }
  await structure(page, name);
  await linksLead(page, name);
  await harmless(opened, name);
  const filters = await page.locator("#filters").count();
  assert.equal(filters, findings > FEW ? 1 : 0, `${name}: few findings need no filters`);
  // Last: it changes the page for a moment.
  await picture(page, name);
  await page.close();
  await schemes(context, name, file);
  await narrow(context, name, file);
  await printed(context, name, file);
  if (findings > 0) {
    await firstScreen(context, name, file);
    await links(context, name, file);
  }
  if (findings > FEW) {
    await keyboard(context, name, file);
  }
  await withoutScript(name, file);
};

await run(check);
