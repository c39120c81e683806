import type { Command } from "commander";
import type { ServerView } from "../app.ts";
import { commandLine } from "./command-line.ts";
import { EXIT } from "./exit-code.ts";
import { noteIdle } from "./idle-note.ts";
import { callMetaTool } from "./meta-call.ts";
import type { Finish } from "./program.ts";
import { globalOptionsOf, openSession, type GlobalOptions } from "./session.ts";
import { note, printJson, printTable } from "./terminal.ts";

interface Browsed {
  readonly nodes: readonly { readonly type: string; readonly description: string }[];
  readonly workflows: readonly { readonly tool: string; readonly description: string }[];
  readonly total: number;
  readonly pending: readonly string[];
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[];
}

export function addTools(program: Command, finish: Finish): void {
  program
    .command("tools")
    .argument("[query]", "what you want to do, or the name of a server; searches the tools of all servers")
    .description("List the tools that a connected client sees, or search all there are")
    .addHelpText(
      "after",
      `
Examples:
  $ repertoire tools
  $ repertoire tools "create an issue"
  $ repertoire tools --json | jq '.[].name'`,
    )
    .action(async (query: string | undefined, _options: unknown, command: Command) => {
      const options = globalOptionsOf(command);
      finish(query === undefined ? await list(options) : await search(options, query));
    });
}

async function list(options: GlobalOptions): Promise<number> {
  const session = await openSession(options);
  try {
    const tools = await session.app.gateway.listTools();
    if (options.json === true) printJson(tools);
    else {
      printTable(tools.map((tool) => [tool.name, firstSentence(tool.description ?? "")]));
      noteUnasked(await session.app.viewServers(false), options);
      noteIdle(session.config.current(), options);
    }
    return EXIT.ok;
  } finally {
    await session.close();
  }
}

/** Nothing is started for a list: what nobody has asked yet is not in it. */
function noteUnasked(servers: readonly ServerView[], options: GlobalOptions): void {
  const unasked = servers.filter(({ state, toolCount }) => state === "idle" && toolCount === undefined);
  if (unasked.length === 0) return;
  const who = unasked
    .map(({ id }) => id)
    .slice(0, NAMES_MAX)
    .join(", ");
  const more = unasked.length > NAMES_MAX ? ` and ${unasked.length - NAMES_MAX} more` : "";
  const cure = commandLine(["servers", "--check"], options);
  note(`Not asked for their tools yet: ${who}${more}. To ask them: ${cure}`);
}

const NAMES_MAX = 8;

/** More than a person reads; `--json` gives as many. */
const HITS_MAX = 50;

function search(options: GlobalOptions, query: string): Promise<number> {
  const args = { query, limit: HITS_MAX };
  return callMetaTool<Browsed>(
    options,
    "browse_components",
    args,
    (found) => showFound(found, query),
    ({ pending }) => pending.length === 0,
  );
}

function showFound(found: Browsed, query: string): void {
  const tools = found.nodes.map((node) => [node.type, firstSentence(node.description)]);
  const kept = found.workflows.map((item) => [item.tool, firstSentence(item.description)]);
  if (tools.length + kept.length === 0) note(`Nothing fits ${JSON.stringify(query)}.`);
  printTable([...kept, ...tools]);
  if (found.total > tools.length + kept.length) note(`${found.total} fit; the best are shown.`);
  for (const server of found.pending) note(`${server} has not answered yet.`);
  for (const { server, reason } of found.unavailable) note(`${server} is not available: ${reason}`);
}

export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
