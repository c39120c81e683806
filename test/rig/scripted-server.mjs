/**
 * A stdio server that does what a test asks of it, and writes every line that it is sent to a file.
 *
 *     node scripted-server.mjs <log file>
 *
 * It needs nothing but Node, so that it starts fast.
 */
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [log] = process.argv.slice(2);
let version = 0;
let callCount = 0;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const textOf = (text) => ({ content: [{ type: "text", text }] });
const open = { type: "object", additionalProperties: true };

const tools = {
  /** Answers with its arguments. */
  echo: (args) => textOf(JSON.stringify(args)),
  /** How often `touch` was called. */
  count: () => textOf(String(callCount)),
  touch: (args) => {
    callCount += 1;
    return textOf(`touched ${JSON.stringify(args)}`);
  },
  big: ({ bytes }) => textOf("x".repeat(bytes)),
  /** Is answered when there is a file of its key beside the log. */
  wait: async ({ key }) => {
    while (!existsSync(`${log}.${key}`)) await sleep(20);
    return textOf(`released ${key}`);
  },
  /** Says again and again that its list has changed, which it has. */
  storm: ({ times }) => {
    for (let i = 0; i < times; i += 1) {
      version += 1;
      write({ method: "notifications/tools/list_changed" });
    }
    return textOf(`stormed to ${version}`);
  },
  /** Reports progress, each time with so many bytes, and also for tokens that are not its own. */
  progress: ({ times, bytes = 0, tokens = [] }, { progressToken }) => {
    const message = "x".repeat(bytes);
    for (let progress = 0; progress < times; progress += 1) {
      for (const token of [progressToken, ...tokens]) {
        const params = { progressToken: token, progress, total: times, message };
        if (token !== undefined) write({ method: "notifications/progress", params });
      }
    }
    return textOf("done");
  },
};

const named = (name) => ({ name, inputSchema: open, annotations: { readOnlyHint: name !== "touch" } });

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion === "2026-07-28" ? "2025-11-25" : protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1.0.0" },
  }),
  ping: () => ({}),
  // What it says of its cache is for nobody but its one client.
  "tools/list": () => ({
    tools: [...Object.keys(tools).map(named), { ...named("versioned"), description: `Version ${version}.` }],
    ttlMs: 1e15,
    cacheScope: "public",
  }),
  "tools/call": ({ name, arguments: args = {}, _meta: meta = {} }) => tools[name](args, meta),
};

async function answer(line) {
  if (log !== undefined) appendFileSync(log, `${line}\n`);
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (!Object.hasOwn(methods, method))
    return write({ id, error: { code: -32601, message: "no such method" } });
  write({ id, result: await methods[method](params ?? {}) });
}

let text = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (text + chunk).split("\n");
  text = lines.pop();
  for (const line of lines) void answer(line);
});
