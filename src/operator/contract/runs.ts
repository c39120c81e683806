import * as z from "zod";
import { cursor, endpoint, errorView, flag, isoTime, json, jsonObject, pageLimit } from "./endpoint.ts";

export const RUN_STATUSES = [
  "queued",
  "running",
  "paused",
  "succeeded",
  "failed",
  "cancelled",
  "interrupted",
] as const;
export const RUN_KINDS = ["code", "workflow", "capability", "call"] as const;

/** A run in a list. */
const runView = z.object({
  run_id: z.string(),
  uri: z.string(),
  kind: z.enum(RUN_KINDS),
  status: z.enum(RUN_STATUSES),
  intent: z.string().nullable(),
  name: z.string().optional().describe("What was saved and ran, or the first words of the source."),
  who: z.string().describe("The principal that started it, or local."),
  client: z.string().nullable().describe("What the client calls itself."),
  started_at: isoTime,
  finished_at: isoTime.nullable(),
  elapsed_ms: z.number().nullable(),
  mode: z
    .enum(["background"])
    .optional()
    .describe("A background run goes on by itself; absent for any other."),
  wakes_at: isoTime.optional().describe("When a background run that waits goes on by itself."),
  step_count: z.int(),
  resumed_from: z.string().optional(),
  resumed_by: z.string().optional(),
  error: errorView.optional(),
});

const STEP_STATUSES = ["sent", "under_way", "waiting", "succeeded", "skipped", "failed"] as const;

/** A step as a row: no arguments and no result, only how they begin. */
const stepRow = z.object({
  row: z.literal("step"),
  step: z.int().describe("Its number in the run, from 1."),
  key: z.string(),
  name: z.string(),
  tool: z.string(),
  status: z.enum(STEP_STATUSES).describe("`sent` after the run has ended: the outcome is unknown."),
  started_ms: z.number().describe("From the start of the run."),
  elapsed_ms: z.number().nullable(),
  from_journal: z.string().optional().describe("The run that made the call."),
  skipped_by: z.string().optional(),
  attempt: z.int().optional().describe("Of a node that is tried again, from 2 on."),
  waited_ms: z.number().optional().describe("Of the time, so long it waited for a person or a clock."),
  args_text: z.string().describe("The beginning of the arguments."),
  result_bytes: z.number().nullable(),
  error: errorView.optional(),
  lines: z.array(z.int()).optional().describe("The lines of the source that call this tool."),
  run: z.string().optional().describe("The run that it started."),
});

/** Steps that follow each other, of one tool and one status, as one row. */
const groupRow = z.object({
  row: z.literal("group"),
  from_step: z.int(),
  to_step: z.int(),
  count: z.int(),
  tool: z.string(),
  status: z.enum(STEP_STATUSES),
  started_ms: z.number(),
  elapsed_ms: z.number(),
  from_journal: z.boolean(),
  lines: z.array(z.int()).optional().describe("The lines of the source that call this tool."),
});

const stepView = stepRow.omit({ row: true }).extend({
  run_id: z.string(),
  args: json.describe("Whole, or {handle, bytes, preview} above 64 KiB."),
  result: json.optional(),
  source_line: z.string().optional(),
});

const checkpointView = z.looseObject({
  run_id: z.string(),
  resumable: z.boolean(),
  waiting_for: z.looseObject({}).optional(),
  uncertain: z.array(z.looseObject({})).optional(),
});

const runHead = runView.extend({
  inputs: json,
  outputs: json.optional().describe("Whole, or {handle, bytes, preview}."),
  source: z.string().nullable(),
  language: z.enum(["typescript", "json", "text"]),
  capability: z.object({ name: z.string(), version: z.int() }).optional(),
  parent: z.string().optional(),
  started: z.array(runView).describe("The runs that it started, the first 200."),
  attempts: z
    .array(z.object({ run_id: z.string(), status: z.enum(RUN_STATUSES), started_at: isoTime }))
    .describe("This run and those before and after it by resuming, oldest first."),
  logs: z.array(z.looseObject({ level: z.string(), message: z.string() })),
  checkpoint: checkpointView.optional(),
  questions: z.array(
    z.looseObject({
      question: z.string(),
      name: z.string(),
      message: z.string(),
      details: json,
      expires: isoTime.optional(),
    }),
  ),
  call_count: z.int(),
  cost: z.object({ calls_ms: z.number(), bytes: z.number() }).describe("Of its calls together."),
  version: z.string().describe("Of the gateway that shows it."),
});

