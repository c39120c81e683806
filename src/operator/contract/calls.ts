import * as z from "zod";
import { cursor, endpoint, isoTime, json, pageLimit } from "./endpoint.ts";

export const callView = z.object({
  id: z.string(),
  at: isoTime,
  who: z.string(),
  client: z.string().nullable(),
  profile: z.string().nullable(),
  kind: z.enum(["tool", "node", "prompt", "resource"]),
  tool: z.string(),
  effect: z.enum(["read", "write", "destroy"]),
  decision: z.enum(["allow", "ask", "refuse"]),
  rule: z.string(),
  args_digest: z.string(),
  args: json.optional(),
  outcome: z.string().describe("ok, tool_error, or the code of an error with its reason."),
  elapsed_ms: z.number(),
  bytes: z.number(),
  run_id: z.string().nullable(),
  trace_id: z.string(),
});

export const callEndpoints = {
  listCalls: endpoint({
    summary: "Every call, made or refused, newest first; with `after`, oldest first",
    permission: "read",
    shows: "own",
    twin: "calls",
    topics: ["calls"],
    query: z.strictObject({
      tool: z.string().max(300).optional().describe("A pattern with *."),
      who: z.string().max(300).optional().describe("A pattern with *, or profile:NAME."),
      outcome: z.enum(["ok", "failed", "refused"]).optional(),
      run: z.string().max(100).optional(),
      since: z.string().max(40).optional().describe("ISO 8601, or a time back such as 2h."),
      before: cursor.optional(),
      after: cursor.optional(),
      limit: pageLimit(50, 10_000),
    }),
    answer: z.object({ calls: z.array(callView), next: cursor.optional() }),
  }),
};
