/** `repertoire demo-server`: the upstream of the demo, a server of a few lines that keeps notes in memory. */
import { Writable } from "node:stream";
import type { Tool } from "@modelcontextprotocol/server";
import type { Command } from "commander";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { reserveStdout } from "../stdout.ts";
import { VERSION } from "../version.ts";

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

export function addDemoServer(program: Command, finish: Finish): void {
  program.command("demo-server", { hidden: true }).action(async () => {
    await serveNotes();
    finish(EXIT.ok);
  });
}

async function serveNotes(): Promise<void> {
  const [{ Server }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const notes: string[] = [];
  const server = new Server({ name: "notes", version: VERSION }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", ({ params }) => {
    if (params.name === "add") notes.push(String(params.arguments?.["text"]));
    return { content: [{ type: "text", text: JSON.stringify(notes) }] };
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  server.onclose = () => resolve();
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => void reserveStdout().write(chunk, done),
  });
  await server.connect(new StdioServerTransport(process.stdin, output));
  await ended;
}
