/** An MCP client as models' programs have one: it lists tools, calls them, and hands on what it is answered. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "../../src/core/json.ts";
import type { Definition } from "./definitions.ts";
import type { Answer } from "./task.ts";
import type { ServerEntry } from "./world.ts";

/** The first run of code on a busy machine takes a second; an answer that needs longer is a failure. */
const ANSWER_MS = 60_000;

export interface Connection {
  readonly instructions: string;
  listTools(): Promise<Definition[]>;
  call(name: string, args: JsonObject): Promise<Answer>;
  close(): Promise<void>;
}

export async function connect({ command, args }: ServerEntry): Promise<Connection> {
  const client = new Client({ name: "bench", version: "1.0.0" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }), {
    timeout: ANSWER_MS,
  });
  return {
    instructions: client.getInstructions() ?? "",
    async listTools() {
      const { tools } = await client.listTools(undefined, { timeout: ANSWER_MS });
      return tools;
    },
    async call(name, given) {
      const answer = await client.callTool({ name, arguments: given }, { timeout: ANSWER_MS });
      return answer as unknown as Answer;
    },
    close: () => client.close(),
  };
}
