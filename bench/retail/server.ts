/**
 * A shop as an MCP server over stdio, for the bench.
 *
 *     node server.ts <folder with db.json> <control file>
 *
 * What it has answered is on disk. It can be told to end the gateway by SIGKILL while a call is with it (`control.ts`); then it
 * answers nothing more. It needs nothing but Node, so that it starts fast.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readControl, type Control, type Kill, type KillMoment } from "./control.ts";
import { Refusal } from "./records.ts";
import { openShop, readDatabase, type LogEntry, type Shop } from "./shop.ts";
import { DEFINITIONS, TOOLS } from "./tools.ts";

interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: object;
}

/** The shop of one log, and how many calls it has had from this process. */
interface Opened {
  readonly log: string;
  readonly shop: Shop;
  callCount: number;
}

const [dataFolder, controlFile] = process.argv.slice(2) as [string, string];
const database = readDatabase(join(dataFolder, "db.json"));
writeFileSync(`${controlFile}.pid`, String(process.pid));
let opened: Opened | undefined;
/** The gateway has been killed by us: who could read an answer is gone, and nothing more happens. */
let isOver = false;

const METHODS: Readonly<Record<string, (params: object) => object | undefined>> = {
  initialize: (params) => ({
    protocolVersion: (params as { protocolVersion: string }).protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "retail", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: DEFINITIONS }),
  "tools/call": (params) => answerCall(params as CallParams),
};

/** Undefined when the gateway has died of it. */
function answerCall({ name, arguments: args = {} }: CallParams): object | undefined {
  const control = readControl(controlFile);
  const { shop, callCount: call } = countCall(control);
  if (dies(control.kill, call, "before")) return undefined;
  const entry = perform(shop, { call, tool: name, args });
  return dies(control.kill, call, "after") ? undefined : answerOf(entry);
}

function countCall({ log }: Control): Opened {
  if (opened?.log !== log) {
    opened?.shop.close();
    opened = { log, shop: openShop(database, log), callCount: 0 };
  }
  opened.callCount += 1;
  return opened;
}

function dies(kill: Kill | undefined, call: number, moment: KillMoment): boolean {
  if (kill?.call !== call || kill.moment !== moment) return false;
  process.kill(kill.pid, "SIGKILL");
  isOver = true;
  return true;
}

/** What came of the call; where the tool is not read-only, on disk. */
function perform(shop: Shop, call: Pick<LogEntry, "call" | "tool" | "args">): LogEntry {
  const tool = Object.hasOwn(TOOLS, call.tool) ? TOOLS[call.tool] : undefined;
  if (tool === undefined) return { ...call, refused: `There is no tool ${JSON.stringify(call.tool)}.` };
  const entry = { ...call, ...tryTool(() => tool.run(shop, call.args as Record<string, unknown>)) };
  if (!tool.readOnly) shop.append(entry);
  return entry;
}

function tryTool(
  run: () => Pick<LogEntry, "answer" | "changes">,
): Pick<LogEntry, "answer" | "changes" | "refused"> {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

function answerOf({ answer, refused }: LogEntry): object {
  if (refused !== undefined) return { isError: true, content: [{ type: "text", text: refused }] };
  return { content: [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }] };
}

function receive({ id, method, params = {} }: Message): void {
  if (id === undefined || isOver) return;
  const handle = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (handle === undefined) return send({ id, error: { code: -32601, message: "no such method" } });
  const result = handle(params);
  if (result !== undefined) send({ id, result });
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

let text = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (text + chunk).split("\n");
  text = lines.pop()!;
  for (const line of lines) receive(JSON.parse(line) as Message);
});
