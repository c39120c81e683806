/** `npm run screenshots`: a picture of every screen in light and dark, for docs/console. Otherwise nothing is done. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endBrowserAfterAll, openConsolePage, settle } from "./rig/browser.ts";
import { openDemo, type Demo } from "./rig/console-demo.ts";
import { picturesOf } from "./rig/console-screens.ts";
import { packPng } from "./rig/small-png.ts";

const FOLDER = join(import.meta.dirname, "../docs/console");
/** A page of the docs has several of them. */
const BYTES_MAX = 150_000;
const PATIENCE_MS = 180_000;

describe.skipIf(process.env["CONSOLE_SCREENSHOTS"] !== "1")("pictures", () => {
  const at = {} as { demo: Demo };
  beforeAll(async () => {
    at.demo = await openDemo();
  }, PATIENCE_MS);
  afterAll(() => at.demo?.close());
  endBrowserAfterAll();

  it("are taken of every screen, in light and dark", { timeout: PATIENCE_MS }, async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own);
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, path] of Object.entries(picturesOf(at.demo))) {
      await go(path);
      await settle(page);
      await page.getByText("Counting…").waitFor({ state: "detached" });
      await page.mouse.move(1, 799);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await settle(page);
        const picture = packPng(await page.screenshot());
        expect([name, colorScheme, picture.length < BYTES_MAX]).toEqual([name, colorScheme, true]);
        writeFileSync(join(FOLDER, `${name}-${colorScheme}.png`), picture);
      }
    }
    expect(faults).toEqual([]);
  });

  it("are taken of what matters on a phone", { timeout: PATIENCE_MS }, async () => {
    const { page, faults, go } = await openConsolePage(at.demo.own, { width: 360, height: 740 });
    for (const name of ["home", "inbox", "run"] as const) {
      await go(name === "run" ? `/runs/${at.demo.runs.interrupted}` : picturesOf(at.demo)[name]!);
      await settle(page);
      writeFileSync(join(FOLDER, `${name}-phone.png`), packPng(await page.screenshot()));
    }
    expect(faults).toEqual([]);
  });
});
