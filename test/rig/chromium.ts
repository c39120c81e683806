/** The browser itself: Debian's where there is one, else the one that @sparticuz/chromium brings in its package. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";

/** What every page has before anything of its own. */
export const IN_PAGE = join(import.meta.dirname, "console-in-page.js");
const DEBIAN = "/usr/bin/chromium";

/** As strict as a browser is for people: nothing of it is switched off but what a container lacks. */
const ARGS = [
  "--headless=shell",
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--js-flags=--expose-gc",
  "--enable-precise-memory-info",
];

/**
 * The packed one is unpacked by the first who asks, and one that is half unpacked would be taken for whole: it is asked for once
 * before all tests.
 */
export async function findBrowser(): Promise<string> {
  if (existsSync(DEBIAN)) return DEBIAN;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await findBrowser(), args: ARGS });
}
