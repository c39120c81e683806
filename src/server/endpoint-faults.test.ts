/**
 * No request is left without an end. Each endpoint is driven through every method it knows, over the real gateway,
 * and the n-th thing that the endpoint waits for goes wrong, for each n until a pass meets no fault any more.
 */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createFixtureSource, toolOf } from "../../test/fixtures/tool-source.ts";
import { eventually } from "../../test/fixtures/temporary.ts";
import { META } from "../../test/rig/raw-request.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { succeed } from "../core/result.ts";
import type { FoundTool, Gateway } from "../gateway/gateway.ts";
import { noEvents, openRig, sum } from "../gateway/gateway.testkit.ts";
import { EventWriter } from "./http/event-stream.ts";
import { ResponseStream } from "./http/response-stream.ts";
import { initialize, send, serveEndpoint } from "./http/http.testkit.ts";
import { connectStdio } from "./stdio/serve-stdio.ts";

/** What an endpoint waits for. */
const AWAITED: ReadonlySet<string> = new Set(["describe", "list", "callTool", "forward"]);

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const SECRET = "the-cause-is-not-for-clients";

/** How the n-th call ends; what is returned stands in place of the call. */
const FAULTS: Readonly<Record<string, (method: string) => unknown>> = {
  "rejects with an error": () => Promise.reject(new Error(SECRET)),
  "rejects with nothing": () => Promise.reject(undefined),
  "throws at once": () => {
    throw new Error(SECRET);
  },
  "answers 100,000 levels": (method) => answerWith(method, nested(100_000)),
  "answers a BigInt": (method) => answerWith(method, 1n),
  "answers a cycle": (method) => answerWith(method, cyclic),
};

function answerWith(method: string, value: unknown): unknown {
  if (method === "describe") return Promise.reject(new Error(SECRET));
  const poisoned = { content: [], contents: [], messages: [], completion: { values: [] }, tools: [], value };
  if (method === "list")
    return Promise.resolve(succeed({ page: poisoned, version: "1", bytes: () => Buffer.from("{}") }));
  return Promise.resolve(method === "callTool" ? poisoned : succeed(poisoned as never));
}

/** The gateway, whose n-th awaited call goes wrong. */
function failAt(gateway: Gateway, n: number, fault: (method: string) => unknown) {
  let count = 0;
  let failed: string | undefined;
  const orFault = (method: string, original: () => unknown): unknown => {
    if (++count !== n) return original();
    failed = method;
    return fault(method);
  };
  const faulty = new Proxy(gateway, {
    get(target, method: keyof Gateway) {
      if (method === "find") return find;
      const original = target[method] as (...args: unknown[]) => unknown;
      if (!AWAITED.has(method)) return original;
      return (...args: unknown[]) => orFault(method, () => original.apply(target, args));
    },
  });
  function find(name: string): FoundTool | undefined {
    const found = gateway.find(name);
    const call: FoundTool["call"] = (...args) => orFault("callTool", () => found!.call(...args)) as never;
    return found && { ...found, call };
  }
  return { gateway: faulty, failed: () => failed };
}

const REQUESTS: readonly { readonly method: string; readonly params: JsonObject }[] = [
  { method: "tools/list", params: {} },
  { method: "tools/list", params: { cursor: "no" } },
  { method: "tools/call", params: { name: "notes__add", arguments: {} } },
  { method: "tools/call", params: { name: "list_library", arguments: {} } },
  { method: "tools/call", params: { name: "mcp__math__sum", arguments: { a: 1 } } },
  { method: "resources/list", params: {} },
  { method: "resources/templates/list", params: {} },
  { method: "resources/read", params: { uri: "repertoire://library/math/sum" } },
  { method: "resources/subscribe", params: { uri: "repertoire://library/math/sum" } },
  { method: "prompts/list", params: {} },
  { method: "prompts/get", params: { name: "notes__no_such" } },
  {
    method: "completion/complete",
    params: {
      ref: { type: "ref/resource", uri: "repertoire://library/{namespace}/{action}" },
      argument: { name: "namespace", value: "m" },
    },
  },
];

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client of one endpoint, by hand. */
interface Driven {
  /** Opens the connection, again where that failed. The answer is to each attempt. */
  open(): Promise<RpcAnswer[]>;
  ask(id: number, method: string, params: JsonObject): Promise<RpcAnswer>;
  /** What is still open: responses, sessions beyond the one in use, answers without a request. */
  leftOver(): Record<string, number>;
}

type Drive = (gateway: Gateway, log: Log) => Promise<Driven>;

