/** An MCP server in one file: JSON-RPC, one message in each line. It keeps notes in a file, beside itself or as it is told. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const notesFile = process.argv[2] ?? join(import.meta.dirname, "notes.txt");

const TOOLS = [
  {
    name: "add",
    description: "Writes a note down.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", description: "What to remember." } },
      required: ["text"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: "list",
    description: "Lists all notes.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  },
];

function notes() {
  return existsSync(notesFile) ? readFileSync(notesFile, "utf8").trimEnd().split("\n") : [];
}

const CALLS = {
  add({ text }) {
    appendFileSync(notesFile, `${text.replaceAll("\n", " ")}\n`);
    return `This is note ${notes().length}.`;
  },
  list: () => JSON.stringify(notes()),
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: TOOLS }),
  "tools/call": ({ name, arguments: args }) => ({
    content: [{ type: "text", text: CALLS[name](args ?? {}) }],
  }),
};

function answer(id, message) {
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const handle = METHODS[method];
  if (handle === undefined) answer(id, { error: { code: -32601, message: `There is no ${method}.` } });
  else answer(id, { result: handle(params ?? {}) });
}
