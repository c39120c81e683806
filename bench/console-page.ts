/** How fast the page is: from a call to its row, scrolling a long run, and what a large result takes. */
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { IN_PAGE, launchChromium } from "../test/rig/chromium.ts";
import { BIG_BYTES, writeBigRun, writeLongRun } from "../test/rig/console-large.ts";
import { linkTo } from "../test/rig/console-link.ts";
import { quantile } from "./figures.ts";
import { startGateway, type RunningServer } from "./http-servers.ts";
import { printGoal } from "./http-table.ts";

const STEPS = 10_000;
const CALLS = 20;
const SCREENS = 100;
const SEEN_MS_MAX = 1_000;
const FRAME_MS_MAX = 33;
const ROWS_MAX = 120;
const HEAP_MB_MAX = 150;

export async function benchConsolePage(bin: string, folder: string): Promise<void> {
  const home = join(folder, "home");
  const [long, big] = [await writeLongRun(home, STEPS), await writeBigRun(home)];
  const gateway = await startGateway(bin, folder);
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addInitScript({ path: IN_PAGE });
    const page = await context.newPage();
    await page.goto(await linkTo({ home, url: new URL(gateway.url) }));
    await page.getByRole("navigation").first().waitFor();
    const open = async (path: string): Promise<void> => {
      await page.goto(new URL(`/console${path}`, gateway.url).href);
      await page.getByRole("main").getByRole("heading").first().waitFor();
    };
    console.log("\nThe page");
    await open("/calls");
    await benchRows(page, gateway);
    await open(`/runs/${long}`);
    await benchScroll(page);
    await open(`/runs/${big}?step=1`);
    await benchHeap(page);
  } finally {
    await browser.close();
    await gateway.close();
  }
}

/** A row shows no argument, so the number of rows tells which call it is. */
async function benchRows(page: Page, { url, token }: RunningServer): Promise<void> {
  const client = new Client({ name: "bench", version: "1" });
  const headers = { Authorization: `Bearer ${token ?? ""}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const times: number[] = [];
  for (let count = 0; count < CALLS; count += 1) {
    const seen = page.evaluate<number>(`inPage.whenThere("main [role=row]", "echo", ${count + 1})`);
    await client.callTool({ name: "echo__echo", arguments: { text: String(count) } });
    const answeredAt = Date.now();
    times.push((await seen) - answeredAt);
  }
  await client.close();
  const ms = quantile(times, 0.95);
  console.log(
    `  from an answer to its row: p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${ms.toFixed(0)} ms`,
  );
  printGoal(`within ${SEEN_MS_MAX} ms`, ms <= SEEN_MS_MAX, `${ms.toFixed(0)} ms`);
}

async function benchScroll(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("row").nth(9).waitFor();
  const { frames, rowsMax } = await page.evaluate<{ frames: number[]; rowsMax: number }>(
    `inPage.scrollThrough("main", ${SCREENS})`,
  );
  const ms = quantile(frames, 0.95);
  console.log(
    `  ${STEPS} steps, ${SCREENS} screens: frames p50 ${quantile(frames, 0.5).toFixed(1)} ms, p95 ${ms.toFixed(1)} ms, ${rowsMax} rows`,
  );
  printGoal(`p95 below ${FRAME_MS_MAX} ms`, ms < FRAME_MS_MAX, `${ms.toFixed(1)} ms`);
  printGoal(`fewer than ${ROWS_MAX} rows`, rowsMax < ROWS_MAX, String(rowsMax));
}

async function benchHeap(page: Page): Promise<void> {
  const tree = page.getByRole("tree", { name: /result/i }).first();
  await tree.waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const mb = usedSize / 1e6;
  console.log(`  a result of ${(BIG_BYTES / 1e6).toFixed(0)} MB: heap of the page ${mb.toFixed(0)} MB`);
  printGoal(`below ${HEAP_MB_MAX} MB`, mb < HEAP_MB_MAX, `${mb.toFixed(0)} MB`);
}
