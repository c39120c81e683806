/**
 * Loaded by `--import` into the gateway that `npm run house` measures. It counts which functions run, and answers each
 * message of its parent with those that have run since the message before, by file of src.
 */
import { Session } from "node:inspector/promises";
import { isMainThread } from "node:worker_threads";

// A thread of the gateway loads this as well, and has no parent to answer.
if (isMainThread && process.send !== undefined) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const under = new URL("../src/", import.meta.url).href;
  process.on("message", () => {
    void session.post("Profiler.takePreciseCoverage").then(({ result }) => {
      const ran: Record<string, string[]> = {};
      for (const { url, functions } of result) {
        // A function that goes on after an await has a count in a block of it alone.
        const names = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
        if (!url.startsWith(under) || names.length === 0) continue;
        ran[url.slice(under.length)] = names.map(({ functionName }) => functionName || "(nameless)");
      }
      return process.send!(ran);
    });
  });
  // It must not keep a gateway alive whose client has gone.
  process.channel?.unref();
}