const executed = z.looseObject({
  success: z.boolean(),
  run_id: z.string().nullable(),
  status: z.string().optional(),
  outputs: json.optional(),
  error: errorView.optional(),
  logs: z.array(z.looseObject({ level: z.string(), message: z.string() })).optional(),
  calls: z.array(z.looseObject({})).optional(),
  warnings: z.array(z.string()).optional(),
  draft: z.string().optional(),
});

/** Names one attempt to start something: sent twice, it starts once. */
const requestId = z.string().regex(/^[\w-]{8,64}$/);

const uncertainAnswer = z.union([z.enum(["retry", "skip"]), z.strictObject({ result: json })]);

const remember = z.strictObject({
  same: z.array(z.string()).optional(),
  times: z.int().min(1).max(1_000_000).optional(),
  script: z.boolean().optional(),
});

const runFilter = {
  status: z.string().max(100).optional().describe("One or several, separated by commas."),
  kind: z.string().max(100).optional().describe("One or several, separated by commas."),
  tool: z.string().max(300).optional().describe("Runs with a step of this tool; * matches any characters."),
  text: z.string().max(300).optional().describe("Words of the intent, the name or the source."),
  since: z.string().max(40).optional().describe("ISO 8601, or a time back such as 24h."),
  until: z.string().max(40).optional(),
  session: z.string().max(200).optional(),
  mode: z.enum(["background", "foreground"]).optional(),
};

