import * as z from "zod";
import { endpoint, isoTime, json, jsonObject } from "./endpoint.ts";

const libraryItem = z.looseObject({
  name: z.string(),
  tool: z.string(),
  kind: z.enum(["code", "workflow"]),
  description: z.string(),
  version: z.int(),
  tags: z.array(z.string()),
  usage_count: z.int(),
  success_count: z.int(),
  last_used_at: isoTime.nullable(),
  changed_tools: z.array(z.string()).optional(),
  listed: z.boolean().optional(),
});

const field = z.looseObject({ type: z.string(), required: z.boolean(), description: z.string() });

/** As `describe_workflow` and `repertoire describe` have it. */
const libraryDetails = z.looseObject({
  name: z.string(),
  tool: z.string(),
  fqdn: z.string(),
  uri: z.string(),
  kind: z.enum(["code", "workflow"]),
  description: z.string(),
  tags: z.array(z.string()),
  visibility: z.string(),
  author: z.string(),
  version: z.int(),
  run_id: z.string().optional(),
  inputs: z.record(z.string(), field),
  outputs: z.record(z.string(), field),
  input_schema: jsonObject,
  output_schema: jsonObject.nullable(),
  source: z.string(),
  versions: z.array(
    z.looseObject({
      version: z.int(),
      hash: z.string(),
      author: z.string(),
      created_at: isoTime,
      run_id: z.string().optional(),
    }),
  ),
  aliases: z.array(z.string()),
  tools_used: z.array(
    z.looseObject({ tool: z.string(), state: z.string(), changes: z.array(z.string()).default([]) }),
  ),
  still_valid: z.boolean().nullable(),
  problem: z.string().optional(),
  statistics: z.looseObject({
    executions: z.int(),
    successes: z.int(),
    failures: z.int(),
    average_ms: z.number().nullable(),
    last_run: isoTime.nullable(),
  }),
});

const names = z.object({ name: z.string(), tool: z.string(), aliases: z.array(z.string()) });

export const libraryEndpoints = {
  listLibrary: endpoint({
    summary: "What was saved",
    permission: "read",
    shows: "own",
    twin: "list",
    topics: ["library"],
    query: z.strictObject({ pattern: z.string().max(200).optional() }),
    answer: z.object({ items: z.array(libraryItem), note: z.string().optional() }),
  }),
  getItem: endpoint({
    summary: "One item: schemas, source, versions, tools used and whether they changed; name@2 for a version",
    permission: "read",
    shows: "own",
    twin: "describe <name>",
    topics: ["library", "servers"],
    answer: libraryDetails,
  }),
  compareVersions: endpoint({
    summary: "Two versions beside each other",
    permission: "read",
    shows: "own",
    twin: "diff <before> <after>",
    query: z.strictObject({ before: z.string().max(300), after: z.string().max(300) }),
    answer: z.object({ equal: z.boolean(), source: z.string(), schemas: z.array(z.string()) }),
  }),
  testItem: endpoint({
    summary: "Replay the example of an item, offline",
    permission: "call",
    shows: "own",
    twin: "test <name>",
    answer: z.object({
      passed: z.int(),
      failed: z.int(),
      skipped: z.int(),
      reports: z.array(
        z.object({
          name: z.string(),
          version: z.int(),
          outcome: z.enum(["passed", "failed", "skipped"]),
          differences: z.array(z.string()),
        }),
      ),
    }),
  }),
  renameItem: endpoint({
    summary: "Rename an item; the old name stays as an alias",
    permission: "write",
    shows: "whole",
    twin: "rename <name> <new>",
    body: z.strictObject({ to: z.string().max(200) }),
    answer: names,
  }),
  aliasItem: endpoint({
    summary: "Add an alias to an item",
    permission: "write",
    shows: "whole",
    twin: "alias <name> <other>",
    body: z.strictObject({ alias: z.string().max(200) }),
    answer: names,
  }),
  rollBackItem: endpoint({
    summary: "Make an older version the current one again, as a new version",
    permission: "write",
    shows: "whole",
    twin: "rollback <name@version>",
    body: z.strictObject({ version: z.int().min(1) }),
    answer: z.object({ name: z.string(), tool: z.string(), version: z.int(), like: z.string() }),
  }),
  deleteItem: endpoint({
    summary: "Delete an item; runs that use one of its versions still find it",
    permission: "write",
    shows: "whole",
    twin: "delete <name>",
    answer: z.object({ deleted: z.string(), version_count: z.int() }),
  }),
  exportItem: endpoint({
    summary: "An item as a file that `repertoire import` reads",
    permission: "read",
    shows: "whole",
    twin: "export <folder> <name>",
    answer: z.object({ file: z.string(), text: z.string() }),
  }),
  saveDraft: endpoint({
    summary: "Save a draft to the library under a name",
    permission: "write",
    shows: "own",
    twin: "save <draft> <name>",
    body: z.strictObject({
      draft_name: z.string().max(300),
      final_name: z.string().max(200),
      description: z.string().max(2_000),
      tags: z.array(z.string()).optional(),
      overwrite: z.boolean().optional(),
    }),
    answer: z.looseObject({
      success: z.boolean(),
      tool: z.string(),
      version: z.int(),
      example: json.optional(),
    }),
  }),
};