const driveStdio: Drive = async (gateway, log) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = connectStdio(
    { gateway, events: noEvents, isTransparent: false, log, leave: async () => {} },
    input,
    output,
  );
  const answers: RpcAnswer[] = [];
  let rest = "";
  output.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    answers.push(...lines.map((line) => JSON.parse(line) as RpcAnswer).filter(({ id }) => id !== undefined));
  });
  let answeredCount = 0;
  const ask = async (message: JsonObject): Promise<RpcAnswer> => {
    input.write(`${JSON.stringify(message)}\n`);
    answeredCount++;
    return eventually("an answer", () => answers.find(({ id }) => id === message["id"]));
  };
  return {
    open: () => openTwice((id) => ask(JSON.parse(initialize(id)) as JsonObject)),
    ask: (id, method, params) => ask({ jsonrpc: "2.0", id, method, params }),
    leftOver: () => ({ unasked: answers.length - answeredCount, pending: connection.pendingCount() }),
  };
};

/** Until it is open: whatever fails, fails once. */
async function openTwice(open: (id: number) => Promise<RpcAnswer>): Promise<RpcAnswer[]> {
  const first = await open(1001);
  return first.error === undefined ? [first] : [first, await open(1002)];
}

const driveLegacy: Drive = async (gateway, log) => {
  const { url, endpoint } = await serveEndpoint(gateway, log);
  let session: Record<string, string> = {};
  const responsesBefore = ResponseStream.openCount;
  return {
    open: () =>
      openTwice(async (id) => {
        const { headers, ...answer } = await send(url, { body: initialize(id) });
        session = { "Mcp-Session-Id": String(headers["mcp-session-id"]) };
        return answer.json();
      }),
    ask: async (id, method, params) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      return (await send(url, { headers: session, body })).json();
    },
    leftOver: () => ({
      responses: ResponseStream.openCount - responsesBefore,
      otherSessions: endpoint.sessionCount - 1,
      streams: EventWriter.openCount,
    }),
  };
};

const driveModern: Drive = async (gateway, log) => {
  const { url } = await serveEndpoint(gateway, log);
  const responsesBefore = ResponseStream.openCount;
  const ask = async (id: number, method: string, params: JsonObject): Promise<RpcAnswer> => {
    const { name, uri } = params;
    const headers: Record<string, string> = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
    if (name !== undefined || uri !== undefined) headers["Mcp-Name"] = (name ?? uri) as string;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: META } });
    return (await send(url, { headers, body })).json();
  };
  return {
    open: () => openTwice((id) => ask(id, "server/discover", {})),
    ask,
    leftOver: () => ({
      responses: ResponseStream.openCount - responsesBefore,
      streams: EventWriter.openCount,
    }),
  };
};

const ENDPOINTS: Readonly<Record<string, Drive>> = {
  stdio: driveStdio,
  "a legacy session over HTTP": driveLegacy,
  "modern HTTP": driveModern,
};

async function openGateway(): Promise<Gateway> {
  const { gateway, registry, store } = await openRig(createFixtureSource("notes", [toolOf("add")]));
  await store.capabilities.save(sum);
  await registry.discover({ waitMs: 5_000 }, { traceId: "t", signal: new AbortController().signal });
  return gateway;
}

describe.each(Object.entries(ENDPOINTS))("S1, S2: over %s", (_endpoint, drive) => {
  it.each(Object.entries(FAULTS))(
    "each request has one answer under its id when the n-th awaited call %s",
    { timeout: 120_000 },
    async (_fault, fault) => {
      const gateway = await openGateway();
      let passCount = 0;
      for (let n = 1, isFaulty = true; isFaulty; n++) {
        const traceIds: unknown[] = [];
        const ignore = (): void => {};
        const error = (_event: string, fields?: Record<string, unknown>): void =>
          void traceIds.push(fields?.["traceId"]);
        const log: Log = { error, warn: ignore, info: ignore, debug: ignore };
        const faulty = failAt(gateway, n, fault);
        const driven = await drive(faulty.gateway, log);
        const answers = await driven.open();
        for (const [at, { method, params }] of REQUESTS.entries()) {
          const answer = await driven.ask(at, method, params);
          expect({ n, method, id: answer.id }).toEqual({ n, method, id: at });
          answers.push(answer);
        }
        isFaulty = faulty.failed() !== undefined;
        expect(JSON.stringify(answers)).not.toContain(SECRET);
        const inside = answers.filter((answer) => answer.error?.code === -32603);
        // An empty list stands in place of one that cannot be poisoned.
        expect({ n, inside: inside.length <= (isFaulty ? 1 : 0) }).toEqual({ n, inside: true });
        for (const { error: told } of inside) {
          // The SDK opens the connection and says it in its own words.
          if (faulty.failed() === "describe") continue;
          expect(told?.message).toMatch(/gateway failed|cannot be written/);
          expect(told?.data).toMatchObject({ code: "TOOL_EXECUTION_FAILED", mayHaveHappened: true });
          expect(traceIds).toContain((told?.data as { traceId?: string } | undefined)?.traceId);
        }
        const left = driven.leftOver();
        expect({ n, left }).toEqual({
          n,
          left: Object.fromEntries(Object.keys(left).map((key) => [key, 0])),
        });
        passCount++;
      }
      expect(passCount).toBeGreaterThan(REQUESTS.length);
    },
  );
});
