/**
 * A home with a server that logs every call to the disk and a draft that pays, asks, pays, asks and pays; and gateways on it that are
 * started, killed and started again, with a client of either era on their wire.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { send } from "../../src/server/http/http.testkit.ts";
import { startGateway, INITIALIZE } from "../fixtures/gateway-process.ts";
import { eventually } from "../fixtures/temporary.ts";
import { workflow } from "../fixtures/workflows.ts";
import {
  createPlace,
  messageOf,
  modernRequest,
  startHttp,
  type Headers,
  type Message,
  type Place,
} from "./http-process.ts";
import { CAN_BE_ASKED, openWire } from "./modern-wire.ts";

const COUNTER = join(import.meta.dirname, "../fixtures/counter-server.mjs");
const ACCOUNT = join(import.meta.dirname, "../fixtures/account-server.mjs");
/** Far beyond what a gateway needs, also on a busy machine. */
const PATIENCE_MS = 60_000;
export const YES = { action: "accept", content: { approve: true } };
export const NO = { action: "accept", content: { approve: false } };

export interface DecisionPlace extends Place {
  /** The numbers that were paid, in order. */
  paid(): number[];
  /** What the account server believed, in order. */
  believed(): { what: string; state: string | null }[];
  /** How many questions are on record as answered. */
  decisionCount(): Promise<number>;
  draft(name: string, written: object): void;
}

const pay = (n: number) => ({ id: `pay${n}`, type: "counter__add", params: { n } });
const ask = (n: number) => ({
  id: `ask${n}`,
  type: "approve",
  params: { message: `Pay ${n}?`, details: { n } },
});

/** Pays 1, asks, pays 2, asks, pays 3. */
const PAYMENTS = workflow([pay(1), ask(2), pay(2), ask(3), pay(3)], {
  edges: [
    { from: "pay1", to: "ask2" },
    { from: "ask2", to: "pay2" },
    { from: "pay2", to: "ask3" },
    { from: "ask3", to: "pay3" },
  ],
});
/** Two questions at once. */
const BOTH = workflow([2, 3].map((n) => ({ ...pay(n), approval: { message: `Pay ${n}?` } })));

export function openDecisionPlace(config: object = {}): DecisionPlace {
  const place = createPlace();
  onTestFinished(() => place.remove());
  const [log, account] = [join(place.folder, "paid.jsonl"), join(place.folder, "believed.jsonl")];
  const server = (script: string, file: string) => ({ command: process.execPath, args: [script, file] });
  const mcpServers = { counter: server(COUNTER, log), account: server(ACCOUNT, account) };
  const configure = (given: object): void => place.configure({ mcpServers, ...given });
  configure(config);
  const drafts = join(place.home, "drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  const draft = (name: string, written: object): void =>
    writeFileSync(join(drafts, `${name}.json`), JSON.stringify(written));
  draft("payments", PAYMENTS);
  draft("both", BOTH);
  return {
    ...place,
    configure,
    draft,
    paid: () => linesOf<{ args: { n: number } }>(log).map(({ args }) => args.n),
    believed: () => linesOf(account),
    decisionCount: () => countDecisions(place.home),
  };
}

function linesOf<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

async function countDecisions(home: string): Promise<number> {
  const store = await openSqliteStore({ home });
  try {
    const runs = await store.runs.list(DEFAULT_SCOPE, { limit: 1_000, children: true });
    const steps = (await Promise.all(runs.map(({ id }) => store.runs.steps(id)))).flat();
    // A run that goes on has the answers of the one before it as rows of its own.
    return steps.filter(
      ({ tool, status, fromRunId }) => tool === "approve" && status !== "waiting" && fromRunId === null,
    ).length;
  } finally {
    await store.close();
  }
}

/** A modern client on one gateway process. */
export interface ModernWire {
  /** Who it is to the gateway, unless a request says otherwise. */
  readonly principalId: string | null;
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    as?: { readonly who?: Headers; readonly path?: string },
  ): Promise<Message>;
  /** `kill -9`. */
  kill(): Promise<void>;
}

export async function openModernStdio(place: Place): Promise<ModernWire> {
  const wire = openWire(stdioOptions(place));
  return {
    principalId: null,
    async request(method, params) {
      const answer = await wire.request(method, params);
      if (answer === undefined) throw new Error("the gateway ended before it answered");
      return answer;
    },
    kill: () => wire.kill(),
  };
}

export async function openModernHttp(place: Place): Promise<ModernWire> {
  const owner = place.owner();
  const gateway = await startHttp(place);
  onTestFinished(() => gateway.stop());
  let count = 0;
  return {
    principalId: "token:default",
    async request(method, params, { who = owner, path = "/mcp" } = {}) {
      const { headers, body } = modernRequest(`m${++count}`, method, params, CAN_BE_ASKED);
      const { text } = await send(gateway.at(path), { headers: { ...who, ...headers }, body });
      return messageOf(text);
    },
    async kill() {
      gateway.signal("SIGKILL");
      await gateway.exited();
    },
  };
}

const stdioOptions = ({ folder, configFile }: Place) => ({ folder, args: ["--config", configFile] });

/** What a client was asked with an answer. */
export interface Asked {
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
}

export function askedIn({ result, error }: Message): Asked {
  if (result?.["resultType"] !== "input_required") throw new Error(JSON.stringify(result ?? error));
  return result as unknown as Asked;
}

/** The same call again, with what a person said to every question. */
export function answering({ requestState, inputRequests }: Asked, response: object = YES) {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, response]));
  return { requestState, inputResponses };
}

/** What a meta-tool answered. */
export function structureOf({ result }: Message): Readonly<Record<string, unknown>> {
  return (result?.["structuredContent"] ?? {}) as Readonly<Record<string, unknown>>;
}

/** A legacy client with raw lines on its pipes, which answers a question when the test says so. */
export function openLegacyStdio(place: Place) {
  const { send: write, answer, stdout, stderr, child, exited } = startGateway(stdioOptions(place));
  write({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities: { elicitation: {} } } });
  write({ jsonrpc: "2.0", method: "notifications/initialized" });
  const seen = new Set<unknown>();
  return {
    execute(id: string, args: object) {
      write({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "execute", arguments: args } });
      return { answered: () => answer(id) as Promise<Message> };
    },
    /** The next question, with its id. */
    question: () =>
      eventually(
        `a question (${stderr()})`,
        () => {
          const messages = stdout()
            .split("\n")
            .slice(0, -1)
            .map(
              (line) => JSON.parse(line) as { id?: unknown; method?: string; params: { message: string } },
            );
          const found = messages.find(({ id, method }) => method === "elicitation/create" && !seen.has(id));
          if (found !== undefined) seen.add(found.id);
          return found;
        },
        PATIENCE_MS,
      ),
    say: (id: unknown, result: object) => void write({ jsonrpc: "2.0", id, result }),
    async kill() {
      child.kill("SIGKILL");
      await exited();
    },
  };
}
