/**
 * What `--jq` makes of an answer. jq runs in a thread of its own, which ends with the answer: a filter that never ends
 * is ended by Ctrl-C, and one that eats memory stops at jq's own limit of 256 MB.
 */
import { Worker } from "node:worker_threads";
import { programFile } from "../../process/program-file.ts";
import { Interrupted } from "./exit-code.ts";

export interface JqRequest {
  readonly text: string;
  readonly filter: string;
}

export type JqReply =
  | { readonly kind: "filtered"; readonly output: string }
  | { readonly kind: "failed"; readonly message: string };

/** Strings come without quotation marks, other values as JSON, each on lines of its own. */
export async function runJq(value: unknown, filter: string): Promise<JqReply> {
  const request: JqRequest = { text: JSON.stringify(value) ?? "null", filter };
  const worker = new Worker(programFile("jq-worker"), {
    workerData: request,
    env: {},
    stdin: false,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<JqReply>();
  worker.once("message", resolve);
  worker.once("error", (error) => resolve({ kind: "failed", message: error.message }));
  worker.once("exit", () => resolve({ kind: "failed", message: "jq ended without an answer." }));
  const interrupt = (): void => reject(new Interrupted("interrupted while --jq was running"));
  process.once("SIGINT", interrupt);
  try {
    return await promise;
  } finally {
    process.off("SIGINT", interrupt);
    await worker.terminate();
  }
}
