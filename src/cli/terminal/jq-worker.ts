/** The thread of `--jq`. It alone loads jq; a filter that never ends is ended with its thread. */
import { parentPort, workerData } from "node:worker_threads";
import { raw } from "jq-wasm";
import type { JqReply, JqRequest } from "./jq.ts";

const { text, filter } = workerData as JqRequest;

/** jq's words go missing where it has printed something first; without output they are all there is. */
async function run(): Promise<JqReply> {
  // A filter may begin with a minus, which would be an option.
  const output = await raw(text, ` ${filter}`, ["-r"]);
  if (!process.exitCode) return { kind: "filtered", output };
  await raw(text, `(${filter}) | empty`, ["-r"]);
  return { kind: "failed", message: `jq ended with status ${process.exitCode}.` };
}

const port = parentPort!;
port.postMessage(
  await run().catch((error: unknown): JqReply => ({ kind: "failed", message: wordsOf(error) })),
);
process.exitCode = 0;

/** Its own, without what the package puts before them. */
function wordsOf(error: unknown): string {
  const words = (error instanceof Error ? error.message : String(error)).replace(
    /^Failed to execute raw query: /,
    "",
  );
  if (words.startsWith("Aborted(")) return "The filter needs more memory than jq has, which is 256 MB.";
  return words.replace(/^jq: error(: | \(at \S+\): )/, "").trim();
}
