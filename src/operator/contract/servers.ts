import * as z from "zod";
import { callView } from "./calls.ts";
import { endpoint, isoTime, json, jsonObject } from "./endpoint.ts";

/** As `repertoire servers --json` has it. */
const serverView = z.looseObject({
  id: z.string(),
  state: z.enum([
    "disabled",
    "untrusted",
    "unusable",
    "needs_input",
    "idle",
    "connecting",
    "starting",
    "ready",
    "failed",
  ]),
  target: z.string(),
  sandbox: z.string().optional().describe("What it may reach, of one that runs in a sandbox."),
  retry_in_ms: z.number().optional().describe("Of one that failed: so long until it is tried again."),
  starting: z.looseObject({ forMs: z.number(), said: z.string().optional() }).optional(),
  missingInputs: z.array(z.string()).optional(),
  problems: z.array(z.looseObject({ message: z.string() })).optional(),
  era: z.string().optional(),
  protocolVersion: z.string().optional(),
  toolCount: z.int().optional(),
  resourceCount: z.int().optional(),
  promptCount: z.int().optional(),
  rejected: z.array(
    z.looseObject({ code: z.string(), kind: z.string(), name: z.string(), reason: z.string() }),
  ),
  findings: z.array(
    z.looseObject({
      code: z.string(),
      kind: z.string(),
      tool: z.string(),
      message: z.string(),
      excerpt: z.string(),
    }),
  ),
  connectMs: z.number().optional(),
  latencyMs: z.number().optional(),
  pid: z.int().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  stderr: z.array(z.string()).optional(),
  hint: z.string().optional(),
  unpinned: z.string().optional(),
});

/** Added to a server for a person who looks at it. */
const serverDetails = serverView.extend({
  transport: z.enum(["stdio", "http", "sse", "openapi"]),
  enabled: z.boolean(),
  trust: z.string(),
  memory_bytes: z.number().optional().describe("Of its whole process tree."),
  latency: z
    .object({ call_count: z.int(), error_count: z.int(), p50_ms: z.number(), p95_ms: z.number() })
    .nullable()
    .describe("Of its calls in 24 hours."),
  tokens: z.number().nullable().describe("What its tools cost in a list."),
  login: z.enum(["none", "needed", "done"]),
  tools: z.array(
    z.object({ name: z.string(), tool: z.string(), description: z.string(), signature: z.string() }),
  ),
  calls: z.array(callView),
});

const pinView = z.looseObject({
  server: z.string(),
  kind: z.string(),
  name: z.string(),
  status: z.enum(["approved", "noted", "held", "rejected"]),
  since: isoTime.nullable(),
  reasons: z.array(z.string()),
  changes: z.array(z.looseObject({ path: z.string(), before: json.optional(), after: json.optional() })),
  approved_at: isoTime.nullable(),
  approved_by: z.string().nullable(),
  offered_hash: z.string().nullable(),
  used_by: z.array(z.string()),
});

const changed = z.looseObject({ file: z.string() });

export const serverEndpoints = {
  listServers: endpoint({
    summary: "The configured servers as they are; nothing is started",
    permission: "read",
    shows: "own",
    twin: "servers",
    topics: ["servers"],
    answer: z.object({ servers: z.array(serverView) }),
  }),
  getServer: endpoint({
    summary: "One server: state, times, memory, tools, last calls, output",
    permission: "read",
    shows: "own",
    twin: "describe <server>",
    topics: ["servers", "calls"],
    answer: serverDetails,
  }),
  addServers: endpoint({
    summary: "Add servers: a URL, a command, or the JSON that a client or a README has",
    permission: "admin",
    shows: "whole",
    twin: "add <name> …",
    body: z.strictObject({
      name: z.string().max(100).optional().describe("Not needed where the JSON names the servers."),
      given: z.string().max(65_536).describe("A URL, a command line, or JSON."),
      replace: z.boolean().optional(),
      dry_run: z.boolean().optional().describe("Only say what would be written."),
    }),
    answer: z.looseObject({
      added: z.array(z.string()),
      file: z.string(),
      warnings: z.array(z.string()),
      entries: jsonObject.describe("As they are written, without secrets."),
      dry_run: z.boolean(),
    }),
  }),
  removeServer: endpoint({
    summary: "Remove a server from the config",
    permission: "admin",
    shows: "whole",
    twin: "remove <server>",
    answer: changed,
  }),
  enableServer: endpoint({
    summary: "Enable a server",
    permission: "admin",
    shows: "whole",
    twin: "enable <server>",
    answer: changed,
  }),
  disableServer: endpoint({
    summary: "Disable a server: it is stopped and its tools are hidden",
    permission: "admin",
    shows: "whole",
    twin: "disable <server>",
    answer: changed,
  }),
  restartServer: endpoint({
    summary: "Stop a server, start it and read its lists again",
    permission: "admin",
    shows: "whole",
    twin: "servers <server> --check",
    answer: serverView,
  }),
  loginServer: endpoint({
    summary: "How to log in to a remote server",
    permission: "admin",
    shows: "whole",
    twin: "login <server>",
    answer: z.object({ server: z.string(), url: z.string().optional(), command: z.string() }),
  }),
  setInput: endpoint({
    summary: "Give the value of an input; it goes to the secrets and is never shown",
    permission: "admin",
    shows: "whole",
    twin: "input set <input>",
    body: z.strictObject({ value: z.string().max(65_536) }),
    answer: z.looseObject({ input: z.string() }),
  }),
  listPins: endpoint({
    summary: "What servers offer and nobody has approved; with `all`, every pin",
    permission: "read",
    shows: "whole",
    twin: "pins",
    topics: ["inbox", "servers"],
    query: z.strictObject({
      server: z.string().max(100).optional(),
      all: z.enum(["true", "false"]).optional(),
    }),
    answer: z.object({ pins: z.array(pinView) }),
  }),
  decidePins: endpoint({
    summary: "Approve or reject exactly these definitions of a server",
    permission: "write",
    shows: "whole",
    twin: "approve <server> <tool> --yes",
    body: z.strictObject({
      approve: z.boolean(),
      pins: z
        .array(
          z.strictObject({
            kind: z.string().max(40),
            name: z.string().max(1_000),
            offered_hash: z.string().max(100).nullable(),
          }),
        )
        .min(1)
        .max(2_000),
    }),
    answer: z.looseObject({
      server: z.string(),
      changed: z.array(z.object({ kind: z.string(), name: z.string() })),
    }),
  }),
};
