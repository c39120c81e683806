/**
 * `repertoire demo`: a minute with the real thing. It starts the gateway as an MCP client would, in a temporary home with two
 * servers, one of which is broken, talks to it over stdio, keeps what worked, calls it from a second client, and shows what
 * comes back. Then it serves the same over HTTP until it is stopped. Nothing of it stays.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { escapeUnprintable } from "../core/printable.ts";
import { serveDemo, type DemoPlace } from "./demo-http.ts";
import { EXIT } from "./exit-code.ts";
import type { Finish } from "./program.ts";
import { watchSignals } from "./signals.ts";
import { bold, cyan, dim, green, print, red } from "./terminal.ts";
import { firstSentence } from "./tools.ts";

export function addDemo(program: Command, finish: Finish): void {
  program
    .command("demo")
    .description("Start a gateway in a temporary home, talk to it, show what happens, and serve it over HTTP")
    .option("--no-serve", "End after the story")
    .action(async ({ serve }: { readonly serve: boolean }) => {
      const folder = mkdtempSync(join(tmpdir(), "repertoire-demo-"));
      const place = { home: join(folder, "home"), config: join(folder, "repertoire.json") };
      const { stopped } = watchSignals();
      try {
        const cutShort = await Promise.race([tell(place), stopped]);
        if (cutShort !== undefined) return finish(cutShort);
        finish(serve ? await serveDemo(place, stopped, (text) => title(8, text)) : EXIT.ok);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

async function tell({ home, config }: DemoPlace): Promise<void> {
  const notes = { command: process.execPath, args: [process.argv[1], "demo-server"] };
  writeFileSync(config, JSON.stringify({ mcpServers: { notes, broken: { command: "no-such-program" } } }));
  const [{ Client }, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  const bin = process.argv[1]!;
  const startedAt = performance.now();
  const connect = async () => {
    const connected = new Client({ name: "demo", version: "1.0.0" });
    await connected.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [bin, "serve", "--home", home, "--config", config, "--log-level", "error"],
        env: getDefaultEnvironment(),
      }),
    );
    return connected;
  };
  const withOtherClient = async (work: (other: typeof client) => Promise<void>) => {
    const other = await connect();
    try {
      await work(other);
    } finally {
      await other.close();
    }
  };
  const client = await connect();
  try {
    const { tools } = await client.listTools();
    const ms = Math.round(performance.now() - startedAt);
    title(
      1,
      `An MCP client starts the gateway and asks for its tools (MCP ${client.getNegotiatedProtocolVersion()}, ${ms} ms from spawn to list)`,
    );
    for (const tool of tools)
      print(`   ${cyan(tool.name.padEnd(18))} ${firstSentence(tool.description ?? "")}`);

    const call = async (
      name: string,
      args: Record<string, unknown>,
      unshown: Record<string, unknown> = {},
    ) => {
      const { structuredContent, isError } = await client.callTool({
        name,
        arguments: { ...args, ...unshown },
      });
      const mark = isError === true ? red("✗") : green("✓");
      print(`   ${mark} ${bold(name)} ${dim(JSON.stringify(args))}`);
      return structuredContent as Record<string, never>;
    };

    title(2, "It searches two servers, one of them broken; the other is started now, because it is needed");
    const found = (await call("browse_components", {
      query: "write something down",
      limit: 1,
    })) as unknown as Found;
    for (const node of found.nodes) print(`     ${cyan(node.signature)}  ${dim(node.description)}`);
    for (const { server, reason } of found.unavailable)
      print(`     ${dim(`${server}: ${escapeUnprintable(reason)}`)}`);

    title(3, "Every tool of every server is one call away");
    for (const [name, args] of CALLS) {
      const { content } = await client.callTool({ name, arguments: args });
      const [block] = content as { text?: string }[];
      print(`   ${green("✓")} ${bold(name)} ${dim(JSON.stringify(args))}  ${block?.text ?? ""}`);
    }

    title(4, "It runs TypeScript against them, in a sandbox; only the result comes back");
    print(indent(CODE));
    const run = await call("execute", { intent: "Write the week down" }, { code: CODE });
    showRun(run);
    const draft = run["draft"] as unknown as string;

    title(5, "A mistake gets an answer that helps, and nothing has run");
    showError(await call("execute", { code: "return await mcp.notes.ad({ text: 'x' })" }));
    showError(await call("execute", { code: "return await mcp.notes.add({ txt: 'x' })" }));

    title(6, "A run that stops goes on where it stood: what was done is not done again");
    print(indent(BROKEN_CODE));
    const broken = await call("execute", { intent: "Count the notes" }, { code: BROKEN_CODE });
    showError(broken);
    const resumed = await call(
      "execute",
      { resume: "last" },
      { code: BROKEN_CODE.replace("lenght", "length") },
    );
    showRun(resumed);

    title(7, "What worked is kept under a name, and is a tool for every client at once");
    const saved = await call("save_to_library", {
      draft_name: draft,
      final_name: "week:plan",
      description: "Writes the days of a week down.",
    });
    print(`     ${cyan(saved["tool"] ?? "")}  ${dim(saved["fqdn"] ?? "")}`);
    await withOtherClient(async (other) => {
      const { tools: listed } = await other.listTools();
      print(
        dim(
          `   a second client, in a gateway of its own, lists ${listed.find(({ name }) => name.startsWith("mcp__"))!.name} and calls it`,
        ),
      );
      const { content } = await other.callTool({ name: "mcp__week__plan", arguments: {} });
      print(`   ${green("✓")} ${bold("mcp__week__plan")} ${(content as { text: string }[])[0]!.text}`);
    });
    showError(await call("describe_workflow", { name: "week:plann" }));
  } finally {
    await client.close();
  }
}

interface Found {
  readonly nodes: readonly { readonly signature: string; readonly description: string }[];
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[];
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

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `     ${cyan(line)}`)
    .join("\n");
}

function showRun(answer: Record<string, unknown>): void {
  const calls = answer["calls"] as { tool: string; elapsed_ms: number; from_journal?: true }[];
  print(`     ${JSON.stringify(answer["outputs"])}`);
  const told = calls.map(
    ({ tool, elapsed_ms: ms, from_journal: old }) => `${tool} ${old ? "from the journal" : `${ms} ms`}`,
  );
  print(dim(`     ${told.join(", ")}`));
  print(dim(`     left as the draft ${answer["draft"] as string}, ready to be kept`));
}

function title(number: number, text: string): void {
  print(`${number === 1 ? "" : "\n"}${bold(`${number}. ${text}`)}`);
}

function showError(answer: Record<string, unknown>): void {
  const { code, message } = answer["error"] as { code: string; message: string };
  print(`     ${code}: ${escapeUnprintable(message)}`);
}
