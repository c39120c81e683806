/** The story of the demo: what a client does with the gateway, and what comes back. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import * as show from "./demo-text.ts";
import { firstSentence } from "../commands/use/tools.ts";

export interface DemoPlace {
  readonly home: string;
  readonly config: string;
}

type Answer = Record<string, unknown>;

/** Starts the gateway as any client would; the caller closes it. */
async function connect({ home, config }: DemoPlace): Promise<Client> {
  const [{ Client: McpClient }, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  const client = new McpClient({ name: "demo", version: "1.0.0" });
  const args = [process.argv[1]!, "serve", "--home", home, "--config", config, "--log-level", "error"];
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args, env: getDefaultEnvironment() }));
  return client;
}

/** Tells it to the end, or until it is stopped; the gateways that it started have ended then. */
export async function tellStory(place: DemoPlace, signal: AbortSignal): Promise<void> {
  const clients: Client[] = [];
  const open = async (): Promise<Client> => {
    const client = await connect(place);
    clients.push(client);
    signal.throwIfAborted();
    return client;
  };
  const closeAll = (): void => clients.forEach((client) => void client.close());
  signal.addEventListener("abort", closeAll);
  try {
    show.beginning("Starting the gateway in a temporary home, with two servers of which one is broken …");
    await tell(open, () => signal.throwIfAborted());
  } catch (error) {
    // A failure after a stop is expected.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", closeAll);
    await Promise.all(clients.map((client) => client.close()));
  }
}

/**
 * `check` throws once the story is to end: a gateway that is stopped meanwhile still answers, and that is no part of
 * it.
 */
async function tell(open: () => Promise<Client>, check: () => void): Promise<void> {
  const startedAt = performance.now();
  const client = await open();
  const { tools } = await client.listTools();
  const ms = Math.round(performance.now() - startedAt);
  const era = client.getNegotiatedProtocolVersion();
  const use = async (name: string, args: Answer, unshown: Answer = {}): Promise<Answer> => {
    const { structuredContent, isError } = await client.callTool({
      name,
      arguments: { ...args, ...unshown },
    });
    check();
    show.call(name, args, isError === true);
    return structuredContent as Answer;
  };

  show.title(
    1,
    `An MCP client starts the gateway and asks for its tools (MCP ${era}, ${ms} ms from spawn to list)`,
  );
  for (const tool of tools) show.entry(tool.name, firstSentence(tool.description ?? ""));

  show.title(2, "It searches two servers; one of them is broken, and the other is found all the same");
  const search = { query: "write something down", limit: 1 };
  await untilAnswered(client, search);
  const found = (await use("browse_components", search)) as Found;
  for (const node of found.nodes) show.detail(`${node.signature}  ${node.description}`);
  for (const { server, reason } of found.unavailable ?? []) show.aside(`${server}: ${reason}`);

  show.title(3, "Every tool of every server is one call away");
  for (const [name, args] of CALLS) {
    const { content } = await client.callTool({ name, arguments: args });
    show.call(name, args, false, textOf(content));
  }

  show.title(4, "It runs TypeScript against them, in a sandbox; only the result comes back");
  show.code(CODE);
  const run = await use("execute", { intent: "Write the week down" }, { code: CODE, calls: true });
  showRun(run);

  show.title(5, "A mistake gets an answer that helps, and nothing has run");
  showError(await use("execute", { code: "return await mcp.notes.ad({ text: 'x' })" }));
  showError(await use("execute", { code: "return await mcp.notes.add({ txt: 'x' })" }));

  show.title(6, "A run that stops goes on where it stood: what was done is not done again");
  show.code(BROKEN_CODE);
  showError(await use("execute", { intent: "Count the notes" }, { code: BROKEN_CODE }));
  show.remark("The same code, corrected, goes on from there:");
  show.correction(BROKEN_CODE, CORRECTED_CODE);
  showRun(await use("execute", { resume: "last" }, { code: CORRECTED_CODE, calls: true }));

  show.title(7, "What worked is kept under a name, and is a tool for every client at once");
  const saved = await use("save_to_library", {
    draft_name: run["draft"],
    final_name: "week:plan",
    description: "Writes the days of a week down.",
  });
  show.detail(`${String(saved["tool"])}  ${String(saved["fqdn"])}`);
  const other = await open();
  const { tools: listed } = await other.listTools();
  const kept = listed.find(({ name }) => name.startsWith("mcp__"))!.name;
  show.remark(`A second client, in a gateway of its own, lists ${kept} and calls it:`);
  const { content } = await other.callTool({ name: kept, arguments: {} });
  show.call(kept, {}, false, textOf(content));
  showError(await use("describe_workflow", { name: "week:plann" }));
}

/** On a slow machine a server starts later than a search waits for it, and the story is about what is found. */
export async function untilAnswered(client: Pick<Client, "callTool">, search: Answer): Promise<void> {
  for (let tries = 0; tries < SEARCHES_MAX; tries++) {
    const { structuredContent } = await client.callTool({ name: "browse_components", arguments: search });
    const { pending = [] } = structuredContent as Found;
    if (pending.length === 0) return;
    await sleep(SEARCH_PAUSE_MS);
  }
}

const SEARCHES_MAX = 40;
const SEARCH_PAUSE_MS = 250;

interface Found extends Answer {
  readonly pending?: readonly string[];
  readonly nodes: readonly { readonly signature: string; readonly description: string }[];
  readonly unavailable?: readonly { readonly server: string; readonly reason: string }[];
}

const CALLS: readonly [string, Record<string, string>][] = [
  ["notes__add", { text: "Try Repertoire" }],
  ["notes__add", { text: "Tell a friend" }],
  ["notes__list", {}],
];

const CODE = `const days = ["Monday", "Tuesday", "Wednesday"];
await Promise.all(days.map((day) => mcp.notes.add({ text: \`\${day}: write tests\` })));
const notes: string[] = await mcp.notes.list();
return { notes: notes.length, last: notes.at(-1) };`;

const BROKEN_CODE = `await mcp.notes.add({ text: "Book the train" });
const notes = await mcp.notes.list();
return { notes: notes.lenght.toFixed() };`;
const CORRECTED_CODE = BROKEN_CODE.replace("lenght", "length");

function textOf(content: unknown): string {
  return (content as { readonly text?: string }[])[0]?.text ?? "";
}

function showRun({ outputs, calls = [], draft }: Answer): void {
  show.detail(JSON.stringify(outputs));
  const told = (calls as { tool: string; elapsed_ms: number; from_journal?: true }[]).map(
    ({ tool, elapsed_ms: ms, from_journal: old }) => `${tool} ${old ? "from the journal" : `${ms} ms`}`,
  );
  show.aside(told.join(", "));
  show.aside(`left as the draft ${String(draft)}, ready to be kept`);
}

function showError({ error }: Answer): void {
  const { code, message } = error as { code: string; message: string };
  show.detail(`${code}: ${message}`);
}
