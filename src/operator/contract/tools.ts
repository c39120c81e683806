import * as z from "zod";
import { callView } from "./calls.ts";
import { endpoint, json, jsonObject } from "./endpoint.ts";

const CALLABLE_KINDS = ["tool", "kept", "meta_tool", "node"] as const;

/** A tool in a list: no schemas. */
const toolRow = z.object({
  name: z.string(),
  written: z.string().describe("As people write it: server.tool, namespace:action."),
  kind: z.enum(CALLABLE_KINDS),
  server: z.string().optional(),
  description: z.string(),
  signature: z.string(),
  effect: z.enum(["read", "write", "destroy"]).optional(),
  listed: z.boolean().describe("Whether clients see it in their list."),
});

/** As `repertoire describe --json` has a tool. */
const toolDescription = z.looseObject({
  kind: z.enum(CALLABLE_KINDS),
  name: z.string(),
  tool: z.string(),
  server: z.string().optional(),
  description: z.string(),
  signature: z.string(),
  parameters: z.array(
    z.looseObject({
      name: z.string(),
      type: z.string(),
      required: z.boolean(),
      description: z.string(),
      default: json.optional(),
    }),
  ),
  output: z.string(),
  annotations: jsonObject.optional(),
  example: z.string().optional(),
  input_schema: jsonObject,
  output_schema: jsonObject.optional(),
});

export const explainedCall = z.looseObject({
  kind: z.string(),
  name: z.string(),
  who: z.array(z.string()),
  effect: z.enum(["read", "write", "destroy"]),
  effect_from: z.string(),
  do: z.enum(["allow", "ask", "refuse"]),
  rule: z.looseObject({ name: z.string(), why: z.string().optional() }),
  notes: z.array(z.string()),
  passed: z.array(z.object({ rule: z.string(), mismatch: z.string() })),
  file: z.string().optional(),
});

export const toolEndpoints = {
  listTools: endpoint({
    summary: "Every tool that is known; no server is started",
    permission: "read",
    shows: "own",
    twin: "tools",
    topics: ["servers", "library"],
    query: z.strictObject({ server: z.string().max(100).optional() }),
    answer: z.object({
      tools: z.array(toolRow),
      pending: z.array(z.string()),
      failed: z.array(z.object({ server: z.string(), reason: z.string() })),
    }),
  }),
  searchTools: endpoint({
    summary: "The search that agents use, and why each hit is where it is",
    permission: "read",
    shows: "own",
    twin: "tools <query>",
    topics: ["servers", "library"],
    query: z.strictObject({
      query: z.string().min(1).max(1_000),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({
      hits: z.array(
        toolRow.extend({
          score: z.number().nullable(),
          why: z.array(z.object({ word: z.string(), where: z.string(), share: z.number() })),
        }),
      ),
      total: z.int(),
      pending: z.array(z.string()),
    }),
  }),
  getTool: endpoint({
    summary: "One tool: parameters, schemas, findings, the rule that decides, last calls, what uses it",
    permission: "read",
    shows: "own",
    twin: "describe <tool>",
    topics: ["servers", "calls", "library"],
    answer: toolDescription.extend({
      findings: z.array(z.looseObject({ code: z.string(), message: z.string(), excerpt: z.string() })),
      decision: explainedCall.nullable(),
      calls: z.array(callView),
      used_by: z.array(z.string()),
      held: z.boolean(),
    }),
  }),
  callTool: endpoint({
    summary: "Call a tool once, as a client would; it passes the rules",
    permission: "call",
    shows: "own",
    twin: "call <tool> …",
    body: z.strictObject({
      args: jsonObject.default({}),
      request_id: z
        .string()
        .regex(/^[\w-]{8,64}$/)
        .optional(),
    }),
    answer: z.looseObject({
      content: z.array(jsonObject),
      structuredContent: json.optional(),
      isError: z.boolean().optional(),
      elapsed_ms: z.number(),
    }),
  }),
};
