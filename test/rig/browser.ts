/**
 * A real browser with the console in it: Debian's Chromium where there is one, else the one that @sparticuz/chromium brings in
 * its package. It watches what no page of ours may do: break the content security policy, throw, or talk to another host.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";
import { createConsoleSessions } from "../../src/server/auth/console-session.ts";
import { openTokens } from "../../src/server/auth/tokens.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

/** What every page has before anything of its own. */
const IN_PAGE = join(import.meta.dirname, "console-in-page.js");
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

export async function findBrowser(): Promise<string> {
  if (existsSync(DEBIAN)) return DEBIAN;
  const { default: packed } = await import("@sparticuz/chromium");
  return packed.executablePath();
}

let launched: Promise<Browser> | undefined;

/** One for each test file; it ends with the file. */
function launch(): Promise<Browser> {
  launched ??= findBrowser().then((executablePath) => chromium.launch({ executablePath, args: ARGS }));
  return launched;
}

/** Ends the browser of this file. A test file that uses one calls it at its top. */
export function endBrowserAfterAll(): void {
  afterAll(async () => {
    await (await launched)?.close();
    launched = undefined;
  });
}

export interface ConsolePlace {
  readonly home: string;
  /** Of the MCP endpoint. */
  readonly url: URL;
}

/** A one-time link, as `repertoire console` makes it. */
export async function linkTo({ home, url }: ConsolePlace, token = "default"): Promise<string> {
  const store = await openSqliteStore({ home });
  try {
    const entry = openTokens(home).find(token);
    if (!entry.success) throw new Error(entry.error.message);
    const { profiles, hash } = entry.data;
    const sessions = createConsoleSessions(store.seals, { now: Date.now });
    const { link } = await sessions.makeLink({ digest: hash, profile: profiles?.[0] ?? null });
    return new URL(`/console#link=${link}`, url).href;
  } finally {
    await store.close();
  }
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page did that no page of ours may do; empty at the end of every test. */
  readonly faults: string[];
  /** Opens a screen by its path below `/console`. */
  go(path: string): Promise<void>;
}

export interface PageOptions {
  /** In place of one that is made for it. */
  readonly link?: string;
  readonly token?: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

/** A page that has signed in with a link. */
export async function openConsolePage(place: ConsolePlace, options: PageOptions = {}): Promise<ConsolePage> {
  const { token, scheme = "light", width = 1280, height = 800 } = options;
  const browser = await launch();
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  await context.addInitScript({ path: IN_PAGE });
  const page = await context.newPage();
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await keepPicture(page, task.name);
    await context.close();
  });
  const faults = watchFaults(page, place.url.origin);
  await page.goto(options.link ?? (await linkTo(place, token)));
  await page.getByRole("navigation").first().waitFor();
  const go = async (path: string): Promise<void> => {
    await page.goto(new URL(`/console${path}`, place.url).href);
    await page.getByRole("main").waitFor();
  };
  return { page, context, faults, go };
}

/** Nothing of a screen is on its way any more. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("heading").first().waitFor();
  await page.locator(".animate-breathe.bg-active").first().waitFor({ state: "detached" });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** A page that no policy protects, for what must be seen to be dangerous. */
export async function openBarePage(): Promise<Page> {
  const context = await (await launch()).newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  return page;
}

/** Of the page of a test that failed, where CONSOLE_FAILURES names a folder. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env["CONSOLE_FAILURES"];
  if (folder === undefined) return;
  const path = join(folder, `${name.replaceAll(/[^\w]+/g, "-").slice(0, 60)}.png`);
  await page.screenshot({ path }).catch(() => undefined);
}

/** Violations of the policy are told in the console of the browser, also those that a page hides from itself. */
function watchFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`thrown: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined);
  });
  page.on("console", (message) => {
    if (/content security policy|refused to|fault of the page/i.test(message.text()))
      faults.push(message.text());
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== origin)
      faults.push(`request: ${url.href}`);
  });
  return faults;
}
