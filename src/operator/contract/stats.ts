import * as z from "zod";
import { endpoint, isoTime } from "./endpoint.ts";

const DAYS_DEFAULT = 28;
/** Weeks of a year fit on a page. */
export const DAYS_MAX = 366;

const about = (text: string) => z.number().describe(`About: ${text}`);

const week = z.object({
  week: z.string().describe("The ISO week, in UTC: 2026-W47."),
  from: isoTime,
  uses: z.int().describe("Of kept tools, by clients and from within other runs."),
  tools: z.int().describe("How many different ones."),
  saved: z.int().optional().describe("Kept tools that are new in this week; not told in a profile."),
});

const definitions = z.object({
  conversations: z
    .int()
    .describe("Those of clients in which something ran; those of calls alone are unknown."),
  all_tokens: z.number().describe("All tools of servers, as they are now, in one conversation."),
  listed_tokens: z.number().describe("What is listed instead."),
  search_tokens: z.number().describe("What a typical task adds to find tools by search."),
  not_sent: z.number(),
});

const results = z.object({
  runs: z.int().describe("That clients started."),
  calls: z.int().describe("Of servers' tools, made inside these runs."),
  bytes: z.number().describe("Of the results of these calls."),
  returned_bytes: z.number().describe("Of what the runs returned."),
  not_sent: about("the difference, in tokens."),
});

export const statsEndpoints = {
  getStats: endpoint({
    summary:
      "What the gateway was used for, how much of it came from the library, and about how many tokens it spared",
    permission: "read",
    shows: "own",
    twin: "stats",
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(DAYS_MAX).default(DAYS_DEFAULT) }),
    answer: z.object({
      days: z.int(),
      from: isoTime,
      executions: z.object({
        total: z.int(),
        code: z.int(),
        kept: z.int().describe("Kept tools that a client or a person ran."),
        workflows: z.int(),
        calls: z.int().describe("Clients' own calls of servers' tools."),
        calls_since: isoTime
          .nullable()
          .describe("The call log goes back to here at most; null where none is kept."),
        library_share: z.number().nullable().describe("Kept tools among all of these; null of none."),
        library_share_of_runs: z.number().nullable().describe("Kept tools among the runs, without calls."),
      }),
      reuse: z.object({
        uses: z.int(),
        tools: z.int(),
        saved: z.int().optional(),
        weeks: z.array(week),
      }),
      tests: z
        .object({
          saved: z.int().describe("Kept tools there are."),
          with_example: z.int().describe("Those that can be replayed offline."),
          last_check: z
            .object({ at: isoTime, passed: z.int(), failed: z.int(), skipped: z.int() })
            .nullable()
            .describe("The last `repertoire test` of the whole library; null where none is on record."),
        })
        .optional()
        .describe("Not told in a profile."),
      tokens: z.object({
        not_sent: about("both together; null until definitions are counted.").nullable(),
        definitions: definitions.nullable().describe("Null while they are counted."),
        results,
        how: z.string().describe("How this is counted, in one sentence."),
      }),
      hint: z.string().optional().describe("What to do to have figures, where there are none."),
    }),
  }),
};
