import * as z from "zod";
import { parseReference, type NameReference } from "../core/names.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Drafts } from "../library/drafts.ts";
import type { Library } from "../library/library.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";

/** The limit of code in the sandbox: a program that is longer than any file of this project ten times over. */
const CODE_BYTES_MAX = 256 * 1024;
const TIMEOUT_MS_MAX = 10 * 60 * 1000;
const TIMEOUT_MS_DEFAULT = 30 * 1000;

const input = z.strictObject({
  name: z.string().optional().describe("What to run: something in the library, or a draft."),
  inputs: z.record(z.string(), z.unknown()).optional().describe("The inputs; in code they are args."),
  code: z
    .string()
    .optional()
    .describe("TypeScript with top-level await and return; tools are await mcp.server.tool({…})."),
  intent: z
    .string()
    .max(1000)
    .optional()
    .describe("What this run is for, in one sentence. It helps later searches."),
  resume: z
    .string()
    .optional()
    .describe('The run_id of a run that stopped, or "last". With code or name: the corrected version.'),
  uncertain: z
    .union([z.enum(["retry", "skip"]), z.strictObject({ result: z.unknown() })])
    .optional()
    .describe("With resume: what to do about a call that was sent and whose outcome is unknown."),
  timeout_ms: z
    .int()
    .min(1)
    .max(TIMEOUT_MS_MAX)
    .default(TIMEOUT_MS_DEFAULT)
    .describe("Wall time for the whole run."),
  save_as: z.string().optional().describe("Keep the run under this name when it succeeds."),
});

const output = z.object({
  success: z.boolean(),
  run_id: z.string().nullable(),
  outputs: z.unknown(),
  checkpoint: z.looseObject({}).nullable(),
  error: z.looseObject({}).nullable(),
  logs: z.array(z.looseObject({})),
  draft: z.string().nullable(),
});

export interface ExecuteParts {
  readonly library: Library;
  readonly drafts: Drafts;
}

export function createExecute({ library, drafts }: ExecuteParts): MetaTool {
  return createMetaTool({
    name: "execute",
    title: "Execute",
    describe: () =>
      "Run TypeScript (code), something kept or drafted (name), or go on with a run that stopped (resume). " +
      "In code, call any tool as await mcp.server.tool({…}); only its returned value comes back, so filter and combine there. " +
      "Give exactly one of name, code and resume; resume may come with the corrected code or name.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async run(args) {
      const checked = checkRequest(args);
      if (!checked.success) return checked;
      if (args.name !== undefined) {
        const found = await requireSource(args.name, library, drafts);
        if (!found.success) return found;
      }
      return notYet(args);
    },
  });
}

/** All that can be wrong with a request before anything is looked up. */
function checkRequest(args: z.output<typeof input>): ToolResult<void> {
  const chosen = (["name", "code", "resume"] as const).filter((key) => args[key] !== undefined);
  if (chosen.length === 0) {
    return fail("TOOL_INVALID_INPUT", "Give one of name, code and resume: what should run?", {
      field: "name",
    });
  }
  if (args.name !== undefined && args.code !== undefined) {
    return fail("TOOL_INVALID_INPUT", "Give name or code, not both.", { field: "code" });
  }
  if (args.uncertain !== undefined && args.resume === undefined) {
    return fail(
      "TOOL_INVALID_INPUT",
      "uncertain is an answer to a run that stopped: give its run_id as resume.",
      {
        field: "uncertain",
      },
    );
  }
  const bytes = Buffer.byteLength(args.code ?? "");
  if (bytes > CODE_BYTES_MAX) {
    const message = `The code has ${bytes} bytes; the limit is ${CODE_BYTES_MAX}.`;
    return fail("TOOL_INVALID_INPUT", message, { field: "code", hint: "Pass data through inputs instead." });
  }
  return checkNames(args);
}

function checkNames(args: z.output<typeof input>): ToolResult<void> {
  for (const key of ["name", "save_as"] as const) {
    const text = args[key];
    const reference = text === undefined ? undefined : parseReference(text, key);
    if (reference?.success === false) return reference;
  }
  const isRunId =
    args.resume === undefined || /^(?:last|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(args.resume);
  if (isRunId) return succeed(undefined);
  return fail("TOOL_INVALID_INPUT", "resume must be a run_id, as execute returned it, or last.", {
    field: "resume",
  });
}

/** The library comes first, then the drafts. */
async function requireSource(name: string, library: Library, drafts: Drafts): Promise<ToolResult<void>> {
  const reference = parseReference(name);
  if (!reference.success) return reference;
  if (await isKept(reference.data, library)) return succeed(undefined);
  const draft = await drafts.find(name);
  if (draft.success) return succeed(undefined);
  if (draft.error.code !== "TOOL_NOT_FOUND") return draft;
  const known = [...(await library.names()), ...(await drafts.names())];
  const near = nearest(name, known);
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library or the drafts is called ${JSON.stringify(name)}.${didYouMean(near)}`,
    {
      field: "name",
      nearest: near,
      hint: known.length === 0 ? "Both are empty." : `There are ${known.slice(0, 20).join(", ")}.`,
    },
  );
}

async function isKept(reference: NameReference, library: Library): Promise<boolean> {
  return (await library.find(reference)) !== undefined;
}

function notYet(args: z.output<typeof input>): ToolResult<never> {
  const what =
    args.resume !== undefined ? "resume a run" : args.code !== undefined ? "run code" : "run by name";
  return fail("TOOL_NOT_IMPLEMENTED", `The request is valid, but this version cannot ${what} yet.`, {
    hint: "browse_components, list_library and describe_workflow work.",
  });
}
