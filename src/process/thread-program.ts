import { parentPort } from "node:worker_threads";
import type { WorkerMessage } from "./worker-thread.ts";

/**
 * The other end of `createWorkerThread`: answers each request; `handle` may say that the thread must not be used again.
 */
export function serveThread<Request, Reply>(
  handle: (request: Request) => { readonly reply: Reply; readonly spent?: boolean },
): void {
  const port = parentPort!;
  port.on("message", (request: Request) => {
    port.postMessage(handle(request) satisfies WorkerMessage<Reply>);
  });
  port.postMessage("ready" satisfies WorkerMessage<Reply>);
}