export const runEndpoints = {
  listRuns: endpoint({
    summary: "Runs, newest first",
    permission: "read",
    shows: "own",
    twin: "runs",
    topics: ["runs"],
    query: z.strictObject({ ...runFilter, before: cursor.optional(), limit: pageLimit(50) }),
    answer: z.object({ runs: z.array(runView), next: cursor.optional() }),
  }),
  countRuns: endpoint({
    summary: "How many runs began in each part of a time, by status",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    query: z.strictObject({ ...runFilter, buckets: z.coerce.number().int().min(1).max(200).default(48) }),
    answer: z.object({
      from: isoTime,
      bucket_ms: z.number(),
      buckets: z.array(
        z.object({ at: isoTime, succeeded: z.int(), failed: z.int(), waiting: z.int(), running: z.int() }),
      ),
    }),
  }),
  startRun: endpoint({
    summary: "Run code, a library item or a draft; answers when it has ended or waits",
    permission: "call",
    shows: "own",
    twin: "run <file|name>",
    body: z.strictObject({
      code: z.string().max(262_144).optional(),
      name: z.string().max(300).optional(),
      inputs: jsonObject.default({}),
      intent: z.string().max(1_000).optional(),
      timeout_ms: z.int().optional(),
      request_id: requestId.optional(),
    }),
    answer: executed,
  }),
  checkCode: endpoint({
    summary: "Check code as `execute` does before it runs: names, arguments, types",
    permission: "read",
    shows: "own",
    body: z.strictObject({ code: z.string().max(262_144) }),
    answer: z.object({
      ok: z.boolean(),
      problems: z.array(
        z.object({
          severity: z.enum(["error", "warning"]),
          message: z.string(),
          line: z.int().optional(),
          column: z.int().optional(),
          text: z.string().optional(),
          hint: z.string().optional(),
        }),
      ),
      tools: z.array(z.string()),
    }),
  }),
  declareTools: endpoint({
    summary: "The TypeScript of everything that code can call",
    permission: "read",
    shows: "own",
    twin: "types",
    topics: ["servers", "library"],
    answer: z.object({
      declarations: z.string(),
      toolCount: z.int(),
      missing: z.array(z.looseObject({ server: z.string(), reason: z.string() })),
    }),
  }),
  getRun: endpoint({
    summary: "One run: head, source, logs, checkpoint, attempts",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    answer: runHead,
  }),
  getTrace: endpoint({
    summary: "One run with all its steps and the runs that it started, as a tree",
    permission: "read",
    shows: "own",
    twin: "show <run>",
    topics: ["runs"],
    answer: z.looseObject({ run_id: z.string() }),
  }),
  listSteps: endpoint({
    summary: "The steps of a run, in pages of rows; equal neighbours are one row",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    query: z.strictObject({
      after: z.coerce.number().int().min(0).default(0).describe("The number of the last step that is known."),
      to: z.coerce.number().int().optional().describe("Not beyond this step."),
      flat: flag.describe("Without groups."),
      limit: pageLimit(500),
    }),
    answer: z.object({
      run_id: z.string(),
      rows: z.array(z.discriminatedUnion("row", [stepRow, groupRow])),
      step_count: z.int(),
      elapsed_ms: z.number().describe("From the start of the run to its end, or to now."),
      next: z.int().optional(),
    }),
  }),
  getStep: endpoint({
    summary: "One step: arguments, result, error",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    answer: stepView,
  }),
  readValue: endpoint({
    summary: "A part of a large value: the result of a step, or of the run (outputs)",
    permission: "read",
    shows: "own",
    twin: "show <run> --step <step>",
    query: z.strictObject({
      of: z.enum(["result", "args", "inputs"]).default("result"),
      path: z.string().max(2_000).default("").describe("A JSON Pointer."),
      offset: z.coerce.number().int().min(0).default(0).describe("In characters of the JSON, or in entries."),
      limit: z.coerce.number().int().min(1).max(65_536).default(65_536),
    }),
    answer: z.object({
      kind: z.enum(["object", "array", "string", "number", "boolean", "null"]),
      bytes: z.number(),
      entry_count: z.int().optional().describe("Of an object or an array."),
      entries: z
        .array(
          z.object({
            key: z.union([z.string(), z.number()]),
            kind: z.string(),
            bytes: z.number(),
            value: json.optional().describe("Where it is short."),
            entry_count: z.int().optional(),
          }),
        )
        .optional(),
      text: z.string().optional().describe("Of a string or a plain value: the characters from `offset` on."),
      next: z.int().optional(),
    }),
  }),
  getGraph: endpoint({
    summary: "The nodes of a workflow's run, with their state",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    answer: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          type: z.string(),
          status: z.enum([...STEP_STATUSES, "pending"]),
          elapsed_ms: z.number().nullable(),
          step: z.int().optional(),
          item_count: z.int().optional(),
        }),
      ),
      edges: z.array(z.object({ from: z.string(), to: z.string(), action: z.string().optional() })),
    }),
  }),
  compareRun: endpoint({
    summary: "A run beside the attempt before it: source, inputs, and what became of each step",
    permission: "read",
    shows: "own",
    topics: ["runs"],
    answer: z.object({
      before: z.string().nullable(),
      source: z.string().describe("A unified difference; empty where both are the same."),
      inputs: z.string(),
      steps: z.array(
        z.object({
          tool: z.string(),
          name: z.string(),
          before: z.enum(STEP_STATUSES).nullable(),
          after: z.enum(STEP_STATUSES).nullable(),
          from_journal: z.boolean(),
        }),
      ),
      steps_left_out: z.int(),
    }),
  }),
  resumeRun: endpoint({
    summary: "Continue a run that stopped; completed steps are not repeated",
    permission: "call",
    shows: "own",
    twin: "resume <run>",
    body: z.strictObject({
      code: z.string().max(262_144).optional(),
      inputs: jsonObject.optional(),
      uncertain: z.union([uncertainAnswer, z.array(uncertainAnswer)]).optional(),
      timeout_ms: z.int().optional(),
      request_id: requestId.optional(),
    }),
    answer: executed,
  }),
  cancelRun: endpoint({
    summary: "Stop a run: the calls under way end and are recorded, nothing new begins",
    permission: "call",
    shows: "own",
    twin: "cancel <run>",
    answer: z.object({ run_id: z.string(), status: z.enum(["cancelled", "requested"]) }),
  }),
  saveRun: endpoint({
    summary: "Save what a run executed to the library",
    permission: "write",
    shows: "own",
    twin: "save <draft> <name>",
    body: z.strictObject({
      name: z.string().max(200),
      description: z.string().max(2_000),
      tags: z.array(z.string()).optional(),
      overwrite: z.boolean().optional(),
    }),
    answer: z.looseObject({ success: z.boolean(), tool: z.string(), version: z.int() }),
  }),
  proposeRule: endpoint({
    summary: 'The rule that "approve and remember" would write for a question',
    permission: "admin",
    shows: "whole",
    query: z.strictObject({
      question: z.string().max(200),
      same: z.string().max(1_000).optional().describe("Names of arguments, separated by commas."),
      times: z.coerce.number().int().min(1).max(1_000_000).optional(),
      script: flag,
    }),
    answer: z.object({ rule: jsonObject, file: z.string(), arguments: z.array(z.string()) }),
  }),
  decideRun: endpoint({
    summary: "Answer exactly this question of a run",
    permission: "write",
    shows: "whole",
    twin: "approve <run> --question <id> --yes",
    body: z.strictObject({
      question: z.string().max(200),
      approve: z.boolean(),
      remember: remember.optional().describe("Also write the rule; needs admin."),
    }),
    answer: z.object({
      run_id: z.string(),
      node: z.string().describe("What the question is about: a node, or a tool."),
      question: z.string(),
      approved: z.boolean(),
      rule: jsonObject.optional(),
    }),
  }),
};
