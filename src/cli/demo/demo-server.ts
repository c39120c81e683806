/**
 * `repertoire demo-server`: the upstream of the demo, a server of a few lines that keeps notes in a file, or in memory.
 */
import type { GlobalOptions } from "../global-options.ts";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Writable } from "node:stream";
import type { Tool } from "@modelcontextprotocol/server";
import { EXIT } from "../terminal/exit-code.ts";
import { reserveStdout } from "../../process/stdout.ts";
import { VERSION } from "../../core/version.ts";
import { defineCommand } from "../command.ts";

const TOOLS: Tool[] = [
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

export const demoServerCommand = defineCommand({
  name: "demo-server",
  group: "start",
  isHidden: true,
  summary: "",
  arguments: [{ words: "[file]", about: "" }],
  run: async (_options: GlobalOptions, file?: string) => {
    await serveNotes(file === undefined ? memoryNotes() : fileNotes(file));
    return EXIT.ok;
  },
});

interface Notes {
  add(text: string): void;
  list(): readonly string[];
}

function memoryNotes(): Notes {
  const notes: string[] = [];
  return { add: (text) => void notes.push(text), list: () => notes };
}

/** One note to a line, as JSON: several processes append, and all of them read everything. */
function fileNotes(file: string): Notes {
  return {
    add: (text) => appendFileSync(file, `${JSON.stringify(text)}\n`),
    list() {
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
      return lines.map((line) => JSON.parse(line) as string);
    },
  };
}

async function serveNotes(notes: Notes): Promise<void> {
  const [{ Server }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const server = new Server({ name: "notes", version: VERSION }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", ({ params }) => {
    if (params.name === "add") notes.add(String(params.arguments?.["text"]));
    return { content: [{ type: "text", text: JSON.stringify(notes.list()) }] };
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  server.onclose = () => resolve();
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => void reserveStdout().write(chunk, done),
  });
  await server.connect(new StdioServerTransport(process.stdin, output));
  await ended;
}
