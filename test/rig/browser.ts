/**
 * A real browser with the console in it. It watches what no page of ours may do: break the content security policy, throw, or
 * talk to another host.
 */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";
import { IN_PAGE, launchChromium } from "./chromium.ts";
import { linkTo, type ConsolePlace } from "./console-link.ts";

let launched: Promise<Browser> | undefined;

/** One for each test file; it ends with the file. */
function launch(): Promise<Browser> {
  launched ??= launchChromium();
  return launched;
}

/** Ends the browser of this file. A test file that uses one calls it at its top. */
export function endBrowserAfterAll(): void {
  afterAll(async () => {
    await (await launched)?.close();
    launched = undefined;
  });
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page did that no page of ours may do; empty at the end of every test. */
  readonly faults: string[];
  /** Opens a screen by its path below `/console`. */
  go(this: void, path: string): Promise<void>;
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
  await page.evaluate("inPage.still()");
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
