import { parentPort } from "node:worker_threads";
import type { WorkerMessage } from "./background.ts";

/** The other end of `createBackground`: answers each request; `handle` may say that the thread must not be used again. */
export function serveBackground<Request, Reply>(
  handle: (request: Request) => { readonly reply: Reply; readonly spent?: boolean },
): void {
  const port = parentPort!;
  port.on("message", (request: Request) => {
    port.postMessage(handle(request) satisfies WorkerMessage<Reply>);
  });
  port.postMessage("ready" satisfies WorkerMessage<Reply>);
}
