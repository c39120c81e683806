/** What was kept, on the built gateway and a real home: calls, lists, news of a save, and how long a huge library holds it up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchCalls } from "./library-calls.ts";
import { prepareLibrary } from "./library-home.ts";
import { benchLists } from "./library-lists.ts";
import { benchNews } from "./library-news.ts";
import { benchStall } from "./library-stall.ts";

export async function benchLibrary(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const prepare = (size: number) => prepareLibrary(join(folder, String(size)), size);
  try {
    await benchCalls(await prepare(0));
    const [small, full, huge] = [await prepare(10), await prepare(100), await prepare(10_000)];
    await benchLists([
      { size: 10, home: small },
      { size: 100, home: full },
      { size: 10_000, home: huge },
    ]);
    await benchNews(full);
    await benchStall(huge);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
