/**
 * Every screen with a day of a team's work in it: accessible in light and dark, no wider than a phone, and usable by keyboard
 * alone.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endBrowserAfterAll, openConsolePage, settle, type ConsolePage } from "./rig/browser.ts";
import { openDemo, type Demo } from "./rig/console-demo.ts";
import { KEY_OF, pathsOf, SCREEN_NAMES, type ScreenName } from "./rig/console-screens.ts";

const ROOT = join(import.meta.dirname, "..");
const AXE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
/** Thirteen screens, one after the other. */
const PATIENCE_MS = 120_000;

const EVERY_RULE = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Nothing else differs between light and dark. */
const COLOURS = ["color-contrast"];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const at = {} as { demo: Demo };
beforeAll(async () => {
  at.demo = await openDemo();
}, PATIENCE_MS);
afterAll(() => at.demo?.close());
endBrowserAfterAll();

/** Opens a screen and waits until nothing of it is missing. */
async function show({ page, go }: ConsolePage, screen: ScreenName): Promise<void> {
  await go(pathsOf(at.demo)[screen]);
  await settle(page);
}

/** What axe finds, by screen; with the first element of each. */
async function violationsOf(page: Page, runOnly: readonly string[] = EVERY_RULE): Promise<string[]> {
  const hasAxe = await page.evaluate<boolean>("globalThis.axe !== undefined");
  if (!hasAxe) await page.evaluate(AXE);
  const options = { resultTypes: ["violations"], runOnly };
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, 3)
      .map(
        ({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.split("\n")[1] ?? ""}`,
      ),
  );
}

describe("every screen", () => {
  it("has no violation that axe finds, in light and dark", { timeout: PATIENCE_MS }, async () => {
    const opened = await openConsolePage(at.demo.own);
    const { page, faults } = opened;
    const found: Record<string, string[]> = {};
    for (const screen of SCREEN_NAMES) {
      await show(opened, screen);
      for (const scheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await settle(page);
        const violations = await violationsOf(page, scheme === "light" ? EVERY_RULE : COLOURS);
        if (violations.length > 0) found[`${screen}, ${scheme}`] = violations;
      }
      await page.emulateMedia({ colorScheme: "light" });
    }
    expect(found).toEqual({});
    expect(faults).toEqual([]);
  });

  it("is no wider than a small phone, and has the same there", { timeout: PATIENCE_MS }, async () => {
    const opened = await openConsolePage(at.demo.own, { width: 360, height: 740 });
    const found: Record<string, string[]> = {};
    for (const screen of SCREEN_NAMES) {
      await show(opened, screen);
      const wide = await opened.page.evaluate<string[]>("inPage.overflow()");
      if (wide.length > 0) found[screen] = wide;
      if (["inbox", "run"].includes(screen)) {
        const violations = await violationsOf(opened.page);
        if (violations.length > 0) found[`${screen}, axe`] = violations;
      }
    }
    expect(found).toEqual({});
    expect(opened.faults).toEqual([]);
  });
});

interface Focus {
  readonly tag: string;
  readonly name: string;
  readonly isVisible: boolean;
  readonly html: string;
}

const focusOf = (page: Page) => page.evaluate<Focus | null>("inPage.focus()");

/** Presses Tab until an element of this name has the focus; every stop on the way can be seen. */
async function tabTo(page: Page, name: RegExp, limit = 60): Promise<Focus> {
  for (let count = 0; count < limit; count += 1) {
    await page.keyboard.press("Tab");
    const focus = await focusOf(page);
    if (focus === null) continue;
    expect(focus).toMatchObject({ isVisible: true });
    if (name.test(focus.name)) return focus;
  }
  throw new Error(`Tab does not reach ${String(name)}`);
}

async function goByKey(page: Page, key: string): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press(key);
}

describe("by keyboard alone", () => {
  it(
    "g and a letter goes to each screen, and Tab reaches the rail and the first thing of the screen",
    { timeout: PATIENCE_MS },
    async () => {
      const { page, faults, go } = await openConsolePage(at.demo.own);
      await go("/access");
      await settle(page);
      for (const screen of SCREEN_NAMES) {
        const key = KEY_OF[screen];
        if (key === undefined) continue;
        await goByKey(page, key);
        await page.waitForURL((url) => url.pathname === `/console${pathsOf(at.demo)[screen]}`);
        // The address changes before the screen does.
        const title = new RegExp(`^${screen}`, "i");
        await page.getByRole("main").getByRole("heading", { level: 1, name: title }).waitFor();
        await settle(page);
        // From the screen itself, Tab goes into it.
        expect(await page.evaluate("document.activeElement.id")).toBe("main");
        await page.keyboard.press("Tab");
        expect([screen, await focusOf(page)]).toMatchObject([screen, { isVisible: true }]);
        expect(await page.evaluate("document.querySelector('main').contains(document.activeElement)")).toBe(
          true,
        );
        // Out of the field that some screens begin with, where keys are text.
        for (let tries = 0; tries < 5 && (await focusOf(page))?.tag === "input"; tries += 1)
          await page.keyboard.press("Tab");
      }
      await page.reload();
      await settle(page);
      await tabTo(page, /^Skip to/);
      await tabTo(page, /^Runs/);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/console/runs");
      expect(faults).toEqual([]);
    },
  );

  it("? opens the keys, and Esc closes them and gives the focus back", async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own);
    await go("/runs");
    await settle(page);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await dialog.innerText()).toMatch(/Inbox/);
    // What is behind it does not hear keys.
    await goByKey(page, "h");
    expect(new URL(page.url()).pathname).toBe("/console/runs");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await goByKey(page, "h");
    await page.waitForURL("**/console/");
    expect(faults).toEqual([]);
  });

  it("j, k and Enter open a run, and back comes to the list", async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own);
    await go("/runs");
    await settle(page);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/runs\/[0-9a-f-]{36}/);
    await settle(page);
    await page.goBack();
    await page.waitForURL(/\/console\/runs$/);
    await settle(page);
    expect(faults).toEqual([]);
  });

  it("the palette finds a tool, a server, a run and a saved item", async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own);
    await go("/");
    await settle(page);
    const find = async (text: string, option: RegExp): Promise<void> => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").waitFor();
      await page.keyboard.type(text);
      await page.getByRole("option", { name: option }).first().waitFor();
    };
    await find("merge pull request", /merge_pull_request/);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/tools/*");
    await find("calendar", /^calendar/);
    await page.keyboard.press("Escape");
    await find("bug digest", /bug_digest/);
    await page.keyboard.press("Escape");
    await find("Find a day", /Find a day for the release/);
    await page.keyboard.press("Escape");
    expect(faults).toEqual([]);
  });

  it("filters live in the address: back and forward bring them back", async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own);
    await go("/runs?status=failed");
    await settle(page);
    const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
    const failed = await rows.count();
    await go("/runs");
    await settle(page);
    expect(await rows.count()).toBeGreaterThan(failed);
    await page.goBack();
    await settle(page);
    expect(await page.evaluate("location.search")).toContain("status=failed");
    await expect.poll(() => rows.count()).toBe(failed);
    expect(faults).toEqual([]);
  });
});
