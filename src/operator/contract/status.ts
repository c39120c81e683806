import * as z from "zod";
import { callView } from "./calls.ts";
import { endpoint, isoTime, json } from "./endpoint.ts";

export const INBOX_KINDS = ["approval", "uncertain", "resume", "given_up", "held", "input", "login"] as const;

const inboxItem = z.object({
  kind: z.enum(INBOX_KINDS),
  subject: z.string().describe("The run, the server or the input."),
  title: z.string(),
  since: isoTime.optional(),
  expires: isoTime.optional(),
  question: z.string().optional(),
  details: json.optional().describe("Exactly what would be done, or what is known of it."),
  command: z.array(z.string()).describe("The words of the command that settles it."),
});

export const statusEndpoints = {
  getStatus: endpoint({
    summary: "Everything at a glance: what waits, servers, runs of a day, cost, last calls, clients",
    permission: "read",
    shows: "own",
    twin: "status",
    topics: ["runs", "calls", "inbox", "servers", "library"],
    answer: z.object({
      version: z.string(),
      store: z
        .object({
          kind: z.string(),
          place: z.string().describe("Host and database."),
          replicas: z.int().describe("Gateways on it that live."),
        })
        .optional()
        .describe("Where several gateways share one, for those who see all of this one."),
      waiting: z.array(z.object({ kind: z.enum(INBOX_KINDS), count: z.int() })),
      servers: z.array(z.object({ state: z.string(), ids: z.array(z.string()) })),
      runs: z.object({
        from: isoTime,
        bucket_ms: z.number(),
        buckets: z.array(
          z.object({ at: isoTime, succeeded: z.int(), failed: z.int(), waiting: z.int(), running: z.int() }),
        ),
      }),
      cost: z
        .object({
          tokenizer: z.string(),
          mode: z.string(),
          listed_tokens: z.number().describe("What the list costs each conversation now."),
          all_tokens: z.number().describe("What it would cost to list every tool."),
          tool_count: z.int(),
        })
        .nullable(),
      calls: z.array(callView),
      clients: z.array(z.object({ name: z.string(), last_seen_at: isoTime, call_count: z.int() })),
      library_count: z.int(),
      steps: z.object({
        server: z.boolean().describe("A server is configured."),
        client: z.boolean().describe("A client has made a call."),
        saved: z.boolean().describe("Something is in the library."),
      }),
    }),
  }),
  listInbox: endpoint({
    summary: "Everything that waits for a person",
    permission: "read",
    shows: "own",
    twin: "inbox",
    topics: ["inbox"],
    answer: z.object({ items: z.array(inboxItem) }),
  }),
};
