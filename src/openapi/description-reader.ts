/**
 * Descriptions are read in a thread: megabytes of somebody else's text would stop the gateway for a second, and a hostile one
 * for good. The thread starts with the first description and ends soon after the last.
 */
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { createWorkerThread } from "../process/worker-thread.ts";
import type { ApiDescription } from "./api-description.ts";
import type { ReadReply, ReadRequest } from "./reading/openapi-worker.ts";

/** GitHub's 13 MB take half a second; the largest that is allowed, on a slow machine, some seconds. */
const READ_BUDGET_MS = 15_000;
/** GitHub's needs 150 MB at most; a document takes about ten times its text. */
const MEMORY_MB_MAX = 768;
/** Servers that are read one after the other share a thread; what it read is garbage of its own. */
const LINGER_MS = 1_000;

export interface DescriptionReader {
  read(request: ReadRequest): Promise<ToolResult<ApiDescription>>;
}

export function createDescriptionReader(options: { readonly budgetMs?: number } = {}): DescriptionReader {
  const thread = createWorkerThread<ReadRequest, ReadReply>({
    program: "openapi-worker",
    budgetMs: options.budgetMs ?? READ_BUDGET_MS,
    memoryMbMax: MEMORY_MB_MAX,
    lingerMs: LINGER_MS,
    holdsProcess: true,
  });
  return {
    async read(request) {
      const reply = await thread.ask(request);
      switch (reply.kind) {
        case "answered":
          return reply.reply.ok ? succeed(reply.reply.description) : refuse(reply.reply.message);
        case "overran":
          return refuse(`reading it takes more than ${reply.budgetMs} ms`);
        case "crashed":
          return refuse(`reading it broke the thread that did (${reply.reason})`);
        case "closed":
          return refuse("the gateway is stopping");
      }
    },
  };
}

function refuse(why: string): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", why, { retryable: false, reason: "bad_description" });
}
