// What all tests of pages share: a headless Chromium without a network, pages that note everything that they must not do,
// and what keeps people from reading them.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    browser: { type: "string", default: "/usr/bin/chromium" },
    modules: { type: "string" },
    screenshots: { type: "string" },
  },
});
assert.ok(values.modules, "--modules names the folder in which playwright-core and axe-core are installed");
assert.ok(positionals.length > 0, "no page was given");

const installed = createRequire(path.join(path.resolve(values.modules), "index.js"));
const { chromium } = installed("playwright-core");
const axe = await readFile(installed.resolve("axe-core/axe.min.js"), "utf8");

// Nothing is timed more sharply than this: a machine that builds something else at the same time is slow.
export const PATIENCE = 30_000;
const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 320, height: 640 };

const profile = await mkdtemp(path.join(tmpdir(), "agent-strace-browser-"));
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = (options) =>
  chromium.launchPersistentContext(path.join(profile, options.name), {
    executablePath: values.browser,
    headless: true,
    args: flags,
    offline: true,
    viewport: WIDE,
    timeout: 4 * PATIENCE,
    ...options,
  });

// A page that notes everything that it must not do.
export const open = async (context, file, { hash = "" } = {}) => {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const url = pathToFileURL(path.resolve(file)).href;
  const wrong = [];
  page.on("console", (message) => wrong.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("request", (request) => request.url().split("#")[0] === url || wrong.push(`request: ${request.url()}`));
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", () => wrong.push("a window was opened"));
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener("securitypolicyviolation", (event) => globalThis.violations.push(event.violatedDirective));
  });
  await page.goto(url + hash);
  return { page, wrong };
};

export const harmless = async ({ page, wrong }, name) => {
  assert.deepEqual(wrong, [], `${name}: what the page must not do`);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), [], `${name}: violations of its own policy`);
  assert.equal(await page.evaluate(() => globalThis.owned), undefined, `${name}: something of a log ran`);
};

export const fits = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

export const structure = async (page, name, { styled = [] } = {}) => {
  assert.equal(await page.locator("h1").count(), 1, `${name}: one title`);
  const levels = await page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
  levels.reduce((before, level) => {
    assert.ok(level <= before + 1, `${name}: a heading of level ${level} below one of level ${before}`);
    return level;
  });
  const duplicates = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    return ids.filter((id, at) => ids.indexOf(id) !== at);
  });
  assert.deepEqual(duplicates, [], `${name}: ids that stand twice`);
  const outward = await page.locator('a:not([href^="#"]), img, iframe, link, object, embed, form, base').count();
  assert.equal(outward, 0, `${name}: nothing leads out of the page`);
  // `styled`: what the script itself puts in its place.
  const inline = await page.evaluate(
    (styled) =>
      [...document.querySelectorAll("*")].flatMap((element) =>
        element
          .getAttributeNames()
          .filter((attribute) => attribute.startsWith("on") || attribute === "style")
          .filter(() => !styled.some((selector) => element.matches(selector)))
          .map((attribute) => `${element.tagName} ${attribute}=${element.getAttribute(attribute)}`),
      ),
    styled,
  );
  assert.deepEqual(inline, [], `${name}: no inline handlers and styles`);
};

export const linksLead = async (page, name) => {
  const broken = await page.evaluate(() =>
    [...document.querySelectorAll('a[href^="#"]')]
      .map((link) => link.getAttribute("href"))
      .filter((href) => !document.getElementById(decodeURIComponent(href.slice(1)))),
  );
  assert.deepEqual(broken, [], `${name}: links that lead nowhere`);
};

// Serious and critical ones.
export const accessible = async (page, name, within) => {
  await page.evaluate(axe);
  const found = await page.evaluate(
    async (selector) => {
      const result = await globalThis.axe.run(selector ?? document, { resultTypes: ["violations"] });
      return result.violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        where: nodes.slice(0, 3).map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      }));
    },
    within,
  );
  const serious = found.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious, [], `${name}: what keeps people from reading it`);
};

export const picture = async (page, name) => {
  if (values.screenshots) {
    const height = await page.evaluate(() => Math.min(document.documentElement.scrollHeight, 6_000));
    const { width } = page.viewportSize();
    const clip = { x: 0, y: 0, width, height };
    await page.screenshot({ path: path.join(values.screenshots, `${name}.png`), fullPage: true, clip });
  }
};

// Every page that was given, by what it has to hold: `NAME=FILE`.
export const run = async (check) => {
  try {
    for (const argument of positionals) {
      const [name, file] = argument.split(/=(.*)/s);
      const started = performance.now();
      const context = await launch({ name });
      await check(context, name, file);
      await context.close();
      console.log(`${name}: ${Math.round(performance.now() - started)} ms, everything holds`);
    }
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
};
